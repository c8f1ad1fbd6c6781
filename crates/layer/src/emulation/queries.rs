//! Queries of transform feedback and of primitives generated, which the keeper counts.
//!
//! The driver gets a pool of timestamps in their place: a timestamp is written where a query ends, so that the driver
//! says whether a result is available, and waits for it. The numbers stand in memory of the layer's.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::barrier;
use crate::emulation::memory::{Chunk, Piece};
use crate::emulation::recording::Recording;
use ash::vk::{
    self, AccessFlags, Handle as _, PipelineStageFlags as Stage, QueryResultFlags as Flags,
};
use polyshade_planner::keeper::Job;
use std::ops::Range;

/// Bytes of what is counted of a query: primitives written, then primitives needed.
const SIZE: u64 = Job::QUERY_SIZE as u64;

/// The numbers of a pool.
pub(crate) struct Counts {
    numbers: Chunk,
    /// Whether it counts primitives generated, rather than those of transform feedback.
    of_generated: bool,
}

/// Keeps the numbers of a pool that was created.
pub(crate) fn create(
    device: &Driver,
    emulator: &Emulator,
    pool: vk::QueryPool,
    info: &vk::QueryPoolCreateInfo<'_>,
) -> Result<(), vk::Result> {
    let numbers = Chunk::new(device, emulator, SIZE * u64::from(info.query_count))?;
    let of_generated = info.query_type == vk::QueryType::PRIMITIVES_GENERATED_EXT;
    emulator.queries.insert(pool.as_raw(), Box::new(Counts { numbers, of_generated }));
    // A pool may be created reset (`VK_QUERY_POOL_CREATE_RESET_BIT_KHR`).
    reset_by_host(emulator, pool, 0, info.query_count);
    Ok(())
}

pub(crate) fn destroy(device: &Driver, emulator: &Emulator, pool: vk::QueryPool) {
    if let Some(counts) = emulator.queries.remove(pool.as_raw()) {
        counts.numbers.destroy(device);
    }
}

/// The numbers of a pool, and which of those of a query it says.
fn numbers(emulator: &Emulator, pool: vk::QueryPool) -> Option<(Piece, Range<u64>)> {
    // SAFETY: who destroys the pool waits for those who use it.
    let counts = unsafe { emulator.queries.get(pool.as_raw()) }?;
    Some((counts.numbers.whole(), if counts.of_generated { 1..2 } else { 0..2 }))
}

impl Recording {
    pub(crate) fn begin_query(&mut self, emulator: &Emulator, pool: vk::QueryPool, query: u32) {
        if let Some((all, said)) = numbers(emulator, pool) {
            self.counted[said.start as usize] = all.address + SIZE * u64::from(query);
        }
    }

    pub(crate) unsafe fn end_query(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        pool: vk::QueryPool,
        query: u32,
    ) {
        if let Some((_, said)) = numbers(emulator, pool) {
            self.counted[said.start as usize] = 0;
        }
        if let Some(write) = device.next.cmd_write_timestamp {
            // SAFETY: the pool is one of timestamps for the driver.
            unsafe { write(commands, Stage::BOTTOM_OF_PIPE, pool, query) };
        }
    }
}

/// Sets numbers to 0 where commands reset queries.
///
/// # Safety
///
/// The command buffer is one of the device's, and no render pass is open.
pub(crate) unsafe fn reset(
    device: &Driver,
    emulator: &Emulator,
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
) {
    let (Some((all, _)), Some(fill)) = (numbers(emulator, pool), device.next.cmd_fill_buffer)
    else {
        return;
    };
    let keeper = (Stage::COMPUTE_SHADER, AccessFlags::SHADER_WRITE);
    let read = AccessFlags::SHADER_READ | AccessFlags::SHADER_WRITE;
    let written = (Stage::TRANSFER, AccessFlags::TRANSFER_WRITE);
    let (at, size) = (SIZE * u64::from(first), SIZE * u64::from(count));
    // SAFETY: the caller's promise.
    unsafe {
        let before = (keeper.0 | Stage::TRANSFER, keeper.1);
        barrier(device, commands, before, written);
        fill(commands, all.buffer, all.offset + at, size, 0);
        let behind = (Stage::COMPUTE_SHADER | Stage::HOST, read | AccessFlags::HOST_READ);
        barrier(device, commands, written, behind);
    }
}

/// Sets numbers to 0 where the host resets queries.
pub(crate) fn reset_by_host(emulator: &Emulator, pool: vk::QueryPool, first: u32, count: u32) {
    if let Some((all, _)) = numbers(emulator, pool) {
        let zeros = vec![0; SIZE as usize / 4 * count as usize];
        all.write(SIZE * u64::from(first), &zeros);
    }
}

/// `vkGetQueryPoolResults` of such a pool.
///
/// # Safety
///
/// As Vulkan asks for.
pub(crate) unsafe fn results(
    device: &Driver,
    emulator: &Emulator,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
    (size, data, stride): (usize, *mut std::ffi::c_void, vk::DeviceSize),
    flags: Flags,
) -> vk::Result {
    let (Some((all, said)), Some(next)) =
        (numbers(emulator, pool), device.next.get_query_pool_results)
    else {
        return vk::Result::ERROR_UNKNOWN;
    };
    let asked = Flags::TYPE_64 | Flags::WITH_AVAILABILITY | (flags & Flags::WAIT);
    let mut there = vec![[0_u64; 2]; count as usize];
    // SAFETY: there is room for a timestamp and its availability each.
    let result = unsafe {
        let size = size_of_val(there.as_slice());
        next(device.handle, pool, first, count, size, there.as_mut_ptr().cast(), 16, asked)
    };
    if result != vk::Result::SUCCESS && result != vk::Result::NOT_READY {
        return result;
    }
    let width = if flags.contains(Flags::TYPE_64) { 8 } else { 4 };
    for (number, [_, available]) in there.into_iter().enumerate() {
        let at = SIZE * (u64::from(first) + number as u64);
        let is_said = available != 0 || flags.contains(Flags::PARTIAL);
        let values = said.clone().map(|value| is_said.then(|| all.read(at + 8 * value)));
        // What is not available is not said, but for that.
        let told = flags.contains(Flags::WITH_AVAILABILITY).then_some(Some(available.min(1)));
        for (place, value) in values.chain(told).enumerate() {
            let Some(value) = value else { continue };
            let to = number * stride as usize + place * width;
            if to + width <= size {
                // SAFETY: there is room. Of a number in 32 bits, those are the lower ones.
                unsafe {
                    let to = data.cast::<u8>().add(to);
                    match width {
                        8 => to.cast::<u64>().write_unaligned(value),
                        _ => to.cast::<u32>().write_unaligned(value as u32),
                    }
                }
            }
        }
    }
    result
}

/// `vkCmdCopyQueryPoolResults` of such a pool.
///
/// # Safety
///
/// As Vulkan asks for.
pub(crate) unsafe fn copy(
    device: &Driver,
    emulator: &Emulator,
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
    (buffer, offset, stride): (vk::Buffer, vk::DeviceSize, vk::DeviceSize),
    flags: Flags,
) {
    let next = &device.next;
    let (Some((all, said)), Some(copy_results), Some(copy)) =
        (numbers(emulator, pool), next.cmd_copy_query_pool_results, next.cmd_copy_buffer)
    else {
        return;
    };
    let width = if flags.contains(Flags::TYPE_64) { 8 } else { 4 };
    let mut regions = Vec::new();
    for number in 0..u64::from(count) {
        let from = all.offset + SIZE * (u64::from(first) + number);
        for (place, value) in (0..).zip(said.clone()) {
            regions.push(vk::BufferCopy {
                src_offset: from + 8 * value,
                dst_offset: offset + number * stride + place * width,
                size: width,
            });
        }
    }
    let written = (Stage::TRANSFER, AccessFlags::TRANSFER_WRITE);
    let kept = (Stage::COMPUTE_SHADER, AccessFlags::SHADER_WRITE);
    // Availability stands behind the numbers, and behind one timestamp.
    let at = offset + width * (said.end - said.start - 1);
    // SAFETY: the caller's promise.
    unsafe {
        let asked = flags & !Flags::PARTIAL;
        copy_results(commands, pool, first, count, buffer, at, stride, asked);
        barrier(device, commands, written, written);
        barrier(device, commands, kept, (Stage::TRANSFER, AccessFlags::TRANSFER_READ));
        copy(commands, all.buffer, buffer, regions.len() as u32, regions.as_ptr());
    }
}
