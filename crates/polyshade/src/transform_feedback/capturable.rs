//! Lists the outputs that can be captured.

use super::layout::Piece;
use super::outputs::{Output, Outputs, Part};
use super::select::{by_name, variable, whole};
use super::varying::{Components, Locations, Varying};
use crate::rewrite::Sizes;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, Module, Type};

/// Lists varyings that together capture all outputs of `entry`, in the order of its interface. Each varying comes with
/// its number of 32-bit components, or with the reason why it cannot be captured. A varying is identified by name if
/// possible, otherwise as a built-in, by locations, or by id. OpenGL cannot name structures and arrays of arrays as a
/// whole, so their parts are listed.
pub fn capturable(m: &Module<'_>, entry: EntryPoint<'_>) -> Vec<(Varying, Result<u32, Error>)> {
    let outputs = Outputs::of(m, entry);
    let mut found = Vec::new();
    for output in &outputs.all {
        let names = output.name.as_ref().and_then(|name| {
            let is_unique = outputs.named(name).nth(1).is_none();
            let mut names = Vec::new();
            let mut left = MOST;
            let all = is_unique
                && parts(m, &output.part, name.to_string(), DEEPEST, (&mut names, &mut left));
            all.then_some(names)
        });
        match names {
            Some(names) => found.extend(names.into_iter().map(|name| {
                let components = words(by_name(m, &outputs, &name));
                (Varying::Name(name), components)
            })),
            None => {
                let one = without_name(m, &outputs, output);
                // The members of a block may share one id.
                if found.last().is_none_or(|(last, _)| *last != one.0) {
                    found.push(one);
                }
            }
        }
    }
    found
}

/// The maximum nesting depth of named parts.
const DEEPEST: u32 = 16;
/// The maximum number of parts of one output that are visited, with or without names.
const MOST: u32 = 8192;

/// Adds the names of the parts into which `part` must be divided for capture by name. Returns `false` if a part has no
/// name. `left` limits the number of visited parts.
fn parts(
    m: &Module<'_>,
    part: &Part,
    name: String,
    depth: u32,
    (names, left): (&mut Vec<String>, &mut u32),
) -> bool {
    let (Some(next), 1..) = (left.checked_sub(1), depth) else { return false };
    *left = next;
    let is_aggregate = |ty| matches!(m.ty(ty), Some(Type::Array { .. } | Type::Struct { .. }));
    match m.ty(part.ty) {
        Some(Type::Array { element, length }) if is_aggregate(element) => {
            let Some(length) = m.constant(length) else {
                // A capture by this name fails with an error about the specialization constant.
                names.push(name);
                return true;
            };
            (0..length).all(|index| {
                let element = part.inside(index, element);
                parts(m, &element, format!("{name}[{index}]"), depth - 1, (names, left))
            })
        }
        Some(Type::Struct { id }) => {
            (0..).zip(m.members(id)).all(|(member, ty)| match m.member_name(id, member) {
                Some(own) => {
                    let part = part.inside(member, ty);
                    parts(m, &part, format!("{name}.{own}"), depth - 1, (names, left))
                }
                None => false,
            })
        }
        _ => {
            names.push(name);
            true
        }
    }
}

fn without_name(
    m: &Module<'_>,
    outputs: &Outputs,
    output: &Output,
) -> (Varying, Result<u32, Error>) {
    let mut sizes = Sizes::new(m);
    let mut locations = |output: &Output| {
        let first = output.location.filter(|_| output.builtin.is_none())?;
        let last = first.saturating_add(sizes.locations(output.part.ty).max(1) - 1);
        Some(Locations { first, last, components: Components::ALL })
    };
    let own = locations(output);
    let mut overlaps = |mine: Locations| {
        let others = outputs.all.iter().filter(|other| other.part != output.part);
        let mut others = others.filter_map(&mut locations);
        others.any(|other| mine.first <= other.last && other.first <= mine.last)
    };
    let varying = match (output.builtin, own) {
        (Some(builtin), _) => Varying::BuiltIn(builtin),
        (None, Some(own)) if !overlaps(own) => Varying::Locations(own),
        _ => {
            let components = words(variable(m, output.part.variable, output.part.variable));
            return (Varying::Variable(output.part.variable), components);
        }
    };
    (varying, words(whole(m, output, &output.shown())))
}

fn words(pieces: Result<Vec<Piece>, Error>) -> Result<u32, Error> {
    Ok(pieces?.iter().map(Piece::words).sum())
}
