//! The two drivers, opened once a process: watched by the validation layer, or not.

use polyshade_vulkan::{Device, Error, Executed, Message, Outcome, Sequence, Validation, Work};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A driver that the tests run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Mesa's: has transform feedback.
    Lavapipe,
    /// Google's: has none.
    SwiftShader,
}

/// All of them.
pub const DRIVERS: [Driver; 2] = [Driver::Lavapipe, Driver::SwiftShader];

/// A device, opened when it is first asked for.
type Opened = LazyLock<Mutex<Device>>;

static WATCHED: [Opened; 2] = [
    LazyLock::new(|| open(Driver::Lavapipe, Validation::On)),
    LazyLock::new(|| open(Driver::SwiftShader, Validation::On)),
];
static UNWATCHED: [Opened; 2] = [
    LazyLock::new(|| open(Driver::Lavapipe, Validation::Off)),
    LazyLock::new(|| open(Driver::SwiftShader, Validation::Off)),
];

fn open(driver: Driver, validation: Validation) -> Mutex<Device> {
    let mut device = Device::open(driver.name(), validation).unwrap_or_else(|error| {
        panic!(
            "{error}: `cargo xtask setup` installs it, `cargo xtask test` tells Vulkan where it is"
        )
    });
    // `cargo xtask test` limits processor time: no test may fail because the machine is busy.
    device.set_time_limit(Duration::MAX);
    device.keep_pipelines();
    Mutex::new(device)
}

impl Driver {
    /// A part of its device's name.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Lavapipe => "llvmpipe",
            Driver::SwiftShader => "SwiftShader",
        }
    }

    /// The device, watched. Tests that want it at the same time wait, so messages belong to whoever holds it.
    pub fn device(self) -> MutexGuard<'static, Device> {
        WATCHED[self as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device without the layer, under which some features of a driver are not looked at.
    pub fn unwatched(self) -> MutexGuard<'static, Device> {
        UNWATCHED[self as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work that the driver must accept and the validation layer must have nothing to say about.
    #[track_caller]
    pub fn run(self, work: &Work<'_>) -> Outcome {
        let (outcome, messages) = self.run_watched(work);
        assert!(
            messages.is_empty(),
            "{self:?}: {} messages, first {}",
            messages.len(),
            messages[0]
        );
        outcome.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// Executes a sequence that the driver must accept and the validation layer must have nothing to say about.
    #[track_caller]
    pub fn execute(self, sequence: &Sequence<'_>) -> Executed {
        let device = self.device();
        let executed = device.execute(sequence);
        let messages = device.take_messages();
        assert!(messages.is_empty(), "{self:?}: {} messages, {}", messages.len(), messages[0]);
        executed.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// Runs work and returns the validation layer's messages as well.
    pub fn run_watched(self, work: &Work<'_>) -> (Result<Outcome, Error>, Vec<Message>) {
        let device = self.device();
        let outcome = device.run(work);
        (outcome, device.take_messages())
    }
}
