//! The commands of a device on which the layer provides `VK_EXT_transform_feedback`.
//!
//! The driver does not know the extension, so none of its commands, structures, flags, query types or SPIR-V may reach
//! the driver. The layer replaces its stages, accesses and usages by those of vertex shaders that store to buffers.

/// Defines commands that the layer records on devices that capture, and then passes to the driver.
macro_rules! noted {
    ($(
        $name:ident($($argument:ident: $Type:ty),*)
            |$device:ident, $emulator:ident, $recording:ident, $commands:ident| $what:expr
            $(, then $then:expr)?;
    )*) => {
        $(pub(crate) unsafe extern "system" fn $name($commands: vk::CommandBuffer, $($argument: $Type),*) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some($device) = crate::device::Device::of($commands) else { return };
                let Some(next) = $device.next.$name else { return };
                if let Some(($emulator, $recording)) = $device.recording($commands) {
                    $what;
                }
                next($commands, $($argument),*);
                $(if let Some(($emulator, $recording)) = $device.recording($commands) {
                    $then;
                })?
            }
        })*
    };
}

/// Defines device commands in the same way as `noted!`.
macro_rules! noted_on_device {
    ($($name:ident($($argument:ident: $Type:ty),*) |$device:ident, $emulator:ident| $what:expr;)*) => {
        $(pub(crate) unsafe extern "system" fn $name($device: vk::Device, $($argument: $Type),*) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some($device) = crate::device::Device::of($device) else { return };
                if let Some($emulator) = $device.emulator.get() {
                    $what;
                }
                if let Some(next) = $device.next.$name {
                    next($device.handle, $($argument),*);
                }
            }
        })*
    };
}

pub(crate) mod barriers;
pub(crate) mod buffers;
pub(crate) mod capture;
pub(crate) mod draws;
pub(crate) mod events;
pub(crate) mod layouts;
mod lowered_pipelines;
mod masks;
pub(crate) mod objects;
pub(crate) mod passes;
pub(crate) mod pipelines;
pub(crate) mod queries;
pub(crate) mod recordings;
pub(crate) mod render_passes;
pub(crate) mod shaders;
pub(crate) mod state;
pub(crate) mod submits;
