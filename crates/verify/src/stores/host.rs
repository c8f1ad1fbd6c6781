//! What the host is told to bind and to fill in: bound, filled in, and checked against what there is.

use super::Run;
use crate::cases::{Case, GUARD, LEAD, TAIL};
use crate::compare::{Expected, strides};
use crate::record::Placement;
use crate::run::{Stop, not_comparable};
use crate::verdict::{Difference, Part};
use polyshade::Module;
use polyshade::host::{Place, Purpose};
use polyshade::spv::{Decoration, StorageClass};
use polyshade::transform_feedback::{self, BufferRange, Counts};
use polyshade_vulkan::model::{self, Topology};
use polyshade_vulkan::{Descriptor, Draw, Error, ProvokingVertex, Range, Resource, Work};

/// Where the host is told to bind what, checked against what there is to bind.
pub(super) struct Host {
    /// For each required descriptor its set, its binding, and the feedback buffer; none for the host words.
    descriptors: Vec<(u32, u32, Option<usize>)>,
}

impl Host {
    /// Reads the requirements.
    pub(super) fn of(run: &Run<'_>) -> Result<Host, Stop> {
        let wrong = |message: String| Stop::from(Difference::new(Part::Host, message));
        let words_at = match run.capture.words.place {
            Place::StorageBuffer { set, binding } | Place::Uniform { set, binding } => {
                Some((set.0, binding.0))
            }
            Place::PushConstant { .. } | Place::Specialization { .. } => None,
        };
        let mut descriptors = Vec::new();
        for one in &run.capture.requirements.descriptors {
            let (set, binding) = (one.set.0, one.binding.0);
            let number = match one.purpose {
                Purpose::Feedback(number) => Some(number as usize),
                _ => None,
            };
            let is_there = match number {
                Some(number) => {
                    number < run.layout.len() && !run.original.inputs.binds(set, binding)
                }
                None => one.purpose == Purpose::Words && words_at == Some((set, binding)),
            };
            if !is_there {
                let message =
                    format!("requirements name set {set}, binding {binding}, for nothing");
                return Err(wrong(message));
            }
            descriptors.push((set, binding, number));
        }
        for (number, buffer) in run.layout.iter().enumerate() {
            let is_bound = descriptors.iter().any(|(.., other)| *other == Some(number));
            if !buffer.pieces.is_empty() && !is_bound {
                return Err(wrong(format!("requirements leave feedback buffer {number} out")));
            }
        }
        if words_at.is_some() && !descriptors.iter().any(|(.., number)| number.is_none()) {
            return Err(wrong("requirements leave the host words out".to_owned()));
        }
        Ok(Host { descriptors })
    }

    /// Every resource of a variant is the original's, or one that the requirements name; the raster-only variant has
    /// none of these.
    pub(super) fn check_descriptors(
        &self,
        run: &Run<'_>,
        part: Part,
        module: &Module<'_>,
    ) -> Result<(), Stop> {
        for variable in module.variables() {
            let id = variable.result();
            let is_resource = matches!(
                variable.storage_class(),
                StorageClass::UNIFORM
                    | StorageClass::UNIFORM_CONSTANT
                    | StorageClass::STORAGE_BUFFER
            );
            let literal = |kind| module.decoration(id, kind)?.first().copied();
            let Some(binding) = literal(Decoration::BINDING).filter(|_| is_resource) else {
                continue;
            };
            let set = literal(Decoration::DESCRIPTOR_SET).unwrap_or(0);
            let added = self.descriptors.iter().any(|one| (one.0, one.1) == (set, binding));
            let is_own = run.original.inputs.binds(set, binding) || !is_used(module, id);
            if !is_own && (part == Part::RasterOnly || !added) {
                let message =
                    format!("it uses set {set}, binding {binding}, which nothing is told of");
                return Err(Difference::new(part, message).into());
            }
        }
        Ok(())
    }

    /// Binds feedback buffers and host words for a case. The buffers go to `work`, and their indices are returned.
    pub(super) fn bind(
        &self,
        run: &Run<'_>,
        case: &Case,
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) -> Result<Vec<usize>, Stop> {
        let (buffers, ranges) = feedback(run, case, work);
        let told = run.capture.layout.host_words(&host_draw(&case.draw), &told_ranges(run, case));
        let told = told.map_err(|error| not_comparable(error.to_string()))?;
        let bytes: Vec<u8> = told.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let own = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
        let is_uniform = matches!(run.capture.words.place, Place::Uniform { .. });
        for (set, binding, number) in &self.descriptors {
            let resource = match number {
                Some(number) => Resource::StorageBuffer(ranges[*number]),
                None if is_uniform => Resource::UniformBuffer(own),
                None => Resource::StorageBuffer(own),
            };
            draw.descriptors.push(Descriptor::new(*set, *binding, resource));
        }
        match run.capture.words.place {
            Place::PushConstant { offset } => {
                let (start, end) = (offset as usize, offset as usize + bytes.len());
                draw.push_constants.resize(draw.push_constants.len().max(end), 0);
                draw.push_constants[start..end].copy_from_slice(&bytes);
            }
            Place::Specialization { first_id } => {
                let constants = (first_id..).zip(told.iter().map(|word| (*word).into()));
                draw.stages[0].specialization.extend(constants);
            }
            Place::StorageBuffer { .. } | Place::Uniform { .. } => {}
        }
        work.buffers.push(bytes);
        Ok(buffers)
    }

    /// Binds all that a draw needs of a variant that captures, to buffers without room.
    pub(super) fn bind_nothing(
        &self,
        run: &Run<'_>,
        placement: Placement,
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        let bound = self.bind(run, &Case::of_nothing(placement), draw, work);
        // The host words were made for this very draw before.
        let bound = bound.map_err(|_| Error::Work("the host words cannot be made".to_owned()))?;
        debug_assert_eq!(bound.len(), run.layout.len());
        Ok(())
    }

    /// What the host is told that a case captures is what the specification says.
    pub(super) fn check_counts(
        &self,
        run: &Run<'_>,
        case: &Case,
        expected: &Expected,
    ) -> Result<(), Stop> {
        let (draw, ranges) = (host_draw(&case.draw), told_ranges(run, case));
        let wrong = |message: String| {
            let draw = Some(case.to_string());
            Stop::from(Difference { draw, ..Difference::new(Part::Host, message) })
        };
        let counts =
            run.capture.layout.counts(&draw, &ranges).map_err(|error| wrong(error.to_string()))?;
        let right = Counts { needed: expected.counts.needed, written: expected.counts.written };
        if counts != right {
            return Err(wrong(format!("the counts are {counts:?}, not {right:?}")));
        }
        let after =
            run.capture.layout.advance(&draw, &ranges).map_err(|error| wrong(error.to_string()))?;
        let captures = strides(&run.layout).into_iter().map(|stride| stride > 0);
        let reached = after.iter().zip(&expected.buffers).zip(captures);
        for (number, ((after, buffer), _)) in
            reached.enumerate().filter(|(_, (_, captures))| *captures)
        {
            if after.reached as usize != buffer.reached {
                let message = format!(
                    "the counter of feedback buffer {number} goes on at {}, not {}",
                    after.reached, buffer.reached
                );
                return Err(wrong(message));
            }
        }
        Ok(())
    }
}

fn is_used(module: &Module<'_>, id: polyshade::spv::Id) -> bool {
    module.uses_of(id).any(|inst| module.function_around(inst.at()).is_some())
}

/// Adds the feedback buffers of a case, and says which part of each is bound.
fn feedback(run: &Run<'_>, case: &Case, work: &mut Work<'_>) -> (Vec<usize>, Vec<Range>) {
    let bound = case.buffers(&strides(&run.layout)).into_iter().map(|buffer| {
        let size = (LEAD + buffer.range.len() + TAIL) as u64;
        work.buffers.push(buffer.memory);
        let index = work.buffers.len() - 1;
        (index, Range { buffer: index, offset: GUARD as u64, size })
    });
    bound.unzip()
}

fn told_ranges(run: &Run<'_>, case: &Case) -> Vec<BufferRange> {
    let range = |buffer: model::Buffer| BufferRange {
        offset: LEAD as u32,
        size: buffer.range.len() as u32,
        reached: buffer.reached as u32,
    };
    case.buffers(&strides(&run.layout)).into_iter().map(range).collect()
}

fn host_draw(draw: &model::Draw) -> transform_feedback::Draw {
    use transform_feedback::Topology as Told;
    transform_feedback::Draw {
        topology: match draw.topology {
            Topology::LineList => Told::LineList,
            Topology::LineStrip => Told::LineStrip,
            Topology::LineLoop => Told::LineLoop,
            Topology::TriangleList => Told::TriangleList,
            Topology::TriangleStrip => Told::TriangleStrip,
            Topology::TriangleFan => Told::TriangleFan,
            // The cases have no adjacency.
            _ => Told::PointList,
        },
        provoking_vertex: match draw.provoking_vertex {
            ProvokingVertex::First => transform_feedback::ProvokingVertex::First,
            ProvokingVertex::Last => transform_feedback::ProvokingVertex::Last,
        },
        first_vertex: draw.vertices.start,
        vertex_count: draw.vertices.end - draw.vertices.start,
        first_instance: draw.instances.start,
        instance_count: draw.instances.end - draw.instances.start,
    }
}
