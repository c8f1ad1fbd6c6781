//! Encodes jobs in the format that the shaders read.

use super::{Arguments, Draws, Geometry, Job, Predicate};
use polyshade::transform_feedback::MAX_BUFFERS;

// Offsets in a job, in 32-bit values; jobs.glsl has the same constants. A location takes two values.
const FLAGS: usize = 0;
const TOPOLOGY: usize = 1;
const STATE: usize = 2;
const BEGIN: usize = 4;
const END: usize = 12;
const QUERY: usize = 20;
const PREDICATE: usize = 22;
const MOST: usize = 24;
const ARGUMENT_STRIDE: usize = 25;
const ARGUMENTS: usize = 26;
const COUNT: usize = 28;
const DIRECT: usize = 30;
const COUNTER_OFFSET: usize = 35;
const VERTEX_STRIDE: usize = 36;
const WORD_COUNT: usize = 37;
const RANGES: usize = 38;
const TEMPLATE: usize = 46;
const BLOCKS: usize = 48;
const BLOCK_STRIDE: usize = 50;
const INDEX_TYPE: usize = 51;
const COMMANDS: usize = 52;
const TABLES: usize = 54;
const TABLE_STRIDE: usize = 56;
const INDEX_SIZE: usize = 57;
const INDICES: usize = 58;
const GROUPS: usize = 60;
const POOL: usize = 62;
const EMITTED: usize = 64;
const EMITTED_AT: usize = 65;

// The bits of the value at FLAGS.
const BEGINS: u32 = 1;
const ENDS: u32 = 2;
const DRAWS: u32 = 4;
const PREDICATED: u32 = 8;
const INVERTED: u32 = 16;
const RESTARTS: u32 = 32;
const INDIRECT: u32 = 64;
const INDEXED_INDIRECT: u32 = 128;
const BYTE_COUNT: u32 = 256;
const INDEXED_COMMANDS: u32 = 512;
const STREAMS: u32 = 1024;
const TABLES_BUILT: u32 = 2048;

impl Job {
    /// Makes encoded jobs write to the blocks and commands of execution number `times`. A secondary command buffer
    /// may be executed several times in a pass, so the host allocates several blocks and commands per draw.
    pub fn move_on(jobs: &mut [u32], times: u32) {
        for job in jobs.as_chunks_mut::<{ Self::SIZE as usize / 4 }>().0 {
            let mut words = Record(*job);
            let draws = u64::from(times) * u64::from(words.0[MOST].max(1));
            for (place, stride) in [
                (BLOCKS, words.0[BLOCK_STRIDE]),
                (COMMANDS, Self::COMMAND_SIZE),
                (GROUPS, Self::GROUPS_SIZE),
            ] {
                if words.place_at(place) != 0 {
                    words.place(place, words.place_at(place) + draws * u64::from(stride));
                }
            }
            *job = words.0;
        }
    }

    /// Changes encoded jobs so that they capture nothing, count nothing, and write draw commands that draw nothing.
    pub fn leave_out(jobs: &mut [u32]) {
        for job in jobs.as_chunks_mut::<{ Self::SIZE as usize / 4 }>().0 {
            job[FLAGS] &= DRAWS;
            job[DIRECT..DIRECT + 5].fill(0);
            job[QUERY..QUERY + 2].fill(0);
            job[EMITTED_AT..EMITTED_AT + 2].fill(0);
        }
    }

    /// Adds a predicate to the draws of encoded jobs that lack one. The jobs of a secondary command buffer need this
    /// if it inherits conditional rendering.
    pub fn inherit(jobs: &mut [u32], predicate: Predicate) {
        for job in jobs.as_chunks_mut::<{ Self::SIZE as usize / 4 }>().0 {
            if job[FLAGS] & (DRAWS | PREDICATED) == DRAWS {
                let mut words = Record(*job);
                words.predicate(predicate);
                *job = words.0;
            }
        }
    }

    /// Ends the capture in an encoded job, after its draws. Returns whether the job belongs to the capture with this
    /// state, and does not end it already.
    pub fn end_capture(
        job: &mut [u32; Self::SIZE as usize / 4],
        state: u64,
        counters: [u64; MAX_BUFFERS],
    ) -> bool {
        let mut words = Record(*job);
        let is_own = words.place_at(STATE) == state && words.0[FLAGS] & ENDS == 0;
        if is_own {
            words.counters(ENDS, END, counters);
            *job = words.0;
        }
        is_own
    }

    /// Encodes the job in the format that the shaders read.
    pub fn words(&self) -> [u32; Self::SIZE as usize / 4] {
        let mut words = Record::default();
        words.place(STATE, self.state);
        self.begin.iter().for_each(|counters| words.counters(BEGINS, BEGIN, *counters));
        self.end.iter().for_each(|counters| words.counters(ENDS, END, *counters));
        words.place(QUERY, self.query);
        if let Some(draws) = &self.draws {
            draws.fill_in(&mut words);
        }
        words.0
    }
}

/// A job that is being encoded.
struct Record([u32; Job::SIZE as usize / 4]);

impl Default for Record {
    fn default() -> Self {
        Self([0; Job::SIZE as usize / 4])
    }
}

impl Record {
    fn flags(&mut self, flags: u32) {
        self.0[FLAGS] |= flags;
    }

    fn counters(&mut self, flag: u32, first: usize, counters: [u64; MAX_BUFFERS]) {
        self.flags(flag);
        for (number, counter) in counters.into_iter().enumerate() {
            self.place(first + 2 * number, counter);
        }
    }

    fn place(&mut self, number: usize, place: u64) {
        self.0[number] = place as u32;
        self.0[number + 1] = (place >> 32) as u32;
    }

    fn place_at(&self, number: usize) -> u64 {
        u64::from(self.0[number]) | u64::from(self.0[number + 1]) << 32
    }

    fn predicate(&mut self, Predicate { place, inverted }: Predicate) {
        self.flags(PREDICATED | if inverted { INVERTED } else { 0 });
        self.place(PREDICATE, place);
    }
}

impl Draws {
    fn fill_in(&self, words: &mut Record) {
        words.flags(DRAWS);
        words.0[TOPOLOGY] = self.topology as u32;
        if let Some(predicate) = self.predicate {
            words.predicate(predicate);
        }
        words.0[MOST] = self.count;
        self.arguments.fill_in(words);
        words.0[WORD_COUNT] = self.param_count;
        for (number, (size, stride)) in self.buffers.into_iter().enumerate() {
            words.0[RANGES + 2 * number] = size;
            words.0[RANGES + 2 * number + 1] = stride;
        }
        words.place(TEMPLATE, self.template);
        words.place(BLOCKS, self.blocks);
        words.0[BLOCK_STRIDE] = self.block_stride;
        words.place(COMMANDS, self.commands);
        words.place(GROUPS, self.groups);
        if let Some(segments) = self.segments {
            words.flags(RESTARTS | if segments.is_built { TABLES_BUILT } else { 0 });
            words.0[INDEX_TYPE] = segments.index_type as u32;
            words.place(TABLES, segments.tables);
            words.0[TABLE_STRIDE] = segments.table_size;
            words.0[INDEX_SIZE] = segments.size;
            words.place(INDICES, segments.indices);
            words.place(POOL, segments.pool);
        }
        if let Some(Geometry { topology, primitives, emitted, indexed, has_streams }) =
            self.geometry
        {
            words.flags(if indexed { INDEXED_COMMANDS } else { 0 });
            words.flags(if has_streams { STREAMS } else { 0 });
            // The number of vertices is 1 to 3, so the value is 0 only without a geometry stage.
            words.0[EMITTED] = primitives << 2 | topology.vertices_per_primitive();
            words.place(EMITTED_AT, emitted);
        }
    }
}

impl Arguments {
    fn fill_in(self, words: &mut Record) {
        match self {
            Self::Direct { count, instance_count, first, vertex_offset, first_instance } => {
                let numbers =
                    [count, instance_count, first, vertex_offset.cast_unsigned(), first_instance];
                words.0[DIRECT..DIRECT + 5].copy_from_slice(&numbers);
            }
            Self::Indirect { place, stride, count, indexed } => {
                words.flags(if indexed { INDEXED_INDIRECT } else { INDIRECT });
                words.0[ARGUMENT_STRIDE] = stride;
                words.place(ARGUMENTS, place);
                words.place(COUNT, count);
            }
            Self::ByteCount { counter, offset, stride, instance_count, first_instance } => {
                words.flags(BYTE_COUNT);
                words.place(ARGUMENTS, counter);
                words.0[DIRECT..DIRECT + 5].copy_from_slice(&[
                    0,
                    instance_count,
                    0,
                    0,
                    first_instance,
                ]);
                words.0[COUNTER_OFFSET] = offset;
                words.0[VERTEX_STRIDE] = stride;
            }
        }
    }
}
