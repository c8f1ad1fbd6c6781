//! The counter pass: compute shaders that advance the counters on the device, and the jobs that they execute.
//!
//! If the [device](crate::CounterOwner::Device) owns the counters, a plan has a step
//! [`CounterPass`](crate::Step::CounterPass). For this step, the host writes a [`Job`] to memory and dispatches
//! [`Shader::Count`] with the address of the job. The shader reads the application's draw arguments, draw counts and
//! counters, and writes the host parameters of the variants, the arguments of the draws that capture, the query
//! results and the final counters. If indices restart primitives, [`Shader::Segments`] is dispatched first and builds
//! the segment tables. One dispatch can execute several jobs in order, for example the jobs of all draws of a render
//! pass before the pass begins.
//!
//! All locations are addresses (`VkDeviceAddress`) of memory that the host allocates, with the sizes given here. They
//! are multiples of 4 unless stated otherwise, and 0 means no location. On devices without buffer addresses,
//! [`Shader::bound_words`] accesses memory through descriptors, and [`place_in`] returns the locations. Arguments,
//! counts and counters may have any values: the shaders never write outside of these locations. Sizes, strides and
//! offsets are in bytes.

mod encoding;

use super::steps::ParamValue;
use polyshade::transform_feedback::{IndexType, MAX_BUFFERS, Topology};
use std::sync::LazyLock;

/// A compute shader of the counter pass. It has [`PUSH_CONSTANTS`] bytes of push constants: either the location of
/// the first job (8 bytes) and the number of jobs (4 bytes), or the location of a [`List`] and [`List::COUNT`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shader {
    /// Executes the jobs. The host dispatches one workgroup.
    Count,
    /// Builds the segment tables. The host dispatches one workgroup in x per draw of the largest job, and one in y
    /// per job. If there are more than 65,535 draws, they are split into rows of 65,535 along z.
    Segments,
}

/// The size of the push constants of both shaders, in bytes.
pub const PUSH_CONSTANTS: u32 = 12;

/// The number of storage buffers of [`Shader::bound_words`]: bindings 0 to 7 of set 0.
pub const BUFFERS: u32 = 8;

/// Returns the location at byte `offset` of the buffer at this binding, for [`Shader::bound_words`].
pub fn place_in(binding: u32, offset: u32) -> u64 {
    (u64::from(binding) + 1) << 32 | u64::from(offset)
}

impl Shader {
    /// The SPIR-V 1.0 module with entry point `main`. It has no descriptors and needs `bufferDeviceAddress`.
    pub fn words(self) -> &'static [u32] {
        static COUNT: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/count.spv")));
        static SEGMENTS: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/segments.spv")));
        match self {
            Self::Count => &COUNT,
            Self::Segments => &SEGMENTS,
        }
    }

    /// The SPIR-V module for devices without buffer addresses. Its locations are in [`BUFFERS`] storage buffers.
    /// Binding 0 holds the jobs, lists, templates, parameter blocks, commands, tables and query results, and binding
    /// 1 the states. Draw arguments, counts, counters, indices and predicates may be in any of the buffers. Accesses
    /// beyond the end of a buffer have no effect. The host must bind a buffer to unused bindings as well.
    pub fn bound_words(self) -> &'static [u32] {
        static COUNT: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/count_bound.spv")));
        static SEGMENTS: LazyLock<Vec<u32>> =
            LazyLock::new(|| words(include_bytes!("counter_pass/segments_bound.spv")));
        match self {
            Self::Count => &COUNT,
            Self::Segments => &SEGMENTS,
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    words.collect()
}

/// A task for one capture: its begin, its draws and its end. Each of the three is optional.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Job {
    /// The location of [`Job::STATE_SIZE`] bytes that keep the filled sizes of the buffers between jobs. A job that
    /// does not begin a capture continues from the state that the previous job wrote.
    pub state: u64,
    /// Capture begins with the counters at these locations, one per feedback buffer. A buffer without a location
    /// begins at 0.
    pub begin: Option<[u64; MAX_BUFFERS]>,
    /// The draws.
    pub draws: Option<Draws>,
    /// The location of [`Job::QUERY_SIZE`] bytes to which the counted primitives are added. They hold the primitives
    /// written, then the primitives needed, in 8 bytes each, as in the result of a transform feedback query.
    pub query: u64,
    /// Capture ends, and the counters are saved at these locations.
    pub end: Option<[u64; MAX_BUFFERS]>,
}

/// The draws of a job: a single draw or a multi-draw.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Draws {
    /// The application's topology.
    pub topology: Topology,
    /// The source of the draw arguments.
    pub arguments: Arguments,
    /// The number of draws, or its maximum if a buffer holds the number.
    pub count: u32,
    /// The predicate of conditional rendering. If the arguments of the draws are [direct](Arguments::Direct), the
    /// counter pass cannot skip the draws, so conditional rendering must also be active when they execute.
    pub predicate: Option<Predicate>,
    /// The size of each feedback range and its vertex stride, in bytes; (0, 0) if the buffer is unbound or unused.
    pub buffers: [(u32, u32); MAX_BUFFERS],
    /// The [`template`] of the host parameters.
    pub template: u64,
    /// The number of host parameters.
    pub param_count: u32,
    /// The location to which `count` blocks of host parameters are written.
    pub blocks: u64,
    /// The stride of the blocks.
    pub block_stride: u32,
    /// The location to which the arguments of the capturing draws are written (`VkDrawIndirectCommand`), `count`
    /// times [`Job::COMMAND_SIZE`] bytes. The vertex count of an indexed draw is its index count. Skipped draws get 0
    /// instances. The last of five 32-bit values is unused, except in [indexed](Geometry::indexed) commands.
    pub commands: u64,
    /// The location to which the workgroup counts of dispatched captures are written (`VkDispatchIndirectCommand`),
    /// `count` times [`Job::GROUPS_SIZE`] bytes.
    pub groups: u64,
    /// The indices and tables of draws in which indices may restart primitives.
    pub segments: Option<Segments>,
    /// The geometry stage that captures, if any.
    pub geometry: Option<Geometry>,
}

/// A geometry stage that captures in the original draws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Geometry {
    /// The topology of the emitted primitives: a list.
    pub topology: Topology,
    /// The number of primitives that all invocations together emit for each input primitive, at most 2³⁰-1.
    pub primitives: u32,
    /// The location of the number of primitives that each draw has emitted, 4 bytes for each draw. 0 if
    /// [`primitives`](Self::primitives) determines it. With [`Shader::bound_words`], it is in binding 0.
    pub emitted: u64,
    /// Whether the draws are indexed. [`Draws::commands`] are then `VkDrawIndexedIndirectCommand`.
    pub indexed: bool,
    /// Whether several jobs have the same draws: each captures another vertex stream. The first one writes the host
    /// parameters, and the others have a [`stream_template`].
    pub has_streams: bool,
}

/// The source of the arguments of draws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arguments {
    /// The host knows the arguments.
    Direct {
        /// `vertexCount` or `indexCount`.
        count: u32,
        /// `instanceCount`.
        instance_count: u32,
        /// `firstVertex` or `firstIndex`.
        first: u32,
        /// `vertexOffset`, if there are indices.
        vertex_offset: i32,
        /// `firstInstance`.
        first_instance: u32,
    },
    /// A buffer holds the arguments.
    Indirect {
        /// The location of the first draw's arguments: `VkDrawIndexedIndirectCommand` if `indexed`, else
        /// `VkDrawIndirectCommand`.
        place: u64,
        /// The stride of the arguments.
        stride: u32,
        /// The location of the number of draws, or 0. Draws beyond [`Draws::count`] are skipped.
        count: u64,
        /// Whether the draws have indices.
        indexed: bool,
    },
    /// A counter determines the vertex count: (counter - `offset`) / `stride`, rounded down, or 0 if the counter is
    /// smaller than `offset`.
    ByteCount {
        /// The location of the counter.
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

/// The predicate of conditional rendering: a 32-bit value in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Predicate {
    /// The location of the value.
    pub place: u64,
    /// Whether draws execute if the value is 0. Otherwise they execute if it is not 0.
    pub inverted: bool,
}

/// The indices of draws in which an index may restart primitives, and the segment tables built from the indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Segments {
    /// The type of an index.
    pub index_type: IndexType,
    /// The location of index 0, a multiple of the size of an index.
    pub indices: u64,
    /// The size of the index buffer from index 0 on, in bytes.
    pub size: u32,
    /// The location to which the tables are written, one per draw. With a pool, only the offset of each draw's table
    /// in the pool is written here, in units of 8 bytes (4 bytes per draw).
    pub tables: u64,
    /// The size of one table in bytes, a multiple of 4: [`Segments::table_size`]. The variants read this value as a
    /// host parameter. With a pool, the parameter is the size of the pool instead.
    pub table_size: u32,
    /// The location of a pool from which the tables of any number of jobs are allocated, or 0. Each table takes only
    /// the space that its restarts need. A draw draws nothing if its table does not fit. The address is a multiple of
    /// 8, and the pool begins with [`Segments::pool`]. Pools require buffer addresses.
    pub pool: u64,
    /// Whether another job with the same draws builds the tables.
    pub is_built: bool,
}

impl Segments {
    /// Returns the first four 32-bit values of a pool of `size` bytes.
    pub fn pool(size: u32) -> [u32; 4] {
        [0, 0, 0, (size / 8).saturating_sub(2)]
    }

    /// Returns the size of a table that is large enough even if every index of a buffer of `size` bytes is a restart.
    /// The result is at most 2³² - 4 bytes, so buffers with over half a billion indices must have fewer restarts.
    pub fn table_size(index_type: IndexType, size: u32) -> u32 {
        let segments = u64::from(size / index_type.bytes()) + 2;
        (segments * 8 + 8).min(u64::from(u32::MAX - 3)) as u32
    }
}

/// A job list that the host can fill in after it has recorded the dispatches. The host dispatches both shaders
/// indirectly and writes the list before it submits the commands. In this way all jobs of a render pass can execute
/// before the pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct List {
    /// The location of the first job.
    pub jobs: u64,
    /// The number of jobs.
    pub count: u32,
    /// The largest number of draws in a job with [`Segments`]; 0 if there is no such job.
    pub restarted: u32,
}

impl List {
    /// The push constant that replaces the number of jobs if there is a list.
    pub const COUNT: u32 = u32::MAX;
    /// The size of a list in bytes. Its address is a multiple of 4.
    pub const SIZE: u32 = 40;
    /// The byte offset of the dispatch arguments of [`Shader::Count`] (`VkDispatchIndirectCommand`).
    pub const COUNT_PASS: u32 = 16;
    /// The byte offset of the dispatch arguments of [`Shader::Segments`] (`VkDispatchIndirectCommand`).
    pub const SEGMENTS: u32 = 28;

    /// The contents of the list, as 32-bit values.
    pub fn words(&self) -> [u32; Self::SIZE as usize / 4] {
        let jobs = [self.jobs as u32, (self.jobs >> 32) as u32, self.count, self.restarted];
        let count = [self.count.min(1), 1, 1];
        // Vulkan guarantees 65,535 workgroups per dimension. Additional workgroups fill further rows.
        let row = 65_535;
        let groups = u64::from(self.restarted) * u64::from(self.count);
        let segments = [groups.min(row) as u32, groups.div_ceil(row).min(row) as u32, 1];
        let mut words = [0; Self::SIZE as usize / 4];
        words[..4].copy_from_slice(&jobs);
        words[4..7].copy_from_slice(&count);
        words[7..].copy_from_slice(&segments);
        words
    }
}

/// Returns the template of a parameter block: first the kind of each host parameter, then a value for each. `value`
/// returns the values that the host knows. The device computes the other values: first vertex, vertex count, primitive
/// count, first instance, instance count, vertex offset, slots, limit, the table's address and the filled sizes. It
/// adds the draw's number to the draw index. To a start, which the host sets to the offset of the range, it adds the
/// filled size.
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
        ParamValue::PrimitiveCount => (12, 0),
        ParamValue::DeviceCounter(buffer) => (10, *buffer),
        // The offset and the number of the buffer share 32 bits, as offsets are multiples of 4.
        ParamValue::Start(buffer) => (10, value(word) & !3 | *buffer),
        known => (0, value(known)),
    });
    let (kinds, values): (Vec<u32>, Vec<u32>) = pairs.unzip();
    [kinds, values].concat()
}

/// Returns the template of a further job with the same draws, which captures another vertex stream. It writes only the
/// filled sizes of the buffers for which `captures` is true.
pub fn stream_template(words: &[ParamValue], captures: impl Fn(u32) -> bool) -> Vec<u32> {
    let pairs = words.iter().map(|word| match word {
        ParamValue::DeviceCounter(buffer) if captures(*buffer) => (10, *buffer),
        // The block keeps this value.
        _ => (13, 0),
    });
    let (kinds, values): (Vec<u32>, Vec<u32>) = pairs.unzip();
    [kinds, values].concat()
}

impl Job {
    /// The size of a job in bytes. Its address is a multiple of 4.
    pub const SIZE: u32 = 268;
    /// The size of the state of a capture in bytes.
    pub const STATE_SIZE: u32 = 16;
    /// The size of a query result in bytes.
    pub const QUERY_SIZE: u32 = 16;
    /// The distance in bytes between the arguments of two capturing draws.
    pub const COMMAND_SIZE: u32 = 20;
    /// The size of the workgroup counts of a dispatched capture in bytes.
    pub const GROUPS_SIZE: u32 = 12;
}
