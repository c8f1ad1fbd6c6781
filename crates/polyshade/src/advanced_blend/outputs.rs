//! The colour outputs of a fragment shader, by location. A colour can be one variable, several variables with some
//! components each, or an element of an array. A location may have a first and a second source.

use crate::code::{self, refuse};
use crate::rewrite;
use foldhash::HashSet;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Decoration, Error, Id, Module, StorageClass, Type};
use std::collections::BTreeMap;

/// Consecutive components of a colour that are in one variable, or in one element of an array variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) variable: Id,
    /// The number of the element, if the variable is an array.
    pub(super) element: Option<u32>,
    pub(super) first: u32,
    pub(super) count: u32,
    /// The type of the piece: a vector, or a scalar for one component.
    pub(super) ty: Id,
    pub(super) component: Id,
    pub(super) numbers: Numbers,
    /// The number of bits of a component.
    pub(super) width: u32,
}

/// The type of components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    Floats,
    Signed,
    Unsigned,
}

/// The outputs at one location.
#[derive(Clone, Default, Debug)]
pub(super) struct Colour {
    pub(super) first: Vec<Piece>,
    /// The second source: outputs with `Index` 1.
    pub(super) second: Vec<Piece>,
}

impl Colour {
    /// Returns the type of the colour's components, which is the same for all outputs of a location.
    pub(super) fn numbers(&self) -> Option<Numbers> {
        self.first.first().map(|piece| piece.numbers)
    }
}

/// The largest location that is examined. No device has that many attachments.
const LAST_LOCATION: u32 = 255;

/// Returns the colours, by location.
pub(super) fn colours(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
) -> Result<BTreeMap<u32, Colour>, Error> {
    let mut found: BTreeMap<u32, Colour> = BTreeMap::new();
    for variable in rewrite::interface(m, entry, StorageClass::OUTPUT) {
        let is_second = index(m, variable)?;
        for (location, piece) in pieces(m, variable)? {
            let colour = found.entry(location).or_default();
            let others = if is_second { &mut colour.second } else { &mut colour.first };
            // Outputs may share a location but not a component, and must have the same component type.
            let apart = |other: &Piece| {
                other.first + other.count <= piece.first || piece.first + piece.count <= other.first
            };
            if !others.iter().all(apart) {
                let message =
                    format!("two outputs have the same components of location {location}");
                return refuse(&code::BLEND_OVERLAPPING_OUTPUTS, message, variable);
            }
            if others.iter().any(|other| other.numbers != piece.numbers) {
                let message =
                    format!("outputs at location {location} have different component types");
                return refuse(&code::BLEND_MIXED_TYPES, message, variable);
            }
            others.push(piece);
        }
    }
    Ok(found)
}

/// Whether an output belongs to the second source.
fn index(m: &Module<'_>, variable: Id) -> Result<bool, Error> {
    match m.decoration(variable, Decoration::INDEX).and_then(|index| index.first()) {
        None | Some(0) => Ok(false),
        Some(1) => Ok(true),
        Some(index) => {
            let message = format!("an output has index {index}, but only 0 and 1 are valid");
            refuse(&code::BLEND_INVALID_OUTPUT, message, variable)
        }
    }
}

/// Returns the pieces of an output, with their locations. There are none if its components do not have 16 or 32 bits.
fn pieces(m: &Module<'_>, variable: Id) -> Result<Vec<(u32, Piece)>, Error> {
    let Some(ty) = m.pointee(variable) else {
        return Ok(Vec::new());
    };
    // Only variables with a location are colours.
    let number = |decoration| m.decoration(variable, decoration)?.first().copied();
    let Some(location) = number(Decoration::LOCATION) else {
        let of_member = |applied: polyshade_spv::Applied<'_>| {
            applied.member.is_some() && applied.decoration == Decoration::LOCATION
        };
        if m.decorations_of(m.innermost_element(ty)).any(of_member) {
            return refuse(
                &code::BLEND_OUTPUT_TYPE,
                "colour outputs are members of a structure",
                variable,
            );
        }
        return Ok(Vec::new());
    };
    // Determine the element of an array, its components, and the type of these.
    let (element, length) = match m.ty(ty) {
        Some(Type::Array { element, length }) => {
            let length = m.constant(length).ok_or_else(|| {
                Error::new(
                    &code::BLEND_SPECIALIZED_SIZE,
                    "the size of an array of colour outputs depends on a specialization constant",
                )
                .about(variable)
            })?;
            (element, Some(length))
        }
        _ => (ty, None),
    };
    let (component, count) = match m.ty(element) {
        Some(Type::Vector { component, count }) => (component, count),
        Some(Type::Float { .. } | Type::Int { .. }) => (element, 1),
        _ => {
            return refuse(
                &code::BLEND_OUTPUT_TYPE,
                "a colour output is neither a scalar nor a vector",
                variable,
            );
        }
    };
    let (numbers, width) = match m.ty(component) {
        Some(Type::Float { width: width @ (16 | 32) }) => (Numbers::Floats, width),
        Some(Type::Int { width: width @ (16 | 32), signed: true }) => (Numbers::Signed, width),
        Some(Type::Int { width: width @ (16 | 32), signed: false }) => (Numbers::Unsigned, width),
        _ => return Ok(Vec::new()),
    };
    // Every piece must be within the range of components and locations that a device supports.
    let first = number(Decoration::COMPONENT).unwrap_or(0);
    let end = location.checked_add(length.unwrap_or(1)).filter(|end| *end <= LAST_LOCATION + 1);
    let (Some(end), true) = (end, first <= 3 && count <= 4 - first.min(3)) else {
        let message = "an output exceeds the valid components or locations";
        return refuse(&code::BLEND_INVALID_OUTPUT, message, variable);
    };
    let piece = |i| {
        let element = length.map(|_| i);
        let ty = element_type(ty, m);
        (location + i, Piece { variable, element, first, count, ty, component, numbers, width })
    };
    Ok((0..end - location).map(piece).collect())
}

fn element_type(ty: Id, m: &Module<'_>) -> Id {
    match m.ty(ty) {
        Some(Type::Array { element, .. }) => element,
        _ => ty,
    }
}

/// Returns `variables`, and all outputs that must move with them because a function receives either through the same
/// pointer parameter.
pub(super) fn moving_together(m: &Module<'_>, variables: &[Id]) -> Vec<Id> {
    let mut moving = variables.to_vec();
    // Each round adds an output. An entry point has few outputs, so this ends soon.
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
