//! The counter pass: shaders that advance the counters on the device, and their jobs.

use crate::border::{self, versioned};
use crate::draw;
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::place::check_flags;
use crate::plan::words::polyshade_param_value;
use polyshade_planner::counter_pass::{
    self, Arguments, Draws, Job, List, Predicate, Segments, Shader, template,
};

/// Does the jobs, in one workgroup.
pub const POLYSHADE_COUNTER_PASS_COUNT: u32 = 0;
/// Makes the tables of segments: as many workgroups as jobs have draws at most, by as many as there are jobs. Of more
/// than 65,535 draws, rows of so many are dispatched, as the third dimension.
pub const POLYSHADE_COUNTER_PASS_SEGMENTS: u32 = 1;
/// Both for devices without addresses: a place is `(binding + 1) << 32 | offset`, of a storage buffer at one of the
/// bindings 0 to 7 of set 0, each of which is bound to something. What the counter pass has is at binding 0, but for
/// the states, which are at binding 1; arguments, counts, counters, indices and predicates are anywhere.
pub const POLYSHADE_COUNTER_PASS_COUNT_BOUND: u32 = 2;
/// `POLYSHADE_COUNTER_PASS_SEGMENTS` for the same.
pub const POLYSHADE_COUNTER_PASS_SEGMENTS_BOUND: u32 = 3;

/// Bytes of push constants of all: the place of the first job, and how many there are; or the place of a list, and
/// `POLYSHADE_LIST_COUNT`.
pub const POLYSHADE_COUNTER_PASS_PUSH_CONSTANTS: u32 = 12;
/// Words of a job, at an address that is a multiple of 4.
pub const POLYSHADE_JOB_WORDS: u32 = 64;
/// Bytes of the state of a capture.
pub const POLYSHADE_JOB_STATE_SIZE: u32 = 16;
/// Bytes that are counted for a query: the primitives written and those needed, 8 each.
pub const POLYSHADE_JOB_QUERY_SIZE: u32 = 16;
/// Bytes of the arguments of a draw that captures.
pub const POLYSHADE_JOB_COMMAND_SIZE: u32 = 16;
/// Bytes of the work groups of a draw that is dispatched to capture.
pub const POLYSHADE_JOB_GROUPS_SIZE: u32 = 12;
/// What stands in push constants in place of a number of jobs, where the address is that of a list.
pub const POLYSHADE_LIST_COUNT: u32 = 0xffff_ffff;
/// Words of a list, at an address that is a multiple of 4.
pub const POLYSHADE_LIST_WORDS: u32 = 10;
/// Bytes into a list at which the `VkDispatchIndirectCommand` of `POLYSHADE_COUNTER_PASS_COUNT` stands.
pub const POLYSHADE_LIST_COUNTER_PASS: u32 = 16;
/// The same of `POLYSHADE_COUNTER_PASS_SEGMENTS`.
pub const POLYSHADE_LIST_SEGMENTS: u32 = 28;

const _: () = assert!(
    POLYSHADE_COUNTER_PASS_PUSH_CONSTANTS == counter_pass::PUSH_CONSTANTS
        && 4 * POLYSHADE_JOB_WORDS == Job::SIZE
        && POLYSHADE_JOB_STATE_SIZE == Job::STATE_SIZE
        && POLYSHADE_JOB_QUERY_SIZE == Job::QUERY_SIZE
        && POLYSHADE_JOB_COMMAND_SIZE == Job::COMMAND_SIZE
        && POLYSHADE_JOB_GROUPS_SIZE == Job::GROUPS_SIZE
        && POLYSHADE_LIST_COUNT == List::COUNT
        && 4 * POLYSHADE_LIST_WORDS == List::SIZE
        && POLYSHADE_LIST_COUNTER_PASS == List::KEEP
        && POLYSHADE_LIST_SEGMENTS == List::SEGMENTS,
    "the numbers are the planner's"
);

/// Capture begins with the counters at `begin`; where there is none, with 0.
pub const POLYSHADE_JOB_BEGINS: u32 = 1;
/// Capture ends, and the counters are written to `end`.
pub const POLYSHADE_JOB_ENDS: u32 = 2;
/// There are draws: the members behind `query` are looked at.
pub const POLYSHADE_JOB_DRAWS: u32 = 4;
/// Conditional rendering looks at 32 bits at `predicate`.
pub const POLYSHADE_JOB_PREDICATED: u32 = 8;
/// It draws where they are 0, rather than where they are not.
pub const POLYSHADE_JOB_INVERTED: u32 = 16;
/// Indices may restart primitives: the members from `index_type` on are looked at.
pub const POLYSHADE_JOB_RESTARTED: u32 = 32;

/// The host knows the numbers: `count` to `first_instance`.
pub const POLYSHADE_ARGUMENTS_DIRECT: u32 = 0;
/// `VkDrawIndirectCommand`s at `arguments`.
pub const POLYSHADE_ARGUMENTS_INDIRECT: u32 = 1;
/// `VkDrawIndexedIndirectCommand`s there.
pub const POLYSHADE_ARGUMENTS_INDEXED_INDIRECT: u32 = 2;
/// What the counter at `arguments` exceeds `counter_offset` by, divided by `vertex_stride` and rounded down; the host
/// knows the instances.
pub const POLYSHADE_ARGUMENTS_BYTE_COUNT: u32 = 3;

/// What is done for a capture: it begins, draws, ends. Places are addresses (`VkDeviceAddress`), multiples of 4, of
/// memory that the host owns, or those of `POLYSHADE_COUNTER_PASS_COUNT_BOUND`; 0 is none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_job {
    /// `sizeof(polyshade_job)`
    pub size: u32,
    /// `POLYSHADE_JOB_…`
    pub flags: u32,
    /// `POLYSHADE_JOB_STATE_SIZE` bytes for a capture. A job that does not begin goes on from what the one before has
    /// left there.
    pub state: u64,
    /// Where the counters of the feedback buffers are.
    pub begin: [u64; 4],
    /// Where they are written.
    pub end: [u64; 4],
    /// `POLYSHADE_JOB_QUERY_SIZE` bytes to which is added what is counted.
    pub query: u64,
    /// `POLYSHADE_TOPOLOGY_…`: the application's.
    pub topology: u32,
    /// `POLYSHADE_ARGUMENTS_…`
    pub arguments_kind: u32,
    /// `vertexCount`, or `indexCount`
    pub count: u32,
    /// `instanceCount`
    pub instance_count: u32,
    /// `firstVertex`, or `firstIndex`
    pub first: u32,
    /// `vertexOffset`
    pub vertex_offset: i32,
    /// `firstInstance`
    pub first_instance: u32,
    /// How many draws there are, at most.
    pub draw_count: u32,
    pub arguments: u64,
    /// Where it stands how many draws there are, if it does.
    pub count_place: u64,
    /// From the arguments of one draw to the next.
    pub arguments_stride: u32,
    pub counter_offset: u32,
    pub vertex_stride: u32,
    /// How many words the variants read.
    pub word_count: u32,
    pub predicate: u64,
    /// The size of each feedback range; 0 where nothing is captured or bound.
    pub range_sizes: [u32; 4],
    /// The bytes of a vertex in it.
    pub strides: [u32; 4],
    /// What `polyshade_counter_pass_template` gives.
    pub template: u64,
    /// Where the words go: `draw_count` blocks.
    pub blocks: u64,
    /// From one block to the next.
    pub block_stride: u32,
    /// `POLYSHADE_INDEX_TYPE_…`
    pub index_type: u32,
    /// Where the arguments go that capture: `draw_count` of `POLYSHADE_JOB_COMMAND_SIZE` bytes.
    pub commands: u64,
    /// Where index 0 is: a multiple of the size of an index.
    pub indices: u64,
    /// Where the tables of segments go, one a draw.
    pub tables: u64,
    /// The bytes of the index buffer from index 0 on.
    pub index_size: u32,
    /// The bytes of a table: what `polyshade_counter_pass_table_size` says.
    pub table_size: u32,
    /// Where the work groups go of draws that are dispatched to capture: `draw_count` of `POLYSHADE_JOB_GROUPS_SIZE`
    /// bytes.
    pub groups: u64,
}

versioned!(polyshade_job, 248);

/// Jobs that are known later than the commands which do them: both shaders are dispatched indirectly, and the list is
/// written before the commands are submitted. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_list {
    /// Where the first job is.
    pub jobs: u64,
    /// How many there are.
    pub count: u32,
    /// The most draws of a job whose indices may restart primitives; 0 where there is none.
    pub restarted: u32,
}

impl polyshade_job {
    fn read(&self) -> Result<Job, Failure> {
        let known = POLYSHADE_JOB_BEGINS
            | POLYSHADE_JOB_ENDS
            | POLYSHADE_JOB_DRAWS
            | POLYSHADE_JOB_PREDICATED
            | POLYSHADE_JOB_INVERTED
            | POLYSHADE_JOB_RESTARTED;
        check_flags(self.flags, known, "a job")?;
        let draws = self.has(POLYSHADE_JOB_DRAWS).then(|| self.draws()).transpose()?;
        Ok(Job {
            state: self.state,
            begin: self.has(POLYSHADE_JOB_BEGINS).then_some(self.begin),
            draws,
            query: self.query,
            end: self.has(POLYSHADE_JOB_ENDS).then_some(self.end),
        })
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    fn draws(&self) -> Result<Draws, Failure> {
        let inverted = self.has(POLYSHADE_JOB_INVERTED);
        let predicate = Predicate { place: self.predicate, inverted };
        let restarts = self.has(POLYSHADE_JOB_RESTARTED);
        let mut buffers = self.range_sizes.into_iter().zip(self.strides);
        Ok(Draws {
            topology: draw::topology(self.topology)?,
            arguments: self.arguments()?,
            count: self.draw_count,
            predicate: self.has(POLYSHADE_JOB_PREDICATED).then_some(predicate),
            buffers: [(); 4].map(|()| buffers.next().unwrap_or_default()),
            template: self.template,
            word_count: self.word_count,
            blocks: self.blocks,
            block_stride: self.block_stride,
            commands: self.commands,
            groups: self.groups,
            segments: restarts.then(|| self.segments()).transpose()?,
        })
    }

    fn arguments(&self) -> Result<Arguments, Failure> {
        let &Self { instance_count, first_instance, arguments: place, .. } = self;
        let indirect = |indexed| Arguments::Indirect {
            place,
            stride: self.arguments_stride,
            count: self.count_place,
            indexed,
        };
        Ok(match self.arguments_kind {
            POLYSHADE_ARGUMENTS_DIRECT => Arguments::Direct {
                count: self.count,
                instance_count,
                first: self.first,
                vertex_offset: self.vertex_offset,
                first_instance,
            },
            POLYSHADE_ARGUMENTS_INDIRECT => indirect(false),
            POLYSHADE_ARGUMENTS_INDEXED_INDIRECT => indirect(true),
            POLYSHADE_ARGUMENTS_BYTE_COUNT => Arguments::ByteCount {
                counter: place,
                offset: self.counter_offset,
                stride: self.vertex_stride,
                instance_count,
                first_instance,
            },
            kind => return Err(Failure::argument(format!("there are no arguments {kind}"))),
        })
    }

    fn segments(&self) -> Result<Segments, Failure> {
        Ok(Segments {
            index_type: draw::index_type(self.index_type)?,
            indices: self.indices,
            size: self.index_size,
            tables: self.tables,
            table_size: self.table_size,
            pool: 0,
        })
    }
}

/// The SPIR-V of a shader (`POLYSHADE_COUNTER_PASS_…`), whose entry point is `main`; it lives for ever. `*word_count`
/// says how many words there are. NULL where there is no such shader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_counter_pass_words(
    shader: u32,
    word_count: *mut usize,
) -> *const u32 {
    guard_value(std::ptr::null(), || {
        let words = match shader {
            POLYSHADE_COUNTER_PASS_COUNT => Shader::Count.words(),
            POLYSHADE_COUNTER_PASS_SEGMENTS => Shader::Segments.words(),
            POLYSHADE_COUNTER_PASS_COUNT_BOUND => Shader::Count.bound_words(),
            POLYSHADE_COUNTER_PASS_SEGMENTS_BOUND => Shader::Segments.bound_words(),
            _ => &[],
        };
        let _ = border::set(word_count, words.len(), "word_count");
        if words.is_empty() { std::ptr::null() } else { words.as_ptr() }
    })
}

/// Writes the words of a job, as the shaders read them: `POLYSHADE_JOB_WORDS` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_job_words(
    job: *const polyshade_job,
    words: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let made = border::get(job)?.read()?.words();
        border::set(words.cast::<[u32; POLYSHADE_JOB_WORDS as usize]>(), made, "words")
    })
}

/// Writes the words of a list, as the shaders and the dispatches read them: `POLYSHADE_LIST_WORDS` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_list_words(
    list: *const polyshade_list,
    words: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let &polyshade_list { jobs, count, restarted } = border::handle(list, "list")?;
        let made = List { jobs, count, restarted }.words();
        border::set(words.cast::<[u32; POLYSHADE_LIST_WORDS as usize]>(), made, "words")
    })
}

/// Writes the template of the words that variants read, which a job names: `words` as a plan says them, and for each of
/// the `count` the value that the host knows, in `values`; what the device finds is not looked at there, a draw's
/// number counts from the value on, and where capture starts from where the range begins in what is bound. Where
/// `buffer` is NULL, `*word_count` becomes the number of its words; else it says how many `buffer` holds, and becomes
/// how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_counter_pass_template(
    words: *const polyshade_param_value,
    values: *const u32,
    count: usize,
    buffer: *mut u32,
    word_count: *mut usize,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let values = border::slice(values, count, "the values")?;
        let words = border::slice(words, count, "the words")?.iter();
        let words = words.map(polyshade_param_value::read).collect::<Result<Vec<_>, _>>()?;
        // One by one, as the planner asks for the values of some alone.
        let pairs = words.iter().zip(values);
        let pairs = pairs.map(|(word, value)| template(&[*word], |_| *value));
        let (kinds, values): (Vec<u32>, Vec<u32>) = pairs.map(|pair| (pair[0], pair[1])).unzip();
        border::fill(&[kinds, values].concat(), buffer, word_count)
    })
}

/// Says how many bytes the table of segments of a draw has whose index buffer has `index_size`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_counter_pass_table_size(
    index_type: u32,
    index_size: u32,
    table_size: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let size = Segments::table_size(draw::index_type(index_type)?, index_size);
        border::set(table_size, size, "table_size")
    })
}
