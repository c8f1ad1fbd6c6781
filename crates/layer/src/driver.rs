//! The next layer's or driver's device, with its commands.

use crate::commands::DeviceCommands;
use crate::log::{Level, Log};
use ash::vk;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

/// A device with the commands of the next layer or driver.
pub(crate) struct Driver {
    pub(crate) handle: vk::Device,
    pub(crate) get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    pub(crate) next: DeviceCommands,
    pub(crate) log: Arc<Log>,
}

impl Driver {
    /// Returns the next layer's command of this name.
    pub(crate) fn next_command(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device is alive.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }

    pub(crate) fn fault(&self, what: fmt::Arguments<'_>) {
        self.log.say(Level::Error, what);
    }
}
