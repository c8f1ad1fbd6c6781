//! What the keeper is told, and the draws whose words and arguments it writes.

use super::names::{indices, lead, place, places, without_indices};
use super::{Call, Command, Lowering, Pending, Source};
use crate::capture::point_at;
use crate::error::Error;
use crate::plan::IndirectArguments;
use crate::plan::keep::{Kept, KeptArguments, KeptBlocks, KeptSegments};
use crate::work::Place;
use ash::vk;
use polyshade::host::Place as WordPlace;
use polyshade::transform_feedback::{self, IndexType, MAX_BUFFERS};
use polyshade_planner::{self as planner, DrawCall, Step, Words, keeper};

impl<'a> Lowering<'a, '_> {
    fn add_buffer(&mut self, size: u32) -> usize {
        self.lowered.work.buffers.push(vec![0; size as usize]);
        self.lowered.work.buffers.len() - 1
    }

    /// Adds a job for the draw.
    pub(super) fn keep(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        keep: &planner::Keep,
    ) -> Result<(), Error> {
        let state = match self.state {
            Some(state) => state,
            None => self.add_buffer(keeper::Job::STATE_SIZE),
        };
        self.state = Some(state);
        let arguments = Self::kept_arguments(pending, keep);
        let draws = arguments.draws();
        let query = (!keep.queries.is_empty()).then(|| self.add_buffer(keeper::Job::QUERY_SIZE));
        for asked in &keep.queries {
            self.lowered.queries.extend(query.map(|query| Source::Kept(*asked, query)));
        }
        let segments = self.kept_segments(pending, draws)?;
        let blocks = match &keep.words {
            Some(words) => Some(self.blocks(pending, words, draws)?),
            None => None,
        };
        let mut buffers = [(0, 0); MAX_BUFFERS];
        let ranges = keep.words.iter().flat_map(|words| &words.ranges);
        for (buffer, (range, stride)) in buffers.iter_mut().zip(ranges.zip(&keep.strides)) {
            *buffer = if *stride == 0 { (0, 0) } else { (range.size, *stride) };
        }
        let kept = Kept {
            job: self.add_buffer(keeper::Job::SIZE),
            state,
            begin: keep.begin.as_ref().map(places),
            end: keep.end.as_ref().map(places),
            query,
            topology: pending.numbers.topology,
            arguments,
            predicate: pending.planned.predicate,
            buffers,
            blocks,
            commands: self.add_buffer(draws.max(1) * keeper::Job::COMMAND_SIZE),
            segments,
        };
        pending.kept = Some(self.lowered.jobs.len());
        self.push(Command::Keep(keeper::Shader::Keep, self.lowered.jobs.len()));
        self.lowered.jobs.push(kept);
        Ok(())
    }

    fn kept_arguments(pending: &Pending<'_, 'a>, keep: &planner::Keep) -> KeptArguments {
        let numbers = pending.numbers;
        if let Some(count) = keep.count {
            return KeptArguments::ByteCount(place(&count.counter), count, numbers);
        }
        match pending.planned.arguments {
            Some(arguments) => {
                KeptArguments::Indirect(arguments, pending.planned.draw.indices.is_some())
            }
            None => KeptArguments::Direct(numbers),
        }
    }

    /// Where restarts are looked for, with room for the tables.
    fn kept_segments(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        draws: u32,
    ) -> Result<Option<KeptSegments>, Error> {
        let steps = &pending.planned.plan.steps;
        if !steps.contains(&Step::FindSegments) {
            return Ok(None);
        }
        let start = indices(pending.planned)?.place;
        let indices = pending.numbers.indices.as_mut().ok_or_else(without_indices)?;
        let transform_feedback::Indices { index_type, size, .. } = *indices;
        let table_size = keeper::Segments::table_size(index_type, size);
        indices.table_size = table_size;
        let tables = self.add_buffer(table_size * draws.max(1));
        Ok(Some(KeptSegments { index_type, indices: start, size, tables, table_size }))
    }

    /// The template of the words, and room for what becomes of it.
    fn blocks(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        words: &Words,
        draws: u32,
    ) -> Result<KeptBlocks, Error> {
        let mut error = None;
        let template = keeper::template(&words.words, |word| {
            self.word(pending, word).unwrap_or_else(|found| {
                error.get_or_insert(found);
                0
            })
        });
        if let Some(error) = error {
            return Err(error);
        }
        let WordPlace::Address(pointer) = words.place else {
            return Err(Error::Work("kept words are not found by an address".to_owned()));
        };
        let count = words.words.len() as u32;
        self.lowered.work.buffers.push(template.iter().flat_map(|one| one.to_ne_bytes()).collect());
        let template = self.lowered.work.buffers.len() - 1;
        let values = Place { buffer: template, offset: 4 * u64::from(count) };
        self.tell_addresses(pending, words, values)?;
        let stride = (4 * count).next_multiple_of(16);
        let blocks = self.add_buffer(stride * draws.max(1));
        Ok(KeptBlocks { template, count, blocks, stride, pointer })
    }

    /// Draws of what the keeper has written: each with words of its own, where what is bound reads some.
    pub(super) fn kept_draws(
        &mut self,
        pending: &mut Pending<'_, 'a>,
        job: usize,
        call: &DrawCall,
    ) -> Result<(), Error> {
        let kept = &self.lowered.jobs[job];
        let (draws, commands) = (kept.arguments.draws(), kept.commands);
        let blocks = kept.blocks.filter(|_| pending.stores);
        let call_of = |lowering: &mut Self, pending: &Pending<'_, 'a>, number: u32| match call {
            DrawCall::Kept => {
                let offset = u64::from(number * keeper::Job::COMMAND_SIZE);
                let place = Place { buffer: commands, offset };
                Ok(Call::Indirect(IndirectArguments::from(place)))
            }
            other => lowering.call(pending, other),
        };
        let Some(blocks) = blocks else {
            let call = call_of(self, pending, 0)?;
            self.lowered.work.draws.extend(pending.bound.take());
            self.push(Command::Draw(call));
            return Ok(());
        };
        let Some(bound) = pending.bound.take() else {
            return Err(Error::Work("a draw has no pipeline".to_owned()));
        };
        for number in 0..draws.max(1) {
            if number > 0 {
                self.bind_next();
            }
            let mut draw = bound.clone();
            let offset = u64::from(number * blocks.stride);
            let of = Place { buffer: blocks.blocks, offset };
            point_at(blocks.pointer, of, 0, &mut draw, &mut self.lowered.work);
            let call = call_of(self, pending, number)?;
            self.lowered.work.draws.push(draw);
            self.push(Command::Draw(call));
        }
        Ok(())
    }

    /// What the host says of the indices of a captured draw; where they may restart primitives, with the table that it
    /// makes of what the buffer holds at first.
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
            ..NO_INDICES
        };
        pending.numbers.indices = Some(indices);
        if given.restart {
            let (first, count) = (pending.numbers.first_vertex, pending.numbers.vertex_count);
            let topology = pending.numbers.topology;
            let table =
                transform_feedback::Segments::find(topology, index_type, contents, first, count)
                    .map_err(|error| Error::Work(error.to_string()))?;
            let words = table.table().iter().flat_map(|word| word.to_ne_bytes()).collect();
            self.lowered.work.buffers.push(words);
            pending.table = Some(self.lowered.work.buffers.len() - 1);
            let indices = pending.numbers.indices.insert(indices);
            indices.restarted = Some(table.primitives());
            indices.table_size = 4 * table.table().len() as u32;
        }
        Ok(())
    }
}

const NO_INDICES: transform_feedback::Indices = transform_feedback::Indices {
    index_type: IndexType::Uint32,
    address: 0,
    offset: 0,
    size: 0,
    vertex_offset: 0,
    draw_index: 0,
    restarted: None,
    table_address: 0,
    table_size: 0,
};
