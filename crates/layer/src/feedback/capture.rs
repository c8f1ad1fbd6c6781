//! The commands that capture: the driver's, those of the emulation, or none. Then no primitive is written, none is
//! counted, and a draw of as many vertices as were captured draws none.

use crate::device::Device;
use crate::feedback::{draws, emulated};
use ash::vk;

/// `vkCmdBindTransformFeedbackBuffersEXT`.
pub(crate) unsafe extern "system" fn cmd_bind_transform_feedback_buffers(
    commands: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
    sizes: *const vk::DeviceSize,
) {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        if let Some(next) =
            native(commands, |device| device.next.cmd_bind_transform_feedback_buffers)
        {
            return next(commands, first, count, buffers, offsets, sizes);
        }
        if let Some((device, emulator, recording)) = emulated(commands) {
            recording.bind_targets(device, emulator, (first, count), buffers, offsets, sizes);
        }
    }
}

/// `vkCmdBeginTransformFeedbackEXT`.
pub(crate) unsafe extern "system" fn cmd_begin_transform_feedback(
    commands: vk::CommandBuffer,
    first: u32,
    count: u32,
    counters: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
) {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        if let Some(next) = native(commands, |device| device.next.cmd_begin_transform_feedback) {
            return next(commands, first, count, counters, offsets);
        }
        if let Some((device, emulator, recording)) = emulated(commands) {
            recording.begin_capture(device, emulator, (first, count), counters, offsets);
        }
    }
}

/// `vkCmdEndTransformFeedbackEXT`.
pub(crate) unsafe extern "system" fn cmd_end_transform_feedback(
    commands: vk::CommandBuffer,
    first: u32,
    count: u32,
    counters: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
) {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        if let Some(next) = native(commands, |device| device.next.cmd_end_transform_feedback) {
            return next(commands, first, count, counters, offsets);
        }
        if let Some((device, emulator, recording)) = emulated(commands) {
            recording.end_capture(device, emulator, (first, count), counters, offsets);
        }
    }
}

/// `vkCmdDrawIndirectByteCountEXT`.
pub(crate) unsafe extern "system" fn cmd_draw_indirect_byte_count(
    commands: vk::CommandBuffer,
    instances: u32,
    first_instance: u32,
    counter: vk::Buffer,
    counter_at: vk::DeviceSize,
    counter_offset: u32,
    stride: u32,
) {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        if let Some(next) = native(commands, |device| device.next.cmd_draw_indirect_byte_count) {
            return next(
                commands,
                instances,
                first_instance,
                counter,
                counter_at,
                counter_offset,
                stride,
            );
        }
        if let Some(state) = emulated(commands) {
            let numbers = (instances, first_instance);
            let counter = (counter, counter_at);
            draws::draw_byte_count(state, commands, numbers, counter, (counter_offset, stride));
        }
    }
}

/// The driver's command, on a device where the extension is the driver's: whoever asks for commands of an instance gets
/// the layer's for all devices.
///
/// # Safety
///
/// The command buffer is alive.
unsafe fn native<F>(
    commands: vk::CommandBuffer,
    command: impl Fn(&Device) -> Option<F>,
) -> Option<F> {
    // SAFETY: the caller's promise.
    let device = unsafe { Device::of(commands) }?;
    if device.has_feedback { None } else { command(device) }
}
