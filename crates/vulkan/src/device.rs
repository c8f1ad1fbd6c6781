use crate::capabilities::{self, Capabilities};
use crate::error::{Context, Error};
use crate::features::{self, Features};
use crate::format;
use crate::instance::{DeviceName, Instance};
use crate::pipelines::Pipelines;
use crate::validation::{Layer, Message};
use ash::{ext, khr, vk};
use std::ffi::{CStr, c_char};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The default time limit of a submission.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Whether the Khronos validation layer checks a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// The layer is off.
    Off,
    /// The layer and its synchronization checks are on. Opening a device fails if the layer is missing.
    On,
}

/// A device without a window.
///
/// The Vulkan loader finds the drivers: `VK_DRIVER_FILES` names their manifests, and `VK_LAYER_PATH` names the folder
/// of the validation layer's manifest.
pub struct Device {
    pub(crate) handle: ash::Device,
    pub(crate) transform_feedback: Option<ext::transform_feedback::Device>,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) queue_family: u32,
    pub(crate) queue: Mutex<Queue>,
    /// The pipelines of earlier runs, if they are kept.
    pub(crate) pipelines: Option<Pipelines>,
    pub(crate) time_limit: Duration,
    /// The preferred memory properties of buffers in addition to host visibility.
    pub(crate) buffers: vk::MemoryPropertyFlags,
    pub(crate) physical: vk::PhysicalDevice,
    capabilities: Capabilities,
    pub(crate) instance: ManuallyDrop<Instance>,
}

/// The queue, and whether a submission to it has exceeded its time limit.
pub(crate) struct Queue {
    pub(crate) handle: vk::Queue,
    pub(crate) hung: bool,
}

impl Device {
    /// Lists the devices in the loader's order.
    pub fn list() -> Result<Vec<DeviceName>, Error> {
        Instance::new(false)?.device_names()
    }

    /// Opens the first device whose name or driver name contains `name`, ignoring case; `""` opens the first device.
    pub fn open(name: &str, validation: Validation) -> Result<Device, Error> {
        let instance = Instance::new(validation == Validation::On)?;
        let physical = instance.find_device(name)?;
        let capabilities = capabilities::query(&instance, physical)?;

        // SAFETY: the device belongs to the instance.
        let (families, memory) = unsafe {
            let instance = &instance.handle;
            (
                instance.get_physical_device_queue_family_properties(physical),
                instance.get_physical_device_memory_properties(physical),
            )
        };
        let draws = |family: &vk::QueueFamilyProperties| {
            family.queue_flags.contains(vk::QueueFlags::GRAPHICS)
        };
        let Some(queue_family) = families.iter().position(draws) else {
            return Err(Error::Missing("a graphics queue"));
        };
        let queue_family = queue_family as u32;

        let handle = create_device(&instance, physical, queue_family, &capabilities)?;
        let transform_feedback = capabilities
            .transform_feedback
            .map(|_| ext::transform_feedback::Device::new(&instance.handle, &handle));
        // SAFETY: the device was created with one queue of this family.
        let queue = unsafe { handle.get_device_queue(queue_family, 0) };
        Ok(Device {
            handle,
            transform_feedback,
            memory,
            queue_family,
            queue: Mutex::new(Queue { handle: queue, hung: false }),
            pipelines: None,
            time_limit: TIME_LIMIT,
            buffers: vk::MemoryPropertyFlags::HOST_CACHED,
            physical,
            capabilities,
            instance: ManuallyDrop::new(instance),
        })
    }

    /// Sets the time limit of a submission; the default is 20 seconds.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// Keeps pipelines, so that later draws with equal states do not compile their shaders again.
    pub fn keep_pipelines(&mut self) {
        self.pipelines.get_or_insert_default();
    }

    /// Puts buffers into device-local memory that the host can map, if such memory exists. This memory is fast for the
    /// device, but slow for the host to read. By default, buffers are in memory that the host can read fast.
    pub fn keep_buffers_local(&mut self) {
        self.buffers = vk::MemoryPropertyFlags::DEVICE_LOCAL;
    }

    /// Whether the device is a software renderer on the host's processor.
    pub fn is_processor(&self) -> bool {
        // SAFETY: the device belongs to the instance.
        let properties =
            unsafe { self.instance.handle.get_physical_device_properties(self.physical) };
        properties.device_type == vk::PhysicalDeviceType::CPU
    }

    /// Whether vertex attributes can have this format.
    pub fn takes_vertex_format(&self, format: vk::Format) -> bool {
        let vertex_buffer = vk::FormatFeatureFlags::VERTEX_BUFFER;
        format::size(format).is_some() && self.format_features(format).1.contains(vertex_buffer)
    }

    /// The format features of images with optimal tiling, and of buffers.
    pub(crate) fn format_features(
        &self,
        format: vk::Format,
    ) -> (vk::FormatFeatureFlags, vk::FormatFeatureFlags) {
        // SAFETY: the device belongs to the instance.
        let properties = unsafe {
            self.instance.handle.get_physical_device_format_properties(self.physical, format)
        };
        (properties.optimal_tiling_features, properties.buffer_features)
    }

    /// Whether buffers have device addresses.
    pub(crate) fn has_addresses(&self) -> bool {
        self.capabilities.newer_features.vulkan_1_2.buffer_device_address == vk::TRUE
    }

    /// The capabilities of the device.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The validation layer that checks the device, if there is one.
    pub fn validation_layer(&self) -> Option<&Layer> {
        self.instance.layer.as_ref()
    }

    /// Returns the warnings and errors of the validation layer since the device was opened or since the last call.
    pub fn take_messages(&self) -> Vec<Message> {
        self.instance.log.take()
    }

    /// Closes the device and returns the remaining messages, including those about leaked objects.
    pub fn close(self) -> Vec<Message> {
        let log = self.instance.log.clone();
        drop(self);
        log.take()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if self.queue.get_mut().unwrap_or_else(PoisonError::into_inner).hung {
            // Waiting for a hung device would never return, so its objects are leaked.
            return;
        }
        // SAFETY: objects created from the device borrow it, so none is left; the queue is idle; nothing uses the
        // instance after this.
        unsafe {
            if let Some(pipelines) = &mut self.pipelines {
                pipelines.destroy(&self.handle);
            }
            self.handle.destroy_device(None);
            ManuallyDrop::drop(&mut self.instance);
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.capabilities.device).finish()
    }
}

/// Creates the logical device with all its capabilities enabled.
fn create_device(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    queue_family: u32,
    capabilities: &Capabilities,
) -> Result<ash::Device, Error> {
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family)
        .queue_priorities(&[1.0])];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_features(&capabilities.features);

    let Features { mut vulkan_1_1, mut vulkan_1_2, mut vulkan_1_3 } = capabilities.newer_features;
    if features::is_at_least(capabilities.api_version, vk::API_VERSION_1_2) {
        info = info.push_next(&mut vulkan_1_1).push_next(&mut vulkan_1_2);
    }
    if features::is_at_least(capabilities.api_version, vk::API_VERSION_1_3) {
        info = info.push_next(&mut vulkan_1_3);
    }

    // Structures of extensions.
    let mut transform_feedback = capabilities.transform_feedback.map(|has| {
        vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default()
            .transform_feedback(true)
            .geometry_streams(has.geometry_streams)
    });
    let mut provoking_vertex = capabilities.provoking_vertex.map(|has| {
        vk::PhysicalDeviceProvokingVertexFeaturesEXT::default()
            .provoking_vertex_last(has.last)
            .transform_feedback_preserves_provoking_vertex(has.preserved_by_capture)
    });
    let mut generated = capabilities.primitives_generated.map(|has| {
        vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default()
            .primitives_generated_query(true)
            .primitives_generated_query_with_rasterizer_discard(has.with_discard)
            .primitives_generated_query_with_non_zero_streams(has.with_streams)
    });
    let mut portability = capabilities.portability;
    let mut advanced_blend = capabilities.blending.native.map(|has| {
        vk::PhysicalDeviceBlendOperationAdvancedFeaturesEXT::default()
            .advanced_blend_coherent_operations(has.coherent)
    });
    let Capabilities { target_reads: reads, indexing, .. } = capabilities;
    let mut local = reads.local.then(|| {
        vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR::default()
            .dynamic_rendering_local_read(true)
    });
    let mut ordered = reads.ordered.then(|| {
        vk::PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT::default()
            .rasterization_order_color_attachment_access(true)
    });
    let uint8 = vk::PhysicalDeviceIndexTypeUint8FeaturesEXT::default().index_type_uint8(true);
    let mut uint8 = indexing.uint8.then_some(uint8);
    let mut list_restart = indexing.list_restart.then(|| {
        vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT::default()
            .primitive_topology_list_restart(true)
    });
    info = enable(info, &mut transform_feedback);
    info = enable(info, &mut provoking_vertex);
    info = enable(info, &mut generated);
    info = enable(info, &mut portability);
    info = enable(info, &mut advanced_blend);
    info = enable(info, &mut local);
    info = enable(info, &mut ordered);
    info = enable(info, &mut uint8);
    info = enable(info, &mut list_restart);

    let extensions = enabled_extensions(capabilities);
    let info = info.enabled_extension_names(&extensions);
    // SAFETY: the device supports everything that is enabled, and the structures of `info` outlive the call.
    unsafe { instance.handle.create_device(physical, &info, None) }.call("vkCreateDevice")
}

/// Adds a structure to the creation parameters of a device, if it is there.
fn enable<'i, T: vk::ExtendsDeviceCreateInfo>(
    info: vk::DeviceCreateInfo<'i>,
    structure: &'i mut Option<T>,
) -> vk::DeviceCreateInfo<'i> {
    match structure {
        Some(structure) => info.push_next(structure),
        None => info,
    }
}

fn enabled_extensions(capabilities: &Capabilities) -> Vec<*const c_char> {
    let Capabilities { target_reads: reads, indexing, .. } = capabilities;
    let with_features = [
        (capabilities.transform_feedback.is_some(), ext::transform_feedback::NAME),
        (capabilities.provoking_vertex.is_some(), ext::provoking_vertex::NAME),
        (capabilities.primitives_generated.is_some(), ext::primitives_generated_query::NAME),
        // Vulkan requires this extension to be enabled if the device supports it.
        (capabilities.portability.is_some(), khr::portability_subset::NAME),
        (capabilities.blending.native.is_some(), ext::blend_operation_advanced::NAME),
        (reads.local, khr::dynamic_rendering_local_read::NAME),
        (reads.ordered, ext::rasterization_order_attachment_access::NAME),
        (indexing.uint8, ext::index_type_uint8::NAME),
        (indexing.list_restart, ext::primitive_topology_list_restart::NAME),
    ];
    let with_features = with_features.into_iter().filter(|(has, _)| *has).map(|(_, name)| name);
    with_features.chain(capabilities.extensions.iter().copied()).map(CStr::as_ptr).collect()
}
