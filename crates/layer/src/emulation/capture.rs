//! Captures: their bound buffers, their begin and their end.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::memory::address;
use crate::emulation::recording::{Active, CapturedRange, NO_LIST, Recording};
use crate::settings::slice;
use ash::vk::{self, Handle as _};
use polyshade::transform_feedback::MAX_BUFFERS;
use polyshade_planner::counter_pass::Job;

impl Emulator {
    /// Returns the address of an offset in a buffer and the number of bytes from there to the end. Returns `None` if
    /// the buffer has no address or the offset is outside of it.
    pub(crate) fn place(
        &self,
        device: &Driver,
        buffer: vk::Buffer,
        offset: u64,
    ) -> Option<(u64, u64)> {
        if buffer == vk::Buffer::null() {
            return None;
        }
        // SAFETY: the application destroys a buffer only after its last use.
        let size = *unsafe { self.buffers.get(buffer.as_raw()) }?;
        Some((address(device, buffer) + offset, size.checked_sub(offset)?))
    }

    /// Returns the address and the size in bytes of a range; without a size, it extends to the end of the buffer.
    pub(crate) fn range(
        &self,
        device: &Driver,
        (buffer, offset, size): (vk::Buffer, u64, Option<u64>),
    ) -> Option<(u64, u32)> {
        let (address, rest) = self.place(device, buffer, offset)?;
        let size = size.unwrap_or(rest).min(rest);
        Some((address, u32::try_from(size).unwrap_or(u32::MAX)))
    }

    unsafe fn counters(
        &self,
        device: &Driver,
        (first, count): (u32, u32),
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    ) -> [u64; MAX_BUFFERS] {
        // SAFETY: the caller passes arguments that Vulkan allows.
        let (buffers, offsets) = unsafe { (slice(buffers, count), slice(offsets, count)) };
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
        // SAFETY: the caller passes arguments that Vulkan allows.
        let (buffers, offsets, sizes) =
            unsafe { (slice(buffers, count), slice(offsets, count), slice(sizes, count)) };
        self.version += 1;
        for (at, &buffer) in buffers.iter().enumerate() {
            let Some(target) = self.targets.get_mut(first as usize + at) else { return };
            let offset = offsets.get(at).copied().unwrap_or(0);
            let size = sizes.get(at).copied().filter(|size| *size != vk::WHOLE_SIZE);
            let range = emulator.range(device, (buffer, offset, size));
            *target = range.map(|(address, size)| CapturedRange { address, size });
        }
    }

    pub(crate) unsafe fn begin_capture(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        counted: (u32, u32),
        counters: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    ) {
        if !self.has_list() {
            return device.fault(format_args!("a capture is lost: {NO_LIST}"));
        }
        self.keeps();
        // SAFETY: the caller passes arguments that Vulkan allows.
        let counters = unsafe { emulator.counters(device, counted, counters, offsets) };
        match self.arena.take(device, emulator, Job::STATE_SIZE.into()) {
            Ok(state) => {
                let saved = &self.deferred.saved;
                let is_deferred = counters.iter().any(|counter| saved.contains(counter));
                let begin = Some(counters);
                self.active = Some(Active { state: state.address, begin, is_deferred });
            }
            Err(error) => device.fault(format_args!("no memory for a capture: {error}")),
        }
    }

    pub(crate) unsafe fn end_capture(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        counted: (u32, u32),
        counters: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
    ) {
        let Some(Active { state, begin, is_deferred }) = self.active.take() else { return };
        // SAFETY: the caller passes arguments that Vulkan allows.
        let counters = unsafe { emulator.counters(device, counted, counters, offsets) };
        let jobs = match is_deferred {
            true => {
                self.deferred.saved.extend(counters.into_iter().filter(|counter| *counter != 0));
                &mut self.deferred.jobs
            }
            false => &mut self.jobs,
        };
        if begin.is_some() || !jobs.end(state, counters) {
            jobs.push(&Job { state, begin, end: Some(counters), ..Job::default() });
        }
    }
}
