//! Captures: what is bound for them, where they begin and end.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::memory::address;
use crate::emulation::recording::{Active, Recording, Target};
use crate::settings::slice;
use ash::vk::{self, Handle as _};
use polyshade::transform_feedback::MAX_BUFFERS;
use polyshade_planner::keeper::Job;

impl Emulator {
    /// The address of a place in a buffer and the bytes behind it; nothing, where it has no address or no such place.
    pub(crate) fn place(
        &self,
        device: &Driver,
        buffer: vk::Buffer,
        offset: u64,
    ) -> Option<(u64, u64)> {
        if buffer == vk::Buffer::null() {
            return None;
        }
        // SAFETY: who destroys the buffer waits for those who use it.
        let size = *unsafe { self.buffers.get(buffer.as_raw()) }?;
        Some((address(device, buffer) + offset, size.checked_sub(offset)?))
    }

    fn counters(
        &self,
        device: &Driver,
        first: u32,
        buffers: &[vk::Buffer],
        offsets: &[vk::DeviceSize],
    ) -> [u64; MAX_BUFFERS] {
        let mut counters = [0; MAX_BUFFERS];
        for (at, &buffer) in buffers.iter().enumerate() {
            let offset = offsets.get(at).copied().unwrap_or(0);
            if let Some(counter) = counters.get_mut(first as usize + at) {
                *counter = self.place(device, buffer, offset).map_or(0, |(address, _)| address);
            }
        }
        counters
    }
}

impl Recording {
    pub(crate) unsafe fn bind_targets(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        (first, count): (u32, u32),
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize,
    ) {
        // SAFETY: the caller hands over what Vulkan asks for.
        let (buffers, offsets, sizes) =
            unsafe { (slice(buffers, count), slice(offsets, count), slice(sizes, count)) };
        for (at, &buffer) in buffers.iter().enumerate() {
            let Some(target) = self.targets.get_mut(first as usize + at) else { return };
            let offset = offsets.get(at).copied().unwrap_or(0);
            *target = emulator.place(device, buffer, offset).map(|(address, rest)| {
                let size = sizes.get(at).copied().filter(|size| *size != vk::WHOLE_SIZE);
                let size = size.unwrap_or(rest).min(rest);
                Target { address, size: u32::try_from(size).unwrap_or(u32::MAX) }
            });
        }
    }

    pub(crate) unsafe fn begin_capture(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        (first, count): (u32, u32),
        counters: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    ) {
        if !self.has_list() {
            device.fault(format_args!(
                "capture in rendering that was resumed is not there yet: nothing is captured"
            ));
            return;
        }
        // SAFETY: the caller hands over what Vulkan asks for.
        let (counters, offsets) = unsafe { (slice(counters, count), slice(offsets, count)) };
        let counters = emulator.counters(device, first, counters, offsets);
        match self.arena.take(device, emulator, Job::STATE_SIZE.into()) {
            Ok(state) => {
                let state = state.address;
                self.active = Some(Active { state });
                self.jobs.push(&Job { state, begin: Some(counters), ..Job::default() });
            }
            Err(error) => device.fault(format_args!("no memory for a capture: {error}")),
        }
    }

    pub(crate) unsafe fn end_capture(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        (first, count): (u32, u32),
        counters: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    ) {
        let Some(Active { state }) = self.active.take() else { return };
        // SAFETY: the caller hands over what Vulkan asks for.
        let (counters, offsets) = unsafe { (slice(counters, count), slice(offsets, count)) };
        let counters = emulator.counters(device, first, counters, offsets);
        self.jobs.push(&Job { state, end: Some(counters), ..Job::default() });
    }
}
