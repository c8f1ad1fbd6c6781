//! Structures through which the Vulkan loader gives a layer the commands of the next layer. `vk_layer.h` in
//! Vulkan-Headers defines them. They are missing from the Vulkan registry, and therefore from `ash`.

use ash::vk::{self, Handle};
use std::ffi::{c_char, c_void};

/// The version of the loader's layer interface that the layer implements.
pub const INTERFACE_VERSION: u32 = 2;

/// A layer's version and entry points, which the loader reads when it loads the layer (`VkNegotiateLayerInterface`).
#[repr(C)]
pub struct NegotiateLayerInterface {
    /// `LAYER_NEGOTIATE_INTERFACE_STRUCT`, which is 1.
    pub s_type: i32,
    /// Always null.
    pub p_next: *mut c_void,
    /// In: the newest version that the loader supports; out: the version that the layer uses.
    pub loader_layer_interface_version: u32,
    /// The layer's `vkGetInstanceProcAddr`.
    pub get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    /// The layer's `vkGetDeviceProcAddr`.
    pub get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    /// The layer's `vk_layerGetPhysicalDeviceProcAddr`.
    pub get_physical_device_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// `LAYER_NEGOTIATE_INTERFACE_STRUCT`.
pub const NEGOTIATE_STRUCT: i32 = 1;

/// `VK_LAYER_LINK_INFO`: the structure holds the next layer's or driver's commands.
pub const LINK_INFO: i32 = 0;

/// The next layer or driver of an instance (`VkLayerInstanceLink`).
#[repr(C)]
pub struct LayerInstanceLink {
    /// The link of the next layer.
    pub p_next: *mut LayerInstanceLink,
    /// `vkGetInstanceProcAddr` of the next layer or driver.
    pub next_get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// `vk_layerGetPhysicalDeviceProcAddr` of the next layer or driver, if it has one.
    pub next_get_physical_device_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// The loader's structure in the chain of `VkInstanceCreateInfo` (`VkLayerInstanceCreateInfo`).
#[repr(C)]
pub struct LayerInstanceCreateInfo {
    /// `VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO`.
    pub s_type: vk::StructureType,
    /// The next structure of the chain.
    pub p_next: *const c_void,
    /// The member of the union that is set: [`LINK_INFO`], or another value that this layer ignores.
    pub function: i32,
    /// The member of the union for [`LINK_INFO`].
    pub layer_info: *mut LayerInstanceLink,
    /// The rest of the union: its other members are larger.
    pub rest: *mut c_void,
}

/// The next layer or driver of a device (`VkLayerDeviceLink`).
#[repr(C)]
pub struct LayerDeviceLink {
    /// The link of the next layer.
    pub p_next: *mut LayerDeviceLink,
    /// `vkGetInstanceProcAddr` of the next layer or driver.
    pub next_get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// `vkGetDeviceProcAddr` of the next layer or driver.
    pub next_get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// The loader's structure in the chain of `VkDeviceCreateInfo` (`VkLayerDeviceCreateInfo`).
#[repr(C)]
pub struct LayerDeviceCreateInfo {
    /// `VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO`.
    pub s_type: vk::StructureType,
    /// The next structure of the chain.
    pub p_next: *const c_void,
    /// The member of the union that is set: [`LINK_INFO`], or another value that this layer ignores.
    pub function: i32,
    /// The member of the union for [`LINK_INFO`].
    pub layer_info: *mut LayerDeviceLink,
}

/// Removes the link of this layer from the loader's list, so that the next layer finds its own link.
///
/// # Safety
///
/// The chain belongs to `VkInstanceCreateInfo` or `VkDeviceCreateInfo` and its structures are valid. `s_type` is the
/// type of the loader's structure that contains links of type `Link`.
pub(crate) unsafe fn take_link<Link>(
    first: *const c_void,
    s_type: vk::StructureType,
) -> Option<&'static Link> {
    // `LayerInstanceCreateInfo` begins with the same members as `LayerDeviceCreateInfo`.
    let mut at = first.cast::<LayerDeviceCreateInfo>().cast_mut();
    // SAFETY: every structure begins with its type and the next pointer; the loader's structures belong to the loader
    // and are writable. Both link types begin with the next link.
    unsafe {
        while !at.is_null() {
            if (*at).s_type == s_type && (*at).function == LINK_INFO {
                let link = (*at).layer_info;
                (*at).layer_info = link.as_ref()?.p_next;
                return link.cast::<Link>().as_ref();
            }
            at = (*at).p_next.cast::<LayerDeviceCreateInfo>().cast_mut();
        }
    }
    None
}

/// Returns a string that Vulkan passes, or `None` if the pointer is null.
///
/// # Safety
///
/// `name` is null or points to a NUL-terminated string that lives for as long as the result is used.
pub(crate) unsafe fn text<'t>(name: *const c_char) -> Option<&'t std::ffi::CStr> {
    // SAFETY: guaranteed by the caller.
    (!name.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(name) })
}

/// Returns the dispatch key of a dispatchable handle: the pointer that the loader stores at its start. All handles
/// that were created from an instance or a device have the same key. The key of the null handle is 0.
///
/// # Safety
///
/// The handle is null, or dispatchable and alive.
pub(crate) unsafe fn key(handle: impl Handle) -> u64 {
    let at = handle.as_raw() as usize as *const usize;
    // SAFETY: guaranteed by the caller: the first pointer-sized value of such a handle belongs to the loader.
    unsafe { at.as_ref() }.map_or(0, |word| *word as u64)
}

/// The value that drivers write at the start of a handle, where the loader stores its pointer (`ICD_LOADER_MAGIC`).
const LOADERS: u64 = 0x01CD_C0DE;

/// Writes the dispatch key of a handle.
///
/// # Safety
///
/// The handle is dispatchable and comes from a driver that was not loaded by a loader.
unsafe fn write(handle: impl Handle, word: u64) {
    // SAFETY: guaranteed by the caller: drivers leave the first pointer-sized value to the loader.
    unsafe { (handle.as_raw() as usize as *mut usize).write(word as usize) };
}

/// Sets the dispatch key of a new instance, unless a loader has set it.
///
/// # Safety
///
/// The instance is alive, and nobody else uses it yet.
pub(crate) unsafe fn mark_instance(instance: vk::Instance) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if key(instance) == LOADERS {
            write(instance, instance.as_raw());
        }
    }
}

/// Sets the dispatch key of a new device if [`mark_instance`] set the key of its instance.
///
/// # Safety
///
/// Both handles are alive, and nobody else uses the device yet.
pub(crate) unsafe fn mark_device(instance: vk::Instance, device: vk::Device) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if key(instance) == instance.as_raw() {
            write(device, device.as_raw());
        }
    }
}

/// Sets the dispatch keys of handles that belong to `owner`, if the layer set the owner's key. Skips null handles.
///
/// # Safety
///
/// All handles are alive and belong to `owner`.
pub(crate) unsafe fn mark(owner: impl Handle + Copy, handles: &[impl Handle + Copy]) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let word = key(owner);
        if word == owner.as_raw() {
            handles.iter().filter(|one| !one.is_null()).for_each(|one| write(*one, word));
        }
    }
}
