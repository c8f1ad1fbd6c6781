//! What Android has otherwise: its loader reads no manifest but asks each `libVkLayer*.so` of an application what it is,
//! by functions that it looks up by their names; what is logged goes to its log; settings are properties.

use crate::instance::{
    enumerate_device_layer_properties, enumerate_instance_extension_properties,
    enumerate_instance_layer_properties,
};
use crate::physical::{enumerate_device_extension_properties, layer_extensions};
use crate::procs;
use ash::vk;
use std::ffi::c_char;

/// Exports functions under their names, where Android's loader looks for them. Elsewhere they would get in the way of a
/// loader's.
macro_rules! exported {
    ($($name:ident($($argument:ident: $Type:ty),*) -> $Result:ty = $what:expr;)*) => {
        $(
            /// The function of this name, as Android's loader calls it.
            ///
            /// # Safety
            ///
            /// As Vulkan asks for; a physical device may be null.
            #[allow(non_snake_case)]
            #[cfg_attr(target_os = "android", unsafe(no_mangle))]
            pub unsafe extern "system" fn $name($($argument: $Type),*) -> $Result {
                // SAFETY: the caller's promise.
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
        // There is no device yet: whatever the layer may provide has to be said.
        true => layer_extensions(layer, count, extensions),
        false => enumerate_device_extension_properties(physical, layer, count, extensions),
    };
    vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction =
        procs::get_instance_proc_addr(instance, name);
    vkGetDeviceProcAddr(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction =
        procs::get_device_proc_addr(device, name);
}

/// What only Android's libraries have.
#[cfg(target_os = "android")]
pub(crate) mod system {
    use crate::log::Level;
    use std::ffi::{CString, OsString, c_char, c_int};

    #[link(name = "log")]
    unsafe extern "C" {
        fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
    }

    unsafe extern "C" {
        fn __system_property_get(name: *const c_char, value: *mut c_char) -> c_int;
    }

    /// The bytes of a property's value, with the zero behind it (`PROP_VALUE_MAX`).
    const MOST: usize = 92;

    /// Says something in the system's log.
    pub(crate) fn say(level: Level, text: &str) {
        // `android_LogPriority`.
        let priority = match level {
            Level::Off | Level::Error => 6,
            Level::Warning => 5,
            Level::Info => 4,
            Level::Debug => 3,
        };
        if let Ok(text) = CString::new(text) {
            // SAFETY: both are strings.
            unsafe { __android_log_write(priority, c"polyshade-layer".as_ptr(), text.as_ptr()) };
        }
    }

    /// The property that stands for a variable of the environment: `debug.polyshade_layer_mode`.
    pub(crate) fn property(variable: &str) -> Option<OsString> {
        let name = CString::new(format!("debug.{}", variable.to_lowercase())).ok()?;
        let mut value = [0_u8; MOST];
        // SAFETY: there is room for any value.
        let length = unsafe { __system_property_get(name.as_ptr(), value.as_mut_ptr().cast()) };
        let bytes = value.get(..usize::try_from(length).ok()?)?;
        let text = std::str::from_utf8(bytes).ok()?;
        (!text.is_empty()).then(|| text.into())
    }
}
