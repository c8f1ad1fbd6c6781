//! Adds members to the push constants of an entry point, which can have only one push-constant block.

use super::add_to_interface;
use super::resource::{HostBlock, Words, decorate_words};
use crate::code::{self, refuse};
use foldhash::{HashMap, HashMapExt, HashSet};
use polyshade_spv::view::{AnyVariable, EntryPoint, TypePointer};
use polyshade_spv::{Decoration, Error, Id, Module, Op, Patch, Section, StorageClass, Type};
use std::ops::Range;

/// Adds `uint` members at `offset`, `offset + 4`, … bytes to the push constants of `entry`. Extends the existing
/// block, since an entry point may have only one, or adds a block if there is none.
///
/// # Errors
///
/// `Options`: `offset` is not a multiple of 4, or is before the end of the existing members. `Unsupported`: the block
/// cannot grow because its type has other uses, another entry point uses it, it ends with an array of unknown length,
/// or its variable is untyped.
pub fn push_constants<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    offset: u32,
    name: &str,
    names: &[&str],
) -> Result<HostBlock, Error> {
    let span = Span { offset, names: names.to_vec() };
    let blocks = push_constant_spans(m, p, entry, name, std::slice::from_ref(&span))?;
    Ok(blocks[0])
}

/// Consecutive members.
pub(super) struct Span<'n> {
    /// The offset of the first member, in bytes.
    pub(super) offset: u32,
    pub(super) names: Vec<&'n str>,
}

/// Does the same as [`push_constants`] for several spans of members, and returns one [`HostBlock`] per span. All
/// spans must be added in one call, because an entry point has only one block. They must not overlap.
pub(super) fn push_constant_spans<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    name: &str,
    spans: &[Span<'_>],
) -> Result<Vec<HostBlock>, Error> {
    for Span { offset, names } in spans {
        if !offset.is_multiple_of(4) || offset.checked_add(names.len() as u32 * 4).is_none() {
            let message = format!(
                "push constants cannot begin at byte {offset}: not a multiple of 4, or too large"
            );
            return Err(Error::new(&code::PARAMS_PUSH_CONSTANTS_OFFSET, message));
        }
    }
    let class = StorageClass::PUSH_CONSTANT;
    // Without a block, add one.
    let Some(variable) = push_constant_block(m, entry) else {
        let uint = p.uint();
        let count = spans.iter().map(|span| span.names.len()).sum();
        let block = p.structure(&vec![uint; count]);
        p.decorate(block, Decoration::BLOCK, &[]);
        let variable = p.variable(class, block, None);
        let added = add_members(p, variable, block, 0, spans);
        p.name(variable, name);
        add_to_interface(m, p, entry, variable);
        return Ok(added);
    };

    // An existing block must be able to grow, and must end before the new members.
    if variable.inst().op() == Op::UNTYPED_VARIABLE_KHR {
        let message = "cannot add push constants: the shader declares an untyped variable for them";
        return refuse(&code::PARAMS_PUSH_CONSTANTS_TYPE, message, variable.result());
    }
    let structure = m.pointee(variable.result()).and_then(|block| m.definition(block));
    let structure = structure.filter(|inst| inst.op() == Op::TYPE_STRUCT);
    let Some((inst, block)) = structure.and_then(|inst| Some((inst, inst.result()?))) else {
        let message = "the push constants of the shader are not a structure";
        return refuse(&code::PARAMS_PUSH_CONSTANTS_TYPE, message, variable.result());
    };
    growable(m, entry, variable, block)?;
    let end = Measure { m, structures: HashMap::new() }.block_end(block, DEEPEST);
    let Some(end) = end.and_then(|end| end.checked_next_multiple_of(4)) else {
        let message = "the size of the push constants is not known";
        return refuse(&code::PARAMS_PUSH_CONSTANTS_SIZE, message, block);
    };
    if let Some(Span { offset, .. }) = spans.iter().find(|span| span.offset < end) {
        let message =
            format!("the push constants of the shader end at byte {end}, after byte {offset}");
        return refuse(&code::PARAMS_PUSH_CONSTANTS_OVERLAP, message, variable.result());
    }
    // Declare the structure again with the new members.
    let first_member = m.members(block).len() as u32;
    let uint = p.declare_before(Op::TYPE_INT, &[32, 0], inst.at());
    let mut operands = inst.words()[1..].to_vec();
    operands.extend(spans.iter().flat_map(|span| &span.names).map(|_| uint.word()));
    p.remove(inst);
    p.insert(inst.after(), inst.op(), &operands);
    Ok(add_members(p, variable.result(), block, first_member, spans))
}

/// Decorates the new members of `block`, which begin at `first_member`, with offsets and names.
fn add_members(
    p: &mut Patch<'_, '_>,
    variable: Id,
    block: Id,
    first_member: u32,
    spans: &[Span<'_>],
) -> Vec<HostBlock> {
    let class = StorageClass::PUSH_CONSTANT;
    let mut member = first_member;
    let added = spans.iter().map(|span| {
        decorate_words(p, block, member, &span.names, span.offset);
        let words = Words::Members(member);
        member += span.names.len() as u32;
        HostBlock { variable, class, words }
    });
    added.collect()
}

/// Returns the range of push constants, in bytes, that `entry` already uses. If the size of its block is not known,
/// the range includes all bytes.
pub(super) fn push_constant_bytes<'m>(
    m: &'m Module<'_>,
    entry: EntryPoint<'m>,
) -> Option<Range<u32>> {
    let variable = push_constant_block(m, entry)?;
    let block = m.pointee(variable.result());
    let measured = block.and_then(|block| {
        let end = Measure { m, structures: HashMap::new() }.block_end(block, DEEPEST)?;
        let offset = |member| m.member_decoration(block, member, Decoration::OFFSET)?.first();
        let start = (0..m.members(block).len() as u32).filter_map(offset).min()?;
        Some(*start..end)
    });
    Some(measured.unwrap_or(0..u32::MAX))
}

/// Returns the push-constant block that `entry` uses.
fn push_constant_block<'m>(m: &'m Module<'_>, entry: EntryPoint<'m>) -> Option<AnyVariable<'m>> {
    let is_block =
        |variable: &AnyVariable<'_>| variable.storage_class() == StorageClass::PUSH_CONSTANT;
    // From SPIR-V 1.4 on, the interface lists the block, even if no code uses it.
    let mut listed = entry.interface().filter_map(|id| AnyVariable::of(m.definition(id)?));
    if let Some(block) = listed.find(is_block) {
        return Some(block);
    }
    let functions: HashSet<Id> = m.reachable(entry.function()).into_iter().collect();
    let mut blocks = m.resources().filter(is_block);
    blocks.find(|variable| {
        m.uses_of(variable.result())
            .filter_map(|inst| m.function_around(inst.at()))
            .any(|function| functions.contains(&function.id()))
    })
}

/// Fails if no members can be appended to `block`, the type of the push-constant variable `variable`.
fn growable(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    variable: AnyVariable<'_>,
    block: Id,
) -> Result<(), Error> {
    // Nothing else may use the type `block`, and no other entry point may use the variable.
    let only_pointed_to = m.uses_of(block).all(|inst| {
        let annotation = inst.at() < m.section_end(Section::Annotations);
        annotation
            || TypePointer::of(inst)
                .is_some_and(|pointer| pointer.storage_class() == StorageClass::PUSH_CONSTANT)
    });
    if !only_pointed_to {
        let message = "cannot add members to the push-constant block: its type has other uses";
        return refuse(&code::PARAMS_PUSH_CONSTANTS_SHARED, message, block);
    }
    let points_to_block = |other: &AnyVariable<'_>| m.pointee(other.result()) == Some(block);
    if m.resources().filter(points_to_block).count() > 1 {
        let message =
            "cannot add members to the push-constant block: another variable has the same type";
        return refuse(&code::PARAMS_PUSH_CONSTANTS_SHARED, message, block);
    }
    let others = m.entry_points().filter(|other| other.function() != entry.function());
    let others: HashSet<Id> =
        others.flat_map(|other| other.interface().chain([other.function()])).collect();
    let reached: HashSet<Id> = m.reachable_from(others.iter().copied()).into_iter().collect();
    let used = m
        .uses_of(variable.result())
        .filter_map(|inst| m.function_around(inst.at()))
        .any(|function| reached.contains(&function.id()));
    if used || others.contains(&variable.result()) {
        let message =
            "cannot add members to the push-constant block: another entry point also uses it";
        return refuse(&code::PARAMS_PUSH_CONSTANTS_SHARED, message, variable.result());
    }
    Ok(())
}

/// The maximum nesting of structures (SPIR-V specification, 2.17, "Universal Limits").
const DEEPEST: u32 = 255;

/// The layout of the matrices in a member.
#[derive(Clone, Copy)]
struct Matrix {
    /// The matrix stride in bytes.
    stride: Option<u32>,
    row_major: bool,
}

/// Computes sizes in bytes of types with an explicit layout. Each structure is measured only once.
struct Measure<'m, 'w> {
    m: &'m Module<'w>,
    /// Size and alignment of the structures measured so far.
    structures: HashMap<Id, Option<(u32, u32)>>,
}

impl Measure<'_, '_> {
    /// Returns the offset of the byte after the last member of `block`; `None` if it is not known.
    fn block_end(&mut self, block: Id, depth: u32) -> Option<u32> {
        let m = self.m;
        let mut end = 0_u32;
        for (member, ty) in (0..).zip(m.members(block)) {
            let word =
                |decoration| m.member_decoration(block, member, decoration)?.first().copied();
            let matrix = Matrix {
                stride: word(Decoration::MATRIX_STRIDE),
                row_major: m.member_decoration(block, member, Decoration::ROW_MAJOR).is_some(),
            };
            let (size, _) = self.size_and_alignment(ty, matrix, depth)?;
            end = end.max(word(Decoration::OFFSET)?.checked_add(size)?);
        }
        Some(end)
    }

    /// Returns the size and alignment of a type. The size of a structure is rounded up (Vulkan, "Offset and Stride
    /// Assignment").
    fn size_and_alignment(&mut self, ty: Id, matrix: Matrix, depth: u32) -> Option<(u32, u32)> {
        let depth = depth.checked_sub(1)?;
        match self.m.ty(ty)? {
            Type::Int { width, .. } | Type::Float { width } => Some((width / 8, width / 8)),
            Type::Vector { component, count } => {
                let (size, alignment) = self.size_and_alignment(component, matrix, depth)?;
                let aligned_as = count.checked_next_power_of_two()?;
                Some((size.checked_mul(count)?, alignment.checked_mul(aligned_as)?))
            }
            Type::Matrix { column, count } => {
                let Some(Type::Vector { count: rows, .. }) = self.m.ty(column) else { return None };
                let (_, alignment) = self.size_and_alignment(column, matrix, depth)?;
                let vectors = if matrix.row_major { rows } else { count };
                Some((matrix.stride?.checked_mul(vectors)?, alignment))
            }
            Type::Array { element, length } => {
                let stride = self.m.decoration(ty, Decoration::ARRAY_STRIDE)?.first()?;
                let (_, alignment) = self.size_and_alignment(element, matrix, depth)?;
                Some((stride.checked_mul(self.m.constant(length)?)?, alignment))
            }
            Type::Struct { id } => {
                if !self.structures.contains_key(&id) {
                    let measured = self.structure(id, depth);
                    self.structures.insert(id, measured);
                }
                self.structures[&id]
            }
            Type::Pointer { class: StorageClass::PHYSICAL_STORAGE_BUFFER, .. } => Some((8, 8)),
            Type::Void | Type::Bool | Type::Pointer { .. } | Type::Other(_) => None,
        }
    }

    fn structure(&mut self, id: Id, depth: u32) -> Option<(u32, u32)> {
        let end = self.block_end(id, depth)?;
        let plain = Matrix { stride: Some(0), row_major: false };
        let mut most = 1;
        for member in self.m.members(id) {
            most = self.size_and_alignment(member, plain, depth)?.1.max(most);
        }
        Some((end.checked_next_multiple_of(most)?, most))
    }
}
