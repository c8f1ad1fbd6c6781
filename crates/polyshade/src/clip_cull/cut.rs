//! Emits the functions that save, interpolate and emit vertices for clipping in a geometry stage.
//!
//! `library/cut.glsl` decides which primitives are culled, and where primitives are clipped. It identifies vertices by
//! *slots*, which are indices into private arrays.

use super::primitives::{Primitive, provoking_corner};
use super::semantics::DistanceKind;
use super::varyings::{Leaf, Way, component};
use crate::library;
use crate::rewrite::{self, Hook, Place};
use crate::transform_feedback::ProvokingVertex;
use foldhash::HashMap;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{
    Cursor, Decoration, Id, Inst, Module, Op, Patch, Position, StorageClass, Type,
};

/// The outputs of a vertex, and the parameters of clipping.
pub(super) struct Parts<'s> {
    /// The scalars and vectors of all outputs, including distances.
    pub(super) leaves: &'s [Leaf],
    /// The output variable for each private variable. Distances that the device lacks have none.
    pub(super) interfaces: HashMap<Id, Id>,
    /// The arrays of clip distances and of cull distances.
    pub(super) distances: [Option<Id>; 2],
    /// Distances that are also written to ordinary outputs: the array, the index in the array, and the place of the
    /// output.
    pub(super) exported_values: Vec<(Id, u32, Place)>,
    pub(super) counts: [u32; 2],
    /// The index of `Position` in `leaves`.
    pub(super) position: Option<usize>,
    pub(super) primitive: Primitive,
    pub(super) provoking: ProvokingVertex,
}

/// The private array with one element of a leaf per slot.
struct Slots {
    variable: Id,
    /// The indices that follow the slot index in an access chain.
    path: Vec<Id>,
}

struct Cutter<'s, 'm, 'w> {
    m: &'m Module<'w>,
    parts: &'s Parts<'s>,
    slots: Vec<Slots>,
}

/// Replaces the instructions `emits`. Each emitted vertex is saved to a slot, and the primitives that it completes are
/// clipped and emitted. `prologue` is the start of the stage.
pub(super) fn emit_cut<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    parts: &Parts<'_>,
    emits: &[Inst<'m>],
    prologue: Position<'m>,
) {
    let slots = add_slots(m, p, entry, parts);
    let cutter = Cutter { m, parts, slots };
    let hooks = [
        Hook { name: "save", function: cutter.save(p) },
        Hook { name: "interpolate", function: cutter.interpolate(p) },
        Hook { name: "emit", function: cutter.emit(p) },
        Hook { name: "end_strip", function: end_strip(p, parts.primitive) },
        Hook { name: "clip_distance", function: cutter.distance(p, DistanceKind::Clip) },
        Hook { name: "cull_distance", function: cutter.distance(p, DistanceKind::Cull) },
    ];
    let emit = rewrite::link(p, &library::CUT, &[parts.primitive.emit()], &hooks)[0];

    // `emit_vertex` counts the vertices of the strip. The end of a strip resets the count.
    let (uint, void) = (p.uint(), p.void());
    let zero = p.uint_constant(0);
    let count = p.variable(StorageClass::PRIVATE, uint, None);
    p.name(count, "polyshade_vertices_of_strip");
    rewrite::add_to_interface(m, p, entry, count);
    p.at(prologue).store(count, zero);
    let emit_vertex = emit_vertex(p, parts, count, emit);
    for inst in emits {
        p.remove(*inst);
        let mut code = p.at(inst.after());
        if matches!(inst.op(), Op::EMIT_VERTEX | Op::EMIT_STREAM_VERTEX) {
            code.call(void, emit_vertex, &[]);
        } else {
            code.store(count, zero);
        }
    }
}

/// Adds an array with one element per slot for each leaf. All distances of one kind share an array.
fn add_slots<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    parts: &Parts<'_>,
) -> Vec<Slots> {
    let count = parts.primitive.slots(parts.counts[0]);
    let add = |p: &mut Patch<'m, '_>, ty: Id, of: Id| {
        let array = p.array(ty, count);
        let variable = p.variable(StorageClass::PRIVATE, array, None);
        let name = m.name(of).unwrap_or_default();
        p.name(variable, &format!("{name}_slots"));
        rewrite::add_to_interface(m, p, entry, variable);
        variable
    };
    let float = p.float();
    let arrays: Vec<(Id, Id)> = (0..2)
        .filter_map(|kind| {
            let own = parts.distances[kind]?;
            let distances = p.array(float, parts.counts[kind]);
            Some((own, add(p, distances, own)))
        })
        .collect();
    let leaves = parts.leaves.iter().map(|leaf| {
        match arrays.iter().find(|(own, _)| *own == leaf.variable) {
            Some((_, variable)) => {
                let number = p.uint_constant(leaf.path[0]);
                Slots { variable: *variable, path: vec![number] }
            }
            None => Slots { variable: add(p, leaf.ty, leaf.variable), path: Vec::new() },
        }
    });
    leaves.collect()
}

/// Emits `void polyshade_emit_vertex()`.
///
/// ```text
/// %before = OpLoad %uint %count
/// %after  = OpFunctionCall %uint %emit_to_triangles %before %provoking %clip %cull
///           OpStore %count %after
/// ```
fn emit_vertex(p: &mut Patch<'_, '_>, parts: &Parts<'_>, count: Id, emit: Id) -> Id {
    let (uint, void) = (p.uint(), p.void());
    let [clip, cull] = parts.counts.map(|count| p.uint_constant(count));
    let provoking = p.uint_constant(provoking_corner(parts.provoking, parts.primitive));
    rewrite::define_function(p, "polyshade_emit_vertex", (void, &[]), |code, _| {
        let before = code.load(uint, count);
        let after = code.call(uint, emit, &[before, provoking, clip, cull]);
        code.store(count, after);
        None
    })
}

/// Emits `void end_strip()`. It does nothing for points.
fn end_strip(p: &mut Patch<'_, '_>, primitive: Primitive) -> Id {
    let void = p.void();
    rewrite::define_function(p, "polyshade_end_strip", (void, &[]), |code, _| {
        if primitive != Primitive::Points {
            code.emit(Op::END_PRIMITIVE, &[]);
        }
        None
    })
}

impl Cutter<'_, '_, '_> {
    /// Emits a pointer to the leaf `number` of the vertex in `slot`.
    fn slot(&self, code: &mut Cursor<'_, '_, '_>, number: usize, slot: Id) -> Id {
        let Slots { variable, path } = &self.slots[number];
        let pointer = code.p.pointer(StorageClass::PRIVATE, self.parts.leaves[number].ty);
        code.access_chain(pointer, *variable, &[&[slot], path.as_slice()].concat())
    }

    /// Emits `void save(uint slot)`.
    ///
    /// ```text
    /// %value = OpLoad %v4float %color
    /// %to    = OpAccessChain %_ptr_Private_v4float %color_slots %slot
    ///          OpStore %to %value
    /// ```
    fn save(&self, p: &mut Patch<'_, '_>) -> Id {
        let (void, uint) = (p.void(), p.uint());
        rewrite::define_function(p, "polyshade_save", (void, &[uint]), |code, parameters| {
            for (number, leaf) in self.parts.leaves.iter().enumerate() {
                let from = code.part(StorageClass::PRIVATE, leaf.ty, leaf.variable, &leaf.path);
                let to = self.slot(code, number, parameters[0]);
                let value = code.load(leaf.ty, from);
                code.store(to, value);
            }
            None
        })
    }

    /// Emits `void emit(uint slot, uint provoking)`.
    fn emit(&self, p: &mut Patch<'_, '_>) -> Id {
        let (void, uint) = (p.void(), p.uint());
        rewrite::define_function(p, "polyshade_emit", (void, &[uint; 2]), |code, slots| {
            for (number, leaf) in self.parts.leaves.iter().enumerate() {
                let from = self.slot(code, number, slots[usize::from(leaf.way == Way::Flat)]);
                let mut places = Vec::new();
                if let Some(interface) = self.parts.interfaces.get(&leaf.variable) {
                    places.push((*interface, leaf.path.as_slice()));
                }
                for (array, distance, place) in &self.parts.exported_values {
                    if *array == leaf.variable && leaf.path == [*distance] {
                        places.push((place.variable, place.path.as_slice()));
                    }
                }
                if places.is_empty() {
                    continue;
                }
                let value = code.load(leaf.ty, from);
                for (variable, path) in places {
                    let to = code.part(StorageClass::OUTPUT, leaf.ty, variable, path);
                    code.store(to, value);
                }
            }
            code.emit(Op::EMIT_VERTEX, &[]);
            None
        })
    }

    /// Emits `float clip_distance(uint slot, uint plane)`, or the equivalent function for cull distances.
    fn distance(&self, p: &mut Patch<'_, '_>, kind: DistanceKind) -> Id {
        let (function, at, uint, float) = (p.id(), p.slot(), p.uint(), p.float());
        p.name(function, &format!("polyshade_{kind}_distance"));
        let zero = p.float_constant(0.0);
        let parameters = p.at(at).begin_function(function, float, &[uint, uint]);
        let own = self.parts.distances[kind as usize];
        let number = self.parts.leaves.iter().position(|leaf| Some(leaf.variable) == own);
        let value = match number {
            Some(number) => {
                let pointer = p.pointer(StorageClass::PRIVATE, float);
                let mut code = p.at(at);
                let from = code.access_chain(pointer, self.slots[number].variable, &parameters);
                code.load(float, from)
            }
            None => zero,
        };
        p.at(at).end_function(Some(value));
        function
    }

    /// Emits `void interpolate(uint slot, uint outside, uint inside, float part)`.
    fn interpolate(&self, p: &mut Patch<'_, '_>) -> Id {
        let (void, uint, float) = (p.void(), p.uint(), p.float());
        let types = [uint, uint, uint, float];
        rewrite::define_function(p, "polyshade_interpolate", (void, &types), |code, parameters| {
            let [slot, outside, inside, part] =
                [0, 1, 2, 3].map(|number: usize| parameters[number]);
            let on_screen = self.on_screen(code, [outside, inside], part);
            for (number, leaf) in self.parts.leaves.iter().enumerate() {
                let part = match leaf.way {
                    Way::Flat => continue,
                    Way::Smooth => part,
                    Way::NoPerspective => on_screen,
                };
                let [from, towards] = [outside, inside].map(|slot| {
                    let from = self.slot(code, number, slot);
                    code.load(leaf.ty, from)
                });
                let value = self.between(code, leaf.ty, [from, towards], part);
                let to = self.slot(code, number, slot);
                code.store(to, value);
            }
            None
        })
    }

    /// Emits the position of a new vertex between two vertices, as a fraction in screen space; `part` is the fraction
    /// in clip space.
    ///
    /// ```text
    /// %a      = OpLoad %float %w_outside
    /// %b      = OpLoad %float %w_inside
    /// %length = OpFSub %float %b %a
    /// %way    = OpFMul %float %length %part
    /// %w      = OpFAdd %float %a %way
    /// %share  = OpFMul %float %part %b
    /// %screen = OpFDiv %float %share %w
    /// ```
    fn on_screen(&self, code: &mut Cursor<'_, '_, '_>, slots: [Id; 2], part: Id) -> Id {
        let is_asked = self.parts.leaves.iter().any(|leaf| leaf.way == Way::NoPerspective);
        let Some(position) = self.parts.position.filter(|_| is_asked) else { return part };
        let float = code.p.float();
        let vector = self.parts.leaves[position].ty;
        let [outside, inside] = slots.map(|slot| {
            let from = self.slot(code, position, slot);
            let position = code.load(vector, from);
            code.extract(float, position, &[3])
        });
        let w = self.between(code, float, [outside, inside], part);
        let share = code.binary(Op::F_MUL, float, part, inside);
        code.binary(Op::F_DIV, float, share, w)
    }

    /// Emits the linear interpolation between two values. The result has no contracted operations, so two primitives
    /// with a common edge compute the same values.
    ///
    /// ```text
    /// %length = OpFSub %v4float %towards %from
    /// %way    = OpVectorTimesScalar %v4float %length %part
    /// %value  = OpFAdd %v4float %from %way
    /// ```
    fn between(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        ty: Id,
        [from, towards]: [Id; 2],
        part: Id,
    ) -> Id {
        let scalar = component_type(self.m, ty);
        let is_half = component(self.m, ty) == Some(Type::Float { width: 16 });
        let multiply = if scalar == ty { Op::F_MUL } else { Op::VECTOR_TIMES_SCALAR };
        let part = if is_half { code.value(Op::F_CONVERT, scalar, &[part.word()]) } else { part };
        let length = code.binary(Op::F_SUB, ty, towards, from);
        let way = code.binary(multiply, ty, length, part);
        let value = code.binary(Op::F_ADD, ty, from, way);
        for id in [length, way, value] {
            code.p.decorate(id, Decoration::NO_CONTRACTION, &[]);
        }
        value
    }
}

fn component_type(m: &Module<'_>, ty: Id) -> Id {
    match m.ty(ty) {
        Some(Type::Vector { component, .. }) => component,
        _ => ty,
    }
}
