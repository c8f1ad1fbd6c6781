//! What is captured and counted of each draw.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::attributes::{self, bind_addresses, set_input, unbind_addresses};
use crate::emulation::draw_calls::{DrawArguments, Indices, RecordedDraw};
use crate::emulation::layouts::{ADDRESSES, Addresses, Layout};
use crate::emulation::memory::Piece;
use crate::emulation::pipeline_info::PipelineInfo;
use crate::emulation::recording::{Active, NO_LIST, Recording};
use crate::emulation::variants::{Graphics, Key, OTHER_STAGES, Variant, topology};
use ash::vk::{self, DynamicState};
use polyshade::transform_feedback::{MAX_BUFFERS, Topology};
use polyshade_planner::counter_pass::{self, Job};
use std::sync::Arc;

/// The most draws of an indirect draw that are captured.
const MOST_DRAWS: u32 = 1 << 16;

/// What becomes of a draw.
#[derive(Default)]
pub(crate) struct Done {
    /// The arguments that the counter pass writes.
    pub(crate) commands: Option<Piece>,
    /// Whether there is nothing more to draw.
    pub(crate) is_whole: bool,
}

/// Why something is not captured.
pub(super) type Why = String;

impl Recording {
    /// Whether anything is captured or counted. Queries of transform feedback count while that is active.
    pub(crate) fn watches(&self, emulator: &Emulator) -> bool {
        let [_, of_generated] = self.counted;
        self.active.is_some() || of_generated != 0 && !emulator.driver_counts
    }

    /// Captures and counts a draw, and says why not in the log.
    pub(crate) unsafe fn watch(
        &mut self,
        device: &Driver,
        emulator: &Emulator,
        commands: vk::CommandBuffer,
        call: RecordedDraw,
    ) -> Done {
        // SAFETY: the caller's promise.
        unsafe { self.keep(device, emulator, commands, call) }.unwrap_or_else(|why| {
            device.fault(format_args!("a draw is not captured: {why}"));
            Done::default()
        })
    }

    /// Where the counter pass counts: the capture's own place, or outside of one a place that nothing else reads.
    fn state(&mut self, device: &Driver, emulator: &Emulator) -> Result<u64, Why> {
        match self.active {
            Some(Active { state }) => Ok(state),
            None => {
                let piece = self.arena.take(device, emulator, Job::STATE_SIZE.into());
                Ok(piece.map_err(lost)?.address)
            }
        }
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
            return Err(format!("{} draws of one command, more than {MOST_DRAWS}", call.draws));
        }
        let graphics = self.graphics.as_ref().map(|(_, graphics)| Arc::clone(graphics));
        let graphics = graphics.ok_or("no pipeline that is known")?;
        let info = &graphics.info;
        let has_others = info.stages.as_ref().is_some_and(|stages| stages.has_others);
        if has_others && self.active.is_some() {
            device.fault(format_args!("a draw is not captured: {OTHER_STAGES}"));
        }
        // The counter pass makes the arguments of draws by byte count.
        if has_others && !matches!(call.arguments, DrawArguments::Bytes { .. }) {
            return Ok(Done::default());
        }
        let indices = if call.indexed { Some(self.indices(device, emulator)?) } else { None };
        let mut draws = self.draw_params(device, emulator, &call, indices, info)?;
        let written = self.commands(device, emulator, &call).map_err(lost)?;
        draws.commands = written.map_or(0, |piece| piece.address);
        let state = self.state(device, emulator)?;
        let job = |draws, query| Job { state, draws: Some(draws), query, ..Job::default() };
        let [of_feedback, of_generated] = if has_others { [0; 2] } else { self.counted };
        let is_counted = of_generated != 0 && !emulator.driver_counts;
        let counted_views = if is_counted { self.view_count(emulator) } else { 0 };
        for _ in 0..counted_views {
            self.jobs.push(&job(draws.clone(), of_generated));
        }
        let done = Done { commands: written.filter(|_| !call.is_direct()), is_whole: false };
        let Some(variant) = self.variant((device, emulator), &graphics, indices.is_some()) else {
            if !is_counted || self.active.is_some() {
                self.jobs.push(&job(draws, self.active.map_or(0, |_| of_feedback)));
            }
            return Ok(done);
        };
        // The driver counts the points, too.
        let points = (of_generated != 0 && emulator.driver_counts).then(|| {
            let topology = Topology::PointList;
            job(counter_pass::Draws { topology, segments: None, ..draws.clone() }, of_generated)
        });
        let last = self.provokes_last(info);
        let blocks = self.blocks(device, emulator, &variant, &call, indices, (&draws, last));
        let (blocks, template) = blocks.map_err(lost)?;
        draws.template = template.address;
        draws.word_count = variant.word_count();
        draws.blocks = blocks.address;
        draws.block_stride = variant.block_stride();
        for ((buffer, target), stride) in
            draws.buffers.iter_mut().zip(&self.targets).zip(variant.strides)
        {
            *buffer = target.filter(|_| stride > 0).map_or((0, 0), |target| (target.size, stride));
        }
        let layout = info.layout.as_ref().ok_or("a pipeline without a layout")?;
        let mut drawn = Drawn {
            info,
            variant: &variant,
            layout,
            blocks,
            commands: written,
            draws: call.draws * self.executions(),
            bound: None,
        };
        if layout.addresses == Some(Addresses::Bound) {
            drawn.bound = Some(self.arena.put(device, emulator, &drawn.params()).map_err(lost)?);
        }
        // Nothing fails any more, so that only points that are drawn are counted.
        points.iter().for_each(|job| self.jobs.push(job));
        self.jobs.push(&job(draws, of_feedback));
        // SAFETY: the caller's promise.
        unsafe { self.draw_points((device, emulator), commands, &call, drawn) };
        // The driver counts this draw, so it must be recorded.
        let is_whole = self.discards(info) && !variant.stores && points.is_none();
        Ok(Done { is_whole, ..done })
    }

    /// Draws the points of a capture, and gives the application its state back.
    unsafe fn draw_points(
        &mut self,
        (device, emulator): (&Driver, &Emulator),
        commands: vk::CommandBuffer,
        call: &RecordedDraw,
        drawn: Drawn<'_>,
    ) {
        let info = drawn.info;
        // SAFETY: the caller's promise.
        unsafe {
            drawn.draw(device, commands, call, info.discards_dynamically(emulator));
            self.restore(device, commands, info);
            if drawn.bound.is_some() {
                let number = attributes::BINDING;
                let bound = (self.vertex_buffers.get(&number), self.stride(info, number));
                unbind_addresses(device, commands, info, bound, &self.input(info));
            }
        }
    }

    /// The variant that captures draws like this one, if there is anything to capture.
    fn variant(
        &self,
        device: (&Driver, &Emulator),
        graphics: &Graphics,
        is_indexed: bool,
    ) -> Option<Arc<Variant>> {
        let info = &graphics.info;
        self.active?;
        info.stages.as_ref().filter(|stages| !stages.has_others)?.vertex.as_ref()?;
        let is_bound = info.layout.as_ref()?.addresses == Some(Addresses::Bound);
        let key = Key {
            topology: self.topology(info),
            restarts: is_indexed.then(|| self.restarts(info)),
            pulled: (is_indexed || is_bound).then(|| self.input(info)),
        };
        graphics.variant(device, key, self.scope.pass())
    }

    /// The parameters of a draw for the counter pass, without those of a capture.
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
            arguments: arguments.ok_or("arguments in a buffer without an address")?,
            count: call.draws,
            predicate: self.predicate(),
            // There is no room for what is not captured.
            buffers: [(0, 1); MAX_BUFFERS],
            template: 0,
            word_count: 0,
            blocks: 0,
            block_stride: 0,
            commands: 0,
            groups: 0,
            segments: None,
        };
        if let Some(indices) = indices.filter(|_| self.restarts(info)) {
            draws.segments = Some(self.segments(device, emulator, call, indices).map_err(lost)?);
        }
        Ok(draws)
    }

    /// Where the counter pass writes arguments, unless the host gives them. The counter pass decides whether
    /// conditional draws are executed.
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

    /// Gives the application's draws back what the capture has set.
    unsafe fn restore(&self, device: &Driver, commands: vk::CommandBuffer, info: &PipelineInfo) {
        let next = &device.next;
        let Some((pipeline, _)) = &self.graphics else { return };
        // SAFETY: the caller's promise. What is set is dynamic in the pipeline that is bound.
        unsafe {
            if let Some(bind) = next.cmd_bind_pipeline {
                bind(commands, vk::PipelineBindPoint::GRAPHICS, *pipeline);
            }
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

fn lost(error: vk::Result) -> Why {
    format!("no memory: {error}")
}

/// What draws the points of a capture.
struct Drawn<'d> {
    info: &'d PipelineInfo,
    variant: &'d Variant,
    layout: &'d Layout,
    blocks: Piece,
    /// Where their arguments are, unless the host gives them.
    commands: Option<Piece>,
    /// How many there are, over all executions.
    draws: u32,
    /// The addresses of all draws, where they are vertex attributes.
    bound: Option<Piece>,
}

impl Drawn<'_> {
    /// Where this draw finds what attributes are fetched by, and the words of the capture.
    fn addresses(&self, number: u32) -> [u64; 2] {
        let block = self.blocks.address + u64::from(number * self.variant.block_stride());
        [block + u64::from(self.variant.capture_size()), block]
    }

    /// The addresses of all draws, as words.
    fn params(&self) -> Vec<u32> {
        let addresses = (0..self.draws).flat_map(|number| self.addresses(number));
        addresses.flat_map(|address| [address as u32, (address >> 32) as u32]).collect()
    }

    /// Draws the points.
    unsafe fn draw(
        &self,
        device: &Driver,
        commands: vk::CommandBuffer,
        call: &RecordedDraw,
        discards: bool,
    ) {
        let next = &device.next;
        let (Some(bind), Some(draw), Some(indirect)) =
            (next.cmd_bind_pipeline, next.cmd_draw, next.cmd_draw_indirect)
        else {
            return;
        };
        // SAFETY: the caller's promise.
        unsafe {
            bind(commands, vk::PipelineBindPoint::GRAPHICS, self.variant.pipeline);
            if discards && let Some(set) = next.cmd_set_rasterizer_discard_enable {
                set(commands, vk::TRUE);
            }
            if self.bound.is_some() {
                set_input(device, commands, self.info, &attributes::input());
            }
            for number in 0..self.draws {
                self.push_addresses(device, commands, number);
                match (self.commands, call.arguments) {
                    (Some(piece), _) => {
                        let offset = piece.offset + u64::from(number * Job::COMMAND_SIZE);
                        indirect(commands, piece.buffer, offset, 1, Job::COMMAND_SIZE);
                    }
                    (
                        None,
                        DrawArguments::Direct { count, instances, first, first_instance, .. },
                    ) => {
                        draw(commands, count, instances, first, first_instance);
                    }
                    (None, _) => {}
                }
            }
        }
    }

    /// Gives the shader the addresses of this draw, by push constants or a vertex buffer.
    unsafe fn push_addresses(&self, device: &Driver, commands: vk::CommandBuffer, number: u32) {
        // SAFETY: the caller's promise; the layout has room for the addresses, if they are pushed.
        unsafe {
            match (self.layout.addresses, self.bound, device.next.cmd_push_constants) {
                (Some(Addresses::Pushed(at)), _, Some(push)) => {
                    let addresses = self.addresses(number);
                    let (layout, values) = (self.layout, addresses.as_ptr().cast());
                    push(commands, layout.handle, layout.stages, at, ADDRESSES, values);
                }
                (_, Some(piece), _) => {
                    let place = (piece, u64::from(ADDRESSES * number));
                    bind_addresses(device, commands, self.info, place);
                }
                _ => {}
            }
        }
    }
}
