//! The outputs, or inputs, of a shader down to the vectors and scalars that they are made of.
//!
//! This is one half of the oracle: what a name, a location or a decoration means is found here anew, without a look at
//! how the lowering finds it.

use crate::constants::{self, Specialization};
use polyshade::Module;
use polyshade::rewrite;
pub(crate) use polyshade::spv::decode_text as text;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, Decoration, Id, StorageClass, Type};
use std::fmt::Write as _;

/// What a component is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    Float,
    Int,
    Uint,
    Bool,
}

/// Where the module's own decorations have a leaf captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feedback {
    /// `XfbBuffer`.
    pub buffer: u32,
    /// From the start of the vertex, in bytes.
    pub offset: u32,
    /// `XfbStride`.
    pub stride: u32,
}

/// A vector or scalar of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The variable.
    pub variable: Id,
    /// Members, elements and the column that lead to it.
    pub path: Vec<u32>,
    /// Its type.
    pub ty: Id,
    /// What its components are.
    pub kind: ScalarKind,
    /// The bits of a component.
    pub bits: u32,
    /// How many components it has; 1 for a scalar.
    pub count: u32,
    /// OpenGL's name: `a[1].b`, `Block.member`, `gl_Position`. Of a column, its matrix's; empty in a stripped module.
    pub name: String,
    /// The name of the array of which it is an element, where elements are numbers, vectors or matrices.
    pub whole: Option<String>,
    /// The number of the column, where it is one.
    pub column: Option<u32>,
    /// Its location and the component of it, of 32 bits, at which it begins.
    pub register: Option<(u32, u32)>,
    /// The built-in that it is, or is a part of.
    pub builtin: Option<BuiltIn>,
    /// It belongs to a patch, and not to its vertices.
    pub is_of_patch: bool,
    /// HLSL's semantic in capitals, and its index.
    pub semantic: Option<(String, u32)>,
    /// Where the module itself has it captured.
    pub feedback: Option<Feedback>,
}

impl Leaf {
    /// The 32-bit words that it is captured as; none where it cannot be captured.
    pub(crate) fn words(&self) -> u32 {
        match (self.kind, self.bits) {
            (ScalarKind::Bool, _) => 0,
            (_, 32) => self.count,
            (_, 64) => 2 * self.count,
            _ => 0,
        }
    }

    /// Moves it this many locations on.
    fn move_by(&mut self, locations: u32) {
        self.register = self.register.map(|(at, part)| (at.saturating_add(locations), part));
    }

    /// How a message calls it.
    pub(crate) fn title(&self) -> String {
        let mut title = match (self.name.as_str(), self.register) {
            ("", Some((location, _))) => format!("location {location}"),
            ("", None) => format!("output {}{:?}", self.variable, self.path),
            (name, _) => name.to_owned(),
        };
        if let Some(column) = self.column {
            let _ = write!(title, ", column {column}");
        }
        title
    }

    /// Whether two modules mean the same output by these leaves, whatever its id.
    pub(crate) fn is_same_output(&self, other: &Leaf) -> bool {
        let key = |leaf: &Leaf| (leaf.kind, leaf.bits, leaf.count, leaf.column, leaf.register);
        // The number of a built-in member is another where others have gone.
        let place = |leaf: &Leaf| match leaf.builtin {
            Some(_) => {
                leaf.path.last().filter(|_| leaf.whole.is_some()).into_iter().copied().collect()
            }
            None => leaf.path.clone(),
        };
        key(self) == key(other) && self.builtin == other.builtin && place(self) == place(other)
    }
}

/// How deep types may nest: SPIR-V's limit for structures (2.17). A module that is not valid may have an array of
/// itself.
const DEEPEST: usize = 255;
/// The most leaves that an interface may have.
const MOST: usize = 1 << 16;

/// The leaves of the inputs or outputs of `entry`, in the order of the interface, of members and of elements; or why
/// there are none.
pub(crate) fn leaves(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
    specialization: &Specialization,
) -> Result<Vec<Leaf>, String> {
    let mut walk = Walk { m, specialization, leaves: Vec::new() };
    for variable in rewrite::interface(m, entry, class) {
        let Some(ty) = m.pointee(variable) else {
            return Err(format!("interface variable {variable} has no pointer type"));
        };
        walk.variable(variable, ty)?;
    }
    Ok(walk.leaves)
}

struct Walk<'w, 'm> {
    m: &'w Module<'m>,
    specialization: &'w Specialization,
    leaves: Vec<Leaf>,
}

impl Walk<'_, '_> {
    fn variable(&mut self, variable: Id, ty: Id) -> Result<(), String> {
        let m = self.m;
        let literal = |decoration| m.decoration(variable, decoration)?.first().copied();
        let builtin = m.builtin(variable);
        let first = self.leaves.len();
        let component = literal(Decoration::COMPONENT).unwrap_or(0);
        // What is known on the way down: the components are found at the end of it.
        let at = Leaf {
            variable,
            path: Vec::new(),
            ty,
            kind: ScalarKind::Bool,
            bits: 0,
            count: 0,
            name: m.name(variable).unwrap_or_default().into_owned(),
            whole: None,
            column: None,
            register: literal(Decoration::LOCATION).map(|location| (location, component)),
            builtin,
            is_of_patch: m.decoration(variable, Decoration::PATCH).is_some(),
            semantic: None,
            feedback: None,
        };
        let element = m.innermost_element(ty);
        let is_block = builtin.is_none() && self.is_block(element);
        if is_block {
            let has_instance = element != ty || !at.name.is_empty();
            let block = m.name(element).unwrap_or_default().into_owned();
            let name = if has_instance { block } else { String::new() };
            self.blocks(Leaf { name, ..at }, ty, self.base(variable), &mut 0)?;
        } else {
            let name = builtin.and_then(BuiltIn::glsl_name).map_or(at.name.clone(), str::to_owned);
            self.part(Leaf { name, ..at }, ty)?;
            self.place_variable(variable, ty, first);
        }
        if let Some((name, index)) = self.semantic(variable) {
            for (leaf, index) in self.leaves[first..].iter_mut().zip(index..) {
                leaf.semantic = Some((name.clone(), index));
            }
        }
        Ok(())
    }

    /// Blocks, and `gl_PerVertex` of modules that leave out `Block`.
    fn is_block(&self, ty: Id) -> bool {
        self.m
            .decorations_of(ty)
            .any(|one| matches!(one.decoration, Decoration::BLOCK | Decoration::BUILT_IN))
    }

    /// The elements of an array of blocks, each captured to the next buffer, or the one block.
    fn blocks(&mut self, at: Leaf, ty: Id, base: Base, number: &mut u32) -> Result<(), String> {
        let Some(Type::Array { element, length }) = self.m.ty(ty) else {
            self.block(&at, ty, base, *number)?;
            *number += 1;
            return Ok(());
        };
        for index in 0..self.length(length, at.variable)? {
            let mut inside = self.inside(&at, index, 0)?;
            let _ = write!(inside.name, "[{index}]");
            let before = self.leaves.len();
            self.blocks(inside, element, base, number)?;
            if index > 0 {
                let taken = index.saturating_mul(self.locations(element, 0)?);
                self.leaves[before..].iter_mut().for_each(|leaf| leaf.move_by(taken));
            }
        }
        Ok(())
    }

    fn block(&mut self, at: &Leaf, ty: Id, base: Base, number: u32) -> Result<(), String> {
        let m = self.m;
        let mut location = at.register.map(|(location, _)| location);
        for (member, ty_of_member) in (0..).zip(m.members(ty)) {
            let literal = |kind| m.member_decoration(ty, member, kind)?.first().copied();
            let builtin = m.member_builtin(ty, member);
            location = literal(Decoration::LOCATION).or(location);
            let own = m.member_name(ty, member).unwrap_or_default();
            let name = match builtin.and_then(BuiltIn::glsl_name) {
                Some(name) => name.to_owned(),
                None if at.name.is_empty() || own.is_empty() => own.into_owned(),
                None => format!("{}.{own}", at.name),
            };
            let first = self.leaves.len();
            let mut path = at.path.clone();
            path.push(member);
            let component = literal(Decoration::COMPONENT).unwrap_or(0);
            let is_of_patch =
                at.is_of_patch || m.member_decoration(ty, member, Decoration::PATCH).is_some();
            let register = location.map(|location| (location, component));
            let part = Leaf { path, name, register, builtin, is_of_patch, ..at.clone() };
            self.part(part, ty_of_member)?;
            let taken = self.locations(ty_of_member, 0)?;
            if builtin.is_none() {
                location = location.map(|first| first.saturating_add(taken));
            }

            let offset = literal(Decoration::OFFSET);
            let buffer = literal(Decoration::XFB_BUFFER).or(base[0]);
            let stride = literal(Decoration::XFB_STRIDE).or(base[1]);
            if let (Some(offset), Some(buffer), Some(stride)) = (offset, buffer, stride) {
                let buffer = buffer.saturating_add(number);
                pack(&mut self.leaves[first..], Feedback { buffer, offset, stride });
            }
        }
        Ok(())
    }

    /// Descends from a part that is no block.
    fn part(&mut self, at: Leaf, ty: Id) -> Result<(), String> {
        match self.m.ty(ty) {
            Some(Type::Array { element, length }) => {
                let each = self.locations(element, 0)?;
                for index in 0..self.length(length, at.variable)? {
                    let mut inside = self.inside(&at, index, index.saturating_mul(each))?;
                    if !at.name.is_empty() {
                        inside.whole = Some(at.name.clone());
                        let _ = write!(inside.name, "[{index}]");
                    }
                    self.part(inside, element)?;
                }
                Ok(())
            }
            Some(Type::Struct { id }) => {
                let mut before = 0;
                for (member, ty) in (0..).zip(self.m.members(id)) {
                    let mut inside = self.inside(&at, member, before)?;
                    inside.whole = None;
                    let own = self.m.member_name(id, member).unwrap_or_default();
                    inside.name =
                        if own.is_empty() { String::new() } else { format!("{}.{own}", at.name) };
                    before += self.locations(ty, 0)?;
                    self.part(inside, ty)?;
                }
                Ok(())
            }
            Some(Type::Matrix { column, count }) => {
                let each = self.locations(column, 0)?;
                for index in 0..count.min(4) {
                    let inside = self.inside(&at, index, index.saturating_mul(each))?;
                    self.leaf(inside, column, Some(index))?;
                }
                Ok(())
            }
            _ => self.leaf(at, ty, None),
        }
    }

    /// A part of another one, so many locations behind its start.
    fn inside(&self, at: &Leaf, index: u32, locations: u32) -> Result<Leaf, String> {
        if at.path.len() >= DEEPEST {
            return Err(format!("output {} is nested too deeply", at.variable));
        }
        let mut inside = at.clone();
        inside.path.push(index);
        inside.move_by(locations);
        Ok(inside)
    }

    fn leaf(&mut self, at: Leaf, ty: Id, column: Option<u32>) -> Result<(), String> {
        let (component, count) = match self.m.ty(ty) {
            Some(Type::Vector { component, count }) => (component, count),
            _ => (ty, 1),
        };
        let (kind, bits) = match self.m.ty(component) {
            Some(Type::Float { width }) => (ScalarKind::Float, width),
            Some(Type::Int { width, signed: true }) => (ScalarKind::Int, width),
            Some(Type::Int { width, signed: false }) => (ScalarKind::Uint, width),
            Some(Type::Bool) => (ScalarKind::Bool, 0),
            _ => return Err(format!("output {} is not made of numbers", at.variable)),
        };
        if self.leaves.len() == MOST || count > 4 {
            return Err(format!("output {} is too large", at.variable));
        }
        self.leaves.push(Leaf { ty, kind, bits, count, column, ..at });
        Ok(())
    }

    fn length(&self, length: Id, variable: Id) -> Result<u32, String> {
        let length = constants::value(self.m, length, self.specialization);
        match length {
            Some(length) if length as usize <= MOST => Ok(length),
            Some(length) => Err(format!("output {variable} has {length} elements")),
            None => Err(format!("output {variable} has an array whose length is not known")),
        }
    }

    /// The locations that a value of type `ty` takes.
    fn locations(&self, ty: Id, depth: usize) -> Result<u32, String> {
        if depth > DEEPEST {
            return Err(format!("type {ty} is nested too deeply"));
        }
        let of = |ty| self.locations(ty, depth + 1);
        Ok(match self.m.ty(ty) {
            Some(Type::Array { element, length }) => {
                self.length(length, ty)?.saturating_mul(of(element)?).min(MOST as u32)
            }
            Some(Type::Struct { id }) => self.m.members(id).try_fold(0_u32, |sum, member| {
                of(member).map(|taken| sum.saturating_add(taken).min(MOST as u32))
            })?,
            Some(Type::Matrix { column, count }) => count.min(4) * of(column)?,
            Some(Type::Vector { component, count: 3 | 4 }) => match self.m.ty(component) {
                Some(Type::Float { width: 64 } | Type::Int { width: 64, .. }) => 2,
                _ => 1,
            },
            _ => 1,
        })
    }
}

/// The buffer and the stride that members inherit from their block.
type Base = [Option<u32>; 2];

impl Walk<'_, '_> {
    fn base(&self, variable: Id) -> Base {
        let literal = |kind| self.m.decoration(variable, kind)?.first().copied();
        [Decoration::XFB_BUFFER, Decoration::XFB_STRIDE].map(literal)
    }

    /// A variable that is no block has its offset itself, or on the members of its structure.
    fn place_variable(&mut self, variable: Id, ty: Id, first: usize) {
        let m = self.m;
        let [Some(buffer), Some(stride)] = self.base(variable) else { return };
        if let Some(&[offset]) = m.decoration(variable, Decoration::OFFSET) {
            return pack(&mut self.leaves[first..], Feedback { buffer, offset, stride });
        }
        let member = |leaf: &Leaf| leaf.path.first().copied();
        for leaves in self.leaves[first..].chunk_by_mut(|one, other| member(one) == member(other)) {
            let offset = member(&leaves[0])
                .and_then(|member| m.member_decoration(ty, member, Decoration::OFFSET));
            if let Some(&[offset]) = offset {
                pack(leaves, Feedback { buffer, offset, stride });
            }
        }
    }

    /// HLSL's semantic: as decorated, or in the name that DXC gives an output.
    fn semantic(&self, variable: Id) -> Option<(String, u32)> {
        match self.m.decoration(variable, Decoration::USER_SEMANTIC) {
            Some(words) => split_semantic(&text(words)),
            None => split_semantic(self.m.name(variable)?.strip_prefix("out.var.")?),
        }
    }
}

/// Places leaves one behind the other: each component at a multiple of its size, and each array, matrix or structure
/// that has components of 64 bits at a multiple of 8, wherever it nests, as drivers do.
fn pack(leaves: &mut [Leaf], at: Feedback) {
    let mut offset = at.offset;
    for index in 0..leaves.len() {
        let size = leaves[index].bits / 8;
        let unit = if begins_wide(leaves, index) { 8 } else { size.max(4) };
        offset = offset.checked_next_multiple_of(unit).unwrap_or(offset);
        leaves[index].feedback = Some(Feedback { offset, ..at });
        offset = offset.saturating_add(size.saturating_mul(leaves[index].count));
    }
}

/// Whether the largest part that begins with leaf `index`, and not before, has components of 64 bits.
fn begins_wide(leaves: &[Leaf], index: usize) -> bool {
    let path = &leaves[index].path;
    let before = index.checked_sub(1).map_or(&[][..], |before| &leaves[before].path);
    let shared = path.iter().zip(before).take_while(|(one, other)| one == other).count();
    let part = &path[..path.len().min(shared + 1)];
    leaves[index..]
        .iter()
        .take_while(|leaf| leaf.path.starts_with(part))
        .any(|leaf| leaf.bits == 64)
}

/// Name, in capitals, and index: `Colour1` is 1 of `COLOUR`, `COLOUR` is 0.
pub(crate) fn split_semantic(text: &str) -> Option<(String, u32)> {
    let name = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = &text[name.len()..];
    let index = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    Some((name.to_ascii_uppercase(), index))
}

/// Which locations and components each word of `leaf` lies at.
pub(crate) fn registers(leaf: &Leaf) -> impl Iterator<Item = (u32, u32)> {
    let (location, component) = leaf.register.unwrap_or((0, 0));
    let count = leaf.register.map_or(0, |_| leaf.count * leaf.bits.div_ceil(32));
    (0..count).map(move |word| {
        let at = component.saturating_add(word);
        (location.saturating_add(at / 4), at % 4)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Floats from a register on, without other decorations; `name` may be that of an element.
    pub(crate) fn leaf(name: &str, count: u32, register: (u32, u32)) -> Leaf {
        let id = Id::new(1).expect("1 is not 0");
        Leaf {
            variable: id,
            path: Vec::new(),
            ty: id,
            kind: ScalarKind::Float,
            bits: 32,
            count,
            name: name.to_owned(),
            whole: name.split_once('[').map(|(array, _)| array.to_owned()),
            column: None,
            register: Some(register),
            builtin: None,
            is_of_patch: false,
            semantic: None,
            feedback: None,
        }
    }
}
