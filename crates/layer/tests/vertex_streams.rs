//! Vertex streams of geometry stages: rasterized ones, and lines in several streams.

use crate::bare::Bare;
use crate::graphics::{Drawing, compiled, words};
use crate::loader::{Instance, LAVAPIPE, Settings, Validation};
use ash::vk;
use polyshade_formats::ShaderStage;

const HIDDEN: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

const VERTEX: &str = "#version 450
void main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1; }";

/// Emits two points to stream 0 and three to stream 1. The built-in outputs belong to stream `DRAWN`.
const POINTS: &str = "#version 450
layout(points) in;
layout(points, max_vertices = 5) out;
layout(stream = DRAWN) out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
layout(location = 0, stream = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint first;
layout(location = 1, stream = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 4) out uint second;
void main() {
    for (uint i = 0; i < 5; ++i) {
        gl_Position = vec4(0, 0, 0, 1);
        gl_PointSize = 1;
        if (i % 2 == 1) {
            first = 10 * gl_PrimitiveIDIn + i;
            EmitStreamVertex(0);
        } else {
            second = 10 * gl_PrimitiveIDIn + i;
            EmitStreamVertex(1);
        }
    }
}";

/// Emits a strip of three vertices to stream 0, and two strips, of two and three vertices, to stream 1.
const LINES: &str = "#version 450
layout(points) in;
layout(line_strip, max_vertices = 8) out;
layout(location = 0, stream = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out uint first;
layout(location = 1, stream = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 4) out uint second;
void main() {
    for (uint i = 0; i < 5; ++i) {
        if (i < 3) {
            first = i;
            EmitStreamVertex(0);
        }
        second = 10 + i;
        EmitStreamVertex(1);
        if (i == 1) EndStreamPrimitive(1);
    }
}";

/// Draws two points, and returns the two captured buffers and the number of samples that pass.
fn drawn(instance: &Instance, geometry: &str, stream: Option<u32>) -> ([Vec<u32>; 2], u32) {
    let features = vk::PhysicalDeviceFeatures {
        geometry_shader: vk::TRUE,
        occlusion_query_precise: vk::TRUE,
        shader_tessellation_and_geometry_point_size: vk::TRUE,
        ..Default::default()
    };
    let device = instance.device_able(LAVAPIPE, features);
    let mut bare = Bare::new(&device, 0);
    let stage = vk::ShaderStageFlags::GEOMETRY;
    let later = [(stage, compiled(geometry, ShaderStage::Geometry))];
    let vertex = words(VERTEX);
    let drawing = Drawing::new(&vertex, vk::PrimitiveTopology::POINT_LIST);
    let drawing = Drawing { rasterizes: true, stream, ..drawing.with(&later) };
    let pipeline = bare.pipeline_of(drawing, &Default::default());
    let usage = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
    let targets = [(); 2].map(|()| bare.buffer(usage, 14));
    let vulkan = &device.handle;
    let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION);
    let mut samples = [0_u32];
    // SAFETY: all objects are created, used, waited for and destroyed in this order.
    unsafe {
        let queries = vulkan.create_query_pool(&info.query_count(1), None).expect("a query");
        bare.submit(|commands| {
            vulkan.cmd_reset_query_pool(commands, queries, 0, 1);
            bare.begin_pass(commands);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            for (number, target) in (0..).zip(&targets) {
                device.bind_target(commands, number, target);
            }
            vulkan.cmd_begin_query(commands, queries, 0, vk::QueryControlFlags::PRECISE);
            device.capture(commands, || vulkan.cmd_draw(commands, 2, 1, 0, 0));
            vulkan.cmd_end_query(commands, queries, 0);
            vulkan.cmd_end_render_pass(commands);
        });
        let flags = vk::QueryResultFlags::WAIT;
        vulkan.get_query_pool_results(queries, 0, &mut samples, flags).expect("a result");
        vulkan.destroy_query_pool(queries, None);
    }
    (targets.map(|target| target.read()), samples[0])
}

/// Returns the values, and the initial values of the rest of a buffer.
fn filled(values: &[u32]) -> Vec<u32> {
    values.iter().copied().chain(std::iter::repeat(7)).take(14).collect()
}

/// The driver lacks the feature, so the expected numbers are those of the emitted points.
#[test]
fn the_selected_stream_is_rasterized() {
    let instance = Instance::new(HIDDEN, Validation::Below);
    let (_, properties) = instance.feedback(LAVAPIPE);
    assert_eq!(properties.transform_feedback_rasterization_stream_select, vk::TRUE);
    let captured = [filled(&[1, 3, 11, 13]), filled(&[0, 2, 4, 10, 12, 14])];
    for (of_outputs, stream, samples) in
        [("0", None, 4), ("0", Some(0), 4), ("1", Some(1), 6), ("0", Some(2), 0)]
    {
        let geometry = POINTS.replace("DRAWN", of_outputs);
        let found = drawn(&instance, &geometry, stream);
        assert_eq!(found, (captured.clone(), samples), "stream {stream:?}");
    }
    instance.assert_silent();
}

/// Strips of each stream are captured as separate lines. The driver supports only points in several streams.
#[test]
fn several_streams_have_lines() {
    let instance = Instance::new(HIDDEN, Validation::Below);
    let (_, properties) = instance.feedback(LAVAPIPE);
    assert_eq!(properties.transform_feedback_streams_lines_triangles, vk::TRUE);
    let (captured, _) = drawn(&instance, LINES, Some(2));
    let (first, second) = ([0, 1, 1, 2], [10, 11, 12, 13, 13, 14]);
    assert_eq!(captured, [filled(&[first; 2].concat()), filled(&[second; 2].concat())]);
    instance.assert_silent();
}
