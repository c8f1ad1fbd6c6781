//! Draws as a program takes them: words on its standard input, as `shim/run.cpp` says.

use crate::Metal;
use crate::attributes::{attributes, vertices};
use crate::bind::{Memory, bind};
use crate::program::Program;
use crate::raster::{self, Lanes, Triangle, Varyings};
use crate::signature::{FIRST_USER, Signature};
use crate::text;
use crate::words::{bytes, count, words};
use polyshade::Module;
use polyshade::moves::{self, Copies};
use polyshade::spv::view::Mode;
use polyshade::spv::{BuiltIn, ExecutionMode, ExecutionModel, Section};
use polyshade_formats::cross::{self, EntryPoint, Msl, Target, Text};
use polyshade_vulkan::{Constant, Draw, Error, Outcome, Resource, Stage, Work, vk};
use std::sync::Arc;

/// The number of no memory.
const NONE: u32 = u32::MAX;
/// What a program is called for.
const VERTICES: u32 = 0;
const FRAGMENTS: u32 = 1;

/// Runs draws one after the other; those that have their shaders in common in one process of each.
pub(crate) fn run(metal: &Metal, work: &Work<'_>) -> Result<Outcome, Error> {
    if !work.addresses.is_empty() {
        return Err(unsupported("addresses"));
    }
    let mut memory = Memory::new(work)?;
    // Texels are those of a buffer before the process.
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
            _ => return Err(unsupported("these stages")),
        }
    }
    let captured = vec![None; work.draws.len()];
    let (buffers, targets) = memory.into_outcome();
    Ok(Outcome { buffers, textures: Vec::new(), targets, captured })
}

/// Refuses draws that fixed functions do more for than is done here.
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
        return Err(unsupported("rasterization of what is no list of triangles"));
    }
    Ok(())
}

/// A function of Metal that was compiled as C++.
struct Shader<'s, 'w> {
    stage: &'s Stage<'w>,
    printed: Text,
    function: Signature,
    program: Arc<Program>,
    outputs: Outputs,
}

/// What becomes of what vertices hand on: of the rest of their outputs, nothing is culled by them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outputs {
    Dropped,
    Kept,
}

impl<'s, 'w> Shader<'s, 'w> {
    fn new(metal: &Metal, stage: &'s Stage<'w>, outputs: Outputs) -> Result<Self, Error> {
        let printed = print(metal, stage, outputs)?;
        let constants: Vec<(u32, u64)> =
            stage.specialization.iter().map(|(number, value)| (*number, bits(*value))).collect();
        let source = text::read(&printed.source, &constants)
            .map_err(|why| Error::Unsupported(format!("this text: {why}")))?;
        let (text, function) = (source.text, source.function);
        let source = format!("#include \"stages.h\"\n{text}\n{}", function.caller());
        Ok(Self { stage, printed, program: metal.program(&source)?, function, outputs })
    }

    /// Runs draws of vertices or threads; returns for each what its vertices hand on, if that is kept.
    fn run_vertices(
        &self,
        metal: &Metal,
        draws: &[Draw<'_>],
        memory: &mut Memory,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        for draw in draws {
            let mut words = bind(draw, &self.printed, memory)?;
            words.push(VERTICES);
            words.extend(attributes(draw, &memory.pieces)?);
            let invocations = self.invocations(draw, memory)?;
            words.push(count(&invocations.vertices));
            words.extend(&invocations.vertices);
            words.extend([
                invocations.base_vertex,
                invocations.first_instance,
                invocations.instances,
            ]);
            words.extend(match self.outputs {
                Outputs::Dropped => [NONE, 0],
                Outputs::Kept => {
                    let slots = self.slots();
                    let vertices = invocations.vertices.len() * invocations.instances as usize;
                    memory.pieces.push(vec![0; 16 * slots * vertices]);
                    kept.push(memory.pieces.len() - 1);
                    [count(&memory.pieces) - 1, slots as u32]
                }
            });
            all.push(words);
        }
        self.execute(metal, &all, memory)?;
        let kept = kept.into_iter().map(|piece| words(&memory.pieces[piece]).collect()).collect();
        memory.keep();
        Ok(kept)
    }

    /// How its fragments run. What only helps would store as well, which Metal does not do.
    fn lanes(&self) -> Result<Lanes, Error> {
        let derives = ["dfdx(", "dfdy(", "fwidth("];
        if !derives.into_iter().any(|name| self.printed.source.contains(name)) {
            return Ok(Lanes::One);
        }
        match self.function.stores() {
            true => Err(unsupported("derivatives beside stores")),
            false => Ok(Lanes::Quad),
        }
    }

    /// How many times four words a vertex hands on.
    fn slots(&self) -> usize {
        FIRST_USER + self.function.handed_on().len()
    }

    fn invocations(&self, draw: &Draw<'_>, memory: &Memory) -> Result<Invocations, Error> {
        let Some([in_row, rows, layers]) = draw.dispatch else {
            let (vertices, base_vertex) = vertices(draw, &memory.pieces)?;
            let std::ops::Range { start, end } = draw.instances;
            let (first_instance, instances) = (start, end.saturating_sub(start));
            return Ok(Invocations { vertices, base_vertex, first_instance, instances });
        };
        if layers != 1 {
            return Err(unsupported("several layers of threadgroups"));
        }
        // Each threadgroup is an instance, and each of its threads a vertex.
        let vertices = (0..local_size(self.stage)?).collect();
        let (base_vertex, instances) = (in_row, in_row * rows);
        Ok(Invocations { vertices, base_vertex, first_instance: 0, instances })
    }

    /// Runs draws in a process, which leaves in the memory what they write.
    fn execute(&self, metal: &Metal, draws: &[Vec<u32>], memory: &mut Memory) -> Result<(), Error> {
        let seconds = u32::try_from(metal.time_limit.as_secs()).unwrap_or(u32::MAX).max(1);
        let mut input = bytes(&[seconds, count(&memory.pieces)]);
        for one in &memory.pieces {
            input.extend(bytes(&[count(one)]));
            input.extend(one);
        }
        input.extend(bytes(&[count(draws)]));
        draws.iter().for_each(|draw| input.extend(bytes(draw)));

        let output = self.program.run(&input)?;
        let mut rest = output.as_slice();
        for piece in &mut memory.pieces {
            let found = rest.split_off(..piece.len());
            let found =
                found.ok_or_else(|| Error::Work("the shader's process ends early".to_owned()))?;
            piece.copy_from_slice(found);
        }
        Ok(())
    }
}

/// The vertices and instances of a draw, or what stands for them in a dispatch.
struct Invocations {
    vertices: Vec<u32>,
    base_vertex: u32,
    first_instance: u32,
    instances: u32,
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
        // What the vertices of a draw write is seen by the fragments of that draw, and not of those before it.
        *memory = before;
        let mut each = draws.chunks(1);
        return each.try_for_each(|draw| rasterize(metal, shaders, draw, memory, work));
    }
    let (slots, handed_on) = (vertex.slots(), vertex.function.handed_on());
    let of = |(name, how)| (handed_on.iter().position(|one| *one == name), how);
    let varyings = Varyings { of: fragment.function.varyings().into_iter().map(of).collect() };
    let lanes = fragment.lanes()?;
    let mut all = Vec::new();
    for (draw, outputs) in draws.iter().zip(&outputs) {
        let target = draw.target.expect("these draws have targets");
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

/// The fragments of all triangles of a draw, in their order.
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

/// The shader as MSL.
fn print(metal: &Metal, stage: &Stage<'_>, outputs: Outputs) -> Result<Text, Error> {
    let model = model(stage)?;
    let entry = EntryPoint { name: stage.entry_point, model: model.0 };
    let without = match outputs {
        Outputs::Kept => None,
        Outputs::Dropped => without_cull_distances(stage)
            .map_err(|error| Error::Unsupported(format!("cull distances: {error}")))?,
    };
    let words = without.as_deref().unwrap_or(stage.words);
    let printed = cross::write(words, entry, &Target::Msl(Msl::default()));
    let mut printed = printed.map_err(|error| Error::Unsupported(format!("MSL: {error}")))?;
    if let Some(edit) = &metal.edit {
        printed.source = edit(printed.source);
    }
    Ok(printed)
}

/// The execution model of a stage that is run.
fn model(stage: &Stage<'_>) -> Result<ExecutionModel, Error> {
    match stage.stage {
        vk::ShaderStageFlags::VERTEX => Ok(ExecutionModel::VERTEX),
        vk::ShaderStageFlags::FRAGMENT => Ok(ExecutionModel::FRAGMENT),
        vk::ShaderStageFlags::COMPUTE => Ok(ExecutionModel::GL_COMPUTE),
        _ => Err(unsupported("tessellation and geometry stages")),
    }
}

/// The words of a shader whose outputs have cull distances, written or not, which MSL has not: they, and what shares a
/// block with them, stay within the shader. Nothing is culled here.
fn without_cull_distances(stage: &Stage<'_>) -> Result<Option<Vec<u32>>, polyshade::Error> {
    let module = Module::parse(stage.words)?;
    if stage.stage != vk::ShaderStageFlags::VERTEX {
        return Ok(None);
    }
    let entry = module.entry_point(stage.entry_point, ExecutionModel::VERTEX)?;
    let Some(found) = moves::find_output(&module, entry, BuiltIn::CULL_DISTANCE) else {
        return Ok(None);
    };
    let rewritten = module.rewrite(|m, p| {
        let entry = m.entry_point(stage.entry_point, ExecutionModel::VERTEX)?;
        moves::take_over(m, p, entry, &[found.variable], Copies::None).map(|_| ())
    })?;
    Ok(Some(rewritten.module.into_words()))
}

/// How many threads a threadgroup has, which lie in one row.
fn local_size(stage: &Stage<'_>) -> Result<u32, Error> {
    let module = Module::parse(stage.words).map_err(|error| Error::Work(error.to_string()))?;
    let modes = module.section(Section::ExecutionModes).filter_map(Mode::of);
    let sizes = modes.filter(|one| one.mode() == ExecutionMode::LOCAL_SIZE);
    match sizes.map(|one| one.operands().to_vec()).next().as_deref() {
        Some(&[threads, 1, 1]) => Ok(threads),
        _ => Err(unsupported("threadgroups of several rows")),
    }
}

fn bits(constant: Constant) -> u64 {
    match constant {
        Constant::Bits8(bits) => bits.into(),
        Constant::Bits16(bits) => bits.into(),
        Constant::Bits32(bits) => bits.into(),
        Constant::Bits64(bits) => bits,
    }
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported(format!(
        "{what}: on Metal vertex functions, fragment functions and kernels alone are run"
    ))
}
