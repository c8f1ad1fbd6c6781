//! Replaces the built-in inputs whose values differ in a capture pass. For a draw with indices, the capture pass draws
//! one point per index, starting at `firstIndex`, so the device's `VertexIndex` is a position in the index buffer. A
//! compute stage has none of these inputs. The draws of a multi-draw are recorded one by one with different host
//! parameters, so the device's `DrawIndex` is 0. These inputs move to the `Private` storage class and are filled
//! before the shader's code runs.

use super::compute::{self, Numbers};
use super::feedback::Feedback;
use crate::code::{self, refuse};
use crate::library;
use crate::rewrite::{self, Open};
use crate::source::{self, Source, Span};
use crate::transform_feedback::draw_constraints::{DrawParam, Draws, Indexed};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, Decoration, Error, GlslOp, Id, Module, Op, Patch, Position, StorageClass,
};

/// The built-ins that differ in a capture pass for draws with indices, including OpenGL's.
const OVER_INDICES: [BuiltIn; 4] =
    [BuiltIn::VERTEX_INDEX, BuiltIn::VERTEX_ID, BuiltIn::BASE_VERTEX, BuiltIn::DRAW_INDEX];

/// Further built-ins that a compute stage lacks. OpenGL's `InstanceId` counts from 0.
const OF_INSTANCES: [BuiltIn; 3] =
    [BuiltIn::INSTANCE_INDEX, BuiltIn::INSTANCE_ID, BuiltIn::BASE_INSTANCE];

/// The built-ins that compute stages also have.
pub(in super::super) const OF_ALL_STAGES: [BuiltIn; 8] = [
    BuiltIn::DEVICE_INDEX,
    BuiltIn::SUBGROUP_SIZE,
    BuiltIn::SUBGROUP_LOCAL_INVOCATION_ID,
    BuiltIn::SUBGROUP_EQ_MASK,
    BuiltIn::SUBGROUP_GE_MASK,
    BuiltIn::SUBGROUP_GT_MASK,
    BuiltIn::SUBGROUP_LE_MASK,
    BuiltIn::SUBGROUP_LT_MASK,
];

/// A built-in input of the shader that is replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub(super) variable: Id,
    ty: Id,
    builtin: BuiltIn,
}

/// Emits the store of a 32-bit value to a built-in of this integer type.
pub(in super::super) fn fill_builtin(
    code: &mut Cursor<'_, '_, '_>,
    (variable, ty): (Id, Id),
    value: Id,
) {
    let value = if ty == code.p.uint() { value } else { code.bitcast(ty, value) };
    code.store(variable, value);
}

impl Input {
    /// Emits a store of a 32-bit value.
    fn fill(&self, code: &mut Cursor<'_, '_, '_>, value: Id) {
        fill_builtin(code, (self.variable, self.ty), value);
    }
}

/// Whether the shader reads `DrawIndex`. Fails if an input makes the capture impossible.
pub(in super::super) fn asks_draw_index(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    draws: &Draws,
) -> Result<bool, Error> {
    let inputs = inputs(m, entry, draws)?;
    Ok(inputs.iter().any(|input| input.builtin == BuiltIn::DRAW_INDEX))
}

/// Returns the inputs to replace. Fails if the shader has another input that the capture pass lacks.
pub(super) fn inputs(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    draws: &Draws,
) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    let is_drawn = draws.indexed.is_none() && !draws.compute;
    for variable in rewrite::interface(m, entry, StorageClass::INPUT) {
        let Some(builtin) = m.builtin(variable) else {
            let location = m.decoration(variable, Decoration::LOCATION).and_then(<[u32]>::first);
            let is_constant = location.is_some_and(|at| draws.constant_attributes.contains(at));
            if is_drawn || is_constant && !draws.compute {
                continue;
            }
            if is_constant {
                let message = "cannot capture in a compute stage: it has no vertex attributes, not even constant \
                    attributes";
                return refuse(&code::CAPTURE_COMPUTE_ATTRIBUTE, message, variable);
            }
            return Err(of_no_builtin(m, variable, draws));
        };
        let is_filled = match is_drawn {
            true => builtin == BuiltIn::DRAW_INDEX,
            false => {
                OVER_INDICES.contains(&builtin) || draws.compute && OF_INSTANCES.contains(&builtin)
            }
        };
        match m.pointee(variable) {
            Some(ty) if is_filled => inputs.push(Input { variable, ty, builtin }),
            _ if draws.compute && !OF_ALL_STAGES.contains(&builtin) => {
                let message = "cannot capture in a compute stage: it lacks a built-in input that the shader reads";
                return refuse(&code::CAPTURE_COMPUTE_BUILT_IN, message, variable);
            }
            _ => {}
        }
    }
    Ok(inputs)
}

/// Returns the error for an input that is not a built-in.
fn of_no_builtin(m: &Module<'_>, variable: Id, draws: &Draws) -> Error {
    let ty = m.innermost_element(m.pointee(variable).unwrap_or(variable));
    let has_builtin = |member| m.member_builtin(ty, member).is_some();
    let is_block = (0..m.members(ty).len() as u32).any(has_builtin);
    let message = match (is_block, draws.compute) {
        (true, true) => {
            "cannot capture in a compute stage: the shader has a block of built-in inputs"
        }
        (true, false) => {
            "cannot capture draws with indices: the shader has a block of built-in inputs"
        }
        (false, true) => {
            "cannot capture in a compute stage: the shader must fetch its vertex attribute (vertex_pulling)"
        }
        (false, false) => {
            "cannot capture draws with indices: the shader must fetch its vertex attribute (vertex_pulling)"
        }
    };
    Error::new(&code::CAPTURE_NEEDS_VERTEX_PULLING, message).about(variable)
}

/// Emits, at `at`, stores of the draw's number to `inputs`, all `DrawIndex`. Such variants draw the original vertices
/// and instances.
pub(super) fn fill_drawn<'m>(
    p: &mut Patch<'m, '_>,
    inputs: &[Input],
    feedback: &Feedback<'_>,
    at: Position<'m>,
) {
    for input in inputs {
        let open = feedback.bound.added.open(&mut p.at(at));
        let mut code = p.at(at);
        let number = feedback.word(&mut code, open, DrawParam::DrawIndex);
        input.fill(&mut code, number);
    }
}

/// Emits, at `at`, stores to `inputs`. In a compute stage, invocations without a vertex return before the stores.
pub(super) fn fill<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    inputs: &[Input],
    feedback: &Feedback<'_>,
    at: Position<'m>,
) -> Numbers {
    let draws = feedback.draws;
    let fetch = draws.indexed.map(|indexed| Fetch::link(p, feedback, indexed));
    // The number of the vertex, including `firstVertex`; for a draw with indices, its position in the index buffer.
    let uint = p.uint();
    let (open, number, numbers) = match draws.compute {
        true => {
            let numbers = compute::begin(p, entry, feedback, at);
            let open = feedback.bound.added.open(&mut p.at(at));
            let mut code = p.at(at);
            let first = feedback.word(&mut code, open, DrawParam::FirstVertex);
            (open, code.binary(Op::I_ADD, uint, numbers.vertex, first), numbers)
        }
        false => {
            let number = rewrite::add_input_builtin(p, entry, BuiltIn::VERTEX_INDEX, uint);
            p.name(number, "polyshade_index_number");
            let open = feedback.bound.added.open(&mut p.at(at));
            let mut code = p.at(at);
            let number = code.load(uint, number);
            let first = feedback.word(&mut code, open, DrawParam::FirstVertex);
            let vertex = code.binary(Op::I_SUB, uint, number, first);
            (open, number, Numbers { vertex, instance: None })
        }
    };
    let mut code = p.at(at);
    let index = fetch.map(|fetch| fetch.index(&mut code, feedback, open, number));
    // `VertexIndex` is that number, or for a draw with indices the fetched index plus `vertexOffset`.
    for input in inputs {
        let mut word = |word| feedback.word(&mut code, open, word);
        let (mut value, from_there) = match (input.builtin, index) {
            (BuiltIn::VERTEX_INDEX | BuiltIn::VERTEX_ID, None) => (number, None),
            (BuiltIn::VERTEX_INDEX | BuiltIn::VERTEX_ID, Some(_)) => {
                (word(DrawParam::VertexOffset), index)
            }
            (BuiltIn::BASE_VERTEX, Some(_)) => (word(DrawParam::VertexOffset), None),
            (BuiltIn::BASE_VERTEX, None) => (word(DrawParam::FirstVertex), None),
            (BuiltIn::DRAW_INDEX, _) => (word(DrawParam::DrawIndex), None),
            (BuiltIn::INSTANCE_ID, _) => {
                (numbers.instance.unwrap_or_else(|| code.p.uint_constant(0)), None)
            }
            (BuiltIn::INSTANCE_INDEX, _) => (word(DrawParam::FirstInstance), numbers.instance),
            _ => (word(DrawParam::FirstInstance), None),
        };
        if let Some(number) = from_there {
            value = code.binary(Op::I_ADD, uint, value, number);
        }
        input.fill(&mut code, value);
    }
    numbers
}

/// The functions that fetch indices.
struct Fetch {
    indexed: Indexed,
    source: Source,
    functions: Vec<Id>,
}

impl Fetch {
    fn link(p: &mut Patch<'_, '_>, feedback: &Feedback<'_>, indexed: Indexed) -> Self {
        let source = feedback.bound.indices.expect("draws with indices have an index source");
        let word_at = source::word_at(p, source);
        let names = ["end_of", "index_at", "index_of_vertex"];
        let names = &names[..if indexed.restart { 3 } else { 2 }];
        let hook = rewrite::Hook { name: "word_at", function: word_at };
        let functions = rewrite::link(p, &library::FETCH, names, &[hook]);
        Self { indexed, source, functions }
    }

    /// Emits the index at position `number` in the index buffer.
    fn index(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        feedback: &Feedback<'_>,
        open: Open<'_>,
        number: Id,
    ) -> Id {
        let uint = code.p.uint();
        let Span { memory, start, length } = span(code, feedback, open, self.source);
        let size = feedback.word(code, open, DrawParam::IndexSize);
        let end = code.call(uint, self.functions[0], &[start, size, length]);
        let ty = match self.indexed.index_type {
            Some(known) => code.p.uint_constant(known as u32),
            None => {
                // The parameter can have any value, and the result of a shift by 32 bits or more is undefined.
                let [given, widest] =
                    [feedback.word(code, open, DrawParam::IndexType), code.p.uint_constant(2)];
                code.glsl(GlslOp::U_MIN, uint, &[given, widest])
            }
        };
        let index = code.call(uint, self.functions[1], &[memory, number, ty, start, end]);
        match self.indexed.restart {
            true => code.call(uint, self.functions[2], &[index, ty]),
            false => index,
        }
    }
}

/// Emits the location of the index buffer.
fn span(
    code: &mut Cursor<'_, '_, '_>,
    feedback: &Feedback<'_>,
    open: Open<'_>,
    source: Source,
) -> Span {
    match source {
        Source::Bound(block) => {
            let start = feedback.word(code, open, DrawParam::IndexOffset);
            Span::bound(code, block, start)
        }
        Source::Memory(_) => {
            let halves = [DrawParam::IndexAddressLow, DrawParam::IndexAddressHigh];
            let halves = halves.map(|half| feedback.word(code, open, half));
            Span::memory(code, halves)
        }
    }
}
