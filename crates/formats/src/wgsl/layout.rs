//! The offsets of members in buffers. naga omits the offsets, as if each member directly followed the previous
//! member.

use crate::Error;
use naga::proc::Layouter;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Handle, Module, StructMember, Type, TypeInner};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Returns the text with the padding after members as `@size`. Padding before the first member is an additional
/// member. If an array needs a larger stride, the last member of its element structure is extended.
///
/// Structures are found by searching for their lines in the text. If that fails, the check that reads the text back
/// reports it.
///
/// # Errors
///
/// Layouts that WGSL cannot express.
pub(super) fn with_holes(source: String, module: &Module) -> Result<String, Error> {
    let cannot = || {
        let message = "WGSL cannot express the member offsets of a buffer's structure";
        Error::Unsupported(message.to_owned())
    };
    let layouts = layouts(module)?;
    let shared = shared(module);
    let elements = elements(&layouts, &shared, module).ok_or_else(cannot)?;
    let is_written =
        |handle| !module.special_types.predeclared_types.values().any(|ty| *ty == handle);
    let structures = module.types.iter().filter_map(|(handle, ty)| match &ty.inner {
        TypeInner::Struct { members, .. } if is_written(handle) => {
            let is_shared = shared.contains(&handle);
            let size = elements.get(&handle).copied();
            Some(if is_shared { sizes(&layouts, members, size) } else { Vec::new() })
        }
        _ => None,
    });
    let structures: Vec<Vec<(Option<usize>, u32)>> = structures.collect();
    if structures.iter().all(Vec::is_empty) {
        return Ok(source);
    }
    let text = sized(&source, structures);
    let again = naga::front::wgsl::parse_str(&text)
        .map_err(|error| Error::Unsupported(format!("naga cannot read its own output: {error}")))?;
    // The validator detects structure constructors that lack the additional member.
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&again).map_err(|_| cannot())?;
    if is_laid_out_alike(module, &again) { Ok(text) } else { Err(cannot()) }
}

fn layouts(module: &Module) -> Result<Layouter, Error> {
    let mut layouts = Layouter::default();
    let updated = layouts.update(module.to_ctx());
    updated.map_err(|error| Error::Unsupported(error.to_string()))?;
    Ok(layouts)
}

/// Returns the types of buffer contents.
fn shared(module: &Module) -> BTreeSet<Handle<Type>> {
    let mut shared = BTreeSet::new();
    let mut next: Vec<Handle<Type>> = buffers(module).map(|(_, ty)| ty).collect();
    while let Some(ty) = next.pop() {
        if !shared.insert(ty) {
            continue;
        }
        match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => next.extend(members.iter().map(|one| one.ty)),
            TypeInner::Array { base, .. } => next.push(*base),
            _ => {}
        }
    }
    shared
}

/// Returns the group, binding and type of each buffer.
fn buffers(module: &Module) -> impl Iterator<Item = ((u32, u32), Handle<Type>)> {
    module.global_variables.iter().filter_map(|(_, variable)| {
        let is_buffer =
            matches!(variable.space, AddressSpace::Uniform | AddressSpace::Storage { .. });
        let binding = variable.binding.as_ref().filter(|_| is_buffer)?;
        Some(((binding.group, binding.binding), variable.ty))
    })
}

/// Maps each structure in arrays with a larger stride than WGSL's default to that stride. Returns `None` if a
/// structure has two strides, or if the elements are not structures.
fn elements(
    layouts: &Layouter,
    shared: &BTreeSet<Handle<Type>>,
    module: &Module,
) -> Option<BTreeMap<Handle<Type>, u32>> {
    let mut elements = BTreeMap::new();
    for ty in shared {
        let TypeInner::Array { base, stride, .. } = module.types[*ty].inner else { continue };
        if stride == layouts[base].to_stride() {
            continue;
        }
        let is_structure = matches!(module.types[base].inner, TypeInner::Struct { .. });
        if !is_structure || elements.insert(base, stride).is_some_and(|other| other != stride) {
            return None;
        }
    }
    Some(elements)
}

/// Returns the members that need a larger size than their type, with that size. `None` stands for the padding before
/// the first member. `whole` is the size of the structure if its members do not determine the size.
fn sizes(
    layouts: &Layouter,
    members: &[StructMember],
    whole: Option<u32>,
) -> Vec<(Option<usize>, u32)> {
    let (mut sizes, mut end) = (Vec::new(), 0);
    for (number, member) in members.iter().enumerate() {
        let layout = layouts[member.ty];
        if member.offset > layout.alignment.round_up(end) {
            let before = number.checked_sub(1);
            let begin = before.map_or(0, |before| members[before].offset);
            sizes.push((before, member.offset - begin));
        }
        end = member.offset + layout.size;
    }
    if let (Some(whole), Some(last)) = (whole, members.len().checked_sub(1)) {
        sizes.push((Some(last), whole.saturating_sub(members[last].offset)));
    }
    sizes
}

/// Returns the text with the given sizes in its structures. `structures` has the order of the structures in the text.
fn sized(source: &str, structures: Vec<Vec<(Option<usize>, u32)>>) -> String {
    let mut structures = structures.into_iter();
    let mut text = String::with_capacity(source.len());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(text, "{line}");
        if !line.starts_with("struct ") {
            continue;
        }
        let sizes = structures.next().unwrap_or_default();
        let size =
            |wanted| sizes.iter().find(|(member, _)| *member == wanted).map(|(_, size)| size);
        let members: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        // Padding before the first member is an additional member with an unused name.
        if let Some(size) = size(None) {
            let is_name = |name: &String| !members.iter().any(|member| member.contains(name));
            let mut names = (0..).map(|number| format!("hole_{number}"));
            let name = names.find(is_name).expect("there are more names than members");
            let _ = writeln!(text, "    @size({size}) {name}: u32,");
        }
        for (number, member) in members.iter().enumerate() {
            let _ = match size(Some(number)) {
                Some(size) => writeln!(text, "    @size({size}) {}", member.trim_start()),
                None => writeln!(text, "{member}"),
            };
        }
        text.push_str("}\n");
    }
    text
}

/// Whether `after` has the same buffers as `before`, with members at the same offsets.
fn is_laid_out_alike(before: &Module, after: &Module) -> bool {
    let (mut one, mut other): (Vec<_>, Vec<_>) =
        (buffers(before).collect(), buffers(after).collect());
    one.sort_by_key(|(binding, _)| *binding);
    other.sort_by_key(|(binding, _)| *binding);
    let mut both = one.iter().zip(&other);
    one.len() == other.len()
        && both.all(|(one, other)| {
            one.0 == other.0 && is_type_alike((before, one.1), (after, other.1))
        })
}

fn is_type_alike(
    (before, one): (&Module, Handle<Type>),
    (after, other): (&Module, Handle<Type>),
) -> bool {
    match (&before.types[one].inner, &after.types[other].inner) {
        (TypeInner::Struct { members: one, .. }, TypeInner::Struct { members: other, .. }) => {
            // Padding before the first member is an additional member.
            let holes = other.len().saturating_sub(one.len());
            let mut both = one.iter().zip(&other[holes..]);
            holes <= 1
                && one.len() + holes == other.len()
                && both.all(|(one, other)| {
                    one.offset == other.offset && is_type_alike((before, one.ty), (after, other.ty))
                })
        }
        (
            TypeInner::Array { base: one, stride, .. },
            TypeInner::Array { base: other, stride: found, .. },
        ) => stride == found && is_type_alike((before, *one), (after, *other)),
        _ => true,
    }
}
