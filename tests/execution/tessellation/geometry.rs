//! A geometry stage after the evaluation stage captures what lavapipe captures with all stages.

use super::pipeline::{Native, Pipeline};
use super::shaders::{Modes, WORDS};
use super::{ITEM, NATIVE_ROOM, modes};
use crate::controls::patch;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{GUARD, LEAD};
use crate::geometry::pipeline as compute;
use crate::glsl::compiled;
use crate::indexed::Indexed;
use crate::memory::words;
use crate::shaders::{Shader, Varyings};
use polyshade::transform_feedback::{self, IndexType, Options, Variant};
use polyshade_formats::{ShaderStage, SpirvVersion};

const CAPTURED: [&str; 2] = ["g_coordinates", "g_exact"];
const VARYINGS: Varyings = Varyings::Interleaved("g_coordinates g_exact");

/// Emits none, one or two copies of each primitive.
const GEOMETRY: &str = r"
layout(location = 0) in vec3 e_coordinates[];
layout(location = 1) in uvec4 e_exact[];
layout(location = 0) out vec3 g_coordinates;
layout(location = 1) out uvec4 g_exact;
void main() {
    for (uint copy = 0u; copy < e_exact[0].x % 3u; ++copy) {
        for (int corner = 0; corner < e_coordinates.length(); ++corner) {
            g_coordinates = e_coordinates[corner] + vec3(copy);
            g_exact = e_exact[corner] + copy;
            gl_Position = gl_in[corner].gl_Position;
            gl_PointSize = 1.0;
            EmitVertex();
        }
        EndPrimitive();
    }
}";

fn geometry(corners: usize) -> Vec<u32> {
    let (input, output) = match corners {
        1 => ("points", "points"),
        2 => ("lines", "line_strip"),
        _ => ("triangles", "triangle_strip"),
    };
    let head = format!("#version 450\nlayout({input}) in; layout({output}, max_vertices = 6) out;");
    compiled(ShaderStage::Geometry, &format!("{head}{GEOMETRY}"), SpirvVersion::SPIRV1_3)
}

/// Returns the primitives, sorted, each rotated to begin with its smallest vertex.
fn primitives(captured: &[u32], corners: usize) -> Vec<Vec<u32>> {
    let turned = |primitive: &[u32]| {
        let turns = (0..corners).map(|turn| {
            let mut turned = primitive.to_vec();
            turned.rotate_left(turn * WORDS);
            turned
        });
        turns.min().expect("a primitive has corners")
    };
    let mut primitives: Vec<_> = captured.chunks_exact(corners * WORDS).map(turned).collect();
    primitives.sort_unstable();
    primitives
}

/// Captures an item with the stages of a pipeline and the geometry stage.
fn capture(pipeline: &Pipeline, driver: Driver, corners: usize) -> Vec<u32> {
    let topology = pipeline.topology();
    let options = Options::new()
        .compute()
        .spill_outputs()
        .topologies([topology])
        .indexed(Some(IndexType::Uint32));
    let evaluation = compute::leaked(pipeline.evaluation.words.clone());
    let vertex = transform_feedback::prepare(evaluation, "main", &options);
    let vertex = vertex.unwrap_or_else(|error| panic!("{error}"));
    let spilled = vertex.variant(Variant::SpillOutputs).expect("it is made");
    let layout = Box::new(vertex.layout().clone());
    let before =
        compute::Before::Dispatched(compute::Made::of(&spilled), layout, vertex.params().clone());
    let geometry = compute::leaked(geometry(corners));
    let stages =
        compute::Pipeline::after(before, vertex.layout(), geometry, &compute::options(VARYINGS));

    let made = pipeline.tessellate(driver, ITEM, &pipeline.ample(ITEM));
    let mut indexed = Indexed::new(topology, IndexType::Uint32, made.table[0]);
    indexed.indices = words(&made.indices);
    let draws = compute::Draws { indexed: true, restart: false };
    let item = compute::Item { draws, indexed };
    let shader = Shader { source: "", outputs: &[("g_coordinates", 3), ("g_exact", 4)] };
    let found = stages.run_with(driver, &[item], &shader.layout(VARYINGS), |work| {
        let bound = pipeline.bound(&made, work);
        let mut vertex = work.draws.remove(0);
        pipeline.add_descriptors(&bound, &mut vertex);
        work.draws.insert(0, vertex);
    });
    let captured = words(&found[0].memory[0][GUARD + LEAD..]);
    captured[..found[0].captured.written as usize * corners * WORDS].to_vec()
}

/// There is one point inside each patch, so there is only one way to divide it. Levels are powers of two, so that
/// native coordinates are exact.
const LEVELS: [[f32; 6]; 4] = [
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
    [4.0, 1.0, 8.0, 2.0, 2.0, 2.0],
    [1.0, 1.0, 1.0, 1.0, 2.0, 2.0],
    [8.0, 4.0, 2.0, 1.0, 2.0, 2.0],
];

#[test]
fn a_geometry_stage_follows() {
    for (domain, points) in [("quads", false), ("quads", true), ("isolines", false)] {
        let levels = LEVELS.to_vec();
        let modes = Modes { levels, points, ..modes(domain, "equal_spacing") };
        let corners = modes.corners();
        let native = Native::with_geometry(&modes, geometry(corners), CAPTURED);
        let expected = primitives(&native.capture(ITEM, NATIVE_ROOM), corners);
        assert!(!expected.is_empty());
        let mut pipeline = Pipeline::new(&modes);
        for driver in DRIVERS {
            let found = primitives(&capture(&pipeline, driver, corners), corners);
            assert!(found == expected, "{driver:?} {domain} {points}");
        }
        // Without the points of the patches, the result differs.
        let evaluation = &mut pipeline.evaluation;
        evaluation.words = patch(&evaluation.words, |line| {
            line.contains("%load_in_buffer %uint_0").then(String::new)
        });
        let found = capture(&pipeline, Driver::SwiftShader, corners);
        assert!(primitives(&found, corners) != expected, "{domain} {points}");
    }
}
