//! Entry points for Android's loader, which reads no manifest. It looks up these functions by name in each
//! `libVkLayer*.so` of an application.

use crate::instance::{
    enumerate_device_layer_properties, enumerate_instance_extension_properties,
    enumerate_instance_layer_properties,
};
use crate::physical::{enumerate_device_extension_properties, layer_extensions};
use crate::procs;
use ash::vk;
use std::ffi::c_char;

/// Exports functions by name on Android. On other systems, they would conflict with those of a loader.
macro_rules! exported {
    ($($name:ident($($argument:ident: $Type:ty),*) -> $Result:ty = $what:expr;)*) => {
        $(
            /// Implements the function of this name for Android's loader.
            ///
            /// # Safety
            ///
            /// The call is valid usage of the Vulkan command; a physical device may be null.
            #[allow(non_snake_case)]
            #[cfg_attr(target_os = "android", unsafe(no_mangle))]
            pub unsafe extern "system" fn $name($($argument: $Type),*) -> $Result {
                // SAFETY: guaranteed by the caller.
                unsafe { $what }
            }
        )*
    };
}

exported! {
    vkEnumerateInstanceLayerProperties(count: *mut u32, layers: *mut vk::LayerProperties) -> vk::Result =
        enumerate_instance_layer_properties(count, layers);
    vkEnumerateInstanceExtensionProperties(
        layer: *const c_char,
        count: *mut u32,
        extensions: *mut vk::ExtensionProperties
    ) -> vk::Result = enumerate_instance_extension_properties(layer, count, extensions);
    vkEnumerateDeviceLayerProperties(
        physical: vk::PhysicalDevice,
        count: *mut u32,
        layers: *mut vk::LayerProperties
    ) -> vk::Result = enumerate_device_layer_properties(physical, count, layers);
    vkEnumerateDeviceExtensionProperties(
        physical: vk::PhysicalDevice,
        layer: *const c_char,
        count: *mut u32,
        extensions: *mut vk::ExtensionProperties
    ) -> vk::Result = match physical == vk::PhysicalDevice::null() {
        // Without a physical device, the list contains all extensions that the layer may provide.
        true => layer_extensions(layer, count, extensions),
        false => enumerate_device_extension_properties(physical, layer, count, extensions),
    };
    vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction =
        procs::get_instance_proc_addr(instance, name);
    vkGetDeviceProcAddr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction =
        procs::get_device_proc_addr(device, name);
}
