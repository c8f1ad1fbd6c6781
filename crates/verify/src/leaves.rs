//! The outputs, or inputs, of a shader, divided into their vectors and scalars.
//!
//! This is one half of the oracle: it interprets names, locations and decorations independently of the lowering.

use crate::constants::{self, Specialization};
use polyshade::Module;
use polyshade::rewrite;
pub(crate) use polyshade::spv::decode_text as text;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{BuiltIn, Decoration, Id, StorageClass, Type};
use std::fmt::Write as _;

/// The type of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    Float,
    Int,
    Uint,
    Bool,
}

/// The place to which the module's decorations capture a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feedback {
    /// `XfbBuffer`.
    pub buffer: u32,
    /// The offset from the start of the captured vertex, in bytes.
    pub offset: u32,
    /// `XfbStride`.
    pub stride: u32,
}

/// A vector or scalar of an output or input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The interface variable that contains the leaf.
    pub variable: Id,
    /// The member indices, element indices and column that lead to the leaf.
    pub path: Vec<u32>,
    /// The id of the leaf's vector or scalar type.
    pub ty: Id,
    /// The type of a component.
    pub kind: ScalarKind,
    /// The width of a component in bits.
    pub bits: u32,
    /// The number of components; 1 for a scalar.
    pub count: u32,
    /// The name in OpenGL, such as `a[1].b`, `Block.member` or `gl_Position`. A column has the name of its matrix.
    /// Empty if stripped.
    pub name: String,
    /// The name of the array that contains the leaf, if the array's elements are scalars, vectors or matrices.
    pub whole: Option<String>,
    /// The number of the column, if the leaf is a matrix column.
    pub column: Option<u32>,
    /// The location, and the 32-bit component of it at which the leaf begins.
    pub register: Option<(u32, u32)>,
    /// The built-in that the leaf is, or is a part of.
    pub builtin: Option<BuiltIn>,
    /// Whether the leaf belongs to a patch, not to a vertex.
    pub is_of_patch: bool,
    /// The name of the HLSL semantic in capitals, and its index.
    pub semantic: Option<(String, u32)>,
    /// The place to which the module's decorations capture the leaf.
    pub feedback: Option<Feedback>,
}

impl Leaf {
    /// The number of captured 32-bit words; 0 if the leaf cannot be captured.
    pub(crate) fn words(&self) -> u32 {
        match (self.kind, self.bits) {
            (ScalarKind::Bool, _) => 0,
            (_, 32) => self.count,
            (_, 64) => 2 * self.count,
            _ => 0,
        }
    }

    /// Adds `locations` to the leaf's location.
    fn move_by(&mut self, locations: u32) {
        self.register = self.register.map(|(at, part)| (at.saturating_add(locations), part));
    }

    /// The name of the leaf in messages.
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

    /// Whether two leaves, possibly in different modules with different ids, are the same output.
    pub(crate) fn is_same_output(&self, other: &Leaf) -> bool {
        let key = |leaf: &Leaf| (leaf.kind, leaf.bits, leaf.count, leaf.column, leaf.register);
        // The index of a built-in member changes if other members are removed.
        let place = |leaf: &Leaf| match leaf.builtin {
            Some(_) => {
                leaf.path.last().filter(|_| leaf.whole.is_some()).into_iter().copied().collect()
            }
            None => leaf.path.clone(),
        };
        key(self) == key(other) && self.builtin == other.builtin && place(self) == place(other)
    }
}

/// The maximum nesting of types: SPIR-V's limit for structures (2.17). Invalid arrays may contain themselves.
const DEEPEST: usize = 255;
/// The maximum number of leaves in an interface.
const MOST: usize = 1 << 16;

/// Returns the leaves of `entry`'s inputs or outputs, in interface, member and element order, or why that is
/// impossible.
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
        // The recursion fills in the path and the component type.
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

    /// Whether a type is a block. This includes `gl_PerVertex` in modules that omit the decoration `Block`.
    fn is_block(&self, ty: Id) -> bool {
        self.m
            .decorations_of(ty)
            .any(|one| matches!(one.decoration, Decoration::BLOCK | Decoration::BUILT_IN))
    }

    /// Visits a block, or the elements of an array of blocks, which are captured to consecutive buffers.
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

    /// Visits a part that is not a block.
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

    /// Returns part `index` of `at`, which begins `locations` after the start of `at`.
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
            Some(length) => Err(format!("output {variable} has too many elements: {length}")),
            None => Err(format!("output {variable} has an array whose length is not known")),
        }
    }

    /// The number of locations that a value of type `ty` occupies.
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

/// The `XfbBuffer` and `XfbStride` that members inherit from their block.
type Base = [Option<u32>; 2];

impl Walk<'_, '_> {
    fn base(&self, variable: Id) -> Base {
        let literal = |kind| self.m.decoration(variable, kind)?.first().copied();
        [Decoration::XFB_BUFFER, Decoration::XFB_STRIDE].map(literal)
    }

    /// Sets the capture places of a variable that is not a block. The variable or its structure's members have
    /// `Offset`.
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

    /// The HLSL semantic: from its decoration, or from the name that DXC gives an output.
    fn semantic(&self, variable: Id) -> Option<(String, u32)> {
        match self.m.decoration(variable, Decoration::USER_SEMANTIC) {
            Some(words) => split_semantic(&text(words)),
            None => split_semantic(self.m.name(variable)?.strip_prefix("out.var.")?),
        }
    }
}

/// Gives leaves consecutive capture places. As in drivers, each component is aligned to its size. Each array, matrix
/// or structure that contains 64-bit components is aligned to 8 bytes, at any depth of nesting.
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

/// Whether the largest part that begins with leaf `index` has 64-bit components.
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

/// Splits a semantic into its name, in capitals, and its index: `Colour1` has index 1, and `COLOUR` has index 0.
pub(crate) fn split_semantic(text: &str) -> Option<(String, u32)> {
    let name = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = &text[name.len()..];
    let index = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    Some((name.to_ascii_uppercase(), index))
}

/// The location and component of each word of `leaf`.
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

    /// Makes a leaf of floats at a register, without other decorations. `name` may be the name of an array element.
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
