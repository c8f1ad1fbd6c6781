//! How vertices become primitives, and which primitives an API rasterizes as the application requires.

use super::super::device::Api;
use super::super::state::Topology;
use super::super::steps::{
    Assembly, Attachments, Bind, DrawCall, Position, Rasterization, Step, Variant,
};
use super::PlanBuilder;
use crate::code;
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_spv::Error;

impl PlanBuilder<'_> {
    /// Returns how vertices are assembled to the application's primitives, and the draw command.
    pub(in super::super) fn assembled(&self) -> Result<(Assembly, DrawCall), Error> {
        let topology = self.pipeline.topology;
        let instead = match topology {
            Topology::LineLoop => Some(Topology::LineStrip),
            Topology::TriangleFan if !self.device.triangle_fans => Some(Topology::TriangleList),
            _ => None,
        };
        let Some(instead) = instead else {
            return Ok((Assembly::AsDrawn(topology), self.call()?));
        };
        let counted = match self.call()? {
            DrawCall::Vertices => None,
            DrawCall::CountedByHost(count) => Some(count),
            DrawCall::Indexed
            | DrawCall::Indirect
            | DrawCall::IndexedIndirect
            | DrawCall::OverIndices
            | DrawCall::FromCounterPass
            | DrawCall::ByteCount(_)
            | DrawCall::Rewritten(_) => {
                let message = format!(
                    "a {} with indices or arguments in buffers: {} has none, and the host would have to read them",
                    topology.name(),
                    self.device.api.name()
                );
                return Err(Error::new(&code::PLAN_HOST_READS_BUFFERS, message));
            }
        };
        Ok((Assembly::Rewritten(instead), DrawCall::Rewritten(counted)))
    }

    pub(super) fn bind(
        &mut self,
        variant: Variant,
        position: Position,
        rasterization: Rasterization,
        assembly: Assembly,
    ) {
        let provoking_vertex = match assembly {
            _ if !self.has_last() => ProvokingVertex::First,
            Assembly::Points | Assembly::AsDrawn(Topology::PointList) => ProvokingVertex::First,
            Assembly::AsDrawn(_) | Assembly::Rewritten(_) => self.pipeline.provoking_vertex,
        };
        let attachments = self.open.unwrap_or(Attachments::Application);
        self.steps.push(Step::BindPipeline(Bind {
            variant,
            position,
            rasterization,
            assembly,
            provoking_vertex,
            attachments,
        }));
    }

    /// Whether the device has a provoking vertex mode for the last vertex.
    fn has_last(&self) -> bool {
        self.device.provoking_vertex.is_some_and(|modes| modes.last)
    }

    /// Rejects primitives that the API would rasterize with another provoking vertex or other restarts.
    pub(super) fn check_rasterized(&self, assembly: Assembly, call: DrawCall) -> Result<(), Error> {
        let topology = match assembly {
            Assembly::Points | Assembly::AsDrawn(Topology::PointList) => return Ok(()),
            Assembly::AsDrawn(topology) | Assembly::Rewritten(topology) => topology,
        };
        if self.pipeline.provoking_vertex == ProvokingVertex::Last && !self.has_last() {
            let message = "the device has no provoking vertex mode for the last vertex, which flat inputs come from: \
                without any, plan for the first one";
            return Err(Error::new(&code::PLAN_PROVOKING_VERTEX, message));
        }
        let is_indexed = matches!(call, DrawCall::Indexed | DrawCall::IndexedIndirect);
        if self.device.api == Api::Vulkan || !is_indexed {
            return Ok(());
        }
        let (name, topology_name) = (self.device.api.name(), topology.name());
        let is_strip = matches!(topology, Topology::LineStrip | Topology::TriangleStrip);
        match (is_strip, self.pipeline.primitive_restart) {
            (true, false) => Err(Error::new(
                &code::PLAN_PRIMITIVE_RESTART,
                format!(
                    "a {topology_name} with indices that do not restart it: {name} restarts strips always; where \
                     no index is all ones, plan for primitive_restart"
                ),
            )),
            (false, true) => Err(Error::new(
                &code::PLAN_PRIMITIVE_RESTART,
                format!("a {topology_name} that indices restart: {name} restarts strips only"),
            )),
            (true, true) | (false, false) => Ok(()),
        }
    }
}
