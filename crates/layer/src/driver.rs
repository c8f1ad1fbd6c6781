//! A device as the driver has it: what all else calls.

use crate::commands::DeviceCommands;
use crate::log::{Level, Log};
use ash::vk;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

/// A device of the driver's.
pub(crate) struct Driver {
    pub(crate) handle: vk::Device,
    pub(crate) get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    pub(crate) next: DeviceCommands,
    pub(crate) log: Arc<Log>,
}

impl Driver {
    /// The command of this name of what is below.
    pub(crate) fn next_command(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device is alive.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }

    /// Logs an error.
    pub(crate) fn fault(&self, what: fmt::Arguments<'_>) {
        self.log.say(Level::Error, what);
    }
}
