//! The counter pass: compute shaders that advance the counters on the device, and the jobs that the host gives them.
//!
//! Where the counters are on the [device](crate::CounterOwner::Device), a plan has a step
//! [`CounterPass`](crate::Step::CounterPass): the host writes a [`Job`] to memory and dispatches [`Shader::Count`],
//! which needs only the address of the jobs. It reads the application's arguments, counts and counters, and writes the
//! words that the variants read, the arguments that draw them, what queries count and the counters at the end. Where
//! indices restart primitives, [`Shader::Segments`] is dispatched before and makes the tables. Several jobs can be done
//! by one dispatch, in their order: those of all draws of a pass, say, in front of it.
//!
//! All places are addresses (`VkDeviceAddress`), multiples of 4 unless said otherwise, of memory that the host owns and
//! has made as large as is said here; 0 is none. Where a device has no addresses, [`Shader::bound_words`] finds the
//! memory in descriptors, and [`place_in`] makes the places. Arguments, counts and counters may hold anything: nothing
//! is written elsewhere. Sizes, strides and offsets are in bytes.

use super::steps::ParamValue;
use polyshade::transform_feedback::{IndexType, MAX_BUFFERS, Topology};
use std::sync::LazyLock;

/// A compute shader of the counter pass. It has [`PUSH_CONSTANTS`] bytes of push constants: the place of the first job,
/// in 8 bytes, and how many jobs there are; or the place of a [`List`] and [`List::COUNT`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shader {
    /// Does the jobs; one workgroup is dispatched.
    Count,
    /// Makes the tables of segments: as many workgroups are dispatched as the jobs have draws at most, by as many as
    /// there are jobs. Of more than 65,535 draws, rows of so many are dispatched one behind the other, as the third
    /// dimension.
    Segments,
}

/// Bytes of push constants of both shaders.
pub const PUSH_CONSTANTS: u32 = 12;

/// How many storage buffers [`Shader::bound_words`] has: the bindings from 0 on of set 0.
pub const BUFFERS: u32 = 8;

/// The place `offset` bytes behind the start of what is bound at this binding, for [`Shader::bound_words`].
pub fn place_in(binding: u32, offset: u32) -> u64 {
    (u64::from(binding) + 1) << 32 | u64::from(offset)
}

impl Shader {
    /// The SPIR-V module, of version 1.0; the entry point is `main`. It has no descriptors: places are addresses, and
    /// the device needs `bufferDeviceAddress`.
    pub fn words(self) -> &'static [u32] {
        static KEEP: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/count.spv")));
        static SEGMENTS: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/segments.spv")));
        match self {
            Self::Count => &KEEP,
            Self::Segments => &SEGMENTS,
        }
    }

    /// The same for devices without addresses: places are in [`BUFFERS`] storage buffers. The jobs, lists, templates,
    /// blocks, commands, tables and what queries count are at binding 0, the states at binding 1; arguments, counts,
    /// counters, indices and predicates are anywhere. What is behind the end of a buffer is neither read nor written. A
    /// binding that no place names has something bound to it all the same.
    pub fn bound_words(self) -> &'static [u32] {
        static KEEP: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/count_bound.spv")));
        static SEGMENTS: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/segments_bound.spv")));
        match self {
            Self::Count => &KEEP,
            Self::Segments => &SEGMENTS,
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    words.collect()
}

/// What is done for a capture: begin, draw, end, each where it is there.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Job {
    /// [`Job::STATE_SIZE`] bytes for a capture: the counter pass's memory of how much is filled. A job that does not
    /// begin goes on from what the one before has left there.
    pub state: u64,
    /// Capture begins, with the counters at these places, one a feedback buffer; where there is none, with 0.
    pub begin: Option<[u64; MAX_BUFFERS]>,
    /// The draws.
    pub draws: Option<Draws>,
    /// [`Job::QUERY_SIZE`] bytes to which is added what was counted: the primitives written, then the primitives
    /// needed, in 8 bytes each, as a query of transform feedback has them.
    pub query: u64,
    /// Capture ends, and the counters are written to these places.
    pub end: Option<[u64; MAX_BUFFERS]>,
}

/// The draws of a job: one, or those of a multi-draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Draws {
    /// The application's.
    pub topology: Topology,
    /// Where their numbers come from.
    pub arguments: Arguments,
    /// How many there are, at most.
    pub count: u32,
    /// What conditional rendering looks at. Draws whose arguments the host gives are left out by the device itself,
    /// for which conditional rendering has to be active there, too.
    pub predicate: Option<Predicate>,
    /// The size of each feedback range and the bytes of a vertex in it; (0, 0) where nothing is captured or bound.
    pub buffers: [(u32, u32); MAX_BUFFERS],
    /// The [`template`] of the words that variants read.
    pub template: u64,
    /// How many words that is.
    pub word_count: u32,
    /// Where the words go: `count` blocks.
    pub blocks: u64,
    /// From one block to the next.
    pub block_stride: u32,
    /// Where the arguments of the draws go that capture, `count` of [`Job::COMMAND_SIZE`] bytes
    /// (`VkDrawIndirectCommand`): of draws with indices, a vertex is an index. Draws that are left out have no
    /// instances.
    pub commands: u64,
    /// Where the work groups go of draws that are dispatched to capture, `count` of [`Job::GROUPS_SIZE`] bytes
    /// (`VkDispatchIndirectCommand`).
    pub groups: u64,
    /// Where restarts are looked for.
    pub segments: Option<Segments>,
}

/// Where the numbers of draws come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arguments {
    /// The host knows them.
    Direct {
        /// `vertexCount` or `indexCount`.
        count: u32,
        /// `instanceCount`.
        instance_count: u32,
        /// `firstVertex` or `firstIndex`.
        first: u32,
        /// `vertexOffset`, where there are indices.
        vertex_offset: i32,
        /// `firstInstance`.
        first_instance: u32,
    },
    /// Arguments in a buffer.
    Indirect {
        /// Where the first are: `VkDrawIndexedIndirectCommand` where `indexed`, else `VkDrawIndirectCommand`.
        place: u64,
        /// From one to the next, where there are several.
        stride: u32,
        /// Where it stands how many draws there are, if it does; what is more than the most is left out.
        count: u64,
        /// Whether the draws have indices.
        indexed: bool,
    },
    /// What a counter exceeds `offset` by, divided by `stride` and rounded down.
    ByteCount {
        /// The counter.
        counter: u64,
        /// `counterOffset`.
        offset: u32,
        /// `vertexStride`.
        stride: u32,
        /// `instanceCount`.
        instance_count: u32,
        /// `firstInstance`.
        first_instance: u32,
    },
}

/// What conditional rendering looks at: 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Predicate {
    /// Where they are.
    pub place: u64,
    /// Whether is drawn where they are 0, rather than where they are not.
    pub inverted: bool,
}

/// The indices of draws that may restart primitives, and the tables that are made of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Segments {
    /// How wide an index is.
    pub index_type: IndexType,
    /// Where index 0 is: a multiple of the size of an index.
    pub indices: u64,
    /// The bytes of the index buffer from there on.
    pub size: u32,
    /// Where the tables go, one a draw; where there is a pool, where 4 bytes a draw say where in the pool its table is.
    pub tables: u64,
    /// The bytes of a table, a multiple of 4: [`Segments::table_size`]. A word of the variants says it, or where there
    /// is a pool, the bytes of that.
    pub table_size: u32,
    /// Memory that the draws of any number of jobs share for their tables: each takes as much as it has restarts, and
    /// one that finds no room has no primitives. 0 where there is none; its address is a multiple of 8, and it begins
    /// with [`Segments::pool`]. Only where places are addresses.
    pub pool: u64,
}

impl Segments {
    /// The words that a pool of so many bytes begins with.
    pub fn pool(size: u32) -> [u32; 4] {
        [0, 0, 0, (size / 8).saturating_sub(2)]
    }

    /// The bytes of a table for draws of an index buffer of so many bytes: as many as if every index was a restart. At
    /// most 2³² - 4, so that what has more indices than half a billion has to have fewer restarts.
    pub fn table_size(index_type: IndexType, size: u32) -> u32 {
        let segments = u64::from(size / index_type.bytes()) + 2;
        (segments * 8 + 8).min(u64::from(u32::MAX - 3)) as u32
    }
}

/// Jobs that are known later than the commands which do them: the host dispatches both shaders indirectly, and writes
/// the list before it submits them. So all jobs of a render pass are done in front of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct List {
    /// Where the first job is.
    pub jobs: u64,
    /// How many there are.
    pub count: u32,
    /// The most draws of a job that has [`Segments`]; 0 where none has.
    pub restarted: u32,
}

impl List {
    /// What stands in place of a number of jobs.
    pub const COUNT: u32 = u32::MAX;
    /// Bytes of a list; its address is a multiple of 4.
    pub const SIZE: u32 = 40;
    /// Where the arguments of [`Shader::Count`] stand in it (`VkDispatchIndirectCommand`).
    pub const KEEP: u32 = 16;
    /// Where those of [`Shader::Segments`] stand.
    pub const SEGMENTS: u32 = 28;

    /// The words of the list.
    pub fn words(&self) -> [u32; Self::SIZE as usize / 4] {
        let jobs = [self.jobs as u32, (self.jobs >> 32) as u32, self.count, self.restarted];
        let keep = [self.count.min(1), 1, 1];
        // The most that a device has to dispatch in one dimension: further groups fill rows.
        let row = 65_535;
        let groups = u64::from(self.restarted) * u64::from(self.count);
        let segments = [groups.min(row) as u32, groups.div_ceil(row).min(row) as u32, 1];
        let mut words = [0; Self::SIZE as usize / 4];
        words[..4].copy_from_slice(&jobs);
        words[4..7].copy_from_slice(&keep);
        words[7..].copy_from_slice(&segments);
        words
    }
}

// The words of a job, by number, of which jobs.glsl is the other half. Those that are places take two.
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

// The flags.
const BEGINS: u32 = 1;
const ENDS: u32 = 2;
const DRAWS: u32 = 4;
const PREDICATED: u32 = 8;
const INVERTED: u32 = 16;
const RESTARTS: u32 = 32;
const INDIRECT: u32 = 64;
const INDEXED_INDIRECT: u32 = 128;
const BYTE_COUNT: u32 = 256;

/// The template of a block of words, in 32-bit words: what each word is, then for each a value. `value` gives those
/// that the host knows: all but first vertex, vertex count, the instances, vertex offset, slots, limit, the address of
/// the table, and what of a feedback buffer is filled. The number of the draw counts from the value on, and where
/// capture starts from where the range begins in what is bound.
pub fn template(words: &[ParamValue], mut value: impl FnMut(&ParamValue) -> u32) -> Vec<u32> {
    let pairs = words.iter().map(|word| match word {
        ParamValue::FirstVertex => (1, 0),
        ParamValue::VertexCount => (2, 0),
        ParamValue::FirstInstance => (3, 0),
        ParamValue::VertexOffset => (4, 0),
        ParamValue::DrawIndex => (5, value(word)),
        ParamValue::Slots => (6, 0),
        ParamValue::Limit => (7, 0),
        ParamValue::TableAddressLow => (8, 0),
        ParamValue::TableAddressHigh => (9, 0),
        ParamValue::InstanceCount => (11, 0),
        ParamValue::DeviceCounter(buffer) => (10, *buffer),
        // Two numbers in one, as offsets are multiples of 4.
        ParamValue::Start(buffer) => (10, value(word) & !3 | *buffer),
        known => (0, value(known)),
    });
    let (kinds, values): (Vec<u32>, Vec<u32>) = pairs.unzip();
    [kinds, values].concat()
}

impl Job {
    /// Bytes of a job; its address is a multiple of 4.
    pub const SIZE: u32 = 256;
    /// Bytes of the state of a capture.
    pub const STATE_SIZE: u32 = 16;
    /// Bytes of what is counted for a query.
    pub const QUERY_SIZE: u32 = 16;
    /// Bytes of the arguments of a draw that captures.
    pub const COMMAND_SIZE: u32 = 16;
    /// Bytes of the work groups of a draw that is dispatched to capture.
    pub const GROUPS_SIZE: u32 = 12;

    /// Has these jobs, which are words already, write so many blocks and commands further than they do: each draw has
    /// room for several of them, as a secondary command buffer may be executed several times in a render pass.
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

    /// Has these jobs, which are words already, write commands that draw nothing, and neither capture nor count.
    pub fn leave_out(jobs: &mut [u32]) {
        for job in jobs.as_chunks_mut::<{ Self::SIZE as usize / 4 }>().0 {
            job[FLAGS] &= DRAWS;
            job[DIRECT..DIRECT + 5].fill(0);
            job[QUERY..QUERY + 2].fill(0);
        }
    }

    /// Has the draws of these jobs, which are words already, heed what conditional rendering looks at, but for those
    /// that look at something themselves: the jobs of a secondary command buffer that inherits it.
    pub fn inherit(jobs: &mut [u32], predicate: Predicate) {
        for job in jobs.as_chunks_mut::<{ Self::SIZE as usize / 4 }>().0 {
            if job[FLAGS] & (DRAWS | PREDICATED) == DRAWS {
                let mut words = Record(*job);
                words.predicate(predicate);
                *job = words.0;
            }
        }
    }

    /// The words of the job, as the shaders read them.
    pub fn words(&self) -> [u32; Self::SIZE as usize / 4] {
        let mut words = Record::default();
        words.place(STATE, self.state);
        for (flag, first, counters) in [(BEGINS, BEGIN, self.begin), (ENDS, END, self.end)] {
            let Some(counters) = counters else { continue };
            words.flags(flag);
            for (number, counter) in counters.into_iter().enumerate() {
                words.place(first + 2 * number, counter);
            }
        }
        words.place(QUERY, self.query);
        if let Some(draws) = &self.draws {
            draws.fill_in(&mut words);
        }
        words.0
    }
}

/// The words of a job on their way.
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
        words.0[WORD_COUNT] = self.word_count;
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
            words.flags(RESTARTS);
            words.0[INDEX_TYPE] = segments.index_type as u32;
            words.place(TABLES, segments.tables);
            words.0[TABLE_STRIDE] = segments.table_size;
            words.0[INDEX_SIZE] = segments.size;
            words.place(INDICES, segments.indices);
            words.place(POOL, segments.pool);
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
