//! Buffers that shaders read 32-bit words from, either bound or at an address.

use crate::rewrite::{HostBlock, Memory};
use polyshade_spv::{Cursor, Id, Op, Patch};

/// A buffer that the shader reads words from.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    Bound(HostBlock),
    Memory(Memory),
}

/// The range of a buffer, as `library/fetch.glsl` represents it.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// The address with the lower 2 bits cleared; a null value if the buffer is bound.
    pub(crate) memory: Id,
    /// The offset of the buffer in bytes, from the start of the binding or from `memory`.
    pub(crate) start: Id,
    /// The maximum end of the buffer in bytes, from the start of the binding or from `memory`.
    pub(crate) length: Id,
}

impl Span {
    /// Emits the span of a buffer that begins `start` bytes after the start of the binding.
    pub(crate) fn bound(code: &mut Cursor<'_, '_, '_>, block: HostBlock, start: Id) -> Self {
        let uint = code.p.uint();
        let uvec2 = code.p.vector(uint, 2);
        let memory = code.p.null(uvec2);
        let words = block.length(code).expect("a buffer that is read is a storage buffer");
        let two = code.p.uint_constant(2);
        let length = code.binary(Op::SHIFT_LEFT_LOGICAL, uint, words, two);
        Self { memory, start, length }
    }

    /// Emits the span of a buffer at an address, given lower half first. Words are read at multiples of 4, but a
    /// buffer may begin at any byte.
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
