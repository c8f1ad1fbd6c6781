//! The draws as `polyshade_vulkan` runs them, bound as the host is told to.

use super::{Run, Stop, not_comparable};
use crate::cases::{Case, FILL, GUARD, LEAD, Room, TAIL};
use crate::compare::{Expected, Recording, strides};
use crate::record::{DONE, Placement, Recorder};
use crate::verdict::{Difference, Part};
use polyshade::Module;
use polyshade::spv::{Decoration, StorageClass};
use polyshade::transform_feedback::{self, BufferRange, Counts, HostWords, Purpose};
use polyshade_vulkan::model::{self, Topology};
use polyshade_vulkan::{
    Descriptor, Draw, Error, ProvokingVertex, Range, Resource, Stage, TransformFeedback, Work, vk,
};

/// A draw of the shader as points.
pub(super) fn points<'w>(words: &'w [u32], entry: &'w str, placement: Placement) -> Draw<'w> {
    let Placement { first_vertex, vertices, first_instance, instances } = placement;
    Draw {
        stages: vec![Stage { entry_point: entry, ..Stage::vertex(words) }],
        vertices: first_vertex..first_vertex + vertices,
        instances: first_instance..first_instance + instances,
        ..Draw::default()
    }
}

impl Case {
    pub(super) fn placement(&self) -> Placement {
        let model::Draw { vertices, instances, .. } = &self.draw;
        Placement {
            first_vertex: vertices.start,
            vertices: vertices.len() as u32,
            first_instance: instances.start,
            instances: instances.len() as u32,
        }
    }
}

impl Run<'_> {
    /// Draws a shader that writes its outputs down. One that captures too is bound to buffers without room.
    pub(super) fn run_recorder(
        &self,
        recorder: &Recorder,
        placement: Placement,
        host: Option<&Host>,
    ) -> Result<Recording, Error> {
        let mut work = Work::default();
        let size = 4 * recorder.stride() * placement.slots();
        work.buffers.push(vec![FILL; size as usize]);
        let range = Range { buffer: 0, offset: 0, size: u64::from(size) };
        let (set, binding) = recorder.bound;
        let mut draw = self.draw(&recorder.words, placement);
        draw.descriptors.push(Descriptor::new(set.0, binding.0, Resource::StorageBuffer(range)));
        if let Some(host) = host {
            let (_, case) = nothing(placement);
            // The host words were made for this very draw before.
            let bound = host.bind(self, &case, &mut draw, &mut work);
            bound.map_err(|_| Error::Work("the host words cannot be made".to_owned()))?;
        }
        self.inputs.install(&mut work).give(&mut draw);
        work.draws.push(draw);
        let outcome = self.device.run(&work)?;
        let mut words = Vec::new();
        for slot in u32s(&outcome.buffers[0]).chunks_exact(recorder.stride() as usize) {
            let (done, outputs) = slot.split_last().expect("the mark is always there");
            if *done != DONE {
                return Err(Error::Work("an invocation does not come to its end".to_owned()));
            }
            words.extend_from_slice(outputs);
        }
        Ok(Recording { placement, words })
    }

    /// Draws a shader that is captured natively.
    pub(super) fn run_native(
        &self,
        shader: &[u32],
        placement: Placement,
    ) -> Result<Recording, Error> {
        let mut work = Work::default();
        let stride: u32 = self.leaves.iter().map(|leaf| 4 * leaf.words()).sum();
        let size = stride * placement.slots();
        work.buffers.push(vec![FILL; size as usize]);
        let range = Range { buffer: 0, offset: 0, size: u64::from(size) };
        let mut draw = self.draw(shader, placement);
        draw.transform_feedback =
            Some(TransformFeedback { buffers: vec![range], ..TransformFeedback::default() });
        self.inputs.install(&mut work).give(&mut draw);
        work.draws.push(draw);
        let outcome = self.device.run(&work)?;
        Ok(Recording { placement, words: u32s(&outcome.buffers[0]) })
    }
}

/// The case of a point list that captures nothing.
fn nothing(placement: Placement) -> (Placement, Case) {
    let Placement { first_vertex, vertices, first_instance, instances } = placement;
    let draw = model::Draw {
        topology: Topology::PointList,
        provoking_vertex: ProvokingVertex::First,
        vertices: first_vertex..first_vertex + vertices,
        instances: first_instance..first_instance + instances,
    };
    (placement, Case { draw, room: Room::None })
}

fn u32s(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// Where the host is told to bind what, checked against what there is to bind.
pub(super) struct Host {
    /// For each required descriptor its set, its binding, and the feedback buffer; none for the host words.
    descriptors: Vec<(u32, u32, Option<usize>)>,
}

impl Host {
    /// Reads the requirements.
    pub(super) fn of(run: &Run<'_>) -> Result<Host, Stop> {
        let wrong = |message: String| Stop::from(Difference::new(Part::Host, message));
        let words_at = match run.capture.host.place {
            HostWords::StorageBuffer { set, binding } | HostWords::Uniform { set, binding } => {
                Some((set.0, binding.0))
            }
            HostWords::PushConstant { .. } | HostWords::Specialization { .. } => None,
        };
        let mut descriptors = Vec::new();
        for one in &run.capture.requirements.descriptors {
            let (set, binding) = (one.set.0, one.binding.0);
            let number = match one.purpose {
                Purpose::Feedback(number) => Some(number as usize),
                Purpose::HostWords => None,
            };
            let is_there = number.map_or(words_at == Some((set, binding)), |number| {
                number < run.layout.len() && !run.inputs.binds(set, binding)
            });
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
            let is_own = run.inputs.binds(set, binding) || !is_used(module, id);
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
        let told = run.capture.host_words(&host_draw(&case.draw), &told_ranges(run, case));
        let told = told.map_err(|error| not_comparable(error.to_string()))?;
        let bytes: Vec<u8> = told.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let own = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
        let is_uniform = matches!(run.capture.host.place, HostWords::Uniform { .. });
        for (set, binding, number) in &self.descriptors {
            let resource = match number {
                Some(number) => Resource::StorageBuffer(ranges[*number]),
                None if is_uniform => Resource::UniformBuffer(own),
                None => Resource::StorageBuffer(own),
            };
            draw.descriptors.push(Descriptor::new(*set, *binding, resource));
        }
        match run.capture.host.place {
            HostWords::PushConstant { offset } => {
                let (start, end) = (offset as usize, offset as usize + bytes.len());
                draw.push_constants.resize(draw.push_constants.len().max(end), 0);
                draw.push_constants[start..end].copy_from_slice(&bytes);
            }
            HostWords::Specialization { first_id } => {
                let constants = (first_id..).zip(told.iter().map(|word| (*word).into()));
                draw.stages[0].specialization.extend(constants);
            }
            HostWords::StorageBuffer { .. } | HostWords::Uniform { .. } => {}
        }
        work.buffers.push(bytes);
        Ok(buffers)
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
            run.capture.counts(&draw, &ranges).map_err(|error| wrong(error.to_string()))?;
        let right = Counts { needed: expected.counts.needed, written: expected.counts.written };
        if counts != right {
            return Err(wrong(format!("the counts are {counts:?}, not {right:?}")));
        }
        let after =
            run.capture.advance(&draw, &ranges).map_err(|error| wrong(error.to_string()))?;
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

/// Vulkan's name of a topology that can be drawn as it is.
pub(super) fn topology(topology: Topology) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as Native;
    match topology {
        Topology::LineList => Native::LINE_LIST,
        Topology::LineStrip => Native::LINE_STRIP,
        Topology::TriangleList => Native::TRIANGLE_LIST,
        Topology::TriangleStrip => Native::TRIANGLE_STRIP,
        Topology::TriangleFan => Native::TRIANGLE_FAN,
        _ => Native::POINT_LIST,
    }
}
