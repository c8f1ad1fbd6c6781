//! The two drivers, opened once a process and watched by the validation layer.

use polyshade_vulkan::{Device, Error, Message, Outcome, Validation, Work};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// A driver that the tests run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Driver {
    /// Mesa's: has transform feedback.
    Lavapipe,
    /// Google's: has none.
    SwiftShader,
}

/// All of them.
pub(crate) const DRIVERS: [Driver; 2] = [Driver::Lavapipe, Driver::SwiftShader];

static LAVAPIPE: LazyLock<Mutex<Device>> = LazyLock::new(|| Mutex::new(open("llvmpipe")));
static SWIFTSHADER: LazyLock<Mutex<Device>> = LazyLock::new(|| Mutex::new(open("SwiftShader")));

fn open(name: &str) -> Device {
    Device::open(name, Validation::On).unwrap_or_else(|error| {
        panic!(
            "{error}: `cargo xtask setup` installs it, `cargo xtask test` tells Vulkan where it is"
        )
    })
}

impl Driver {
    /// The device. Tests that want it at the same time wait, so messages belong to whoever holds it.
    pub(crate) fn device(self) -> MutexGuard<'static, Device> {
        let device = match self {
            Driver::Lavapipe => &LAVAPIPE,
            Driver::SwiftShader => &SWIFTSHADER,
        };
        device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work that the driver must accept and the validation layer must have nothing to say about.
    #[track_caller]
    pub(crate) fn run(self, work: &Work<'_>) -> Outcome {
        let (outcome, messages) = self.run_watched(work);
        assert!(
            messages.is_empty(),
            "{self:?}: {} messages, first {}",
            messages.len(),
            messages[0]
        );
        outcome.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// Runs work and returns the validation layer's messages as well.
    pub(crate) fn run_watched(self, work: &Work<'_>) -> (Result<Outcome, Error>, Vec<Message>) {
        let device = self.device();
        let outcome = device.run(work);
        (outcome, device.take_messages())
    }
}
