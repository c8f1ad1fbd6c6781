use crate::code;
use ash::vk;
use polyshade::spv::Code;
use std::fmt;

/// Why something could not be run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no Vulkan loader on this machine, or it is broken.
    Loader(String),
    /// No device has the name that was asked for.
    NoDevice {
        /// The name, or the part of one, that was asked for.
        wanted: String,
        /// The devices that are there.
        found: Vec<String>,
    },
    /// Validation was asked for and the loader finds no Khronos validation layer.
    NoValidationLayer,
    /// The device lacks a feature that the work needs.
    Missing(&'static str),
    /// The work goes beyond what the device supports: a format, or a limit.
    Unsupported(String),
    /// The work contradicts itself, for example by naming a buffer that it does not have.
    Work(String),
    /// A Vulkan call failed.
    Call {
        /// The name of the call.
        name: &'static str,
        /// What it returned.
        result: vk::Result,
    },
    /// The device did not finish in time. It is not used again.
    TimedOut,
}

impl Error {
    /// The stable name of the error.
    pub fn code(&self) -> &'static Code {
        match self {
            Error::Loader(_) => &code::VULKAN_NO_LOADER,
            Error::NoDevice { .. } => &code::VULKAN_NO_DEVICE,
            Error::NoValidationLayer => &code::VULKAN_NO_VALIDATION_LAYER,
            Error::Missing(_) => &code::VULKAN_MISSING_FEATURE,
            Error::Unsupported(_) => &code::VULKAN_UNSUPPORTED,
            Error::Work(_) => &code::VULKAN_INVALID_WORK,
            Error::Call { .. } => &code::VULKAN_CALL_FAILED,
            Error::TimedOut => &code::VULKAN_TIMED_OUT,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Loader(why) => write!(f, "no Vulkan loader: {why}"),
            Error::NoDevice { wanted, found } => {
                write!(f, "no Vulkan device named `{wanted}`, only [{}]", found.join(", "))
            }
            Error::NoValidationLayer => write!(f, "no Khronos validation layer"),
            Error::Missing(feature) => write!(f, "the device lacks {feature}"),
            Error::Unsupported(what) => write!(f, "the device does not support {what}"),
            Error::Work(why) => write!(f, "{why}"),
            Error::Call { name, result } => write!(f, "{name} failed: {result:?}"),
            Error::TimedOut => write!(f, "the device did not finish in time"),
        }
    }
}

impl std::error::Error for Error {}

/// Names the call that failed.
pub(crate) trait Context<T> {
    fn call(self, name: &'static str) -> Result<T, Error>;
}

impl<T> Context<T> for Result<T, vk::Result> {
    fn call(self, name: &'static str) -> Result<T, Error> {
        self.map_err(|result| Error::Call { name, result })
    }
}
