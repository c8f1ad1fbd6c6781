//! lavapipe below a test driver, which passes most calls to lavapipe.

use crate::linked::driver;
use ash::vk;
use std::sync::{LazyLock, OnceLock};

/// lavapipe, and the first instance and device that were created.
pub(crate) struct Below {
    find: LazyLock<vk::PFN_vkGetInstanceProcAddr>,
    instance: OnceLock<ash::Instance>,
    device: OnceLock<ash::Device>,
}

impl Below {
    pub(crate) const fn new() -> Self {
        Self {
            find: LazyLock::new(|| driver("lvp")),
            instance: OnceLock::new(),
            device: OnceLock::new(),
        }
    }

    /// `vkGetInstanceProcAddr`.
    pub(crate) fn find(&self) -> vk::PFN_vkGetInstanceProcAddr {
        *self.find
    }

    pub(crate) fn instance(&self) -> &ash::Instance {
        self.instance.get().expect("it was created")
    }

    pub(crate) fn device(&self) -> &ash::Device {
        self.device.get().expect("it was created")
    }

    /// `vkCreateInstance`.
    ///
    /// # Safety
    ///
    /// The same requirements as for the command.
    pub(crate) unsafe fn create_instance(
        &self,
        info: *const vk::InstanceCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        created: *mut vk::Instance,
    ) -> vk::Result {
        let found_by = ash::StaticFn { get_instance_proc_addr: self.find() };
        // SAFETY: guaranteed by the caller.
        unsafe {
            let entry = ash::Entry::from_static_fn(found_by.clone());
            let result = (entry.fp_v1_0().create_instance)(info, allocator, created);
            if result == vk::Result::SUCCESS {
                let _ = self.instance.set(ash::Instance::load(&found_by, *created));
            }
            result
        }
    }

    /// `vkCreateDevice`.
    ///
    /// # Safety
    ///
    /// The same requirements as for the command.
    pub(crate) unsafe fn create_device(
        &self,
        physical: vk::PhysicalDevice,
        info: *const vk::DeviceCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        created: *mut vk::Device,
    ) -> vk::Result {
        let next = self.instance().fp_v1_0();
        // SAFETY: guaranteed by the caller.
        unsafe {
            let result = (next.create_device)(physical, info, allocator, created);
            if result == vk::Result::SUCCESS {
                let _ = self.device.set(ash::Device::load(next, *created));
            }
            result
        }
    }
}

/// Defines a test driver above lavapipe `BELOW`: its function `get_instance_proc_addr` finds the given commands of
/// instances and of devices before those of lavapipe.
macro_rules! above_lavapipe {
    (of_instance { $($of_instance:tt)* } of_device { $($of_device:tt)* }) => {
        static BELOW: $crate::below::Below = $crate::below::Below::new();

        $crate::made_up::commands! { of_instance $($of_instance)* }

        // The test driver may define `vkCreateDevice` itself.
        $crate::made_up::commands! { of_any_driver
            b"vkCreateInstance" => create_instance_below as PFN_vkCreateInstance,
            b"vkCreateDevice" => create_device_below as PFN_vkCreateDevice,
        }

        $crate::made_up::commands! { of_device
            $($of_device)*
            b"vkGetDeviceProcAddr" => get_device_proc_addr as PFN_vkGetDeviceProcAddr,
        }

        pub(crate) unsafe extern "system" fn get_instance_proc_addr(
            instance: vk::Instance,
            name: *const std::ffi::c_char,
        ) -> vk::PFN_vkVoidFunction {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let text = std::ffi::CStr::from_ptr(name);
                let own = of_instance(text).or_else(|| of_device(text));
                let own = own.or_else(|| of_any_driver(text));
                own.or_else(|| BELOW.find()(instance, name))
            }
        }

        unsafe extern "system" fn get_device_proc_addr(
            device: vk::Device,
            name: *const std::ffi::c_char,
        ) -> vk::PFN_vkVoidFunction {
            let find = BELOW.instance().fp_v1_0().get_device_proc_addr;
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe { of_device(std::ffi::CStr::from_ptr(name)).or_else(|| find(device, name)) }
        }

        unsafe extern "system" fn create_instance_below(
            info: *const vk::InstanceCreateInfo<'_>,
            allocator: *const vk::AllocationCallbacks<'_>,
            created: *mut vk::Instance,
        ) -> vk::Result {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe { BELOW.create_instance(info, allocator, created) }
        }

        unsafe extern "system" fn create_device_below(
            physical: vk::PhysicalDevice,
            info: *const vk::DeviceCreateInfo<'_>,
            allocator: *const vk::AllocationCallbacks<'_>,
            created: *mut vk::Device,
        ) -> vk::Result {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe { BELOW.create_device(physical, info, allocator, created) }
        }
    };
}

pub(crate) use above_lavapipe;
