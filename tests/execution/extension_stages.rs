//! On lavapipe, the extension's captures from tessellation evaluation and geometry stages equal the model: decorated
//! and copied outputs, at every emit, into the buffers of their vertex streams.

use crate::controls;
use crate::drivers::Driver;
use crate::extension::{decorate, options};
use crate::feedback::{Capture, Case, native_draw};
use crate::glsl;
use crate::memory::{bytes, floats};
use crate::noise::Noise;
use crate::shaders::{Shader, Varyings};
use crate::sweep;
use polyshade::host::Feature;
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_vulkan::model::{self, BufferLayout, Topology, Value};
use polyshade_vulkan::{ProvokingVertex, Stage, Work, vk};

/// The stages before the captured stage, and the topology of the draw.
pub(crate) struct Ahead {
    pub(crate) stages: &'static [(ShaderStage, &'static str)],
    topology: vk::PrimitiveTopology,
    patch_control_points: u32,
}

impl Ahead {
    pub(crate) fn compiled(&self) -> Vec<(ShaderStage, Vec<u32>)> {
        let compiled =
            |(stage, source)| (stage, glsl::stage(stage, source, "", SpirvVersion::SPIRV1_3));
        self.stages.iter().copied().map(compiled).collect()
    }
}

/// Returns lavapipe's capture of `vertices` vertices.
#[track_caller]
fn run(
    ahead: &Ahead,
    stage: (ShaderStage, &[u32]),
    vertices: u32,
    layout: &[BufferLayout],
    case: &Case,
) -> Capture {
    let compiled = ahead.compiled();
    let mut work = Work::default();
    let mut draw = native_draw(stage.1, layout, case, &mut work);
    draw.stages =
        compiled.iter().map(|(kind, words)| Stage::new(glsl::flags(*kind), words)).collect();
    draw.stages.push(Stage::new(glsl::flags(stage.0), stage.1));
    draw.topology = ahead.topology;
    draw.patch_control_points = ahead.patch_control_points;
    (draw.vertices, draw.instances) = (0..vertices, 0..1);
    work.draws.push(draw);
    let outcome = Driver::Lavapipe.run(&work);
    let captured = outcome.captured[0].expect("the feature is used");
    Capture { memory: outcome.buffers[..layout.len()].to_vec(), captured }
}

/// Returns a draw of strips or points for the model, with one instance for each input primitive.
fn case(topology: Topology, emitted: u32, primitives: u32) -> Case {
    let draw = model::Draw {
        topology,
        provoking_vertex: ProvokingVertex::First,
        vertices: 0..emitted,
        instances: 0..primitives,
    };
    Case { draw, room: vec![emitted * primitives * 3 + 2; 4], reached: 0 }
}

pub(crate) const POINTS: Ahead = Ahead {
    stages: &[(
        ShaderStage::Vertex,
        "#version 450
        layout(location = 0) flat out uint v_index;
        void main() { v_index = gl_VertexIndex; gl_Position = vec4(0); gl_PointSize = 1.0; }",
    )],
    topology: vk::PrimitiveTopology::POINT_LIST,
    patch_control_points: 0,
};

/// Emits one strip of five vertices for each point, in a function and in a loop.
const STRIPS: Shader = Shader {
    source: r"
        #version 450
        layout(points) in;
        layout(triangle_strip, max_vertices = 5) out;
        layout(location = 0) flat in uint v_index[];
        struct Pair { vec2 a; float b; };
        layout(location = 0) flat out uvec2 g_index;
        layout(location = 1) out vec2 g_list[3];
        layout(location = 4) out Pair g_pair;
        layout(location = 6, component = 1) out vec2 g_packed;
        layout(location = 6, component = 3) out float g_neighbour;
        layout(location = 7) flat out double g_double;
        void write(uint k) {
            float f = float(v_index[0] * 16u + k);
            g_index = uvec2(v_index[0], k);
            for (int i = 0; i < 3; ++i)
                g_list[i] = vec2(f, float(i));
            g_pair = Pair(vec2(f, 2), -f);
            g_packed = vec2(3, f);
            g_neighbour = 99.0;
            g_double = double(f) + 0.5lf;
            gl_Position = vec4(f, 1, 2, 3);
        }
        void last() {
            write(4u);
            EmitVertex();
        }
        void main() {
            for (uint k = 0u; k < 4u; ++k) {
                write(k);
                EmitVertex();
            }
            last();
        }",
    outputs: &[
        ("g_index", 2),
        ("g_list[1]", 2),
        ("g_pair.a", 2),
        ("g_pair.b", 1),
        ("g_packed", 2),
        ("g_double", 2),
        ("gl_Position", 4),
    ],
};

/// Returns the output of `STRIPS` for vertex `k` of the input point `input`.
fn strip_value(name: &str, k: u32, input: u32) -> Vec<u8> {
    let f = (input * 16 + k) as f32;
    match name {
        "g_index" => bytes(&[input, k]),
        "g_list[1]" => floats(&[f, 1.0]),
        "g_pair.a" => floats(&[f, 2.0]),
        "g_pair.b" => floats(&[-f]),
        "g_packed" => floats(&[3.0, f]),
        "g_double" => (f64::from(f) + 0.5).to_ne_bytes().to_vec(),
        "gl_Position" => floats(&[f, 1.0, 2.0, 3.0]),
        other => panic!("no value of {other}"),
    }
}

fn values(layout: &[BufferLayout], value: impl Fn(&str) -> Vec<u8>) -> Vec<Value> {
    let varyings = layout.iter().enumerate().flat_map(|(buffer, layout)| {
        layout.varyings.iter().map(move |(name, offset)| (buffer, name, *offset as usize))
    });
    varyings.map(|(buffer, name, offset)| Value { buffer, offset, bytes: value(name) }).collect()
}

const EVERYTHING: Varyings = Varyings::Interleaved(
    "g_pair.b g_double g_list[1] gl_SkipComponents2 gl_NextBuffer gl_Position g_packed gl_NextBuffer g_index g_pair.a",
);

/// Checks the captures of `STRIPS` against the model, with enough and too little space. Returns the number of copies.
#[track_caller]
fn strips_are_right(varyings: Varyings) -> usize {
    let layout = STRIPS.layout(varyings);
    let words = STRIPS.plain_stage(ShaderStage::Geometry);
    let decorated = decorate(&words, &options(varyings));
    let ample = case(Topology::TriangleStrip, 5, 4);
    // Space for a strip and for two triangles of the next strip.
    let tight = Case { room: vec![15; 4], ..ample.clone() };
    for case in [ample, tight] {
        let stage = (ShaderStage::Geometry, decorated.module.words());
        let found = run(&POINTS, stage, 4, &layout, &case);
        let expected =
            case.model(&layout, |k, input| values(&layout, |name| strip_value(name, k, input)));
        assert!(found == expected, "{varyings:?} {case:?}\n{found:02x?}\n{expected:02x?}");
    }
    decorated.result.locations.len()
}

#[test]
fn geometry_stages_are_captured_at_each_emit() {
    for (varyings, copies) in [
        (EVERYTHING, 3),
        (Varyings::Interleaved("g_packed gl_Position g_index"), 0),
        (Varyings::Separate("g_list[1] g_double g_pair.b"), 2),
    ] {
        assert_eq!(strips_are_right(varyings), copies, "{varyings:?}");
    }
}

#[test]
fn an_emit_without_its_copy_is_noticed() {
    let varyings = Varyings::Interleaved("g_list[1]");
    let layout = STRIPS.layout(varyings);
    let words = STRIPS.plain_stage(ShaderStage::Geometry);
    let options = options(varyings);
    let words = decorate(&words, &options).module.into_words();
    let mut dropped = false;
    let broken = controls::patch(&words, |line| {
        let is_copy = line.contains("OpFunctionCall %void %polyshade_hand_on");
        (is_copy && !std::mem::replace(&mut dropped, true)).then(String::new)
    });
    let case = case(Topology::TriangleStrip, 5, 4);
    let expected = case.model(&layout, |k, i| values(&layout, |name| strip_value(name, k, i)));
    assert!(run(&POINTS, (ShaderStage::Geometry, &words), 4, &layout, &case) == expected);
    assert!(run(&POINTS, (ShaderStage::Geometry, &broken), 4, &layout, &case) != expected);
}

/// Emits one vertex to stream 0 and two vertices to stream 1 for each point.
pub(crate) const STREAMS: Shader = Shader {
    source: r"
        #version 450
        layout(points) in;
        layout(points, max_vertices = 3) out;
        layout(location = 0) flat in uint v_index[];
        layout(stream = 0) out;
        layout(location = 0) flat out uvec2 s_index;
        layout(location = 1) flat out uvec3 s_list[2];
        layout(stream = 1) out;
        layout(location = 3) flat out uint t_index;
        layout(location = 4) flat out uvec2 t_list[2];
        void main() {
            for (uint k = 0u; k < 2u; ++k) {
                t_index = v_index[0];
                t_list[0] = uvec2(0);
                t_list[1] = uvec2(k, 7);
                EmitStreamVertex(1);
                EndStreamPrimitive(1);
            }
            s_index = uvec2(v_index[0], 5);
            s_list[0] = uvec3(0);
            s_list[1] = uvec3(1, 2, v_index[0]);
            gl_Position = vec4(0);
            gl_PointSize = 1.0;
            EmitStreamVertex(0);
            EndStreamPrimitive(0);
        }",
    outputs: &[("s_index", 2), ("s_list[1]", 3), ("t_index", 1), ("t_list[1]", 2)],
};

#[test]
fn vertex_streams_go_to_their_buffers() {
    let varyings = Varyings::Interleaved("t_list[1] t_index gl_NextBuffer s_list[1] s_index");
    let layout = STREAMS.layout(varyings);
    let words = STREAMS.plain_stage(ShaderStage::Geometry);
    let options = options(varyings);
    // The decorations and the requirements.
    let decorated = decorate(&words, &options);
    assert_eq!(
        (decorated.result.streams.as_slice(), decorated.result.locations.len()),
        (&[1, 0][..], 2)
    );
    assert!(decorated.requirements.features.contains(&Feature::GeometryStreams));

    // The captures, compared with the model for each stream.
    let all = case(Topology::PointList, 1, 6);
    let stage = (ShaderStage::Geometry, decorated.module.words());
    let mut bound = all.clone();
    bound.room = vec![14, 14];
    let found = run(&POINTS, stage, 6, &layout, &bound);
    for (buffer, emitted) in [(0, 2), (1, 1)] {
        let mut case = case(Topology::PointList, emitted, 6);
        case.room = vec![14];
        let layout = &layout[buffer..=buffer];
        let expected = case.model(layout, |k, input| {
            values(layout, |name| match name {
                "s_index" => bytes(&[input, 5]),
                "s_list[1]" => bytes(&[1, 2, input]),
                "t_index" => bytes(&[input]),
                _ => bytes(&[k, 7]),
            })
        });
        assert!(
            found.memory[buffer] == expected.memory[0],
            "{buffer}\n{:02x?}\n{:02x?}",
            found.memory[buffer],
            expected.memory[0]
        );
    }
}

pub(crate) const PATCHES: Ahead = Ahead {
    stages: &[
        (
            ShaderStage::Vertex,
            "#version 450
            layout(location = 0) out float v_vertex;
            void main() { v_vertex = float(gl_VertexIndex); gl_Position = vec4(0); }",
        ),
        (
            ShaderStage::TessellationControl,
            "#version 450
            layout(vertices = 2) out;
            layout(location = 0) in float v_vertex[];
            layout(location = 0) out float c_vertex[];
            void main() {
                c_vertex[gl_InvocationID] = v_vertex[gl_InvocationID];
                gl_TessLevelOuter[0] = 1.0;
                gl_TessLevelOuter[1] = 4.0;
            }",
        ),
    ],
    topology: vk::PrimitiveTopology::PATCH_LIST,
    patch_control_points: 2,
};

/// Emits five points along each patch of two vertices.
pub(crate) const LINES: Shader = Shader {
    source: r"
        #version 450
        layout(isolines, equal_spacing, point_mode) in;
        layout(location = 0) in float c_vertex[];
        layout(location = 0) out vec2 e_list[2];
        layout(location = 2) out Block { float e_along; vec3 e_other; };
        void main() {
            e_along = mix(c_vertex[0], c_vertex[1], gl_TessCoord.x);
            e_other = vec3(1, 2, e_along);
            e_list[0] = vec2(0);
            e_list[1] = vec2(e_along, -e_along);
            gl_Position = vec4(e_along, 0, 0, 1);
            gl_PointSize = 1.0;
            if (gl_TessCoord.x > 0.6)
                return;
            e_list[1].y = 5.0;
        }",
    outputs: &[("e_list[1]", 2), ("e_along", 1), ("e_other", 3), ("gl_Position", 4)],
};

/// Returns the output of `LINES` for a point of a patch.
fn line_value(name: &str, point: u32, patch: u32) -> Vec<u8> {
    let along = point as f32 / 4.0;
    let f = patch as f32 * 2.0 + along;
    match name {
        "e_along" => floats(&[f]),
        "e_list[1]" => floats(&[f, if along > 0.6 { -f } else { 5.0 }]),
        "e_other" => floats(&[1.0, 2.0, f]),
        _ => floats(&[f, 0.0, 0.0, 1.0]),
    }
}

/// Checks the extension's captures of `LINES` against the model. Returns the number of copies.
#[track_caller]
fn lines_are_right(varyings: Varyings) -> usize {
    let layout = LINES.layout(varyings);
    let options = options(varyings);
    let words = LINES.plain_stage(ShaderStage::TessellationEvaluation);
    let decorated = decorate(&words, &options);
    let case = case(Topology::PointList, 5, 3);
    let stage = (ShaderStage::TessellationEvaluation, decorated.module.words());
    let mut found = run(&PATCHES, stage, 6, &layout, &case);
    let mut expected =
        case.model(&layout, |point, patch| values(&layout, |name| line_value(name, point, patch)));
    assert_eq!(found.captured, expected.captured);
    // The order of the points of a patch depends on the driver; the patches are in order.
    for memory in [&mut found.memory, &mut expected.memory] {
        for (memory, layout) in memory.iter_mut().zip(&layout) {
            let start = crate::feedback::GUARD + crate::feedback::LEAD;
            let stride = layout.stride as usize;
            for patch in memory[start..start + 15 * stride].chunks_mut(5 * stride) {
                let mut points: Vec<Vec<u8>> = patch.chunks(stride).map(Vec::from).collect();
                points.sort();
                patch.copy_from_slice(&points.concat());
            }
        }
    }
    assert!(found == expected, "{varyings:?}\n{found:02x?}\n{expected:02x?}");
    decorated.result.locations.len()
}

#[test]
fn tessellation_evaluation_stages_are_captured() {
    for (varyings, copies) in [
        (Varyings::Interleaved("e_along e_list[1] gl_NextBuffer gl_Position"), 1),
        (Varyings::Interleaved("gl_Position gl_SkipComponents1 e_other"), 0),
    ] {
        assert_eq!(lines_are_right(varyings), copies, "{varyings:?}");
    }
}

/// Random lists of names, in both stages.
#[test]
fn anything_goes_in_later_stages() {
    let mut noise = Noise::new();
    for _ in 0..12 {
        strips_are_right(sweep::varyings(&mut noise, &STRIPS));
        lines_are_right(sweep::varyings(&mut noise, &LINES));
    }
}
