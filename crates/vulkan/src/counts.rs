//! Queries of samples and primitives, each around one draw.

use crate::device::Device;
use crate::error::Error;
use crate::memory::{Owned, query_results};
use ash::vk;

/// The query results of one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// The number of samples that pass all tests; at most 1 if the device has no precise occlusion queries.
    pub samples: u64,
    /// The numbers of primitives before and after clipping, if the device has pipeline statistics.
    pub clipping: Option<[u64; 2]>,
}

/// The queries of the draws of a submission. Each pool has one query per draw.
pub(crate) struct Counters<'d> {
    device: &'d Device,
    count: u32,
    samples: Owned<'d, vk::QueryPool>,
    clipping: Option<Owned<'d, vk::QueryPool>>,
}

impl<'d> Counters<'d> {
    pub(crate) fn new(device: &'d Device, count: u32) -> Result<Counters<'d>, Error> {
        let pool = |query_type, statistics| {
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(query_type)
                .pipeline_statistics(statistics)
                .query_count(count);
            // SAFETY: the device supports the queries; pipeline statistics are created only with the enabled feature.
            let pool = unsafe { device.handle.create_query_pool(&info, None) };
            Owned::new(device, pool, "vkCreateQueryPool")
        };
        let clipping = vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS
            | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES;
        let has_statistics = device.capabilities().features.pipeline_statistics_query == vk::TRUE;
        let clipping = has_statistics
            .then(|| pool(vk::QueryType::PIPELINE_STATISTICS, clipping))
            .transpose()?;
        let none = vk::QueryPipelineStatisticFlags::empty();
        Ok(Counters { device, count, samples: pool(vk::QueryType::OCCLUSION, none)?, clipping })
    }

    fn pools(&self) -> impl Iterator<Item = vk::QueryPool> {
        [Some(&self.samples), self.clipping.as_ref()].into_iter().flatten().map(|pool| **pool)
    }

    fn is_precise(&self) -> bool {
        self.device.capabilities().features.occlusion_query_precise == vk::TRUE
    }

    pub(crate) fn reset(&self, commands: vk::CommandBuffer) {
        for pool in self.pools() {
            // SAFETY: the pool has this number of queries, and no render pass has begun.
            unsafe { self.device.handle.cmd_reset_query_pool(commands, pool, 0, self.count) };
        }
    }

    pub(crate) fn begin(&self, commands: vk::CommandBuffer, draw: u32) {
        let precise = match self.is_precise() {
            true => vk::QueryControlFlags::PRECISE,
            false => vk::QueryControlFlags::empty(),
        };
        for (pool, flags) in self.pools().zip([precise, vk::QueryControlFlags::empty()]) {
            // SAFETY: the query was reset, and the device supports the flags.
            unsafe { self.device.handle.cmd_begin_query(commands, pool, draw, flags) };
        }
    }

    pub(crate) fn end(&self, commands: vk::CommandBuffer, draw: u32) {
        for pool in self.pools() {
            // SAFETY: the query has begun.
            unsafe { self.device.handle.cmd_end_query(commands, pool, draw) };
        }
    }

    /// Returns the results of a finished submission.
    pub(crate) fn read(&self) -> Result<Vec<Counts>, Error> {
        let of_draw = |draw| {
            // SAFETY: the submission has finished. A query of the first pool has one result, a query of the second
            // pool has two.
            let ([samples], clipping) = unsafe {
                let read = |pool: &Owned<'_, _>| query_results(self.device, **pool, draw);
                let clipping = self.clipping.as_ref().map(read).transpose()?;
                (query_results(self.device, *self.samples, draw)?, clipping)
            };
            let samples = if self.is_precise() { samples } else { samples.min(1) };
            Ok(Counts { samples, clipping })
        };
        (0..self.count).map(of_draw).collect()
    }
}
