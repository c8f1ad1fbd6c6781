//! The bindings and words that a capture requires of the host: checked, bound and filled in.

use super::Run;
use crate::cases::{Case, GUARD, LEAD};
use crate::compare::{Expected, strides};
use crate::record::Placement;
use crate::verdict::{Difference, Part, Stop, broken, not_comparable};
use polyshade::Module;
use polyshade::host::Purpose;
use polyshade::spv::{Decoration, StorageClass};
use polyshade::transform_feedback::{self, BufferRange};
use polyshade_vulkan::Captured;
use polyshade_vulkan::model::{self, Topology};
use polyshade_vulkan::{
    Descriptor, Draw, Error, ProvokingVertex, Range, Resource, Work, place_words,
};

/// A descriptor that the requirements name: its set, its binding, and the feedback buffer; none for the host words.
pub(super) type Required = (u32, u32, Option<usize>);

impl Run<'_> {
    /// The descriptors that the requirements name, checked against the resources of the original.
    pub(super) fn required(&self) -> Result<Vec<Required>, Stop> {
        let wrong = |message: String| broken(Part::Host, message);
        let words_at = self.capture.words.place.descriptor();
        let words_at = words_at.map(|(set, binding)| (set.0, binding.0));
        let mut descriptors = Vec::new();
        for one in &self.capture.requirements.descriptors {
            let (set, binding) = (one.set.0, one.binding.0);
            let number = match one.purpose {
                Purpose::Feedback(number) => Some(number as usize),
                _ => None,
            };
            let is_there = match number {
                Some(number) => {
                    number < self.layout.len() && !self.original.inputs.binds(set, binding)
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
        for (number, buffer) in self.layout.iter().enumerate() {
            let is_bound = descriptors.iter().any(|(.., other)| *other == Some(number));
            if !buffer.pieces.is_empty() && !is_bound {
                return Err(wrong(format!("requirements leave feedback buffer {number} out")));
            }
        }
        if words_at.is_some() && !descriptors.iter().any(|(.., number)| number.is_none()) {
            return Err(wrong("requirements leave the host words out".to_owned()));
        }
        Ok(descriptors)
    }

    /// Every resource of a variant is the original's, or one that the requirements name; the raster-only variant has
    /// none of these.
    pub(super) fn check_descriptors(&self, part: Part, module: &Module<'_>) -> Result<(), Stop> {
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
            let is_own = self.original.inputs.binds(set, binding) || !is_used(module, id);
            if !is_own && (part == Part::RasterOnly || !added) {
                let place = format!("set {set}, binding {binding}");
                return Err(broken(part, format!("it uses {place}, which nothing is told of")));
            }
        }
        Ok(())
    }

    /// Binds feedback buffers and host words for a case. The buffers go to `work`, and their indices are returned.
    pub(super) fn bind(
        &self,
        case: &Case,
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) -> Result<Vec<usize>, Stop> {
        let (buffers, ranges) = feedback(self, case, work);
        let told = self.capture.layout.host_words(&host_draw(&case.draw), &told_ranges(self, case));
        let told = told.map_err(not_comparable)?;
        for (set, binding, number) in &self.descriptors {
            let Some(number) = number else { continue };
            let resource = Resource::StorageBuffer(ranges[*number]);
            draw.descriptors.push(Descriptor::new(*set, *binding, resource));
        }
        place_words(self.capture.words.place, &told, 0, draw, work);
        Ok(buffers)
    }

    /// Binds all that a draw needs of a variant that captures, to buffers without room.
    pub(super) fn bind_nothing(
        &self,
        placement: Placement,
        draw: &mut Draw<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        let bound = self.bind(&Case::of_nothing(placement), draw, work);
        // The host words were made for this very draw before.
        let bound = bound.map_err(|_| Error::Work("the host words cannot be made".to_owned()))?;
        debug_assert_eq!(bound.len(), self.layout.len());
        Ok(())
    }

    /// Compares the counts and counters that the layout computes for a case with those of the specification.
    pub(super) fn check_counts(&self, case: &Case, expected: &Expected) -> Result<(), Stop> {
        if case.excess() != [0, 0] {
            return Ok(());
        }
        let (draw, ranges) = (host_draw(&case.draw), told_ranges(self, case));
        let wrong = |message: String| {
            let draw = Some(case.to_string());
            Stop::from(Difference { draw, ..Difference::new(Part::Host, message) })
        };
        let written = self.capture.layout.primitives_written(&draw, &ranges);
        let written = written.map_err(|error| wrong(error.to_string()))?;
        let counts = Captured { needed: draw.primitives(), written };
        if counts != expected.counts {
            return Err(wrong(format!("the counts are {counts:?}, not {:?}", expected.counts)));
        }
        let after = self
            .capture
            .layout
            .advance(&draw, &ranges)
            .map_err(|error| wrong(error.to_string()))?;
        let reached = after.iter().map(|range| range.reached);
        if let Some(message) = expected.wrong_counter(&self.layout, reached) {
            return Err(wrong(message));
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
        let size = (LEAD + buffer.range.len() + case.tail()) as u64;
        work.buffers.push(buffer.memory);
        let index = work.buffers.len() - 1;
        (index, Range { buffer: index, offset: GUARD as u64, size })
    });
    bound.unzip()
}

fn told_ranges(run: &Run<'_>, case: &Case) -> Vec<BufferRange> {
    let [more, passed] = case.excess();
    let range = |buffer: model::Buffer| BufferRange {
        offset: LEAD as u32,
        size: buffer.range.len() as u32 + more * buffer.stride as u32,
        reached: buffer.reached as u32 + passed * buffer.stride as u32,
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
