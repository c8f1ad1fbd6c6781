//! Random sequences of commands that capture, read and overwrite captured data, and use its counters.

use super::memory::{Cells, DataKind};
use crate::Choices;
use polyshade::host::{AddressSource, Binding, ParamSource, Set, SideEffects};

use polyshade_planner::{
    Active, Api, Begin, Bound, ByteCount, Call, Capture, Counter, CounterOwner, Device, Draw, End,
    Feedback, FeedbackBuffer, PassState, Path, Pipeline, Preset, ShaderStage, Storage, Topology,
    Use,
};
use std::collections::HashMap;

/// The number of capture buffers, of 64 cells each.
const BUFFERS: u32 = 4;
const BYTES_OF_A_CELL: u32 = 48;

/// A use of some cells of a buffer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Used {
    /// The kind of use.
    pub by: Use,
    /// The used cells.
    pub cells: Cells,
}

/// A command of the application.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// A pass begins.
    BeginPass,
    /// The pass ends.
    EndPass,
    /// A copy, a dispatch, or an access by the host.
    Other(Used),
    /// A draw.
    Draw(Box<Drawn>),
}

/// A draw, without its dependencies on earlier and later commands.
#[derive(Clone, PartialEq, Debug)]
pub struct Drawn {
    /// The number of its block in the counter pass's memory, below 63.
    pub number: usize,
    /// Its pipeline.
    pub pipeline: Pipeline,
    /// Its state.
    pub draw: Draw,
    /// The path that captures the draw, or that would if a capture were active.
    pub path: Path,
    /// The captured data that it reads.
    pub reads: Vec<Used>,
    /// The cells into which it captures.
    pub captured: Vec<Cells>,
    /// The number of the capture. Draws of one active capture have the same number.
    pub group: usize,
}

/// Commands for a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Sequence {
    /// The device.
    pub device: Device,
    /// The commands.
    pub commands: Vec<Command>,
}

pub(super) fn cell(counter: &Counter) -> Cells {
    let cells = 1 << (counter.offset / 4 % 64);
    Cells { kind: DataKind::Counters, buffer: counter.buffer, cells }
}

/// Returns the number of the buffer that contains the counters of a path and an owner.
fn counters_of(path: Path, counter_owner: CounterOwner) -> u32 {
    match (path, counter_owner) {
        (Path::Extension, _) => 0,
        (Path::Storage | Path::Compute, CounterOwner::Host) => 1,
        (Path::Storage | Path::Compute, CounterOwner::Device) => 2,
    }
}

/// Returns whether the device, not the host, owns the counters in `cells`.
pub(super) fn is_on_device(cells: &Cells) -> bool {
    cells.buffer != counters_of(Path::Storage, CounterOwner::Host)
}

fn cells(from: u32, count: u32) -> u64 {
    (from..(from + count).min(64)).fold(0, |all, cell| all | 1 << cell)
}

/// Commands under construction.
struct Writer<'c> {
    choices: &'c mut Choices,
    device: Device,
    commands: Vec<Command>,
    pass: PassState,
    /// The number of filled cells that each counter stores.
    reached: HashMap<Counter, u32>,
    /// The active capture, with the number of filled cells in each of its buffers.
    running: Option<(Drawn, Vec<u32>)>,
}

/// Returns a random sequence of commands.
pub fn any_sequence(choices: &mut Choices) -> Sequence {
    let presets =
        [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal, Preset::WebGpuNative, Preset::WebGpu];
    let mut device = Device::from(choices.of(&presets));
    if choices.maybe() {
        device.stores_beside_outputs = choices.maybe();
        device.passes_without_attachments = choices.maybe();
    }
    device.buffer_addresses = device.api == Api::Vulkan;
    let mut writer = Writer {
        choices,
        device,
        commands: Vec::new(),
        pass: PassState::Outside,
        reached: HashMap::new(),
        running: None,
    };
    for _ in 0..4 + writer.choices.below(9) {
        writer.command();
    }
    while writer.running.is_some() {
        writer.captured_draw();
    }
    Sequence { device: writer.device, commands: writer.commands }
}

impl Writer<'_> {
    fn command(&mut self) {
        let outside = self.pass == PassState::Outside;
        match self.choices.below(8) {
            _ if self.running.is_some() => self.captured_draw(),
            0 | 1 => self.pass(),
            2 if outside => self.other_of_captured(),
            3 if outside => self.other_of_counters(),
            4 | 5 => self.uncaptured_draw(),
            _ => self.captured_draw(),
        }
    }

    fn pass(&mut self) {
        let (command, pass) = match self.pass {
            PassState::Outside => {
                let kept = self.choices.rarely();
                let pass = if kept { PassState::Uninterruptible } else { PassState::Interruptible };
                (Command::BeginPass, pass)
            }
            PassState::Interruptible | PassState::Uninterruptible => {
                (Command::EndPass, PassState::Outside)
            }
        };
        self.pass = pass;
        self.commands.push(command);
    }

    fn some_cells(&mut self, buffer: u32) -> Cells {
        let some = cells(self.choices.below(16), 1 + self.choices.below(12));
        // In WebGPU, a buffer has one usage within a usage scope, whichever part is used.
        let cells = if self.device.api == Api::WebGpu { u64::MAX } else { some };
        Cells { kind: DataKind::Captured, buffer, cells }
    }

    fn other_of_captured(&mut self) {
        let by = self.choices.of(&[
            Use::CopySource,
            Use::CopyDestination,
            Use::Storage(ShaderStage::Compute),
            Use::Store(ShaderStage::Compute),
            Use::Uniform(ShaderStage::Compute),
            Use::Texels(ShaderStage::Compute),
            Use::IndirectArguments,
            Use::HostRead,
            Use::HostWrite,
        ]);
        let buffer = self.choices.below(BUFFERS);
        let cells = self.some_cells(buffer);
        self.commands.push(Command::Other(Used { by, cells }));
    }

    fn other_of_counters(&mut self) {
        let by = self.choices.of(&[Use::CopySource, Use::HostRead, Use::CopyDestination]);
        let path = self.choices.of(&[Path::Extension, Path::Storage]);
        let counter_owner = self.counter_owner();
        let number = self.choices.below(2);
        let counter = self.counter(path, counter_owner, number);
        // Only the host writes a host-owned counter.
        if by == Use::CopyDestination {
            if (path, counter_owner) == (Path::Storage, CounterOwner::Host) {
                return;
            }
            let reached = self.choices.below(16);
            self.reached.insert(counter, reached);
        }
        self.commands.push(Command::Other(Used { by, cells: cell(&counter) }));
    }

    /// Chooses one of two counters of a feedback buffer.
    fn counter(&mut self, path: Path, counter_owner: CounterOwner, number: u32) -> Counter {
        let offset = u64::from(4 * (number + 2 * self.choices.below(2)));
        Counter { buffer: counters_of(path, counter_owner), offset }
    }

    fn counter_owner(&mut self) -> CounterOwner {
        self.choices.of(&[CounterOwner::Host, CounterOwner::Device])
    }

    /// Chooses reads from other buffers than the captured ones. Nothing orders the reads and stores of one draw.
    fn reads(&mut self, captured: &[Cells]) -> Vec<Used> {
        let stage = self.choices.of(&[ShaderStage::Vertex, ShaderStage::Fragment]);
        let uses = [
            Use::Vertices,
            Use::Vertices,
            Use::Indices,
            Use::IndirectArguments,
            Use::Uniform(stage),
            Use::Storage(stage),
            Use::Texels(stage),
            Use::Store(ShaderStage::Fragment),
        ];
        let mut reads = Vec::new();
        for _ in 0..self.choices.below(3) {
            let (by, buffer) = (self.choices.of(&uses), self.choices.below(BUFFERS));
            let cells = self.some_cells(buffer);
            let stores = |by| by == Use::Store(ShaderStage::Fragment);
            let apart = |one: &Used| one.cells.buffer != buffer || !stores(one.by) && !stores(by);
            if captured.iter().all(|one| one.buffer != buffer) && reads.iter().all(apart) {
                reads.push(Used { by, cells });
            }
        }
        reads
    }

    fn call(&mut self, reads: &[Used]) -> Call {
        let uses = |by| reads.iter().any(|one| one.by == by);
        match (uses(Use::Indices), uses(Use::IndirectArguments)) {
            (true, true) => Call::IndexedIndirect,
            (true, false) => Call::Indexed,
            (false, true) => Call::Indirect,
            (false, false) if self.choices.below(4) == 3 => {
                let path = self.choices.of(&[Path::Extension, Path::Storage]);
                let counter_owner = self.counter_owner();
                let number = self.choices.below(2);
                let counter = self.counter(path, counter_owner, number);
                let before = Vec::new();
                Call::ByteCount(ByteCount {
                    counter,
                    path,
                    counter_owner,
                    counter_offset: 0,
                    stride: 16,
                    before,
                })
            }
            (false, false) => Call::Vertices,
        }
    }

    fn uncaptured_draw(&mut self) {
        let reads = self.reads(&[]);
        let call = self.call(&reads);
        let paused = self.choices.maybe();
        let pipeline = if paused { self.pipeline(CounterOwner::Host) } else { Pipeline::default() };
        let feedback = if paused { Feedback::Paused } else { Feedback::Inactive };
        let path = self.path(&pipeline);
        self.draw(Drawn {
            number: 0,
            pipeline,
            draw: Draw { call, feedback, ..Draw::default() },
            path,
            reads,
            captured: Vec::new(),
            group: self.commands.len(),
        });
    }

    fn draw(&mut self, mut drawn: Drawn) {
        drawn.number = self.commands.len();
        drawn.draw.pass = self.pass;
        drawn.draw.reads = drawn.reads.iter().map(|one| one.by).collect();
        self.commands.push(Command::Draw(Box::new(drawn)));
    }

    fn path(&self, pipeline: &Pipeline) -> Path {
        let asked = pipeline.capture.as_ref().and_then(|capture| capture.path);
        asked.unwrap_or(match self.device.transform_feedback {
            Some(_) => Path::Extension,
            None if self.device.vertex_stores => Path::Storage,
            None => Path::Compute,
        })
    }

    fn pipeline(&mut self, counter_owner: CounterOwner) -> Pipeline {
        // Choose the buffers and the source of host parameters.
        let topologies = [
            Topology::PointList,
            Topology::TriangleList,
            Topology::LineStrip,
            Topology::TriangleFan,
        ];
        let strides = [16, 12];
        let strides = &strides[..self.choices.below(2) as usize + 1];
        let buffer = |stride: &u32| FeedbackBuffer { stride: *stride, ..FeedbackBuffer::default() };
        let (set, binding) = (Set(3), Binding(0));
        let host = match counter_owner {
            CounterOwner::Device if self.device.buffer_addresses => {
                ParamSource::Address(AddressSource::PushConstant { offset: 0 })
            }
            CounterOwner::Host | CounterOwner::Device => {
                ParamSource::StorageBuffer { set, binding: Binding(2) }
            }
        };
        // Choose the path; the extension may be used if none is fixed.
        let path = match self.choices.below(8) {
            0 if self.device.vertex_stores => Some(Path::Storage),
            1 | 2 => Some(Path::Compute),
            _ => None,
        };
        let capture = Capture {
            path,
            buffers: strides.iter().map(buffer).collect(),
            storage: Some(Storage {
                set,
                binding,
                params_at: host,
                storage_buffers: 3,
                params: Vec::new(),
                topologies: Vec::new(),
                unbound_buffers: false,
                indices: None,
                outputs: None,
            }),
        };
        Pipeline {
            topology: self.choices.of(&topologies),
            rasterizer_discard: self.choices.maybe(),
            side_effects: self.choices.rarely().then_some(SideEffects::InFirstPass),
            capture: Some(capture),
            ..Pipeline::default()
        }
    }

    fn captured_draw(&mut self) {
        let is_resumed = self.running.is_some();
        let (mut drawn, mut reached) = match self.running.take() {
            Some((drawn, reached)) => {
                let begin = Begin::Running;
                let Feedback::Active(active) = &drawn.draw.feedback else { return };
                let active = Active { begin, ..active.clone() };
                let (feedback, call) = (Feedback::Active(active), Call::Vertices);
                let draw = Draw { feedback, call, ..drawn.draw };
                (Drawn { draw, ..drawn }, reached)
            }
            None => self.begin(),
        };
        for (cells, reached) in drawn.captured.iter_mut().zip(&mut reached) {
            let amount = self.choices.below(7);
            cells.cells = self::cells(*reached, amount);
            if self.device.api == Api::WebGpu {
                // A writable binding counts as a write, even if nothing is captured.
                cells.cells |= 1 << 63;
            }
            *reached = (*reached + amount).min(64);
        }
        drawn.reads = self.reads(&drawn.captured);
        let indexed = |one: &Used| matches!(one.by, Use::Indices | Use::IndirectArguments);
        // Nothing orders the draws of one active capture either, so their fragment stages store nothing.
        let runs = self.choices.below(4) == 0 && self.pass != PassState::Outside;
        if runs || is_resumed {
            drawn.reads.retain(|one| one.by != Use::Store(ShaderStage::Fragment));
        }
        let counter_owner = match &drawn.draw.feedback {
            Feedback::Active(active) => active.counter_owner,
            Feedback::Inactive | Feedback::Paused => CounterOwner::Host,
        };
        match (drawn.path, counter_owner) {
            (Path::Storage | Path::Compute, CounterOwner::Host) => {
                drawn.reads.retain(|one| !indexed(one))
            }
            (Path::Storage | Path::Compute, CounterOwner::Device) => {
                drawn.reads.retain(|one| one.by != Use::Indices);
                drawn.draw.call = self.call(&drawn.reads);
            }
            (Path::Extension, _) => drawn.draw.call = self.call(&drawn.reads),
        }
        let counted = matches!(drawn.draw.call, Call::ByteCount(_));
        let end = match self.choices.below(3) {
            _ if runs && !counted => {
                self.running = Some((drawn.clone(), reached.clone()));
                End::Running
            }
            0 => End::Forget,
            _ => self.save(drawn.path, counter_owner, &reached),
        };
        if let Feedback::Active(active) = &mut drawn.draw.feedback {
            active.end = end;
        }
        self.draw(drawn);
    }

    fn save(&mut self, path: Path, counter_owner: CounterOwner, reached: &[u32]) -> End {
        let mut counters = Vec::new();
        for (number, reached) in (0..).zip(reached) {
            let counter = self.counter(path, counter_owner, number);
            self.reached.insert(counter, *reached);
            counters.push(Some(counter));
        }
        End::Save(counters)
    }

    /// Begins a capture, or resumes one at counters, and returns the number of filled cells in each buffer.
    fn begin(&mut self) -> (Drawn, Vec<u32>) {
        // Choose the pipeline and the buffers.
        let counter_owner = self.counter_owner();
        let pipeline = self.pipeline(counter_owner);
        let path = self.path(&pipeline);
        let count = pipeline.capture.as_ref().map_or(0, |capture| capture.buffers.len() as u32);
        let first = self.choices.below(BUFFERS);
        let captured = (0..count).map(|number| {
            let buffer = (first + number) % BUFFERS;
            Cells { kind: DataKind::Captured, buffer, cells: 0 }
        });
        // Begin anew or at counters.
        let (begin, reached) = match self.choices.maybe() {
            true => {
                let counters = (0..count).map(|number| self.counter(path, counter_owner, number));
                let counters: Vec<Counter> = counters.collect();
                let at = |one| self.reached.get(one).copied().unwrap_or(0);
                let reached = counters.iter().map(at).collect();
                (Begin::Resume(counters.into_iter().map(Some).collect()), reached)
            }
            false => (Begin::Anew, vec![0; count as usize]),
        };
        // Bind whole buffers.
        let bound = Bound {
            buffer: None,
            buffer_size: (64 * BYTES_OF_A_CELL).into(),
            offset: 0,
            size: None,
        };
        let buffers = vec![Some(bound); count as usize];
        let feedback = Feedback::Active(Active { buffers, begin, end: End::Forget, counter_owner });
        let drawn = Drawn {
            number: 0,
            pipeline,
            draw: Draw { feedback, ..Draw::default() },
            path,
            reads: Vec::new(),
            captured: captured.collect(),
            group: self.commands.len(),
        };
        (drawn, reached)
    }
}
