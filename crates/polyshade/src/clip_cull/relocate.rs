//! Moves distances from the shader's variables to other variables, scalar by scalar.
//!
//! Variables without an element per vertex move to the `Private` storage class. Inputs are copied at the start of the
//! shader. Outputs are copied where the stage exports them: at the end, or before each emitted vertex. Accesses to
//! variables with an element per vertex are redirected to the new places.

use super::registers::Register;
use super::semantics::DistanceKind;
use crate::code::{self, refuse};
use crate::rewrite::{self, Copies, Demoted, ExportPoints, Place, Scalarized, Wrapper};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Cursor, Decoration, Error, ExecutionModel, Id, Module, Op, Patch, Position,
    StorageClass,
};

/// A variable, and the new place of each of its scalars. A scalar that does not move has a place in the variable
/// itself.
#[derive(Clone, Debug)]
pub(super) struct Relocation {
    pub(super) register: Register,
    pub(super) places: Vec<Option<Place>>,
}

impl Relocation {
    fn stays(&self) -> bool {
        self.places.iter().flatten().any(|place| place.variable == self.register.variable)
    }
}

/// Positions in the stage for added code.
#[derive(Clone, Copy)]
pub(super) struct Sites<'m> {
    /// Code here runs before the shader's code.
    pub(super) prologue: Position<'m>,
    /// Code here runs whenever the stage exports its outputs.
    pub(super) at_exports: Position<'m>,
}

impl<'m> Sites<'m> {
    /// Wraps `entry` in a new function to create the two positions.
    pub(super) fn new(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Self {
        let Wrapper { prologue, epilogue } = rewrite::wrap(m, p, entry);
        let at_exports = ExportPoints::of_wrapped(m, entry, epilogue).at_exports(p, None);
        Self { prologue, at_exports }
    }
}

/// Moves the scalars of `relocations`, which are all inputs or all outputs of `entry`.
pub(super) fn relocate<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    relocations: &[Relocation],
    sites: Sites<'m>,
) -> Result<(), Error> {
    let is_captured = |id: Id| m.decoration(id, Decoration::OFFSET).is_some();
    let mut moving = relocations.iter().map(|relocation| relocation.register.variable);
    if let Some(captured) = moving.find(|id| class == StorageClass::OUTPUT && is_captured(*id)) {
        return refuse(
            &code::CLIP_CAPTURED_DISTANCES,
            "cannot relocate distances that are captured natively",
            captured,
        );
    }

    let (arrayed, own): (Vec<&Relocation>, Vec<&Relocation>) =
        relocations.iter().partition(|relocation| relocation.register.vertices.is_some());
    scalarize_vertices(m, p, entry, class, arrayed)?;
    let (staying, leaving): (Vec<&Relocation>, Vec<&Relocation>) =
        own.into_iter().partition(|relocation| relocation.stays());
    for (group, copies) in [(leaving, Copies::None), (staying, Copies::Uncopied)] {
        let variables: Vec<Id> =
            group.iter().map(|relocation| relocation.register.variable).collect();
        let taken = rewrite::demote_to_private(m, p, entry, &variables, copies)?;
        for (relocation, taken) in group.into_iter().zip(taken) {
            let interface = taken.interface.unwrap_or(taken.private);
            if class == StorageClass::OUTPUT {
                clear(m, p, taken, sites.prologue);
                copy(p, relocation, interface, class, sites.at_exports);
            } else {
                copy(p, relocation, interface, class, sites.prologue);
            }
        }
    }
    Ok(())
}

/// Moves the scalars of `relocations`, whose variables have an element per vertex.
pub(super) fn scalarize_vertices<'m, 'r>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    relocations: impl IntoIterator<Item = &'r Relocation>,
) -> Result<(), Error> {
    for relocation in relocations {
        let what = Scalarized {
            variable: relocation.register.variable,
            per_vertex: true,
            write_only: matches!(entry.model(), ExecutionModel::MESH_NV | ExecutionModel::MESH_EXT),
            places: &relocation.places,
        };
        rewrite::scalarize(m, p, what, class)?;
    }
    Ok(())
}

/// Returns the interpolation decorations that all `registers` of a fragment stage share. Their replacements need the
/// same decorations. The list is empty in other stages.
///
/// # Errors
///
/// `Unsupported`: registers with different interpolation.
pub(super) fn interpolation<'r>(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    registers: impl IntoIterator<Item = &'r Register>,
) -> Result<Vec<Decoration>, Error> {
    const ALL: [Decoration; 4] =
        [Decoration::FLAT, Decoration::NO_PERSPECTIVE, Decoration::CENTROID, Decoration::SAMPLE];
    if entry.model() != ExecutionModel::FRAGMENT {
        return Ok(Vec::new());
    }
    let of = |register: &Register| -> Vec<Decoration> {
        let has = |decoration: &Decoration| m.decoration(register.variable, *decoration).is_some();
        ALL.into_iter().filter(has).collect()
    };
    let mut registers = registers.into_iter();
    let first = registers.next().map(of).unwrap_or_default();
    match registers.find(|register| of(register) != first) {
        Some(other) => {
            let message = "distances are interpolated in different ways";
            refuse(&code::CLIP_MIXED_INTERPOLATION, message, other.variable)
        }
        None => Ok(first),
    }
}

/// Adds interpolation decorations to a new input.
pub(super) fn interpolate(p: &mut Patch<'_, '_>, variable: Id, interpolation: &[Decoration]) {
    for decoration in interpolation {
        p.decorate(variable, *decoration, &[]);
    }
}

/// Emits a store of 0 to the demoted variable, unless it has an initializer. Components that the shader leaves
/// unwritten on some path then do not clip.
pub(super) fn clear<'m>(m: &Module<'_>, p: &mut Patch<'m, '_>, taken: Demoted, at: Position<'m>) {
    let definition = m.definition(taken.private).and_then(polyshade_spv::view::Variable::of);
    if definition.is_some_and(|variable| variable.initializer().is_none()) {
        let zero = p.null(taken.ty);
        p.at(at).store(taken.private, zero);
    }
}

/// Emits copies between the private variable and the new places. A place in the variable itself now refers to
/// `interface`.
///
/// ```text
/// %from  = OpAccessChain %_ptr_Private_float %register %uint_0
/// %value = OpLoad %float %from
/// %to    = OpAccessChain %_ptr_Output_float %gl_ClipDistance %uint_2
///          OpStore %to %value
/// ```
fn copy<'m>(
    p: &mut Patch<'m, '_>,
    relocation: &Relocation,
    interface: Id,
    class: StorageClass,
    at: Position<'m>,
) {
    let variable = relocation.register.variable;
    let float = p.float();
    let mut code = p.at(at);
    for (scalar, place) in relocation.register.scalars.iter().zip(&relocation.places) {
        let Some(place) = place else { continue };
        let target = if place.variable == variable { interface } else { place.variable };
        let own = pointer(&mut code, StorageClass::PRIVATE, variable, &scalar.path);
        let other = pointer(&mut code, class, target, &place.path);
        let (from, to) = if class == StorageClass::INPUT { (other, own) } else { (own, other) };
        let value = code.load(float, from);
        code.store(to, value);
    }
}

/// Emits a pointer to a float in `variable`.
pub(super) fn pointer(
    code: &mut Cursor<'_, '_, '_>,
    class: StorageClass,
    variable: Id,
    path: &[u32],
) -> Id {
    let float = code.p.float();
    code.part(class, float, variable, path)
}

/// Emits stores of 0 to the distances in `array` that belong to the vertex of a tessellation control invocation.
pub(super) fn clear_own<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    array: (Id, u32),
    at: Position<'m>,
) {
    let (int, float) = (p.int(), p.float());
    let (invocation, ty) = rewrite::input_builtin(m, p, entry, BuiltIn::INVOCATION_ID, int);
    let zero = p.float_constant(0.0);
    let pointer = p.pointer(StorageClass::OUTPUT, float);
    let (variable, count) = array;
    let vertex = p.at(at).load(ty, invocation);
    for number in 0..count {
        let number = p.uint_constant(number);
        let mut code = p.at(at);
        let own = code.access_chain(pointer, variable, &[vertex, number]);
        code.store(own, zero);
    }
}

/// Adds a built-in array of distances to the interface of `entry`. If `vertices` is set, the variable is an array of
/// this length with one array of distances per vertex.
pub(super) fn distance_array<'m>(
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    (kind, count): (DistanceKind, u32),
    vertices: Option<Id>,
) -> Id {
    let (float, length) = (p.float(), p.uint_constant(count));
    let mut ty = p.declare(Op::TYPE_ARRAY, &[float.word(), length.word()]);
    if let Some(vertices) = vertices {
        ty = p.declare(Op::TYPE_ARRAY, &[ty.word(), vertices.word()]);
    }
    let array = p.variable(class, ty, None);
    p.name(array, kind.glsl_name());
    p.decorate(array, Decoration::BUILT_IN, &[kind.builtin().0]);
    p.join_interface(entry, array);
    p.capability(kind.capability());
    array
}
