//! Distances move: from the variables that a shader has to others, scalar by scalar, in every stage.
//!
//! Variables of one invocation are taken over, and copied where they are handed on: at the end, or at each emit.
//! Those with an element for each vertex are accessed at their new places.

use super::registers::Register;
use crate::moves::{self, Copies, Place, Scattered, TakenOver, Wrapper};
use crate::unsupported;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    BuiltIn, Decoration, Error, ExecutionModel, Id, Inst, Module, Op, Patch, Position, StorageClass,
};

/// A variable, and where each of its scalars goes. What stays has the variable itself as its place.
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

/// Where code goes in the stage.
pub(super) struct Points<'m> {
    pub(super) wrapper: Wrapper<'m>,
    /// Emits of a geometry stage.
    emits: Vec<Inst<'m>>,
    is_geometry: bool,
}

impl<'m> Points<'m> {
    pub(super) fn new(m: &'m Module<'_>, p: &mut Patch<'m, '_>, entry: EntryPoint<'m>) -> Self {
        let is_geometry = entry.model() == ExecutionModel::GEOMETRY;
        let mut emits = Vec::new();
        if is_geometry {
            for function in m.reachable(entry.function()) {
                let body = m.function(function).expect("it was reached");
                for inst in body.instructions() {
                    if matches!(inst.op(), Op::EMIT_VERTEX | Op::EMIT_STREAM_VERTEX) {
                        emits.push(inst);
                    }
                }
            }
        }
        Self { wrapper: moves::wrap(m, p, entry), emits, is_geometry }
    }

    /// Where code goes that runs when outputs are handed on. In a geometry stage it is a function called before each
    /// emit, which [`finish`](Self::finish) ends.
    pub(super) fn begin(&self, p: &mut Patch<'m, '_>) -> HandOn<'m> {
        if !self.is_geometry {
            return HandOn { at: self.wrapper.epilogue, function: None };
        }
        let (at, function, void) = (p.lane(), p.id(), p.void());
        p.name(function, "polyshade_hand_on");
        p.at(at).begin_function(function, void, &[]);
        HandOn { at, function: Some(function) }
    }

    /// ```text
    /// OpFunctionCall %void %hand_on
    /// OpEmitVertex
    /// ```
    pub(super) fn finish(&self, p: &mut Patch<'m, '_>, hand_on: HandOn<'m>) {
        let Some(function) = hand_on.function else { return };
        p.at(hand_on.at).end_function(None);
        let void = p.void();
        for emit in &self.emits {
            p.remove(*emit);
            let mut code = p.at(emit.after());
            code.call(void, function, &[]);
            code.emit(emit.op(), &emit.words()[1..]);
        }
    }
}

/// Where outputs are handed on.
#[derive(Clone, Copy)]
pub(super) struct HandOn<'m> {
    pub(super) at: Position<'m>,
    function: Option<Id>,
}

/// Moves the scalars of `relocations`, all inputs or all outputs of `entry` as `class` says. `fresh` are the variables
/// that are new among their places.
pub(super) fn relocate<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    class: StorageClass,
    relocations: &[Relocation],
    points: &Points<'m>,
    hand_on: HandOn<'m>,
) -> Result<(), Error> {
    let is_captured = |id: Id| m.decoration(id, Decoration::OFFSET).is_some();
    let mut moving = relocations.iter().map(|relocation| relocation.register.variable);
    if let Some(captured) = moving.find(|id| class == StorageClass::OUTPUT && is_captured(*id)) {
        return Err(unsupported("distances that are captured natively move", captured));
    }

    let (arrayed, own): (Vec<&Relocation>, Vec<&Relocation>) =
        relocations.iter().partition(|relocation| relocation.register.vertices.is_some());
    for relocation in &arrayed {
        let what = Scattered {
            variable: relocation.register.variable,
            per_vertex: true,
            write_only: matches!(entry.model(), ExecutionModel::MESH_NV | ExecutionModel::MESH_EXT),
            places: &relocation.places,
        };
        moves::scatter(m, p, what, class)?;
    }
    let (staying, leaving): (Vec<&Relocation>, Vec<&Relocation>) =
        own.into_iter().partition(|relocation| relocation.stays());
    for (group, copies) in [(leaving, Copies::None), (staying, Copies::Uncopied)] {
        let variables: Vec<Id> =
            group.iter().map(|relocation| relocation.register.variable).collect();
        let taken = moves::take_over(m, p, entry, &variables, copies)?;
        for (relocation, taken) in group.into_iter().zip(taken) {
            let interface = taken.interface.unwrap_or(taken.private);
            if class == StorageClass::OUTPUT {
                clear(m, p, taken, points.wrapper.prologue);
                copy(p, relocation, interface, class, hand_on.at);
            } else {
                copy(p, relocation, interface, class, points.wrapper.prologue);
            }
        }
    }
    Ok(())
}

/// A component that some path does not write is 0: it does not clip.
pub(super) fn clear<'m>(m: &Module<'_>, p: &mut Patch<'m, '_>, taken: TakenOver, at: Position<'m>) {
    let definition = m.definition(taken.private).and_then(polyshade_spv::view::Variable::of);
    if definition.is_some_and(|variable| variable.initializer().is_none()) {
        let zero = p.null(taken.ty);
        p.at(at).store(taken.private, zero);
    }
}

/// Emits copies between the taken-over variable and the places, `interface` standing for the variable itself.
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
    for (scalar, place) in relocation.register.scalars.iter().zip(&relocation.places) {
        let Some(place) = place else { continue };
        let target = if place.variable == variable { interface } else { place.variable };
        let own = pointer(p, at, StorageClass::PRIVATE, variable, &scalar.path);
        let other = pointer(p, at, class, target, &place.path);
        let (from, to) = if class == StorageClass::INPUT { (other, own) } else { (own, other) };
        let float = p.float();
        let mut code = p.at(at);
        let value = code.load(float, from);
        code.store(to, value);
    }
}

/// Emits a pointer to a float in `variable`.
pub(super) fn pointer<'m>(
    p: &mut Patch<'m, '_>,
    at: Position<'m>,
    class: StorageClass,
    variable: Id,
    path: &[u32],
) -> Id {
    let indices: Vec<Id> = path.iter().map(|index| p.uint_constant(*index)).collect();
    let float = p.float();
    let pointer = p.pointer(class, float);
    p.at(at).access_chain(pointer, variable, &indices)
}

/// Emits stores of 0 to what the own invocation of a tessellation control stage hands on in `variable`.
pub(super) fn clear_own<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    array: (Id, u32),
    at: Position<'m>,
) {
    let (int, float) = (p.int(), p.float());
    let (invocation, ty) = moves::input_builtin(m, p, entry, BuiltIn::INVOCATION_ID, int);
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
