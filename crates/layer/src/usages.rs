//! Buffer usages: the buffers of captures and of their counters become storage buffers.

use crate::log::{Level, Log};
use crate::pnext::{Change, Copied, find};
use ash::vk::{self, BufferUsageFlags, BufferUsageFlags2KHR, TaggedStructure as _};
use std::ffi::c_void;

/// The usages of buffers that captures access by address: targets, counters, arguments, indices, attributes,
/// predicates.
pub(crate) const FOUND: BufferUsageFlags = BufferUsageFlags::from_raw(
    BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT.as_raw()
        | BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT.as_raw()
        | BufferUsageFlags::VERTEX_BUFFER.as_raw()
        | BufferUsageFlags::INDEX_BUFFER.as_raw()
        | BufferUsageFlags::INDIRECT_BUFFER.as_raw()
        | BufferUsageFlags::CONDITIONAL_RENDERING_EXT.as_raw(),
);

/// Replaces the extension's usages by the usages of a capture. `addresses` adds device addresses to usages in
/// [`FOUND`].
pub(crate) fn usage(usage: BufferUsageFlags, addresses: bool) -> BufferUsageFlags {
    let feedback = BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
    let counter = BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
    let mut mapped = BufferUsageFlags::from_raw(usage.as_raw() & !(feedback | counter).as_raw());
    if usage.intersects(feedback | counter) {
        mapped |= BufferUsageFlags::STORAGE_BUFFER;
    }
    if usage.contains(counter) {
        mapped |= BufferUsageFlags::INDIRECT_BUFFER;
    }
    if addresses && usage.intersects(FOUND) {
        mapped |= BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    }
    // Copying query results first reads the destination, to keep the values of queries that are not available.
    if addresses && usage.contains(BufferUsageFlags::TRANSFER_DST) {
        mapped |= BufferUsageFlags::TRANSFER_SRC;
    }
    mapped
}

type Flags = vk::BufferUsageFlags2CreateInfoKHR<'static>;

/// Returns the usages of a buffer. Usages in the chain replace the usages of the structure.
///
/// # Safety
///
/// The structure is valid.
pub(crate) unsafe fn of(info: &vk::BufferCreateInfo<'_>) -> BufferUsageFlags {
    // SAFETY: guaranteed by the caller.
    let newer = unsafe { find::<Flags>(info.p_next).map(|flags| (*flags).usage) };
    // The older flags are the lower half of the newer flags.
    newer.map_or(info.usage, |newer| BufferUsageFlags::from_raw(newer.as_raw() as u32))
}

/// Returns the chain of a buffer, in which newer usage flags are replaced, too.
///
/// # Safety
///
/// The chain is valid, and lives for as long as the result is used.
pub(crate) unsafe fn usage_chain(first: *const c_void, addresses: bool, log: &Log) -> Copied {
    let edits = |s_type| (s_type == Flags::STRUCTURE_TYPE).then_some(Change::Edit);
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut chain = Copied::new(first, edits).unwrap_or_else(|unknown| {
            let what = "cannot change the usages of a buffer that follow a structure of type";
            log.say(Level::Error, format_args!("{what} {unknown:?}"));
            Copied::unchanged(first)
        });
        if let Some(flags) = chain.copy::<Flags>() {
            let (low, high) = (flags.usage.as_raw() as u32, flags.usage.as_raw() >> 32 << 32);
            let low = usage(BufferUsageFlags::from_raw(low), addresses).as_raw();
            flags.usage = BufferUsageFlags2KHR::from_raw(high | u64::from(low));
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_the_extension_become_storage_buffers() {
        let vertex = BufferUsageFlags::VERTEX_BUFFER;
        let storage = BufferUsageFlags::STORAGE_BUFFER;
        assert_eq!(usage(vertex, false), vertex);
        assert_eq!(
            usage(vertex | BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, false),
            vertex | storage
        );
        assert_eq!(
            usage(BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT, false),
            storage | BufferUsageFlags::INDIRECT_BUFFER
        );
    }

    #[test]
    fn what_a_capture_reads_has_addresses() {
        let address = BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let (vertex, uniform) = (BufferUsageFlags::VERTEX_BUFFER, BufferUsageFlags::UNIFORM_BUFFER);
        assert_eq!(usage(vertex, true), vertex | address);
        assert_eq!(usage(uniform, true), uniform);
    }

    #[test]
    fn newer_usages_keep_their_upper_half() {
        let high = 1 << 40;
        let feedback = BufferUsageFlags2KHR::TRANSFORM_FEEDBACK_BUFFER_EXT.as_raw();
        let info = vk::BufferUsageFlags2CreateInfoKHR::default()
            .usage(BufferUsageFlags2KHR::from_raw(high | feedback));
        let log = Log::new(Level::Off, None);
        // SAFETY: the chain is valid.
        let mut chain = unsafe { usage_chain((&raw const info).cast(), false, &log) };
        let copy = chain.copy::<vk::BufferUsageFlags2CreateInfoKHR<'_>>().expect("it was copied");
        let storage = BufferUsageFlags2KHR::STORAGE_BUFFER.as_raw();
        assert_eq!(copy.usage.as_raw(), high | storage);
        let buffer = vk::BufferCreateInfo {
            p_next: (&raw const info).cast(),
            usage: BufferUsageFlags::VERTEX_BUFFER,
            ..Default::default()
        };
        // SAFETY: the chain is valid.
        let found = unsafe { of(&buffer) };
        assert_eq!(found, BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT, "and count alone");
        assert_eq!(info.usage.as_raw(), high | feedback);
    }
}
