//! Dead code elimination across functions.
//!
//! # Terms
//!
//! * An *observer* sees the effects of an invocation: later stages, the host, other invocations. Observers see
//!   outputs, stores to buffers and images, atomics, and whether the shader terminates. [`DceOptions`] lists the
//!   outputs and effects that no observer needs.
//! * An instruction is *live* if an observer sees its effect, or if a live instruction needs it. All others are
//!   *dead* and are removed. To *want* an id is to mark as live everything that a use of its value needs.
//! * A *part* is memory that only the invocation itself sees: a variable, or a member or element of a part. A read of
//!   a part needs the writes to it, to its own parts, and to the parts that contain it. All parts of one variable
//!   share a *root*.
//! * A *value* is one of a structure type, or a parameter that is passed by value. Some of its *members* may be live
//!   without the others; it is *whole* if a live instruction uses all of it. A type is whole if all its members stay.
//! * A *construct* is the body of a function, a selection or a loop, as SPIR-V's merge instructions delimit them. If
//!   nothing in a construct is live, all of it is removed, and its header branches to its merge block. An *endless*
//!   construct stays: it may never be left, and an observer sees whether it is.
//! * An *effect* is an atomic, or a store to memory that observers see.
//!
//! # Phases
//!
//! 1. [`walk`] visits once everything that the entry points reach, and fills the [`analysis`]: functions and calls,
//!    the [`graph`] of blocks and constructs, [`parts`] and the writes to them, values, and a note at each
//!    instruction that refers to one of these. [`loops`] adds the loops that may not terminate.
//! 2. [`mark`] starts from the observed effects, and follows each live instruction to those that it needs. Finally,
//!    [`debug`] keeps those debug instructions all of whose operands stay.
//! 3. [`sweep`] queues the edits that remove the rest. It neither reorders nor replaces instructions, so that the
//!    remaining values stay the same in every bit.
//!
//! # Extending it
//!
//! An instruction of an unknown kind is live, and wants all its operands. To remove more, give the instruction a
//! [kind](kinds), add its needs to `mark::visit`, and only then stop marking the rest. Each phase uses only the
//! phases before it; the analysis and its tables use none.

mod analysis;
mod capabilities;
mod debug;
mod graph;
mod index;
mod kinds;
mod loops;
mod mark;
mod notes;
mod options;
mod parts;
mod pointers;
mod records;
mod sweep;
mod types;
mod walk;

pub use options::DceOptions;

use crate::code;
use crate::effects::{Written, noun};
use index::At;
use mark::Marks;
use options::Effects;
use polyshade_spv::{Code, Error, Id, Inst, Module, Op, Rewritten, Section};

/// Returns a version of `m` without dead code: instructions, branches and loops, calls, functions, variables, members
/// of structures, types, constants, names, decorations.
///
/// The value lists the unneeded outputs that stay nonetheless, in whole or in part, as the shader reads them.
///
/// A loop that may not terminate stays. Kernels, modules with linkage and modules with functions that are not made of
/// blocks are not changed.
///
/// # Errors
///
/// `Unsupported`: the module has effects and the options refuse them; or it has effects that are not needed, and live
/// code uses the result of one or reads the memory that one writes.
pub fn dce<'m>(m: &'m Module<'_>, wanted: &DceOptions) -> Result<Rewritten<'m, Vec<Id>>, Error> {
    m.rewrite(|m, p| {
        let unchanged = || Ok(wanted.outputs.keys().copied().collect());
        if !is_shader(m) {
            return unchanged();
        }
        let mut analysis = walk::analysis(m, wanted);
        if analysis.is_malformed {
            return unchanged();
        }
        let endless = loops::find_endless(&analysis);
        analysis.endless.extend(endless);
        let mut marks = Marks::new(analysis, wanted);
        debug::mark(&mut marks);
        if marks.analysis.is_malformed {
            return unchanged();
        }
        check_effects(m, &marks, wanted)?;
        let stay = marks.unneeded_that_stay(wanted);
        sweep::sweep(&mut marks, p);
        Ok(stay)
    })
}

/// Whether variables have no addresses (logical addressing), and no other module is linked to this one.
fn is_shader(m: &Module<'_>) -> bool {
    const LINKAGE: u32 = polyshade_spv::Capability::LINKAGE.0;
    const LOGICAL: u32 = 0;
    const PHYSICAL_STORAGE_BUFFER: u32 = 5348;
    let model = m.section(Section::MemoryModel).find(|inst| inst.op() == Op::MEMORY_MODEL);
    let addressing = model.and_then(|model| model.words().get(1).copied());
    matches!(addressing, Some(LOGICAL | PHYSICAL_STORAGE_BUFFER))
        && !m.has_capability(polyshade_spv::Capability(LINKAGE))
}

/// Refuses live code that needs a dropped effect.
fn check_effects(m: &Module<'_>, marks: &Marks<'_, '_>, wanted: &DceOptions) -> Result<(), Error> {
    let dropped = &marks.analysis.dropped;
    if dropped.is_empty() {
        return Ok(());
    }
    let effects = || dropped.iter().map(|at| marks.analysis.inst(*at));
    // The options may refuse effects altogether.
    if let Some(first) = effects().next().filter(|_| wanted.effects == Effects::Refused) {
        let message = "the shader stores to memory itself, and would in both runs";
        return Err(refused(first, &code::SIDE_EFFECTS_UNASSIGNED, message)
            .help("say which run keeps its side effects"));
    }
    // Live code must not use the result of a dropped atomic.
    if let Some(live) = effects().find(|inst| marks.live.contains(At::of(*inst))) {
        let message = format!("what is kept needs the result of {}, which is dropped", noun(live));
        return Err(refused(live, &code::SIDE_EFFECTS_RESULT_USED, &message));
    }
    // Live code must not read the memory that dropped effects write.
    let mut written = Written::by(m, effects());
    for function in marks.analysis.functions.indices() {
        let at = marks.analysis.functions[function].at;
        let body = m.function_around(at.word()).map(|body| body.instructions());
        for inst in body.into_iter().flatten().filter(|inst| marks.live.contains(At::of(*inst))) {
            if let Some(read) = written.read_by(m, inst) {
                let message = "what is kept reads what the shader writes, which is dropped";
                return Err(Error::new(&code::SIDE_EFFECTS_READ_BACK, message)
                    .about(m.root(read))
                    .at(inst.at()));
            }
        }
    }
    Ok(())
}

fn refused(inst: Inst<'_>, code: &'static Code, message: &str) -> Error {
    let error = Error::new(code, message).at(inst.at());
    inst.result().into_iter().fold(error, Error::about)
}
