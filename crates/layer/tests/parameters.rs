//! Built-ins that depend on the draw, tested with all kinds of draws.

use crate::bare::{Bare, Seen};
use crate::loader::{Device, Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use ash::{ext, vk};
use std::ffi::CStr;

/// With `PARAMETERS` defined, the device supports the draw parameters.
const SHADER: &str = "#extension GL_ARB_shader_draw_parameters : enable
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 20) flat out ivec2 numbers;
layout(location = 1, xfb_buffer = 0, xfb_offset = 8) flat out ivec3 parameters;
void main() {
    numbers = ivec2(gl_VertexIndex, gl_InstanceIndex);
#ifdef PARAMETERS
    parameters = ivec3(gl_BaseVertexARB, gl_BaseInstanceARB, gl_DrawIDARB);
#else
    parameters = ivec3(0);
#endif
    gl_Position = vec4(0);
    gl_PointSize = 1;
}";

/// The number of 32-bit values per vertex.
const CAPTURED: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum DrawCommand {
    Direct,
    Multi,
    Indirect,
    Counted,
    Bytes,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    kind: DrawCommand,
    indexed: bool,
    /// The first vertex, vertex offset and first instance of draws; 0 or more.
    first: u32,
    offset: i32,
    first_instance: u32,
}

/// The number of draws in a multi-draw, and the number of vertices in each draw.
const DRAWS: u32 = 3;
const COUNT: u32 = 2;

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        use DrawCommand::{Bytes, Counted, Direct, Indirect, Multi};
        let kinds = [Direct, Multi, Indirect, Counted, Bytes].into_iter();
        let kinds = kinds.flat_map(|kind| [false, true].map(|indexed| (kind, indexed)));
        let kinds = kinds.filter(|(kind, indexed)| *kind != Bytes || !indexed);
        kinds.flat_map(|(kind, indexed)| {
            (0..8).filter_map(move |bits: u32| {
                let first = 4 * (bits & 1);
                let offset = 100 * (bits >> 1 & 1).cast_signed();
                let case = Self { kind, indexed, first, offset, first_instance: 7 * (bits >> 2) };
                let is_valid = (indexed || offset == 0) && (kind != Bytes || first == 0);
                is_valid.then_some(case)
            })
        })
    }

    fn draws(&self) -> u32 {
        if matches!(self.kind, DrawCommand::Direct | DrawCommand::Bytes) { 1 } else { DRAWS }
    }

    /// lavapipe draws the first instance of all draws in a multi-draw, then the second instance of all draws.
    fn instances(&self) -> u32 {
        if self.kind == DrawCommand::Multi { 1 } else { 2 }
    }

    fn first(&self, draw: u32) -> u32 {
        self.first + 2 * draw
    }

    fn offset(&self, draw: u32) -> i32 {
        self.offset + draw.cast_signed()
    }

    /// Returns the expected values, on a device with or without all draw parameters.
    fn expected(&self, has_parameters: bool) -> Vec<u32> {
        let mut words = Vec::new();
        for draw in 0..self.draws() {
            for instance in 0..self.instances() {
                for vertex in self.first(draw)..self.first(draw) + COUNT {
                    let (number, base) = match self.indexed {
                        true => {
                            (index(vertex).cast_signed() + self.offset(draw), self.offset(draw))
                        }
                        false => (vertex.cast_signed(), self.first(draw).cast_signed()),
                    };
                    let number = number.cast_unsigned();
                    words.extend([number, self.first_instance + instance]);
                    let parameters = [base.cast_unsigned(), self.first_instance, draw];
                    words.extend(if has_parameters { parameters } else { [0; 3] });
                }
            }
        }
        words
    }

    fn arguments(&self, draw: u32) -> [u32; 5] {
        let (first, base) = (self.first(draw), self.first_instance);
        match self.indexed {
            true => [COUNT, self.instances(), first, self.offset(draw).cast_unsigned(), base],
            false => [COUNT, self.instances(), first, base, 0],
        }
    }
}

fn index(number: u32) -> u32 {
    3 * number + 1
}

struct Able {
    device: Device,
    multi: Option<ext::multi_draw::Device>,
    counts: bool,
    has_parameters: bool,
    max_push_constants: u32,
}

impl Able {
    fn new(instance: &Instance, driver: &str) -> Self {
        let physical = instance.physical(driver);
        let multi_draw = ext::multi_draw::NAME;
        let has_multi =
            instance.extensions(driver).contains(&multi_draw.to_string_lossy().into_owned());
        let names = [ext::transform_feedback::NAME, multi_draw].map(CStr::as_ptr);
        let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default();
        let mut all =
            vk::PhysicalDeviceFeatures2::default().push_next(&mut eleven).push_next(&mut twelve);
        // SAFETY: the device belongs to the instance.
        let properties = unsafe {
            instance.handle.get_physical_device_features2(physical, &mut all);
            instance.handle.get_physical_device_properties(physical)
        };
        let has_parameters = eleven.shader_draw_parameters == vk::TRUE;
        let counts = twelve.draw_indirect_count == vk::TRUE;
        let mut eleven =
            vk::PhysicalDeviceVulkan11Features::default().shader_draw_parameters(has_parameters);
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default().draw_indirect_count(counts);
        let mut multi = vk::PhysicalDeviceMultiDrawFeaturesEXT::default().multi_draw(has_multi);
        let mut feedback =
            vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().transform_feedback(true);
        let features = vk::PhysicalDeviceFeatures::default()
            .multi_draw_indirect(true)
            .draw_indirect_first_instance(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names[..if has_multi { 2 } else { 1 }])
            .enabled_features(&features)
            .push_next(&mut eleven)
            .push_next(&mut twelve)
            .push_next(&mut feedback);
        if has_multi {
            info = info.push_next(&mut multi);
        }
        // SAFETY: all structures live until the end of this function.
        let handle = unsafe { instance.handle.create_device(physical, &info, None) };
        let device = instance.with_commands(handle.expect("a device"), physical);
        let multi =
            has_multi.then(|| ext::multi_draw::Device::new(&instance.handle, &device.handle));
        let max_push_constants = properties.limits.max_push_constants_size;
        Self { device, multi, counts, has_parameters, max_push_constants }
    }

    fn can(&self, kind: DrawCommand) -> bool {
        match kind {
            DrawCommand::Multi => self.multi.is_some(),
            DrawCommand::Counted => self.counts,
            _ => true,
        }
    }
}

struct Scene<'a> {
    able: &'a Able,
    bare: Bare<'a>,
    pipeline: vk::Pipeline,
    target: Seen,
    indices: Seen,
    arguments: Seen,
    counter: Seen,
}

/// The stride of the draw arguments in bytes, and the offset of the draw count after them.
const STRIDE: u32 = 20;
const COUNT_AT: u64 = (DRAWS * STRIDE) as u64;

impl<'a> Scene<'a> {
    fn new(able: &'a Able, pushed: u32) -> Self {
        use vk::BufferUsageFlags as Usage;
        let mut bare = Bare::new(&able.device, pushed);
        let define = if able.has_parameters { "#define PARAMETERS\n" } else { "" };
        let source = format!("#version 450\n{define}{SHADER}");
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let pipeline = bare.pipeline(&source, vk::PrimitiveTopology::POINT_LIST, &input);
        let counter = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER;
        Self {
            able,
            pipeline,
            target: bare.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, CAPTURED * 16),
            indices: bare.buffer(Usage::INDEX_BUFFER, 16),
            arguments: bare.buffer(Usage::INDIRECT_BUFFER, COUNT_AT as usize / 4 + 1),
            counter: bare.buffer(counter, 1),
            bare,
        }
    }

    fn run(&self, case: &Case) -> Vec<u32> {
        self.target.fill(std::iter::repeat(7));
        self.indices.fill((0..16).map(index));
        self.arguments.fill((0..DRAWS).flat_map(|draw| case.arguments(draw)).chain([DRAWS]));
        self.counter.fill([8 * COUNT]);
        let vulkan = &self.able.device.handle;
        // SAFETY: all objects are alive, and the commands are valid usage.
        self.bare.submit(|commands| unsafe {
            self.bare.begin_pass(commands);
            vulkan.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            vulkan.cmd_bind_index_buffer(commands, self.indices.buffer, 0, vk::IndexType::UINT32);
            self.able.device.bind_target(commands, 0, &self.target);
            self.able.device.capture(commands, || self.draw(commands, case));
            vulkan.cmd_end_render_pass(commands);
        });
        self.target.read()
    }

    unsafe fn draw(&self, commands: vk::CommandBuffer, case: &Case) {
        let vulkan = &self.able.device.handle;
        let (arguments, draws, base) = (self.arguments.buffer, case.draws(), case.first_instance);
        let (first, offset, instances) = (case.first, case.offset, case.instances());
        // SAFETY: guaranteed by the caller.
        unsafe {
            match (case.kind, case.indexed) {
                (DrawCommand::Direct, false) => {
                    vulkan.cmd_draw(commands, COUNT, instances, first, base);
                }
                (DrawCommand::Direct, true) => {
                    vulkan.cmd_draw_indexed(commands, COUNT, instances, first, offset, base);
                }
                (DrawCommand::Multi, indexed) => self.draw_multi(commands, case, indexed),
                (DrawCommand::Indirect, false) => {
                    vulkan.cmd_draw_indirect(commands, arguments, 0, draws, STRIDE);
                }
                (DrawCommand::Indirect, true) => {
                    vulkan.cmd_draw_indexed_indirect(commands, arguments, 0, draws, STRIDE);
                }
                (DrawCommand::Counted, false) => vulkan.cmd_draw_indirect_count(
                    commands, arguments, 0, arguments, COUNT_AT, draws, STRIDE,
                ),
                (DrawCommand::Counted, true) => vulkan.cmd_draw_indexed_indirect_count(
                    commands, arguments, 0, arguments, COUNT_AT, draws, STRIDE,
                ),
                (DrawCommand::Bytes, _) => {
                    let draw = self.able.device.feedback.fp().cmd_draw_indirect_byte_count_ext;
                    draw(commands, instances, base, self.counter.buffer, 0, 0, 8);
                }
            }
        }
    }

    unsafe fn draw_multi(&self, commands: vk::CommandBuffer, case: &Case, indexed: bool) {
        let multi = self.able.multi.as_ref().expect("devices without it draw none").fp();
        let (instances, base) = (case.instances(), case.first_instance);
        let plain: Vec<_> = (0..DRAWS)
            .map(|draw| vk::MultiDrawInfoEXT {
                first_vertex: case.first(draw),
                vertex_count: COUNT,
            })
            .collect();
        let over_indices: Vec<_> = (0..DRAWS)
            .map(|draw| vk::MultiDrawIndexedInfoEXT {
                first_index: case.first(draw),
                index_count: COUNT,
                vertex_offset: case.offset(draw),
            })
            .collect();
        // SAFETY: guaranteed by the caller.
        unsafe {
            match indexed {
                false => (multi.cmd_draw_multi_ext)(
                    commands,
                    DRAWS,
                    plain.as_ptr(),
                    instances,
                    base,
                    size_of::<vk::MultiDrawInfoEXT>() as u32,
                ),
                true => (multi.cmd_draw_multi_indexed_ext)(
                    commands,
                    DRAWS,
                    over_indices.as_ptr(),
                    instances,
                    base,
                    size_of::<vk::MultiDrawIndexedInfoEXT>() as u32,
                    std::ptr::null(),
                ),
            }
        }
    }
}

#[test]
fn built_ins_of_the_draw_are_captured_as_by_the_driver() {
    let hide: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];
    let native = Instance::with_layers(&[], &[]);
    let forced = Instance::new(hide, Validation::Below);
    let other = Instance::new(&[], Validation::Below);
    let devices = [
        ("native", Able::new(&native, LAVAPIPE)),
        ("emulated", Able::new(&forced, LAVAPIPE)),
        (SWIFTSHADER, Able::new(&other, SWIFTSHADER)),
    ];
    for (name, able) in &devices {
        for pushed in [0, able.max_push_constants] {
            let scene = Scene::new(able, pushed);
            for case in Case::all().filter(|case| able.can(case.kind)) {
                let (words, expected) = (scene.run(&case), case.expected(able.has_parameters));
                let (captured, rest) = words.split_at(expected.len());
                assert_eq!(captured, expected, "{name} {pushed} {case:?}");
                assert!(rest.iter().all(|word| *word == 7), "{name} {pushed} {case:?}");
            }
        }
    }
    drop(devices);
    forced.assert_silent();
    other.assert_silent();
}
