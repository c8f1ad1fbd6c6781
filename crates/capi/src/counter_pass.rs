//! The counter pass: compute shaders that advance the counters on the device, and their jobs.

use crate::draw;
use crate::error::{guard, guard_value, polyshade_error};
use crate::failure::{Failure, polyshade_status};
use crate::ffi::{self, versioned};
use crate::place::check_flags;
use crate::plan::words::polyshade_param_value;
use polyshade_planner::counter_pass::{
    self, Arguments, Draws, Job, List, Predicate, Segments, Shader, template,
};

/// The shader that executes the jobs. Dispatch one work group.
pub const POLYSHADE_COUNTER_PASS_COUNT: u32 = 0;
/// The shader that builds the segment tables. Dispatch (the most draws of a job) × (the number of jobs) × 1 work
/// groups. For more than 65,535 draws, dispatch 65,535 in x and the number of such rows in z.
pub const POLYSHADE_COUNTER_PASS_SEGMENTS: u32 = 1;
/// `POLYSHADE_COUNTER_PASS_COUNT` for devices without `bufferDeviceAddress`. A place is
/// `(binding + 1) << 32 | offset`, in a storage buffer at one of the bindings 0 to 7 of set 0, all of which must be
/// bound. The counter pass's memory is at binding 0, except for the capture states, which are at binding 1.
/// Arguments, counts, counters, indices and predicates may be at any of them.
pub const POLYSHADE_COUNTER_PASS_COUNT_BOUND: u32 = 2;
/// `POLYSHADE_COUNTER_PASS_SEGMENTS` for such devices.
pub const POLYSHADE_COUNTER_PASS_SEGMENTS_BOUND: u32 = 3;

/// The bytes of push constants of every shader: the place of the first job (8 bytes) and the number of jobs, or the
/// place of a list and `POLYSHADE_LIST_COUNT`.
pub const POLYSHADE_COUNTER_PASS_PUSH_CONSTANTS: u32 = 12;
/// The 32-bit words of a job, whose address is a multiple of 4.
pub const POLYSHADE_JOB_WORDS: u32 = 67;
/// The bytes of the state of a capture.
pub const POLYSHADE_JOB_STATE_SIZE: u32 = 16;
/// The bytes of a query result: the primitives written, then the primitives needed, 8 bytes each.
pub const POLYSHADE_JOB_QUERY_SIZE: u32 = 16;
/// The bytes from the arguments of a capturing draw (`VkDrawIndirectCommand`) to those of the next.
pub const POLYSHADE_JOB_COMMAND_SIZE: u32 = 20;
/// The bytes of the arguments of a capturing dispatch (`VkDispatchIndirectCommand`).
pub const POLYSHADE_JOB_GROUPS_SIZE: u32 = 12;
/// The value in place of the number of jobs in the push constants, if the place is that of a list.
pub const POLYSHADE_LIST_COUNT: u32 = 0xffff_ffff;
/// The 32-bit words of a list, whose address is a multiple of 4.
pub const POLYSHADE_LIST_WORDS: u32 = 10;
/// The byte offset in a list of the `VkDispatchIndirectCommand` for `POLYSHADE_COUNTER_PASS_COUNT`.
pub const POLYSHADE_LIST_COUNTER_PASS: u32 = 16;
/// The byte offset in a list of the `VkDispatchIndirectCommand` for `POLYSHADE_COUNTER_PASS_SEGMENTS`.
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
        && POLYSHADE_LIST_COUNTER_PASS == List::COUNT_PASS
        && POLYSHADE_LIST_SEGMENTS == List::SEGMENTS,
    "the constants equal the planner's"
);

/// The capture begins with the counters at `begin`, or with 0 where the place is 0.
pub const POLYSHADE_JOB_BEGINS: u32 = 1;
/// The capture ends, and the counters are written to `end`.
pub const POLYSHADE_JOB_ENDS: u32 = 2;
/// The job has draws: the members after `query` are read.
pub const POLYSHADE_JOB_DRAWS: u32 = 4;
/// Conditional rendering depends on the 32-bit value at `predicate`.
pub const POLYSHADE_JOB_PREDICATED: u32 = 8;
/// Conditional rendering draws if the value is 0, not if it is other than 0.
pub const POLYSHADE_JOB_INVERTED: u32 = 16;
/// Indices may restart primitives: `index_type`, `indices`, `index_size`, `tables` and `table_size` are read.
pub const POLYSHADE_JOB_RESTARTED: u32 = 32;

/// The host knows the arguments: `count` to `first_instance`.
pub const POLYSHADE_ARGUMENTS_DIRECT: u32 = 0;
/// `VkDrawIndirectCommand`s at `arguments`.
pub const POLYSHADE_ARGUMENTS_INDIRECT: u32 = 1;
/// `VkDrawIndexedIndirectCommand`s at `arguments`.
pub const POLYSHADE_ARGUMENTS_INDEXED_INDIRECT: u32 = 2;
/// The vertex count is (the counter at `arguments` - `counter_offset`) / `vertex_stride`, rounded down. The host
/// gives `instance_count` and `first_instance`.
pub const POLYSHADE_ARGUMENTS_BYTE_COUNT: u32 = 3;

/// A job of the counter pass: begin, draw and end for one capture. Places are addresses (`VkDeviceAddress`),
/// multiples of 4, of memory that the host owns, or those of `POLYSHADE_COUNTER_PASS_COUNT_BOUND`; 0 is none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_job {
    /// `sizeof(polyshade_job)`
    pub size: u32,
    /// `POLYSHADE_JOB_…`
    pub flags: u32,
    /// The place of `POLYSHADE_JOB_STATE_SIZE` bytes of state for the capture. A job that does not begin the capture
    /// continues from the state that the previous job has left.
    pub state: u64,
    /// The places of the feedback buffers' counters.
    pub begin: [u64; 4],
    /// The places to which the counters are written.
    pub end: [u64; 4],
    /// The place of `POLYSHADE_JOB_QUERY_SIZE` bytes, to which the job adds the query results.
    pub query: u64,
    /// `POLYSHADE_TOPOLOGY_…`: the application's topology.
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
    /// The number of draws, or the maximum if `count_place` is not 0.
    pub draw_count: u32,
    pub arguments: u64,
    /// The place of the draw count of a multi-draw, or 0.
    pub count_place: u64,
    /// The bytes from the arguments of one draw to those of the next.
    pub arguments_stride: u32,
    pub counter_offset: u32,
    pub vertex_stride: u32,
    /// The number of host parameters that the variants read.
    pub param_count: u32,
    pub predicate: u64,
    /// The size of each feedback range in bytes; 0 if it captures nothing or is not bound.
    pub range_sizes: [u32; 4],
    /// The bytes of a vertex in each range.
    pub strides: [u32; 4],
    /// The place of the words of `polyshade_counter_pass_template`.
    pub template: u64,
    /// The place of `draw_count` blocks, to which the host parameters are written.
    pub blocks: u64,
    /// The bytes from one block to the next.
    pub block_stride: u32,
    /// `POLYSHADE_INDEX_TYPE_…`
    pub index_type: u32,
    /// The place to which the arguments of the capturing draws are written: `draw_count` times
    /// `POLYSHADE_JOB_COMMAND_SIZE` bytes.
    pub commands: u64,
    /// The place of index 0, a multiple of the size of an index.
    pub indices: u64,
    /// The place to which the segment tables are written, one for each draw.
    pub tables: u64,
    /// The bytes of the index buffer from index 0 on.
    pub index_size: u32,
    /// The bytes of a table, from `polyshade_counter_pass_table_size`.
    pub table_size: u32,
    /// The place to which the arguments of the capturing dispatches are written: `draw_count` times
    /// `POLYSHADE_JOB_GROUPS_SIZE` bytes.
    pub groups: u64,
}

versioned!(polyshade_job, 248);

/// A list of jobs, for jobs that the host knows only after it has recorded their dispatches. Both shaders are
/// dispatched indirectly, and the host writes the list before it submits the commands. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_list {
    /// The place of the first job.
    pub jobs: u64,
    /// The number of jobs.
    pub count: u32,
    /// The most draws of a job with `POLYSHADE_JOB_RESTARTED`; 0 if no job has the flag.
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
            param_count: self.param_count,
            blocks: self.blocks,
            block_stride: self.block_stride,
            commands: self.commands,
            groups: self.groups,
            segments: restarts.then(|| self.segments()).transpose()?,
            geometry: None,
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
            kind => return Err(Failure::argument(format!("unknown kind {kind} of arguments"))),
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
            is_built: false,
        })
    }
}

/// Returns the SPIR-V of a shader (`POLYSHADE_COUNTER_PASS_…`), and the number of its words in `*word_count`. The
/// entry point is `main`. The words are never freed. Returns NULL for an unknown shader.
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
        let _ = ffi::set(word_count, words.len(), "word_count");
        if words.is_empty() { std::ptr::null() } else { words.as_ptr() }
    })
}

/// Writes the `POLYSHADE_JOB_WORDS` words of a job, as the shaders read them, to `words`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_job_words(
    job: *const polyshade_job,
    words: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let made = ffi::get(job)?.read()?.words();
        ffi::set(words.cast::<[u32; POLYSHADE_JOB_WORDS as usize]>(), made, "words")
    })
}

/// Writes the `POLYSHADE_LIST_WORDS` words of a list, as the shaders and indirect dispatches read them, to `words`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_list_words(
    list: *const polyshade_list,
    words: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let &polyshade_list { jobs, count, restarted } = ffi::handle(list, "list")?;
        let made = List { jobs, count, restarted }.words();
        ffi::set(words.cast::<[u32; POLYSHADE_LIST_WORDS as usize]>(), made, "words")
    })
}

/// Writes the template of a variant's host parameters, for `polyshade_job.template`, to `buffer`. `words` are `count`
/// parameters of a plan, and `values` holds the value of each that the host knows. Values that the device computes
/// are ignored. A draw index counts from its value on; the value of a start is the offset of the range in the
/// binding. `*word_count` is the capacity of `buffer`, and becomes the number of words. If `buffer` is NULL, only the
/// number is written.
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
        let values = ffi::slice(values, count, "the values")?;
        let words = ffi::slice(words, count, "the words")?.iter();
        let words = words.map(polyshade_param_value::read).collect::<Result<Vec<_>, _>>()?;
        // One by one, because `template` calls back only for the values that the host knows.
        let pairs = words.iter().zip(values);
        let pairs = pairs.map(|(word, value)| template(&[*word], |_| *value));
        let (kinds, values): (Vec<u32>, Vec<u32>) = pairs.map(|pair| (pair[0], pair[1])).unzip();
        ffi::fill(&[kinds, values].concat(), buffer, word_count)
    })
}

/// Writes the size in bytes of a draw's segment table to `*table_size`, for an index buffer of `index_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn polyshade_counter_pass_table_size(
    index_type: u32,
    index_size: u32,
    table_size: *mut u32,
    error: *mut polyshade_error,
) -> polyshade_status {
    guard(error, || {
        let size = Segments::table_size(draw::index_type(index_type)?, index_size);
        ffi::set(table_size, size, "table_size")
    })
}
