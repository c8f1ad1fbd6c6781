//! The layer without a loader: an application links it, and says which driver is below.
//!
//! Layers tell handles apart by their first word, which drivers leave to a loader. Here `below` stands between the
//! layer and the driver, and writes that word; `above` stands between the application and the layer, and hands the
//! layer what a loader would. Above a loader, whose handles have the word already, `below` only passes on.

use crate::chain::{
    LINK_INFO, LayerDeviceCreateInfo, LayerDeviceLink, LayerInstanceCreateInfo, LayerInstanceLink,
    key, text,
};
use crate::commands::{DeviceHandles, InstanceHandles};
use crate::procs::{Command, get_instance_proc_addr, named};
use crate::registry::Registry;
use crate::settings::slice;
use crate::{device, instance};
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char};
use std::ptr::{self, null_mut};
use std::sync::OnceLock;

/// What drivers write where a loader is to write (`ICD_LOADER_MAGIC`).
const LOADERS: u64 = 0x01CD_C0DE;

const LOST: vk::Result = vk::Result::ERROR_INITIALIZATION_FAILED;

static DRIVER: OnceLock<vk::PFN_vkGetInstanceProcAddr> = OnceLock::new();

/// Instances and devices of a driver that no loader stands above, by the first word of their handles, which is where
/// their values are.
static INSTANCES: Registry<InstanceHandles> = Registry::new();
static DEVICES: Registry<DeviceHandles> = Registry::new();

/// Puts the layer above a driver, or a loader, for the rest of the process: `next` is its `vkGetInstanceProcAddr`, of
/// drivers that are made for a loader `vk_icdGetInstanceProcAddr`.
///
/// # Errors
///
/// `VK_ERROR_INITIALIZATION_FAILED` where `next` is null, or the layer is above something else already.
///
/// # Safety
///
/// `next` is what it is said to be, and can be called for as long as the process lasts.
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

/// `vkGetInstanceProcAddr` of the layer and what [`polyshade_layer_link`] has put it above. All commands are found
/// from here; nothing, before it is linked.
///
/// # Safety
///
/// As Vulkan asks for: `instance` is null or was created by a command that was found here, and `name` a string.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn polyshade_layer_vkGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    unsafe {
        let (driver, text) = (DRIVER.get()?, text(name)?);
        let own = of_application(text);
        match (own, instance == vk::Instance::null()) {
            (Some(_), true) if text == c"vkCreateDevice" => None,
            (Some(own), _) => Some(own),
            // What is below has extensions and a version; the layer adds none to instances.
            (None, true) => driver(instance, name),
            (None, false) => get_instance_proc_addr(instance, name),
        }
    }
}

/// The commands that an application has of this module.
fn of_application(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkGetInstanceProcAddr" => polyshade_layer_vkGetInstanceProcAddr as PFN_vkGetInstanceProcAddr,
        b"vkCreateInstance" => create_instance_above as PFN_vkCreateInstance,
        b"vkCreateDevice" => create_device_above as PFN_vkCreateDevice,
    }
}

unsafe extern "system" fn create_instance_above(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Instance,
) -> vk::Result {
    let mut link = LayerInstanceLink {
        p_next: null_mut(),
        next_get_instance_proc_addr: below,
        next_get_physical_device_proc_addr: None,
    };
    // SAFETY: the caller hands over what Vulkan asks for.
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

unsafe extern "system" fn create_device_above(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        let Some(instance) = instance::Instance::of(physical) else { return LOST };
        let find = instance.next_command(c"vkGetDeviceProcAddr");
        let Some(find) = find else { return LOST };
        let mut link = LayerDeviceLink {
            p_next: null_mut(),
            next_get_instance_proc_addr: below,
            next_get_device_proc_addr: std::mem::transmute::<Command, vk::PFN_vkGetDeviceProcAddr>(
                find,
            ),
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

/// `vkGetInstanceProcAddr` as the layer finds it below.
unsafe extern "system" fn below(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let next = DRIVER.get()?(instance, name)?;
        let text = text(name)?;
        if instance == vk::Instance::null() {
            return Some(of_no_instance(text).unwrap_or(next));
        }
        if INSTANCES.get(key(instance)).is_none() {
            return Some(next);
        }
        Some(of_instance(text).or_else(|| of_device(text)).unwrap_or(next))
    }
}

/// `vkGetDeviceProcAddr` as the layer finds it below.
unsafe extern "system" fn below_device(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let next = (DEVICES.get(key(device))?.get_device_proc_addr?)(device, name)?;
        Some(text(name).and_then(of_device).unwrap_or(next))
    }
}

/// The command that hands out instances.
fn of_no_instance(name: &CStr) -> Option<Command> {
    named! { name, b"vkCreateInstance" => create_instance as PFN_vkCreateInstance, }
}

/// The commands that hand out handles of an instance.
fn of_instance(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkDestroyInstance" => destroy_instance as PFN_vkDestroyInstance,
        b"vkEnumeratePhysicalDevices" => enumerate as PFN_vkEnumeratePhysicalDevices,
        b"vkEnumeratePhysicalDeviceGroups" | b"vkEnumeratePhysicalDeviceGroupsKHR" =>
            enumerate_groups as PFN_vkEnumeratePhysicalDeviceGroups,
        b"vkCreateDevice" => create_device as PFN_vkCreateDevice,
        b"vkGetDeviceProcAddr" => below_device as PFN_vkGetDeviceProcAddr,
    }
}

/// The commands that hand out handles of a device.
fn of_device(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkGetDeviceProcAddr" => below_device as PFN_vkGetDeviceProcAddr,
        b"vkDestroyDevice" => destroy_device as PFN_vkDestroyDevice,
        b"vkGetDeviceQueue" => get_queue as PFN_vkGetDeviceQueue,
        b"vkGetDeviceQueue2" => get_queue_2 as PFN_vkGetDeviceQueue2,
        b"vkAllocateCommandBuffers" => allocate_command_buffers as PFN_vkAllocateCommandBuffers,
    }
}

/// Writes the word by which a handle is known.
///
/// # Safety
///
/// The handle is a dispatchable one of the driver's, and nobody else uses it yet.
unsafe fn mark(handle: impl Handle, word: u64) {
    // SAFETY: the caller's promise: drivers leave the first word to the loader.
    unsafe { (handle.as_raw() as usize as *mut usize).write(word as usize) };
}

/// Keeps what is known of a new handle, and marks it.
///
/// # Safety
///
/// As for [`mark`].
unsafe fn insert<T>(all: &Registry<T>, handle: impl Handle, value: T) {
    let value = Box::new(value);
    let word = ptr::from_ref(&*value) as u64;
    all.insert(word, value);
    // SAFETY: the caller's promise.
    unsafe { mark(handle, word) };
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let Some(driver) = DRIVER.get() else { return LOST };
        let Some(create) = driver(vk::Instance::null(), c"vkCreateInstance".as_ptr()) else {
            return LOST;
        };
        let create = std::mem::transmute::<Command, vk::PFN_vkCreateInstance>(create);
        let result = create(info, allocator, created);
        if result == vk::Result::SUCCESS && key(*created) == LOADERS {
            let handle = *created;
            let commands = InstanceHandles::load(|name| driver(handle, name.as_ptr()));
            insert(&INSTANCES, handle, commands);
        }
        result
    }
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the layer hands over an instance that is alive, which nobody else uses.
    unsafe {
        let known = INSTANCES.remove(key(instance));
        if let Some(destroy) = known.and_then(|one| one.destroy_instance) {
            destroy(instance, allocator);
        }
    }
}

unsafe extern "system" fn enumerate(
    instance: vk::Instance,
    count: *mut u32,
    physical: *mut vk::PhysicalDevice,
) -> vk::Result {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let word = key(instance);
        let next = INSTANCES.get(word).and_then(|one| one.enumerate_physical_devices);
        let Some(next) = next else { return LOST };
        let result = next(instance, count, physical);
        if result.as_raw() >= 0 {
            slice(physical, *count).iter().for_each(|one| mark(*one, word));
        }
        result
    }
}

unsafe extern "system" fn enumerate_groups(
    instance: vk::Instance,
    count: *mut u32,
    groups: *mut vk::PhysicalDeviceGroupProperties<'_>,
) -> vk::Result {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let word = key(instance);
        let next = INSTANCES.get(word).and_then(|one| one.enumerate_physical_device_groups);
        let Some(next) = next else { return LOST };
        let result = next(instance, count, groups);
        if result.as_raw() >= 0 {
            for group in slice(groups, *count) {
                let devices = &group.physical_devices[..group.physical_device_count as usize];
                devices.iter().for_each(|one| mark(*one, word));
            }
        }
        result
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let Some(known) = INSTANCES.get(key(physical)) else { return LOST };
        let (Some(create), Some(find)) = (known.create_device, known.get_device_proc_addr) else {
            return LOST;
        };
        let result = create(physical, info, allocator, created);
        if result == vk::Result::SUCCESS {
            let handle = *created;
            insert(&DEVICES, handle, DeviceHandles::load(|name| find(handle, name.as_ptr())));
        }
        result
    }
}

unsafe extern "system" fn destroy_device(
    device: vk::Device,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the layer hands over a device that is alive, which nobody else uses.
    unsafe {
        let known = DEVICES.remove(key(device));
        if let Some(destroy) = known.and_then(|one| one.destroy_device) {
            destroy(device, allocator);
        }
    }
}

unsafe extern "system" fn get_queue(
    device: vk::Device,
    family: u32,
    number: u32,
    queue: *mut vk::Queue,
) {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let word = key(device);
        if let Some(next) = DEVICES.get(word).and_then(|one| one.get_device_queue) {
            next(device, family, number, queue);
            mark(*queue, word);
        }
    }
}

unsafe extern "system" fn get_queue_2(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    queue: *mut vk::Queue,
) {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let word = key(device);
        if let Some(next) = DEVICES.get(word).and_then(|one| one.get_device_queue_2) {
            next(device, info, queue);
            // There is none of other flags.
            if *queue != vk::Queue::null() {
                mark(*queue, word);
            }
        }
    }
}

unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    allocated: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the layer hands over what Vulkan asks for.
    unsafe {
        let word = key(device);
        let next = DEVICES.get(word).and_then(|one| one.allocate_command_buffers);
        let Some(next) = next else { return LOST };
        let result = next(device, info, allocated);
        if result == vk::Result::SUCCESS {
            let all = slice(allocated, (*info).command_buffer_count);
            all.iter().for_each(|one| mark(*one, word));
        }
        result
    }
}
