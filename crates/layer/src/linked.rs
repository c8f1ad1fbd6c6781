//! The layer without a loader: an application links the layer and passes the driver's commands to it.
//!
//! Layers identify a dispatchable handle by its first pointer-sized value, which drivers leave to the loader (see
//! `chain::key`). Without a loader, the layer writes this value. For an instance or device, it is the handle's own
//! address, written before the layer reads it. Handles that belong to an instance or device get the same value before
//! the application receives them. Handles that a loader has already marked keep their value.

use crate::chain::{
    LINK_INFO, LayerDeviceCreateInfo, LayerDeviceLink, LayerInstanceCreateInfo, LayerInstanceLink,
    mark, text,
};
use crate::commands::{Command, typed};
use crate::instance::Instance;
use crate::procs::{get_device_proc_addr, get_instance_proc_addr, named};
use crate::settings::slice;
use crate::{device, instance};
use ash::vk;
use std::ffi::{CStr, c_char};
use std::ptr::{self, null_mut};
use std::sync::OnceLock;

const LOST: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

static DRIVER: OnceLock<vk::PFN_vkGetInstanceProcAddr> = OnceLock::new();

/// Places the layer above a driver or a loader for the rest of the process. `next` is the `vkGetInstanceProcAddr` of
/// the driver or the loader; for a driver built for the loader, it is `vk_icdGetInstanceProcAddr`.
///
/// # Errors
///
/// Returns `VK_ERROR_INITIALIZATION_FAILED` if `next` is null, or if the layer is already linked to another function.
///
/// # Safety
///
/// `next` is a `vkGetInstanceProcAddr` function or null, and can be called until the process ends.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn polyshade_layer_link(
    next: Option<vk::PFN_vkGetInstanceProcAddr>,
) -> vk::Result {
    let Some(next) = next else { return LOST };
    match ptr::fn_addr_eq(*DRIVER.get_or_init(|| next), next) {
        true => vk::Result::SUCCESS,
        false => LOST,
    }
}

/// `vkGetInstanceProcAddr` of the layer linked by [`polyshade_layer_link`]. Applications get all other commands from
/// this function. It returns null before the layer is linked.
///
/// # Safety
///
/// `instance` is null or comes from a command that this function returned, and `name` is a NUL-terminated string.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn polyshade_layer_vkGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (driver, text) = (DRIVER.get()?, text(name)?);
        let is_null = instance == vk::Instance::null();
        if is_null && ![c"vkCreateInstance", c"vkGetInstanceProcAddr"].contains(&text) {
            // Instances have the driver's extensions and version; the layer adds no instance extensions.
            return driver(instance, name);
        }
        let found = get_instance_proc_addr(instance, name)?;
        Some(of_application(text).unwrap_or(found))
    }
}

/// `vkGetDeviceProcAddr` for applications.
unsafe extern "system" fn device_command(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let found = get_device_proc_addr(device, name)?;
        Some(text(name).and_then(of_application).unwrap_or(found))
    }
}

/// Returns this module's implementation of a command that returns dispatchable handles or other commands.
fn of_application(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkGetInstanceProcAddr => polyshade_layer_vkGetInstanceProcAddr,
        PFN_vkGetDeviceProcAddr => device_command,
        PFN_vkCreateInstance => create_instance,
        PFN_vkCreateDevice => create_device,
        PFN_vkEnumeratePhysicalDevices => enumerate,
        PFN_vkEnumeratePhysicalDeviceGroups | "vkEnumeratePhysicalDeviceGroupsKHR" => enumerate_groups,
        PFN_vkGetDeviceQueue => get_queue,
        PFN_vkGetDeviceQueue2 => get_queue_2,
        PFN_vkAllocateCommandBuffers => allocate_command_buffers,
    }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Instance,
) -> vk::Result {
    let Some(driver) = DRIVER.get() else { return LOST };
    let mut link = LayerInstanceLink {
        p_next: null_mut(),
        next_get_instance_proc_addr: *driver,
        next_get_physical_device_proc_addr: None,
    };
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let loaders = LayerInstanceCreateInfo {
            s_type: vk::StructureType::LOADER_INSTANCE_CREATE_INFO,
            p_next: (*info).p_next,
            function: LINK_INFO,
            layer_info: &raw mut link,
            rest: null_mut(),
        };
        let linked = vk::InstanceCreateInfo { p_next: (&raw const loaders).cast(), ..*info };
        instance::create_instance(&raw const linked, allocator, created)
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let find = Instance::of(physical).and_then(|one| one.next_command(c"vkGetDeviceProcAddr"));
        let (Some(find), Some(driver)) = (find, DRIVER.get()) else { return LOST };
        let mut link = LayerDeviceLink {
            p_next: null_mut(),
            next_get_instance_proc_addr: *driver,
            next_get_device_proc_addr: typed(find),
        };
        let loaders = LayerDeviceCreateInfo {
            s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
            p_next: (*info).p_next,
            function: LINK_INFO,
            layer_info: &raw mut link,
        };
        let linked = vk::DeviceCreateInfo { p_next: (&raw const loaders).cast(), ..*info };
        device::create_device(physical, &raw const linked, allocator, created)
    }
}

unsafe extern "system" fn enumerate(
    instance: vk::Instance,
    count: *mut u32,
    physical: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let next =
            Instance::of(instance).and_then(|one| one.next_command(c"vkEnumeratePhysicalDevices"));
        let Some(next) = next else { return LOST };
        let result = typed::<vk::PFN_vkEnumeratePhysicalDevices>(next)(instance, count, physical);
        if result.as_raw() >= 0 {
            mark(instance, slice(physical, *count));
        }
        result
    }
}

unsafe extern "system" fn enumerate_groups(
    instance: vk::Instance,
    count: *mut u32,
    groups: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let names = [c"vkEnumeratePhysicalDeviceGroups", c"vkEnumeratePhysicalDeviceGroupsKHR"];
        let next = Instance::of(instance)
            .and_then(|one| names.into_iter().find_map(|name| one.next_command(name)));
        let Some(next) = next else { return LOST };
        let next = typed::<vk::PFN_vkEnumeratePhysicalDeviceGroups>(next);
        let result = next(instance, count, groups);
        if result.as_raw() >= 0 {
            for group in slice(groups, *count) {
                mark(instance, &group.physical_devices[..group.physical_device_count as usize]);
            }
        }
        result
    }
}

unsafe extern "system" fn get_queue(
    device: vk::Device,
    family: u32,
    number: u32,
    queue: *mut vk::Queue,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let next = get_device_proc_addr(device, c"vkGetDeviceQueue".as_ptr());
        if let Some(next) = next {
            typed::<vk::PFN_vkGetDeviceQueue>(next)(device, family, number, queue);
            mark(device, slice(queue, 1));
        }
    }
}

unsafe extern "system" fn get_queue_2(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    queue: *mut vk::Queue,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let next = get_device_proc_addr(device, c"vkGetDeviceQueue2".as_ptr());
        if let Some(next) = next {
            typed::<vk::PFN_vkGetDeviceQueue2>(next)(device, info, queue);
            mark(device, slice(queue, 1));
        }
    }
}

unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    allocated: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let next = get_device_proc_addr(device, c"vkAllocateCommandBuffers".as_ptr());
        let Some(next) = next else { return LOST };
        let result = typed::<vk::PFN_vkAllocateCommandBuffers>(next)(device, info, allocated);
        if result == vk::Result::SUCCESS {
            mark(device, slice(allocated, (*info).command_buffer_count));
        }
        result
    }
}
