//! Emits the functions that read host parameters and store to feedback buffers.

use super::super::Topology;
use super::super::draw_constraints::{DrawParam, Draws};
use super::super::layout::Stored;
use super::{Bound, words_of};
use crate::library;
use crate::rewrite::{self, Hook, HostBlock, Open, Pointed};
use polyshade_spv::{Cursor, GlslOp, Id, Op, Patch, Position, StorageClass};

/// A feedback buffer with captured outputs.
#[derive(Clone, Copy)]
pub(in super::super) struct Buffer<'c> {
    pub(in super::super) number: u32,
    /// None if the buffer has an address.
    pub(in super::super) block: Option<HostBlock>,
    /// In 32-bit units.
    pub(in super::super) stride: u32,
    pub(in super::super) stores: &'c [Stored],
}

/// The destination of stores.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Bound(HostBlock),
    Memory(Pointed),
}

impl Target {
    /// Emits a store to the 32-bit element `index`.
    fn store(self, code: &mut Cursor<'_, '_, '_>, index: Id, word: Id) {
        match self {
            Self::Bound(block) => {
                let pointer = block.pointer(code, index);
                code.store(pointer, word);
            }
            Self::Memory(memory) => memory.store(code, index, word),
        }
    }
}

/// Emits a function without parameters that returns the value that `body` emits.
pub(in super::super) fn function(
    p: &mut Patch<'_, '_>,
    name: &str,
    ty: Id,
    body: impl FnOnce(&mut Cursor<'_, '_, '_>) -> Id,
) -> Id {
    rewrite::define_function(p, name, (ty, &[]), |code, _| Some(body(code)))
}

/// Emits the functions that the library's capture code calls for buffers and host parameters.
pub(in super::super) struct Feedback<'c> {
    pub(in super::super) bound: &'c Bound<'c>,
    pub(in super::super) draws: &'c Draws,
    /// The storage class of the variables with the outputs: `Output` or `Private`.
    pub(in super::super) class: StorageClass,
}

impl Feedback<'_> {
    /// Returns the position of a host parameter.
    pub(super) fn number(&self, word: DrawParam) -> u32 {
        let number = self.bound.words.iter().position(|one| *one == word);
        number.expect("the host fills in all parameters that the code reads") as u32
    }

    /// Emits the load of a host parameter.
    pub(in super::super) fn word(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        open: Open<'_>,
        word: DrawParam,
    ) -> Id {
        open.load(code, self.number(word))
    }

    /// Emits the length of a buffer in 32-bit units. For a buffer with an address, this is the size from the host.
    fn length(&self, code: &mut Cursor<'_, '_, '_>, open: Open<'_>, buffer: &Buffer<'_>) -> Id {
        let bound = buffer.block.and_then(|block| block.length(code));
        bound.unwrap_or_else(|| self.in_words(code, open, DrawParam::Size(buffer.number)))
    }

    /// Emits the destination for stores to a buffer.
    fn target(&self, code: &mut Cursor<'_, '_, '_>, open: Open<'_>, buffer: &Buffer<'_>) -> Target {
        if let Some(block) = buffer.block {
            return Target::Bound(block);
        }
        let halves = [DrawParam::AddressLow(buffer.number), DrawParam::AddressHigh(buffer.number)];
        let memory = open.memory(code, halves.map(|half| self.number(half)));
        Target::Memory(memory.expect("unbound buffers have addresses"))
    }

    /// Emits the offset in a buffer, in 32-bit units, at which the draw starts to store.
    fn start(&self, code: &mut Cursor<'_, '_, '_>, open: Open<'_>, number: u32) -> Id {
        match (self.draws.by_address, self.draws.limit_in_vertices) {
            (true, _) => self.in_words(code, open, DrawParam::Counter(number)),
            (false, true) => self.in_words(code, open, DrawParam::Start(number)),
            (false, false) => {
                let uint = code.p.uint();
                let [offset, reached] = [DrawParam::Offset(number), DrawParam::Counter(number)]
                    .map(|word| self.in_words(code, open, word));
                code.binary(Op::I_ADD, uint, offset, reached)
            }
        }
    }

    /// Emits a host parameter that counts bytes, divided by 4.
    pub(super) fn in_words(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        open: Open<'_>,
        word: DrawParam,
    ) -> Id {
        let uint = code.p.uint();
        let bytes = self.word(code, open, word);
        let two = code.p.uint_constant(2);
        code.binary(Op::SHIFT_RIGHT_LOGICAL, uint, bytes, two)
    }

    /// Emits, at `at`, the call that stores this vertex to its slots.
    pub(super) fn capture<'m>(
        &self,
        p: &mut Patch<'m, '_>,
        at: Position<'m>,
        open: Open<'_>,
        vertex: Id,
        instance: Option<Id>,
    ) {
        let library = &library::CAPTURE;
        let void = p.void();
        let store = [Hook { name: "store_to_slot", function: self.store_to_slot(p) }];
        let zero = p.uint_constant(0);
        // The simplest case: one instance, and slots are numbered like vertices.
        if self.draws.limit_in_vertices && instance.is_none() && self.draws.slots_are_vertices() {
            let put = rewrite::link(p, library, &["put"], &store)[0];
            let limit = self.limit(p, at, open);
            p.at(at).call(void, put, &[zero, limit, vertex]);
            return;
        }

        // Otherwise the library finds the slots of the vertex in its instance, and the slots of the instance.
        let corners = self.corners(p, &store[0]);
        let corners = Hook { name: "corners", function: corners };
        let (of_vertex, per_instance) = self.find_vertices(p, corners);
        let within = if instance.is_some() { "of_instance" } else { "of_one_instance" };
        let within = rewrite::link(p, library, &[within], &[of_vertex])[0];
        let instance = instance.unwrap_or(zero);
        if self.draws.limit_in_vertices {
            let limit = self.limit(p, at, open);
            let mut code = p.at(at);
            let slots = match self.bound.words.contains(&DrawParam::Slots) {
                true => self.word(&mut code, open, DrawParam::Slots),
                false => limit,
            };
            code.call(void, within, &[vertex, instance, slots, limit]);
            return;
        }
        // Without a limit from the host, the shader computes how many primitives fit.
        let fit = rewrite::link(p, library, &["fit"], &[])[0];
        let fits = Hook { name: "primitives_that_fit", function: self.primitives_that_fit(p, fit) };
        let of_draw = Hook { name: "of_draw", function: within };
        let hooks = [fits, of_draw, per_instance.unwrap_or(of_draw)];
        let capture = rewrite::link(p, library, &["capture"], &hooks)[0];
        let capture = self.capture_with_adjacency(p, capture);
        let mut code = p.at(at);
        let topology = self.topology(&mut code, open);
        let count = self.word(&mut code, open, DrawParam::VertexCount);
        code.call(void, capture, &[vertex, instance, topology, count]);
    }

    /// Links the function that finds the slots of a vertex in an instance, for the allowed topologies.
    fn corners(&self, p: &mut Patch<'_, '_>, store: &Hook<'static>) -> Id {
        let draws = self.draws;
        // Only `Both` keeps the outputs in the `Output` storage class, and it draws only lists and strips.
        let drawn = self.class == StorageClass::OUTPUT;
        let name = match draws.captured_topology() {
            Some(Topology::LineStrip) => "of_line_strip",
            Some(Topology::LineLoop) => "of_line_loop",
            Some(Topology::TriangleStrip) => "of_triangle_strip",
            Some(Topology::TriangleFan) => "of_triangle_fan",
            _ if draws.all(Topology::is_list) => "of_list",
            _ if drawn || draws.all(Topology::is_list_or_strip) => "of_list_or_strip",
            _ => "of_any",
        };
        let mut hooks = vec![*store];
        if draws.captured_topology().is_none() && !draws.all(Topology::is_list) {
            hooks.push(self.topology_hook(p));
        }
        if self.bound.words.contains(&DrawParam::Flags) {
            hooks.push(Hook { name: "provoking_last", function: self.provoking_last(p) });
        }
        rewrite::link(p, &library::CAPTURE, &[name], &hooks)[0]
    }

    /// Emits, at `at`, the number of slots to store: the host's limit, or less if a bound buffer is too small for it.
    fn limit<'m>(&self, p: &mut Patch<'m, '_>, at: Position<'m>, open: Open<'_>) -> Id {
        let mut code = p.at(at);
        let uint = code.p.uint();
        let mut limit = self.word(&mut code, open, DrawParam::Limit);
        for buffer in &self.bound.buffers {
            let length = self.length(&mut code, open, buffer);
            let start = self.start(&mut code, open, buffer.number);
            let lead = code.glsl(GlslOp::U_MIN, uint, &[length, start]);
            let there = code.binary(Op::I_SUB, uint, length, lead);
            let stride = code.p.uint_constant(buffer.stride);
            let slots = code.binary(Op::U_DIV, uint, there, stride);
            let slots = self.unless_unbound(&mut code, open, buffer.number, slots);
            limit = code.glsl(GlslOp::U_MIN, uint, &[limit, slots]);
        }
        limit
    }

    pub(in super::super) fn topology(&self, code: &mut Cursor<'_, '_, '_>, open: Open<'_>) -> Id {
        match self.draws.topology() {
            Some(one) => code.p.uint_constant(one as u32),
            None => self.word(code, open, DrawParam::Topology),
        }
    }

    /// Emits `bool provoking_last()`.
    pub(in super::super) fn provoking_last(&self, p: &mut Patch<'_, '_>) -> Id {
        let bool = p.bool();
        function(p, "provoking_last", bool, |code| {
            let uint = code.p.uint();
            let open = self.bound.added.open(code);
            let flags = self.word(code, open, DrawParam::Flags);
            let [zero, one] = [0, 1].map(|number| code.p.uint_constant(number));
            let bit = code.binary(Op::BITWISE_AND, uint, flags, one);
            code.binary(Op::I_NOT_EQUAL, bool, bit, zero)
        })
    }

    /// Emits `uint primitives_that_fit(uint vertices)`: the minimum over all buffers. `vertices` is the number per
    /// primitive.
    pub(in super::super) fn primitives_that_fit(&self, p: &mut Patch<'_, '_>, fit: Id) -> Id {
        let uint = p.uint();
        rewrite::define_function(p, "primitives_that_fit", (uint, &[uint]), |code, parameters| {
            self.fewest_that_fit(code, fit, parameters[0])
        })
    }

    /// Emits the minimum of the numbers of primitives with `vertices` vertices that fit into the buffers.
    fn fewest_that_fit(&self, code: &mut Cursor<'_, '_, '_>, fit: Id, vertices: Id) -> Option<Id> {
        let uint = code.p.uint();
        let open = self.bound.added.open(code);
        let mut least: Option<Id> = None;
        for buffer in &self.bound.buffers {
            let stride = code.p.uint_constant(buffer.stride);
            let length = self.length(code, open, buffer);
            let number = buffer.number;
            // A range with an address has offset 0, and the size is the length from the host.
            let (offset, size) = match self.draws.by_address {
                true => (code.p.uint_constant(0), length),
                false => (
                    self.in_words(code, open, DrawParam::Offset(number)),
                    self.in_words(code, open, DrawParam::Size(number)),
                ),
            };
            let reached = self.in_words(code, open, DrawParam::Counter(number));
            let fits = code.call(uint, fit, &[vertices, stride, length, offset, size, reached]);
            let fits = self.unless_unbound(code, open, number, fits);
            least = Some(match least {
                None => fits,
                Some(least) => {
                    let bool = code.p.bool();
                    let less = code.binary(Op::U_LESS_THAN, bool, fits, least);
                    code.select(uint, less, fits, least)
                }
            });
        }
        least
    }

    /// Emits the test that a buffer is bound.
    fn is_bound(&self, code: &mut Cursor<'_, '_, '_>, open: Open<'_>, number: u32) -> Id {
        let (uint, bool) = (code.p.uint(), code.p.bool());
        let flags = self.word(code, open, DrawParam::Flags);
        let mask = code.p.uint_constant(DrawParam::unbound_bit(number));
        let bit = code.binary(Op::BITWISE_AND, uint, flags, mask);
        let zero = code.p.uint_constant(0);
        code.binary(Op::I_EQUAL, bool, bit, zero)
    }

    /// Emits `room`, or `u32::MAX` if the buffer is unbound.
    fn unless_unbound(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        open: Open<'_>,
        number: u32,
        room: Id,
    ) -> Id {
        if !self.draws.unbound {
            return room;
        }
        let is_bound = self.is_bound(code, open, number);
        let (uint, most) = (code.p.uint(), code.p.uint_constant(u32::MAX));
        code.select(uint, is_bound, room, most)
    }

    /// Emits `void store_to_slot(uint slot)`.
    pub(in super::super) fn store_to_slot(&self, p: &mut Patch<'_, '_>) -> Id {
        if !self.draws.unbound {
            return self.store_to(p, "store_to_slot", &self.bound.buffers);
        }
        let stores: Vec<Id> =
            self.bound.buffers.iter().map(|buffer| self.store_where_bound(p, buffer)).collect();
        let (uint, void) = (p.uint(), p.void());
        rewrite::define_function(p, "store_to_slot", (void, &[uint]), |code, slot| {
            for store in stores {
                code.call(void, store, slot);
            }
            None
        })
    }

    /// Links a function that stores to a slot of a buffer if the buffer is bound.
    fn store_where_bound(&self, p: &mut Patch<'_, '_>, buffer: &Buffer<'_>) -> Id {
        let bool = p.bool();
        let is_bound = function(p, "is_bound", bool, |code| {
            let open = self.bound.added.open(code);
            self.is_bound(code, open, buffer.number)
        });
        let store = self.store_to(p, "store_to_buffer", std::slice::from_ref(buffer));
        let hooks = [
            Hook { name: "is_bound", function: is_bound },
            Hook { name: "store_to_buffer", function: store },
        ];
        rewrite::link(p, &library::CAPTURE, &["store_where_bound"], &hooks)[0]
    }

    /// Emits a function that stores to a slot of `buffers`.
    fn store_to(&self, p: &mut Patch<'_, '_>, name: &str, buffers: &[Buffer<'_>]) -> Id {
        let (uint, void) = (p.uint(), p.void());
        rewrite::define_function(p, name, (void, &[uint]), |code, parameters| {
            let open = self.bound.added.open(code);
            for buffer in buffers {
                let target = self.target(code, open, buffer);
                let start = self.start(code, open, buffer.number);
                let stride = code.p.uint_constant(buffer.stride);
                let vertex = code.binary(Op::I_MUL, uint, parameters[0], stride);
                let vertex = code.binary(Op::I_ADD, uint, start, vertex);
                for stored in buffer.stores {
                    self.store(code, target, vertex, stored);
                }
            }
            None
        })
    }

    /// Emits stores of the components of a vector or scalar as 32-bit integers, which preserves their bits.
    ///
    /// ```text
    /// %pointer = OpAccessChain %_ptr_Private_v4float %output …
    /// %value   = OpLoad %v4float %pointer
    /// %bits    = OpBitcast %v4uint %value
    /// %x       = OpCompositeExtract %uint %bits 0
    /// %word    = OpIAdd %uint %vertex %place
    /// %there   = OpAccessChain %_ptr_StorageBuffer_uint %buffer %uint_0 %word
    ///            OpStore %there %x
    /// ```
    pub(super) fn store(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        target: Target,
        vertex: Id,
        stored: &Stored,
    ) {
        let uint = code.p.uint();
        for (place, bits) in (stored.word..).zip(words_of(code, &stored.piece, self.class)) {
            let word = match place {
                0 => vertex,
                _ => {
                    let offset = code.p.uint_constant(place);
                    code.binary(Op::I_ADD, uint, vertex, offset)
                }
            };
            target.store(code, word, bits);
        }
    }
}
