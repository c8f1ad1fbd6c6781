//! Finds the registers that hold distances.

use super::semantics::{Component, DISTANCE_KINDS, DistanceKind, DistanceSemantic, Linkage};
use crate::code::{self, refuse};
pub(super) use crate::rewrite::is_per_vertex;
use crate::rewrite::{self, float_dimensions, float_scalars};
use polyshade_spv::view::{EntryPoint, Store, Variable};
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionModel, Id, Module, Op, StorageClass, Type, decode_text,
};

/// A variable with components that are distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Register {
    pub(super) variable: Id,
    /// The length of the variable, if it is an array with one element per vertex.
    pub(super) vertices: Option<Id>,
    /// The scalars of the variable, or of one array element, in order.
    pub(super) scalars: Vec<Scalar>,
}

/// A scalar of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Scalar {
    pub(super) path: Vec<u32>,
    pub(super) component: Component,
    /// `None` for an ordinary value.
    pub(super) kind: Option<DistanceKind>,
}

impl Register {
    pub(super) fn distances(&self) -> impl Iterator<Item = (DistanceKind, Component)> + '_ {
        self.scalars.iter().filter_map(|scalar| Some((scalar.kind?, scalar.component)))
    }
}

/// The rules that select distances among the inputs or the outputs of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marking<'o> {
    /// Whether `UserSemantic` decorations mark distances.
    pub(super) semantics: bool,
    /// The semantics from the caller.
    pub(super) marks: &'o [DistanceSemantic],
    /// The distances that this stage or the linked stage marks; this stage may have fewer.
    pub(super) linked: Option<&'o Linkage>,
}

/// Whether the inputs or outputs of a stage can have distances. The inputs of a vertex stage are attributes, and the
/// outputs of a fragment stage are colours.
pub(super) fn has_distances(model: ExecutionModel, class: StorageClass) -> bool {
    if class == StorageClass::INPUT {
        matches!(
            model,
            ExecutionModel::TESSELLATION_CONTROL
                | ExecutionModel::TESSELLATION_EVALUATION
                | ExecutionModel::GEOMETRY
                | ExecutionModel::FRAGMENT
        )
    } else {
        matches!(
            model,
            ExecutionModel::VERTEX
                | ExecutionModel::TESSELLATION_CONTROL
                | ExecutionModel::TESSELLATION_EVALUATION
                | ExecutionModel::GEOMETRY
                | ExecutionModel::MESH_NV
                | ExecutionModel::MESH_EXT
        )
    }
}

/// Whether the variable belongs to a patch or a primitive. Such variables have no distances.
fn is_shared_by_vertices(m: &Module<'_>, variable: Id) -> bool {
    let shared = [Decoration::PATCH, Decoration::PER_PRIMITIVE_EXT];
    shared.into_iter().any(|decoration| m.decoration(variable, decoration).is_some())
}

impl<'o> Marking<'o> {
    /// Returns the registers with distances among the inputs or outputs of `entry`, in the order of its interface.
    pub(super) fn registers(
        self,
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        class: StorageClass,
    ) -> Result<Vec<Register>, Error> {
        let found = self.registers_or_none(m, entry, class)?;
        let marked = |mark: &&DistanceSemantic| {
            found.iter().flat_map(Register::distances).any(|(kind, place)| {
                kind == mark.kind && mark.covers(place.location, place.component)
            })
        };
        match self.marks.iter().find(|mark| !marked(mark)) {
            Some(mark) => Err(not_there(*mark, entry, class)),
            None => Ok(found),
        }
    }

    /// Returns the [`registers`](Self::registers), but allows semantics without a match, because block members may
    /// match them.
    pub(super) fn registers_or_none(
        self,
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        class: StorageClass,
    ) -> Result<Vec<Register>, Error> {
        let per_vertex = is_per_vertex(entry.model(), class);
        let mut found = Vec::new();
        if has_distances(entry.model(), class) {
            for variable in rewrite::interface(m, entry, class) {
                if !is_shared_by_vertices(m, variable) {
                    found.extend(self.register(m, variable, per_vertex)?);
                }
            }
        }
        Ok(found)
    }

    fn register(
        self,
        m: &Module<'_>,
        variable: Id,
        per_vertex: bool,
    ) -> Result<Option<Register>, Error> {
        let semantic = self.semantic(m, variable, None);
        let number = |decoration| m.decoration(variable, decoration)?.first().copied();
        let Some(location) = number(Decoration::LOCATION) else {
            return match semantic.filter(|_| m.builtin(variable).is_none()) {
                Some(kind) => {
                    let message = format!("a {kind} distance has no location");
                    refuse(&code::CLIP_DISTANCE_LOCATION, message, variable)
                }
                None => Ok(None),
            };
        };
        let ty = m.pointee(variable).ok_or_else(|| {
            Error::new(
                &code::INTERFACE_NOT_A_VARIABLE,
                "the type of an interface variable is not a pointer",
            )
            .about(variable)
        })?;
        let (vertices, inner) = match m.ty(ty) {
            Some(Type::Array { element, length }) if per_vertex => (Some(length), element),
            _ => (None, ty),
        };
        if matches!(m.ty(inner), Some(Type::Struct { .. })) {
            return Ok(None);
        }
        let first = number(Decoration::COMPONENT).unwrap_or(0);
        let Some(dimensions) = float_dimensions(m, inner) else {
            let components = first..first.saturating_add(4).min(4);
            let covers = |mark: &DistanceSemantic| {
                { components.clone() }.any(|at| mark.covers(location, at))
            };
            return match semantic.is_some() || self.marks.iter().any(covers) {
                true => refuse(&code::CLIP_DISTANCE_TYPE, not_floats(m, inner), variable),
                false => Ok(None),
            };
        };
        let in_vector = matches!(m.ty(m.innermost_element(inner)), Some(Type::Vector { .. }));
        let width: u32 = if in_vector { dimensions.last().copied().unwrap_or(1) } else { 1 };
        let mut scalars = Vec::new();
        for (number, path) in (0..).zip(float_scalars(&dimensions)) {
            let component = Component {
                location: location.saturating_add(number / width),
                component: first + number % width,
            };
            let kind = self.kind(semantic, component, variable)?;
            scalars.push(Scalar { path, component, kind });
        }
        let register = Register { variable, vertices, scalars };
        let is_marked = register.distances().next().is_some();
        Ok(is_marked.then_some(register))
    }

    fn kind(
        self,
        semantic: Option<DistanceKind>,
        at: Component,
        variable: Id,
    ) -> Result<Option<DistanceKind>, Error> {
        let linked =
            |kind: &DistanceKind| self.linked.is_some_and(|own| own.number(*kind, at).is_some());
        let mut kind = semantic.or_else(|| DISTANCE_KINDS.into_iter().find(linked));
        for mark in self.marks.iter().filter(|mark| mark.covers(at.location, at.component)) {
            if kind.is_some_and(|kind| kind != mark.kind) {
                let message = format!(
                    "component {} of location {} is marked as both clip and cull distance",
                    at.component, at.location
                );
                return refuse(&code::CLIP_CONFLICTING_SEMANTICS, message, variable);
            }
            kind = Some(mark.kind);
        }
        Ok(kind)
    }

    /// Returns the kind of distance that the `UserSemantic` of a variable or block member denotes.
    fn semantic(self, m: &Module<'_>, id: Id, member: Option<u32>) -> Option<DistanceKind> {
        let words = match member {
            Some(member) => m.member_decoration(id, member, Decoration::USER_SEMANTIC),
            None => m.decoration(id, Decoration::USER_SEMANTIC),
        };
        words
            .filter(|_| self.semantics)
            .and_then(|words| DistanceKind::of_semantic(&decode_text(words)))
    }

    fn linked_locations(self, kind: DistanceKind) -> impl Iterator<Item = u32> + 'o {
        let components = self.linked.into_iter().flat_map(move |linked| linked.of(kind));
        components.map(|component| component.location)
    }

    /// Returns the blocks among the inputs or outputs of `entry` that have members with distances.
    pub(super) fn blocks(
        self,
        m: &Module<'_>,
        entry: EntryPoint<'_>,
        class: StorageClass,
    ) -> Vec<Id> {
        let is_marked = |variable: &Id| {
            let Some((structure, _)) = block(m, *variable) else { return false };
            let first = |words: &[u32]| words.first().copied();
            let first = m.decoration(*variable, Decoration::LOCATION).and_then(first);
            rewrite::member_locations(m, structure, first).any(|(member, _, taken)| {
                let named = taken.is_some_and(|taken| {
                    let ranges = self.marks.iter().map(|mark| mark.locations);
                    let linked =
                        DISTANCE_KINDS.into_iter().flat_map(|kind| self.linked_locations(kind));
                    ranges.into_iter().any(|own| own.first < taken.end && taken.start <= own.last)
                        || linked.into_iter().any(|location| taken.contains(&location))
                });
                named || self.semantic(m, structure, Some(member)).is_some()
            })
        };
        if !has_distances(entry.model(), class) {
            return Vec::new();
        }
        let variables = rewrite::interface(m, entry, class).into_iter();
        variables
            .filter(|variable| !is_shared_by_vertices(m, *variable))
            .filter(is_marked)
            .collect()
    }
}

/// Returns the structure type of `variable`, or of its elements, and the types of its members.
fn block<'m>(m: &'m Module<'_>, variable: Id) -> Option<(Id, impl Iterator<Item = Id> + use<'m>)> {
    let ty = m.pointee(variable)?;
    let structure = match m.ty(ty)? {
        Type::Array { element, .. } => element,
        _ => ty,
    };
    matches!(m.ty(structure), Some(Type::Struct { .. })).then(|| (structure, m.members(structure)))
}

/// Returns the blocks among the inputs or outputs of `entry` that have a built-in array of distances as a member.
pub(super) fn builtin_blocks(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
) -> Vec<Id> {
    blocks_of(m, entry, class, |builtin| {
        DISTANCE_KINDS.iter().any(|kind| builtin == kind.builtin())
    })
}

/// Returns the blocks among the inputs or outputs of `entry` that have a `wanted` built-in as a member.
pub(super) fn blocks_of(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    class: StorageClass,
    wanted: impl Fn(BuiltIn) -> bool,
) -> Vec<Id> {
    let is_wanted = |variable: &Id| {
        let Some((structure, members)) = block(m, *variable) else { return false };
        (0..)
            .zip(members)
            .any(|(member, _)| m.member_builtin(structure, member).is_some_and(&wanted))
    };
    rewrite::interface(m, entry, class).into_iter().filter(is_wanted).collect()
}

/// Checks the distances of `registers`. Returns `linked`, or the distances of `registers` if `linked` is `None`.
pub(super) fn linkage(registers: &[Register], linked: Option<&Linkage>) -> Result<Linkage, Error> {
    let mut own = Linkage::default();
    for (kind, component) in registers.iter().flat_map(Register::distances) {
        own.add(kind, component);
    }
    own.check()?;
    Ok(linked.cloned().unwrap_or(own))
}

/// Whether the variable has an initializer, or a function may store to it or pass on a pointer to it.
pub(super) fn is_written(m: &Module<'_>, variable: Id) -> bool {
    let reach = m.reach(&[variable]);
    let initialised =
        m.definition(variable).and_then(Variable::of).is_some_and(|it| it.initializer().is_some());
    let reads = |op| matches!(op, Op::LOAD | Op::NAME | Op::ARRAY_LENGTH);
    initialised || reach.uses.iter().any(|inst| !reads(inst.op()) || Store::of(*inst).is_some())
}

/// Returns the reason why a type without [`float_dimensions`] cannot hold distances.
#[cold]
fn not_floats(m: &Module<'_>, ty: Id) -> &'static str {
    match m.ty(m.innermost_element(ty)) {
        Some(Type::Matrix { .. }) => "a distance is part of a matrix",
        Some(Type::Vector { component, .. })
            if !matches!(m.ty(component), Some(Type::Float { width: 32 })) =>
        {
            "a distance is not made of 32-bit floats"
        }
        Some(Type::Float { width: 32 } | Type::Vector { .. }) => {
            "the size of an array of distances depends on a specialization constant, or is too large"
        }
        _ => "a distance is not made of 32-bit floats",
    }
}

#[cold]
fn not_there(mark: DistanceSemantic, entry: EntryPoint<'_>, class: StorageClass) -> Error {
    let side = if class == StorageClass::INPUT { "input" } else { "output" };
    let message = format!("`{mark}`: the {} stage has no such {side}", entry.model());
    Error::new(&code::CLIP_SEMANTIC_NOT_FOUND, message)
}
