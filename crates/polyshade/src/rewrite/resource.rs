//! Adds resources: buffers, images and constants that the host provides.

use super::add_to_interface;
use crate::code::{self, refuse};
use crate::host::{Binding, Set};
use polyshade_spv::view::{Decorate, EntryPoint, Extension};
use polyshade_spv::{
    Cursor, Decoration, Error, Id, Module, Op, Patch, Section, StorageClass, Type,
};

/// A block of 32-bit values that the host writes or reads.
#[derive(Clone, Copy, Debug)]
pub struct HostBlock {
    /// The variable.
    pub variable: Id,
    /// The storage class of the variable.
    pub class: StorageClass,
    pub(super) words: Words,
}

/// The layout of the values in a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Words {
    /// One array, which is the only member of the block.
    Array,
    /// Separate members, beginning with the member of this number.
    Members(u32),
}

impl HostBlock {
    /// Emits a load of value `number`.
    pub fn load(self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        let index = match self.words {
            Words::Array => code.p.uint_constant(number),
            Words::Members(first) => code.p.uint_constant(first + number),
        };
        let pointer = self.pointer(code, index);
        let uint = code.p.uint();
        code.load(uint, pointer)
    }

    /// Emits a pointer to the value at `index`. The index must be a constant unless the block is a storage buffer.
    pub fn pointer(self, code: &mut Cursor<'_, '_, '_>, index: Id) -> Id {
        let uint = code.p.uint();
        let pointer = code.p.pointer(self.class, uint);
        match self.words {
            Words::Array => {
                let array = code.p.uint_constant(0);
                code.access_chain(pointer, self.variable, &[array, index])
            }
            Words::Members(_) => code.access_chain(pointer, self.variable, &[index]),
        }
    }

    /// Emits the actual number of values in a storage buffer. Returns `None` if the block is not a storage buffer.
    pub fn length(self, code: &mut Cursor<'_, '_, '_>) -> Option<Id> {
        let Words::Array = self.words else { return None };
        let uint = code.p.uint();
        Some(code.value(Op::ARRAY_LENGTH, uint, &[self.variable.word(), 0]))
    }
}

/// The type `{ uint words[]; }` of storage buffers of any length.
#[derive(Clone, Copy, Debug)]
pub struct WordArray {
    block: Id,
    class: StorageClass,
}

/// Declares a [`WordArray`].
///
/// The storage class is `StorageBuffer` from SPIR-V 1.3 on, or if the module uses
/// `SPV_KHR_storage_buffer_storage_class`. Otherwise it is `Uniform`, with the decoration `BufferBlock`.
pub fn word_array(m: &Module<'_>, p: &mut Patch<'_, '_>) -> WordArray {
    let class = buffer_class(m);
    let kind =
        if class == StorageClass::UNIFORM { Decoration::BUFFER_BLOCK } else { Decoration::BLOCK };
    WordArray { block: array_block(p, kind), class }
}

/// Declares `{ uint words[]; }`.
pub(super) fn array_block(p: &mut Patch<'_, '_>, kind: Decoration) -> Id {
    let uint = p.uint();
    let words = p.declare_new(Op::TYPE_RUNTIME_ARRAY, &[uint.word()]);
    p.decorate(words, Decoration::ARRAY_STRIDE, &[4]);
    let block = p.structure(&[words]);
    p.decorate_member(block, 0, Decoration::OFFSET, &[0]);
    p.name(block, "polyshade_words");
    p.member_name(block, 0, "words");
    p.decorate(block, kind, &[]);
    block
}

/// Adds a storage buffer of type `ty` to `entry`.
///
/// # Errors
///
/// `Options`: a variable of the module already has this set and binding.
pub fn storage_buffer<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    ty: WordArray,
    at: (Set, Binding),
    name: &str,
) -> Result<HostBlock, Error> {
    let variable = resource(m, p, entry, ty.class, ty.block, at, name)?;
    Ok(HostBlock { variable, class: ty.class, words: Words::Array })
}

/// Adds a uniform block to `entry` with `names.len()` `uint` members at offsets 0, 4, 8, … bytes.
///
/// # Errors
///
/// `Options`: a variable of the module already has this set and binding.
pub fn uniform_block<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: (Set, Binding),
    name: &str,
    names: &[&str],
) -> Result<HostBlock, Error> {
    let block = word_block(p, names);
    p.name(block, &format!("{name}_block"));
    let variable = resource(m, p, entry, StorageClass::UNIFORM, block, at, name)?;
    Ok(HostBlock { variable, class: StorageClass::UNIFORM, words: Words::Members(0) })
}

/// Adds an image of type `image` to `entry`. The type makes it an input attachment, a sampled image without a
/// sampler, or a storage image.
///
/// # Errors
///
/// `Options`: a variable of the module already has this set and binding.
pub fn image_resource<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    image: Id,
    at: (Set, Binding),
    name: &str,
) -> Result<Id, Error> {
    resource(m, p, entry, StorageClass::UNIFORM_CONSTANT, image, at, name)
}

/// Adds `uint` specialization constants with default 0 and consecutive ids from `first` on.
///
/// # Errors
///
/// `Options`: the shader already has a specialization constant with one of the ids, or the ids exceed 32 bits.
pub fn spec_constants<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    first: u32,
    names: &[&str],
) -> Result<Vec<Id>, Error> {
    let Some(end) = first.checked_add(names.len() as u32) else {
        let message =
            format!("cannot number specialization constants from {first} on: a SpecId has 32 bits");
        return Err(Error::new(&code::PARAMS_SPECIALIZATION_RANGE, message));
    };
    // None of the ids may already be in use.
    let is_taken = |decorate: &Decorate<'_>| {
        decorate.decoration() == Decoration::SPEC_ID
            && decorate.operands().first().is_some_and(|number| (first..end).contains(number))
    };
    if let Some(taken) = m.section(Section::Annotations).filter_map(Decorate::of).find(is_taken) {
        let message = format!(
            "the shader already has specialization constant {}: {first} to {} are needed",
            taken.operands()[0],
            end - 1
        );
        return refuse(&code::PARAMS_SPECIALIZATION_TAKEN, message, taken.target());
    }
    let constants = names.iter().zip(first..end).map(|(name, number)| {
        let constant = p.spec_constant(number, 0);
        p.name(constant, name);
        constant
    });
    Ok(constants.collect())
}

fn word_block(p: &mut Patch<'_, '_>, names: &[&str]) -> Id {
    let uint = p.uint();
    let block = p.structure(&vec![uint; names.len()]);
    p.decorate(block, Decoration::BLOCK, &[]);
    decorate_words(p, block, 0, names, 0);
    block
}

pub(super) fn decorate_words(
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
    let by_extension = || {
        m.section(Section::Extensions)
            .filter_map(Extension::of)
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
    // The binding must be unused in the module and in the pending additions.
    let in_set = |id: &Id| p.added_with(Decoration::DESCRIPTOR_SET, set.0).any(|one| one == *id);
    let added = p.added_with(Decoration::BINDING, binding.0).find(in_set);
    if let Some(id) = added {
        let message = format!("binding {} of set {} is added twice", binding.0, set.0);
        return refuse(&code::BINDING_DUPLICATE, message, id);
    }
    if let Some((id, _)) = bound(m).find(|(_, place)| *place == (set, binding)) {
        let message = format!("the shader already uses binding {} of set {}", binding.0, set.0);
        return refuse(&code::BINDING_TAKEN, message, id);
    }
    let variable = p.variable(class, block, None);
    p.decorate(variable, Decoration::DESCRIPTOR_SET, &[set.0]);
    p.decorate(variable, Decoration::BINDING, &[binding.0]);
    p.name(variable, name);
    add_to_interface(m, p, entry, variable);
    Ok(variable)
}

/// Returns the module's variables that have a set and binding.
fn bound(m: &Module<'_>) -> impl Iterator<Item = (Id, (Set, Binding))> {
    let number = |id, decoration| m.decoration(id, decoration)?.first().copied();
    m.resources().filter_map(move |variable| {
        let id = variable.result();
        let set = number(id, Decoration::DESCRIPTOR_SET)?;
        Some((id, (Set(set), Binding(number(id, Decoration::BINDING)?))))
    })
}

/// Returns the sets and bindings of the module's variables.
pub(crate) fn bindings(m: &Module<'_>) -> Vec<(Set, Binding)> {
    bound(m).map(|(_, place)| place).collect()
}

/// Returns the numbers of storage buffers and of uniform buffers in the module. Each element of an array counts.
pub(crate) fn buffers_of(m: &Module<'_>) -> (u32, u32) {
    let (mut storage, mut uniform) = (0_u32, 0_u32);
    for variable in m.resources() {
        let Some(mut ty) = m.pointee(variable.result()) else { continue };
        let mut count = 1_u32;
        if let Some(Type::Array { element, length }) = m.ty(ty) {
            count = m.constant(length).unwrap_or(1);
            ty = element;
        }
        let class = variable.storage_class();
        let is_buffer_block = || m.decoration(ty, Decoration::BUFFER_BLOCK).is_some();
        match class {
            StorageClass::STORAGE_BUFFER => storage = storage.saturating_add(count),
            StorageClass::UNIFORM if is_buffer_block() => storage = storage.saturating_add(count),
            StorageClass::UNIFORM => uniform = uniform.saturating_add(count),
            _ => {}
        }
    }
    (storage, uniform)
}
