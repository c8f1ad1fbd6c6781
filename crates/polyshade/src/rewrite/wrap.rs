//! Wraps the body of an entry point in a new function, so that code can run before the body and after every return.

use polyshade_spv::view::{EntryPoint, ExtInstImport};
use polyshade_spv::{Id, Module, Op, Patch, Position, Section};

/// An entry point with a new function that calls its original body.
#[derive(Clone, Copy, Debug)]
pub struct Wrapper<'m> {
    /// The position for code that runs before the body.
    pub prologue: Position<'m>,
    /// The position for code that runs after the body, wherever the body returned. Nothing runs after a `discard`.
    pub epilogue: Position<'m>,
}

/// Makes the body of `entry` an ordinary function with a new id. A new function keeps the entry point's id and calls
/// the body, so that the entry point, its execution modes and its names stay.
///
/// The function must not be shared with other entry points: isolate the entry point first.
///
/// ```text
/// %body = OpFunction %void None %fn        ; was %main
///         …
/// %main = OpFunction %void None %fn
///         OpLabel
///         ; prologue
///         OpFunctionCall %void %body
///         ; epilogue
///         OpReturn
///         OpFunctionEnd
/// ```
pub fn wrap<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Wrapper<'m> {
    let (body, void, prologue) = begin(m, p, entry);
    let (call, epilogue) = (p.slot(), p.slot());
    let tail = p.slot();
    p.at(call).call(void, body, &[]);
    p.at(tail).end_function(None);
    Wrapper { prologue, epilogue }
}

/// Does the same as [`wrap`] without calling the body: only code at the returned position runs. The original body is
/// dead, and [`dce`](crate::rewrite::dce) removes it.
pub(crate) fn replace_body<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
) -> Position<'m> {
    let (_, _, code) = begin(m, p, entry);
    let tail = p.slot();
    p.at(tail).end_function(None);
    code
}

/// Gives the body of `entry` a new id, and begins the function that replaces the body. Returns the id of the body,
/// its return type, and the position of the new function's code.
fn begin<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
) -> (Id, Id, Position<'m>) {
    let main = entry.function();
    let function =
        m.function(main).expect("the scan checks that an entry point has a function").function();
    let body = p.id();
    let label = p.id();
    let (head, prologue) = (p.slot(), p.slot());

    p.set_result(function.inst(), body);
    p.name(body, &format!("{}_body", entry.name()));
    if has_debug_functions(m) {
        move_debug_definition(m, p, main, body);
    }

    let void = function.return_type();
    let words = [void.word(), main.word(), 0, function.function_type().word()];
    p.insert(head, Op::FUNCTION, &words);
    p.insert(head, Op::LABEL, &[label.word()]);
    (body, void, prologue)
}

fn has_debug_functions(m: &Module<'_>) -> bool {
    let imports = m.section(Section::Imports).filter_map(ExtInstImport::of);
    imports.into_iter().any(|import| import.name().starts_with("NonSemantic.Shader.DebugInfo"))
}

/// Moves the debug definition of `main` to the original body, since debuggers use it to find the code of a function.
fn move_debug_definition<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, main: Id, body: Id) {
    let instructions = m.function(main).into_iter().flat_map(|function| function.instructions());
    for inst in instructions.filter(|inst| inst.op() == Op::EXT_INST) {
        p.replace_extended(inst, main, body);
    }
}
