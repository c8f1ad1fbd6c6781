//! The structures in which the Vulkan loader passes a layer the commands below it. They are in no registry file and so
//! not in `ash`: Vulkan-Headers has them in `vk_layer.h`.

use ash::vk::{self, Handle};
use std::ffi::{c_char, c_void};

/// The version of the loader's interface that the layer speaks.
pub const INTERFACE_VERSION: u32 = 2;

/// A layer's version and entry points, which the loader reads when it loads the layer (`VkNegotiateLayerInterface`).
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

/// `VK_LAYER_LINK_INFO`: the structure holds the next layer's or driver's commands.
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
/// The chain is one of `VkInstanceCreateInfo` or `VkDeviceCreateInfo`, whose structures are valid, and `s_type` the
/// type of the loader's structures with links of this type.
pub(crate) unsafe fn take_link<Link>(
    first: *const c_void,
    s_type: vk::StructureType,
) -> Option<&'static Link> {
    // The structure of instances begins as that of devices does.
    let mut at = first.cast::<LayerDeviceCreateInfo>().cast_mut();
    // SAFETY: every structure begins with its type and the next one; those of the loader are its own and not constant.
    // Both links begin with the next one.
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

/// The text of a name that Vulkan passes.
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
pub(crate) unsafe fn key(handle: impl Handle) -> u64 {
    let at = handle.as_raw() as usize as *const usize;
    // SAFETY: the caller's promise: the first word of such a handle is the loader's.
    unsafe { at.as_ref() }.map_or(0, |word| *word as u64)
}

/// The word that drivers write where a loader is to write (`ICD_LOADER_MAGIC`).
const LOADERS: u64 = 0x01CD_C0DE;

/// Writes the word by which a handle is known.
///
/// # Safety
///
/// The handle is a dispatchable one of a driver's that no loader stands above.
unsafe fn write(handle: impl Handle, word: u64) {
    // SAFETY: the caller's promise: drivers leave the first word to the loader.
    unsafe { (handle.as_raw() as usize as *mut usize).write(word as usize) };
}

/// Marks a new instance, unless a loader did.
///
/// # Safety
///
/// The instance is alive, and nobody else uses it yet.
pub(crate) unsafe fn mark_instance(instance: vk::Instance) {
    // SAFETY: the caller's promise.
    unsafe {
        if key(instance) == LOADERS {
            write(instance, instance.as_raw());
        }
    }
}

/// Marks a new device of an instance that [`mark_instance`] has marked.
///
/// # Safety
///
/// Both are alive, and nobody else uses the device yet.
pub(crate) unsafe fn mark_device(instance: vk::Instance, device: vk::Device) {
    // SAFETY: the caller's promise.
    unsafe {
        if key(instance) == instance.as_raw() {
            write(device, device.as_raw());
        }
    }
}

/// Marks handles that belong to an instance or a device that is marked. Null handles have no word.
///
/// # Safety
///
/// All are alive, and belong to the owner.
pub(crate) unsafe fn mark(owner: impl Handle + Copy, handles: &[impl Handle + Copy]) {
    // SAFETY: the caller's promise.
    unsafe {
        let word = key(owner);
        if word == owner.as_raw() {
            handles.iter().filter(|one| !one.is_null()).for_each(|one| write(*one, word));
        }
    }
}
