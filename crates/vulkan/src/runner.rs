//! The common interface of devices and their replacements.

use crate::capabilities::Capabilities;
use crate::counts::Counts;
use crate::device::Device;
use crate::error::Error;
use crate::validation::{Layer, Message};
use crate::work::{Outcome, Work};

/// Runs work on a device, or on a replacement for a device that this machine does not have.
pub trait Runner {
    /// Runs all draws, one after the other.
    ///
    /// # Errors
    ///
    /// The errors of [`Device::run`].
    fn run(&self, work: &Work<'_>) -> Result<Outcome, Error>;

    /// Runs all draws, and returns the query results of each draw.
    ///
    /// # Errors
    ///
    /// The errors of [`Device::run`].
    fn count(&self, work: &Work<'_>) -> Result<(Outcome, Vec<Counts>), Error>;

    /// Returns the capabilities.
    fn capabilities(&self) -> &Capabilities;

    /// Whether the runner draws and counts like a device. If not, it may still draw triangles to run their fragment
    /// stage.
    fn rasterizes(&self) -> bool {
        true
    }

    /// Returns the active validation layer, if any.
    fn validation_layer(&self) -> Option<&Layer>;

    /// Returns the warnings and errors of the validation layer since the last call.
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
