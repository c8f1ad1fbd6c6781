//! Captures and counts draws.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::attributes::{self, unbind_addresses};
use crate::emulation::draw_calls::{DrawArguments, Indices, RecordedDraw};
use crate::emulation::drawn::Drawn;
use crate::emulation::layouts::Addresses;
use crate::emulation::lowered::{Key, topology};
use crate::emulation::memory::Piece;
use crate::emulation::pipeline_info::PipelineInfo;
use crate::emulation::recording::{Active, Counted, NO_LIST, Prepared, Recording, Sparse};
use crate::emulation::variants::{Graphics, OTHER_STAGES, Variant};
use crate::reported_features::MOST_STREAMS;
use ash::vk::{self, DynamicState};
use polyshade::transform_feedback::{MAX_BUFFERS, Topology};
use polyshade_planner::counter_pass::{self, Job, Segments};
use std::sync::Arc;

/// The maximum number of draws in a captured indirect draw.
const MOST_DRAWS: u32 = 1 << 16;

/// The capture of a draw.
struct Capture<'c> {
    info: &'c PipelineInfo,
    variant: &'c Variant,
    indices: Option<Indices>,
    counted: Counted,
    /// The address of the state of the capture.
    state: u64,
    /// Whether the driver counts generated primitives.
    driver_counts: bool,
}

#[derive(Default)]
pub(crate) struct Done {
    /// The draw arguments that the counter pass writes.
    pub(crate) commands: Option<Piece>,
    /// Whether the original draw can be skipped.
    pub(crate) is_whole: bool,
}

pub(super) type Why = String;

impl Recording {
    /// Returns whether a draw may need more than its own command: it is captured or counted, or follows a capture.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.active.is_some() || self.counted.generated != 0 || self.is_replaced
    }

    /// Returns whether draws are captured or counted. Transform feedback queries count only during captures.
    pub(crate) fn watches(&self, emulator: &Emulator) -> bool {
        self.active.is_some() || self.counted.generated != 0 && !emulator.driver_counts
    }

    /// Captures and counts a draw, and logs the reason if that fails.
    pub(crate) unsafe fn watch(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        call: RecordedDraw,
    ) -> Done {
        // SAFETY: guaranteed by the caller.
        unsafe { self.keep(device, emulator, commands, call) }.unwrap_or_else(|why| {
            device.fault(format_args!("a draw is not captured: {why}"));
            Done::default()
        })
    }

    /// Returns the address where the counter pass counts before the render pass: the state of the capture, or unused
    /// memory.
    fn state(&mut self, device: &Driver, emulator: &Emulator) -> Result<u64, Why> {
        match self.active {
            Some(Active { state, is_deferred: false, .. }) => Ok(state),
            _ => {
                let piece = self.arena.take(device, emulator, Job::STATE_SIZE.into());
                Ok(piece.map_err(lost)?.address)
            }
        }
    }

    /// Appends a job. The first job of a capture also begins it.
    fn push(&mut self, mut job: Job) {
        let active = self.active.as_mut().filter(|active| !active.is_deferred);
        job.begin = active.and_then(|active| active.begin.take());
        self.jobs.push(&job);
    }

    unsafe fn keep(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        call: RecordedDraw,
    ) -> Result<Done, Why> {
        if !self.has_list() {
            return Err(NO_LIST.to_owned());
        }
        self.keeps();
        if call.draws > MOST_DRAWS {
            return Err(format!("one command has {} draws, more than {MOST_DRAWS}", call.draws));
        }
        let graphics = self.graphics.as_ref().map(|(_, graphics)| Arc::clone(graphics));
        let graphics = graphics.ok_or("no known pipeline is bound")?;
        let info = &graphics.info;
        let has_others = info.stages.as_ref().is_some_and(|stages| stages.has_others);
        let others_capture = info.stages.as_ref().is_some_and(|stages| stages.others_capture);
        if others_capture && self.active.is_some() {
            device.fault(format_args!("a draw is not captured: {OTHER_STAGES}"));
        }
        // The counter pass writes the arguments of draws by byte count.
        if has_others && !matches!(call.arguments, DrawArguments::Bytes { .. }) {
            return Ok(Done::default());
        }
        let indices = if call.indexed { Some(self.indices(device, emulator)?) } else { None };
        let mut draws = self.draw_params(device, emulator, &call, indices, info)?;
        let written = self.commands(device, emulator, &call).map_err(lost)?;
        draws.commands = written.map_or(0, |piece| piece.address);
        let state = self.state(device, emulator)?;
        let job = |draws, query| Job { state, draws: Some(draws), query, ..Job::default() };
        let counted = if has_others { Counted::default() } else { self.counted };
        let (of_feedback, of_generated) = (counted.streams[0], counted.generated);
        let is_counted = of_generated != 0 && !emulator.driver_counts;
        let variant = self.variant((device, emulator), &graphics, call.indexed);
        // A geometry stage decides how many primitives there are.
        let has_geometry = info.has_geometry();
        let emitted = variant.as_ref().and_then(|variant| variant.emitted);
        draws.geometry = emitted.map(|emitted| emitted.geometry(call.indexed));
        let is_known =
            !has_geometry || emitted.is_some_and(|emitted| emitted.invocations.is_none());
        let counted_views = if is_counted && is_known { self.view_count(emulator) } else { 0 };
        for _ in 0..counted_views {
            self.push(job(draws.clone(), of_generated));
            draws.segments.iter_mut().for_each(|segments| segments.is_built = true);
        }
        let done = Done { commands: written.filter(|_| !call.is_direct()), is_whole: false };
        let Some(variant) = variant.filter(|_| self.active.is_some()) else {
            if counted_views == 0 || self.active.is_some() {
                let query = self.active.filter(|_| is_known).map_or(0, |_| of_feedback);
                self.push(job(draws, query));
            }
            return Ok(done);
        };
        if call.is_multi && emitted.is_some_and(|emitted| emitted.reads_draw_index) {
            return Err("its shader reads the number of a draw in a multi-draw".to_owned());
        }
        let driver_counts = of_generated != 0 && emulator.driver_counts;
        let capture = Capture { info, variant: &variant, indices, counted, state, driver_counts };
        // SAFETY: guaranteed by the caller.
        let is_whole = unsafe {
            self.capture((device, emulator), commands, (&call, draws, written), &capture)?
        };
        Ok(Done { is_whole, ..done })
    }

    /// Captures a draw. Returns whether the original draw can be skipped.
    unsafe fn capture(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        (call, draws, written): (&RecordedDraw, counter_pass::Draws, Option<Piece>),
        capture: &Capture<'_>,
    ) -> Result<bool, Why> {
        let &Capture { info, variant, indices, counted, state, driver_counts } = capture;
        let job = |draws, query| Job { state, draws: Some(draws), query, ..Job::default() };
        // The driver also counts the points that the layer draws, so the counter pass counts them for subtraction. A
        // geometry stage that captures emits nothing.
        let points = (driver_counts && variant.emitted.is_none()).then(|| {
            let topology = Topology::PointList;
            let draws = counter_pass::Draws { topology, segments: None, ..draws.clone() };
            job(draws, counted.generated)
        });
        // A deferred draw captures to memory of the layer first.
        match self.take_sparse((device, emulator), call, variant, draws.topology) {
            Ok(sparse) => self.sparse = sparse,
            Err(why) => {
                // The counter pass still writes the arguments of the draw.
                self.push(job(draws, 0));
                device.fault(format_args!("a draw is not captured: {why}"));
                return Ok(false);
            }
        }
        let streams = self.streams((device, emulator), call, draws, (info, variant, indices));
        let sparse = self.sparse.take();
        let (streams, blocks) = streams.map_err(lost)?;
        let deferred = match &sparse {
            Some(sparse) => self.defer((device, emulator), variant, sparse, &streams),
            None => Ok(Vec::new()),
        };
        let deferred = deferred.map_err(lost)?;
        let layout = info.layout.as_ref().ok_or("the pipeline has no layout")?;
        let mut drawn = Drawn {
            info,
            variant,
            layout,
            blocks,
            commands: written,
            draws: call.draws * self.executions(),
            bound: None,
        };
        if layout.addresses == Some(Addresses::Bound) {
            drawn.bound = Some(self.arena.put(device, emulator, &drawn.params()).map_err(lost)?);
        }
        // Nothing can fail from here on, so the counts include only points that are drawn.
        // If the driver counts this draw, it must be recorded.
        let is_whole = self.discards(info) && !variant.stores && !driver_counts;
        points.into_iter().for_each(|job| self.push(job));
        match sparse {
            Some(Sparse { state, .. }) => {
                self.push_deferred(emulator, (state, streams), deferred, counted);
            }
            None => {
                for (stream, draws) in streams {
                    self.push(job(draws, counted.streams[stream]));
                }
            }
        }
        // SAFETY: guaranteed by the caller.
        unsafe { self.draw_capture((device, emulator), commands, call, drawn) };
        Ok(is_whole)
    }

    /// Completes the draws of the jobs, one for each vertex stream, and returns the memory for the host parameters.
    fn streams(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        call: &RecordedDraw,
        mut draws: counter_pass::Draws,
        (info, variant, indices): (&PipelineInfo, &Variant, Option<Indices>),
    ) -> Result<(Vec<(usize, counter_pass::Draws)>, Piece), vk::Result> {
        let last = self.provokes_last(info);
        let of_draw = (draws.segments.map_or(0, |one| one.table_size), last);
        let template = self.template(device, emulator, variant, call, indices, of_draw)?;
        let size = variant.block_stride() * call.draws.max(1) * self.executions();
        let blocks = self.kept(device, emulator, size)?;
        draws.template = template.address;
        draws.param_count = variant.word_count();
        draws.blocks = blocks.address;
        draws.block_stride = variant.block_stride();
        draws.buffers = self.ranges(variant, 0);
        let mut streams = self.further_streams(device, emulator, variant, &draws)?;
        streams.insert(0, (0, draws));
        Ok((streams, blocks))
    }

    /// Returns the size in bytes and the vertex stride of each captured range; 0 if the variant does not capture this
    /// vertex stream to it.
    pub(super) fn ranges(&self, variant: &Variant, stream: usize) -> [(u32, u32); MAX_BUFFERS] {
        std::array::from_fn(|number| {
            let stride = variant.strides[number];
            let own = variant.emitted.map_or(0, |emitted| emitted.streams[number]);
            let target = self.target(number).filter(|_| stride > 0 && own as usize == stream);
            target.map_or((0, 0), |target| (target.size, stride))
        })
    }

    /// Returns the draws of the jobs that count the vertex streams after stream 0. They write only the filled sizes of
    /// their buffers.
    fn further_streams(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        variant: &Variant,
        draws: &counter_pass::Draws,
    ) -> Result<Vec<(usize, counter_pass::Draws)>, vk::Result> {
        let (Some(emitted), Some(geometry)) = (&variant.emitted, draws.geometry) else {
            return Ok(Vec::new());
        };
        let which = usize::from(geometry.indexed);
        let mut all = Vec::new();
        for stream in (1..MOST_STREAMS).filter(|stream| emitted.has_stream(*stream)) {
            let prepared = self.prepared[which].as_ref();
            let template = match prepared.and_then(|one| one.streams[stream]) {
                Some(template) => template,
                None => {
                    let words = variant.stream_template(emitted, stream as u32);
                    self.arena.put(device, emulator, &words)?
                }
            };
            if let Some(prepared) = self.prepared[which].as_mut() {
                prepared.streams[stream] = Some(template);
            }
            let geometry =
                counter_pass::Geometry { primitives: emitted.primitives[stream], ..geometry };
            let draws = counter_pass::Draws {
                buffers: self.ranges(variant, stream),
                template: template.address,
                commands: 0,
                segments: draws.segments.map(|one| Segments { is_built: true, ..one }),
                geometry: Some(geometry),
                ..draws.clone()
            };
            all.push((stream, draws));
        }
        Ok(all)
    }

    /// Draws the points of a capture, or the primitives for a geometry stage that captures. Another command that needs
    /// the application's pipeline [restores](Self::restore) it, so that captures in a row bind their pipeline once.
    unsafe fn draw_capture(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        call: &RecordedDraw,
        drawn: Drawn<'_>,
    ) {
        let (info, pipeline) = (drawn.info, drawn.variant.pipeline);
        // SAFETY: guaranteed by the caller.
        unsafe {
            if self.bound != pipeline {
                // Some drivers ignore a pipeline that is bound again after dynamic state was set: bind another between.
                if self.bound == vk::Pipeline::null() {
                    self.restore(device, commands);
                }
                drawn.bind(device, commands, info.discards_dynamically(emulator));
                (self.is_replaced, self.bound) = (true, pipeline);
            }
            drawn.draw(device, commands, call);
            if drawn.bound.is_some() {
                self.restore(device, commands);
                let number = attributes::BINDING;
                let buffer = self.vertex_buffers.get(number as usize).and_then(Option::as_ref);
                let bound = (buffer, self.stride(info, number));
                unbind_addresses(device, commands, info, bound, &self.input(info));
            }
        }
    }

    /// Returns the variant that captures a draw with the current state, if a capture is active, or if the draw is
    /// counted and has a geometry stage.
    fn variant(
        &mut self,
        device: (&Driver, &Emulator),
        graphics: &Graphics,
        is_indexed: bool,
    ) -> Option<Arc<Variant>> {
        let info = &graphics.info;
        if self.active.is_none() && !(self.watches(device.1) && info.has_geometry()) {
            return None;
        }
        let (version, which) = (self.version, usize::from(is_indexed));
        let prepared = self.prepared[which].as_ref().filter(|one| one.version == version);
        if let Some(prepared) = prepared {
            return Some(Arc::clone(&prepared.variant));
        }
        let captured = info.stages.as_ref()?.captured.as_ref()?;
        let is_bound = info.layout.as_ref()?.addresses == Some(Addresses::Bound);
        // The device fetches the vertices for a geometry stage, so its variant takes all draws.
        let key = match captured.geometry {
            Some(_) => Key {
                topology: info.assembly.map_or(0, |(input, _)| input.as_raw().cast_unsigned()),
                ..Key::default()
            },
            None => Key {
                topology: self.topology(info),
                restarts: is_indexed.then(|| self.restarts(info)),
                pulled: (is_indexed || is_bound).then(|| self.input(info)),
            },
        };
        let variant = graphics.variant(device, key, self.scope.pass())?;
        let prepared = Prepared {
            version,
            variant: Arc::clone(&variant),
            template: None,
            streams: Default::default(),
        };
        self.prepared[which] = Some(prepared);
        Some(variant)
    }

    /// Returns a draw's parameters for the counter pass, except the capture parameters.
    fn draw_params(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        call: &RecordedDraw,
        indices: Option<Indices>,
        info: &PipelineInfo,
    ) -> Result<counter_pass::Draws, Why> {
        let arguments = call.arguments(device, emulator);
        let mut draws = counter_pass::Draws {
            topology: topology(self.topology(info)),
            arguments: arguments.ok_or("the buffer of the arguments has no address")?,
            count: call.draws,
            predicate: self.predicate(),
            // Size 0: nothing is captured.
            buffers: [(0, 1); MAX_BUFFERS],
            template: 0,
            param_count: 0,
            blocks: 0,
            block_stride: 0,
            commands: 0,
            groups: 0,
            segments: None,
            geometry: None,
        };
        if let Some(indices) = indices.filter(|_| self.restarts(info)) {
            draws.segments = Some(self.segments(device, emulator, call, indices).map_err(lost)?);
        }
        Ok(draws)
    }

    /// Returns memory for the draw arguments that the counter pass writes, or `None` if the host writes the
    /// arguments. The counter pass also decides whether conditional draws are executed.
    fn commands(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        call: &RecordedDraw,
    ) -> Result<Option<Piece>, vk::Result> {
        let executions = self.executions();
        if call.is_direct() && executions == 1 {
            return Ok(None);
        }
        let size = Job::COMMAND_SIZE * call.draws.max(1) * executions;
        self.kept(device, emulator, size).map(Some)
    }

    /// Restores the application's pipeline and dynamic state, if a capture has replaced them, for a draw with them.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer.
    pub(crate) unsafe fn restore(&mut self, device: &Driver, commands: vk::CommandBuffer) {
        if let (true, Some((pipeline, _)), Some(bind)) =
            (self.is_replaced, &self.graphics, device.next.cmd_bind_pipeline)
        {
            // SAFETY: guaranteed by the caller.
            unsafe {
                bind(commands, vk::PipelineBindPoint::GRAPHICS, *pipeline);
                self.unbind(device, commands);
            }
        }
    }

    /// Sets the dynamic state that a capture has replaced, before the application binds another pipeline. The replaced
    /// pipeline is not bound: its static state would replace dynamic state that was set for the other pipeline.
    ///
    /// # Safety
    ///
    /// The recording belongs to the command buffer.
    pub(crate) unsafe fn unbind(&mut self, device: &Driver, commands: vk::CommandBuffer) {
        let is_replaced = std::mem::take(&mut self.is_replaced);
        let Some((_, graphics)) = self.graphics.as_ref().filter(|_| is_replaced) else { return };
        self.bound = vk::Pipeline::null();
        let (next, info) = (&device.next, &graphics.info);
        // SAFETY: guaranteed by the caller. The state that is set is dynamic in the application's pipeline.
        unsafe {
            let is = |state| info.is_dynamic(state);
            if let Some(set) = next.cmd_set_primitive_topology
                && is(DynamicState::PRIMITIVE_TOPOLOGY)
            {
                set(commands, self.dynamic.topology);
            }
            if let Some(set) = next.cmd_set_primitive_restart_enable
                && is(DynamicState::PRIMITIVE_RESTART_ENABLE)
            {
                set(commands, self.dynamic.restart);
            }
            if let Some(set) = next.cmd_set_rasterizer_discard_enable
                && is(DynamicState::RASTERIZER_DISCARD_ENABLE)
            {
                set(commands, self.dynamic.discard);
            }
        }
    }
}

pub(super) fn lost(error: vk::Result) -> Why {
    format!("no memory: {error}")
}
