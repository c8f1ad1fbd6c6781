//! The entry point to lower, and the device.

use super::{Device, Reserved};
use polyshade_spv::ExecutionModel;

/// The entry point to lower, the resources that must stay free, and the device.
///
/// A name alone converts to a target: the entry point with this name in a stage that the lowering supports, for any
/// device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Target {
    entry: String,
    /// The requested stage, if one was set.
    pub(crate) stage: Option<ExecutionModel>,
    reserved: Reserved,
    names: bool,
    device: Device,
}

impl Target {
    /// Creates a target for the entry point `entry` and a device with the minimum limits of Vulkan.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            stage: None,
            reserved: Reserved::default(),
            names: true,
            device: Device::default(),
        }
    }

    /// Sets the stage of the entry point. By default, it is the only stage that the lowering supports and that has an
    /// entry point with this name.
    #[must_use]
    pub fn stage(mut self, stage: ExecutionModel) -> Self {
        self.stage = Some(stage);
        self
    }

    /// Reserves resources that the lowering must not use.
    #[must_use]
    pub fn reserved(mut self, reserved: Reserved) -> Self {
        self.reserved = reserved;
        self
    }

    /// Sets whether added ids get debug names. They do by default.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// Sets the limits of the device.
    #[must_use]
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Returns the name of the entry point.
    pub fn entry_name(&self) -> &str {
        &self.entry
    }

    /// Returns the resources that must stay free.
    pub fn reservations(&self) -> &Reserved {
        &self.reserved
    }

    /// Returns the limits of the device.
    pub fn device_limits(&self) -> &Device {
        &self.device
    }

    /// Whether added ids get debug names.
    pub fn has_names(&self) -> bool {
        self.names
    }
}

impl From<&str> for Target {
    fn from(entry: &str) -> Self {
        Self::new(entry)
    }
}

impl From<&Target> for Target {
    fn from(target: &Target) -> Self {
        target.clone()
    }
}
