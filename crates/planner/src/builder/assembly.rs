//! Primitive assembly, and checks that the API rasterizes the primitives as the application requires.

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
    /// Returns the draw command, and how the pipeline assembles the application's primitives.
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
                    "cannot draw a {} with index or argument buffers: {} does not support it, and the host would have \
                        to read the buffers",
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

    /// Rejects primitives that the API would rasterize with a different provoking vertex or different restarts.
    pub(super) fn check_rasterized(&self, assembly: Assembly, call: DrawCall) -> Result<(), Error> {
        let topology = match assembly {
            Assembly::Points | Assembly::AsDrawn(Topology::PointList) => return Ok(()),
            Assembly::AsDrawn(topology) | Assembly::Rewritten(topology) => topology,
        };
        if self.pipeline.provoking_vertex == ProvokingVertex::Last && !self.has_last() {
            let message = "the device cannot use the last vertex as the provoking vertex: if the pipeline has no flat \
                inputs, plan for the first vertex";
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
                    "cannot draw a {topology_name} with indices and without primitive restart: {name} always restarts \
                        strips; if no index has all bits set, plan for primitive_restart"
                ),
            )),
            (false, true) => Err(Error::new(
                &code::PLAN_PRIMITIVE_RESTART,
                format!(
                    "cannot draw a {topology_name} with primitive restart: {name} restarts only strips"
                ),
            )),
            (true, true) | (false, false) => Ok(()),
        }
    }
}
