use crate::code;
use ash::vk;
use polyshade::spv::Code;
use std::fmt;

/// The reason why work could not be run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The machine has no Vulkan loader, or a broken one.
    Loader(String),
    /// No device has the requested name.
    NoDevice {
        /// The requested name, or a part of a name.
        wanted: String,
        /// The devices that exist.
        found: Vec<String>,
    },
    /// Validation was requested, but the loader finds no Khronos validation layer.
    NoValidationLayer,
    /// The device lacks a feature that the work needs.
    Missing(&'static str),
    /// The work needs a format or a limit that the device does not support.
    Unsupported(String),
    /// The work is inconsistent, for example it refers to a missing buffer.
    Work(String),
    /// A Vulkan call failed.
    Call {
        /// The name of the call.
        name: &'static str,
        /// The result of the call.
        result: vk::Result,
    },
    /// The device did not finish within the time limit. It is not used again.
    TimedOut,
}

impl Error {
    /// Returns the error of inconsistent work.
    pub(crate) fn work(why: &str) -> Error {
        Error::Work(why.to_owned())
    }

    /// Returns the stable code of the error.
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

/// A module or a draw that polyshade rejects makes the work inconsistent.
impl From<polyshade::Error> for Error {
    fn from(error: polyshade::Error) -> Error {
        Error::Work(error.to_string())
    }
}

/// Adds the name of the failed call to an error.
pub(crate) trait Context<T> {
    fn call(self, name: &'static str) -> Result<T, Error>;
}

impl<T> Context<T> for Result<T, vk::Result> {
    fn call(self, name: &'static str) -> Result<T, Error> {
        self.map_err(|result| Error::Call { name, result })
    }
}
