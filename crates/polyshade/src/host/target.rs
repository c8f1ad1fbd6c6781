//! Which entry point is lowered, and for what device.

use super::{Device, Reserved};
use polyshade_spv::ExecutionModel;

/// Which entry point is lowered, what has to stay free, and for what device: what every lowering is told first.
///
/// A name alone is a target: of the stage that has an entry point of this name, for any device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Target {
    entry: String,
    stage: Option<ExecutionModel>,
    reserved: Reserved,
    names: bool,
    device: Device,
}

impl Target {
    /// The entry point `entry`, for a device that has what every device has.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            stage: None,
            reserved: Reserved::default(),
            names: true,
            device: Device::default(),
        }
    }

    /// The stage of the entry point. Unless it is said, it is the one stage of those that the lowering takes that has
    /// an entry point of this name.
    #[must_use]
    pub fn stage(mut self, stage: ExecutionModel) -> Self {
        self.stage = Some(stage);
        self
    }

    /// Keeps what is added clear of what others use.
    #[must_use]
    pub fn reserved(mut self, reserved: Reserved) -> Self {
        self.reserved = reserved;
        self
    }

    /// Whether what is added gets debug names. It does unless told otherwise.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// What the device offers.
    #[must_use]
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// The name of the entry point.
    pub fn entry_name(&self) -> &str {
        &self.entry
    }

    /// What has to stay free.
    pub fn reservations(&self) -> &Reserved {
        &self.reserved
    }

    /// What the device offers.
    pub fn device_limits(&self) -> &Device {
        &self.device
    }

    /// Whether what is added gets debug names.
    pub fn has_names(&self) -> bool {
        self.names
    }

    /// The stage that is asked for.
    pub(crate) fn stage_asked_for(&self) -> Option<ExecutionModel> {
        self.stage
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
