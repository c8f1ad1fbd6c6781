//! Draw commands, which the layer captures and counts.

use crate::device::Device;
use crate::emulation::Emulator;
use crate::emulation::draw_calls::{DrawArguments, RecordedDraw};
use crate::emulation::recording::Recording;
use crate::settings::slice;
use ash::vk;
use polyshade_planner::counter_pass::Job;

macro_rules! draws {
    ($($name:ident($($argument:ident: $Type:ty),*) $calls:expr;)*) => {
        $(pub(crate) unsafe extern "system" fn $name(commands: vk::CommandBuffer, $($argument: $Type),*) {
            /// Captures and counts the draw before it is recorded.
            #[inline(never)]
            unsafe fn watch(
                (device, commands): (&Device, vk::CommandBuffer),
                $($argument: $Type),*
            ) {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    let Some((emulator, recording)) = device.recording(commands) else { return };
                    if recording.watches(emulator) {
                        let mut is_whole = true;
                        for call in $calls {
                            is_whole &= recording.watch(device, emulator, commands, call).is_whole;
                        }
                        if is_whole {
                            return;
                        }
                    }
                    recording.restore(device, commands);
                    if let Some(next) = device.next.$name {
                        next(commands, $($argument),*);
                    }
                }
            }
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some(device) = Device::of(commands) else { return };
                // Most draws are not captured, so they take the shortest way.
                if device.recording(commands).is_some_and(|(_, recording)| recording.is_disturbed()) {
                    return watch((device, commands), $($argument),*);
                }
                if let Some(next) = device.next.$name {
                    next(commands, $($argument),*);
                }
            }
        })*
    };
}

draws! {
    cmd_draw(count: u32, instances: u32, first: u32, first_instance: u32)
        [RecordedDraw::direct(false, [count, instances, first, first_instance], 0, 0)];
    cmd_draw_indexed(count: u32, instances: u32, first: u32, vertex_offset: i32, first_instance: u32)
        [RecordedDraw::direct(true, [count, instances, first, first_instance], vertex_offset, 0)];
    cmd_draw_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32)
        [RecordedDraw::indirect(false, (buffer, offset), (draws, stride), None)];
    cmd_draw_indexed_indirect(buffer: vk::Buffer, offset: vk::DeviceSize, draws: u32, stride: u32)
        [RecordedDraw::indirect(true, (buffer, offset), (draws, stride), None)];
    cmd_draw_indirect_count(
        buffer: vk::Buffer, offset: vk::DeviceSize, counts: vk::Buffer, count: vk::DeviceSize, most: u32, stride: u32
    ) [RecordedDraw::indirect(false, (buffer, offset), (most, stride), Some((counts, count)))];
    cmd_draw_indexed_indirect_count(
        buffer: vk::Buffer, offset: vk::DeviceSize, counts: vk::Buffer, count: vk::DeviceSize, most: u32, stride: u32
    ) [RecordedDraw::indirect(true, (buffer, offset), (most, stride), Some((counts, count)))];
    cmd_draw_multi(count: u32, infos: *const vk::MultiDrawInfoEXT, instances: u32, first_instance: u32, stride: u32)
        strided(infos, count, stride).into_iter().zip(0..).map(|(info, number)| {
            let numbers = [info.vertex_count, instances, info.first_vertex, first_instance];
            RecordedDraw::direct(false, numbers, 0, number).of_multi(count)
        });
    cmd_draw_multi_indexed(
        count: u32,
        infos: *const vk::MultiDrawIndexedInfoEXT,
        instances: u32,
        first_instance: u32,
        stride: u32,
        vertex_offset: *const i32
    ) strided(infos, count, stride).into_iter().zip(0..).map(|(info, number)| {
        let numbers = [info.index_count, instances, info.first_index, first_instance];
        let offset = vertex_offset.as_ref().copied().unwrap_or(info.vertex_offset);
        RecordedDraw::direct(true, numbers, offset, number).of_multi(count)
    });
}

/// Copies structures from an array with the given stride in bytes.
unsafe fn strided<T: Copy>(first: *const T, count: u32, stride: u32) -> Vec<T> {
    if stride as usize == size_of::<T>() {
        // SAFETY: the caller passes an array of `count` structures.
        return unsafe { slice(first, count) }.to_vec();
    }
    // SAFETY: as above.
    let at = |number: u32| unsafe { first.byte_add((number * stride) as usize).read_unaligned() };
    (0..count).map(at).collect()
}

/// `vkCmdDrawIndirectByteCountEXT`.
pub(crate) unsafe fn draw_byte_count(
    (device, emulator, recording): (&Device, &Emulator, &mut Recording),
    commands: vk::CommandBuffer,
    (instances, first_instance): (u32, u32),
    counter: (vk::Buffer, u64),
    (offset, stride): (u32, u32),
) {
    let arguments = DrawArguments::Bytes { counter, offset, stride, instances, first_instance };
    let call = RecordedDraw { arguments, indexed: false, draws: 1, is_multi: false };
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let done = recording.watch(device, emulator, commands, call);
        if let (Some(piece), false, Some(draw)) =
            (done.commands, done.is_whole, device.next.cmd_draw_indirect)
        {
            recording.restore(device, commands);
            draw(commands, piece.buffer, piece.offset, 1, Job::COMMAND_SIZE);
        }
    }
}
