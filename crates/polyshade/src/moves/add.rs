//! Resources and interface variables are added.

use crate::unsupported;
use polyshade_spv::view::{Decorate, EntryPoint, GroupDecorate, TypePointer, Variable};
use polyshade_spv::{
    BuiltIn, Decoration, Error, ErrorKind, ExecutionModel, Id, Module, Op, Patch, Section,
    StorageClass, Type,
};
use std::collections::HashSet;

/// Number of a descriptor set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Set(pub u32);

/// Number of a binding in a descriptor set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Binding(pub u32);

/// A block of `uint` members that the host fills.
#[derive(Clone, Copy, Debug)]
pub struct HostBlock {
    /// The variable.
    pub variable: Id,
    /// Its storage class.
    pub class: StorageClass,
    /// Number of the member that holds the first word; the others follow.
    pub first_member: u32,
}

/// The type `{ uint words[]; }` of storage buffers, for as many as there are.
#[derive(Clone, Copy, Debug)]
pub struct WordArray {
    block: Id,
    class: StorageClass,
}

/// Declares a [`WordArray`].
///
/// Its class is `StorageBuffer` from SPIR-V 1.3 on or where the module uses `SPV_KHR_storage_buffer_storage_class`,
/// else `Uniform`, decorated `BufferBlock`.
pub fn word_array(m: &Module<'_>, p: &mut Patch<'_, '_>) -> WordArray {
    let uint = p.uint();
    let words = p.declare_new(Op::TYPE_RUNTIME_ARRAY, &[uint.word()]);
    p.decorate(words, Decoration::ARRAY_STRIDE, &[4]);
    let block = p.structure(&[words]);
    p.decorate_member(block, 0, Decoration::OFFSET, &[0]);
    p.name(block, "polyshade_words");
    p.member_name(block, 0, "words");
    let class = buffer_class(m);
    let kind =
        if class == StorageClass::UNIFORM { Decoration::BUFFER_BLOCK } else { Decoration::BLOCK };
    p.decorate(block, kind, &[]);
    WordArray { block, class }
}

/// Adds a storage buffer of type `ty` for `entry`.
///
/// # Errors
///
/// `Options` where a variable of the module has this set and binding.
pub fn storage_buffer<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    ty: WordArray,
    at: (Set, Binding),
    name: &str,
) -> Result<HostBlock, Error> {
    let variable = resource(m, p, entry, ty.class, ty.block, at, name)?;
    Ok(HostBlock { variable, class: ty.class, first_member: 0 })
}

/// Adds a uniform block of `names.len()` `uint` members at offsets 0, 4, 8, … bytes for `entry`.
///
/// # Errors
///
/// `Options` where a variable of the module has this set and binding.
pub fn uniform_block<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: (Set, Binding),
    name: &str,
    names: &[&str],
) -> Result<HostBlock, Error> {
    let block = word_block(p, names, 0);
    p.name(block, &format!("{name}_block"));
    let variable = resource(m, p, entry, StorageClass::UNIFORM, block, at, name)?;
    Ok(HostBlock { variable, class: StorageClass::UNIFORM, first_member: 0 })
}

/// Adds `uint` members at `offset`, `offset + 4`, … bytes to the push constants of `entry`: to its block if it has one,
/// since an entry point may have one only, else to a new one.
///
/// # Errors
///
/// `Options` where `offset` is not a multiple of 4 or lies before the end of the members there are. `Unsupported` where
/// the block cannot grow: its type is used for something else as well, another entry point uses it, or it ends with
/// an array of unknown length.
pub fn push_constants<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    offset: u32,
    name: &str,
    names: &[&str],
) -> Result<HostBlock, Error> {
    if !offset.is_multiple_of(4) || offset.checked_add(names.len() as u32 * 4).is_none() {
        let message = format!(
            "push constants cannot begin at byte {offset}: not a multiple of 4, or too large"
        );
        return Err(Error::new(ErrorKind::Options, message));
    }
    let class = StorageClass::PUSH_CONSTANT;
    let Some(variable) = push_constant_block(m, entry) else {
        let block = word_block(p, names, offset);
        let variable = p.variable(class, block, None);
        p.name(variable, name);
        add_to_interface(m, p, entry, variable);
        return Ok(HostBlock { variable, class, first_member: 0 });
    };

    let (_, block) =
        m.pointer(variable.pointer_type()).expect("a push constant has a pointer type");
    growable(m, entry, variable, block)?;
    let end = block_end(m, block, DEEPEST)?;
    if offset < end {
        let message =
            format!("the push constants of the shader end at byte {end}, behind byte {offset}");
        return Err(Error::new(ErrorKind::Options, message).about(variable.result()));
    }
    let inst = m.definition(block).expect("a structure is defined");
    let first_member = m.members(block).len() as u32;
    let uint = p.declare_before(Op::TYPE_INT, &[32, 0], inst.at());
    let mut operands = inst.words()[1..].to_vec();
    operands.extend(names.iter().map(|_| uint.word()));
    p.remove(inst);
    p.insert(inst.after(), inst.op(), &operands);
    decorate_words(p, block, first_member, names, offset);
    Ok(HostBlock { variable: variable.result(), class, first_member })
}

/// Adds `uint` specialization constants that are 0 unless set, numbered from `first` on.
///
/// # Errors
///
/// `Options` where the shader has one with such a number, or where the numbers would not fit.
pub fn spec_constants<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    first: u32,
    names: &[&str],
) -> Result<Vec<Id>, Error> {
    let Some(end) = first.checked_add(names.len() as u32) else {
        let message = format!("specialization constants cannot be numbered from {first} on");
        return Err(Error::new(ErrorKind::Options, message));
    };
    let is_taken = |decorate: &Decorate<'_>| {
        decorate.decoration() == Decoration::SPEC_ID
            && decorate.operands().first().is_some_and(|number| (first..end).contains(number))
    };
    if let Some(taken) = m.section(Section::Annotations).filter_map(Decorate::of).find(is_taken) {
        let message = format!(
            "specialization constant {} is the shader's own: {first} to {} are needed",
            taken.operands()[0],
            end - 1
        );
        return Err(Error::new(ErrorKind::Options, message).about(taken.target()));
    }
    let constants = names.iter().zip(first..end).map(|(name, number)| {
        let constant = p.spec_constant(number, 0);
        p.name(constant, name);
        constant
    });
    Ok(constants.collect())
}

fn word_block(p: &mut Patch<'_, '_>, names: &[&str], offset: u32) -> Id {
    let uint = p.uint();
    let block = p.structure(&vec![uint; names.len()]);
    p.decorate(block, Decoration::BLOCK, &[]);
    decorate_words(p, block, 0, names, offset);
    block
}

fn decorate_words(
    p: &mut Patch<'_, '_>,
    block: Id,
    first_member: u32,
    names: &[&str],
    offset: u32,
) {
    for (i, name) in names.iter().enumerate() {
        let i = i as u32;
        p.decorate_member(block, first_member + i, Decoration::OFFSET, &[offset + i * 4]);
        p.member_name(block, first_member + i, name);
    }
}

fn buffer_class(m: &Module<'_>) -> StorageClass {
    let extension = |inst| polyshade_spv::view::Extension::of(inst);
    let by_extension = || {
        m.section(Section::Extensions)
            .filter_map(extension)
            .any(|extension| extension.name() == "SPV_KHR_storage_buffer_storage_class")
    };
    if m.version() >= (1, 3) || by_extension() {
        StorageClass::STORAGE_BUFFER
    } else {
        StorageClass::UNIFORM
    }
}

fn resource<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    block: Id,
    (set, binding): (Set, Binding),
    name: &str,
) -> Result<Id, Error> {
    let taken = with_binding(m, binding).into_iter().find(|id| {
        m.decoration(*id, Decoration::DESCRIPTOR_SET) == Some(&[set.0])
            && m.definition(*id).is_some_and(|inst| Variable::of(inst).is_some())
    });
    let added = p.added_with(Decoration::BINDING, binding.0);
    let added =
        added.into_iter().find(|id| p.added_with(Decoration::DESCRIPTOR_SET, set.0).contains(id));
    if let Some(id) = added {
        let message = format!("binding {} of set {} is added twice", binding.0, set.0);
        return Err(Error::new(ErrorKind::Options, message).about(id));
    }
    if let Some(id) = taken {
        let message = format!("binding {} of set {} is the shader's own", binding.0, set.0);
        return Err(Error::new(ErrorKind::Options, message).about(id));
    }
    let variable = p.variable(class, block, None);
    p.decorate(variable, Decoration::DESCRIPTOR_SET, &[set.0]);
    p.decorate(variable, Decoration::BINDING, &[binding.0]);
    p.name(variable, name);
    add_to_interface(m, p, entry, variable);
    Ok(variable)
}

/// Everything that is decorated with this binding, by a group too.
fn with_binding(m: &Module<'_>, binding: Binding) -> Vec<Id> {
    let mut bound = Vec::new();
    let says_so = |decorate: &Decorate<'_>| {
        decorate.decoration() == Decoration::BINDING && decorate.operands() == [binding.0]
    };
    for decorate in m.section(Section::Annotations).filter_map(Decorate::of).filter(says_so) {
        let target = decorate.target();
        bound.push(target);
        if m.definition(target).is_some_and(|inst| inst.op() == Op::DECORATION_GROUP) {
            let groups = m.section(Section::Annotations).filter_map(GroupDecorate::of);
            bound.extend(
                groups.filter(|group| group.group() == target).flat_map(|group| group.targets()),
            );
        }
    }
    bound
}

/// Lists a new variable that is neither input nor output in the interface of `entry`, which holds such from SPIR-V
/// 1.4 on.
pub fn add_to_interface<'m>(
    m: &Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    variable: Id,
) {
    if m.version() >= (1, 4) {
        p.join_interface(entry, variable);
    }
}

/// The input of `entry` that is `builtin`, a scalar of type `ty`: the one it has, with the type that one has, else a
/// new one.
pub fn input_builtin<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    builtin: BuiltIn,
    ty: Id,
) -> (Id, Id) {
    let there = entry.interface().find(|id| {
        m.builtin(*id) == Some(builtin) && m.storage_class(*id) == Some(StorageClass::INPUT)
    });
    if let Some((id, (_, pointee))) = there.and_then(|id| Some((id, m.pointer(m.type_of(id)?)?))) {
        return (id, pointee);
    }
    (interface_builtin(p, entry, StorageClass::INPUT, builtin, ty), ty)
}

/// A new output of `entry` that is `builtin`.
pub fn output_builtin<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    builtin: BuiltIn,
    ty: Id,
) -> Id {
    interface_builtin(p, entry, StorageClass::OUTPUT, builtin, ty)
}

fn interface_builtin<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    builtin: BuiltIn,
    ty: Id,
) -> Id {
    let variable = p.variable(class, ty, None);
    p.decorate(variable, Decoration::BUILT_IN, &[builtin.0]);
    let is_float = ty == p.float();
    if class == StorageClass::INPUT && entry.model() == ExecutionModel::FRAGMENT && !is_float {
        p.decorate(variable, Decoration::FLAT, &[]);
    }
    p.join_interface(entry, variable);
    variable
}

/// The push-constant block that `entry` uses.
fn push_constant_block<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Option<Variable<'m>> {
    let is_block =
        |variable: &Variable<'_>| variable.storage_class() == StorageClass::PUSH_CONSTANT;
    // From SPIR-V 1.4 on it is listed, used or not.
    let mut listed = entry.interface().filter_map(|id| Variable::of(m.definition(id)?));
    if let Some(block) = listed.find(is_block) {
        return Some(block);
    }
    let functions: HashSet<Id> = m.reachable(entry.function()).into_iter().collect();
    let mut blocks = m.variables().filter(is_block);
    blocks.find(|variable| {
        m.uses_of(variable.result())
            .filter_map(|inst| m.function_around(inst.at()))
            .any(|function| functions.contains(&function.id()))
    })
}

/// Whether members can be appended to `block`, the type of the push constants `variable`.
fn growable(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    variable: Variable<'_>,
    block: Id,
) -> Result<(), Error> {
    let only_pointed_to = m.uses_of(block).all(|inst| {
        let annotation = inst.at() < m.section_end(Section::Annotations);
        annotation
            || TypePointer::of(inst)
                .is_some_and(|pointer| pointer.storage_class() == StorageClass::PUSH_CONSTANT)
    });
    if !only_pointed_to {
        let message = "the push-constant block cannot get more members: its type is used for something else too";
        return Err(unsupported(message, block));
    }
    let others = m.entry_points().filter(|other| other.function() != entry.function());
    let uses_block = |other: EntryPoint<'_>| {
        push_constant_block(m, other).is_some_and(|block| block.result() == variable.result())
    };
    if others.into_iter().any(uses_block) {
        let message =
            "the push-constant block cannot get more members: another entry point uses it too";
        return Err(unsupported(message, variable.result()));
    }
    Ok(())
}

/// Offset of the byte behind the last member of `block`.
fn block_end(m: &Module<'_>, block: Id, depth: u32) -> Result<u32, Error> {
    let mut end = 0;
    for (number, ty) in m.members(block).enumerate() {
        let word = |decoration| {
            m.member_decoration(block, number as u32, decoration)
                .and_then(|words| words.first())
                .copied()
        };
        let matrix = Matrix {
            stride: word(Decoration::MATRIX_STRIDE),
            row_major: m.member_decoration(block, number as u32, Decoration::ROW_MAJOR).is_some(),
        };
        let size = size_in_bytes(m, ty, matrix, depth);
        let (Some(offset), Some(size)) = (word(Decoration::OFFSET), size) else {
            let message = format!("the size of member {number} of the push constants is not known");
            return Err(unsupported(message, block));
        };
        end = end.max(offset.saturating_add(size));
    }
    Ok(end.next_multiple_of(4))
}

/// How deep structures may nest (SPIR-V specification, 2.17, universal limits).
const DEEPEST: u32 = 255;

/// How a member lays out matrices.
#[derive(Clone, Copy)]
struct Matrix {
    /// In bytes.
    stride: Option<u32>,
    row_major: bool,
}

/// Size of an explicitly laid-out type.
fn size_in_bytes(m: &Module<'_>, ty: Id, matrix: Matrix, depth: u32) -> Option<u32> {
    match m.ty(ty)? {
        Type::Int { width, .. } | Type::Float { width } => Some(width / 8),
        Type::Vector { component, count } => {
            size_in_bytes(m, component, matrix, depth)?.checked_mul(count)
        }
        Type::Matrix { column, count } => {
            let Some(Type::Vector { count: rows, .. }) = m.ty(column) else { return None };
            matrix.stride?.checked_mul(if matrix.row_major { rows } else { count })
        }
        Type::Array { length, .. } => {
            let stride = m.decoration(ty, Decoration::ARRAY_STRIDE)?.first()?;
            stride.checked_mul(m.constant(length)?)
        }
        Type::Struct { id } => block_end(m, id, depth.checked_sub(1)?).ok(),
        Type::Pointer { class: StorageClass::PHYSICAL_STORAGE_BUFFER, .. } => Some(8),
        Type::Void | Type::Bool | Type::Pointer { .. } | Type::Other(_) => None,
    }
}
