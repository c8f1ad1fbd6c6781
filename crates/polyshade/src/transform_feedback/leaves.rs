//! Divides outputs into leaves: vectors and scalars.

use super::MAX_STRIDE;
use super::outputs::Part;
use crate::code::{self, refuse};
use crate::rewrite::Sizes;
use polyshade_spv::{Decoration, Error, Id, Module, Type};

/// A vector or scalar in an output.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Leaf {
    pub(super) part: Part,
    /// The type of a component.
    pub(super) component: Id,
    /// The number of components: 1 for a scalar.
    pub(super) count: u32,
    /// The size of a component in 32-bit units: 1 or 2.
    pub(super) width: u32,
    /// The location and 32-bit component at which the leaf begins; `None` for outputs without a location.
    pub(super) register: Option<(u32, u32)>,
    /// Whether the leaf is the first of an array, matrix or structure with 64-bit components.
    pub(super) begins_wide: bool,
    /// Whether the leaf is the last of an array, matrix or structure with 64-bit components.
    pub(super) ends_wide: bool,
}

impl Leaf {
    /// Returns the number of 32-bit units.
    pub(super) fn words(&self) -> u32 {
        self.count * self.width
    }
}

/// The maximum nesting depth of types, which is SPIR-V's limit for structures (specification, 2.17). Invalid modules
/// may have arrays that contain themselves.
const DEEPEST: u32 = 255;
/// The maximum number of leaves of one output. Each leaf occupies at least one 32-bit unit of a captured vertex.
const MOST: usize = (MAX_STRIDE / 4) as usize;
/// The maximum number of parts of one output that are visited.
const MOST_PARTS: usize = 4 * MOST;

/// Returns the vectors and scalars of `part` in the order of capture: members and elements one after the other,
/// matrices column by column. `location` is the location and component of the first leaf, if any. `name` is used in
/// messages.
pub(super) fn leaves(
    m: &Module<'_>,
    part: &Part,
    name: &str,
    location: Option<(u32, u32)>,
) -> Result<Vec<Leaf>, Error> {
    let mut walk = Walk { m, name, sizes: Sizes::new(m), visited: 0, found: Vec::new() };
    walk.part(part.clone(), location, DEEPEST)?;
    Ok(walk.found)
}

struct Walk<'w, 'm> {
    m: &'w Module<'m>,
    name: &'w str,
    sizes: Sizes<'w, 'm>,
    /// The number of visited parts. It limits the time, because structures without members add no leaves.
    visited: usize,
    found: Vec<Leaf>,
}

impl Walk<'_, '_> {
    fn part(&mut self, part: Part, location: Option<(u32, u32)>, depth: u32) -> Result<(), Error> {
        let m = self.m;
        self.visited += 1;
        if self.visited > MOST_PARTS {
            return Err(self.too_large(part.variable));
        }
        if depth == 0 {
            let message = format!("`{}` is nested more than {DEEPEST} deep", self.name);
            return refuse(&code::CAPTURE_NESTED_TOO_DEEP, message, part.variable);
        }
        let start = self.found.len();
        match m.ty(part.ty) {
            Some(Type::Array { element, length }) => {
                let length = self.length(&part, length)?;
                self.repeat(part, element, length, location, depth)?;
            }
            Some(Type::Matrix { column, count }) => {
                check_count(count, part.variable, self.name)?;
                self.repeat(part, column, count, location, depth)?;
            }
            Some(Type::Struct { id }) => self.members(part, id, location, depth)?,
            _ => return self.vector(part, location),
        }
        let inside = &mut self.found[start..];
        if inside.iter().any(|leaf| leaf.width == 2)
            && let [first, ..] = inside
        {
            first.begins_wide = true;
            inside.last_mut().expect("the list is not empty").ends_wide = true;
        }
        Ok(())
    }

    /// Adds the leaves of `count` elements of the type `element`.
    fn repeat(
        &mut self,
        part: Part,
        element: Id,
        count: u32,
        location: Option<(u32, u32)>,
        depth: u32,
    ) -> Result<(), Error> {
        let each = self.sizes.locations(element);
        for index in 0..count {
            let moved = |(first, component): (u32, u32)| {
                (first.saturating_add(index.saturating_mul(each)), component)
            };
            self.part(part.inside(index, element), location.map(moved), depth - 1)?;
        }
        Ok(())
    }

    fn members(
        &mut self,
        part: Part,
        structure: Id,
        location: Option<(u32, u32)>,
        depth: u32,
    ) -> Result<(), Error> {
        let m = self.m;
        let own = |member, decoration| {
            m.member_decoration(structure, member, decoration).and_then(|words| words.first())
        };
        // In an array of structures, the locations of members are those of the first element.
        let start = own(0, Decoration::LOCATION).copied();
        let shift = match (location, start) {
            (Some((first, _)), Some(start)) => first.saturating_sub(start),
            _ => 0,
        };
        let mut next = location.map(|(first, _)| first);
        for (member, ty) in (0..).zip(m.members(structure)) {
            let location = own(member, Decoration::LOCATION);
            let here = location.map(|location| location.saturating_add(shift)).or(next);
            let component = own(member, Decoration::COMPONENT).copied().unwrap_or(0);
            self.part(part.inside(member, ty), here.map(|here| (here, component)), depth - 1)?;
            next = here.map(|here| here.saturating_add(self.sizes.locations(ty)));
        }
        Ok(())
    }

    fn length(&self, part: &Part, length: Id) -> Result<u32, Error> {
        let Some(length) = self.m.constant(length) else {
            return Err(open_size(self.m, self.name, part.variable, length));
        };
        if length as usize > MOST {
            let message = format!(
                "`{}` has {length} elements: a vertex can take at most {MAX_STRIDE} bytes",
                self.name
            );
            return refuse(&code::CAPTURE_VERTEX_TOO_LARGE, message, part.variable);
        }
        Ok(length)
    }

    fn too_large(&self, variable: Id) -> Error {
        let message = format!("`{}` takes more than {MAX_STRIDE} bytes of a vertex", self.name);
        Error::new(&code::CAPTURE_VERTEX_TOO_LARGE, message).about(variable)
    }

    fn vector(&mut self, part: Part, register: Option<(u32, u32)>) -> Result<(), Error> {
        let (m, name) = (self.m, self.name);
        let (component, count) = match m.ty(part.ty) {
            Some(Type::Vector { component, count }) => (component, count),
            _ => (part.ty, 1),
        };
        check_count(count, part.variable, name)?;
        let width = match m.ty(component) {
            Some(
                Type::Int { width: width @ (32 | 64), .. }
                | Type::Float { width: width @ (32 | 64) },
            ) => width / 32,
            Some(Type::Int { width, .. } | Type::Float { width }) => {
                let message = format!("`{name}` has components of {width} bits, not 32 or 64");
                return refuse(&code::CAPTURE_COMPONENT_TYPE, message, part.variable);
            }
            _ => {
                let message = format!("`{name}` does not consist of numbers of 32 or 64 bits");
                return refuse(&code::CAPTURE_COMPONENT_TYPE, message, part.variable);
            }
        };
        if self.found.len() == MOST {
            return Err(self.too_large(part.variable));
        }
        let (begins_wide, ends_wide) = (false, false);
        self.found.push(Leaf { part, component, count, width, register, begins_wide, ends_wide });
        Ok(())
    }
}

/// Returns the error for a size that depends on a specialization constant, with the constant's id if it has one.
pub(super) fn open_size(m: &Module<'_>, name: &str, variable: Id, length: Id) -> Error {
    let message = format!("the size of `{name}` depends on a specialization constant");
    let error = Error::new(&code::CAPTURE_SPECIALIZED_SIZE, message).about(variable);
    match m.decoration(length, Decoration::SPEC_ID).and_then(|words| words.first()) {
        Some(number) => error.help(format!("give the value of constant {number} in the options")),
        None => error.help("give the values of the shader's constants in the options"),
    }
}

/// Refuses vectors and matrices with more than four components or columns, which only invalid modules have (SPIR-V
/// specification, 2.16.1).
fn check_count(count: u32, variable: Id, name: &str) -> Result<(), Error> {
    match count {
        1..=4 => Ok(()),
        _ => refuse(
            &code::CAPTURE_VECTOR_SIZE,
            format!("`{name}` has vectors or matrices of size {count}"),
            variable,
        ),
    }
}
