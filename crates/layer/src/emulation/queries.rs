//! Queries of transform feedback and of primitives generated, which the keeper counts.
//!
//! The driver gets a pool of timestamps in their place: a timestamp is written where a query ends, so that the driver
//! tells the host whether a result is available, and waits for it. The numbers stand in memory of the layer's, beside
//! the availability that commands copy: lavapipe copies a timestamp of the same command buffer as not available, and
//! SwiftShader copies 2 as availability.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::barrier;
use crate::emulation::memory::{Block, Piece};
use crate::emulation::recording::{Recording, Scope};
use ash::vk::{
    self, AccessFlags as Access, Handle as _, PipelineStageFlags as Stage,
    QueryResultFlags as Flags,
};
use polyshade_planner::keeper::Job;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Bytes of a query: primitives written, primitives needed, and from [`AVAILABLE`] on whether it has ended.
/// results.comp has the same.
const SIZE: u64 = AVAILABLE + 8;
const AVAILABLE: u64 = Job::QUERY_SIZE as u64;

/// The queries that a workgroup of results.comp copies.
const COPIED_TOGETHER: u32 = 64;

/// The numbers of a pool.
pub(crate) struct Counts {
    numbers: Block,
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
    let numbers = emulator.chunks.take(device, emulator, SIZE * u64::from(info.query_count))?;
    let of_generated = info.query_type == vk::QueryType::PRIMITIVES_GENERATED_EXT;
    emulator.may_capture.store(true, Ordering::Relaxed);
    emulator.queries.insert(pool.as_raw(), Box::new(Counts { numbers, of_generated }));
    // A pool may be created reset (`VK_QUERY_POOL_CREATE_RESET_BIT_KHR`).
    reset_by_host(emulator, pool, 0, info.query_count);
    Ok(())
}

pub(crate) fn destroy(device: &Driver, emulator: &Emulator, pool: vk::QueryPool) {
    if let Some(counts) = emulator.queries.remove(pool.as_raw()) {
        emulator.chunks.give(device, counts.numbers);
    }
}

/// The numbers of a pool, and which of those of a query are its results.
fn numbers(emulator: &Emulator, pool: vk::QueryPool) -> Option<(Piece, Range<u64>)> {
    // SAFETY: who destroys the pool waits for those who use it.
    let counts = unsafe { emulator.queries.get(pool.as_raw()) }?;
    Some((counts.numbers.piece, if counts.of_generated { 1..2 } else { 0..2 }))
}

impl Recording {
    /// Begins a query of a vertex stream. There is one stream; those of others count nothing.
    pub(crate) fn begin_query(
        &mut self,
        emulator: &Emulator,
        (pool, query): (vk::QueryPool, u32),
        stream: u32,
    ) {
        if let (Some((all, values)), 0) = (numbers(emulator, pool), stream) {
            self.counted[values.start as usize] = all.address + SIZE * u64::from(query);
        }
    }

    /// Ends it. In a render pass it is available before the pass begins, as its numbers are.
    ///
    /// # Safety
    ///
    /// As Vulkan asks for.
    pub(crate) unsafe fn end_query(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        (pool, query): (vk::QueryPool, u32),
        stream: u32,
    ) {
        let Some((all, values)) = numbers(emulator, pool) else { return };
        if stream == 0 {
            self.counted[values.start as usize] = 0;
        }
        let at = SIZE * u64::from(query) + AVAILABLE;
        // SAFETY: the pool is one of timestamps for the driver, and outside of render passes none is open.
        unsafe {
            if self.scope == Scope::Outside {
                fill(device, commands, all, at..at + 4, 1);
            } else if let Err(error) = self.end_in_pass(device, emulator, all.address + at) {
                device.fault(format_args!("no memory for a query: {error}"));
            }
            if let Some(write) = device.next.cmd_write_timestamp {
                write(commands, Stage::BOTTOM_OF_PIPE, pool, query);
            }
        }
    }

    /// Has the keeper write 1 to a place: as the counter of a capture that begins and ends.
    fn end_in_pass(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        available: u64,
    ) -> Result<(), vk::Result> {
        const ONE: u64 = Job::STATE_SIZE as u64;
        self.keeps();
        let state = self.arena.put(device, emulator, &[0, 0, 0, 0, 1])?.address;
        let (begin, end) = ([state + ONE, 0, 0, 0], [available, 0, 0, 0]);
        self.jobs.push(&Job { state, begin: Some(begin), end: Some(end), ..Job::default() });
        Ok(())
    }
}

/// Fills words of queries, after the keeper's earlier jobs and before its later ones.
///
/// # Safety
///
/// The command buffer is one of the device's, and no render pass is open.
unsafe fn fill(
    device: &Driver,
    commands: vk::CommandBuffer,
    all: Piece,
    bytes: Range<u64>,
    value: u32,
) {
    let Some(fill) = device.next.cmd_fill_buffer else { return };
    let written = (Stage::TRANSFER, Access::TRANSFER_WRITE);
    let keeper = (Stage::COMPUTE_SHADER, Access::SHADER_WRITE);
    let read = Access::SHADER_READ | Access::SHADER_WRITE | Access::HOST_READ;
    // SAFETY: the caller's promise.
    unsafe {
        let before = (keeper.0 | written.0, keeper.1 | written.1);
        barrier(device, commands, before, written);
        fill(commands, all.buffer, all.offset + bytes.start, bytes.end - bytes.start, value);
        barrier(device, commands, written, (Stage::COMPUTE_SHADER | Stage::HOST, read));
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
    if let Some((all, _)) = numbers(emulator, pool).filter(|_| count > 0) {
        let at = SIZE * u64::from(first);
        // SAFETY: the caller's promise.
        unsafe { fill(device, commands, all, at..at + SIZE * u64::from(count), 0) };
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
    // Partial results are always there.
    if flags.contains(Flags::PARTIAL) { vk::Result::SUCCESS } else { result }
}

/// `vkCmdCopyQueryPoolResults` of such a pool. The words of the destination are fetched first, and put back with the
/// results of the queries that are available.
///
/// # Safety
///
/// As Vulkan asks for.
pub(crate) unsafe fn copy(
    (device, emulator, recording): (&Driver, &Emulator, &mut Recording),
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
    (buffer, offset, stride): (vk::Buffer, vk::DeviceSize, vk::DeviceSize),
    flags: Flags,
) -> Result<(), vk::Result> {
    let (Some((all, values)), Some(copy)) = (numbers(emulator, pool), device.next.cmd_copy_buffer)
    else {
        return Ok(());
    };
    if count == 0 {
        return Ok(());
    }
    let width = if flags.contains(Flags::TYPE_64) { 2 } else { 1 };
    let with_availability = u32::from(flags.contains(Flags::WITH_AVAILABILITY));
    let value_count = (values.end - values.start) as u32;
    let size = u64::from(4 * width * (value_count + with_availability));
    let room = recording.arena.take(device, emulator, size * u64::from(count))?;
    let in_any_case = u32::from(flags.intersects(Flags::PARTIAL | Flags::WAIT));
    let from = all.address + SIZE * u64::from(first);
    let copying = [
        from as u32,
        (from >> 32) as u32,
        room.address as u32,
        (room.address >> 32) as u32,
        values.start as u32,
        value_count,
        width,
        with_availability,
        in_any_case,
    ];
    let copying = recording.arena.put(device, emulator, &copying)?;
    let region = |number: u64| vk::BufferCopy {
        src_offset: offset + number * stride,
        dst_offset: room.offset + number * size,
        size,
    };
    let there: Vec<_> = (0..u64::from(count)).map(region).collect();
    let back = |one: &vk::BufferCopy| vk::BufferCopy {
        src_offset: one.dst_offset,
        dst_offset: one.src_offset,
        ..*one
    };
    let back: Vec<_> = there.iter().map(back).collect();
    let shader = (Stage::COMPUTE_SHADER, Access::SHADER_READ | Access::SHADER_WRITE);
    let copies = (Stage::TRANSFER, Access::TRANSFER_READ | Access::TRANSFER_WRITE);
    // SAFETY: the caller's promise. No render pass is open.
    unsafe {
        barrier(device, commands, (shader.0 | copies.0, shader.1 | copies.1), copies);
        copy(commands, buffer, room.buffer, count, there.as_ptr());
        barrier(device, commands, copies, shader);
        let words = [copying.address as u32, (copying.address >> 32) as u32, count];
        recording.compute(device, &emulator.keeper, commands, words, |device, keeper| {
            if let (Some(bind), Some(dispatch)) =
                (device.next.cmd_bind_pipeline, device.next.cmd_dispatch)
            {
                bind(commands, vk::PipelineBindPoint::COMPUTE, keeper.results);
                dispatch(commands, count.div_ceil(COPIED_TOGETHER), 1, 1);
            }
        });
        barrier(device, commands, shader, copies);
        copy(commands, room.buffer, buffer, count, back.as_ptr());
    }
    Ok(())
}
