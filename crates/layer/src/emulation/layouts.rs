//! Pipeline layouts. The layer adds push constants for two addresses to them, if the limit allows.
//!
//! The layer merges all push constant ranges into one and places the addresses after them. The merged range depends
//! only on the original ranges, so compatible layouts stay compatible. A stage may occur in only one range, and
//! `vkCmdPushConstants` must name all stages of the bytes that it updates, so the layer pushes with the stages of the
//! merged range.

use crate::driver::Driver;
use ash::vk::{self, ShaderStageFlags};
use std::sync::Arc;

/// The size in bytes of the two addresses: vertex-pulling parameters and capture parameters.
pub(crate) const ADDRESSES: u32 = 16;

/// The maximum number of bytes of push constants that the layer tracks.
pub(crate) const MOST_PUSHED: usize = 256;

/// The source of the addresses for the shaders of captures.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Addresses {
    /// Push constants, from this byte on.
    Pushed(u32),
    Bound,
}

/// A pipeline layout. Its handle lives until its last pipeline is destroyed.
pub(crate) struct Layout {
    pub(crate) handle: vk::PipelineLayout,
    pub(crate) device: vk::Device,
    pub(crate) destroy: Option<vk::PFN_vkDestroyPipelineLayout>,
    /// The stages of the merged range; empty if the application's ranges are unchanged.
    pub(crate) stages: ShaderStageFlags,
    /// The application's push constants, with the stages that a push must name.
    pub(crate) pushed: Vec<vk::PushConstantRange>,
    /// The source of the addresses, or `None` if no source is available.
    pub(crate) addresses: Option<Addresses>,
    /// The device's limit of components between a vertex and a geometry stage.
    pub(crate) most_outputs: u32,
}

impl Drop for Layout {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: nobody uses the layout any more, and the device outlives its objects.
            unsafe { destroy(self.device, self.handle, std::ptr::null()) };
        }
    }
}

/// Returns the merged range and the offset of the addresses in it, or `None` if it exceeds the limit `most`. Shaders of
/// the stages `captures` read the addresses.
pub(crate) fn merged(
    ranges: &[vk::PushConstantRange],
    captures: ShaderStageFlags,
    most: u32,
) -> Option<(vk::PushConstantRange, u32)> {
    let end = ranges.iter().map(|range| range.offset + range.size).max().unwrap_or(0);
    let at = end.next_multiple_of(4);
    let size = at + ADDRESSES;
    let stages = ranges.iter().fold(captures, |all, one| all | one.stage_flags);
    let range = vk::PushConstantRange { stage_flags: stages, offset: 0, size };
    (size <= most).then_some((range, at))
}

/// The current push constants, which are pushed again after a dispatch of the counter pass.
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

/// Splits ranges into pieces that do not overlap. Each piece has the stages of all ranges that contain it.
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
    /// Pushes the tracked push constants again.
    ///
    /// # Safety
    ///
    /// The command buffer belongs to the device and is being recorded.
    pub(crate) unsafe fn again(&self, device: &Driver, commands: vk::CommandBuffer) {
        let (Some(layout), Some(push)) = (&self.layout, device.next.cmd_push_constants) else {
            return;
        };
        for &vk::PushConstantRange { stage_flags, offset, size } in &layout.pushed {
            let bytes = self.bytes.get(offset as usize..(offset + size) as usize);
            let Some(bytes) = bytes else { continue };
            // SAFETY: the layout has these bytes in these stages.
            unsafe {
                push(commands, layout.handle, stage_flags, offset, size, bytes.as_ptr().cast());
            }
        }
    }

    /// Tracks a push, and returns the stages that the push must name.
    pub(crate) unsafe fn note(
        &mut self,
        layout: &Arc<Layout>,
        (stages, offset, size): (ShaderStageFlags, u32, u32),
        values: *const std::ffi::c_void,
    ) -> ShaderStageFlags {
        let (at, size) = (offset as usize, size as usize);
        if at + size <= MOST_PUSHED {
            // SAFETY: the caller passes `size` bytes of values.
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
            merged(ranges, vertex, most).map(of)
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
