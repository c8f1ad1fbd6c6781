//! A scene of planes: each primitive alone, cut by the lowered stages and by the device's own clip distances.

use super::expected::{Key, components};
use super::vertex::{Drawn, Run};
use crate::Form;
use crate::compare::Recording;
use crate::library;
use crate::pictures::{self, Exactness, Primitive};
use crate::position::chooses_a_layer;
use crate::run::{Stop, cannot_run, not_comparable};
use crate::verdict::{Difference, Part};
use polyshade::Module;
use polyshade::clip_cull::{Emulation, Kind, Target, emulate_fragment};
use polyshade::spv::{Capability, ExecutionModel};
use polyshade_vulkan::{Draw, Outcome, Place, Stage, VertexBuffer, VertexLayout, Work, vk};
use std::collections::BTreeMap;

/// The clip distances that a stage of ours hands on.
const DISTANCES: usize = 8;

/// A vertex as it was recorded.
#[derive(Debug, Clone)]
struct Vertex {
    position: [f32; 4],
    clip: Vec<f32>,
    cull: Vec<f32>,
}

/// A primitive, and its vertices.
struct Drawable {
    primitive: Primitive,
    vertices: Vec<Vertex>,
}

/// Draws the scene with what is recorded of the original, and with the lowered stage; returns how many pixels are
/// covered.
pub(super) fn compare(
    run: &Run<'_>,
    module: &Module<'_>,
    recordings: &[Recording],
    drawn: &Drawn,
) -> Result<u64, Stop> {
    if !is_drawn(run, module) {
        return Ok(0);
    }
    let mut primitives = Vec::new();
    for (right, found) in recordings.iter().zip(&drawn.recordings) {
        primitives.extend(primitives_of(run, right, found, drawn));
    }
    let is_emulated = matches!(run.steps.form, Form::Emulated { .. });
    let most = if is_emulated { LARGEST } else { f32::MAX };
    primitives.retain(|primitive| is_defined(primitive, most));

    let fragment = fragment(run)?;
    let right = draw_natively(run, &primitives)?;
    let found = draw_lowered(run, module, &fragment, &primitives, drawn)?;
    // Where the fragment stage cuts, edges are a matter of its precision.
    let keeps_clip = matches!(run.steps.form, Form::Emulated { native_clip: true, .. });
    let cuts = is_emulated && !keeps_clip && !run.expected.distances[0].is_empty();
    let exactness = if cuts { Exactness::AwayFromEdges } else { Exactness::Exact };
    let mut covered = 0;
    for ((primitive, right), found) in primitives.iter().zip(&right.targets).zip(&found.targets) {
        if let Some(difference) = pictures::difference(Part::Lowered, right, found, exactness) {
            let draw = format!(
                "{:?}, {:?}, {:?}",
                primitive.primitive.topology, primitive.primitive.placement, drawn.setting
            );
            return Err(Difference { draw: Some(draw), ..difference }.into());
        }
        covered += pictures::covered(right);
    }
    Ok(covered)
}

/// Whether the form is one that the device can draw.
fn is_drawn(run: &Run<'_>, module: &Module<'_>) -> bool {
    let device = run.original.device.capabilities();
    let [clip, cull] = run.expected.distances.each_ref().map(Vec::len);
    let is_form = match run.steps.form {
        Form::Kept | Form::Arrays | Form::Separate => {
            !device.culls_wrongly([clip, cull].map(|count| count as u32))
        }
        Form::Emulated { .. } => true,
        Form::Registers { .. } | Form::Combined => false,
    };
    let is_drawable = device.features.shader_clip_distance == vk::TRUE
        && device.limits.max_clip_distances >= DISTANCES as u32
        && clip <= DISTANCES;
    let one_layer =
        !run.original.leaves.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer));
    // A draw of one primitive has another first vertex.
    is_form && is_drawable && one_layer && !module.has_capability(Capability::DRAW_PARAMETERS)
}

/// The primitives of a placement, with positions as the original has them and distances as the lowered stage does.
fn primitives_of(
    run: &Run<'_>,
    right: &Recording,
    found: &Recording,
    drawn: &Drawn,
) -> Vec<Drawable> {
    let originals = components(&run.original.leaves);
    let lowered = components(&drawn.leaves);
    let vertex = |vertex: u32, instance: u32| {
        let slot = right.placement.slot(vertex, instance) as usize;
        let slots = right.placement.slots() as usize;
        let float = |recording: &Recording, keys: &BTreeMap<Key, usize>, key: &Key| {
            let stride = recording.words.len() / slots;
            keys.get(key).map_or(0.0, |word| f32::from_bits(recording.words[slot * stride + word]))
        };
        let [clip, cull] =
            run.expected.distances.each_ref().map(|keys| {
                keys.iter().map(|key| float(found, &lowered, key)).collect::<Vec<f32>>()
            });
        let position = [0, 1, 2, 3].map(|axis| float(right, &originals, &Key::position(axis)));
        Vertex { position, clip, cull }
    };
    let drawable = |primitive: Primitive| Drawable {
        primitive,
        vertices: primitive.vertices().map(|(number, instance)| vertex(number, instance)).collect(),
    };
    pictures::primitives(right.placement).into_iter().map(drawable).collect()
}

/// Larger distances, handed on as ordinary values, may go beyond all numbers when they are interpolated.
const LARGEST: f32 = 1e15;

/// Whether what becomes of a primitive is defined: its positions and distances are numbers, of up to `most`.
fn is_defined(primitive: &Drawable, most: f32) -> bool {
    primitive.vertices.iter().all(|vertex| {
        let mut distances = vertex.clip.iter().chain(&vertex.cull);
        pictures::is_drawable(vertex.position) && distances.all(|value| value.abs() <= most)
    })
}

/// Whether one and the same distance is negative at all vertices.
fn is_culled(primitive: &Drawable) -> bool {
    let count = primitive.vertices.first().map_or(0, |vertex| vertex.cull.len());
    let is_negative =
        |number: usize| primitive.vertices.iter().all(|vertex| vertex.cull[number] < 0.0);
    (0..count).any(is_negative)
}

/// The fragment stage behind the lowered stage.
fn fragment(run: &Run<'_>) -> Result<Vec<u32>, Stop> {
    let Form::Emulated { location, native_clip } = run.steps.form else {
        return Ok(library::DEPTH.clone());
    };
    let emulation = Emulation::at(location);
    let emulation = if native_clip { emulation.native(Kind::Clip) } else { emulation };
    let counts = run.expected.distances.each_ref().map(|keys| keys.len() as u32);
    let target = Target::new("main", ExecutionModel::FRAGMENT);
    let module = Module::parse(&library::DEPTH).expect("glslang's words parse");
    let emulated = emulate_fragment(&module, &target, &emulation, counts);
    let emulated = emulated.map_err(|error| not_comparable(format!("fragment stage: {error}")))?;
    Ok(emulated.module.into_words())
}

/// Positions and clip distances from a vertex buffer; a primitive that is culled is not drawn.
fn draw_natively(run: &Run<'_>, primitives: &[Drawable]) -> Result<Outcome, Stop> {
    let mut work = Work::default();
    let layout = VertexLayout::vectors((0..3).map(|at| (at, vk::Format::R32G32B32A32_SFLOAT)));
    for primitive in primitives {
        let mut floats = Vec::new();
        for vertex in &primitive.vertices {
            let mut clip = vertex.clip.clone();
            clip.resize(DISTANCES, 1.0);
            floats.extend(vertex.position.iter().copied().chain(clip));
        }
        let place = Place { buffer: work.buffers.len(), offset: 0 };
        work.buffers.push(floats.into_iter().flat_map(f32::to_ne_bytes).collect());
        let vertices = if is_culled(primitive) { 0 } else { primitive.vertices.len() as u32 };
        let mut draw = Draw {
            stages: vec![Stage::vertex(&library::CLIP)],
            vertex_buffers: vec![VertexBuffer { place, layout: layout.clone() }],
            vertices: 0..vertices,
            instances: 0..1,
            ..Draw::default()
        };
        pictures::rasterize(&mut draw, primitive.primitive.topology, &library::DEPTH, &mut work);
        work.draws.push(draw);
    }
    let outcome = run.original.device.run(&work);
    outcome.map_err(|error| not_comparable(format!("the device's own clip distances: {error}")))
}

fn draw_lowered(
    run: &Run<'_>,
    module: &Module<'_>,
    fragment: &[u32],
    primitives: &[Drawable],
    drawn: &Drawn,
) -> Result<Outcome, Stop> {
    let (original, mut work) = (&run.original, Work::default());
    let mut installed = None;
    for primitive in primitives {
        let Primitive { topology, placement } = primitive.primitive;
        let given = original.inputs.next(installed.take(), &mut work);
        let mut draw = original.draw(module.words(), placement);
        run.bind(&drawn.setting, &mut draw, &mut work);
        given.give(&mut draw);
        pictures::rasterize(&mut draw, topology, fragment, &mut work);
        work.draws.push(draw);
        installed = Some(given);
    }
    original.device.run(&work).map_err(|error| cannot_run(Part::Lowered, &error))
}
