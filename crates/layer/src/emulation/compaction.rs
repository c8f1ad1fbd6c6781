//! Captures whose places in the buffers only the device knows, and only after the render pass.
//!
//! If the invocations of a geometry stage emit different numbers of primitives, the stage stores them sparsely in
//! memory of the layer, with space for as many as each invocation may emit. After the render pass, one shader sums the
//! numbers of primitives, the counter pass executes the jobs of these draws, and another shader copies the primitives
//! that fit to the transform feedback buffers. Until then, the counters are not known: captures in the same render pass
//! that continue with them are deferred, too.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::draw_calls::{DrawArguments, RecordedDraw};
use crate::emulation::draws::{Why, lost};
use crate::emulation::jobs::{CounterPass, LOST, barrier, pipeline, words};
use crate::emulation::lowered::Emitted;
use crate::emulation::recording::{CapturedRange, Counted, Deferred, NO_LIST, Recording, Sparse};
use crate::emulation::variants::Variant;
use crate::reported_features::MOST_STREAMS;
use ash::vk::{self, AccessFlags, PipelineStageFlags as Stage};
use polyshade::transform_feedback::{MAX_BUFFERS, Topology};
use polyshade_planner::ParamValue;
use polyshade_planner::counter_pass::{self, Draws, Geometry, Job, Segments};
use std::sync::OnceLock;

/// The maximum number of bytes for the primitives of a draw, and the minimum that is allocated.
const MOST_BYTES: u64 = 256 << 20;
const LEAST_BYTES: u64 = 1 << 16;

/// The number of 32-bit values in a record, and the maximum number of records in a render pass: workgroups in a row, on
/// every device.
const RECORD: u32 = 44;
const MOST_RECORDS: u32 = 65_535;

/// The maximum number of workgroups that copy the primitives of a record.
const MOST_GROUPS: u32 = 256;
const GROUP_SIZE: u32 = 64;

/// The number of bytes in a table of counts for each invocation: a word for each vertex stream.
const COUNTS: u64 = 16;

/// The shaders that sum and copy.
pub(crate) struct Shaders {
    sum: vk::Pipeline,
    copy: vk::Pipeline,
}

impl Shaders {
    fn new(device: &Driver, counter_pass: &CounterPass) -> Result<Self, vk::Result> {
        let make = |bytes: &[u8]| pipeline(device, counter_pass.layout, &words(bytes));
        let mut shaders =
            Self { sum: make(include_bytes!("compaction/sum.spv"))?, copy: vk::Pipeline::null() };
        match make(include_bytes!("compaction/copy.spv")) {
            Ok(copy) => shaders.copy = copy,
            Err(error) => {
                shaders.destroy(device);
                return Err(error);
            }
        }
        Ok(shaders)
    }

    pub(crate) fn destroy(self, device: &Driver) {
        let Some(destroy) = device.next.destroy_pipeline else { return };
        for pipeline in [self.sum, self.copy] {
            // SAFETY: nobody uses the pipelines any more; null handles are ignored.
            unsafe { destroy(device.handle, pipeline, std::ptr::null()) };
        }
    }
}

/// The shaders of a device, created when a capture first needs them.
pub(crate) type LazyShaders = OnceLock<Option<Shaders>>;

impl Deferred {
    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }
}

impl Recording {
    /// Allocates the memory to which a draw captures, if the capture is deferred.
    pub(super) fn take_sparse(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        call: &RecordedDraw,
        variant: &Variant,
        topology: Topology,
    ) -> Result<Option<Sparse>, Why> {
        let Some((emitted, each)) = variant.sparse() else {
            return match self.active.is_some_and(|active| active.is_deferred) {
                true => Err("it continues with counters that are known only after the render pass"
                    .to_owned()),
                false => Ok(None),
            };
        };
        if self.list.is_none() || self.owner.is_some() || self.resumes || self.suspends {
            return Err(match self.has_list() {
                true => "it must be copied after the render pass, which is not recorded as a whole"
                    .to_owned(),
                false => NO_LIST.to_owned(),
            });
        }
        if self.deferred.count() + MOST_STREAMS as u32 > MOST_RECORDS {
            return Err(format!("its render pass copies more than {MOST_RECORDS} draws"));
        }
        let DrawArguments::Direct { count, instances, .. } = call.arguments else {
            return Err(
                "it must be copied after the render pass, but its arguments are in a buffer"
                    .to_owned(),
            );
        };
        let primitives = u64::from(topology.primitives(count)) * u64::from(instances);
        let invocations = primitives.saturating_mul(each.into());
        let table = COUNTS.saturating_mul(invocations);

        // The layer stores the primitives of each buffer, then the sums of each vertex stream.
        let sizes = self.sparse_sizes(variant, emitted, primitives);
        let sums = table.saturating_add(COUNTS);
        let all = sizes.iter().flatten().fold(sums, |all, size| all.saturating_add(*size));
        if all.saturating_add(table) > MOST_BYTES {
            let (wanted, most) = (all.saturating_add(table) >> 20, MOST_BYTES >> 20);
            return Err(format!("its sparse primitives take {wanted} MiB, more than {most} MiB"));
        }
        let address = self.address_for(device, emulator, all).map_err(lost)?;
        let sparse =
            self.lay_out((device, emulator), variant, (address, sizes), invocations as u32);
        Ok(Some(sparse.map_err(lost)?))
    }

    /// Lays out the memory at an address, and allocates the rest: the table of counts and the state.
    fn lay_out(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        variant: &Variant,
        (mut address, sizes): (u64, [Option<u64>; MAX_BUFFERS]),
        invocations: u32,
    ) -> Result<Sparse, vk::Result> {
        let state = self.arena.take(device, emulator, Job::STATE_SIZE.into())?.address;
        let targets = sizes.map(|size| {
            let range = CapturedRange { address, size: size? as u32 };
            address += u64::from(range.size);
            Some(range)
        });
        let table = vec![0; COUNTS as usize / 4 * invocations as usize];
        let counts = CapturedRange {
            address: self.arena.put(device, emulator, &table)?.address,
            size: COUNTS as u32 * invocations,
        };
        let mut places = [0; MAX_BUFFERS];
        for (place, words) in places.iter_mut().zip(&variant.captured) {
            *place = self.arena.put(device, emulator, words)?.address;
        }
        Ok(Sparse { state, targets, counts, invocations, sums: address, places })
    }

    /// Returns the number of bytes for the primitives of each captured buffer, if all invocations emit as many as they
    /// may.
    fn sparse_sizes(
        &self,
        variant: &Variant,
        emitted: &Emitted,
        primitives: u64,
    ) -> [Option<u64>; MAX_BUFFERS] {
        std::array::from_fn(|number| {
            self.targets[number].filter(|_| variant.strides[number] > 0)?;
            let vertices = emitted.topology.vertices_per_primitive();
            let bytes = u64::from(vertices) * u64::from(variant.strides[number]);
            let each = emitted.primitives[emitted.streams[number] as usize];
            Some(primitives.saturating_mul(each.into()).saturating_mul(bytes))
        })
    }

    /// Returns the address of memory for primitives that the next render passes use again.
    fn address_for(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        size: u64,
    ) -> Result<u64, vk::Result> {
        let used = self.deferred.used;
        let there = self.sparse_memory.filter(|memory| u64::from(memory.size) - used >= size);
        let (memory, used) = match there {
            Some(memory) => (memory, used),
            None => {
                let before = self.sparse_memory.map_or(0, |memory| u64::from(memory.size));
                let larger = size.max(2 * before).clamp(LEAST_BYTES, MOST_BYTES);
                let address = self.arena.take(device, emulator, larger)?.address;
                (CapturedRange { address, size: larger as u32 }, 0)
            }
        };
        self.sparse_memory = Some(memory);
        self.deferred.used = (used + size).next_multiple_of(4);
        Ok(memory.address + used)
    }

    /// Returns the draws of the deferred jobs for a draw that captures to `sparse`: one for each vertex stream.
    pub(super) fn defer(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        variant: &Variant,
        sparse: &Sparse,
        streams: &[(usize, Draws)],
    ) -> Result<Vec<(usize, Draws)>, vk::Result> {
        self.deferred.invocations = self.deferred.invocations.max(sparse.invocations);
        let mut deferred_draws = Vec::new();
        for (stream, draws) in streams {
            // The counter pass writes how many vertices fit, and where they begin. The sum follows.
            let params =
                [ParamValue::Limit].into_iter().chain((0..).map(ParamValue::DeviceCounter));
            let params: Vec<ParamValue> = params.take(1 + MAX_BUFFERS).collect();
            let template = counter_pass::template(&params, |_| 0);
            let template = self.arena.put(device, emulator, &template)?.address;
            let size = 4 * params.len() as u32;
            let block = self.arena.take(device, emulator, u64::from(size) + 4)?.address;
            let total = block + u64::from(size);
            let record = self.record(variant, sparse, *stream, [block, total]);
            self.deferred.records.extend(record);
            let draws = Draws {
                buffers: self.ranges(variant, *stream),
                template,
                param_count: params.len() as u32,
                blocks: block,
                block_stride: size,
                commands: 0,
                segments: draws.segments.map(|one| Segments { is_built: true, ..one }),
                geometry: draws.geometry.map(|one| Geometry {
                    emitted: total,
                    indexed: false,
                    ..one
                }),
                ..draws.clone()
            };
            deferred_draws.push((*stream, draws));
        }
        Ok(deferred_draws)
    }

    /// Pushes the jobs of a deferred draw: those that capture to the layer's memory in the render pass, and those that
    /// count after it.
    pub(super) fn push_deferred(
        &mut self,
        emulator: &Emulator,
        (state, sparse): (u64, Vec<(usize, Draws)>),
        deferred: Vec<(usize, Draws)>,
        counted: Counted,
    ) {
        let Some(active) = &mut self.active else { return };
        let job = |state, draws| Job { state, draws: Some(draws), ..Job::default() };
        for (stream, draws) in sparse {
            let begin = (stream == 0).then_some([0; MAX_BUFFERS]);
            self.jobs.push(&Job { begin, ..job(state, draws) });
        }
        active.is_deferred = true;
        let (of_capture, mut begin) = (active.state, active.begin.take());
        self.deferred.captures.pop_if(|(state, _)| *state == of_capture);
        self.deferred.captures.push((of_capture, self.deferred.count()));
        // If the layer counts generated primitives, only the device knows the number of primitives of this draw.
        let is_counted = counted.generated != 0 && !emulator.driver_counts;
        let views = if is_counted { self.view_count(emulator) } else { 0 };
        for (stream, draws) in deferred {
            for _ in 0..if stream == 0 { views } else { 0 } {
                let buffers = [(0, 1); MAX_BUFFERS];
                let draws = Draws { buffers, param_count: 0, ..draws.clone() };
                self.deferred.jobs.push(&Job { query: counted.generated, ..job(state, draws) });
            }
            let query = counted.streams[stream];
            self.deferred.jobs.push(&Job { query, begin: begin.take(), ..job(of_capture, draws) });
        }
    }

    /// Returns the record for a vertex stream of a draw.
    fn record(
        &self,
        variant: &Variant,
        sparse: &Sparse,
        stream: usize,
        [block, total]: [u64; 2],
    ) -> Vec<u32> {
        let address = |address: u64| [address as u32, (address >> 32) as u32];
        let (capacity, vertices) = variant.sparse().map_or((0, 1), |(emitted, each)| {
            (emitted.primitives[stream] / each, emitted.topology.vertices_per_primitive())
        });
        let sums = sparse.sums + stream as u64 * 4 * (u64::from(sparse.invocations) + 1);
        let places = [sparse.counts.address, sums, total, block].into_iter().flat_map(address);
        let mut words: Vec<u32> = places.collect();
        words.extend([stream as u32, sparse.invocations, capacity, vertices]);
        let ranges = self.ranges(variant, stream);
        for (number, (_, stride)) in ranges.into_iter().enumerate() {
            let [from, to] = [&sparse.targets, &self.targets]
                .map(|all| all[number].map_or(0, |range: CapturedRange| range.address));
            words.extend([from, to].into_iter().flat_map(address));
            let stride = if from == 0 { 0 } else { stride / 4 };
            words.extend(address(sparse.places[number]));
            words.extend([variant.captured[number].len() as u32, stride]);
        }
        words
    }

    /// Completes the deferred captures of a render pass that has just ended.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer, and no render pass is active.
    pub(crate) unsafe fn compact(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
    ) {
        let deferred = std::mem::take(&mut self.deferred);
        if deferred.is_empty() {
            return;
        }
        // SAFETY: guaranteed by the caller.
        unsafe {
            if let Err(error) = self.record_compaction(device, emulator, commands, &deferred) {
                device.fault(format_args!("captures of a render pass are lost: {error}"));
            }
            for (pool, query) in deferred.queries {
                if let Some(write) = device.next.cmd_write_timestamp {
                    write(commands, Stage::BOTTOM_OF_PIPE, pool, query);
                }
            }
        }
    }

    unsafe fn record_compaction(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        deferred: &Deferred,
    ) -> Result<(), vk::Result> {
        let counter_pass = &emulator.counter_pass;
        let shaders = emulator.compaction.get_or_init(|| Shaders::new(device, counter_pass).ok());
        let shaders = shaders.as_ref().ok_or(LOST)?;
        let records = self.arena.put(device, emulator, &deferred.records)?.address;
        let jobs = self.arena.put(device, emulator, &deferred.jobs.whole())?.address;
        let list = |address: u64, count| [address as u32, (address >> 32) as u32, count];
        let count = deferred.count();
        let jobs = list(jobs, deferred.jobs.count());
        let groups = deferred.invocations.div_ceil(GROUP_SIZE).clamp(1, MOST_GROUPS);
        let access = AccessFlags::SHADER_READ | AccessFlags::SHADER_WRITE;
        let (compute, written) = (Stage::COMPUTE_SHADER, AccessFlags::SHADER_WRITE);
        let all = AccessFlags::MEMORY_READ | AccessFlags::MEMORY_WRITE;
        // SAFETY: guaranteed by the caller.
        unsafe {
            let captures = emulator.capturing_stages();
            barrier(device, commands, (captures | compute, written), (compute, access));
            let mut steps = vec![
                (shaders.sum, list(records, count), [count, 1]),
                (counter_pass.keep, jobs, [1, 1]),
            ];
            let mut first = 0;
            for &(_, end) in &deferred.captures {
                let records = records + u64::from(4 * RECORD * first);
                steps.push((shaders.copy, list(records, end - first), [groups, end - first]));
                first = end;
            }
            for (pipeline, words, groups) in
                steps.into_iter().filter(|(.., groups)| groups[0] > 0 && groups[1] > 0)
            {
                self.compute(device, counter_pass, commands, words, |device, _| {
                    let next = &device.next;
                    if let (Some(bind), Some(dispatch)) =
                        (next.cmd_bind_pipeline, next.cmd_dispatch)
                    {
                        bind(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
                        dispatch(commands, groups[0], groups[1], 1);
                    }
                });
                barrier(device, commands, (compute, written), (compute, access));
            }
            // Dependencies of the render pass do not wait for these shaders.
            barrier(
                device,
                commands,
                (compute, written),
                (Stage::ALL_COMMANDS | Stage::HOST, all | AccessFlags::HOST_READ),
            );
        }
        Ok(())
    }
}

impl Deferred {
    fn count(&self) -> u32 {
        self.records.len() as u32 / RECORD
    }
}

impl Variant {
    /// Returns the sparsely stored primitives, and the number of invocations for each input primitive.
    fn sparse(&self) -> Option<(&Emitted, u32)> {
        let emitted = self.emitted.as_ref()?;
        Some((emitted, emitted.invocations?.max(1)))
    }
}
