use crate::capabilities::{self, Capabilities};
use crate::error::{Context, Error};
use crate::instance::Instance;
use crate::validation::{Layer, Message};
use ash::{ext, vk};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};

/// Whether the Khronos validation layer watches a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// It does not.
    Off,
    /// It does, with its checks of synchronization; where there is none, the device is not opened.
    On,
}

/// A device without a window.
///
/// Which drivers there are to choose from is up to the Vulkan loader: `VK_DRIVER_FILES` names their manifests,
/// `VK_LAYER_PATH` the folder of the validation layer's.
pub struct Device {
    pub(crate) handle: ash::Device,
    pub(crate) transform_feedback: Option<ext::transform_feedback::Device>,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) queue_family: u32,
    pub(crate) queue: Mutex<Queue>,
    capabilities: Capabilities,
    instance: ManuallyDrop<Instance>,
}

/// The one queue, and whether it still answers.
pub(crate) struct Queue {
    pub(crate) handle: vk::Queue,
    pub(crate) hung: bool,
}

impl Device {
    /// Opens the first device whose name, or whose driver's name, contains `name`, upper or lower case.
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

        let handle = create(&instance, physical, queue_family, &capabilities)?;
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
            capabilities,
            instance: ManuallyDrop::new(instance),
        })
    }

    /// What the device can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The validation layer that watches the device, if one does.
    pub fn validation_layer(&self) -> Option<&Layer> {
        self.instance.layer.as_ref()
    }

    /// The warnings and errors of the validation layer since the device was opened, or since the last call.
    pub fn take_messages(&self) -> Vec<Message> {
        self.instance.log.take()
    }

    /// Closes the device and returns the messages that are left, with those about objects that were leaked.
    pub fn close(self) -> Vec<Message> {
        let log = self.instance.log.clone();
        drop(self);
        log.take()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if self.queue.get_mut().unwrap_or_else(PoisonError::into_inner).hung {
            // Waiting for a hung device would hang us too: what it uses is leaked.
            return;
        }
        // SAFETY: everything made from the device borrows it, so nothing is left, the queue is idle, and the
        // instance is not used again.
        unsafe {
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

/// Creates the logical device, with everything enabled that it is capable of.
fn create(
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

    let mut extensions = Vec::new();
    let mut transform_feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
    if let Some(has) = capabilities.transform_feedback {
        transform_feedback =
            transform_feedback.transform_feedback(true).geometry_streams(has.geometry_streams);
        info = info.push_next(&mut transform_feedback);
        extensions.push(ext::transform_feedback::NAME.as_ptr());
    }
    let mut provoking_vertex = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default();
    if let Some(has) = capabilities.provoking_vertex {
        provoking_vertex = provoking_vertex
            .provoking_vertex_last(has.last)
            .transform_feedback_preserves_provoking_vertex(has.preserved_by_capture);
        info = info.push_next(&mut provoking_vertex);
        extensions.push(ext::provoking_vertex::NAME.as_ptr());
    }

    let info = info.enabled_extension_names(&extensions);
    // SAFETY: what is enabled was found, and what `info` points to lives until the end of this function.
    unsafe { instance.handle.create_device(physical, &info, None) }.call("vkCreateDevice")
}
