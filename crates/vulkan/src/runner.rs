//! What runs work: a device, or what stands in for one.

use crate::capabilities::Capabilities;
use crate::counts::Counts;
use crate::device::Device;
use crate::error::Error;
use crate::validation::{Layer, Message};
use crate::work::{Outcome, Work};

/// What runs work: a device, or what stands in for one that this machine does not have.
pub trait Runner {
    /// Runs all draws, one after the other.
    ///
    /// # Errors
    ///
    /// As of [`Device::run`].
    fn run(&self, work: &Work<'_>) -> Result<Outcome, Error>;

    /// Runs all draws, and says what queries count of each.
    ///
    /// # Errors
    ///
    /// As of [`Device::run`].
    fn count(&self, work: &Work<'_>) -> Result<(Outcome, Vec<Counts>), Error>;

    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// Whether it draws whatever a device does, and counts it. What does not may still draw triangles for the sake of
    /// their fragment stage.
    fn rasterizes(&self) -> bool {
        true
    }

    /// The validation layer that watches it, if one does.
    fn validation_layer(&self) -> Option<&Layer>;

    /// The warnings and errors of the validation layer since the last call.
    fn take_messages(&self) -> Vec<Message>;
}

impl Runner for Device {
    fn run(&self, work: &Work<'_>) -> Result<Outcome, Error> {
        Device::run(self, work)
    }

    fn count(&self, work: &Work<'_>) -> Result<(Outcome, Vec<Counts>), Error> {
        Device::count(self, work)
    }

    fn capabilities(&self) -> &Capabilities {
        Device::capabilities(self)
    }

    fn validation_layer(&self) -> Option<&Layer> {
        Device::validation_layer(self)
    }

    fn take_messages(&self) -> Vec<Message> {
        Device::take_messages(self)
    }
}
