//! The keeper's shaders, and its jobs with the addresses of what is there.

use super::IndirectArguments;
use crate::address::address;
use crate::error::{Context, Error};
use crate::memory::Owned;
use crate::pipeline::create_compute_pipeline;
use crate::run::Objects;
use crate::work::{Place, Stage};
use ash::vk;
use polyshade::host::Pointer;
use polyshade::transform_feedback::{self, IndexType, MAX_BUFFERS, Topology};
use polyshade_planner::{CountedBy, keeper};

/// A job on its way: buffers by their indices, places without addresses.
pub(super) struct Kept {
    pub(super) job: usize,
    pub(super) state: usize,
    pub(super) begin: Option<Vec<Option<Place>>>,
    pub(super) end: Option<Vec<Option<Place>>>,
    pub(super) query: Option<usize>,
    pub(super) topology: Topology,
    pub(super) arguments: KeptArguments,
    pub(super) predicate: Option<(Place, bool)>,
    pub(super) buffers: [(u32, u32); MAX_BUFFERS],
    pub(super) blocks: Option<KeptBlocks>,
    pub(super) commands: usize,
    pub(super) segments: Option<KeptSegments>,
}

/// Where the numbers of the draws come from.
pub(super) enum KeptArguments {
    Direct(transform_feedback::Draw),
    /// And whether they have indices.
    Indirect(IndirectArguments, bool),
    ByteCount(Place, CountedBy, transform_feedback::Draw),
}

impl KeptArguments {
    /// How many draws there may be.
    pub(super) fn draws(&self) -> u32 {
        match self {
            Self::Direct(_) | Self::ByteCount(..) => 1,
            Self::Indirect(arguments, _) => arguments.draws,
        }
    }
}

/// The words of the variants.
#[derive(Clone, Copy)]
pub(super) struct KeptBlocks {
    pub(super) template: usize,
    pub(super) count: u32,
    pub(super) blocks: usize,
    pub(super) stride: u32,
    pub(super) pointer: Pointer,
}

/// The tables of segments.
#[derive(Clone, Copy)]
pub(super) struct KeptSegments {
    pub(super) index_type: IndexType,
    pub(super) indices: Place,
    pub(super) size: u32,
    pub(super) tables: usize,
    pub(super) table_size: u32,
}

impl Kept {
    /// The job, now that what it names has addresses.
    fn job(&self, objects: &Objects<'_>) -> Result<keeper::Job, Error> {
        let at = |place: Place| address(&objects.buffers, place);
        let start = |buffer: usize| at(Place { buffer, offset: 0 });
        let maybe = |place: Option<Place>| place.map_or(Ok(0), at);
        let counters = |places: &Vec<Option<Place>>| {
            let mut counters = [0; MAX_BUFFERS];
            for (counter, place) in counters.iter_mut().zip(places) {
                *counter = maybe(*place)?;
            }
            Ok::<_, Error>(counters)
        };
        let segments = self.segments.map(|segments| {
            let KeptSegments { index_type, size, table_size, .. } = segments;
            let (indices, tables) = (at(segments.indices)?, start(segments.tables)?);
            Ok::<_, Error>(keeper::Segments { index_type, indices, size, tables, table_size })
        });
        let predicate = self.predicate.map(|(place, inverted)| {
            Ok::<_, Error>(keeper::Predicate { place: at(place)?, inverted })
        });
        let of_blocks = |what: fn(&KeptBlocks) -> usize| {
            self.blocks.as_ref().map_or(Ok(0), |blocks| start(what(blocks)))
        };
        let draws = keeper::Draws {
            topology: self.topology,
            arguments: self.arguments(objects)?,
            count: self.arguments.draws(),
            predicate: predicate.transpose()?,
            buffers: self.buffers,
            template: of_blocks(|blocks| blocks.template)?,
            word_count: self.blocks.map_or(0, |blocks| blocks.count),
            blocks: of_blocks(|blocks| blocks.blocks)?,
            block_stride: self.blocks.map_or(0, |blocks| blocks.stride),
            commands: start(self.commands)?,
            segments: segments.transpose()?,
        };
        Ok(keeper::Job {
            state: start(self.state)?,
            begin: self.begin.as_ref().map(counters).transpose()?,
            draws: Some(draws),
            query: self.query.map_or(Ok(0), start)?,
            end: self.end.as_ref().map(counters).transpose()?,
        })
    }

    fn arguments(&self, objects: &Objects<'_>) -> Result<keeper::Arguments, Error> {
        let at = |place: Place| address(&objects.buffers, place);
        Ok(match &self.arguments {
            KeptArguments::Direct(numbers) => keeper::Arguments::Direct {
                count: numbers.vertex_count,
                instance_count: numbers.instance_count,
                first: numbers.first_vertex,
                vertex_offset: numbers.indices.map_or(0, |indices| indices.vertex_offset),
                first_instance: numbers.first_instance,
            },
            KeptArguments::Indirect(arguments, indexed) => keeper::Arguments::Indirect {
                place: at(arguments.place)?,
                stride: arguments.stride,
                count: arguments.count.map_or(Ok(0), at)?,
                indexed: *indexed,
            },
            KeptArguments::ByteCount(counter, count, numbers) => keeper::Arguments::ByteCount {
                counter: at(*counter)?,
                offset: count.offset,
                stride: count.stride,
                instance_count: numbers.instance_count,
                first_instance: numbers.first_instance,
            },
        })
    }
}

/// The pipelines of the keeper.
pub(super) struct Keeper<'d> {
    layout: Owned<'d, vk::PipelineLayout>,
    keep: Owned<'d, vk::Pipeline>,
    segments: Owned<'d, vk::Pipeline>,
    /// Where the jobs are, in their order.
    jobs: Vec<vk::DeviceAddress>,
}

impl<'d> Keeper<'d> {
    /// The pipelines; the jobs are written to their buffers.
    pub(super) fn new(objects: &Objects<'d>, jobs: &[Kept]) -> Result<Self, Error> {
        let device = objects.device;
        let write = |kept: &Kept| {
            let words = kept.job(objects)?.words();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            objects.buffers[kept.job].write(0, &bytes);
            address(&objects.buffers, Place { buffer: kept.job, offset: 0 })
        };
        let jobs = jobs.iter().map(write).collect::<Result<_, Error>>()?;
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(keeper::PUSH_CONSTANTS)];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        // SAFETY: the range is within the least limit.
        let layout = unsafe { device.handle.create_pipeline_layout(&info, None) };
        let layout = Owned::new(device, layout.call("vkCreatePipelineLayout")?);
        let pipeline = |shader: keeper::Shader| {
            let stage = Stage::new(vk::ShaderStageFlags::COMPUTE, shader.words());
            create_compute_pipeline(device, &stage, *layout)
        };
        let keep = pipeline(keeper::Shader::Keep)?;
        let segments = pipeline(keeper::Shader::Segments)?;
        Ok(Self { layout, keep, segments, jobs })
    }

    /// Dispatches a shader for the job with this number, which has so many draws.
    pub(super) fn dispatch(
        &self,
        objects: &Objects<'_>,
        shader: keeper::Shader,
        (job, draws): (usize, u32),
    ) {
        let (device, commands) = (&objects.device.handle, objects.command_buffer);
        let jobs = self.jobs[job].to_ne_bytes();
        let push = [jobs.as_slice(), 1_u32.to_ne_bytes().as_slice()].concat();
        let (pipeline, groups) = match shader {
            keeper::Shader::Keep => (*self.keep, 1),
            keeper::Shader::Segments => (*self.segments, draws),
        };
        // SAFETY: the layout is that of both pipelines, and what the job names is as large as it says.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
            let stage = vk::ShaderStageFlags::COMPUTE;
            device.cmd_push_constants(commands, *self.layout, stage, 0, &push);
            device.cmd_dispatch(commands, groups, 1, 1);
        }
    }
}
