//! Code that must run on every exit of an entry point is put behind a call of its old body.

use polyshade_spv::view::{EntryPoint, ExtInst};
use polyshade_spv::{Module, Op, Patch, Position};

/// An entry point whose old body is called by a new function.
#[derive(Clone, Copy, Debug)]
pub struct Wrapper {
    /// Where code goes that runs before the body.
    pub prologue: Position,
    /// Where code goes that runs after the body, however it returned. After a `discard` nothing runs.
    pub epilogue: Position,
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
pub fn wrap<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Wrapper {
    let main = entry.function();
    let function =
        m.function(main).expect("the scan checks that an entry point has a function").function();
    let body = p.id();
    let label = p.id();
    let (head, prologue, call, epilogue, tail) = (p.lane(), p.lane(), p.lane(), p.lane(), p.lane());

    p.set_result(function.inst(), body);
    p.name(body, &format!("{}_body", entry.name()));
    // A debugger finds the code of a function by its debug definition, which stands in the body.
    for inst in m.uses_of(main).filter(|inst| ExtInst::of(*inst).is_some()) {
        for (i, word) in inst.words().iter().enumerate().skip(5) {
            if *word == main.word() {
                p.overwrite(inst.at() + i as u32, body.word());
            }
        }
    }

    let void = function.return_type();
    let words = [void.word(), main.word(), 0, function.function_type().word()];
    p.insert(head, Op::FUNCTION, &words);
    p.insert(head, Op::LABEL, &[label.word()]);
    p.at(call).call(void, body, &[]);
    p.at(tail).end_function(None);
    Wrapper { prologue, epilogue }
}
