//! The draw calls of captures.

use crate::driver::Driver;
use crate::emulation::attributes::{self, bind_addresses, set_input};
use crate::emulation::draw_calls::{DrawArguments, RecordedDraw};
use crate::emulation::layouts::{ADDRESSES, Addresses, Layout};
use crate::emulation::memory::Piece;
use crate::emulation::pipeline_info::PipelineInfo;
use crate::emulation::variants::Variant;
use ash::vk;
use polyshade_planner::counter_pass::Job;

/// The draw calls of a capture: for points, or for a geometry stage that captures.
pub(super) struct Drawn<'d> {
    pub(super) info: &'d PipelineInfo,
    pub(super) variant: &'d Variant,
    pub(super) layout: &'d Layout,
    pub(super) blocks: Piece,
    /// The arguments of the draws, if the counter pass writes them.
    pub(super) commands: Option<Piece>,
    /// The number of draws in all executions together.
    pub(super) draws: u32,
    /// The addresses for all draws, if the shader reads them as vertex attributes.
    pub(super) bound: Option<Piece>,
}

impl Drawn<'_> {
    /// Returns the addresses of the vertex-pulling parameters and of the capture parameters of a draw.
    fn addresses(&self, number: u32) -> [u64; 2] {
        let block = self.blocks.address + u64::from(number * self.variant.block_stride());
        [block + u64::from(self.variant.capture_size()), block]
    }

    /// Returns the addresses for all draws as 32-bit values.
    pub(super) fn params(&self) -> Vec<u32> {
        let addresses = (0..self.draws).flat_map(|number| self.addresses(number));
        addresses.flat_map(|address| [address as u32, (address >> 32) as u32]).collect()
    }

    /// Binds the capturing pipeline, and sets the state of all draws.
    pub(super) unsafe fn bind(&self, device: &Driver, commands: vk::CommandBuffer, discards: bool) {
        let next = &device.next;
        let Some(bind) = next.cmd_bind_pipeline else { return };
        // SAFETY: guaranteed by the caller.
        unsafe {
            bind(commands, vk::PipelineBindPoint::GRAPHICS, self.variant.pipeline);
            if discards && let Some(set) = next.cmd_set_rasterizer_discard_enable {
                set(commands, vk::TRUE);
            }
            if self.bound.is_some() {
                set_input(device, commands, self.info, &attributes::input());
            }
        }
    }

    pub(super) unsafe fn draw(
        &self,
        device: &Driver,
        commands: vk::CommandBuffer,
        call: &RecordedDraw,
    ) {
        let next = &device.next;
        // Points are not indexed, because the shader reads the indices.
        let is_indexed = call.indexed && self.variant.emitted.is_some();
        let indirect = match is_indexed {
            true => next.cmd_draw_indexed_indirect,
            false => next.cmd_draw_indirect,
        };
        let (Some(draw), Some(draw_indexed), Some(indirect)) =
            (next.cmd_draw, next.cmd_draw_indexed, indirect)
        else {
            return;
        };
        // SAFETY: guaranteed by the caller.
        unsafe {
            // Each draw has its own addresses, and its arguments come from the host or from the counter pass.
            for number in 0..self.draws {
                self.push_addresses(device, commands, number);
                match (self.commands, call.arguments) {
                    (Some(piece), _) => {
                        let offset = piece.offset + u64::from(number * Job::COMMAND_SIZE);
                        indirect(commands, piece.buffer, offset, 1, Job::COMMAND_SIZE);
                    }
                    (
                        None,
                        DrawArguments::Direct {
                            count,
                            instances,
                            first,
                            vertex_offset: offset,
                            first_instance,
                            ..
                        },
                    ) => match is_indexed {
                        true => {
                            draw_indexed(commands, count, instances, first, offset, first_instance);
                        }
                        false => draw(commands, count, instances, first, first_instance),
                    },
                    (None, _) => {}
                }
            }
        }
    }

    /// Passes the addresses for a draw to the shader, by push constants or a vertex buffer.
    unsafe fn push_addresses(&self, device: &Driver, commands: vk::CommandBuffer, number: u32) {
        // SAFETY: guaranteed by the caller; the push constant range includes the addresses.
        unsafe {
            match (self.layout.addresses, self.bound, device.next.cmd_push_constants) {
                (Some(Addresses::Pushed(at)), _, Some(push)) => {
                    let addresses = self.addresses(number);
                    let (layout, values) = (self.layout, addresses.as_ptr().cast());
                    push(commands, layout.handle, layout.stages, at, ADDRESSES, values);
                }
                (_, Some(piece), _) => {
                    let place = (piece, u64::from(ADDRESSES * number));
                    bind_addresses(device, commands, self.info, place);
                }
                _ => {}
            }
        }
    }
}
