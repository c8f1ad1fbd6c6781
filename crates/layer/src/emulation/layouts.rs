//! Pipeline layouts, in which the vertex shaders of captures get room for two addresses behind what the application
//! pushes, if there is some.
//!
//! All ranges become one, a function of them alone, so that layouts which were compatible stay so. A stage may be in
//! one range only, and what is pushed has to name all stages that have the bytes: so stages are widened in every push.

use crate::driver::Driver;
use ash::vk::{self, ShaderStageFlags};
use std::sync::Arc;

/// Bytes of the addresses of words and of vertex buffers.
pub(crate) const ADDRESSES: u32 = 16;

/// The most bytes of push constants that are remembered.
pub(crate) const MOST_PUSHED: usize = 256;

/// Where the shaders of captures find their addresses.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Addresses {
    /// In push constants, from this byte on.
    Pushed(u32),
    /// In vertex attributes.
    Bound,
}

/// A pipeline layout, whose handle lives until its last pipeline is destroyed.
pub(crate) struct Layout {
    pub(crate) handle: vk::PipelineLayout,
    pub(crate) device: vk::Device,
    pub(crate) destroy: Option<vk::PFN_vkDestroyPipelineLayout>,
    /// The stages of the one range; none, where ranges are as the application has them.
    pub(crate) stages: ShaderStageFlags,
    /// What the application pushes, with the stages that have to be named.
    pub(crate) pushed: Vec<vk::PushConstantRange>,
    /// Nothing, where there is no place for them.
    pub(crate) addresses: Option<Addresses>,
}

impl Drop for Layout {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: nobody uses the layout any more, and the device outlives what was created of it.
            unsafe { destroy(self.device, self.handle, std::ptr::null()) };
        }
    }
}

/// The ranges as one, with room for addresses at the given place, or as they are where there is none.
pub(crate) fn merged(
    ranges: &[vk::PushConstantRange],
    most: u32,
) -> Option<(vk::PushConstantRange, u32)> {
    let end = ranges.iter().map(|range| range.offset + range.size).max().unwrap_or(0);
    let at = end.next_multiple_of(4);
    let size = at + ADDRESSES;
    let stages = ranges.iter().fold(ShaderStageFlags::VERTEX, |all, one| all | one.stage_flags);
    let range = vk::PushConstantRange { stage_flags: stages, offset: 0, size };
    (size <= most).then_some((range, at))
}

/// What was pushed last, to be pushed again where the counter pass came between.
#[derive(Clone)]
pub(crate) struct Pushed {
    pub(crate) layout: Option<Arc<Layout>>,
    bytes: [u8; MOST_PUSHED],
}

impl Default for Pushed {
    fn default() -> Self {
        Self { layout: None, bytes: [0; MOST_PUSHED] }
    }
}

/// The bytes of ranges in pieces that do not overlap, each with all stages that have it.
pub(crate) fn pieces(ranges: &[vk::PushConstantRange]) -> Vec<vk::PushConstantRange> {
    let end = |range: &vk::PushConstantRange| range.offset + range.size;
    let mut bounds: Vec<u32> = ranges.iter().flat_map(|one| [one.offset, end(one)]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let piece = |bounds: &[u32]| {
        let has = |range: &&vk::PushConstantRange| (range.offset..end(range)).contains(&bounds[0]);
        let stages = ranges.iter().filter(has).map(|range| range.stage_flags);
        vk::PushConstantRange {
            stage_flags: stages.fold(ShaderStageFlags::empty(), |all, one| all | one),
            offset: bounds[0],
            size: bounds[1] - bounds[0],
        }
    };
    let pieces = bounds.windows(2).map(piece);
    pieces.filter(|piece| !piece.stage_flags.is_empty()).collect()
}

impl Pushed {
    /// Pushes all of it.
    ///
    /// # Safety
    ///
    /// The command buffer is one of the device's and being recorded.
    pub(crate) unsafe fn again(&self, device: &Driver, commands: vk::CommandBuffer) {
        let (Some(layout), Some(push)) = (&self.layout, device.next.cmd_push_constants) else {
            return;
        };
        for &vk::PushConstantRange { stage_flags, offset, size } in &layout.pushed {
            let bytes = self.bytes.get(offset as usize..(offset + size) as usize);
            let Some(bytes) = bytes else { continue };
            // SAFETY: the layout has these bytes, in these stages.
            unsafe {
                push(commands, layout.handle, stage_flags, offset, size, bytes.as_ptr().cast());
            }
        }
    }

    /// Remembers what is pushed, and gives the stages that have to be named.
    pub(crate) unsafe fn note(
        &mut self,
        layout: &Arc<Layout>,
        (stages, offset, size): (ShaderStageFlags, u32, u32),
        values: *const std::ffi::c_void,
    ) -> ShaderStageFlags {
        let (at, size) = (offset as usize, size as usize);
        if at + size <= MOST_PUSHED {
            // SAFETY: the caller has so many bytes of values.
            let values = unsafe { std::slice::from_raw_parts(values.cast::<u8>(), size) };
            self.bytes[at..at + size].copy_from_slice(values);
        }
        if self.layout.as_ref().is_none_or(|last| !Arc::ptr_eq(last, layout)) {
            self.layout = Some(Arc::clone(layout));
        }
        if layout.stages.is_empty() { stages } else { layout.stages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_one_with_room_for_addresses_behind_them() {
        let range = |stage_flags, offset, size| vk::PushConstantRange { stage_flags, offset, size };
        let (vertex, fragment) = (ShaderStageFlags::VERTEX, ShaderStageFlags::FRAGMENT);
        let of = |ranges: &[_], most| {
            let of = |(one, at): (vk::PushConstantRange, u32)| (one.stage_flags, one.size, at);
            merged(ranges, most).map(of)
        };
        assert_eq!(of(&[], 128), Some((vertex, 16, 0)));
        let ranges = [range(fragment, 0, 24), range(ShaderStageFlags::COMPUTE, 8, 4)];
        let stages = vertex | fragment | ShaderStageFlags::COMPUTE;
        assert_eq!(of(&ranges, 128), Some((stages, 40, 24)));
        assert_eq!(of(&[range(vertex, 0, 112)], 128), Some((vertex, 128, 112)));
        assert_eq!(of(&[range(vertex, 0, 116)], 128), None);
        assert_eq!(of(&[range(vertex, 0, 116)], 256), Some((vertex, 132, 116)));
    }

    #[test]
    fn ranges_that_overlap_are_pushed_in_pieces() {
        let range = |stage_flags, offset, size| vk::PushConstantRange { stage_flags, offset, size };
        let (vertex, fragment) = (ShaderStageFlags::VERTEX, ShaderStageFlags::FRAGMENT);
        let of = |ranges: &[_]| -> Vec<_> {
            pieces(ranges).iter().map(|one| (one.stage_flags, one.offset, one.size)).collect()
        };
        assert_eq!(of(&[]), []);
        assert_eq!(
            of(&[range(vertex, 0, 64), range(fragment, 32, 96)]),
            [(vertex, 0, 32), (vertex | fragment, 32, 32), (fragment, 64, 64)]
        );
        assert_eq!(
            of(&[range(vertex, 0, 4), range(fragment, 124, 4)]),
            [(vertex, 0, 4), (fragment, 124, 4)]
        );
    }
}
