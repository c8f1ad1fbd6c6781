//! Devices with all features that streams can use.

use crate::loader::{Device, Instance};
use ash::{ext, vk};
use std::ffi::CStr;
use std::sync::Mutex;

pub(super) struct Able {
    pub(super) device: Device,
    pub(super) vertex_input: ext::vertex_input_dynamic_state::Device,
    pub(super) multi: Option<ext::multi_draw::Device>,
    pub(super) conditional: Option<ext::conditional_rendering::Device>,
    pub(super) counts_draws: bool,
    pub(super) numbers_draws: bool,
    /// Whether the driver captures.
    pub(super) is_native: bool,
    pub(super) has_geometry: bool,
    pub(super) has_divisors: bool,
    pub(super) counts_generated: bool,
    pub(super) max_push_constants: u32,
    /// The queue. Only one thread at a time may use it.
    pub(super) queue: Mutex<vk::Queue>,
}

/// The extensions that both drivers have.
const NEEDED: [&CStr; 7] = [
    ext::transform_feedback::NAME,
    ext::vertex_input_dynamic_state::NAME,
    ext::index_type_uint8::NAME,
    ext::primitive_topology_list_restart::NAME,
    ext::provoking_vertex::NAME,
    ash::khr::pipeline_library::NAME,
    ext::graphics_pipeline_library::NAME,
];

/// The extensions that only one driver has.
const WANTED: [&CStr; 5] = [
    ash::khr::portability_subset::NAME,
    ext::multi_draw::NAME,
    ext::vertex_attribute_divisor::NAME,
    ext::conditional_rendering::NAME,
    ext::primitives_generated_query::NAME,
];

/// The features of the optional extensions, if supported.
#[derive(Default)]
struct Optional {
    multi: vk::PhysicalDeviceMultiDrawFeaturesEXT<'static>,
    conditional: vk::PhysicalDeviceConditionalRenderingFeaturesEXT<'static>,
    generated: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>,
    divisors: vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT<'static>,
    portability: vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'static>,
}

impl Optional {
    fn add_to<'o>(
        &'o mut self,
        mut info: vk::DeviceCreateInfo<'o>,
        has: impl Fn(&CStr) -> bool,
    ) -> vk::DeviceCreateInfo<'o> {
        if has(ext::multi_draw::NAME) {
            self.multi.multi_draw = vk::TRUE;
            info = info.push_next(&mut self.multi);
        }
        if has(ext::conditional_rendering::NAME) {
            self.conditional.conditional_rendering = vk::TRUE;
            info = info.push_next(&mut self.conditional);
        }
        if has(ext::primitives_generated_query::NAME) {
            let generated = &mut self.generated;
            generated.primitives_generated_query = vk::TRUE;
            generated.primitives_generated_query_with_rasterizer_discard = vk::TRUE;
            info = info.push_next(generated);
        }
        if has(ext::vertex_attribute_divisor::NAME) {
            self.divisors.vertex_attribute_instance_rate_divisor = vk::TRUE;
            self.divisors.vertex_attribute_instance_rate_zero_divisor = vk::TRUE;
            info = info.push_next(&mut self.divisors);
        }
        if has(ash::khr::portability_subset::NAME) {
            self.portability.events = vk::TRUE;
            info = info.push_next(&mut self.portability);
        }
        info
    }
}

/// Returns whether draw counts may be in a buffer, and whether shaders may read the draw index.
fn draws(instance: &Instance, physical: vk::PhysicalDevice) -> [bool; 2] {
    let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
    let mut twelve = vk::PhysicalDeviceVulkan12Features::default();
    let mut all =
        vk::PhysicalDeviceFeatures2::default().push_next(&mut eleven).push_next(&mut twelve);
    // SAFETY: the device belongs to the instance.
    unsafe { instance.handle.get_physical_device_features2(physical, &mut all) };
    [twelve.draw_indirect_count, eleven.shader_draw_parameters].map(|has| has == vk::TRUE)
}

fn has_geometry(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    // SAFETY: the device belongs to the instance.
    let features = unsafe { instance.handle.get_physical_device_features(physical) };
    features.geometry_shader == vk::TRUE
}

impl Able {
    pub(super) fn new(instance: &Instance, driver: &str) -> Self {
        let listed = instance.extensions(driver);
        let has = |name: &CStr| listed.iter().any(|one| *one == name.to_string_lossy());
        let wanted = WANTED.into_iter().filter(|name| has(name));
        let names: Vec<_> = NEEDED.into_iter().chain(wanted).map(CStr::as_ptr).collect();
        let physical = instance.physical(driver);
        let [counts_draws, numbers_draws] = draws(instance, physical);
        // SAFETY: the device belongs to the instance.
        let properties = unsafe { instance.handle.get_physical_device_properties(physical) };
        let has_geometry = has_geometry(instance, physical);

        let enabled = vk::PhysicalDeviceFeatures::default()
            .geometry_shader(has_geometry)
            .shader_tessellation_and_geometry_point_size(has_geometry)
            .multi_draw_indirect(true)
            .draw_indirect_first_instance(true);
        let mut twelve =
            vk::PhysicalDeviceVulkan12Features::default().draw_indirect_count(counts_draws);
        let mut eleven =
            vk::PhysicalDeviceVulkan11Features::default().shader_draw_parameters(numbers_draws);
        let mut thirteen = vk::PhysicalDeviceVulkan13Features::default()
            .dynamic_rendering(true)
            .synchronization2(true);
        let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default()
            .transform_feedback(true)
            .geometry_streams(has_geometry);
        let mut input = vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT::default()
            .vertex_input_dynamic_state(true);
        let mut indices =
            vk::PhysicalDeviceIndexTypeUint8FeaturesEXT::default().index_type_uint8(true);
        let mut restart = vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT::default()
            .primitive_topology_list_restart(true);
        let mut provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default()
            .provoking_vertex_last(true)
            .transform_feedback_preserves_provoking_vertex(true);
        let mut libraries = vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT::default()
            .graphics_pipeline_library(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut optional = Optional::default();
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .enabled_features(&enabled)
            .push_next(&mut eleven)
            .push_next(&mut twelve)
            .push_next(&mut thirteen)
            .push_next(&mut feedback)
            .push_next(&mut input)
            .push_next(&mut indices)
            .push_next(&mut restart)
            .push_next(&mut provoking)
            .push_next(&mut libraries);
        let info = optional.add_to(info, has);
        // SAFETY: all structures live until the end of this function.
        let handle = unsafe { instance.handle.create_device(physical, &info, None) };
        let device = instance.with_commands(handle.expect("a device"), physical);
        let (above, below) = (&instance.handle, &device.handle);
        Self {
            vertex_input: ext::vertex_input_dynamic_state::Device::new(above, below),
            multi: has(ext::multi_draw::NAME).then(|| ext::multi_draw::Device::new(above, below)),
            conditional: has(ext::conditional_rendering::NAME)
                .then(|| ext::conditional_rendering::Device::new(above, below)),
            counts_draws,
            numbers_draws,
            is_native: false,
            has_geometry,
            has_divisors: has(ext::vertex_attribute_divisor::NAME),
            counts_generated: has(ext::primitives_generated_query::NAME),
            max_push_constants: properties.limits.max_push_constants_size,
            queue: Mutex::new(device.queue),
            device,
        }
    }
}
