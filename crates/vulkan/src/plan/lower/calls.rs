//! Translates the draw calls and dispatches of plans.

use super::names::{indices, place};
use super::{Call, Command, Groups, Lowering, Pending};
use crate::error::Error;
use crate::work::{Indices, Place};
use ash::vk;
use polyshade::transform_feedback;
use polyshade_planner::DrawCall;

impl<'a> Lowering<'a, '_> {
    pub(super) fn planned_draw(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        call: &DrawCall,
    ) -> Result<(), Error> {
        self.check_target(pending)?;
        if let Some(job) = pending.kept {
            return self.counted_draws(pending, job, |lowering, pending, number| {
                Ok(Command::Draw(match call {
                    DrawCall::FromCounterPass => {
                        Call::Indirect(lowering.job_command(job, number).into())
                    }
                    other => lowering.call(pending, other)?,
                }))
            });
        }
        let call = self.call(pending, call)?;
        self.lowered.work.draws.extend(pending.bound.take());
        self.push(Command::Draw(call));
        Ok(())
    }

    pub(super) fn planned_dispatch(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        call: &DrawCall,
    ) -> Result<(), Error> {
        let known = pending.bound.as_ref().and_then(|draw| draw.dispatch).unwrap_or_default();
        if let Some(job) = pending.kept {
            return self.counted_draws(pending, job, |lowering, _, number| {
                Ok(Command::Dispatch(match call {
                    DrawCall::FromCounterPass => Groups::Indirect(lowering.job_groups(job, number)),
                    _ => Groups::Known(known),
                }))
            });
        }
        self.lowered.work.draws.extend(pending.bound.take());
        self.push(Command::Dispatch(Groups::Known(known)));
        Ok(())
    }

    fn call(&mut self, pending: &Pending<'_, 'a>, call: &DrawCall) -> Result<Call, Error> {
        let numbers = pending.numbers;
        let end = numbers.first_instance.saturating_add(numbers.instance_count);
        let instances = numbers.first_instance..end;
        let indices = || indices(pending.planned);
        let arguments = || {
            let arguments = pending.planned.arguments;
            arguments.ok_or_else(|| Error::work("an indirect draw has no arguments"))
        };
        match call {
            DrawCall::Vertices | DrawCall::OverIndices | DrawCall::CountedByHost(_) => {
                Ok(Call::Vertices(numbers))
            }
            DrawCall::FromCounterPass => {
                Err(Error::work("no counter pass writes the arguments of the draw"))
            }
            DrawCall::Indexed => Ok(Call::Indexed(indices()?, instances)),
            DrawCall::Indirect => Ok(Call::Indirect(arguments()?)),
            DrawCall::IndexedIndirect => Ok(Call::IndexedIndirect(indices()?, arguments()?)),
            DrawCall::Rewritten(_) => {
                let indices = self.rewritten(&numbers)?;
                Ok(Call::Indexed(indices, instances))
            }
            DrawCall::ByteCount(count) => {
                let has = self.device.transform_feedback;
                if !has.is_some_and(|has| has.draw) {
                    return Err(Error::Missing("draws with a byte count (transformFeedbackDraw)"));
                }
                Ok(Call::ByteCount(place(&count.counter), *count, instances))
            }
        }
    }

    /// Builds indices that draw a line loop as a line strip, and a triangle fan as a triangle list.
    fn rewritten(&mut self, numbers: &transform_feedback::Draw) -> Result<Indices, Error> {
        let vertices = numbers.vertex_count;
        use transform_feedback::ProvokingVertex as Provoking;
        use transform_feedback::Topology as Captured;
        let indices: Vec<u32> = match (numbers.topology, numbers.provoking_vertex) {
            (Captured::LineLoop, _) => (0..vertices).chain((vertices > 1).then_some(0)).collect(),
            (Captured::TriangleFan, Provoking::First) => {
                (2..vertices).flat_map(|last| [last - 1, last, 0]).collect()
            }
            (Captured::TriangleFan, Provoking::Last) => {
                (2..vertices).flat_map(|last| [0, last - 1, last]).collect()
            }
            (other, _) => return Err(Error::Unsupported(format!("rewriting {other:?}"))),
        };
        let indices: Vec<u8> = indices.into_iter().flat_map(u32::to_ne_bytes).collect();
        let count = (indices.len() / 4) as u32;
        self.lowered.work.buffers.push(indices);
        Ok(Indices {
            place: Place { buffer: self.lowered.work.buffers.len() - 1, offset: 0 },
            index_type: vk::IndexType::UINT32,
            count,
            first: 0,
            vertex_offset: numbers.first_vertex as i32,
            // Metal always enables restart for strips. It has no effect here, because no index has all bits set.
            restart: numbers.topology == Captured::LineLoop,
        })
    }
}
