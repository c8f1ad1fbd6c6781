//! The description of random streams.

use ash::vk;

const TOPOLOGIES: [&[vk::PrimitiveTopology]; 3] = [
    &[vk::PrimitiveTopology::POINT_LIST],
    &[vk::PrimitiveTopology::LINE_LIST, vk::PrimitiveTopology::LINE_STRIP],
    &[
        vk::PrimitiveTopology::TRIANGLE_LIST,
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        vk::PrimitiveTopology::TRIANGLE_FAN,
    ],
];

/// Topologies that need a geometry stage.
const WITH_ADJACENCY: [&[vk::PrimitiveTopology]; 2] = [
    &[
        vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
    ],
    &[
        vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
        vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
    ],
];

/// The maximum numbers of captures in a stream, of calls in a stream, and of draws in a call.
pub(super) const MOST_CAPTURES: usize = 5;
pub(super) const MOST_CALLS: usize = 12;
pub(super) const MOST_DRAWS: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub(super) look: Look,
    /// The number of bytes bound for each transform feedback buffer.
    pub(super) sizes: [u64; 2],
    pub(super) captures: Vec<Capture>,
    pub(super) indices: Vec<u32>,
    /// The offset of the indices in their buffer, in bytes.
    pub(super) index_offset: u64,
    pub(super) submissions: u32,
    /// Whether the command buffers may be pending twice.
    pub(super) simultaneous: bool,
    /// Whether a second recording is submitted later, in which the first command buffer is that of the first
    /// recording.
    pub(super) mixed: bool,
    pub(super) waits: Waits,
    /// Whether timestamps are written after the stages that capture.
    pub(super) stamped: bool,
    /// The condition that applies to all passes of a command buffer.
    pub(super) condition: Option<Condition>,
}

/// The predicate value of conditional rendering, and whether the condition is inverted.
pub(super) type Condition = (u32, bool);

pub(super) fn lets_draw((word, inverted): Condition) -> bool {
    (word != 0) != inverted
}

/// The synchronization between a capture and earlier captures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Waits {
    Barrier,
    Barrier2,
    Event,
    Event2,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) topology: vk::PrimitiveTopology,
    pub(super) restart: bool,
    pub(super) discard: bool,
    /// Whether commands set topology, restart, discard and strides. Each call then has its own topology and discard.
    pub(super) dynamic: bool,
    /// Whether a command sets the vertex input state.
    pub(super) dynamic_input: bool,
    pub(super) libraries: bool,
    pub(super) dynamic_rendering: bool,
    pub(super) provokes_last: bool,
    pub(super) index_type: vk::IndexType,
    /// The instance divisor, or `None` for the default of 1.
    pub(super) divisor: Option<u32>,
    /// The primitives that a geometry stage emits, if there is one.
    pub(super) geometry: Option<Emits>,
    /// Whether the invocations of the geometry stage emit different numbers of primitives.
    pub(super) varies: bool,
    /// Whether the layout uses all push constants of the device.
    pub(super) pushes_all: bool,
    /// Whether the shaders capture the index of the draw, or with a geometry stage that of the primitive.
    pub(super) numbered: bool,
}

/// The output primitives of a geometry stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Emits {
    Points,
    LineStrip,
    TriangleStrip,
    /// Points of two vertex streams.
    Streams,
}

/// The content between the begin and the end of a capture.
#[derive(Debug, Clone)]
pub(super) struct Capture {
    pub(super) calls: Vec<StreamCall>,
    pub(super) resumes: bool,
    pub(super) saves: bool,
    /// Whether the vertex attributes are outputs of earlier captures. Such a capture writes to other target buffers.
    pub(super) fed: bool,
    /// Whether a secondary command buffer contains the capture, and whether the capture begins a render pass or a
    /// primary command buffer.
    pub(super) secondary: bool,
    pub(super) own_pass: bool,
    pub(super) own_commands: bool,
    /// Whether the capture resumes the suspended rendering of the previous capture, if no wait is needed.
    pub(super) resumes_rendering: bool,
    /// Whether a secondary command buffer contains the whole rendering that begins with the capture.
    pub(super) enclosed: bool,
}

/// The position of a capture relative to passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// In a pass that begins with the capture.
    New,
    /// In the pass of the previous capture.
    Same,
    /// In rendering that is suspended before the capture.
    Resumed,
}

#[derive(Debug, Clone)]
pub(super) struct StreamCall {
    /// The index of the call in the stream.
    pub(super) number: usize,
    pub(super) kind: CallKind,
    /// One draw, or several draws for commands that have several.
    pub(super) draws: Vec<Draw>,
    /// The draw count in the count buffer.
    pub(super) counted: u32,
    pub(super) instances: u32,
    pub(super) first_instance: u32,
    pub(super) topology: vk::PrimitiveTopology,
    pub(super) discard: bool,
    /// The condition of the call, if it is conditional.
    pub(super) condition: Option<Condition>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Draw {
    pub(super) count: u32,
    pub(super) first: u32,
    pub(super) offset: i32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CallKind {
    Direct,
    Indexed,
    Indirect,
    IndexedIndirect,
    Counted,
    Multi,
    MultiIndexed,
    Bytes,
}

pub(super) struct Noise(pub(super) u64);

impl Noise {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(end)) as u32
    }

    fn one_in(&mut self, many: u32) -> bool {
        self.below(many) == 0
    }

    fn condition(&mut self) -> Condition {
        (self.below(2) * 3, self.one_in(2))
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }
}

impl Look {
    /// Returns a random look, and the topologies that dynamic state may set.
    fn random(noise: &mut Noise) -> (Self, &'static [vk::PrimitiveTopology]) {
        let mut class = noise.of(&TOPOLOGIES);
        let index_types = [vk::IndexType::UINT8_EXT, vk::IndexType::UINT16, vk::IndexType::UINT32];
        let mut look = Look {
            topology: noise.of(class),
            restart: noise.one_in(2),
            discard: noise.one_in(2),
            dynamic: noise.one_in(2),
            dynamic_input: noise.one_in(3),
            libraries: noise.one_in(3),
            dynamic_rendering: noise.one_in(2),
            provokes_last: noise.one_in(3),
            index_type: noise.of(&index_types),
            divisor: noise.one_in(4).then(|| noise.below(4)),
            pushes_all: noise.one_in(4),
            numbered: noise.one_in(3),
            geometry: None,
            varies: false,
        };
        let emits = [Emits::Points, Emits::LineStrip, Emits::TriangleStrip, Emits::Streams];
        // The layer captures geometry stages only with free push constants, and not the index of a draw.
        if !look.pushes_all && noise.one_in(2) {
            look.geometry = Some(noise.of(&emits));
            look.numbered = false;
            look.varies = noise.one_in(2);
            if noise.one_in(3) {
                class = noise.of(&WITH_ADJACENCY);
                look.topology = noise.of(class);
            }
        }
        // lavapipe passes draw index 0 to all draws of a multi-draw with restarts.
        look.numbered &= !look.restart;
        // Debian's validation layer misses state or draws of libraries that never rasterize, and crashes.
        look.discard &= !look.libraries || look.dynamic;
        // The validation layer also crashes if a library has divisors.
        look.divisor = look.divisor.filter(|_| !look.libraries || look.dynamic_input);
        (look, class)
    }
}

impl Stream {
    pub(super) fn random(noise: &mut Noise) -> Self {
        let (look, class) = Look::random(noise);
        // Without primitive restart, this index would be a vertex outside of the buffer.
        let index = |noise: &mut Noise| match look.restart && noise.one_in(5) {
            true => u32::MAX,
            false => noise.below(30),
        };
        let indices = (0..64).map(|_| index(noise)).collect();
        // lavapipe handles draws of these kinds wrongly after a draw of another kind.
        let kinds =
            [CallKind::Bytes, CallKind::Indirect, CallKind::IndexedIndirect, CallKind::Counted];
        let kind = noise.of(&kinds);
        let kinds = [
            CallKind::Direct,
            CallKind::Indexed,
            CallKind::Multi,
            CallKind::MultiIndexed,
            kind,
            kind,
        ];
        let mut calls = 0;
        let mut captures = Vec::new();
        for _ in 0..1 + noise.below(MOST_CAPTURES as u32) {
            let call = |noise: &mut Noise| {
                calls += 1;
                let kind = noise.of(&kinds);
                StreamCall::random(noise, calls - 1, kind, (look, class))
            };
            captures.push(Capture::random(noise, call));
        }
        let sizes = [12 * u64::from(noise.below(60)) + 4, 8 * u64::from(noise.below(60)) + 8];
        let waits = [Waits::Barrier, Waits::Barrier2, Waits::Event, Waits::Event2];
        let condition = noise.one_in(5).then(|| noise.condition());
        if condition.is_some() {
            // Conditional rendering cannot be nested, or end while rendering is suspended; lavapipe does not inherit
            // it.
            for capture in &mut captures {
                capture.secondary = false;
                capture.resumes_rendering = false;
                capture.enclosed = false;
                capture.calls.iter_mut().for_each(|call| call.condition = None);
            }
        }
        let simultaneous = noise.one_in(3);
        let mut stream = Self {
            condition,
            simultaneous,
            look,
            sizes,
            captures,
            indices,
            index_offset: noise.of(&[0, 8]),
            submissions: 1 + noise.below(2),
            mixed: noise.one_in(3),
            waits: noise.of(&waits),
            stamped: noise.one_in(3),
        };
        stream.fit_geometry();
        stream
    }

    /// Changes what differs from lavapipe with a geometry stage.
    fn fit_geometry(&mut self) {
        if self.look.varies {
            // The layer completes these captures after a render pass, and needs the numbers of its draws before it.
            for capture in &mut self.captures {
                capture.secondary = false;
                capture.resumes_rendering = false;
                capture.calls.iter_mut().for_each(StreamCall::make_direct);
            }
        }
        if self.look.geometry.is_some() {
            // A captured geometry stage takes the application's draws, or copies as indirect draws.
            if self.simultaneous || self.has_wrong_indices() {
                self.index_offset = 0;
            }
            // lavapipe continues to count primitives in the next draw of a multi-draw.
            let mut calls = self.captures.iter().flat_map(|capture| &capture.calls);
            self.look.numbered = !calls.any(|call| call.is_multi() && call.draws.len() > 1);
        }
    }
}

impl Stream {
    /// Returns the stream limited to the features of a portability driver, without pipeline libraries.
    pub(super) fn narrowed(mut self) -> Self {
        use vk::PrimitiveTopology as Topology;
        let narrow = |topology: &mut Topology| {
            if *topology == Topology::TRIANGLE_FAN {
                *topology = Topology::TRIANGLE_STRIP;
            }
        };
        narrow(&mut self.look.topology);
        for call in self.captures.iter_mut().flat_map(|capture| &mut capture.calls) {
            narrow(&mut call.topology);
        }
        let strips = [Topology::LINE_STRIP, Topology::TRIANGLE_STRIP];
        self.look.restart |= self.look.dynamic || strips.contains(&self.look.topology);
        self.look.libraries = false;
        // lavapipe has a fault in multi-draws with restarts (see `random`).
        self.look.numbered &= !self.look.restart;
        // Portability drivers have no geometry stages, and no vertex buffers with stride 0.
        (self.look.geometry, self.look.varies) = (None, false);
        self.look.pushes_all = false;
        if self.has_wrong_indices() {
            self.index_offset = 0;
        }
        self
    }

    /// Returns whether lavapipe reads wrong indices: indexed indirect draws ignore the offset of the index buffer.
    pub(super) fn has_wrong_indices(&self) -> bool {
        let mut calls = self.captures.iter().flat_map(|capture| &capture.calls);
        self.index_offset > 0 && calls.any(|call| call.kind == CallKind::IndexedIndirect)
    }

    /// Returns whether another command buffer resumes rendering that the first command buffer began.
    pub(super) fn is_resumed(&self) -> bool {
        let own = (1..self.captures.len()).find(|number| self.captures[*number].own_commands);
        let begins = !self.captures[0].own_commands;
        begins && own.is_some_and(|number| self.place(number) == Place::Resumed)
    }

    pub(super) fn has_streams(&self) -> bool {
        self.look.geometry == Some(Emits::Streams)
    }

    pub(super) fn place(&self, number: usize) -> Place {
        let Some(before) = number.checked_sub(1).map(|before| &self.captures[before]) else {
            return Place::New;
        };
        let capture = &self.captures[number];
        // Captures that resume at counters, and draws by byte count, wait for the counters outside of passes.
        let waits = capture.resumes
            || capture.fed != before.fed
            || capture.calls.iter().any(|call| call.kind == CallKind::Bytes);
        if capture.resumes_rendering && self.look.dynamic_rendering && !waits {
            return Place::Resumed;
        }
        let own = capture.own_pass || capture.own_commands || capture.fed != before.fed;
        match waits || own || before.secondary != capture.secondary {
            true => Place::New,
            false => Place::Same,
        }
    }

    /// Returns whether a secondary command buffer contains the whole rendering that begins with a capture.
    pub(super) fn encloses(&self, number: usize) -> bool {
        let capture = &self.captures[number];
        capture.enclosed && !capture.secondary && self.look.dynamic_rendering
    }

    pub(super) fn rendering(&self, number: usize) -> vk::RenderingFlags {
        let first = (0..=number).rfind(|first| self.place(*first) != Place::Same);
        let number = first.expect("the first capture begins a pass");
        let mut flags = vk::RenderingFlags::empty();
        let mut behind = (number + 1..self.captures.len()).map(|behind| self.place(behind));
        if behind.find(|place| *place != Place::Same) == Some(Place::Resumed) {
            flags |= vk::RenderingFlags::SUSPENDING;
        }
        if self.place(number) == Place::Resumed {
            flags |= vk::RenderingFlags::RESUMING;
        }
        if self.captures[number].secondary {
            flags |= vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS;
        }
        flags
    }
}

impl Capture {
    fn random(noise: &mut Noise, mut call: impl FnMut(&mut Noise) -> StreamCall) -> Self {
        let count = if noise.one_in(2) { 1 } else { 2 };
        Self {
            calls: (0..count).map(|_| call(noise)).collect(),
            resumes: noise.one_in(2),
            saves: !noise.one_in(3),
            fed: noise.one_in(4),
            secondary: noise.one_in(4),
            own_pass: noise.one_in(3),
            own_commands: noise.one_in(4),
            resumes_rendering: noise.one_in(3),
            enclosed: noise.one_in(3),
        }
    }
}

fn is_multi(kind: CallKind) -> bool {
    [CallKind::Multi, CallKind::MultiIndexed].contains(&kind)
}

impl StreamCall {
    /// Replaces a call whose arguments the host does not know.
    fn make_direct(&mut self) {
        self.kind = match self.kind {
            CallKind::Indirect | CallKind::Counted | CallKind::Bytes => CallKind::Direct,
            CallKind::IndexedIndirect => CallKind::Indexed,
            kind => kind,
        };
        let draws = if self.is_multi() { MOST_DRAWS } else { 1 };
        self.draws.truncate(draws);
    }

    fn is_multi(&self) -> bool {
        is_multi(self.kind)
    }

    fn random(
        noise: &mut Noise,
        number: usize,
        kind: CallKind,
        (look, class): (Look, &[vk::PrimitiveTopology]),
    ) -> Self {
        let many = ![CallKind::Direct, CallKind::Indexed, CallKind::Bytes].contains(&kind);
        let count = if many { 1 + noise.below(MOST_DRAWS as u32) } else { 1 };
        // After an empty draw of a multi-draw, lavapipe ignores the remaining draws.
        let least = u32::from(many);
        let draw = |noise: &mut Noise| Draw {
            count: least + noise.below(20),
            first: noise.below(8),
            offset: noise.below(3) as i32,
        };
        let several = is_multi(kind);
        let dynamic = look.dynamic;
        Self {
            number,
            kind,
            draws: (0..count).map(|_| draw(noise)).collect(),
            // After a draw count of 0, lavapipe ignores later indirect draws.
            counted: 1 + noise.below(count + 1),
            // lavapipe draws the first instance of all draws in a multi-draw, then the second instance of all draws.
            instances: noise.below(if several || look.numbered { 2 } else { 4 }),
            first_instance: noise.below(3),
            topology: if dynamic { noise.of(class) } else { look.topology },
            discard: if dynamic { noise.one_in(2) } else { look.discard },
            condition: noise.one_in(4).then(|| noise.condition()),
        }
    }
}
