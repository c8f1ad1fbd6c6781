//! The colour outputs of a fragment shader, by location: whole, in parts of some components, or in arrays.

use crate::{moves, unsupported};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, ErrorKind, Id, Module, StorageClass, Type};
use std::collections::{BTreeMap, HashSet};

/// Components of a colour that a variable has, or an element of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) variable: Id,
    /// Number of the element, where the variable is an array.
    pub(super) element: Option<u32>,
    /// First component.
    pub(super) first: u32,
    pub(super) count: u32,
    /// Type of the components together: a vector, unless there is one.
    pub(super) ty: Id,
    pub(super) component: Id,
    /// Of a component, in bits.
    pub(super) width: u32,
}

/// The largest location that is looked at: no device has as many attachments.
const LAST_LOCATION: u32 = 255;

/// The outputs of floats, by location.
pub(super) fn colours(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
) -> Result<BTreeMap<u32, Vec<Piece>>, Error> {
    let mut found: BTreeMap<u32, Vec<Piece>> = BTreeMap::new();
    for variable in moves::interface(m, entry, StorageClass::OUTPUT) {
        for (location, piece) in pieces(m, variable)? {
            let others = found.entry(location).or_default();
            let apart = |other: &Piece| {
                other.first + other.count <= piece.first || piece.first + piece.count <= other.first
            };
            if !others.iter().all(apart) {
                let message =
                    format!("two outputs have the same components of location {location}");
                return Err(unsupported(message, variable));
            }
            others.push(piece);
        }
    }
    Ok(found)
}

/// The pieces of one output; none where it is no colour of floats.
fn pieces(m: &Module<'_>, variable: Id) -> Result<Vec<(u32, Piece)>, Error> {
    let Some((_, ty)) = m.type_of(variable).and_then(|ty| m.pointer(ty)) else {
        return Ok(Vec::new());
    };
    let number = |decoration| m.decoration(variable, decoration)?.first().copied();
    let Some(location) = number(Decoration::LOCATION) else {
        let of_member = |applied: polyshade_spv::Applied<'_>| {
            applied.member.is_some() && applied.decoration == Decoration::LOCATION
        };
        if m.decorations_of(m.innermost_element(ty)).any(of_member) {
            return Err(unsupported("colours are members of a structure", variable));
        }
        return Ok(Vec::new());
    };
    let (element, length) = match m.ty(ty) {
        Some(Type::Array { element, length }) => {
            let length = m.constant(length).ok_or_else(|| {
                unsupported("the size of an array of colours depends on a constant", variable)
            })?;
            (element, Some(length))
        }
        _ => (ty, None),
    };
    let (component, count) = match m.ty(element) {
        Some(Type::Vector { component, count }) => (component, count),
        Some(Type::Float { .. } | Type::Int { .. }) => (element, 1),
        _ => return Err(unsupported("a colour is neither a scalar nor a vector", variable)),
    };
    let Some(Type::Float { width: width @ (16 | 32) }) = m.ty(component) else {
        return Ok(Vec::new());
    };
    if number(Decoration::INDEX).unwrap_or(0) != 0 {
        return Err(unsupported("the shader has a second source colour", variable));
    }
    let first = number(Decoration::COMPONENT).unwrap_or(0);
    let end = location.checked_add(length.unwrap_or(1)).filter(|end| *end <= LAST_LOCATION + 1);
    let (Some(end), true) = (end, first <= 3 && count <= 4 - first.min(3)) else {
        let message = "an output lies beyond the components or locations that there are";
        return Err(Error::new(ErrorKind::Malformed, message).about(variable));
    };
    let piece = |i| {
        let element = length.map(|_| i);
        (
            location + i,
            Piece { variable, element, first, count, ty: element_type(ty, m), component, width },
        )
    };
    Ok((0..end - location).map(piece).collect())
}

fn element_type(ty: Id, m: &Module<'_>) -> Id {
    match m.ty(ty) {
        Some(Type::Array { element, .. }) => element,
        _ => ty,
    }
}

/// `variables`, and the outputs that a function may get a pointer into instead of one of them: they move together.
pub(super) fn moving_together(m: &Module<'_>, variables: &[Id]) -> Vec<Id> {
    let mut moving = variables.to_vec();
    // Each turn adds an output, and an entry point has a few.
    loop {
        let reach = m.reach(&moving);
        let inside: HashSet<Id> = reach.pointers.iter().filter_map(|inst| inst.result()).collect();
        let mut found = Vec::new();
        for call in &reach.calls {
            let Some(callee) = m.function(call.function()) else { continue };
            for (argument, parameter) in call.arguments().zip(callee.parameters()) {
                let root = m.root(argument);
                if inside.contains(&parameter)
                    && m.storage_class(root) == Some(StorageClass::OUTPUT)
                    && m.variables().any(|variable| variable.result() == root)
                    && !moving.contains(&root)
                {
                    found.push(root);
                }
            }
        }
        if found.is_empty() {
            return moving;
        }
        found.sort_unstable();
        found.dedup();
        moving.extend(found);
    }
}
