//! The state of a draw: static in its pipeline, or set by commands.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::draw_calls::Indices;
use crate::emulation::pipeline_info::{PipelineInfo, VertexInput};
use crate::emulation::recording::Recording;
use ash::vk::{self, DynamicState};
use polyshade::transform_feedback::IndexType;
use polyshade_planner::counter_pass::Predicate;

impl Recording {
    pub(super) fn predicate(&self) -> Option<Predicate> {
        self.conditional.and_then(|one| one.predicate)
    }

    pub(super) fn topology(&self, info: &PipelineInfo) -> u32 {
        let fixed = info.assembly.map(|(topology, _)| topology);
        let dynamic = info.is_dynamic(DynamicState::PRIMITIVE_TOPOLOGY);
        let topology = if dynamic { self.dynamic.topology } else { fixed.unwrap_or_default() };
        topology.as_raw().cast_unsigned()
    }

    pub(super) fn restarts(&self, info: &PipelineInfo) -> bool {
        match info.is_dynamic(DynamicState::PRIMITIVE_RESTART_ENABLE) {
            true => self.dynamic.restart == vk::TRUE,
            false => info.assembly.is_some_and(|(_, restart)| restart),
        }
    }

    pub(super) fn discards(&self, info: &PipelineInfo) -> bool {
        match info.is_dynamic(DynamicState::RASTERIZER_DISCARD_ENABLE) {
            true => self.dynamic.discard == vk::TRUE,
            false => info.stages.as_ref().is_some_and(|stages| stages.discard),
        }
    }

    pub(super) fn provokes_last(&self, info: &PipelineInfo) -> bool {
        match info.is_dynamic(DynamicState::PROVOKING_VERTEX_MODE_EXT) {
            true => self.dynamic.provoking == vk::ProvokingVertexModeEXT::LAST_VERTEX,
            false => info.stages.as_ref().is_some_and(|stages| stages.provokes_last),
        }
    }

    /// Returns the vertex input state of a draw, including dynamic strides.
    pub(super) fn input(&self, info: &PipelineInfo) -> VertexInput {
        let input = match info.is_dynamic(DynamicState::VERTEX_INPUT_EXT) {
            true => self.input.as_ref(),
            false => info.input.as_deref(),
        };
        let mut input = input.cloned().unwrap_or_default();
        for (number, stride, _) in &mut input.bindings {
            *stride = self.stride(info, *number).unwrap_or(*stride);
        }
        input
    }

    pub(super) fn stride(&self, info: &PipelineInfo, binding: u32) -> Option<u32> {
        let is_dynamic = info.is_dynamic(DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        self.strides.get(&binding).copied().filter(|_| is_dynamic)
    }

    pub(super) fn indices(&self, device: &Driver, emulator: &Emulator) -> Result<Indices, String> {
        let bound = self.indices.ok_or("no index buffer is bound")?;
        let index_type = match bound.index_type {
            vk::IndexType::UINT16 => IndexType::Uint16,
            vk::IndexType::UINT32 => IndexType::Uint32,
            _ => IndexType::Uint8,
        };
        let range = emulator.range(device, (bound.buffer, bound.offset, bound.size));
        let (address, size) = range.ok_or("the index buffer has no address")?;
        Ok(Indices { address, size, index_type })
    }
}
