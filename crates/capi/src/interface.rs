//! The interface of a module's entry points, computed once.

use crate::failure::{POLYSHADE_NONE, c_text};
use polyshade::Module;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{Decoration, ExecutionModel, Id, StorageClass, Type};
use polyshade::transform_feedback;
use std::ffi::CString;

/// An input of the stage.
pub const POLYSHADE_CLASS_INPUT: u32 = 1;
/// An output of the stage.
pub const POLYSHADE_CLASS_OUTPUT: u32 = 3;

/// A type other than numbers and booleans, such as a structure.
pub const POLYSHADE_SCALAR_OTHER: u32 = 0;
pub const POLYSHADE_SCALAR_FLOAT: u32 = 1;
pub const POLYSHADE_SCALAR_INT: u32 = 2;
pub const POLYSHADE_SCALAR_UINT: u32 = 3;
pub const POLYSHADE_SCALAR_BOOL: u32 = 4;

/// The reflection of a module, with texts that are valid as long as the module.
#[derive(Debug)]
pub(crate) struct Reflection {
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: CString,
    pub(crate) stage: ExecutionModel,
    pub(crate) variables: Vec<Variable>,
    pub(crate) capturable: Vec<(CString, u32, Option<CString>)>,
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: CString,
    pub(crate) id: u32,
    pub(crate) member: u32,
    pub(crate) class: u32,
    pub(crate) location: u32,
    pub(crate) component: u32,
    pub(crate) builtin: u32,
    pub(crate) shape: Shape,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) scalar: u32,
    pub(crate) width: u32,
    pub(crate) components: u32,
    pub(crate) columns: u32,
    pub(crate) elements: u32,
}

/// The largest number of array dimensions that `shape` counts.
const MOST_DIMENSIONS: usize = 32;

/// The stages whose outputs can be captured.
const CAPTURED: [ExecutionModel; 3] =
    [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION, ExecutionModel::GEOMETRY];

impl Reflection {
    pub(crate) fn of(m: &Module<'_>) -> Self {
        Self { entries: m.entry_points().map(|entry| Entry::of(m, entry)).collect() }
    }
}

impl Entry {
    fn of(m: &Module<'_>, entry: EntryPoint<'_>) -> Self {
        let capturable = match CAPTURED.contains(&entry.model()) {
            true => transform_feedback::capturable(m, entry),
            false => Vec::new(),
        };
        let capturable = capturable.into_iter().map(|(varying, components)| {
            let refused = components.as_ref().err().map(|error| c_text(error.message()));
            (c_text(&varying.to_string()), components.unwrap_or_default(), refused)
        });
        Self {
            name: c_text(&entry.name()),
            stage: entry.model(),
            variables: entry.interface().flat_map(|id| variables(m, id)).collect(),
            capturable: capturable.collect(),
        }
    }
}

/// Returns an input or output variable, and the members of its block.
fn variables(m: &Module<'_>, id: Id) -> Vec<Variable> {
    let class = match m.storage_class(id) {
        Some(StorageClass::INPUT) => POLYSHADE_CLASS_INPUT,
        Some(StorageClass::OUTPUT) => POLYSHADE_CLASS_OUTPUT,
        _ => return Vec::new(),
    };
    let Some(ty) = m.pointee(id) else { return Vec::new() };
    let number = |decoration| m.decoration(id, decoration).and_then(|words| words.first().copied());
    let location = number(Decoration::LOCATION);
    let of_variable = Variable {
        name: c_text(&m.name(id).unwrap_or_default()),
        id: id.word(),
        member: POLYSHADE_NONE,
        class,
        location: location.unwrap_or(POLYSHADE_NONE),
        component: number(Decoration::COMPONENT).unwrap_or(0),
        builtin: m.builtin(id).map_or(POLYSHADE_NONE, |builtin| builtin.0),
        shape: shape(m, ty),
    };
    // A block: its members follow the variable, with their own names and built-ins.
    let structure = m.innermost_element(ty);
    let members = m.members(structure).zip(0..).map(|(ty, member)| Variable {
        name: c_text(&m.member_name(structure, member).unwrap_or_default()),
        member,
        location: POLYSHADE_NONE,
        component: 0,
        builtin: m.member_builtin(structure, member).map_or(POLYSHADE_NONE, |one| one.0),
        shape: shape(m, ty),
        ..of_variable
    });
    let members: Vec<Variable> = members.collect();
    std::iter::once(of_variable).chain(members).collect()
}

/// Returns the scalar type, components, columns and elements of a type.
fn shape(m: &Module<'_>, ty: Id) -> Shape {
    let (mut inner, mut elements) = (ty, None::<u32>);
    for _ in 0..MOST_DIMENSIONS {
        let Some(Type::Array { element, length }) = m.ty(inner) else { break };
        let length = m.constant(length).unwrap_or(0);
        elements = Some(elements.unwrap_or(1).saturating_mul(length));
        inner = element;
    }
    let (column, columns) = match m.ty(inner) {
        Some(Type::Matrix { column, count }) => (column, count),
        _ => (inner, 1),
    };
    let (component, components) = match m.ty(column) {
        Some(Type::Vector { component, count }) => (component, count),
        _ => (column, 1),
    };
    let (scalar, width) = match m.ty(component) {
        Some(Type::Float { width }) => (POLYSHADE_SCALAR_FLOAT, width),
        Some(Type::Int { width, signed: true }) => (POLYSHADE_SCALAR_INT, width),
        Some(Type::Int { width, signed: false }) => (POLYSHADE_SCALAR_UINT, width),
        Some(Type::Bool) => (POLYSHADE_SCALAR_BOOL, 1),
        _ => (POLYSHADE_SCALAR_OTHER, 0),
    };
    Shape { scalar, width, components, columns, elements: elements.unwrap_or(0) }
}
