//! Captures by the layer on drivers that do not capture.

use crate::bare::Bare;
use crate::draws::{VERTEX, capture_behind, capture_often, draw};
use crate::graphics;
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use ash::{ext, vk};
use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use std::ffi::{CStr, CString};

const FORCED: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

/// The drivers, with the settings that make the layer capture.
const CAPTURED: [(&str, Settings<'_>); 2] = [(SWIFTSHADER, &[]), (LAVAPIPE, FORCED)];

#[test]
fn a_triangle_is_captured_counted_and_drawn_as_by_the_driver() {
    let native = draw(&Instance::new(&[], Validation::Below), LAVAPIPE);
    assert_eq!(native.captured[..3], [0, 1, 2]);
    for (driver, settings) in CAPTURED {
        for validation in [Validation::Above, Validation::Below] {
            let instance = Instance::new(settings, validation);
            let drawn = draw(&instance, driver);
            assert_eq!(drawn.captured, native.captured, "{driver}");
            // Drivers differ in the availability of the second query, which was never begun.
            assert_eq!(drawn.results[..3], native.results[..3], "{driver}: written, needed, there");
            assert_eq!(drawn.copied[..2], native.copied[..2], "{driver}: the same by commands");
            assert_ne!(drawn.copied[2], 0, "{driver}: it is available");
            assert_eq!(drawn.pixels, native.pixels, "{driver}");
            assert_eq!(instance.messages()[..], [""; 0], "{driver} {validation:?}");
        }
    }
}

#[test]
fn what_a_device_lacks_is_provided_by_itself() {
    let instance = Instance::new(&[], Validation::Below);
    assert!(instance.lists_feedback(SWIFTSHADER));
    let names = instance.extensions(SWIFTSHADER);
    assert!(names.iter().any(|name| name == "VK_EXT_primitives_generated_query"));
    let mut generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut generated);
    let physical = instance.physical(SWIFTSHADER);
    // SAFETY: the device belongs to the instance.
    unsafe { instance.handle.get_physical_device_features2(physical, &mut all) };
    assert_eq!(generated.primitives_generated_query, vk::TRUE);
    assert_eq!(generated.primitives_generated_query_with_non_zero_streams, vk::FALSE);
    instance.assert_silent();
}

/// Returns a setting with a computed value.
fn setting(name: &'static CStr, value: &str) -> (&'static CStr, &'static CStr) {
    (name, Box::leak(CString::new(value).expect("it has no 0").into_boxed_c_str()))
}

#[test]
fn shaders_of_captures_are_written_before_and_after() {
    let folder = tempfile::tempdir().expect("a folder");
    let dump = folder.path().join("shaders");
    let dump_setting = setting(c"dump", &dump.to_string_lossy());
    let drawn = draw(&Instance::new(&[FORCED[0], dump_setting], Validation::Below), LAVAPIPE);
    assert_eq!(drawn.captured[..3], [0, 1, 2]);
    let stores = |which: &str| {
        let path = dump.join(format!("0000-TriangleList.{which}.spv"));
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
            .collect();
        let module = polyshade::Module::parse(&words).expect("it is SPIR-V");
        module.into_words().len()
    };
    assert!(stores("after") > 2 * stores("before"), "the capture is in the second");
    let plan = std::fs::read_to_string(dump.join("0000-TriangleList.plan.txt"));
    let plan = plan.expect("it is beside them");
    for line in [
        "entry point main, TriangleList: the pipeline fetches attributes",
        "feedback buffer 0: 4 bytes a vertex",
        "parameters, address:push-constant=8:",
        "  byte   0: ",
    ] {
        assert!(plan.lines().any(|one| one.starts_with(line)), "{line}: {plan}");
    }
}

#[test]
fn pipelines_outside_of_the_range_draw_and_capture_nothing() {
    let native = draw(&Instance::new(&[], Validation::Below), LAVAPIPE);
    for (range, captured) in [("0-3", [0, 1, 2]), ("1", [7; 3])] {
        let settings = [FORCED[0], setting(c"pipelines", range)];
        let drawn = draw(&Instance::new(&settings, Validation::Below), LAVAPIPE);
        assert_eq!(drawn.captured[..3], captured, "{range}");
        // The image does not show the missing draw by byte count.
        if range == "1" {
            assert_eq!(drawn.pixels, native.pixels);
        }
    }
}

#[test]
fn what_cannot_be_captured_is_drawn_or_refused() {
    let refuses = setting(c"refuse", "on");
    let of_portability = setting(c"portability", "on");
    let words = graphics::words(VERTEX);
    let branches = GEOMETRY.replace("EmitVertex()", "if (gl_PrimitiveIDIn > 0) EmitVertex()");
    let [geometry, varying] = [GEOMETRY, &branches].map(|source| {
        let words = graphics::compiled(source, ShaderStage::Geometry);
        [(vk::ShaderStageFlags::GEOMETRY, words)]
    });
    let refused = Err(vk::Result::ERROR_UNKNOWN);
    for (settings, of_constants, of_geometry) in [
        (&[FORCED[0], of_portability][..], Ok(()), Ok(())),
        (&[FORCED[0], of_portability, refuses], refused, refused),
        (&[FORCED[0], refuses], Ok(()), refused),
    ] {
        let instance = Instance::new(settings, Validation::Below);
        let features = vk::PhysicalDeviceFeatures::default().geometry_shader(true);
        let device = instance.device_able(LAVAPIPE, features);
        let physical = instance.physical(LAVAPIPE);
        // SAFETY: the device belongs to the instance.
        let properties = unsafe { instance.handle.get_physical_device_properties(physical) };
        // With full push constants, the addresses are in a vertex buffer with stride 0, if the device supports such a
        // stride.
        let range = vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::VERTEX)
            .size(properties.limits.max_push_constants_size);
        for (vertex, later, ranges, expected) in [
            (&words, &[][..], &[][..], Ok(())),
            (&words, &[], &[range], of_constants),
            // A geometry stage reads its address from push constants.
            (&words, &geometry, &[], Ok(())),
            (&words, &geometry, &[range], of_geometry),
            (&words, &varying, &[], Ok(())),
            // A shader without captured outputs captures nothing, which is correct.
            (&without_outputs(), &[], &[], Ok(())),
        ] {
            let stages = later.len();
            let made = pipeline(&device, vertex, later, ranges);
            assert_eq!(made, expected, "{settings:?} {ranges:?} {stages}");
        }
        instance.assert_silent();
    }
}

/// Draw parameters have fixed addresses, and a secondary command buffer has a limited number of copies.
#[test]
fn what_passes_execute_several_times_is_captured_as_often() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, passes) in [&[2, 1][..], &[1, 3, 0, 1], &[4], &[5, 1]].into_iter().enumerate() {
        let native = capture_often(&Instance::new(&[], Validation::Below), LAVAPIPE, passes);
        let executions: usize = passes.iter().sum();
        let expected: Vec<u32> =
            (0..executions).flat_map(|_| 0..3).chain([7; 16]).take(16).collect();
        // The last primitive does not fit into the buffer.
        let whole = executions.min(5) * 3;
        assert_eq!(native[..whole], expected[..whole], "{passes:?}");
        for (driver, settings) in CAPTURED {
            let log = folder.path().join(format!("{driver} {number}"));
            let settings = [settings, &[setting(c"log_file", &log.to_string_lossy())]].concat();
            let instance = Instance::new(&settings, Validation::Below);
            let captured = capture_often(&instance, driver, passes);
            let messages = std::fs::read_to_string(&log).unwrap_or_default();
            let often =
                "error: a secondary command buffer is executed too many times in a render pass";
            let too_often = usize::from(passes.contains(&5));
            assert_eq!(messages.matches(often).count(), too_often, "{messages}");
            let whole = (executions - too_often) * 3;
            assert_eq!(captured[..whole], native[..whole], "{driver} {passes:?}");
            assert_eq!(captured[whole..], [7; 16][whole..], "{driver} {passes:?}");
            instance.assert_silent();
        }
    }
}

/// There are more draws than one shader invocation of lavapipe can count in a loop.
#[test]
fn a_triangle_is_captured_behind_many_draws() {
    for (driver, settings) in CAPTURED {
        let instance = Instance::new(settings, Validation::Below);
        let (captured, counter) = capture_behind(&instance, driver, 6000);
        assert_eq!(captured[..4], [100, 101, 102, 7], "{driver}");
        assert_eq!(counter, 12, "{driver}");
        instance.assert_silent();
    }
}

/// Captures at the end of a vertex. GLSL's compiler accepts no larger vertex.
const WIDE: &str = "#version 450
layout(location = 0, xfb_buffer = 3, xfb_offset = 0, xfb_stride = 256) out uint begin;
layout(location = 1, xfb_buffer = 3, xfb_offset = 248) out uvec2 end;
void main() { gl_PointSize = 1; begin = gl_VertexIndex; end = uvec2(10, 20) + gl_VertexIndex; }";

/// Returns the shader with the largest vertex that the layer reports.
fn wide() -> Vec<u32> {
    let mut words = graphics::words(WIDE);
    let mut at = 5;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        if words[at] & 0xffff == 71 && length == 4 {
            match &mut words[at + 2..at + 4] {
                [37, stride] => *stride = 2048,
                [35, offset @ 248] => *offset = 2040,
                _ => {}
            }
        }
        at += length;
    }
    words
}

#[test]
fn the_last_bytes_of_the_largest_vertex_are_captured() {
    let words = wide();
    for (driver, settings) in CAPTURED {
        let instance = Instance::new(settings, Validation::Below);
        let (_, properties) = instance.feedback(driver);
        assert_eq!(properties.max_transform_feedback_buffer_data_size, 2048);
        let device = instance.device(driver, true).expect("a device");
        let mut bare = Bare::new(&device, 0);
        let points = vk::PrimitiveTopology::POINT_LIST;
        let drawing = graphics::Drawing::new(&words, points);
        let pipeline = bare.pipeline_of(drawing, &Default::default());
        let target = bare.buffer(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, 1024);
        let (vulkan, feedback) = (&device.handle, device.feedback.fp());
        // SAFETY: all objects are alive, and the arguments are valid.
        bare.submit(|commands| unsafe {
            bare.begin_pass(commands);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            let (buffer, none) = (target.buffer, std::ptr::null());
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 3, 1, &raw const buffer, &raw const ZERO, none);
            device.capture(commands, || vulkan.cmd_draw(commands, 2, 1, 0, 0));
            vulkan.cmd_end_render_pass(commands);
        });
        let mut expected = vec![7; 1024];
        for vertex in 0..2 {
            expected[512 * vertex] = vertex as u32;
            expected[512 * vertex + 510] = 10 + vertex as u32;
            expected[512 * vertex + 511] = 20 + vertex as u32;
        }
        assert_eq!(target.read(), expected, "{driver}");
        instance.assert_silent();
    }
}

static ZERO: u64 = 0;

/// Emits to two vertex streams; the second stream is only captured.
const STREAMS: &str = "#version 450
layout(points) in;
layout(points, max_vertices = 3) out;
layout(location = 0, stream = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out float drawn;
layout(location = 1, stream = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 4) out float captured;
void main() {
    gl_Position = gl_in[0].gl_Position;
    gl_PointSize = 1.0;
    drawn = 1.0;
    EmitStreamVertex(0);
    EndStreamPrimitive(0);
    captured = 2.0;
    EmitStreamVertex(1);
    EndStreamPrimitive(1);
    drawn = 3.0;
    EmitStreamVertex(0);
}";

/// Several vertex streams need geometry stages.
#[test]
fn vertex_streams_are_offered_with_geometry_stages() {
    let hidden = [(c"hide", c"VK_EXT_transform_feedback,geometryShader")];
    for (settings, expected) in [(FORCED, (vk::TRUE, 4)), (&hidden, (vk::FALSE, 1))] {
        let instance = Instance::new(settings, Validation::Below);
        let (features, properties) = instance.feedback(LAVAPIPE);
        let found = (features.geometry_streams, properties.max_transform_feedback_streams);
        assert_eq!(found, expected, "{settings:?}");
        instance.assert_silent();
    }
}

#[test]
fn vertex_streams_do_not_reach_a_driver_that_is_not_asked_for_them() {
    let words = compile(STREAMS, ShaderStage::Geometry, SpirvVersion::SPIRV1_0);
    let words = words.expect("it compiles");
    let count = |words: &[u32], ops: [u16; 2]| {
        let module = polyshade::Module::parse(words).expect("it is SPIR-V");
        ops.map(|op| module.instructions().filter(|inst| inst.op().0 == op).count())
    };
    let (of_streams, plain) = ([220, 221], [218, 219]);
    assert_eq!(count(&words, of_streams), [3, 2]);
    let parsed = polyshade::Module::parse(&words).expect("it is SPIR-V");
    let stripped = polyshade::transform_feedback::strip(&parsed, 0).expect("it can be stripped");
    assert_eq!(count(stripped.words(), of_streams), [0, 0]);
    assert_eq!(count(stripped.words(), plain), [2, 1], "what the first stream has is drawn");

    // The validation layer checks that the device enables the capabilities of shaders.
    let instance = Instance::new(FORCED, Validation::Below);
    let device = instance.device_able(
        LAVAPIPE,
        vk::PhysicalDeviceFeatures {
            geometry_shader: vk::TRUE,
            shader_tessellation_and_geometry_point_size: vk::TRUE,
            ..Default::default()
        },
    );
    let info = vk::ShaderModuleCreateInfo::default().code(&words);
    // SAFETY: the words are SPIR-V.
    unsafe {
        let module = device.handle.create_shader_module(&info, None).expect("a module");
        device.handle.destroy_shader_module(module, None);
    }
    instance.assert_silent();
}

/// Captures a point for each triangle.
const GEOMETRY: &str = "#version 450
layout(triangles) in; layout(points, max_vertices = 1) out;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out float captured;
void main() { captured = 1; EmitVertex(); }";

/// Returns the shader with execution mode `Xfb`, but without the decorations `XfbBuffer`, `XfbStride` and `Offset`.
fn without_outputs() -> Vec<u32> {
    let words = graphics::words(VERTEX);
    let (mut kept, mut at) = (words[..5].to_vec(), 5);
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        if words[at] & 0xffff != 71 || !(35..38).contains(&words[at + 2]) {
            kept.extend(&words[at..at + length]);
        }
        at += length;
    }
    assert!(words.len() - kept.len() >= 12, "three decorations of four words");
    kept
}

/// Creates a capturing pipeline whose layout has these push constant ranges, and destroys it.
fn pipeline(
    device: &Device,
    words: &[u32],
    later: &[(vk::ShaderStageFlags, Vec<u32>)],
    ranges: &[vk::PushConstantRange],
) -> Result<(), vk::Result> {
    let vulkan = &device.handle;
    let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
    let shader = graphics::Drawing::new(words, topology).with(later);
    // SAFETY: all structures are valid, and created objects are destroyed.
    unsafe {
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(ranges);
        let layout = vulkan.create_pipeline_layout(&info, None)?;
        let pass = graphics::pass(device, 0);
        let made = graphics::pipeline(device, &shader, &Default::default(), pass, layout);
        vulkan.destroy_pipeline(made.unwrap_or_default(), None);
        vulkan.destroy_render_pass(pass, None);
        vulkan.destroy_pipeline_layout(layout, None);
        made.map(drop)
    }
}

#[test]
fn what_is_listed_of_provoking_vertices_can_be_asked_for_without_capturing() {
    for (driver, settings) in CAPTURED {
        let instance = Instance::new(settings, Validation::Below);
        let physical = instance.physical(driver);
        let mut provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut provoking);
        // SAFETY: the device belongs to the instance.
        unsafe { instance.handle.get_physical_device_features2(physical, &mut all) };
        assert_eq!(provoking.transform_feedback_preserves_provoking_vertex, vk::TRUE, "{driver}");
        provoking.p_next = std::ptr::null_mut();
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        for names in [
            &[ext::provoking_vertex::NAME][..],
            &[ext::provoking_vertex::NAME, ext::transform_feedback::NAME],
        ] {
            let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names)
                .push_next(&mut provoking);
            // SAFETY: all structures live until the device is created.
            let device = unsafe { instance.handle.create_device(physical, &info, None) };
            // SAFETY: the device has no objects.
            unsafe { device.expect("it has what is listed").destroy_device(None) };
        }
        instance.assert_silent();
    }
}
