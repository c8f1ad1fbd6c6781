//! Which part of which output a name of OpenGL's means.

use crate::moves;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{BuiltIn, Decoration, Error, ErrorKind, Id, Module, StorageClass, Type};
use std::collections::HashMap;

/// A part of an output variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    /// The variable.
    pub(super) variable: Id,
    /// Members and elements that lead to it.
    pub(super) path: Vec<u32>,
    /// Its type.
    pub(super) ty: Id,
}

/// The outputs of an entry point by the names they can be captured by.
pub(super) struct Outputs {
    by_name: HashMap<String, Vec<Part>>,
    /// In the order of the interface, for messages.
    order: Vec<String>,
}

impl Outputs {
    pub(super) fn of(m: &Module<'_>, entry: EntryPoint<'_>) -> Self {
        let mut outputs = Self { by_name: HashMap::new(), order: Vec::new() };
        for variable in moves::interface(m, entry, StorageClass::OUTPUT) {
            let Some((_, ty)) = m.type_of(variable).and_then(|pointer| m.pointer(pointer)) else {
                continue;
            };
            outputs.add_variable(m, variable, ty);
        }
        outputs
    }

    fn add_variable(&mut self, m: &Module<'_>, variable: Id, ty: Id) {
        let whole = Part { variable, path: Vec::new(), ty };
        if let Some(builtin) = m.builtin(variable) {
            self.add(builtin_name(builtin), whole);
            return;
        }
        let structure = m.innermost_element(ty);
        let is_block = m
            .decorations_of(structure)
            .any(|applied| matches!(applied.decoration, Decoration::BLOCK | Decoration::BUILT_IN));
        if is_block && structure == ty {
            self.add_block(m, variable, structure);
        } else if is_block {
            // An array of blocks goes by the block's name too: `Block[i].member`.
            self.add(m.name(structure).map(|name| name.into_owned()), whole);
        } else {
            self.add(m.name(variable).map(|name| name.into_owned()), whole);
        }
    }

    /// Members of a block go by the block's name, never the instance's; without an instance by their own.
    fn add_block(&mut self, m: &Module<'_>, variable: Id, block: Id) {
        let block_name = m.name(block).unwrap_or_default();
        let has_instance = m.name(variable).is_some();
        for (member, ty) in m.members(block).enumerate() {
            let member = member as u32;
            let part = Part { variable, path: vec![member], ty };
            let name = match (m.member_builtin(block, member), m.member_name(block, member)) {
                (Some(builtin), _) => builtin_name(builtin),
                (None, Some(name)) if has_instance => Some(format!("{block_name}.{name}")),
                (None, name) => name.map(|name| name.into_owned()),
            };
            self.add(name, part);
        }
    }

    fn add(&mut self, name: Option<String>, part: Part) {
        let Some(name) = name else { return };
        let parts = self.by_name.entry(name.clone()).or_default();
        if parts.is_empty() {
            self.order.push(name);
        }
        parts.push(part);
    }

    /// The names of all outputs, in the order of the interface.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// What `name` means: an output, or an element or member of one.
    pub(super) fn find(&self, m: &Module<'_>, name: &str) -> Result<Part, Error> {
        // The longest name wins, since a block's members have dots in theirs.
        let ends = name.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(i, _)| i);
        let mut ends: Vec<usize> = ends.chain([name.len()]).collect();
        ends.reverse();
        for end in ends {
            match self.by_name.get(&name[..end]).map(Vec::as_slice) {
                None | Some([]) => {}
                Some([part]) => return descend(m, part.clone(), &name[end..], name),
                Some([first, ..]) => {
                    let message = format!("two output variables share the name `{}`", &name[..end]);
                    return Err(Error::new(ErrorKind::Options, message).about(first.variable));
                }
            }
        }
        Err(self.not_found(name))
    }

    fn not_found(&self, name: &str) -> Error {
        let error = Error::new(ErrorKind::NotFound, format!("there is no output `{name}`"));
        if self.order.is_empty() {
            return error.help("the shader has no outputs with a name");
        }
        let mut near: Vec<&String> = self.order.iter().collect();
        near.sort_by_key(|other| distance(name, other));
        near.truncate(5);
        let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        error.help(format!("the nearest outputs: {}", near.join(", ")))
    }
}

/// Follows `rest`, such as `[2].colour`, from `part` on.
fn descend(m: &Module<'_>, mut part: Part, mut rest: &str, name: &str) -> Result<Part, Error> {
    while !rest.is_empty() {
        let (index, ty, after) = step(m, &part, rest).ok_or_else(|| {
            let message = format!("`{name}` names nothing: `{rest}` does not fit the type there");
            Error::new(ErrorKind::NotFound, message).about(part.variable)
        })?;
        part.path.push(index);
        part.ty = ty;
        rest = after;
    }
    Ok(part)
}

/// The index that the start of `rest` means in the type of `part`, the type it leads to, and what is left.
fn step<'r>(m: &Module<'_>, part: &Part, rest: &'r str) -> Option<(u32, Id, &'r str)> {
    if let Some(inside) = rest.strip_prefix('[') {
        let (digits, after) = inside.split_once(']')?;
        let index: u32 = digits.parse().ok()?;
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

/// What GLSL calls a built-in output of a vertex stage.
fn builtin_name(builtin: BuiltIn) -> Option<String> {
    let name = match builtin {
        BuiltIn::POSITION => "gl_Position",
        BuiltIn::POINT_SIZE => "gl_PointSize",
        BuiltIn::CLIP_DISTANCE => "gl_ClipDistance",
        BuiltIn::CULL_DISTANCE => "gl_CullDistance",
        BuiltIn::LAYER => "gl_Layer",
        BuiltIn::VIEWPORT_INDEX => "gl_ViewportIndex",
        BuiltIn::PRIMITIVE_ID => "gl_PrimitiveID",
        BuiltIn::PRIMITIVE_SHADING_RATE_KHR => "gl_PrimitiveShadingRateEXT",
        _ => return None,
    };
    Some(name.to_owned())
}

/// The longest names that are compared letter by letter.
const COMPARED: usize = 64;

/// Levenshtein's distance, of the first [`COMPARED`] letters, case aside.
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
