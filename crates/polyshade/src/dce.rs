//! Dead code elimination across functions.
//!
//! # Terms
//!
//! * An *observer* is anything that sees the effects of an invocation: later stages, the host, other invocations.
//!   Observers see outputs, stores to buffers and images, atomics, and whether the shader terminates. [`DceOptions`]
//!   lists the outputs and effects that no observer needs.
//! * An instruction is *live* if an observer sees its effect, or if a live instruction needs it. All other
//!   instructions are *dead* and are removed. To *want* an id is to mark as live everything that a use of its value
//!   needs.
//! * A *part* is a piece of memory that only the invocation itself sees: a variable, or a member or element of
//!   another part. A read of a part needs the writes to that part, to the parts inside it, and to the parts that
//!   contain it. All parts of one variable share a *root*.
//! * A *value* is a structure that an instruction makes or stores, or a parameter that is passed by value. Some of
//!   its *members* may be live without the others. It is *whole* if a live instruction uses all of it. A type is
//!   whole if all its members stay.
//! * A *construct* is the body of a function, a selection or a loop, as SPIR-V's merge instructions delimit them. If
//!   nothing in a construct is live, the whole construct is removed, and its header branches to its merge block. An
//!   *endless* construct is one that may never be left. It stays, because an observer sees whether it is left.
//! * An *effect* is an atomic, or a store to memory that observers see.
//!
//! # Phases
//!
//! 1. [`walk`] visits everything that the entry points reach, each thing once, and fills the [`analysis`]: functions
//!    and calls, the [`graph`] of blocks and constructs, [`parts`] and the writes to them, values, and a note for
//!    each instruction that refers to one of these records. [`loops`] adds the loops that may not terminate.
//! 2. [`mark`] starts from the observed effects, and follows each live instruction to the instructions that it needs.
//!    Finally, [`debug`] keeps the debug instructions that lose no operand.
//! 3. [`sweep`] queues the edits that remove the rest. It neither reorders nor replaces instructions, so the
//!    remaining values are bit-identical.
//!
//! # Extending it
//!
//! An instruction of an unknown kind is live, and wants all its operands. To remove more around it, first give the
//! instruction a [kind](kinds), then add its needs to `mark::visit`, and only then stop marking its other operands.
//! Each phase uses only the earlier phases. The analysis and its tables use no phase.

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

use crate::code::{self, refuse_at};
use crate::effects::{Written, noun};
use index::At;
use mark::Marks;
use options::Effects;
use polyshade_spv::{Code, Error, Id, Inst, Module, Op, Rewritten, Section};

/// Returns a version of `m` without dead code: instructions, branches and loops, calls, functions, variables, members
/// of structures, types, constants, names, decorations.
///
/// The value lists the unneeded outputs that stay nonetheless, in whole or in part, because the shader reads them.
///
/// A loop that may not terminate stays. Kernels, modules with linkage, and modules with code outside of blocks are
/// returned unchanged.
///
/// # Errors
///
/// `Unsupported`: the module has effects, and the options refuse effects; or the options drop effects, and live code
/// uses the result of a dropped effect or reads the memory that one writes.
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
        let message = "the shader has its own stores to memory, and both runs would execute them";
        return Err(refused(first, &code::SIDE_EFFECTS_UNASSIGNED, message)
            .help("state which run keeps the side effects"));
    }
    // Live code must not use the result of a dropped atomic.
    if let Some(live) = effects().find(|inst| marks.live.contains(At::of(*inst))) {
        let message = format!("a kept output needs the result of {}, which is dropped", noun(live));
        return Err(refused(live, &code::SIDE_EFFECTS_RESULT_USED, &message));
    }
    // Live code must not read the memory that dropped effects write.
    let mut written = Written::by(m, effects());
    for function in marks.analysis.functions.indices() {
        let at = marks.analysis.functions[function].at;
        let body = m.function_around(at.word()).map(|body| body.instructions());
        for inst in body.into_iter().flatten().filter(|inst| marks.live.contains(At::of(*inst))) {
            if let Some(read) = written.read_by(m, inst) {
                let message = "a kept output reads memory that dropped code writes";
                return refuse_at(&code::SIDE_EFFECTS_READ_BACK, message, m.root(read), inst);
            }
        }
    }
    Ok(())
}

fn refused(inst: Inst<'_>, code: &'static Code, message: &str) -> Error {
    let error = Error::new(code, message).at(inst.at());
    inst.result().into_iter().fold(error, Error::about)
}
