//! `VK_EXT_transform_feedback`, where the layer provides it.
//!
//! The driver knows nothing of the extension, so nothing of it may reach the driver: no command, structure, flag, type
//! of query or SPIR-V. What stands for the extension's stages, accesses and usages are those that a capture by vertex
//! shaders into storage buffers has.

/// Commands that are noted where something captures, and then the driver's.
macro_rules! noted {
    ($(
        $name:ident($($argument:ident: $Type:ty),*)
            |$device:ident, $emulator:ident, $recording:ident, $commands:ident| $what:expr;
    )*) => {
        $(pub(crate) unsafe extern "system" fn $name($commands: vk::CommandBuffer, $($argument: $Type),*) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some(next) = crate::device::Device::of($commands).and_then(|one| one.next.$name) else { return };
                if let Some(($device, $emulator, $recording)) = crate::feedback::emulated($commands) {
                    $what;
                }
                next($commands, $($argument),*);
            }
        })*
    };
}

/// The same of commands of devices.
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

use crate::device::Device;
use crate::emulation::Emulator;
use crate::emulation::recording::Recording;
use ash::vk;

/// The device of a command buffer that captures, with what is known of its recording.
///
/// # Safety
///
/// As Vulkan asks of whoever records commands: the command buffer is alive, and nobody else records it at the same
/// time.
unsafe fn emulated<'d>(
    commands: vk::CommandBuffer,
) -> Option<(&'d Device, &'d Emulator, &'d mut Recording)> {
    // SAFETY: the caller's promise.
    unsafe {
        let device = Device::of(commands)?;
        let emulator = device.emulator.get()?;
        Some((device, emulator, emulator.recording(commands)?))
    }
}
