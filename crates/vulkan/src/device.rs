use crate::capabilities::{self, Capabilities};
use crate::error::Error;
use crate::features;
use crate::format;
use crate::instance::{DeviceName, Instance};
use crate::validation::{Layer, Message};
use ash::{ext, vk};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a submission may take, unless the caller says otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(20);

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
    pub(crate) time_limit: Duration,
    pub(crate) physical: vk::PhysicalDevice,
    capabilities: Capabilities,
    pub(crate) instance: ManuallyDrop<Instance>,
}

/// The one queue, and whether it still answers.
pub(crate) struct Queue {
    pub(crate) handle: vk::Queue,
    pub(crate) hung: bool,
}

impl Device {
    /// The devices that there are, in the loader's order.
    pub fn list() -> Result<Vec<DeviceName>, Error> {
        Instance::new(false)?.device_names()
    }

    /// Opens the first device whose name, or whose driver's name, contains `name`, upper or lower case: `""` is the
    /// first of all.
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

        let handle = features::create_device(&instance, physical, queue_family, &capabilities)?;
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
            time_limit: TIME_LIMIT,
            physical,
            capabilities,
            instance: ManuallyDrop::new(instance),
        })
    }

    /// Limits the time that a submission may take: 20 seconds unless this is called.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// Whether vertex attributes can have this format.
    pub fn takes_vertex_format(&self, format: vk::Format) -> bool {
        let vertex_buffer = vk::FormatFeatureFlags::VERTEX_BUFFER;
        format::size(format).is_some() && self.format_features(format).1.contains(vertex_buffer)
    }

    /// What images, and what buffers, of a format can be used for.
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
