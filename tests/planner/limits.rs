//! The extension path and the planner refuse the same captures because of a device's limits, and each limit matters.

use polyshade::host::{self, Target};
use polyshade::spv::{ExecutionModel, Module};
use polyshade::transform_feedback::{self, Options};
use polyshade_planner::{
    self as planner, Active, Bound, Capture, Device, Draw, Emitted, Feedback, Pipeline, Preset,
    Topology, TransformFeedback,
};
use polyshade_tests::shader::{ShaderStage, compile};

/// Stream 1 is captured into buffers 0 and 2, and stream 0 into buffer 1. `PRIMITIVES` is replaced by the output
/// primitive.
const SHADER: &str = "#version 450
    layout(points) in;
    layout(PRIMITIVES, max_vertices = 2) out;
    layout(location = 0) out vec4 s_colour;
    layout(location = 1, stream = 1) out vec3 t_normal;
    layout(location = 2, stream = 1) out vec2 t_place;
    void main() {
        s_colour = vec4(1);
        gl_Position = vec4(0);
        EmitStreamVertex(0);
        t_normal = vec3(1);
        t_place = vec2(2);
        EmitStreamVertex(1);
    }";

const VARYINGS: [&str; 7] = [
    "gl_SkipComponents2",
    "t_normal",
    "gl_NextBuffer",
    "s_colour",
    "gl_SkipComponents4",
    "gl_NextBuffer",
    "t_place",
];

/// The lowest limits that the capture needs.
const ENOUGH: TransformFeedback = TransformFeedback {
    max_streams: 2,
    max_buffers: 3,
    max_buffer_size: 4096,
    max_stream_data: 28,
    max_buffer_data: 20,
    max_stride: 32,
    queries: false,
    draw: false,
    geometry_streams: true,
    streams_lines_triangles: true,
};

/// Returns the refusals of the extension path and of the planner.
fn refusals(primitives: &str, emitted: Emitted, has: TransformFeedback) -> [Option<String>; 2] {
    let source = SHADER.replace("PRIMITIVES", primitives);
    let words = compile(&source, ShaderStage::Geometry).expect("it compiles");
    let module = Module::parse(&words).expect("it parses");
    let mut limited = host::Device::default();
    limited.transform_feedback = Some(has);
    let target = Target::new("main").stage(ExecutionModel::GEOMETRY);
    let options = Options::new().interleaved(VARYINGS);
    let decorate = |target| transform_feedback::decorate(&module, target, &options);
    let refused = decorate(target.clone().device(limited)).err();

    let decorated = decorate(target).expect("no device is named");
    let pipeline = Pipeline {
        topology: Topology::PointList,
        geometry: Some(emitted),
        capture: Some(Capture::from(&decorated.result)),
        ..Pipeline::default()
    };
    let bound = Some(Bound { buffer: None, buffer_size: 4096, offset: 0, size: None });
    let active = Active { buffers: vec![bound; 3], ..Active::default() };
    let draw = Draw { feedback: Feedback::Active(active), ..Draw::default() };
    let device = Device { transform_feedback: Some(has), ..Device::from(Preset::Vulkan) };
    let unplanned = planner::plan(&device, &pipeline, &draw).err();
    [refused, unplanned].map(|error| error.map(|error| error.message().to_owned()))
}

#[test]
fn every_limit_is_one_of_both() {
    const POINTS: (&str, Emitted) = ("points", Emitted::Points);
    const LINES: (&str, Emitted) = ("line_strip", Emitted::LineStrips);
    for (primitives, emitted) in [POINTS, LINES] {
        assert_eq!(refusals(primitives, emitted, ENOUGH), [None, None]);
    }
    for ((primitives, emitted), less, name) in [
        (POINTS, TransformFeedback { max_streams: 1, ..ENOUGH }, "maxTransformFeedbackStreams"),
        (POINTS, TransformFeedback { max_buffers: 2, ..ENOUGH }, "maxTransformFeedbackBuffers"),
        (
            POINTS,
            TransformFeedback { max_stream_data: 27, ..ENOUGH },
            "maxTransformFeedbackStreamDataSize",
        ),
        (
            POINTS,
            TransformFeedback { max_buffer_data: 19, ..ENOUGH },
            "maxTransformFeedbackBufferDataSize",
        ),
        (
            POINTS,
            TransformFeedback { max_stride: 31, ..ENOUGH },
            "maxTransformFeedbackBufferDataStride",
        ),
        (POINTS, TransformFeedback { geometry_streams: false, ..ENOUGH }, "geometryStreams"),
        (
            LINES,
            TransformFeedback { streams_lines_triangles: false, ..ENOUGH },
            "transformFeedbackStreamsLinesTriangles",
        ),
    ] {
        for refused in refusals(primitives, emitted, less) {
            let refused =
                refused.unwrap_or_else(|| panic!("a plan is made although {name} is too low"));
            assert!(refused.contains(name), "{name}: {refused}");
        }
    }
    // Points do not need support for lines and triangles in several streams.
    let points = TransformFeedback { streams_lines_triangles: false, ..ENOUGH };
    assert_eq!(refusals(POINTS.0, POINTS.1, points), [None, None]);
}
