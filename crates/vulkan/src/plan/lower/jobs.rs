//! The jobs of the counter pass, and the draws whose parameters and arguments it writes.

use super::names::{indices, lead, place, places, without_indices};
use super::{Command, Lowering, Pending, Source};
use crate::capture::point_at;
use crate::error::Error;
use crate::plan::jobs::{JobArguments, JobParams, JobSegments, PlacedJob};
use crate::work::{Descriptor, Draw, Place, Range, Resource};
use ash::vk;
use polyshade::host::ParamSource as WordPlace;
use polyshade::transform_feedback::{self, IndexType, MAX_BUFFERS};
use polyshade_planner::{self as planner, ParamValue, ParamValues, Step, counter_pass};

/// The largest alignment that a device may require for offsets of storage or uniform buffers.
const ALIGNMENT: usize = 256;

impl<'a> Lowering<'a, '_> {
    /// Reserves `size` bytes in a buffer, at an offset where descriptors can begin.
    fn reserve(&mut self, buffer: usize, size: u32) -> Place {
        let memory = &mut self.lowered.work.buffers[buffer];
        let offset = memory.len().next_multiple_of(ALIGNMENT);
        memory.resize(offset + size as usize, 0);
        Place { buffer, offset: offset as u64 }
    }

    fn add_buffer(&mut self) -> usize {
        self.lowered.work.buffers.push(Vec::new());
        self.lowered.work.buffers.len() - 1
    }

    pub(super) fn counter_pass(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        pass: &planner::CounterPass,
    ) -> Result<(), Error> {
        // Each capture has its own state, because a new capture waits for nothing. Each job has its own buffer,
        // because draws wait only for their own job.
        let state = match self.state.filter(|_| pass.begin.is_none()) {
            Some(state) => state,
            None => {
                let buffer = self.add_buffer();
                self.reserve(buffer, counter_pass::Job::STATE_SIZE)
            }
        };
        self.state = Some(state);
        let memory = self.add_buffer();
        let at = self.reserve(memory, counter_pass::Job::SIZE);
        let arguments = Self::job_arguments(pending, pass);
        let draws = arguments.draws();
        let query =
            (!pass.queries.is_empty()).then(|| self.reserve(memory, counter_pass::Job::QUERY_SIZE));
        for asked in &pass.queries {
            self.lowered.queries.extend(query.map(|query| Source::PlacedJob(*asked, query)));
        }
        let segments = self.job_segments(pending, memory, draws)?;
        let blocks = match &pass.params {
            Some(words) => Some(self.blocks(pending, memory, words, draws)?),
            None => None,
        };
        let mut buffers = [(0, 0); MAX_BUFFERS];
        let ranges = pass.params.iter().flat_map(|words| &words.ranges);
        for (buffer, (range, stride)) in buffers.iter_mut().zip(ranges.zip(&pass.strides)) {
            *buffer = if *stride == 0 { (0, 0) } else { (range.size, *stride) };
        }
        let mut kept = PlacedJob {
            at,
            bound: None,
            state,
            begin: pass.begin.as_ref().map(places),
            end: pass.end.as_ref().map(places),
            query,
            topology: pending.numbers.topology,
            arguments,
            predicate: pending.planned.predicate,
            buffers,
            blocks,
            commands: self.reserve(memory, draws.max(1) * counter_pass::Job::COMMAND_SIZE),
            groups: self.reserve(memory, draws.max(1) * counter_pass::Job::GROUPS_SIZE),
            segments,
            dispatches: [None; 2],
        };
        // If the variants use no addresses, the counter pass uses none, either.
        let is_addressed = blocks.is_none_or(|blocks| blocks.words.is_address());
        if !is_addressed || !self.device.planner().buffer_addresses {
            if self.spare.is_empty() {
                self.spare = (0..counter_pass::BUFFERS).map(|_| self.add_buffer()).collect();
                for buffer in &self.spare {
                    self.lowered.work.buffers[*buffer].resize(4, 0);
                }
            }
            kept.bind(&mut self.lowered.work, &self.spare)?;
        }
        pending.kept = Some(self.lowered.jobs.len());
        for shader in [counter_pass::Shader::Count, counter_pass::Shader::Segments] {
            if shader == counter_pass::Shader::Count || kept.segments.is_some() {
                kept.dispatches[shader as usize] = Some(self.lowered.work.draws.len());
                let draw = kept.dispatch(shader, &self.lowered.work)?;
                self.lowered.work.draws.push(draw);
            }
        }
        self.push(Command::CounterPass(counter_pass::Shader::Count, self.lowered.jobs.len()));
        self.lowered.jobs.push(kept);
        Ok(())
    }

    fn job_arguments(pending: &Pending<'_, 'a>, pass: &planner::CounterPass) -> JobArguments {
        let numbers = pending.numbers;
        if let Some(count) = pass.count {
            return JobArguments::ByteCount(place(&count.counter), count, numbers);
        }
        match pending.planned.arguments {
            Some(arguments) => {
                JobArguments::Indirect(arguments, pending.planned.draw.indices.is_some())
            }
            None => JobArguments::Direct(numbers),
        }
    }

    /// Returns the parameters of the search for restarts, and reserves memory for the tables.
    fn job_segments(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        memory: usize,
        draws: u32,
    ) -> Result<Option<JobSegments>, Error> {
        let steps = &pending.planned.plan.steps;
        if !steps.contains(&Step::FindSegments) {
            return Ok(None);
        }
        let start = indices(pending.planned)?.place;
        let indices = pending.numbers.indices.as_mut().ok_or_else(without_indices)?;
        let transform_feedback::Indices { index_type, size, .. } = *indices;
        let table_size = counter_pass::Segments::table_size(index_type, size);
        let table_size = table_size.next_multiple_of(ALIGNMENT as u32);
        indices.table_size = table_size;
        let room = table_size.checked_mul(draws.max(1));
        let room =
            room.ok_or_else(|| Error::work("the tables of primitive restarts exceed 4 GiB"))?;
        let tables = self.reserve(memory, room);
        pending.table = Some(Range { size: table_size.into(), ..tables.with_size(0) });
        Ok(Some(JobSegments { index_type, indices: start, size, tables, table_size }))
    }

    /// Writes the template of the host parameters, and reserves memory for the parameters of each draw.
    fn blocks(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        memory: usize,
        words: &ParamValues,
        draws: u32,
    ) -> Result<JobParams, Error> {
        let mut error = None;
        let template = counter_pass::template(&words.values, |word| match word {
            ParamValue::Start(number) => words.ranges[*number as usize].offset,
            word => self.word(pending, word).unwrap_or_else(|found| {
                error.get_or_insert(found);
                0
            }),
        });
        if let Some(error) = error {
            return Err(error);
        }
        // The template, then its addresses, then one block for each draw.
        let count = words.values.len() as u32;
        let bytes: Vec<u8> = template.iter().flat_map(|one| one.to_ne_bytes()).collect();
        let template = self.reserve(memory, bytes.len() as u32);
        let at = template.offset as usize;
        self.lowered.work.buffers[memory][at..at + bytes.len()].copy_from_slice(&bytes);
        let values = Place { offset: template.offset + 4 * u64::from(count), ..template };
        self.tell_addresses(pending, words, values)?;
        let stride = (4 * count).next_multiple_of(ALIGNMENT as u32);
        let blocks = self.reserve(memory, stride * draws.max(1));
        Ok(JobParams { template, count, blocks, stride, words: words.source })
    }

    /// Returns the place of the draw arguments that the counter pass writes.
    pub(super) fn job_command(&self, job: usize, number: u32) -> Place {
        element(self.lowered.jobs[job].commands, number, counter_pass::Job::COMMAND_SIZE)
    }

    /// Returns the place of the work group counts that the counter pass writes.
    pub(super) fn job_groups(&self, job: usize, number: u32) -> Place {
        element(self.lowered.jobs[job].groups, number, counter_pass::Job::GROUPS_SIZE)
    }

    /// Adds draws or dispatches with arguments from the counter pass, and with host parameters if the variant reads
    /// any.
    pub(super) fn counted_draws(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        job: usize,
        command: impl Fn(&mut Self, &Pending<'_, 'a>, u32) -> Result<Command, Error>,
    ) -> Result<(), Error> {
        let kept = &self.lowered.jobs[job];
        let draws = kept.arguments.draws();
        let Some(blocks) = kept.blocks.filter(|_| pending.stores) else {
            let command = command(self, pending, 0)?;
            self.lowered.work.draws.extend(pending.bound.take());
            self.push(command);
            return Ok(());
        };
        let Some(bound) = pending.bound.take() else {
            return Err(Error::work("a draw has no pipeline"));
        };
        for number in 0..draws.max(1) {
            if number > 0 {
                self.bind_next();
            }
            let mut draw = bound.clone();
            if let Some(table) = pending.table.filter(|_| number > 0) {
                move_on(&mut draw, table, number);
            }
            self.find_words(blocks, element(blocks.blocks, number, blocks.stride), &mut draw);
            let command = command(self, pending, number)?;
            self.lowered.work.draws.push(draw);
            self.push(command);
        }
        Ok(())
    }

    /// Binds the host parameters at `of` to a draw.
    fn find_words(&mut self, blocks: JobParams, of: Place, draw: &mut Draw<'_>) {
        let range = of.with_size(u64::from(4 * blocks.count).next_multiple_of(16));
        let (set, binding, resource) = match blocks.words {
            WordPlace::Address(pointer) => {
                return point_at(pointer, of, 0, draw, &mut self.lowered.work);
            }
            WordPlace::Uniform { set, binding } => (set, binding, Resource::UniformBuffer(range)),
            WordPlace::StorageBuffer { set, binding } => {
                (set, binding, Resource::StorageBuffer(range))
            }
            // The planner rejects these sources.
            WordPlace::PushConstant { .. } | WordPlace::Specialization { .. } => return,
        };
        draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
    }

    /// Describes the indices of a captured draw for the host. If the indices may restart primitives, the description
    /// includes the segment table for the initial contents of the index buffer.
    pub(super) fn read_indices(&mut self, pending: &mut Pending<'_, 'a>) -> Result<(), Error> {
        let given = indices(pending.planned)?;
        let index_type = match given.index_type {
            vk::IndexType::UINT16 => IndexType::Uint16,
            vk::IndexType::UINT32 => IndexType::Uint32,
            _ => IndexType::Uint8,
        };
        let Place { buffer, offset } = given.place;
        let contents = self.lowered.work.buffers.get(buffer).map_or(&[][..], Vec::as_slice);
        let contents = contents.get(offset as usize..).unwrap_or_default();
        let indices = transform_feedback::Indices {
            index_type,
            offset: lead(self.device, offset) as u32,
            size: contents.len() as u32,
            vertex_offset: given.vertex_offset,
            address: 0,
            restarted: None,
            table_address: 0,
            table_size: 0,
        };
        pending.numbers.indices = Some(indices);
        if given.restart {
            let (first, count) = (pending.numbers.first_vertex, pending.numbers.vertex_count);
            let topology = pending.numbers.topology;
            let table =
                transform_feedback::Segments::find(topology, index_type, contents, first, count)?;
            let words = table.table().iter().flat_map(|word| word.to_ne_bytes()).collect();
            let words: Vec<u8> = words;
            let size = words.len() as u64;
            self.lowered.work.buffers.push(words);
            let buffer = self.lowered.work.buffers.len() - 1;
            pending.table = Some(Range { buffer, offset: 0, size });
            let indices = pending.numbers.indices.insert(indices);
            indices.restarted = Some(table.primitives());
            indices.table_size = 4 * table.table().len() as u32;
        }
        Ok(())
    }
}

/// Returns the place of the element with this number in an array of elements of `size` bytes.
fn element(first: Place, number: u32, size: u32) -> Place {
    Place { offset: first.offset + u64::from(number * size), ..first }
}

/// Binds the segment table of the draw with this number. It follows the tables of the previous draws.
fn move_on(draw: &mut Draw<'_>, table: Range, number: u32) {
    for descriptor in &mut draw.descriptors {
        if let Resource::StorageBuffer(range) = &mut descriptor.resource
            && *range == table
        {
            range.offset += u64::from(number) * table.size;
        }
    }
}
