//! The structures in which the Vulkan loader hands a layer what is below it. They are in no registry file and so not in
//! `ash`: Vulkan-Headers has them in `vk_layer.h`.

use ash::vk;
use std::ffi::{c_char, c_void};

/// The version of the loader's interface that the layer speaks.
pub const INTERFACE_VERSION: u32 = 2;

/// What a layer says of itself when it is loaded (`VkNegotiateLayerInterface`).
#[repr(C)]
pub struct NegotiateLayerInterface {
    /// `LAYER_NEGOTIATE_INTERFACE_STRUCT`, which is 1.
    pub s_type: i32,
    /// Always null.
    pub p_next: *mut c_void,
    /// In: the newest version that the loader knows; out: the version that is spoken.
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

/// `VK_LAYER_LINK_INFO`: the structure says what is below.
pub const LINK_INFO: i32 = 0;

/// What is below a layer, for an instance (`VkLayerInstanceLink`).
#[repr(C)]
pub struct LayerInstanceLink {
    /// The same for the layer below.
    pub p_next: *mut LayerInstanceLink,
    /// `vkGetInstanceProcAddr` of what is below.
    pub next_get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// `vk_layerGetPhysicalDeviceProcAddr` of what is below, if it has one.
    pub next_get_physical_device_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// A structure of the loader's in the chain of `VkInstanceCreateInfo` (`VkLayerInstanceCreateInfo`).
#[repr(C)]
pub struct LayerInstanceCreateInfo {
    /// `VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO`.
    pub s_type: vk::StructureType,
    /// The next structure of the chain.
    pub p_next: *const c_void,
    /// What the union holds: [`LINK_INFO`], or something that is of no interest here.
    pub function: i32,
    /// A union, of which this is the member of [`LINK_INFO`].
    pub layer_info: *mut LayerInstanceLink,
    /// The rest of the union, of which other members are larger.
    pub rest: *mut c_void,
}

/// What is below a layer, for a device (`VkLayerDeviceLink`).
#[repr(C)]
pub struct LayerDeviceLink {
    /// The same for the layer below.
    pub p_next: *mut LayerDeviceLink,
    /// `vkGetInstanceProcAddr` of what is below.
    pub next_get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// `vkGetDeviceProcAddr` of what is below.
    pub next_get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
}

/// A structure of the loader's in the chain of `VkDeviceCreateInfo` (`VkLayerDeviceCreateInfo`).
#[repr(C)]
pub struct LayerDeviceCreateInfo {
    /// `VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO`.
    pub s_type: vk::StructureType,
    /// The next structure of the chain.
    pub p_next: *const c_void,
    /// What the union holds: [`LINK_INFO`], or something that is of no interest here.
    pub function: i32,
    /// A union, of which this is the member of [`LINK_INFO`].
    pub layer_info: *mut LayerDeviceLink,
}

/// Takes the link for this layer off the loader's list, so that the next layer finds its own.
///
/// # Safety
///
/// The chain is one of `VkInstanceCreateInfo`, whose structures are valid.
pub(crate) unsafe fn take_instance_link(
    first: *const c_void,
) -> Option<&'static LayerInstanceLink> {
    let mut at = first.cast::<LayerInstanceCreateInfo>().cast_mut();
    // SAFETY: every structure begins with its type and the next one; those of the loader are its own and not constant.
    unsafe {
        while !at.is_null() {
            let is_loaders = (*at).s_type == vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
            if is_loaders && (*at).function == LINK_INFO {
                let link = (*at).layer_info.as_ref()?;
                (*at).layer_info = link.p_next;
                return Some(link);
            }
            at = (*at).p_next.cast::<LayerInstanceCreateInfo>().cast_mut();
        }
    }
    None
}

/// The same for a device.
///
/// # Safety
///
/// The chain is one of `VkDeviceCreateInfo`, whose structures are valid.
pub(crate) unsafe fn take_device_link(first: *const c_void) -> Option<&'static LayerDeviceLink> {
    let mut at = first.cast::<LayerDeviceCreateInfo>().cast_mut();
    // SAFETY: as for instances.
    unsafe {
        while !at.is_null() {
            let is_loaders = (*at).s_type == vk::StructureType::LOADER_DEVICE_CREATE_INFO;
            if is_loaders && (*at).function == LINK_INFO {
                let link = (*at).layer_info.as_ref()?;
                (*at).layer_info = link.p_next;
                return Some(link);
            }
            at = (*at).p_next.cast::<LayerDeviceCreateInfo>().cast_mut();
        }
    }
    None
}

/// The text of a name that Vulkan hands over.
///
/// # Safety
///
/// `name` is null or ends with a zero byte, and lives for as long as the result is used.
pub(crate) unsafe fn text<'t>(name: *const c_char) -> Option<&'t std::ffi::CStr> {
    // SAFETY: the caller's promise.
    (!name.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(name) })
}

/// What the loader knows a dispatchable handle and all that was made of it by: the pointer that it put at its start.
/// That of the null handle is 0.
///
/// # Safety
///
/// The handle is null, or dispatchable and alive.
pub(crate) unsafe fn key(handle: impl vk::Handle) -> u64 {
    let at = handle.as_raw() as usize as *const usize;
    // SAFETY: the caller's promise: the first word of such a handle is the loader's.
    unsafe { at.as_ref() }.map_or(0, |word| *word as u64)
}
