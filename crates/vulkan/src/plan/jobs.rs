//! The jobs of the counter pass, and the dispatches of its shaders.

use super::{Counted, IndirectArguments};
use crate::address::address;
use crate::error::Error;
use crate::run::Objects;
use crate::work::{
    Address, AddressAt, Captured, Descriptor, Draw, Place, Range, Resource, Stage, Work,
};
use ash::vk;
use polyshade::host::ParamSource as WordPlace;
use polyshade::transform_feedback::{self, IndexType, MAX_BUFFERS, Topology};
use polyshade_planner::{CountedBy, Query, counter_pass};
use std::cell::RefCell;

/// A job with places in buffers instead of addresses.
pub(super) struct PlacedJob {
    /// The place of the job itself.
    pub(super) at: Place,
    /// The bound buffers; `None` if the job uses addresses.
    pub(super) bound: Option<BoundBuffers>,
    pub(super) state: Place,
    pub(super) begin: Option<Vec<Option<Place>>>,
    pub(super) end: Option<Vec<Option<Place>>>,
    pub(super) query: Option<Place>,
    pub(super) topology: Topology,
    pub(super) arguments: JobArguments,
    pub(super) predicate: Option<(Place, bool)>,
    pub(super) buffers: [(u32, u32); MAX_BUFFERS],
    pub(super) blocks: Option<JobParams>,
    pub(super) commands: Place,
    pub(super) groups: Place,
    pub(super) segments: Option<JobSegments>,
    /// For each shader, the draw of the work that dispatches the job.
    pub(super) dispatches: [Option<usize>; 2],
}

/// The source of the arguments of the draws.
pub(super) enum JobArguments {
    Direct(transform_feedback::Draw),
    /// Indirect arguments, and whether they are for indexed draws.
    Indirect(IndirectArguments, bool),
    ByteCount(Place, CountedBy, transform_feedback::Draw),
}

impl JobArguments {
    /// The maximum number of draws.
    pub(super) fn draws(&self) -> u32 {
        match self {
            Self::Direct(_) | Self::ByteCount(..) => 1,
            Self::Indirect(arguments, _) => arguments.draws,
        }
    }
}

/// The host parameters of the variants.
#[derive(Clone, Copy)]
pub(super) struct JobParams {
    pub(super) template: Place,
    pub(super) count: u32,
    pub(super) blocks: Place,
    pub(super) stride: u32,
    /// The source from which the variants read the parameters.
    pub(super) words: WordPlace,
}

/// The tables of segments.
#[derive(Clone, Copy)]
pub(super) struct JobSegments {
    pub(super) index_type: IndexType,
    pub(super) indices: Place,
    pub(super) size: u32,
    pub(super) tables: Place,
    pub(super) table_size: u32,
}

impl PlacedJob {
    /// Returns the bytes of the job as the shaders read it. `at` maps a place to its address or its name in bound
    /// buffers.
    fn bytes(&self, at: &dyn Fn(Place) -> Result<u64, Error>) -> Result<Vec<u8>, Error> {
        Ok(self.job(at)?.words().iter().flat_map(|word| word.to_ne_bytes()).collect())
    }

    fn job(&self, at: &dyn Fn(Place) -> Result<u64, Error>) -> Result<counter_pass::Job, Error> {
        let maybe = |place: Option<Place>| place.map_or(Ok(0), at);
        let counters = |places: &Vec<Option<Place>>| {
            let mut counters = [0; MAX_BUFFERS];
            for (counter, place) in counters.iter_mut().zip(places) {
                *counter = maybe(*place)?;
            }
            Ok::<_, Error>(counters)
        };
        let segments = self.segments.map(|segments| {
            let JobSegments { index_type, size, table_size, .. } = segments;
            let (indices, tables) = (at(segments.indices)?, at(segments.tables)?);
            let pool = 0;
            Ok::<_, Error>(counter_pass::Segments {
                index_type,
                indices,
                size,
                tables,
                table_size,
                pool,
                is_built: false,
            })
        });
        let predicate = self.predicate.map(|(place, inverted)| {
            Ok::<_, Error>(counter_pass::Predicate { place: at(place)?, inverted })
        });
        let draws = counter_pass::Draws {
            topology: self.topology,
            arguments: self.arguments(at)?,
            count: self.arguments.draws(),
            predicate: predicate.transpose()?,
            buffers: self.buffers,
            template: maybe(self.blocks.map(|blocks| blocks.template))?,
            param_count: self.blocks.map_or(0, |blocks| blocks.count),
            blocks: maybe(self.blocks.map(|blocks| blocks.blocks))?,
            block_stride: self.blocks.map_or(0, |blocks| blocks.stride),
            commands: at(self.commands)?,
            groups: at(self.groups)?,
            segments: segments.transpose()?,
            geometry: None,
        };
        Ok(counter_pass::Job {
            state: at(self.state)?,
            begin: self.begin.as_ref().map(counters).transpose()?,
            draws: Some(draws),
            query: maybe(self.query)?,
            end: self.end.as_ref().map(counters).transpose()?,
        })
    }

    fn arguments(
        &self,
        at: &dyn Fn(Place) -> Result<u64, Error>,
    ) -> Result<counter_pass::Arguments, Error> {
        Ok(match &self.arguments {
            JobArguments::Direct(numbers) => counter_pass::Arguments::Direct {
                count: numbers.vertex_count,
                instance_count: numbers.instance_count,
                first: numbers.first_vertex,
                vertex_offset: numbers.indices.map_or(0, |indices| indices.vertex_offset),
                first_instance: numbers.first_instance,
            },
            JobArguments::Indirect(arguments, indexed) => counter_pass::Arguments::Indirect {
                place: at(arguments.place)?,
                stride: arguments.stride,
                count: arguments.count.map_or(Ok(0), at)?,
                indexed: *indexed,
            },
            JobArguments::ByteCount(counter, count, numbers) => {
                counter_pass::Arguments::ByteCount {
                    counter: at(*counter)?,
                    offset: count.offset,
                    stride: count.stride,
                    instance_count: numbers.instance_count,
                    first_instance: numbers.first_instance,
                }
            }
        })
    }
}

/// Writes the jobs that use addresses, when the addresses of the buffers are known.
pub(super) fn write_jobs(objects: &Objects<'_>, jobs: &[PlacedJob]) -> Result<(), Error> {
    for kept in jobs.iter().filter(|kept| kept.bound.is_none()) {
        let bytes = kept.bytes(&|place| address(&objects.buffers, place))?;
        objects.buffers[kept.at.buffer].write(kept.at.offset as usize, &bytes);
    }
    Ok(())
}

/// Returns the counts that the counter pass computed for a query.
pub(super) fn device_count(query: Query, place: Place, buffers: &[Vec<u8>]) -> Counted {
    let mut numbers = buffers[place.buffer][place.offset as usize..].chunks_exact(8).map(|bytes| {
        bytes.iter().rev().fold(0, |number: u64, byte| number << 8 | u64::from(*byte))
    });
    let written = numbers.next().unwrap_or(0);
    let needed = numbers.next().unwrap_or(0);
    let written = if matches!(query, Query::Stream(_)) { written } else { needed };
    Counted { query, counts: Captured { written, needed } }
}

/// The buffers bound to the shaders, in the order of bindings: the job buffer, the state buffer, then all other
/// buffers.
pub(super) struct BoundBuffers(pub(super) Vec<usize>);

impl BoundBuffers {
    /// The name of a place in the bound buffers.
    fn place(&self, place: Place) -> Result<u64, Error> {
        let number = (0..).zip(&self.0).find(|(_, buffer)| **buffer == place.buffer);
        let (number, _) =
            number.ok_or_else(|| Error::work("a buffer of the counter pass is not bound"))?;
        let offset = u32::try_from(place.offset);
        let offset =
            offset.map_err(|_| Error::Unsupported("buffer offsets of 4 GiB".to_owned()))?;
        Ok(counter_pass::place_in(number, offset))
    }
}

impl PlacedJob {
    /// Binds the buffers of the job to descriptors, and writes the job. Unused bindings get buffers from `spare`.
    pub(super) fn bind(&mut self, work: &mut Work<'_>, spare: &[usize]) -> Result<(), Error> {
        let mut bound = BoundBuffers(self.named()?);
        let (count, most) = (bound.0.len(), counter_pass::BUFFERS);
        if count > most as usize {
            let message = format!("a counter pass with {count} bound buffers, only {most}");
            return Err(Error::Unsupported(message));
        }
        bound.0.extend(spare.iter().skip(count));
        let bytes = self.bytes(&|place| bound.place(place))?;
        let at = self.at.offset as usize;
        work.buffers[self.at.buffer][at..at + bytes.len()].copy_from_slice(&bytes);
        self.bound = Some(bound);
        Ok(())
    }

    /// The buffers of all places in the job.
    fn named(&self) -> Result<Vec<usize>, Error> {
        let buffers = RefCell::new(vec![self.at.buffer, self.state.buffer]);
        self.job(&|place| {
            let mut buffers = buffers.borrow_mut();
            if !buffers.contains(&place.buffer) {
                buffers.push(place.buffer);
            }
            Ok(0)
        })?;
        Ok(buffers.into_inner())
    }

    /// Builds the dispatch of a shader for the job.
    pub(super) fn dispatch(
        &self,
        shader: counter_pass::Shader,
        work: &Work<'_>,
    ) -> Result<Draw<'static>, Error> {
        let draws = self.arguments.draws();
        let row = 65_535;
        let groups = match shader {
            counter_pass::Shader::Segments => [draws.min(row), 1, draws.div_ceil(row).max(1)],
            counter_pass::Shader::Count => [1, 1, 1],
        };
        let words = if self.bound.is_some() { shader.bound_words() } else { shader.words() };
        let mut draw = Draw {
            stages: vec![Stage::new(vk::ShaderStageFlags::COMPUTE, words)],
            dispatch: Some(groups),
            ..Draw::default()
        };
        // The shader finds the job through a descriptor or an address.
        let mut first = 0;
        match &self.bound {
            Some(bound) => {
                first = bound.place(self.at)?;
                for (binding, buffer) in (0..).zip(&bound.0) {
                    let size = work.buffers[*buffer].len() as u64;
                    let range = Range { buffer: *buffer, offset: 0, size };
                    let resource = Resource::StorageBuffer(range);
                    draw.descriptors.push(Descriptor::new(0, binding, resource));
                }
            }
            None => {
                let to = AddressAt::PushConstants(0);
                draw.addresses.push(Address { of: self.at, to });
            }
        }
        let push = [first.to_ne_bytes().as_slice(), 1_u32.to_ne_bytes().as_slice()].concat();
        draw.push_constants = push;
        Ok(draw)
    }
}
