//! The points at which a stage exports its outputs: the end of the shader, or each emitted vertex of a geometry
//! stage.

use super::wrap;
use crate::code::{self, refuse};
use polyshade_spv::view::{EmitStreamVertex, EndStreamPrimitive, EntryPoint};
use polyshade_spv::{Error, ExecutionModel, Id, Inst, Module, Op, Patch, Position};

/// The points at which a stage exports its outputs.
#[derive(Clone, Debug)]
pub enum ExportPoints<'m> {
    /// The end of the shader.
    End(Position<'m>),
    /// The emit instructions of a geometry stage, each with its vertex stream if that is an `OpConstant`.
    Emits(Vec<(Inst<'m>, Option<u32>)>),
}

/// Returns the export points of `entry`, a vertex, tessellation evaluation or geometry stage. Stages other than
/// geometry are [wrapped](wrap()).
///
/// The functions of the entry point must not be shared with other entry points: isolate the entry point first.
///
/// # Errors
///
/// `Unsupported`: any other stage.
pub fn export_points<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
) -> Result<ExportPoints<'m>, Error> {
    match entry.model() {
        ExecutionModel::VERTEX | ExecutionModel::TESSELLATION_EVALUATION => {
            Ok(ExportPoints::End(wrap(m, p, entry).epilogue))
        }
        ExecutionModel::GEOMETRY => Ok(ExportPoints::Emits(emits(m, entry))),
        other => {
            let message = format!("a {other} stage does not export vertices to the rasterizer");
            refuse(&code::ENTRY_POINT_UNSUPPORTED_STAGE, message, entry.function())
        }
    }
}

impl<'m> ExportPoints<'m> {
    /// Returns the export points of `entry`, a stage of any kind. It is already wrapped, and its outputs are complete
    /// at `end`.
    pub fn of_wrapped(m: &'m Module<'_>, entry: EntryPoint<'m>, end: Position<'m>) -> Self {
        match entry.model() {
            ExecutionModel::GEOMETRY => Self::Emits(emits(m, entry)),
            _ => Self::End(end),
        }
    }

    /// Returns a position for code that runs whenever outputs are exported to `stream`, or to any vertex stream if
    /// `stream` is `None`. In a geometry stage, the position is in a new function that is called before each emit:
    ///
    /// ```text
    /// %polyshade_hand_on = OpFunction %void None %fn
    ///                      OpLabel
    ///                      ; the code
    ///                      OpReturn
    ///                      OpFunctionEnd
    ///                      …
    ///                      OpFunctionCall %void %polyshade_hand_on
    ///                      OpEmitVertex
    /// ```
    pub fn at_exports(&self, p: &mut Patch<'m, '_>, stream: Option<u32>) -> Position<'m> {
        match self {
            Self::End(end) => *end,
            Self::Emits(emits) => {
                let (function, code) = function(p, "polyshade_hand_on");
                for emit in of_stream(emits, stream) {
                    call(p, emit.before(), function);
                }
                code
            }
        }
    }

    /// Returns the position of [`at_exports`](Self::at_exports), and a position for code that runs after each emit.
    /// The second position does not exist for exports at the end of the shader.
    pub fn around_exports(
        &self,
        p: &mut Patch<'m, '_>,
        stream: Option<u32>,
    ) -> (Position<'m>, Option<Position<'m>>) {
        match self {
            Self::End(end) => (*end, None),
            Self::Emits(emits) => {
                let (before, code) = function(p, "polyshade_hand_on");
                let (after, back) = function(p, "polyshade_take_back");
                for emit in of_stream(emits, stream) {
                    call(p, emit.before(), before);
                    call(p, emit.after(), after);
                }
                (code, Some(back))
            }
        }
    }
}

/// Emits a function `void name()`. Returns its id and the position of its body.
fn function<'m>(p: &mut Patch<'m, '_>, name: &str) -> (Id, Position<'m>) {
    let (body, end, function, void) = (p.slot(), p.slot(), p.id(), p.void());
    p.name(function, name);
    p.at(body).begin_function(function, void, &[]);
    p.at(end).end_function(None);
    (function, body)
}

fn call<'m>(p: &mut Patch<'m, '_>, at: Position<'m>, function: Id) {
    let void = p.void();
    p.at(at).call(void, function, &[]);
}

/// Returns the emits that may go to `stream`.
fn of_stream<'s, 'm>(
    emits: &'s [(Inst<'m>, Option<u32>)],
    stream: Option<u32>,
) -> impl Iterator<Item = Inst<'m>> + use<'s, 'm> {
    let is_wanted =
        move |other: Option<u32>| stream.is_none() || other.is_none() || other == stream;
    emits.iter().filter(move |(_, other)| is_wanted(*other)).map(|(emit, _)| *emit)
}

fn emits<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Vec<(Inst<'m>, Option<u32>)> {
    let emits = emits_and_cuts(m, entry).filter(|inst| is_emit(*inst));
    emits.map(|inst| (inst, vertex_stream(m, inst))).collect()
}

/// Returns the instructions of a geometry stage that emit a vertex or end a strip.
pub(crate) fn emits_and_cuts<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
) -> impl Iterator<Item = Inst<'m>> {
    let functions = m.reachable(entry.function()).into_iter().filter_map(|id| m.function(id));
    let instructions = functions.flat_map(|function| function.instructions());
    instructions.filter(|inst| is_emit(*inst) || is_cut(*inst))
}

/// Whether an instruction emits a vertex.
pub(crate) fn is_emit(inst: Inst<'_>) -> bool {
    matches!(inst.op(), Op::EMIT_VERTEX | Op::EMIT_STREAM_VERTEX)
}

/// Whether an instruction ends a strip.
pub(crate) fn is_cut(inst: Inst<'_>) -> bool {
    matches!(inst.op(), Op::END_PRIMITIVE | Op::END_STREAM_PRIMITIVE)
}

/// Returns the vertex stream of an instruction that emits a vertex or ends a strip; `None` if that is not an
/// `OpConstant`.
pub(crate) fn vertex_stream(m: &Module<'_>, inst: Inst<'_>) -> Option<u32> {
    let stream = EmitStreamVertex::of(inst).map(EmitStreamVertex::stream);
    let stream = stream.or_else(|| EndStreamPrimitive::of(inst).map(EndStreamPrimitive::stream));
    stream.map_or(Some(0), |stream| m.constant(stream))
}
