//! What is dead is removed, across functions.
//!
//! Everything that others can see is live, and everything that it needs; the rest goes. *Others* are the stages behind,
//! the host and other invocations: they see outputs, stores to buffers and images, atomics, and whether the shader
//! ends. What is kept computes what it computed, by the same instructions: nothing is re-ordered or replaced, so
//! every bit stays.
//!
//! The marking follows memory by its parts (a member, an element), calls by what they write and return, and control
//! flow by the constructs of SPIR-V: one in which nothing is live goes as a whole, if it ends for sure.

mod bits;
mod capabilities;
mod debug;
mod graph;
mod kinds;
mod loops;
mod mark;
mod parts;
mod pointers;
mod records;
mod survey;
mod sweep;
mod types;

use crate::effects::Written;
use crate::unsupported;
use mark::Marks;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Id, Inst, Module, Op, Rewritten, Section};
use std::collections::BTreeMap;
use survey::Survey;

/// What is not needed, beside what is dead in any case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Elimination {
    only: Option<(String, ExecutionModel)>,
    outputs: BTreeMap<Id, Dead>,
    effects: Effects,
    keeps_interface: bool,
}

/// What becomes of stores to buffers and images, and of atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Effects {
    #[default]
    Stay,
    Go,
    Refused,
}

/// What nobody needs of an output.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Dead {
    Whole,
    /// These members of a block, in order.
    Members(Vec<u32>),
}

impl Elimination {
    /// Nothing is dead that somebody sees.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reduces this entry point only; what others have stays as it is.
    #[must_use]
    pub fn only(mut self, name: impl Into<String>, model: ExecutionModel) -> Self {
        self.only = Some((name.into(), model));
        self
    }

    /// Nobody needs the output variable `id`. Where the shader itself reads it, what it reads stays.
    #[must_use]
    pub fn without_output(mut self, id: Id) -> Self {
        self.outputs.insert(id, Dead::Whole);
        self
    }

    /// Nobody needs member `member` of the output block `id`.
    #[must_use]
    pub fn without_member(mut self, id: Id, member: u32) -> Self {
        if let Dead::Members(members) =
            self.outputs.entry(id).or_insert_with(|| Dead::Members(Vec::new()))
            && let Err(place) = members.binary_search(&member)
        {
            members.insert(place, member);
        }
        self
    }

    /// Stores to buffers and images, and atomics, are not needed either.
    #[must_use]
    pub fn without_effects(mut self) -> Self {
        self.effects = Effects::Go;
        self
    }

    /// A shader that stores to buffers or images itself, or has atomics, is refused.
    #[must_use]
    pub fn refuse_effects(mut self) -> Self {
        self.effects = Effects::Refused;
        self
    }

    /// Inputs and resources stay declared, whether or not something needs them.
    #[must_use]
    pub fn keep_interface(mut self) -> Self {
        self.keeps_interface = true;
        self
    }

    fn reduces(&self, entry: EntryPoint<'_>) -> bool {
        let is_it = |(name, model): &(String, ExecutionModel)| {
            entry.model() == *model && entry.name() == name.as_str()
        };
        self.only.as_ref().is_none_or(is_it)
    }

    fn dead(&self, id: Id) -> Option<&Dead> {
        self.outputs.get(&id)
    }
}

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
pub fn eliminate<'m>(
    m: &'m Module<'_>,
    wanted: &Elimination,
) -> Result<Rewritten<'m, Vec<Id>>, Error> {
    m.rewrite(|m, p| {
        let unchanged = || Ok(wanted.outputs.keys().copied().collect());
        if !is_shader(m) {
            return unchanged();
        }
        let survey = Survey::new(m, wanted);
        if survey.is_malformed {
            return unchanged();
        }
        let mut marks = Marks::new(survey, wanted);
        if marks.survey.is_malformed {
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
fn check_effects(m: &Module<'_>, marks: &Marks<'_, '_>, wanted: &Elimination) -> Result<(), Error> {
    let dropped = &marks.survey.dropped;
    if dropped.is_empty() {
        return Ok(());
    }
    let effects = || dropped.iter().map(|at| m.inst_at(*at));
    if let Some(first) = effects().next().filter(|_| wanted.effects == Effects::Refused) {
        let message = "the shader stores to memory itself, and would in both runs";
        return Err(refused(first, message).help("say which run keeps its side effects"));
    }
    if let Some(live) = effects().find(|inst| marks.live.contains(inst.at())) {
        let message = "what is kept needs the result of an atomic, which is dropped";
        return Err(refused(live, message));
    }
    let mut written = Written::by(m, effects());
    for function in &marks.survey.functions {
        let body = m.function_around(function.at).map(|body| body.instructions());
        for inst in body.into_iter().flatten().filter(|inst| marks.live.contains(inst.at())) {
            if let Some(read) = written.read_by(m, inst) {
                let message = "what is kept reads what the shader writes, which is dropped";
                return Err(unsupported(message, m.root(read)).at(inst.at()));
            }
        }
    }
    Ok(())
}

fn refused(inst: Inst<'_>, message: &str) -> Error {
    match inst.result() {
        Some(id) => unsupported(message, id).at(inst.at()),
        None => Error::new(polyshade_spv::ErrorKind::Unsupported, message).at(inst.at()),
    }
}
