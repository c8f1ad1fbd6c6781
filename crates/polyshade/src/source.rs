//! Buffers whose words shaders read: bound, or found by their addresses.

use crate::rewrite::{HostBlock, Memory};
use polyshade_spv::{Cursor, Id, Op, Patch};

/// What has words.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    Bound(HostBlock),
    Memory(Memory),
}

/// Where a buffer begins, as `library/fetch.glsl` has it.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// Its address, without the lower 2 bits; nothing where it is bound.
    pub(crate) memory: Id,
    /// The bytes before it, in what is bound or from `memory` on.
    pub(crate) start: Id,
    /// How many bytes are there at most, from the start of what is bound or from `memory` on.
    pub(crate) length: Id,
}

impl Span {
    /// Emits that of a buffer `start` bytes behind the start of what is bound.
    pub(crate) fn bound(code: &mut Cursor<'_, '_, '_>, block: HostBlock, start: Id) -> Self {
        let uint = code.p.uint();
        let uvec2 = code.p.vector(uint, 2);
        let memory = code.p.null(uvec2);
        let words = block.length(code).expect("a buffer that is read is a storage buffer");
        let two = code.p.uint_constant(2);
        let length = code.binary(Op::SHIFT_LEFT_LOGICAL, uint, words, two);
        Self { memory, start, length }
    }

    /// Emits that of a buffer at an address, of which the lower half comes first. Words lie at multiples of 4, and a
    /// buffer begins anywhere.
    pub(crate) fn memory(code: &mut Cursor<'_, '_, '_>, [low, high]: [Id; 2]) -> Self {
        let uint = code.p.uint();
        let uvec2 = code.p.vector(uint, 2);
        let [within, above] = [3, !3].map(|mask| code.p.uint_constant(mask));
        let start = code.binary(Op::BITWISE_AND, uint, low, within);
        let low = code.binary(Op::BITWISE_AND, uint, low, above);
        let memory = code.construct(uvec2, &[low, high]);
        Self { memory, start, length: code.p.uint_constant(!3) }
    }
}

/// Emits `uint word_at(uvec2 memory, uint index)`.
pub(crate) fn word_at(p: &mut Patch<'_, '_>, source: Source) -> Id {
    let (id, at, uint) = (p.id(), p.slot(), p.uint());
    let uvec2 = p.vector(uint, 2);
    p.name(id, "word_at");
    let mut code = p.at(at);
    let parameters = code.begin_function(id, uint, &[uvec2, uint]);
    let word = match source {
        Source::Bound(block) => {
            let pointer = block.pointer(&mut code, parameters[1]);
            code.load(uint, pointer)
        }
        Source::Memory(memory) => {
            memory.at(&mut code, parameters[0]).load(&mut code, parameters[1])
        }
    };
    code.end_function(Some(word));
    id
}
