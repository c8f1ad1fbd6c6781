//! The commands of the extension. The driver, the emulation or nothing implements them.
//!
//! If nothing implements them, nothing is captured or counted, and a draw by byte count draws no vertices.

use crate::device::Device;
use crate::feedback::draws;
use ash::vk;

/// Defines commands that call the driver unless the layer provides the extension on the device.
/// `vkGetInstanceProcAddr` returns the layer's commands for all devices.
macro_rules! captures {
    ($(
        $name:ident($($argument:ident: $Type:ty),*)
            |$device:ident, $emulator:ident, $recording:ident, $commands:ident| $what:expr;
    )*) => {
        $(pub(crate) unsafe extern "system" fn $name($commands: vk::CommandBuffer, $($argument: $Type),*) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some($device) = Device::of($commands) else { return };
                if let (false, Some(next)) = ($device.has_feedback, $device.next.$name) {
                    return next($commands, $($argument),*);
                }
                if let Some(($emulator, $recording)) = $device.recording($commands) {
                    $what;
                }
            }
        })*
    };
}

captures! {
    cmd_bind_transform_feedback_buffers(
        first: u32,
        count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize
    ) |device, emulator, recording, commands|
        recording.bind_targets(device, emulator, (first, count), buffers, offsets, sizes);
    cmd_begin_transform_feedback(
        first: u32, count: u32, counters: *const vk::Buffer, offsets: *const vk::DeviceSize
    ) |device, emulator, recording, commands|
        recording.begin_capture(device, emulator, (first, count), counters, offsets);
    cmd_end_transform_feedback(
        first: u32, count: u32, counters: *const vk::Buffer, offsets: *const vk::DeviceSize
    ) |device, emulator, recording, commands|
        recording.end_capture(device, emulator, (first, count), counters, offsets);
    cmd_draw_indirect_byte_count(
        instances: u32,
        first_instance: u32,
        counter: vk::Buffer,
        counter_at: vk::DeviceSize,
        counter_offset: u32,
        stride: u32
    ) |device, emulator, recording, commands| draws::draw_byte_count(
        (device, emulator, recording),
        commands,
        (instances, first_instance),
        (counter, counter_at),
        (counter_offset, stride)
    );
}
