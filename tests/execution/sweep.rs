//! Captures with random combinations of shader, varyings, source of host parameters, draw and buffer space.

use crate::cases::{LOOP, TOPOLOGIES};
use crate::drivers::Driver;
use crate::feedback::Case;
use crate::matrix::{storage_is_model, storage_is_native};
use crate::noise::Noise;
use crate::shaders::{AGGREGATES, BITS, QUALIFIED, Shader, VECTORS, Varyings};
use crate::storage::{HOSTS, Storage};
use polyshade_vulkan::ProvokingVertex;
use polyshade_vulkan::model::Topology;

/// The number of lists of varyings, and the number of draws for each list.
const ROUNDS: usize = 25;
const DRAWS: usize = 12;

/// The number of buffers that every device with several buffers supports.
const MAX_BUFFERS: usize = 4;

/// Returns a random element.
pub(crate) fn pick<T: Copy>(noise: &mut Noise, from: &[T]) -> T {
    from[noise.below(from.len() as u32) as usize]
}

/// Returns some of a shader's outputs in random order, none of them twice.
fn names(noise: &mut Noise, shader: &Shader) -> Vec<&'static str> {
    let mut names = shader.outputs.iter().map(|output| output.0).collect::<Vec<_>>();
    for last in (1..names.len()).rev() {
        names.swap(last, noise.below(last as u32 + 1) as usize);
    }
    names.truncate(1 + noise.below(names.len() as u32) as usize);
    names
}

/// Returns a list of varyings. Its text is leaked, because other lists are constants.
pub(crate) fn varyings(noise: &mut Noise, shader: &Shader) -> Varyings {
    let mut names = names(noise, shader);
    if noise.below(3) == 0 {
        names.truncate(MAX_BUFFERS);
        return Varyings::Separate(names.join(" ").leak());
    }
    let mut list = Vec::new();
    let mut buffers = 1;
    for (index, name) in names.into_iter().enumerate() {
        if index > 0 && buffers < MAX_BUFFERS && noise.below(3) == 0 {
            list.push("gl_NextBuffer");
            buffers += 1;
        }
        if noise.below(4) == 0 {
            list.push(pick(noise, &["gl_SkipComponents1", "gl_SkipComponents4"]));
        }
        list.push(name);
        if noise.below(4) == 0 {
            list.push(pick(noise, &["gl_SkipComponents2", "gl_SkipComponents3"]));
        }
    }
    Varyings::Interleaved(list.join(" ").leak())
}

fn draw(noise: &mut Noise, topology: Topology, mode: ProvokingVertex) -> Case {
    let mut case = Case::new(topology, noise.below(13));
    let first = noise.below(50);
    case.draw.vertices = first..first + case.draw.vertices.end;
    let first = noise.below(9);
    case.draw.instances = first..first + 1 + noise.below(3);
    case.draw.provoking_vertex = mode;
    let ample = noise.below(3) > 0;
    case.room.fill_with(|| if ample { 99 + noise.below(9) } else { 1 + noise.below(40) });
    if noise.below(3) == 0 {
        case.reached = noise.below(1 + case.room.iter().min().copied().unwrap_or(0));
    }
    case
}

/// Returns a few draws of two topologies. The native feature needs a pipeline for each topology and mode.
pub(crate) fn draws(noise: &mut Noise) -> Vec<Case> {
    let topologies = [(); 2].map(|()| pick(noise, &TOPOLOGIES));
    let mode = pick(noise, &[ProvokingVertex::First, ProvokingVertex::Last]);
    let mut cases = Vec::new();
    for _ in 0..DRAWS {
        let topology = pick(noise, &topologies);
        cases.push(draw(noise, topology, mode));
    }
    cases
}

#[test]
fn anything_goes() {
    let mut noise = Noise::new();
    for _ in 0..ROUNDS {
        let shader = pick(&mut noise, &[VECTORS, AGGREGATES, QUALIFIED, BITS]);
        let varyings = varyings(&mut noise, &shader);
        let storage = Storage::with_host(&shader, varyings, pick(&mut noise, &HOSTS));
        let mut cases = draws(&mut noise);
        storage_is_native(&storage, &shader, varyings, &cases);
        let mode = cases[0].draw.provoking_vertex;
        cases.push(draw(&mut noise, LOOP[0], mode));
        storage_is_model(&storage, &shader, varyings, &cases, Driver::SwiftShader);
    }
}
