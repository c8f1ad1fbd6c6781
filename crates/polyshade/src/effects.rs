//! Stores and atomics of the original shader that are visible outside of the invocation.

use foldhash::HashSet;
use polyshade_spv::view::{AnyVariable, CopyMemory, ExtInst, ExtInstImport, Load, Store};
use polyshade_spv::{Decoration, GlslOp, Id, Inst, Module, Op, Roots, StorageClass};

/// The memory that a set of instructions writes.
pub(crate) struct Written<'m, 'w> {
    roots: Roots<'m, 'w>,
    memory: HashSet<Memory>,
    classes: HashSet<StorageClass>,
}

impl<'m, 'w> Written<'m, 'w> {
    /// Collects the memory that `instructions` write. Each of them must [change memory](changes_memory).
    pub(crate) fn by(m: &'m Module<'w>, instructions: impl Iterator<Item = Inst<'m>>) -> Self {
        let mut roots = Roots::new(m);
        let memory: HashSet<Memory> =
            instructions.map(|inst| Memory::of(&mut roots, m, target(inst))).collect();
        let classes = memory.iter().map(|memory| memory.class).collect();
        Self { roots, memory, classes }
    }

    /// Returns the pointer or image that `inst` reads from, if it may refer to written memory.
    pub(crate) fn read_by(&mut self, m: &Module<'_>, inst: Inst<'_>) -> Option<Id> {
        let read = read_from(m, inst)?;
        let memory = Memory::of(&mut self.roots, m, read);
        let anything = Memory { place: Place::Anywhere, ..memory };
        let may_be_written = match memory.place {
            Place::Anywhere => self.classes.contains(&memory.class),
            _ => self.memory.contains(&memory) || self.memory.contains(&anything),
        };
        may_be_written.then_some(read)
    }
}

/// A region of visible memory, as precisely as it can be distinguished from other regions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Memory {
    /// The storage class; for images, the storage class of their variables.
    class: StorageClass,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// The resource at this set and binding, whichever variable declares it.
    Binding(u32, u32),
    /// A variable without a binding.
    Variable(Id),
    /// Memory that is accessed through a parameter or an address.
    Anywhere,
}

impl Memory {
    /// Returns the memory that the pointer or image `id` refers to.
    fn of(roots: &mut Roots<'_, '_>, m: &Module<'_>, id: Id) -> Self {
        let pointer = match m.definition(id).and_then(Load::of) {
            Some(load) if is_image(m, load.pointer()) => load.pointer(),
            _ => id,
        };
        let class = match m.storage_class(pointer) {
            Some(StorageClass::IMAGE) | None => StorageClass::UNIFORM_CONSTANT,
            Some(class) => class,
        };
        let root = roots.root(pointer);
        let is_variable = m.definition(root).and_then(AnyVariable::of).is_some();
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

/// Returns the pointer or image that `inst` reads visible memory from.
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

/// Whether `inst` writes memory that another run of the stage, or the host, can see.
#[inline]
pub(crate) fn changes_memory(m: &Module<'_>, inst: Inst<'_>) -> bool {
    match inst.op() {
        Op::IMAGE_WRITE => true,
        Op::STORE | Op::COPY_MEMORY | Op::COPY_MEMORY_SIZED => is_visible(m, target(inst)),
        Op::EXT_INST => second_result(m, inst).is_some_and(|pointer| is_visible(m, pointer)),
        op if is_atomic_write(op) => is_visible(m, target(inst)),
        _ => false,
    }
}

/// Returns the pointer that an instruction of `GLSL.std.450` stores its second result to, if it has one.
fn second_result(m: &Module<'_>, inst: Inst<'_>) -> Option<Id> {
    glsl(m, inst, &[GlslOp::MODF, GlslOp::FREXP])?.operands().get(1).copied().and_then(Id::new)
}

/// Returns `inst` as an instruction of `GLSL.std.450`, if it is one of `ops`.
pub(crate) fn glsl<'i>(m: &Module<'_>, inst: Inst<'i>, ops: &[GlslOp]) -> Option<ExtInst<'i>> {
    let call = ExtInst::of(inst).filter(|call| ops.contains(&GlslOp(call.number())))?;
    let set = m.definition(call.set()).and_then(ExtInstImport::of)?;
    (set.name() == GlslOp::SET).then_some(call)
}

/// Whether another run of the stage, or the host, can see the memory behind `pointer`. Workgroup memory is not
/// visible because its lifetime ends with the workgroup.
fn is_visible(m: &Module<'_>, pointer: Id) -> bool {
    !matches!(
        m.storage_class(pointer),
        Some(
            StorageClass::FUNCTION
                | StorageClass::PRIVATE
                | StorageClass::OUTPUT
                | StorageClass::INPUT
                | StorageClass::WORKGROUP
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

/// Returns a noun for an instruction that changes memory and has a result, for error messages.
pub(crate) fn noun(inst: Inst<'_>) -> &'static str {
    match inst.op() {
        Op::EXT_INST => "an instruction that stores a second result",
        _ => "an atomic instruction",
    }
}

/// Returns the pointer or image that an instruction that changes memory writes to.
pub(crate) fn target(inst: Inst<'_>) -> Id {
    if let Some(store) = Store::of(inst) {
        return store.pointer();
    }
    if let Some(copy) = CopyMemory::of(inst) {
        return copy.target();
    }
    if let Some(call) = ExtInst::of(inst) {
        return Id::new(call.operands()[1]).expect("the instruction stores a second result");
    }
    // The target is the first operand after result type and result: the pointer of an atomic, or the image of a
    // write.
    let word = if inst.result_type().is_some() { 3 } else { 1 };
    Id::new(inst.words()[word]).expect("ids of known operands are checked when a module is scanned")
}

fn is_image(m: &Module<'_>, pointer: Id) -> bool {
    let pointee = m.pointee(pointer);
    pointee.and_then(|ty| m.definition(ty)).is_some_and(|ty| ty.op() == Op::TYPE_IMAGE)
}
