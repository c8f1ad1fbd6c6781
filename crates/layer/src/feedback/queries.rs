//! Transform feedback queries, which count the primitives written and the primitives needed.
//!
//! The driver has no such queries. The layer creates a pool of another type with as many queries, and the application
//! uses the handle of this pool: it can reset, name and destroy the pool. The layer does not pass the begin and end of
//! queries to the driver, and returns its own results: the results of the emulation, or zero.

use crate::device::Device;
use crate::emulation;
use crate::log::Level;
use ash::vk::{self, Handle as _, QueryResultFlags};

/// The number of values in a result: primitives written and primitives needed.
const VALUES: usize = 2;

pub(crate) unsafe extern "system" fn create_query_pool(
    device: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pool: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_query_pool else { return vk::Result::ERROR_UNKNOWN };
        let is_own = match (*info).query_type {
            vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => true,
            vk::QueryType::PRIMITIVES_GENERATED_EXT => device.emulator.get().is_some(),
            _ => false,
        };
        if !device.has_feedback || !is_own {
            return next(device.handle, info, allocator, pool);
        }
        // Timestamps report the availability of the emulation's results; occlusion queries only provide a handle.
        let emulator = device.emulator.get();
        let kind = match emulator {
            Some(_) => vk::QueryType::TIMESTAMP,
            None => vk::QueryType::OCCLUSION,
        };
        let changed = (*info).query_type(kind);
        // Without memory for the results, the creation of the pool fails.
        let result = next(device.handle, &raw const changed, allocator, pool);
        if let (Some(emulator), vk::Result::SUCCESS) = (emulator, result)
            && let Err(error) = emulation::queries::create(device, emulator, *pool, &*info)
        {
            if let Some(destroy) = device.next.destroy_query_pool {
                destroy(device.handle, *pool, allocator);
            }
            *pool = vk::QueryPool::null();
            return error;
        }
        if result == vk::Result::SUCCESS {
            device.feedback_pools.insert((*pool).as_raw(), Box::new(()));
            device.log.say(
                Level::Debug,
                format_args!("query pool {:?} is for transform feedback", *pool),
            );
        }
        result
    }
}

pub(crate) unsafe extern "system" fn destroy_query_pool(
    device: vk::Device,
    pool: vk::QueryPool,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return };
        drop(device.feedback_pools.remove(pool.as_raw()));
        if let Some(emulator) = device.emulator.get() {
            emulation::queries::destroy(device, emulator, pool);
        }
        if let Some(next) = device.next.destroy_query_pool {
            next(device.handle, pool, allocator);
        }
    }
}

/// Defines query commands. The layer records a query with its stream if the layer created the pool; the driver receives
/// all other queries. Commands with a stream call `$other` if the layer provides the extension, because the driver then
/// has only stream 0.
macro_rules! queries {
    ($(
        $name:ident($($argument:ident: $Type:ty),*) $note:ident, $stream:expr $(, $other:ident($($passed:ident),*))?;
    )*) => {
        $(pub(crate) unsafe extern "system" fn $name(
            commands: vk::CommandBuffer,
            pool: vk::QueryPool,
            query: u32,
            $($argument: $Type,)*
        ) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some(device) = Device::of(commands) else { return };
                if device.is_feedback_pool(pool) {
                    if let Some((emulator, recording)) = device.recording(commands) {
                        recording.$note((device, emulator), commands, (pool, query), $stream);
                    }
                    return;
                }
                $(if device.has_feedback {
                    return $other(commands, pool, query, $($passed),*);
                })?
                if let Some(next) = device.next.$name {
                    next(commands, pool, query, $($argument),*);
                }
            }
        })*
    };
}

queries! {
    cmd_begin_query(flags: vk::QueryControlFlags) begin_query, 0;
    cmd_end_query() end_query, 0;
    cmd_begin_query_indexed(flags: vk::QueryControlFlags, index: u32) begin_query, index, cmd_begin_query(flags);
    cmd_end_query_indexed(index: u32) end_query, index, cmd_end_query();
}

pub(crate) unsafe extern "system" fn cmd_reset_query_pool(
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        if let Some(emulator) = device.emulator.get() {
            emulation::queries::reset(device, emulator, commands, pool, (first, count));
        }
        if let Some(next) = device.next.cmd_reset_query_pool {
            next(commands, pool, first, count);
        }
    }
}

noted_on_device! {
    reset_query_pool(pool: vk::QueryPool, first: u32, count: u32)
        |device, emulator| emulation::queries::reset_by_host(device, emulator, pool, (first, count));
}

/// Returns the bytes of a zero result, with the availability if the flags include it.
fn zeros(flags: QueryResultFlags) -> Vec<u8> {
    let wide = flags.contains(QueryResultFlags::TYPE_64);
    let available = flags.contains(QueryResultFlags::WITH_AVAILABILITY);
    let values = [0; VALUES].into_iter().chain(available.then_some(1_u64));
    values
        .flat_map(|value| match wide {
            true => value.to_ne_bytes().to_vec(),
            false => (value as u32).to_ne_bytes().to_vec(),
        })
        .collect()
}

pub(crate) unsafe extern "system" fn get_query_pool_results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    size: usize,
    data: *mut std::ffi::c_void,
    stride: vk::DeviceSize,
    flags: QueryResultFlags,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        if !device.is_feedback_pool(pool) {
            let Some(next) = device.next.get_query_pool_results else {
                return vk::Result::ERROR_UNKNOWN;
            };
            return next(device.handle, pool, first, count, size, data, stride, flags);
        }
        if let Some(emulator) = device.emulator.get() {
            let room = (size, data, stride);
            return emulation::queries::results(
                device,
                emulator,
                pool,
                (first, count),
                room,
                flags,
            );
        }
        let result = zeros(flags);
        for at in (0..u64::from(count)).map(|query| query * stride) {
            // Results that do not fit into the data are not written, even for invalid calls.
            if at as usize + result.len() <= size {
                let to = data.cast::<u8>().add(at as usize);
                to.copy_from_nonoverlapping(result.as_ptr(), result.len());
            }
        }
    }
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn cmd_copy_query_pool_results(
    commands: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    stride: vk::DeviceSize,
    flags: QueryResultFlags,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        if !device.is_feedback_pool(pool) {
            if let Some(next) = device.next.cmd_copy_query_pool_results {
                next(commands, pool, first, count, buffer, offset, stride, flags);
            }
            return;
        }
        // The emulation copies its results; without emulation, all results are zero.
        if let Some((emulator, recording)) = device.recording(commands) {
            let (queries, to) = ((first, count), (buffer, offset, stride));
            let state = (&**device, emulator, recording);
            let done = emulation::queries::copy(state, commands, pool, queries, to, flags);
            return done.unwrap_or_else(|error| {
                device.fault(format_args!("no memory for the results of queries: {error}"));
            });
        }
        let Some(update) = device.next.cmd_update_buffer else { return };
        let result = zeros(flags);
        for query in 0..u64::from(count) {
            let at = offset + query * stride;
            update(commands, buffer, at, result.len() as u64, result.as_ptr().cast());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_as_wide_as_was_asked() {
        let available = QueryResultFlags::WITH_AVAILABILITY;
        assert_eq!(zeros(QueryResultFlags::empty()), [0; 8]);
        assert_eq!(zeros(QueryResultFlags::TYPE_64), [0; 16]);
        assert_eq!(zeros(available)[8..], 1_u32.to_ne_bytes());
        assert_eq!(zeros(available | QueryResultFlags::TYPE_64)[16..], 1_u64.to_ne_bytes());
    }
}
