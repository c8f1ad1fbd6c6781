//! The pipeline stage and accesses of transform feedback, and their replacements.
//!
//! The bits have the same values in the 32-bit and 64-bit masks, and so do the replacements.

use crate::device::Device;
use crate::emulation::recording::RenderPassScope;
use ash::vk::{self, AccessFlags, AccessFlags2, PipelineStageFlags, PipelineStageFlags2 as Stage};

const WRITE: AccessFlags2 = AccessFlags2::TRANSFORM_FEEDBACK_WRITE_EXT;
const COUNTER_READ: AccessFlags2 = AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_READ_EXT;
const COUNTER_WRITE: AccessFlags2 = AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT;

/// The stages of the emulation that a mask must include.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Reach {
    /// The stages of captures. Before render passes, the counter pass reads and writes counters.
    captures: Stage,
    /// The stages that read what fixed functions read: indices, attributes, and before render passes arguments.
    reads: Stage,
}

impl Reach {
    /// The reach without emulation.
    const NOTHING: Self = Self { captures: Stage::VERTEX_SHADER, reads: Stage::empty() };

    /// Returns the reach of commands recorded at this point.
    ///
    /// # Safety
    ///
    /// The command buffer is alive, and nobody else records it.
    pub(super) unsafe fn of(device: &Device, commands: vk::CommandBuffer) -> Self {
        // SAFETY: guaranteed by the caller.
        match unsafe { device.recording(commands) } {
            None => Self::NOTHING,
            Some((_, recording)) if recording.scope == RenderPassScope::Outside => {
                Self::whole(device)
            }
            Some(_) => Self::whole(device).in_subpass(),
        }
    }

    /// Returns the reach of masks that apply to all commands of the device.
    pub(super) fn whole(device: &Device) -> Self {
        let counter_pass = Stage::COMPUTE_SHADER;
        device.emulator.get().map_or(Self::NOTHING, |emulator| Self {
            captures: wide(emulator.capturing_stages()) | counter_pass,
            reads: Stage::VERTEX_SHADER | counter_pass,
        })
    }

    /// Returns the reach inside a render pass, which has no compute stages.
    pub(super) fn in_subpass(self) -> Self {
        let without = |stages: Stage| Stage::from_raw(stages.as_raw() & !COMPUTE);
        Self { captures: without(self.captures), reads: without(self.reads) }
    }

    /// Returns the reach of timestamps and markers, which are written at a single stage: the last that captures.
    pub(super) fn single(device: &Device) -> Self {
        let has_geometry = device.emulator.get().is_some_and(|emulator| emulator.has_geometry);
        let captures = if has_geometry { Stage::GEOMETRY_SHADER } else { Stage::VERTEX_SHADER };
        Self { captures, ..Self::NOTHING }
    }
}

const COMPUTE: u64 = Stage::COMPUTE_SHADER.as_raw();

/// The fixed-function stages whose data the layer's shaders also read.
const READERS: Stage = Stage::from_raw(
    Stage::DRAW_INDIRECT.as_raw()
        | Stage::VERTEX_INPUT.as_raw()
        | Stage::INDEX_INPUT.as_raw()
        | Stage::VERTEX_ATTRIBUTE_INPUT.as_raw()
        | Stage::CONDITIONAL_RENDERING_EXT.as_raw()
        | Stage::ALL_GRAPHICS.as_raw(),
);

/// The accesses of the stages in [`READERS`].
const READS: AccessFlags2 = AccessFlags2::from_raw(
    AccessFlags2::INDIRECT_COMMAND_READ.as_raw()
        | AccessFlags2::INDEX_READ.as_raw()
        | AccessFlags2::VERTEX_ATTRIBUTE_READ.as_raw()
        | AccessFlags2::CONDITIONAL_RENDERING_READ_EXT.as_raw(),
);

/// Replaces the transform feedback stage by shader stages, and adds shader stages to the stages in [`READERS`].
pub(super) fn stages_2(reach: Reach, stages: Stage) -> Stage {
    let mut mapped = Stage::from_raw(stages.as_raw() & !Stage::TRANSFORM_FEEDBACK_EXT.as_raw());
    if stages.contains(Stage::TRANSFORM_FEEDBACK_EXT) {
        mapped |= reach.captures;
    }
    if stages.intersects(READERS) {
        mapped |= reach.reads;
    }
    mapped
}

/// Returns the stages before a render pass for which a dependency of the pass makes the counter pass wait. The counter
/// pass reads data for some of the later stages, but is recorded before the render pass.
pub(super) fn sources(
    reach: Reach,
    src_subpass: u32,
    src: Stage,
    dst: Stage,
) -> PipelineStageFlags {
    let readers = Stage::COMPUTE_SHADER | Stage::ALL_COMMANDS;
    let is_read = stages_2(reach, dst).intersects(readers);
    if src_subpass != vk::SUBPASS_EXTERNAL || !is_read {
        return PipelineStageFlags::empty();
    }
    let src = stages_2(reach, src);
    // The barriers of the layer have the older masks.
    if wide(narrow(src)) == src { narrow(src) } else { PipelineStageFlags::ALL_COMMANDS }
}

/// Replaces transform feedback accesses by shader and indirect accesses; adds shader reads to fixed-function reads.
pub(super) fn accesses_2(reach: Reach, stages: Stage, accesses: AccessFlags2) -> AccessFlags2 {
    let own = WRITE | COUNTER_READ | COUNTER_WRITE;
    let mut mapped = AccessFlags2::from_raw(accesses.as_raw() & !own.as_raw());
    if accesses.intersects(WRITE | COUNTER_WRITE) {
        mapped |= AccessFlags2::SHADER_WRITE;
    }
    if accesses.contains(COUNTER_READ) {
        let all = Stage::ALL_COMMANDS | Stage::ALL_GRAPHICS;
        // Counters are read when a capture begins, and by draws by byte count.
        if stages.intersects(all | Stage::TRANSFORM_FEEDBACK_EXT) {
            mapped |= AccessFlags2::SHADER_READ;
        }
        if stages.intersects(all | Stage::DRAW_INDIRECT) {
            mapped |= AccessFlags2::INDIRECT_COMMAND_READ;
        }
    }
    let is_read = stages.intersects(READERS | Stage::ALL_COMMANDS) && mapped.intersects(READS);
    if !reach.reads.is_empty() && is_read {
        mapped |= AccessFlags2::SHADER_READ;
    }
    mapped
}

/// Applies [`stages_2`] to a 32-bit mask.
pub(super) fn stages(reach: Reach, stages: PipelineStageFlags) -> PipelineStageFlags {
    narrow(stages_2(reach, wide(stages)))
}

/// Applies [`accesses_2`] to a 32-bit mask.
pub(super) fn accesses(
    reach: Reach,
    stages: PipelineStageFlags,
    accesses: AccessFlags,
) -> AccessFlags {
    let wide_accesses = AccessFlags2::from_raw(accesses.as_raw().into());
    AccessFlags::from_raw(accesses_2(reach, wide(stages), wide_accesses).as_raw() as u32)
}

pub(super) fn wide(stages: PipelineStageFlags) -> Stage {
    Stage::from_raw(stages.as_raw().into())
}

fn narrow(stages: Stage) -> PipelineStageFlags {
    PipelineStageFlags::from_raw(stages.as_raw() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Reach = Reach::NOTHING;
    const VERTEX: Stage = Stage::VERTEX_SHADER;
    const WHOLE: Reach = Reach {
        captures: Stage::from_raw(VERTEX.as_raw() | COMPUTE),
        reads: Stage::from_raw(VERTEX.as_raw() | COMPUTE),
    };

    #[test]
    fn what_fixed_function_reads_shaders_of_ours_read_too() {
        let (shaders, counter_pass) = (WHOLE.in_subpass(), WHOLE);
        let both = VERTEX | Stage::COMPUTE_SHADER;
        assert_eq!(stages_2(counter_pass, Stage::TRANSFORM_FEEDBACK_EXT), both);
        assert_eq!(stages_2(shaders, Stage::VERTEX_INPUT), Stage::VERTEX_INPUT | VERTEX);
        assert_eq!(stages_2(counter_pass, Stage::DRAW_INDIRECT), Stage::DRAW_INDIRECT | both);
        assert_eq!(stages_2(counter_pass, Stage::TRANSFER), Stage::TRANSFER);
        let read = AccessFlags2::INDEX_READ;
        let mapped = accesses_2(counter_pass, Stage::VERTEX_INPUT, read);
        assert_eq!(mapped, read | AccessFlags2::SHADER_READ);
        assert_eq!(accesses_2(NONE, Stage::VERTEX_INPUT, read), read);
    }

    #[test]
    fn the_extensions_bits_give_way_to_those_of_a_capture_in_the_vertex_shader() {
        let feedback = Stage::TRANSFORM_FEEDBACK_EXT;
        assert_eq!(stages_2(NONE, feedback | Stage::HOST), VERTEX | Stage::HOST);
        assert_eq!(stages_2(NONE, Stage::ALL_GRAPHICS), Stage::ALL_GRAPHICS);
        assert_eq!(
            accesses_2(NONE, feedback, WRITE | COUNTER_READ | AccessFlags2::HOST_READ),
            AccessFlags2::SHADER_WRITE | AccessFlags2::SHADER_READ | AccessFlags2::HOST_READ
        );
        assert_eq!(accesses_2(NONE, feedback, COUNTER_WRITE), AccessFlags2::SHADER_WRITE);
        assert_eq!(accesses_2(NONE, Stage::HOST, AccessFlags2::HOST_READ), AccessFlags2::HOST_READ);
    }

    #[test]
    fn a_counter_is_read_by_indirect_draws_too() {
        let indirect = AccessFlags2::INDIRECT_COMMAND_READ;
        assert_eq!(accesses_2(NONE, Stage::DRAW_INDIRECT, COUNTER_READ), indirect);
        let both = indirect | AccessFlags2::SHADER_READ;
        assert_eq!(accesses_2(NONE, Stage::ALL_COMMANDS, COUNTER_READ), both);
    }

    #[test]
    fn older_masks_are_mapped_alike() {
        let feedback = PipelineStageFlags::TRANSFORM_FEEDBACK_EXT;
        assert_eq!(stages(NONE, feedback), PipelineStageFlags::VERTEX_SHADER);
        let write = AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT;
        assert_eq!(accesses(NONE, feedback, write), AccessFlags::SHADER_WRITE);
        let other = PipelineStageFlags::ALL_COMMANDS;
        assert_eq!(
            (stages(NONE, other), accesses(NONE, other, AccessFlags::MEMORY_READ)),
            (other, AccessFlags::MEMORY_READ)
        );
    }
}
