//! Transform feedback queries and primitives generated queries, which the counter pass counts.
//!
//! For each of these pools, the driver creates a pool of timestamp queries. The layer writes a timestamp where a query
//! ends, so that the driver reports the query's availability to the host and waits for it. The layer's own memory
//! contains the counts, and an availability value for `vkCmdCopyQueryPoolResults`: lavapipe copies a timestamp of the
//! same command buffer as not available, and SwiftShader copies the availability as 2. If the layer hides primitives
//! generated queries of the driver, it uses the driver's count and availability, which include pipelines that the
//! layer does not capture.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::{LOST, barrier};
use crate::emulation::memory::{Block, Piece};
use crate::emulation::recording::{Counted, Recording, RenderPassScope};
use ash::vk::{
    self, AccessFlags as Access, Handle as _, PipelineStageFlags as Stage,
    QueryResultFlags as Flags,
};
use polyshade_planner::counter_pass::Job;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// The size of a query in bytes, in memory and in results.comp: primitives written, primitives needed, availability.
const SIZE: u64 = AVAILABLE + 8;
const AVAILABLE: u64 = Job::QUERY_SIZE as u64;

/// The number of queries that one workgroup of results.comp copies.
const COPIED_TOGETHER: u32 = 64;

/// The memory with the counts of a query pool.
pub(crate) struct Counts {
    numbers: Block,
    /// Whether the pool counts primitives generated, rather than the primitives of transform feedback.
    of_generated: bool,
    /// The driver's pool of primitives generated queries, if the driver has such queries. The counter pass then counts
    /// only the points that the layer draws for captures, and the layer subtracts them from the driver's count.
    of_driver: Option<vk::QueryPool>,
}

impl Counts {
    fn destroy(self, device: &Driver, emulator: &Emulator) {
        emulator.chunks.give(device, self.numbers);
        if let (Some(pool), Some(destroy)) = (self.of_driver, device.next.destroy_query_pool) {
            // SAFETY: the application destroys its pool only after the last use.
            unsafe { destroy(device.handle, pool, std::ptr::null()) };
        }
    }
}

/// The location of the results of a pool.
struct QueryResults {
    all: Piece,
    /// The indices of the pool's results among the values of a query.
    values: Range<u64>,
    of_driver: Option<vk::QueryPool>,
}

/// Allocates the counts of a new query pool.
pub(crate) fn create(
    device: &Driver,
    emulator: &Emulator,
    pool: vk::QueryPool,
    info: &vk::QueryPoolCreateInfo<'_>,
) -> Result<(), vk::Result> {
    let numbers = emulator.chunks.take(device, emulator, SIZE * u64::from(info.query_count))?;
    let of_generated = info.query_type == vk::QueryType::PRIMITIVES_GENERATED_EXT;
    let mut counts = Counts { numbers, of_generated, of_driver: None };
    if of_generated && emulator.driver_counts {
        match driver_pool(device, info) {
            Ok(pool) => counts.of_driver = Some(pool),
            Err(error) => {
                counts.destroy(device, emulator);
                return Err(error);
            }
        }
    }
    emulator.may_capture.store(true, Ordering::Relaxed);
    // A pool may be created in the reset state (`VK_QUERY_POOL_CREATE_RESET_BIT_KHR`).
    clear(counts.numbers.piece, 0, info.query_count);
    emulator.queries.insert(pool.as_raw(), Box::new(counts));
    Ok(())
}

/// Creates a query pool of the driver with the application's create info.
fn driver_pool(
    device: &Driver,
    info: &vk::QueryPoolCreateInfo<'_>,
) -> Result<vk::QueryPool, vk::Result> {
    let create = device.next.create_query_pool.ok_or(LOST)?;
    let mut pool = vk::QueryPool::null();
    // SAFETY: the structure is valid.
    unsafe { create(device.handle, info, std::ptr::null(), &raw mut pool) }
        .result_with_success(pool)
}

pub(crate) fn destroy(device: &Driver, emulator: &Emulator, pool: vk::QueryPool) {
    if let Some(counts) = emulator.queries.remove(pool.as_raw()) {
        counts.destroy(device, emulator);
    }
}

fn source(emulator: &Emulator, pool: vk::QueryPool) -> Option<QueryResults> {
    // SAFETY: the application destroys the pool only after the last use.
    let counts = unsafe { emulator.queries.get(pool.as_raw()) }?;
    let values = if counts.of_generated { 1..2 } else { 0..2 };
    Some(QueryResults { all: counts.numbers.piece, values, of_driver: counts.of_driver })
}

impl Recording {
    /// Begins a query of a vertex stream. Queries of generated primitives count stream 0 only.
    ///
    /// # Safety
    ///
    /// The call is valid usage of the Vulkan command.
    pub(crate) unsafe fn begin_query(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        (pool, query): (vk::QueryPool, u32),
        stream: u32,
    ) {
        let Some(source) = source(emulator, pool) else { return };
        let Some(counted) = self.counted.of(source.values.start == 0, stream) else { return };
        *counted = source.all.address + SIZE * u64::from(query);
        if let (Some(pool), Some(begin)) = (source.of_driver, device.next.cmd_begin_query) {
            // SAFETY: guaranteed by the caller.
            unsafe { begin(commands, pool, query, vk::QueryControlFlags::empty()) };
        }
    }

    /// Ends a query. If it ends inside a render pass, the counter pass writes its counts and availability before the
    /// render pass begins.
    ///
    /// # Safety
    ///
    /// The call is valid usage of the Vulkan command.
    pub(crate) unsafe fn end_query(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        (pool, query): (vk::QueryPool, u32),
        stream: u32,
    ) {
        let Some(QueryResults { all, values, of_driver }) = source(emulator, pool) else { return };
        if let Some(counted) = self.counted.of(values.start == 0, stream) {
            *counted = 0;
        }
        let functions = (device.next.cmd_begin_query, device.next.cmd_end_query);
        if let (Some(pool), (Some(begin), Some(end))) = (of_driver, functions) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                // The query of another stream counts nothing and becomes available.
                if stream != 0 {
                    begin(commands, pool, query, vk::QueryControlFlags::empty());
                }
                end(commands, pool, query);
            }
            return;
        }
        // A deferred capture may count after the render pass.
        let is_deferred = !self.deferred.is_empty();
        // SAFETY: the driver's pool has timestamp queries, and outside of render passes no pass is active.
        unsafe {
            // The queries of the remaining views count nothing and become available.
            for query in query..query + self.view_count(emulator) {
                let at = SIZE * u64::from(query) + AVAILABLE;
                if is_deferred {
                    self.deferred.queries.push((pool, query));
                }
                if self.scope == RenderPassScope::Outside {
                    fill(device, commands, all, at..at + 4, 1);
                } else if let Err(error) = self.end_in_pass(device, emulator, all.address + at) {
                    device.fault(format_args!("no memory for a query: {error}"));
                }
            }
            if let Some(write) = device.next.cmd_write_timestamp.filter(|_| !is_deferred) {
                write(commands, Stage::BOTTOM_OF_PIPE, pool, query);
            }
        }
    }

    /// Makes the counter pass write 1 to an address, as the counter of a capture that begins and ends without draws.
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
        let jobs = if self.deferred.is_empty() { &mut self.jobs } else { &mut self.deferred.jobs };
        jobs.push(&Job { state, begin: Some(begin), end: Some(end), ..Job::default() });
        Ok(())
    }
}

impl Counted {
    /// Returns where the address of an active query is kept, if queries of this stream count.
    fn of(&mut self, is_feedback: bool, stream: u32) -> Option<&mut u64> {
        match is_feedback {
            true => self.streams.get_mut(stream as usize),
            false => Some(&mut self.generated).filter(|_| stream == 0),
        }
    }
}

/// Fills queries with a 32-bit value, after earlier jobs of the counter pass and before later jobs.
///
/// # Safety
///
/// The command buffer belongs to the device, and no render pass is active.
unsafe fn fill(
    device: &Driver,
    commands: vk::CommandBuffer,
    all: Piece,
    bytes: Range<u64>,
    value: u32,
) {
    let Some(fill) = device.next.cmd_fill_buffer else { return };
    let written = (Stage::TRANSFER, Access::TRANSFER_WRITE);
    let counter_pass = (Stage::COMPUTE_SHADER, Access::SHADER_WRITE);
    let read = Access::SHADER_READ | Access::SHADER_WRITE | Access::HOST_READ;
    // SAFETY: guaranteed by the caller.
    unsafe {
        let before = (counter_pass.0 | written.0, counter_pass.1 | written.1);
        barrier(device, commands, before, written);
        fill(commands, all.buffer, all.offset + bytes.start, bytes.end - bytes.start, value);
        barrier(device, commands, written, (Stage::COMPUTE_SHADER | Stage::HOST, read));
    }
}

/// Sets the counts of queries to 0 for `vkCmdResetQueryPool`.
///
/// # Safety
///
/// The command buffer belongs to the device, and no render pass is active.
pub(crate) unsafe fn reset(
    device: &Driver,
    emulator: &Emulator,
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
) {
    if let Some(source) = source(emulator, pool).filter(|_| count > 0) {
        let at = SIZE * u64::from(first);
        // SAFETY: guaranteed by the caller.
        unsafe {
            fill(device, commands, source.all, at..at + SIZE * u64::from(count), 0);
            if let (Some(pool), Some(reset)) = (source.of_driver, device.next.cmd_reset_query_pool)
            {
                reset(commands, pool, first, count);
            }
        }
    }
}

/// Sets the counts of queries to 0 for `vkResetQueryPool`.
///
/// # Safety
///
/// The call is valid usage of the Vulkan command.
pub(crate) unsafe fn reset_by_host(
    device: &Driver,
    emulator: &Emulator,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
) {
    let Some(source) = source(emulator, pool) else { return };
    clear(source.all, first, count);
    if let (Some(pool), Some(reset)) = (source.of_driver, device.next.reset_query_pool) {
        // SAFETY: guaranteed by the caller.
        unsafe { reset(device.handle, pool, first, count) };
    }
}

fn clear(all: Piece, first: u32, count: u32) {
    let zeros = vec![0; SIZE as usize / 4 * count as usize];
    all.write(SIZE * u64::from(first), &zeros);
}

/// Implements `vkGetQueryPoolResults` for pools that the layer counts.
///
/// # Safety
///
/// The call is valid usage of the Vulkan command.
pub(crate) unsafe fn results(
    device: &Driver,
    emulator: &Emulator,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
    (size, data, stride): (usize, *mut std::ffi::c_void, vk::DeviceSize),
    flags: Flags,
) -> vk::Result {
    let Some(QueryResults { all, values, of_driver }) = source(emulator, pool) else {
        return vk::Result::ERROR_UNKNOWN;
    };
    // The counter pass wrote the number of points before the driver began to count.
    // SAFETY: guaranteed by the caller.
    let (result, there) = unsafe { ask(device, of_driver.unwrap_or(pool), (first, count), flags) };
    if result != vk::Result::SUCCESS && result != vk::Result::NOT_READY {
        return result;
    }
    let width = if flags.contains(Flags::TYPE_64) { 8 } else { 4 };
    for (number, [of_query, available]) in there.into_iter().enumerate() {
        let at = SIZE * (u64::from(first) + number as u64);
        let value = |number| match of_driver {
            Some(_) if available == 0 => 0,
            Some(_) => of_query.saturating_sub(all.read(at + 8 * number)),
            None => all.read(at + 8 * number),
        };
        let is_written = available != 0 || flags.contains(Flags::PARTIAL);
        let values = values.clone().map(|number| is_written.then(|| value(number)));
        // The availability value is always written, results only if they are available or partial results are allowed.
        let availability = flags.contains(Flags::WITH_AVAILABILITY).then_some(Some(available));
        for (place, value) in values.chain(availability).enumerate() {
            let Some(value) = value else { continue };
            let to = number * stride as usize + place * width;
            if to + width <= size {
                // SAFETY: the value fits. A 32-bit result has the lower 32 bits of the number.
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
    // Partial results are always ready.
    if flags.contains(Flags::PARTIAL) { vk::Result::SUCCESS } else { result }
}

/// Returns the driver's results, each with its availability, 0 or 1.
///
/// # Safety
///
/// The call is valid usage of the Vulkan command.
unsafe fn ask(
    device: &Driver,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
    flags: Flags,
) -> (vk::Result, Vec<[u64; 2]>) {
    let flags = Flags::TYPE_64 | Flags::WITH_AVAILABILITY | (flags & Flags::WAIT);
    let mut there = vec![[0_u64; 2]; count as usize];
    let (size, to) = (size_of_val(there.as_slice()), there.as_mut_ptr().cast());
    // SAFETY: the vector has two 64-bit values for each query: the result and its availability.
    let result =
        device.next.get_query_pool_results.map_or(vk::Result::ERROR_UNKNOWN, |next| unsafe {
            next(device.handle, pool, first, count, size, to, 16, flags)
        });
    there.iter_mut().for_each(|[_, available]| *available = (*available).min(1));
    (result, there)
}

/// Implements `vkCmdCopyQueryPoolResults` for pools that the layer counts. The destination is copied to the arena, a
/// dispatch of results.comp replaces the results of available queries, and the arena is copied back.
///
/// # Safety
///
/// The call is valid usage of the Vulkan command.
pub(crate) unsafe fn copy(
    (device, emulator, recording): (&Driver, &Emulator, &mut Recording),
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    (first, count): (u32, u32),
    (buffer, offset, stride): (vk::Buffer, vk::DeviceSize, vk::DeviceSize),
    flags: Flags,
) -> Result<(), vk::Result> {
    let (Some(source), Some(copy)) = (source(emulator, pool), device.next.cmd_copy_buffer) else {
        return Ok(());
    };
    if count == 0 {
        return Ok(());
    }
    let width = if flags.contains(Flags::TYPE_64) { 2 } else { 1 };
    let with_availability = u32::from(flags.contains(Flags::WITH_AVAILABILITY));
    let value_count = (source.values.end - source.values.start) as u32;
    let size = u64::from(4 * width * (value_count + with_availability));
    let room = recording.arena.take(device, emulator, size * u64::from(count))?;
    let counted = source.of_driver.map(|pool| {
        recording.arena.take(device, emulator, 16 * u64::from(count)).map(|room| (pool, room))
    });
    let counted = counted.transpose()?;
    let in_any_case = u32::from(flags.intersects(Flags::PARTIAL | Flags::WAIT));
    let from = source.all.address + SIZE * u64::from(first);
    let counted_at = counted.map_or(0, |(_, room)| room.address);
    let copying = [
        from as u32,
        (from >> 32) as u32,
        room.address as u32,
        (room.address >> 32) as u32,
        counted_at as u32,
        (counted_at >> 32) as u32,
        source.values.start as u32,
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
    // SAFETY: guaranteed by the caller. No render pass is active.
    unsafe {
        barrier(device, commands, (shader.0 | copies.0, shader.1 | copies.1), copies);
        copy(commands, buffer, room.buffer, count, there.as_ptr());
        if let (Some((pool, room)), Some(copy)) = (counted, device.next.cmd_copy_query_pool_results)
        {
            let flags = Flags::TYPE_64 | Flags::WITH_AVAILABILITY | (flags & Flags::WAIT);
            copy(commands, pool, first, count, room.buffer, room.offset, 16, flags);
        }
        barrier(device, commands, copies, shader);
        let words = [copying.address as u32, (copying.address >> 32) as u32, count];
        recording.compute(device, &emulator.counter_pass, commands, words, |device, pass| {
            if let (Some(bind), Some(dispatch)) =
                (device.next.cmd_bind_pipeline, device.next.cmd_dispatch)
            {
                bind(commands, vk::PipelineBindPoint::COMPUTE, pass.results);
                dispatch(commands, count.div_ceil(COPIED_TOGETHER), 1, 1);
            }
        });
        barrier(device, commands, shader, copies);
        copy(commands, room.buffer, buffer, count, back.as_ptr());
    }
    Ok(())
}
