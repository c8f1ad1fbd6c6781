//! The extension's pipeline stage and accesses, and those that stand for them.
//!
//! The bits are the same ones in the masks of 32 and of 64 bits, and so is what stands for them.

use ash::vk::{AccessFlags, AccessFlags2, PipelineStageFlags, PipelineStageFlags2 as Stage};

const WRITE: AccessFlags2 = AccessFlags2::TRANSFORM_FEEDBACK_WRITE_EXT;
const COUNTER_READ: AccessFlags2 = AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_READ_EXT;
const COUNTER_WRITE: AccessFlags2 = AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT;

/// The stages with vertex shaders in place of transform feedback: they capture.
pub(super) fn stages_2(stages: Stage) -> Stage {
    if !stages.contains(Stage::TRANSFORM_FEEDBACK_EXT) {
        return stages;
    }
    Stage::from_raw(stages.as_raw() & !Stage::TRANSFORM_FEEDBACK_EXT.as_raw())
        | Stage::VERTEX_SHADER
}

/// The accesses of these stages with those of shaders and of indirect draws in place of transform feedback's.
pub(super) fn accesses_2(stages: Stage, accesses: AccessFlags2) -> AccessFlags2 {
    let own = WRITE | COUNTER_READ | COUNTER_WRITE;
    let mut mapped = AccessFlags2::from_raw(accesses.as_raw() & !own.as_raw());
    if accesses.intersects(WRITE | COUNTER_WRITE) {
        mapped |= AccessFlags2::SHADER_WRITE;
    }
    if accesses.contains(COUNTER_READ) {
        let all = Stage::ALL_COMMANDS | Stage::ALL_GRAPHICS;
        // Counters are read where capture begins, and by draws of so many bytes.
        if stages.intersects(all | Stage::TRANSFORM_FEEDBACK_EXT) {
            mapped |= AccessFlags2::SHADER_READ;
        }
        if stages.intersects(all | Stage::DRAW_INDIRECT) {
            mapped |= AccessFlags2::INDIRECT_COMMAND_READ;
        }
    }
    mapped
}

/// [`stages_2`] of the older masks.
pub(super) fn stages(stages: PipelineStageFlags) -> PipelineStageFlags {
    narrow(stages_2(wide(stages)))
}

/// [`accesses_2`] of the older masks.
pub(super) fn accesses(stages: PipelineStageFlags, accesses: AccessFlags) -> AccessFlags {
    let wide_accesses = AccessFlags2::from_raw(accesses.as_raw().into());
    AccessFlags::from_raw(accesses_2(wide(stages), wide_accesses).as_raw() as u32)
}

fn wide(stages: PipelineStageFlags) -> Stage {
    Stage::from_raw(stages.as_raw().into())
}

fn narrow(stages: Stage) -> PipelineStageFlags {
    PipelineStageFlags::from_raw(stages.as_raw() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extensions_bits_give_way_to_those_of_a_capture_in_the_vertex_shader() {
        let feedback = Stage::TRANSFORM_FEEDBACK_EXT;
        assert_eq!(stages_2(feedback | Stage::HOST), Stage::VERTEX_SHADER | Stage::HOST);
        assert_eq!(stages_2(Stage::ALL_GRAPHICS), Stage::ALL_GRAPHICS);
        assert_eq!(
            accesses_2(feedback, WRITE | COUNTER_READ | AccessFlags2::HOST_READ),
            AccessFlags2::SHADER_WRITE | AccessFlags2::SHADER_READ | AccessFlags2::HOST_READ
        );
        assert_eq!(accesses_2(feedback, COUNTER_WRITE), AccessFlags2::SHADER_WRITE);
        assert_eq!(accesses_2(Stage::HOST, AccessFlags2::HOST_READ), AccessFlags2::HOST_READ);
    }

    #[test]
    fn a_counter_is_read_by_indirect_draws_too() {
        let indirect = AccessFlags2::INDIRECT_COMMAND_READ;
        assert_eq!(accesses_2(Stage::DRAW_INDIRECT, COUNTER_READ), indirect);
        let both = indirect | AccessFlags2::SHADER_READ;
        assert_eq!(accesses_2(Stage::ALL_COMMANDS, COUNTER_READ), both);
    }

    #[test]
    fn older_masks_are_mapped_alike() {
        let feedback = PipelineStageFlags::TRANSFORM_FEEDBACK_EXT;
        assert_eq!(stages(feedback), PipelineStageFlags::VERTEX_SHADER);
        let write = AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT;
        assert_eq!(accesses(feedback, write), AccessFlags::SHADER_WRITE);
        let other = PipelineStageFlags::ALL_COMMANDS;
        assert_eq!(
            (stages(other), accesses(other, AccessFlags::MEMORY_READ)),
            (other, AccessFlags::MEMORY_READ)
        );
    }
}
