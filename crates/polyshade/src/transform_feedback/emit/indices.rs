//! Draws with indices: what the shader knows of its vertex comes from the index that stands at its position.
//!
//! The host draws as many vertices as there are indices, from `firstIndex` on, so that the device's vertex index is
//! the number of an index in the index buffer. The built-ins that depend on how the draw is made become `Private`
//! variables, and are filled before the shader begins.

use super::feedback::Feedback;
use crate::library;
use crate::moves::{self, Open};
use crate::source::{self, Source, Span};
use crate::transform_feedback::known::HostWord;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, Error, GlslOp, Id, Module, Op, Patch, Position, StorageClass,
};

/// The built-ins that a draw over indices would have otherwise, and the word that says what they are; of the vertex
/// index, the index goes on top.
const BUILT_INS: [(BuiltIn, HostWord); 3] = [
    (BuiltIn::VERTEX_INDEX, HostWord::VertexOffset),
    (BuiltIn::BASE_VERTEX, HostWord::VertexOffset),
    (BuiltIn::DRAW_INDEX, HostWord::DrawIndex),
];

/// An input of the shader that is one of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub(super) variable: Id,
    ty: Id,
    builtin: BuiltIn,
    word: HostWord,
}

/// Whether the shader reads the number of the draw; an error where it cannot be drawn over indices.
pub(in super::super) fn asks_draw_index(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
) -> Result<bool, Error> {
    let inputs = inputs(m, entry)?;
    Ok(inputs.iter().any(|input| input.builtin == BuiltIn::DRAW_INDEX))
}

/// The inputs that are to be taken over.
pub(super) fn inputs(m: &Module<'_>, entry: EntryPoint<'_>) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for variable in moves::interface(m, entry, StorageClass::INPUT) {
        let Some(builtin) = m.builtin(variable) else {
            let ty = m.innermost_element(m.pointee(variable).unwrap_or(variable));
            let has_builtin = |member| m.member_builtin(ty, member).is_some();
            let message = if (0..m.members(ty).len() as u32).any(has_builtin) {
                "a block of built-in inputs, where draws have indices"
            } else {
                "a vertex attribute where draws have indices, by which the shader must fetch it (vertex_pulling)"
            };
            return Err(Error::unsupported(message, variable));
        };
        let of = BUILT_INS.into_iter().find(|(one, _)| *one == builtin);
        if let (Some((builtin, word)), Some(ty)) = (of, m.pointee(variable)) {
            inputs.push(Input { variable, ty, builtin, word });
        }
    }
    Ok(inputs)
}

/// Emits, at `at`, what fills the inputs, and returns the position of the vertex among the draw's indices, a `uint`.
pub(super) fn fill<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    inputs: &[Input],
    feedback: &Feedback<'_>,
    at: Position<'m>,
) -> Id {
    let indexed = feedback.draws.indexed.expect("draws have indices");
    let source = feedback.bound.indices.expect("where the indices are is known");
    let word_at = source::word_at(p, source);
    let names = ["end_of", "index_at", "index_of_vertex"];
    let names = &names[..if indexed.restart { 3 } else { 2 }];
    let hook = moves::Hook { name: "word_at", function: word_at };
    let functions = moves::link(p, &library::FETCH, names, &[hook]);

    let uint = p.uint();
    let number = moves::add_input_builtin(p, entry, BuiltIn::VERTEX_INDEX, uint);
    p.name(number, "polyshade_index_number");
    let open = feedback.bound.added.open(&mut p.at(at));
    let mut code = p.at(at);
    let number = code.load(uint, number);
    let first = feedback.word(&mut code, open, HostWord::FirstVertex);
    let position = code.binary(Op::I_SUB, uint, number, first);

    let Span { memory, start, length } = span(&mut code, feedback, open, source);
    let size = feedback.word(&mut code, open, HostWord::IndexSize);
    let end = code.call(uint, functions[0], &[start, size, length]);
    let ty = match indexed.index_type {
        Some(known) => code.p.uint_constant(known as u32),
        None => {
            // The word may be anything, and a shift by as much as it has bits nothing.
            let [said, widest] =
                [feedback.word(&mut code, open, HostWord::IndexType), code.p.uint_constant(2)];
            code.glsl(GlslOp::U_MIN, uint, &[said, widest])
        }
    };
    let mut index = code.call(uint, functions[1], &[memory, number, ty, start, end]);
    if indexed.restart {
        index = code.call(uint, functions[2], &[index, ty]);
    }
    for input in inputs {
        let mut value = feedback.word(&mut code, open, input.word);
        if input.builtin == BuiltIn::VERTEX_INDEX {
            value = code.binary(Op::I_ADD, uint, value, index);
        }
        if input.ty != uint {
            value = code.bitcast(input.ty, value);
        }
        code.store(input.variable, value);
    }
    position
}

/// Emits where the index buffer is.
fn span(
    code: &mut Cursor<'_, '_, '_>,
    feedback: &Feedback<'_>,
    open: Open<'_>,
    source: Source,
) -> Span {
    match source {
        Source::Bound(block) => {
            let start = feedback.word(code, open, HostWord::IndexOffset);
            Span::bound(code, block, start)
        }
        Source::Memory(_) => {
            let halves = [HostWord::IndexAddressLow, HostWord::IndexAddressHigh];
            let halves = halves.map(|half| feedback.word(code, open, half));
            Span::memory(code, halves)
        }
    }
}
