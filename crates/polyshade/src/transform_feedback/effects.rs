//! Stores and atomics of the shader's own: a stage that runs in two passes would do them twice.

use super::options::SideEffects;
use crate::unsupported;
use polyshade_spv::view::{CopyMemory, EntryPoint, FunctionCall, Load, Store};
use polyshade_spv::{
    Decoration, Error, FunctionBody, Id, Inst, Module, Op, Patch, Section, StorageClass,
};
use std::collections::HashSet;

/// The variants of a draw that has two passes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Capture,
    Raster,
}

/// The stores and atomics of an entry point that others can see, and the functions it has.
pub(super) struct Effects<'m> {
    functions: Vec<FunctionBody<'m>>,
    instructions: Vec<Inst<'m>>,
}

impl<'m> Effects<'m> {
    /// Finds them in one walk through the functions that `entry` reaches.
    pub(super) fn find(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Self {
        let mut seen = HashSet::from([entry.function()]);
        let mut open = vec![entry.function()];
        let mut effects = Self { functions: Vec::new(), instructions: Vec::new() };
        while let Some(function) = open.pop().and_then(|id| m.function(id)) {
            effects.functions.push(function);
            for inst in function.instructions() {
                if let Some(call) = FunctionCall::of(inst) {
                    if m.function(call.function()).is_some() && seen.insert(call.function()) {
                        open.push(call.function());
                    }
                } else if changes_memory(m, inst) {
                    effects.instructions.push(inst);
                }
            }
        }
        effects
    }

    /// Takes them out of the variant for `pass`, unless they are to stay there.
    pub(super) fn settle(
        &self,
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        kept: SideEffects,
        pass: Pass,
    ) -> Result<(), Error> {
        let Some(first) = self.instructions.first() else { return Ok(()) };
        match (kept, pass) {
            (SideEffects::InCapture, Pass::Capture) | (SideEffects::InRaster, Pass::Raster) => {
                return Ok(());
            }
            (SideEffects::InCapture, Pass::Raster) | (SideEffects::InRaster, Pass::Capture) => {}
            (SideEffects::Refuse, _) => {
                let message = "the shader stores to memory itself, and would in both passes";
                let error = unsupported(message, target(*first)).at(first.at());
                return Err(error.help("say which pass keeps its side effects"));
            }
        }

        self.check_not_read_again(m)?;
        self.instructions.iter().try_for_each(|inst| remove(m, p, *inst))
    }

    /// What is written and read again would be read as it was before in the pass that does not write.
    fn check_not_read_again(&self, m: &Module<'_>) -> Result<(), Error> {
        let written: Vec<Memory> =
            self.instructions.iter().map(|inst| Memory::of(m, target(*inst))).collect();
        let known: HashSet<Memory> = written.iter().copied().collect();
        let classes: HashSet<StorageClass> = written.iter().map(|memory| memory.class).collect();
        for inst in self.functions.iter().flat_map(|function| function.instructions()) {
            let Some(read) = read_from(m, inst) else { continue };
            let memory = Memory::of(m, read);
            let anything = Memory { place: Place::Anywhere, ..memory };
            let may_be_written = match memory.place {
                Place::Anywhere => classes.contains(&memory.class),
                _ => known.contains(&memory) || known.contains(&anything),
            };
            if may_be_written {
                let message =
                    "the shader reads what it writes, which only one of the two passes does";
                return Err(unsupported(message, m.root(read)).at(inst.at()));
            }
        }
        Ok(())
    }
}

/// Memory that others can see, as far as it can be told from other memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Memory {
    /// Of images the class of their variables.
    class: StorageClass,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// What is bound there, by however many variables.
    Binding(u32, u32),
    /// A variable that nothing is bound to.
    Variable(Id),
    /// Something behind a parameter or an address.
    Anywhere,
}

impl Memory {
    /// What `id`, a pointer or an image, stands for.
    fn of(m: &Module<'_>, id: Id) -> Self {
        let pointer = match m.definition(id).and_then(Load::of) {
            Some(load) if is_image(m, load.pointer()) => load.pointer(),
            _ => id,
        };
        let class = match m.storage_class(pointer) {
            Some(StorageClass::IMAGE) | None => StorageClass::UNIFORM_CONSTANT,
            Some(class) => class,
        };
        let root = m.root(pointer);
        let is_variable = m.definition(root).is_some_and(|inst| inst.op() == Op::VARIABLE);
        let number =
            |decoration| m.decoration(root, decoration).and_then(|words| words.first()).copied();
        let place = match (number(Decoration::DESCRIPTOR_SET), number(Decoration::BINDING)) {
            (Some(set), Some(binding)) if is_variable => Place::Binding(set, binding),
            _ if is_variable => Place::Variable(root),
            _ => Place::Anywhere,
        };
        Self { class, place }
    }
}

/// The pointer or image that `inst` reads from.
fn read_from(m: &Module<'_>, inst: Inst<'_>) -> Option<Id> {
    match inst.op() {
        Op::LOAD => {
            let pointer = Load::of(inst)?.pointer();
            (is_visible(m, pointer) && !is_image(m, pointer)).then_some(pointer)
        }
        Op::COPY_MEMORY | Op::COPY_MEMORY_SIZED => {
            Some(CopyMemory::of(inst)?.source()).filter(|source| is_visible(m, *source))
        }
        Op::IMAGE_READ | Op::IMAGE_SPARSE_READ | Op::ATOMIC_LOAD => Some(target(inst)),
        _ => None,
    }
}

fn changes_memory(m: &Module<'_>, inst: Inst<'_>) -> bool {
    match inst.op() {
        Op::IMAGE_WRITE => true,
        Op::STORE | Op::COPY_MEMORY | Op::COPY_MEMORY_SIZED => is_visible(m, target(inst)),
        op if is_atomic_write(op) => is_visible(m, target(inst)),
        _ => false,
    }
}

/// Whether other invocations or the host can see what `pointer` points to.
fn is_visible(m: &Module<'_>, pointer: Id) -> bool {
    !matches!(
        m.storage_class(pointer),
        Some(
            StorageClass::FUNCTION
                | StorageClass::PRIVATE
                | StorageClass::OUTPUT
                | StorageClass::INPUT
        )
    )
}

fn is_atomic_write(op: Op) -> bool {
    matches!(
        op,
        Op::ATOMIC_STORE
            | Op::ATOMIC_EXCHANGE
            | Op::ATOMIC_COMPARE_EXCHANGE
            | Op::ATOMIC_COMPARE_EXCHANGE_WEAK
            | Op::ATOMIC_I_INCREMENT
            | Op::ATOMIC_I_DECREMENT
            | Op::ATOMIC_I_ADD
            | Op::ATOMIC_I_SUB
            | Op::ATOMIC_S_MIN
            | Op::ATOMIC_U_MIN
            | Op::ATOMIC_S_MAX
            | Op::ATOMIC_U_MAX
            | Op::ATOMIC_AND
            | Op::ATOMIC_OR
            | Op::ATOMIC_XOR
            | Op::ATOMIC_FLAG_TEST_AND_SET
            | Op::ATOMIC_FLAG_CLEAR
            | Op::ATOMIC_F_ADD_EXT
            | Op::ATOMIC_F_MIN_EXT
            | Op::ATOMIC_F_MAX_EXT
    )
}

/// What an instruction that changes memory writes to: a pointer, or an image.
fn target(inst: Inst<'_>) -> Id {
    if let Some(store) = Store::of(inst) {
        return store.pointer();
    }
    if let Some(copy) = CopyMemory::of(inst) {
        return copy.target();
    }
    // The first operand behind type and result: of an atomic the pointer, of a write the image.
    let word = if inst.result_type().is_some() { 3 } else { 1 };
    Id::new(inst.words()[word]).expect("ids of known operands are checked when a module is scanned")
}

fn is_image(m: &Module<'_>, pointer: Id) -> bool {
    let pointee = m.type_of(pointer).and_then(|ty| m.pointer(ty)).map(|(_, pointee)| pointee);
    pointee.and_then(|ty| m.definition(ty)).is_some_and(|ty| ty.op() == Op::TYPE_IMAGE)
}

/// Takes one out. The value that an atomic returns is not to be had without it.
fn remove<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, inst: Inst<'m>) -> Result<(), Error> {
    let Some(result) = inst.result() else {
        p.remove(inst);
        return Ok(());
    };
    let functions = m.section_end(Section::Globals);
    if let Some(user) = m.uses_of(result).find(|user| user.at() >= functions) {
        let message = "the result of an atomic is used, and only one of the two passes has it";
        return Err(unsupported(message, result).at(user.at()));
    }
    p.remove_definition(result);
    Ok(())
}
