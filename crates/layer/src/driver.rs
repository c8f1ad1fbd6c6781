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

    /// Creates a shader module of the driver.
    pub(crate) fn create_shader_module(
        &self,
        words: &[u32],
    ) -> Result<vk::ShaderModule, vk::Result> {
        let lost = vk::Result::ERROR_INITIALIZATION_FAILED;
        let create = self.next.create_shader_module.ok_or(lost)?;
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        let mut module = vk::ShaderModule::null();
        // SAFETY: the structure is valid.
        unsafe { create(self.handle, &raw const info, std::ptr::null(), &raw mut module) }
            .result_with_success(module)
    }

    /// Destroys a shader module.
    ///
    /// # Safety
    ///
    /// The module belongs to the device, and no pipeline is being created from it.
    pub(crate) unsafe fn destroy_shader_module(&self, module: vk::ShaderModule) {
        if let Some(destroy) = self.next.destroy_shader_module {
            // SAFETY: guaranteed by the caller.
            unsafe { destroy(self.handle, module, std::ptr::null()) };
        }
    }

    pub(crate) fn fault(&self, what: fmt::Arguments<'_>) {
        self.log.say(Level::Error, what);
    }
}
