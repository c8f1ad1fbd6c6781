//! Removes what is dead, across functions.
//!
//! # Words
//!
//! * An *observer* is whoever sees what an invocation does: later stages, the host, other invocations. Observers see
//!   outputs, stores to buffers and images, atomics, and whether the shader ends. [`DceOptions`] names those of them
//!   that nobody needs.
//! * An instruction is *live* if an observer sees what it does, or if something live needs it. What is not live is
//!   *dead* and goes. To *want* an id is to mark as live what a use of its value needs.
//! * A *part* is memory that only the invocation itself sees: a variable, or a member or element of a part. Whoever
//!   reads a part needs what writes to it, to parts of it, or to what it is part of. All parts of one variable share
//!   a *root*.
//! * A *value*, here, is one of a structure type, or a parameter that is passed by value. Some *members* of it may be
//!   live without the others; it is *whole* if something live uses all of it. So is a type whose members all stay.
//! * A *construct* is a function's body, a selection or a loop, as SPIR-V's merge instructions delimit them. If
//!   nothing in one is live, all of it goes, and its header branches to its merge block; but not if it is *endless*:
//!   if it may never be left, so that an observer sees whether it is.
//! * An *effect* is a store to memory that others see, or an atomic.
//!
//! # Phases
//!
//! 1. [`walk`] looks once at everything that the entry points reach, and fills the [`analysis`]: functions and calls,
//!    the [`graph`] of blocks and constructs, [`parts`] and what writes to them, values, and a note at each
//!    instruction that has something to do with one of these. [`loops`] adds the loops that may not end.
//! 2. [`mark`] starts from what observers see, and follows from what is live to what it needs. Last, [`debug`] keeps
//!    instructions for debuggers that lost nothing.
//! 3. [`sweep`] queues the edits that remove the rest. Nothing is re-ordered or replaced: what is kept computes what
//!    it computed by the same instructions, so that every bit stays.
//!
//! # To change something here
//!
//! What is not looked at stays: an instruction of an unknown kind is live, and wants all its operands. To remove
//! more, give the instruction a [kind](kinds), say in `mark::visit` what it needs, and only then stop marking the
//! rest. Each phase asks the phases before it, never those behind; the analysis and its tables ask nobody.

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

/// A version of `m` without what is dead: instructions, branches and loops, calls, functions, variables, members of
/// structures, types, constants, names, decorations.
///
/// It comes with the outputs that nobody needs and that stay all the same, or whose members do, as the shader reads
/// them.
///
/// A loop that may not end stays. Modules for kernels, modules that are linked, and modules with functions that are not
/// made of blocks stay as they are.
///
/// # Errors
///
/// `Unsupported`: effects, where they are refused; where they are not needed, something needed that uses the result of
/// one, or reads what one writes.
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

/// Whether variables have no addresses, and nothing is seen by modules that are linked to this one.
fn is_shader(m: &Module<'_>) -> bool {
    const LINKAGE: u32 = polyshade_spv::Capability::LINKAGE.0;
    const LOGICAL: u32 = 0;
    const PHYSICAL_STORAGE_BUFFER: u32 = 5348;
    let model = m.section(Section::MemoryModel).find(|inst| inst.op() == Op::MEMORY_MODEL);
    let addressing = model.and_then(|model| model.words().get(1).copied());
    matches!(addressing, Some(LOGICAL | PHYSICAL_STORAGE_BUFFER))
        && !m.has_capability(polyshade_spv::Capability(LINKAGE))
}

/// An effect that is dropped leaves nothing behind that needs it.
fn check_effects(m: &Module<'_>, marks: &Marks<'_, '_>, wanted: &DceOptions) -> Result<(), Error> {
    let dropped = &marks.analysis.dropped;
    if dropped.is_empty() {
        return Ok(());
    }
    let effects = || dropped.iter().map(|at| marks.analysis.inst(*at));
    if let Some(first) = effects().next().filter(|_| wanted.effects == Effects::Refused) {
        let message = "the shader stores to memory itself, and would in both runs";
        return Err(refused(first, &code::SIDE_EFFECTS_UNASSIGNED, message)
            .help("say which run keeps its side effects"));
    }
    if let Some(live) = effects().find(|inst| marks.live.contains(At::of(*inst))) {
        let message = format!("what is kept needs the result of {}, which is dropped", noun(live));
        return Err(refused(live, &code::SIDE_EFFECTS_RESULT_USED, &message));
    }
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
