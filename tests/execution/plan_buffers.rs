//! The feedback buffers of planned draws, each with a range between guards, and the barriers of plans.

use crate::feedback::{FILL, GUARD};
use polyshade_planner::{Barrier, Bound, Plan, Step};
use polyshade_vulkan::model::{self, BufferLayout};

/// Binds a range of this size between guards.
pub(crate) fn guarded(size: u64) -> Bound {
    let buffer_size = size + 2 * GUARD as u64;
    Bound { buffer: None, buffer_size, offset: GUARD as u64, size: Some(size) }
}

/// Binds ranges with room for these numbers of vertices.
pub(crate) fn bounds(layout: &[BufferLayout], room: &[u32]) -> Vec<Option<Bound>> {
    let bound = |size| Some(guarded(size));
    sizes(layout, room).map(u64::from).map(bound).collect()
}

/// Returns the contents of these buffers before a capture.
pub(crate) fn memory(layout: &[BufferLayout], room: &[u32]) -> Vec<Vec<u8>> {
    sizes(layout, room).map(|size| vec![FILL; 2 * GUARD + size as usize]).collect()
}

fn sizes(layout: &[BufferLayout], room: &[u32]) -> impl Iterator<Item = u32> {
    layout.iter().zip(room).map(|(layout, room)| layout.stride * room)
}

/// Returns the model's buffers with these contents.
pub(crate) fn model_buffers(layout: &[BufferLayout], memory: Vec<Vec<u8>>) -> Vec<model::Buffer> {
    let buffer = |(layout, memory): (&BufferLayout, Vec<u8>)| model::Buffer {
        range: GUARD..memory.len() - GUARD,
        memory,
        stride: layout.stride as usize,
        reached: 0,
    };
    layout.iter().zip(memory).map(buffer).collect()
}

/// Keeps only these barriers of a plan.
pub(crate) fn retain_barriers(plan: &mut Plan, keep: impl Fn(&Barrier) -> bool) {
    barriers(plan).for_each(|barriers| barriers.retain(&keep));
}

pub(crate) fn barriers(plan: &mut Plan) -> impl Iterator<Item = &mut Vec<Barrier>> {
    plan.steps.iter_mut().filter_map(|step| match step {
        Step::Barriers(barriers) => Some(barriers),
        _ => None,
    })
}
