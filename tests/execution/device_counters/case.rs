//! Captures with draw parameters from any source, and the model's results for these captures.

use super::subject::Subject;
use crate::indexed::{bytes_of, lead, segments};
use crate::memory::bytes;
use crate::noise::Noise;
use crate::plan_buffers::{bounds, memory, model_buffers};
use polyshade::transform_feedback::{IndexType, ProvokingVertex};
use polyshade_planner::{
    Active, Begin, ByteCount, Call, Counter, CounterOwner, Draw as DrawState, End, Feedback,
    PassState, Path, Query, ShaderStage, Topology, Use, Uses,
};
use polyshade_vulkan::Captured;
use polyshade_vulkan::model::{self, BufferLayout};
use std::ops::Range;

/// The indices of a case's buffers; the feedback buffers follow.
pub(super) const COUNTERS: usize = 0;
pub(super) const ARGUMENTS: usize = 1;
pub(super) const INDEX_BUFFER: usize = 2;
pub(super) const FEEDBACK: usize = 3;

/// The layout of a piece's region in the argument buffer: draw count, byte count, predicate and draw arguments.
pub(super) const REGION: u32 = 256;
pub(super) const DRAW_COUNT: u32 = 0;
pub(super) const BYTES_TO_DRAW: u32 = 4;
pub(super) const PREDICATE: u32 = 8;
pub(super) const DRAWS: u32 = 32;
pub(super) const STRIDE: u32 = 24;

/// The stride, in bytes, of a vertex of byte-count draws.
pub(super) const VERTEX_BYTES: u32 = 20;

pub(super) const ALL: [Topology; 11] = Topology::CAPTURED;

/// The source of a draw's parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DrawSource {
    Direct,
    Indirect,
    /// Indirect draws, with this draw count in a buffer.
    Counted(u32),
    /// A byte count in a buffer, from which this offset is subtracted.
    Bytes(u32),
}

/// The constraints on random cases.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) counter_owner: CounterOwner,
    /// The number of feedback buffers.
    pub(super) buffers: usize,
    pub(super) indexed: bool,
    pub(super) restart: bool,
    /// Whether vertex offsets must not be negative.
    pub(super) in_bounds: bool,
    /// Whether every multi-draw has only one draw.
    pub(super) one_by_one: bool,
}

/// One draw of a multi-draw.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    pub(super) vertices: Range<u32>,
    pub(super) instances: Range<u32>,
    pub(super) vertex_offset: i32,
}

/// A draw or multi-draw of a capture.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) draws: Vec<Numbers>,
    pub(super) source: DrawSource,
    pub(super) begin: Begin,
    pub(super) end: End,
    /// The predicate of conditional rendering, and whether it is inverted.
    pub(super) predicate: Option<(u32, bool)>,
}

/// The indices of a capture.
#[derive(Debug, Clone)]
pub(super) struct Indexed {
    pub(super) width: IndexType,
    pub(super) values: Vec<u32>,
    pub(super) restart: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) counter_owner: CounterOwner,
    pub(super) topology: Topology,
    pub(super) indexed: Option<Indexed>,
    /// The number of vertices that fit into each buffer, and the number in the initial counters.
    pub(super) room: Vec<u32>,
    pub(super) reached: Vec<u32>,
    pub(super) pieces: Vec<Piece>,
}

impl Case {
    pub(super) fn random(noise: &mut Noise, kind: Kind) -> Case {
        let Kind { counter_owner, indexed, restart, .. } = kind;
        // The indices and the buffers.
        let topology = ALL[noise.below(ALL.len() as u32) as usize];
        let width =
            [IndexType::Uint8, IndexType::Uint16, IndexType::Uint32][noise.below(3) as usize];
        let count = 1 + noise.below(40);
        let index = |noise: &mut Noise| match restart && noise.below(4) == 3 {
            true => width.restart(),
            false => 1 + noise.below(50),
        };
        let values = (0..count).map(|_| index(noise)).collect();
        let indexed = indexed.then_some(Indexed { width, values, restart });
        let room: Vec<u32> = (0..kind.buffers).map(|_| 1 + noise.below(60)).collect();
        let mut reached = |room: &u32| match (counter_owner, noise.below(2)) {
            (CounterOwner::Device, 1) => noise.below(*room),
            _ => 0,
        };
        let reached = room.iter().map(&mut reached).collect();
        let mut case = Case { counter_owner, topology, indexed, room, reached, pieces: Vec::new() };
        // The pieces. If a piece continues a capture, the previous piece leaves it active.
        let pieces = 1 + noise.below(3);
        for number in 0..pieces {
            let piece = case.piece(noise, kind, number, number + 1 == pieces);
            if let (Begin::Running, Some(before)) = (&piece.begin, case.pieces.last_mut()) {
                before.end = End::Running;
            }
            case.pieces.push(piece);
        }
        case
    }

    fn piece(&self, noise: &mut Noise, kind: Kind, number: u32, is_last: bool) -> Piece {
        // The host knows only the counters that it has saved.
        let is_hosted = kind.counter_owner == CounterOwner::Host;
        let counters = |noise: &mut Noise, may_lack: bool| {
            let counter = |index| (!may_lack || noise.below(6) < 5).then(|| counter(4 * index));
            (0..kind.buffers as u32).map(counter).collect::<Vec<_>>()
        };
        let draws = 1 + noise.below(4);
        let source = match (noise.below(5), kind.indexed) {
            _ if is_hosted => DrawSource::Direct,
            (0, _) | (1, true) => DrawSource::Direct,
            (1, false) => DrawSource::Bytes(4 * noise.below(3)),
            (2, _) => DrawSource::Counted(noise.below(6)),
            _ => DrawSource::Indirect,
        };
        let last = if kind.indexed { 31 } else { 14 };
        let is_one = kind.one_by_one || matches!(source, DrawSource::Direct | DrawSource::Bytes(_));
        let draws = if is_one { 1 } else { draws };
        let offsets = [0, 70, if kind.in_bounds { 3 } else { -1 }];
        let numbers = |_| {
            let most = match (&self.indexed, source) {
                // For direct draws, the executor reads the indices on the host.
                (Some(indexed), DrawSource::Direct) => indexed.values.len() as u32,
                _ => u32::MAX,
            };
            let first = match source {
                DrawSource::Bytes(_) => 0,
                _ => noise.below(9).min(most),
            };
            let instance = noise.below(4);
            Numbers {
                vertices: first..(first + noise.below(last)).min(most),
                instances: instance..instance + noise.below(4),
                vertex_offset: if kind.indexed { offsets[noise.below(3) as usize] } else { 0 },
            }
        };
        let draws = (0..draws).map(numbers).collect();
        let begin = match (number, noise.below(3)) {
            (0, 0) => Begin::Anew,
            (0, _) if is_hosted => Begin::Anew,
            (0, _) | (_, 0) => Begin::Resume(counters(noise, true)),
            _ => Begin::Running,
        };
        let end = match noise.below(3) {
            2 if is_last => End::Forget,
            _ => End::Save(counters(noise, !is_hosted)),
        };
        // The device, not the host, must skip a draw, so direct draws have no predicate.
        let may_be_left_out = source != DrawSource::Direct && noise.below(6) == 5;
        let predicate = may_be_left_out.then(|| (noise.below(2), noise.below(2) == 0));
        Piece { draws, source, begin, end, predicate }
    }

    pub(super) fn memory(&self, layout: &[BufferLayout]) -> Vec<Vec<u8>> {
        let reached = layout.iter().zip(&self.reached).map(|(layout, one)| layout.stride * one);
        let counters = bytes(&reached.collect::<Vec<u32>>());
        let arguments = self.pieces.iter().flat_map(|piece| bytes(&piece.arguments(self)));
        let indices = self.indexed.as_ref().map_or_else(Vec::new, Indexed::bytes);
        let feedback = memory(layout, &self.room);
        [counters, arguments.collect(), indices].into_iter().chain(feedback).collect()
    }
}

impl Indexed {
    /// Returns the bytes of the index buffer.
    fn bytes(&self) -> Vec<u8> {
        let lead = vec![0xee; lead(self.width) as usize];
        let mut bytes = [lead, bytes_of(&self.values, self.width)].concat();
        // Descriptors do not cover the bytes after the last multiple of 4.
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }
}

impl Piece {
    /// Returns the piece's region of the argument buffer; unused words have a fixed pattern.
    fn arguments(&self, case: &Case) -> Vec<u32> {
        let mut words = vec![0xdead_beef; REGION as usize / 4];
        let mut put = |at: u32, value: u32| words[at as usize / 4] = value;
        if let DrawSource::Counted(count) = self.source {
            put(DRAW_COUNT, count);
        }
        if let DrawSource::Bytes(offset) = self.source {
            // The remainder of the division by the stride must be ignored.
            let count = self.draws[0].vertices.len() as u32;
            put(BYTES_TO_DRAW, offset + count * VERTEX_BYTES + 16);
        }
        if let Some((value, _)) = self.predicate {
            put(PREDICATE, value);
        }
        for (number, draw) in (0..).zip(&self.draws) {
            let (vertices, instances) = (&draw.vertices, &draw.instances);
            let numbers = [vertices.len() as u32, instances.len() as u32, vertices.start];
            let offset = case.indexed.as_ref().map(|_| draw.vertex_offset.cast_unsigned());
            let numbers = numbers.into_iter().chain(offset).chain([instances.start]);
            for (word, value) in (0..).zip(numbers) {
                put(DRAWS + STRIDE * number + 4 * word, value);
            }
        }
        words
    }

    /// Returns the number of draws that remain after the predicate and the draw count in a buffer.
    pub(super) fn drawn(&self) -> usize {
        if self.predicate.is_some_and(|(value, inverted)| (value == 0) != inverted) {
            return 0;
        }
        match self.source {
            DrawSource::Counted(count) => self.draws.len().min(count as usize),
            _ => self.draws.len(),
        }
    }
}

pub(super) fn counter(offset: u32) -> Counter {
    Counter { buffer: COUNTERS as u32, offset: offset.into() }
}

/// Returns the counters of a case whose buffers begin with `first`.
pub(super) fn shifted(counters: &[Option<Counter>], first: usize) -> Vec<Option<Counter>> {
    let shift = |one: &Counter| Counter { buffer: one.buffer + first as u32, ..*one };
    counters.iter().map(|one| one.as_ref().map(shift)).collect()
}

/// The result of a case: its feedback buffers and counters, and the counts of its pieces.
pub(super) type Left = (Vec<Vec<u8>>, Vec<Captured>);

impl Case {
    /// Returns the vertices between restarts.
    fn segments(&self, numbers: &Numbers) -> Vec<Vec<u32>> {
        let Some(indexed) = &self.indexed else { return vec![numbers.vertices.clone().collect()] };
        let restart = indexed.restart.then(|| indexed.width.restart());
        segments(&indexed.values, restart, numbers.vertices.clone(), numbers.vertex_offset)
    }

    /// Returns the model's result after this many submissions. Queries are not reset between submissions.
    pub(super) fn model(&self, subject: &Subject, submissions: u32) -> Left {
        let layout = subject.layout();
        // Set up counters and buffers.
        let mut counters: Vec<u32> =
            layout.iter().zip(&self.reached).map(|(layout, one)| layout.stride * one).collect();
        let mut buffers = model_buffers(layout, memory(layout, &self.room));
        let mut counts = vec![Captured { written: 0, needed: 0 }; self.pieces.len()];
        for _ in 0..submissions {
            for (piece, count) in self.pieces.iter().zip(&mut counts) {
                // Begin: set the positions at which the draws write.
                let begun = match &piece.begin {
                    Begin::Anew => Some(vec![None; layout.len()]),
                    Begin::Resume(counters) => Some(counters.clone()),
                    Begin::Running => None,
                };
                for (number, begun) in begun.into_iter().flatten().enumerate() {
                    buffers[number].reached = begun.map_or(0, |_| counters[number] as usize);
                }
                // Capture the draws.
                for numbers in &piece.draws[..piece.drawn()] {
                    let draw = model::Draw {
                        topology: self.topology.captured().expect("it is captured"),
                        provoking_vertex: ProvokingVertex::First,
                        vertices: numbers.vertices.clone(),
                        instances: numbers.instances.clone(),
                    };
                    let segments = self.segments(numbers);
                    let captured = model::capture_indexed(
                        &draw,
                        &segments,
                        &mut buffers,
                        |vertex, instance| subject.values(vertex, instance),
                    );
                    count.written += captured.written;
                    count.needed += captured.needed;
                }
                // End: save the counters.
                if let End::Save(saved) = &piece.end {
                    for (number, saved) in saved.iter().enumerate() {
                        if saved.is_some() {
                            counters[number] = buffers[number].reached as u32;
                        }
                    }
                }
            }
        }
        let memory = buffers.into_iter().map(|buffer| buffer.memory);
        ([bytes(&counters)].into_iter().chain(memory).collect(), counts)
    }

    /// Returns the state of a draw in a pass that may end, whose buffers begin with `first`.
    pub(super) fn state(
        &self,
        layout: &[BufferLayout],
        number: usize,
        path: Path,
        first: usize,
    ) -> DrawState {
        let piece = &self.pieces[number];
        let begin = match &piece.begin {
            Begin::Resume(counters) => Begin::Resume(shifted(counters, first)),
            other => other.clone(),
        };
        let end = match &piece.end {
            End::Save(counters) => End::Save(shifted(counters, first)),
            other => other.clone(),
        };
        let active = Active {
            buffers: bounds(layout, &self.room),
            begin,
            end,
            counter_owner: self.counter_owner,
        };
        let call = match (piece.source, self.indexed.is_some()) {
            (DrawSource::Direct, false) => Call::Vertices,
            (DrawSource::Direct, true) => Call::Indexed,
            (DrawSource::Indirect | DrawSource::Counted(_), false) => Call::Indirect,
            (DrawSource::Indirect | DrawSource::Counted(_), true) => Call::IndexedIndirect,
            (DrawSource::Bytes(counter_offset), _) => Call::ByteCount(ByteCount {
                counter: Counter {
                    buffer: (first + ARGUMENTS) as u32,
                    offset: (REGION * number as u32 + BYTES_TO_DRAW).into(),
                },
                path,
                counter_owner: CounterOwner::Device,
                counter_offset,
                stride: VERTEX_BYTES,
                before: Vec::new(),
            }),
        };
        let before = Uses {
            captured: if number > 0 { vec![Use::Capture(path)] } else { Vec::new() },
            counters: if number > 0 { self.of_counters(path).to_vec() } else { Vec::new() },
            inputs: Vec::new(),
        };
        let (pass, feedback) = (PassState::Interruptible, Feedback::Active(active));
        let queries = vec![Query::Stream(0)];
        DrawState { call, pass, feedback, queries, before, ..DrawState::default() }
    }

    /// Returns how a capture uses its counters.
    fn of_counters(&self, path: Path) -> [Use; 2] {
        match (path, self.counter_owner) {
            (Path::Extension, _) => [Use::Resume, Use::Save],
            (_, CounterOwner::Host) => [Use::Save; 2],
            (_, CounterOwner::Device) => {
                [Use::Storage(ShaderStage::Compute), Use::Store(ShaderStage::Compute)]
            }
        }
    }
}
