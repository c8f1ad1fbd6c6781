//! Finds the part of an output that an OpenGL name denotes.

use super::leaves::open_size;
use super::outputs::{Outputs, Part};
use super::varying::number;
use crate::code;
use polyshade_spv::{Error, Id, Module, Type};
use std::iter::once;

/// Finds the output, or the element or member of an output, that `name` denotes.
pub(super) fn find(m: &Module<'_>, outputs: &Outputs, name: &str) -> Result<Part, Error> {
    // Try the longest output name first, because the names of block members contain dots.
    let ends = name.rmatch_indices(['.', '[']).map(|(end, _)| end);
    for end in once(name.len()).chain(ends) {
        let mut named = outputs.named(&name[..end]);
        match (named.next(), named.next()) {
            (None, _) => {}
            (Some(output), None) => return descend(m, output.part.clone(), &name[end..], name),
            (Some(output), Some(_)) => {
                let message = format!("two output variables share the name `{}`", &name[..end]);
                let error =
                    Error::new(&code::CAPTURE_AMBIGUOUS_NAME, message).about(output.part.variable);
                return Err(error.help("name them by location"));
            }
        }
    }
    Err(not_found(outputs, name))
}

fn not_found(outputs: &Outputs, name: &str) -> Error {
    let error = Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, format!("there is no output `{name}`"));
    let mut near: Vec<&str> = outputs.names().collect();
    if near.is_empty() {
        return error.help("the shader has no outputs with a name: name them by location");
    }
    near.sort_by_key(|other| distance(name, other));
    near.truncate(5);
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    error.help(format!("the nearest outputs: {}", near.join(", ")))
}

/// Returns the part of `part` that `rest`, such as `[2].colour`, denotes.
fn descend(m: &Module<'_>, mut part: Part, mut rest: &str, name: &str) -> Result<Part, Error> {
    while !rest.is_empty() {
        if let Some(Type::Array { length, .. }) = m.ty(part.ty)
            && m.constant(length).is_none()
        {
            return Err(open_size(m, name, part.variable, length));
        }
        let (index, ty, after) = step(m, &part, rest).ok_or_else(|| {
            let message =
                format!("`{name}` is not part of an output: `{rest}` does not fit the type");
            Error::new(&code::CAPTURE_OUTPUT_NOT_FOUND, message).about(part.variable)
        })?;
        part.path.push(index);
        part.ty = ty;
        rest = after;
    }
    Ok(part)
}

/// Returns the index that the start of `rest` selects in `part`, the type of the selected part, and the remaining
/// text.
fn step<'r>(m: &Module<'_>, part: &Part, rest: &'r str) -> Option<(u32, Id, &'r str)> {
    if let Some(inside) = rest.strip_prefix('[') {
        let (digits, after) = inside.split_once(']')?;
        let index = number(digits)?;
        let Some(Type::Array { element, length }) = m.ty(part.ty) else { return None };
        return (index < m.constant(length)?).then_some((index, element, after));
    }
    let inside = rest.strip_prefix('.')?;
    let end = inside.find(['.', '[']).unwrap_or(inside.len());
    let Some(Type::Struct { id }) = m.ty(part.ty) else { return None };
    let (index, ty) = m.members(id).enumerate().find(|(member, _)| {
        m.member_name(id, *member as u32).is_some_and(|name| name == inside[..end])
    })?;
    Some((index as u32, ty, &inside[end..]))
}

/// The number of letters that are compared in two names.
const COMPARED: usize = 64;

/// Returns the Levenshtein distance between the first [`COMPARED`] letters of two names, ignoring case.
fn distance(left: &str, right: &str) -> usize {
    let letters =
        |text: &str| -> Vec<char> { text.to_lowercase().chars().take(COMPARED).collect() };
    let (left, right) = (letters(left), letters(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let change = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
