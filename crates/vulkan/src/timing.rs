//! Measures the time that a device takes.

use crate::device::Device;
use crate::error::Error;
use crate::memory::{Owned, query_results};
use ash::vk;
use std::time::Duration;

/// Two timestamps: before and after the draws of a submission.
pub(crate) struct Timestamps<'d> {
    device: &'d Device,
    pool: Owned<'d, vk::QueryPool>,
    /// The duration of a timestamp tick in nanoseconds.
    period: f32,
    /// The mask of the valid bits of a timestamp.
    mask: u64,
}

impl<'d> Timestamps<'d> {
    pub(crate) fn new(device: &'d Device) -> Result<Timestamps<'d>, Error> {
        let instance = &device.instance.handle;
        // SAFETY: the device belongs to the instance.
        let families =
            unsafe { instance.get_physical_device_queue_family_properties(device.physical) };
        let bits = families[device.queue_family as usize].timestamp_valid_bits;
        if bits == 0 {
            return Err(Error::Missing("timestamps"));
        }
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: the queue supports timestamps.
        let pool = unsafe { device.handle.create_query_pool(&info, None) };
        let pool = Owned::new(device, pool, "vkCreateQueryPool")?;
        let period = device.capabilities().limits.timestamp_period;
        Ok(Timestamps { device, pool, period, mask: u64::MAX >> (64 - bits) })
    }

    /// Records the timestamp before the draws. No other work may be in progress.
    pub(crate) fn begin(&self, commands: vk::CommandBuffer) {
        // SAFETY: the pool has two queries, and no render pass has begun.
        unsafe { self.device.handle.cmd_reset_query_pool(commands, *self.pool, 0, 2) };
        self.write(commands, vk::PipelineStageFlags::TOP_OF_PIPE, 0);
    }

    /// Records the timestamp after the end of all draws.
    pub(crate) fn end(&self, commands: vk::CommandBuffer) {
        self.write(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, 1);
    }

    fn write(&self, commands: vk::CommandBuffer, stage: vk::PipelineStageFlags, query: u32) {
        // SAFETY: the query was reset, and is written once in a submission.
        unsafe { self.device.handle.cmd_write_timestamp(commands, stage, *self.pool, query) };
    }

    /// Returns the time between the timestamps of a finished submission.
    pub(crate) fn read(&self) -> Result<Duration, Error> {
        // SAFETY: each has one result, and both were written in a submission that has finished.
        let ticks = |query| unsafe { query_results(self.device, *self.pool, query) };
        let ([before], [after]) = (ticks(0)?, ticks(1)?);
        let taken = after.wrapping_sub(before) & self.mask;
        Ok(Duration::from_nanos((taken as f64 * f64::from(self.period)) as u64))
    }
}
