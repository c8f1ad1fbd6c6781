//! The two drivers, opened once per process, with or without the validation layer.

use polyshade_vulkan::{Device, Error, Executed, Message, Outcome, Sequence, Validation, Work};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A driver that runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Mesa's software driver, which supports transform feedback.
    Lavapipe,
    /// Google's software driver, which does not support transform feedback.
    SwiftShader,
}

/// All drivers.
pub const DRIVERS: [Driver; 2] = [Driver::Lavapipe, Driver::SwiftShader];

/// A device, opened at its first use.
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
        panic!("{error}: `cargo xtask setup` installs the driver, `cargo xtask test` selects it")
    });
    // `cargo xtask test` limits processor time instead, so no test fails because the machine is busy.
    device.set_time_limit(Duration::MAX);
    device.keep_pipelines();
    Mutex::new(device)
}

impl Driver {
    /// Returns a part of the device name of the driver.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Lavapipe => "llvmpipe",
            Driver::SwiftShader => "SwiftShader",
        }
    }

    /// Locks the device with the validation layer. Tests take turns, so messages belong to the current test.
    pub fn device(self) -> MutexGuard<'static, Device> {
        WATCHED[self as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the device without the validation layer, which would hide some features of a driver.
    pub fn unwatched(self) -> MutexGuard<'static, Device> {
        UNWATCHED[self as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work that the driver must accept without messages of the validation layer.
    #[track_caller]
    pub fn run(self, work: &Work<'_>) -> Outcome {
        self.accept(self.run_watched(work))
    }

    /// Does the same on a device that no other work uses. After a draw with tessellation and geometry stages, lavapipe
    /// 22.3 may crash in later draws with a geometry stage.
    #[track_caller]
    pub fn run_alone(self, work: &Work<'_>) -> Outcome {
        let device =
            open(self, Validation::On).into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcome = device.run(work);
        self.accept((outcome, device.take_messages()))
    }

    #[track_caller]
    fn accept(self, (outcome, messages): (Result<Outcome, Error>, Vec<Message>)) -> Outcome {
        assert!(
            messages.is_empty(),
            "{self:?}: {} messages, first {}",
            messages.len(),
            messages[0]
        );
        outcome.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// Executes a sequence that the driver must accept without messages of the validation layer.
    #[track_caller]
    pub fn execute(self, sequence: &Sequence<'_>) -> Executed {
        let device = self.device();
        let executed = device.execute(sequence);
        let messages = device.take_messages();
        assert!(messages.is_empty(), "{self:?}: {} messages, {}", messages.len(), messages[0]);
        executed.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// Runs work and returns the validation layer's messages too.
    pub fn run_watched(self, work: &Work<'_>) -> (Result<Outcome, Error>, Vec<Message>) {
        let device = self.device();
        let outcome = device.run(work);
        (outcome, device.take_messages())
    }
}
