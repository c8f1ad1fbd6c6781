//! Runs draws with the functions of their stages.

use crate::Metal;
use crate::bind::{Memory, bind};
use crate::patches;
use crate::raster::{self, Lanes, Triangle, Varyings};
use crate::shader::{FRAGMENTS, Outputs, Shader, unsupported};
use crate::words::count;
use polyshade_vulkan::{Draw, Error, Outcome, Resource, Work, vk};

const CONTROL: vk::ShaderStageFlags = vk::ShaderStageFlags::TESSELLATION_CONTROL;

/// Runs the draws in order. Consecutive draws with the same shaders share one process for each shader.
pub(crate) fn run(metal: &Metal, work: &Work<'_>) -> Result<Outcome, Error> {
    if !work.addresses.is_empty() {
        return Err(unsupported("addresses"));
    }
    let mut memory = Memory::new(work)?;
    // Texel buffers are converted before the process starts, so a draw with texel buffers begins a new process.
    let is_bound = |draw: &Draw<'_>| {
        draw.descriptors.iter().any(|one| matches!(one.resource, Resource::UniformTexels { .. }))
    };
    let together = |one: &Draw<'_>, other: &Draw<'_>| {
        one.stages == other.stages
            && one.target.is_some() == other.target.is_some()
            && !is_bound(other)
    };
    for draws in work.draws.chunk_by(together) {
        draws.iter().try_for_each(check)?;
        match draws[0].stages.as_slice() {
            [stage] if draws[0].target.is_none() => {
                let shader = Shader::new(metal, stage, Outputs::Dropped)?;
                shader.run_vertices(metal, draws, &mut memory)?;
            }
            [vertex, fragment] if draws[0].target.is_some() => {
                let [vertex, fragment] =
                    [vertex, fragment].map(|stage| Shader::new(metal, stage, Outputs::Kept));
                let shaders = [vertex?, fragment?];
                rasterize(metal, &shaders, draws, &mut memory, work)?;
            }
            [vertex, control, behind] if draws[0].target.is_none() && control.stage == CONTROL => {
                patches::check_behind(behind)?;
                // Kernels that read cull distances are rejected, so the vertex function need not write them.
                let vertex = Shader::new(metal, vertex, Outputs::WithoutCullDistances)?;
                let control = Shader::new(metal, control, Outputs::Dropped)?;
                let mut each = draws.iter();
                each.try_for_each(|draw| {
                    patches::run(metal, [&vertex, &control], draw, &mut memory)
                })?;
            }
            _ => return Err(unsupported("this combination of stages")),
        }
    }
    let captured = vec![None; work.draws.len()];
    let (buffers, targets) = memory.into_outcome();
    Ok(Outcome { buffers, textures: Vec::new(), targets, captured })
}

/// Rejects draws that use fixed-function features that are not implemented.
fn check(draw: &Draw<'_>) -> Result<(), Error> {
    let is_plain = draw.transform_feedback.is_none()
        && draw.depth.is_none()
        && draw.addresses.is_empty()
        && draw.advanced_blend.is_none()
        && draw.blends.iter().all(|blend| *blend == Default::default())
        && draw.fixed_blend == Default::default();
    if !is_plain {
        return Err(unsupported("native transform feedback, depth tests, blending and addresses"));
    }
    if draw.target.is_some() && draw.topology != vk::PrimitiveTopology::TRIANGLE_LIST {
        return Err(unsupported("rasterization of topologies other than triangle lists"));
    }
    Ok(())
}

/// Runs draws of triangles with a vertex and a fragment function.
fn rasterize(
    metal: &Metal,
    shaders: &[Shader<'_, '_>; 2],
    draws: &[Draw<'_>],
    memory: &mut Memory,
    work: &Work<'_>,
) -> Result<(), Error> {
    let [vertex, fragment] = shaders;
    let before = memory.clone();
    let outputs = vertex.run_vertices(metal, draws, memory)?;
    if draws.len() > 1 && memory.pieces != before.pieces {
        // A fragment must see the writes of its draw's vertex functions, and must not see those of later draws.
        *memory = before;
        let mut each = draws.chunks(1);
        return each.try_for_each(|draw| rasterize(metal, shaders, draw, memory, work));
    }
    // Rasterize, then run all fragments of the draws in one process.
    let (slots, user_outputs) = (vertex.slots(), vertex.function.user_outputs());
    let of = |(name, how)| (user_outputs.iter().position(|one| *one == name), how);
    let varyings = Varyings { of: fragment.function.varyings().into_iter().map(of).collect() };
    let lanes = fragment.lanes()?;
    let mut all = Vec::new();
    for (draw, outputs) in draws.iter().zip(&outputs) {
        let target = draw.target.expect("rasterized draws have targets");
        let targets: Vec<usize> =
            [target].into_iter().chain(draw.other_targets.iter().copied()).collect();
        let mut words = bind(draw, &fragment.printed, memory)?;
        words.extend([FRAGMENTS, count(&targets)]);
        for target in &targets {
            words.push(memory.target(*target)?);
        }
        let vertices: Vec<&[[u32; 4]]> = outputs.as_chunks().0.chunks_exact(slots).collect();
        let fragments = match draw.discard {
            true => Vec::new(),
            false => fragments(draw, &vertices, &work.targets[target], (&varyings, lanes)),
        };
        let together = if lanes == Lanes::Quad { 4 } else { 1 };
        words.extend([count(&varyings.of), together, count(&fragments)]);
        words.extend(fragments.into_iter().flatten());
        all.push(words);
    }
    fragment.execute(metal, &all, memory)?;
    memory.keep();
    Ok(())
}

/// Returns the fragments of all triangles of a draw, in the order of the triangles.
fn fragments(
    draw: &Draw<'_>,
    vertices: &[raster::Vertex<'_>],
    target: &polyshade_vulkan::Target,
    (varyings, lanes): (&Varyings, Lanes),
) -> Vec<Vec<u32>> {
    let instances = draw.instances.len().max(1);
    let size = (target.width, target.height);
    let of_instance = |vertices: &[raster::Vertex<'_>]| -> Vec<Vec<u32>> {
        let triangles = (0..).zip(vertices.as_chunks().0);
        let fragments = triangles.flat_map(|(primitive, corners)| {
            Triangle { corners: *corners, size, primitive, varyings }.fragments(lanes)
        });
        fragments.collect()
    };
    let each = (vertices.len() / instances).max(1);
    vertices.chunks_exact(each).flat_map(of_instance).collect()
}
