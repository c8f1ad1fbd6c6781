//! Tests commands, structures, flags, extensions and versions that are newer than the tested drivers.

mod driver;

use crate::alone::is_alone;
use crate::bare::{Bare, Seen};
use crate::graphics::{Drawing, area, with_info, words};
use crate::linked::linked;
use crate::loader::{Device, Instance, LAVAPIPE};
use ash::{ext, vk};
use driver::{
    BOUND, DESTROYED, FLAGS, KNOWN, LOCATIONS, RESET, UNKNOWN, VERSION, get_instance_proc_addr,
};
use std::ffi::{CStr, CString};
use std::sync::PoisonError;

/// Captures a vertex attribute and a push constant.
const SHADER: &str = "#version 450
layout(location = 0) in uint vertex;
layout(push_constant) uniform Pushed { uint pushed; };
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 8) out uvec2 captured;
void main() {
    captured = uvec2(vertex, pushed);
    gl_Position = vec4(0);
}";

/// The way in which a test sets the vertex buffer strides.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Strides {
    InThePipeline,
    /// By binding other buffers first. The older command, or the newer command without strides, then binds the
    /// buffers.
    BoundBefore,
    NullBehind,
    /// By dynamic vertex input, and then again when binding the buffers.
    AfterInput,
}

/// The commands that record a draw.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    strides: Strides,
    /// Whether buffers have only the newer usage flags.
    newer_usages: bool,
    /// The names of the commands that push constants, bind indices, and end rendering.
    names: Option<[&'static CStr; 3]>,
    /// Whether the push constants have no space for addresses.
    is_full: bool,
}

/// The number of 32-bit values in a buffer.
const WORDS: usize = 32;

fn buffer(bare: &mut Bare<'_>, usage: vk::BufferUsageFlags, is_newer: bool, words: &[u32]) -> Seen {
    let newer = vk::BufferUsageFlags2KHR::from_raw(usage.as_raw().into());
    let mut newer = vk::BufferUsageFlags2CreateInfoKHR::default().usage(newer);
    let info = vk::BufferCreateInfo::default();
    let info = if is_newer { info.push_next(&mut newer) } else { info.usage(usage) };
    let seen = bare.buffer_of(&info, WORDS);
    seen.fill(words.iter().copied());
    seen
}

/// Creates a device with all features that the tests need.
fn able(instance: &Instance) -> Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let names = [ext::transform_feedback::NAME, ext::vertex_input_dynamic_state::NAME];
    let names = names.map(CStr::as_ptr);
    let mut rendering =
        vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let mut feedback =
        vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().transform_feedback(true);
    let mut input = vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT::default()
        .vertex_input_dynamic_state(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .push_next(&mut rendering)
        .push_next(&mut feedback)
        .push_next(&mut input);
    let physical = instance.physical(LAVAPIPE);
    // SAFETY: all structures live until the end of this function.
    let handle = unsafe { instance.handle.create_device(physical, &info, None) };
    instance.with_commands(handle.expect("a device"), physical)
}

fn pipeline(device: &Device, layout: vk::PipelineLayout, strides: Strides) -> vk::Pipeline {
    let is_dynamic = strides != Strides::InThePipeline;
    let stride = if is_dynamic { 4 } else { 8 };
    let bindings = [vk::VertexInputBindingDescription::default().stride(stride)];
    let attributes = [vk::VertexInputAttributeDescription::default().format(vk::Format::R32_UINT)];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    // Dynamic strides replace a wrong static stride.
    let states =
        [vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE, vk::DynamicState::VERTEX_INPUT_EXT];
    let states = match strides {
        Strides::InThePipeline => &[],
        Strides::BoundBefore | Strides::NullBehind => &states[..1],
        Strides::AfterInput => &states[..],
    };
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(states);
    let mut locations =
        vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(&LOCATIONS);
    let mut inputs = vk::RenderingInputAttachmentIndexInfoKHR::default()
        .color_attachment_input_indices(&LOCATIONS);
    let vertex = words(SHADER);
    let drawing = Drawing::new(&vertex, vk::PrimitiveTopology::POINT_LIST);
    let drawing = Drawing { rendered: Some(0), side: Some(1), ..drawing };
    let objects = (vk::RenderPass::null(), layout);
    let made = with_info(device, &drawing, &input, objects, |info| {
        let mut info = info.flags(FLAGS).push_next(&mut locations).push_next(&mut inputs);
        if is_dynamic {
            info = info.dynamic_state(&dynamic);
        }
        // SAFETY: the structures are valid.
        unsafe { device.handle.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) }
    });
    made.expect("modules").expect("a pipeline")[0]
}

macro_rules! newer {
    ($instance:expr, $device:expr, $name:expr, $Pfn:ident) => {{
        let found = $device.command($instance, $name).unwrap_or_else(|| panic!("{:?}", $name));
        std::mem::transmute::<usize, vk::$Pfn>(found)
    }};
}

/// Binds the buffer with a stride of 8 bytes.
unsafe fn bind_vertices(
    instance: &Instance,
    device: &Device,
    commands: vk::CommandBuffer,
    strides: Strides,
    [vertices, others]: [vk::Buffer; 2],
) {
    let vulkan = &device.handle;
    let older = |buffer| {
        // SAFETY: the bound objects are alive.
        unsafe { vulkan.cmd_bind_vertex_buffers(commands, 0, &[buffer], &[0]) };
    };
    let newer = |buffer, strides| {
        // SAFETY: as above.
        unsafe { vulkan.cmd_bind_vertex_buffers2(commands, 0, &[buffer], &[0], None, strides) };
    };
    match strides {
        Strides::InThePipeline => older(vertices),
        Strides::BoundBefore => {
            newer(others, Some(&[8]));
            older(vertices);
        }
        Strides::NullBehind => {
            newer(others, Some(&[8]));
            newer(vertices, None);
        }
        Strides::AfterInput => {
            let binding = vk::VertexInputBindingDescription2EXT::default().stride(4).divisor(1);
            let attribute =
                vk::VertexInputAttributeDescription2EXT::default().format(vk::Format::R32_UINT);
            let input = ext::vertex_input_dynamic_state::Device::new(&instance.handle, vulkan);
            // SAFETY: as above.
            unsafe { input.cmd_set_vertex_input(commands, &[binding], &[attribute]) };
            newer(vertices, Some(&[8]));
        }
    }
}

/// Pushes the value 42, and binds the first index buffer.
unsafe fn push_and_bind(
    instance: &Instance,
    device: &Device,
    commands: vk::CommandBuffer,
    way: Way,
    layout: vk::PipelineLayout,
    [indices, other_indices]: [vk::Buffer; 2],
) {
    let (vulkan, stage) = (&device.handle, vk::ShaderStageFlags::VERTEX);
    // SAFETY: the bound objects are alive.
    unsafe {
        let bytes = 42_u32.to_ne_bytes();
        let index_type = vk::IndexType::UINT16;
        if let Some([push, bind, _]) = way.names {
            // The previous index buffer must not be read.
            vulkan.cmd_bind_index_buffer(commands, other_indices, 0, index_type);
            let push = newer!(instance, device, push, PFN_vkCmdPushConstants2KHR);
            let info = vk::PushConstantsInfoKHR::default();
            push(commands, &info.layout(layout).stage_flags(stage).offset(0).values(&bytes));
            let bind = newer!(instance, device, bind, PFN_vkCmdBindIndexBuffer2KHR);
            bind(commands, indices, 0, 6, index_type);
        } else {
            vulkan.cmd_push_constants(commands, layout, stage, 0, &bytes);
            vulkan.cmd_bind_index_buffer(commands, indices, 0, index_type);
        }
    }
}

/// Draws twice, and captures into the two halves of the target. The query covers the first draw.
unsafe fn draw(
    instance: &Instance,
    device: &Device,
    commands: vk::CommandBuffer,
    way: Way,
    queries: vk::QueryPool,
    target: vk::Buffer,
) {
    let (vulkan, none) = (&device.handle, vk::QueryControlFlags::empty());
    // SAFETY: all objects are alive.
    unsafe {
        let info = vk::RenderingInfo::default().render_area(area(1)).layer_count(1);
        let feedback = device.feedback.fp();
        let end =
            way.names.map(|names| newer!(instance, device, names[2], PFN_vkCmdBeginRendering));
        for offset in [0_u64, 32] {
            vulkan.cmd_begin_rendering(commands, &info);
            let size = 32_u64;
            let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
            bind(commands, 0, 1, &raw const target, &raw const offset, &raw const size);
            if offset == 0 {
                (feedback.cmd_begin_query_indexed_ext)(commands, queries, 0, none, 0);
            }
            device.capture(commands, || vulkan.cmd_draw_indexed(commands, 3, 1, 0, 0, 0));
            if offset == 0 {
                (feedback.cmd_end_query_indexed_ext)(commands, queries, 0, 0);
            }
            match end {
                Some(end) => end(commands, std::ptr::null()),
                None => vulkan.cmd_end_rendering(commands),
            }
        }
    }
}

/// Captures the vertices 5, 2 and 9 with two draws. Returns them and the result of a query reset only at its creation.
fn captured(instance: &Instance, way: Way) -> (Vec<u32>, [u32; 2]) {
    use vk::BufferUsageFlags as Usage;
    let device = able(instance);
    let vulkan = &device.handle;
    let physical = instance.physical(LAVAPIPE);
    // SAFETY: all objects are created, used, waited for and destroyed in this order.
    unsafe {
        let numbers: Vec<u32> = (0..32).map(|word| 100 + word / 2).collect();
        let indices = [5 | 2 << 16, 9];
        let mut bare = Bare::new(&device, 0);
        let mut of = |usage, words: &[u32]| buffer(&mut bare, usage, way.newer_usages, words);
        let buffers = [
            of(Usage::VERTEX_BUFFER, &numbers),
            of(Usage::VERTEX_BUFFER, &[7; WORDS]),
            of(Usage::INDEX_BUFFER, &indices),
            of(Usage::INDEX_BUFFER, &[0; WORDS]),
            of(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &[7; WORDS]),
        ];
        let [vertices, others, indices, other_indices, target] = buffers.map(|one| one.buffer);
        let limits = instance.handle.get_physical_device_properties(physical).limits;
        let size = if way.is_full { limits.max_push_constants_size } else { 4 };
        let stage_flags = vk::ShaderStageFlags::VERTEX;
        let ranges = [vk::PushConstantRange { stage_flags, offset: 0, size }];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        let layout = vulkan.create_pipeline_layout(&info, None).expect("a layout");
        let pipeline = pipeline(&device, layout, way.strides);
        let info = vk::QueryPoolCreateInfo::default()
            .flags(RESET)
            .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
            .query_count(1);
        let queries = vulkan.create_query_pool(&info, None).expect("queries");
        bare.submit(|commands| {
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            bind_vertices(instance, &device, commands, way.strides, [vertices, others]);
            push_and_bind(instance, &device, commands, way, layout, [indices, other_indices]);
            draw(instance, &device, commands, way, queries, target);
        });
        let captured = buffers[4].read()[..16].to_vec();
        let mut results = [[9_u32; 2]];
        let wait = vk::QueryResultFlags::WAIT;
        vulkan.get_query_pool_results(queries, 0, &mut results, wait).expect("a result");

        vulkan.destroy_query_pool(queries, None);
        // An application may destroy a layout before its pipeline, but the driver must get the calls in the opposite
        // order.
        vulkan.destroy_pipeline_layout(layout, None);
        vulkan.destroy_pipeline(pipeline, None);
        assert_eq!(*DESTROYED.lock().unwrap_or_else(PoisonError::into_inner), "a layout");
        (captured, results[0])
    }
}

#[test]
fn newer_commands_structures_and_flags_are_those_that_they_stand_for() {
    if !is_alone("newer::newer_commands_structures_and_flags_are_those_that_they_stand_for") {
        return;
    }
    let instance = linked(get_instance_proc_addr, &[(c"hide", c"VK_EXT_transform_feedback")]);
    let plain =
        Way { strides: Strides::InThePipeline, newer_usages: false, names: None, is_full: false };
    let named = |names| Way { names: Some(names), ..plain };
    let strided = |strides| Way { strides, ..plain };
    let [push, bind, end] =
        [c"vkCmdPushConstants2", c"vkCmdBindIndexBuffer2", c"vkCmdEndRendering2EXT"];
    let ways = [
        plain,
        Way { newer_usages: true, ..plain },
        named([push, bind, end]),
        named([c"vkCmdPushConstants2KHR", c"vkCmdBindIndexBuffer2KHR", c"vkCmdEndRendering2KHR"]),
        strided(Strides::BoundBefore),
        strided(Strides::NullBehind),
        strided(Strides::AfterInput),
    ];
    let once = [105, 42, 102, 42, 109, 42, 7, 7];
    let expected = ([once, once].concat(), [3, 3]);
    let both = ways.iter().flat_map(|way| [false, true].map(|is_full| Way { is_full, ..*way }));
    let all = both.map(|way| (way, captured(&instance, way)));
    assert_eq!(all.filter(|(_, got)| *got != expected).collect::<Vec<_>>(), []);
}

/// A pipeline that no draw needs is not bound again: its static state would replace dynamic state that the application
/// has set for the next pipeline.
#[test]
fn captures_in_a_row_bind_each_pipeline_once() {
    if !is_alone("newer::captures_in_a_row_bind_each_pipeline_once") {
        return;
    }
    let instance = linked(get_instance_proc_addr, &[(c"hide", c"VK_EXT_transform_feedback")]);
    let device = able(&instance);
    let (vulkan, point) = (&device.handle, vk::PipelineBindPoint::GRAPHICS);
    let mut bare = Bare::new(&device, 4);
    use vk::BufferUsageFlags as Usage;
    let [vertices, target] = [Usage::VERTEX_BUFFER, Usage::TRANSFORM_FEEDBACK_BUFFER_EXT]
        .map(|usage| bare.buffer(usage, WORDS));
    let [one, other] =
        [Strides::InThePipeline; 2].map(|strides| pipeline(&device, bare.layout, strides));
    let info = vk::RenderingInfo::default().render_area(area(1)).layer_count(1);
    // SAFETY: all objects are alive, and the commands are not submitted.
    unsafe {
        bare.record(|commands| {
            vulkan.cmd_begin_rendering(commands, &info);
            vulkan.cmd_bind_vertex_buffers(commands, 0, &[vertices.buffer], &[0]);
            let stage = vk::ShaderStageFlags::VERTEX;
            vulkan.cmd_push_constants(commands, bare.layout, stage, 0, &[0; 4]);
            device.bind_target(commands, 0, &target);
            for pipeline in [one, other] {
                vulkan.cmd_bind_pipeline(commands, point, pipeline);
                for _ in 0..2 {
                    device.capture(commands, || vulkan.cmd_draw(commands, 3, 1, 0, 0));
                }
            }
            vulkan.cmd_end_rendering(commands);
        });
        let bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert_eq!((bound.len(), bound[0], bound[2]), (4, one, other), "{bound:?}");
        assert!(bound[1] != one && bound[3] != other && bound[1] != bound[3], "{bound:?}");

        [one, other].into_iter().for_each(|pipeline| vulkan.destroy_pipeline(pipeline, None));
    }
}

#[test]
fn versions_extensions_and_commands_that_nobody_knows_are_hidden() {
    if !is_alone("newer::versions_extensions_and_commands_that_nobody_knows_are_hidden") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let path = CString::new(log.to_string_lossy().into_owned()).expect("it has no 0");
    let path: &'static CStr = Box::leak(path.into_boxed_c_str());
    let settings = [(c"log_level", c"info"), (c"log_file", path)];
    let listed = |instance: &Instance| {
        let names = instance.extensions(LAVAPIPE);
        let is_listed = |name: &CStr| names.iter().any(|one| name.to_str() == Ok(one));
        (KNOWN.map(is_listed), UNKNOWN.map(is_listed), names)
    };
    let version = |instance: &Instance| {
        let physical = instance.physical(LAVAPIPE);
        let mut newer = vk::PhysicalDeviceProperties2::default();
        // SAFETY: the device belongs to the instance.
        unsafe {
            instance.handle.get_physical_device_properties2(physical, &mut newer);
            let older = instance.handle.get_physical_device_properties(physical);
            let newer = newer.properties.api_version;
            [older.api_version, newer].map(|one| (vk::api_version_minor(one), one == VERSION))
        }
    };

    let native = linked(get_instance_proc_addr, &settings);
    let (known, unknown, of_driver) = listed(&native);
    assert_eq!((known, unknown, version(&native)), ([true; 2], [true; 2], [(5, true); 2]));
    drop(native);
    let hide = (c"hide", c"VK_EXT_transform_feedback");
    let instance = linked(get_instance_proc_addr, &[settings[0], settings[1], hide]);
    let (known, unknown, names) = listed(&instance);
    assert_eq!((known, unknown, version(&instance)), ([true; 2], [false; 2], [(4, false); 2]));
    let hidden = of_driver.iter().filter(|one| !names.contains(one)).map(String::as_str);
    let unknown = UNKNOWN.map(|name| name.to_str().expect("it is ASCII"));
    let of_lavapipe = "VK_EXT_multisampled_render_to_single_sampled";
    assert_eq!(hidden.collect::<Vec<_>>(), [of_lavapipe, unknown[0], unknown[1]]);
    listed(&instance);
    let messages = std::fs::read_to_string(&log).expect("there is a log");
    let line = "VK_KHR_device_address_commands, VK_EXT_of_tomorrow, versions of Vulkan after 1.4";
    assert_eq!(messages.matches(line).count(), 1, "{messages}");

    let refused = instance.device_with(LAVAPIPE, &[ext::transform_feedback::NAME, UNKNOWN[1]]);
    assert_eq!(refused.err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    let device = able(&instance);
    let is_there = |name| device.command(&instance, name).is_some();
    assert!(is_there(c"vkCmdDispatch") && is_there(c"vkCmdPushConstants2"));
    assert!(is_there(c"vkCmdBeginTransformFeedbackEXT") && !is_there(c"vkCmdDrawTomorrowEXT"));
}
