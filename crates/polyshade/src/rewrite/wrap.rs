//! Code that must run on every exit of an entry point is put behind a call of its old body.

use polyshade_spv::view::{EntryPoint, ExtInstImport};
use polyshade_spv::{Id, Module, Op, Patch, Position, Section};

/// An entry point whose old body is called by a new function.
#[derive(Clone, Copy, Debug)]
pub struct Wrapper<'m> {
    /// Where code goes that runs before the body.
    pub prologue: Position<'m>,
    /// Where code goes that runs after the body, however it returned. After a `discard` nothing runs.
    pub epilogue: Position<'m>,
}

/// Makes the body of `entry` an ordinary function with a fresh id. The new function keeps the entry point's id, so
/// that entry point, execution modes and names stay as they are; it calls the body and goes on.
///
/// No other entry point may have the same function: isolate first.
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

/// The same without the call: only the code at the position that is returned runs. The old body is dead, and
/// [`dce`](crate::rewrite::dce) takes it away.
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

/// Gives the body of `entry` a fresh id, and begins the function that takes its place. The body, its type, and where
/// the function's code goes.
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

/// A debugger finds the code of a function by its debug definition, which stands in the body.
fn move_debug_definition<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, main: Id, body: Id) {
    let instructions = m.function(main).into_iter().flat_map(|function| function.instructions());
    for inst in instructions.filter(|inst| inst.op() == Op::EXT_INST) {
        p.replace_extended(inst, main, body);
    }
}
