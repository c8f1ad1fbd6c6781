//! Stores all outputs in the capture pass and loads them in the raster pass, so that the shader runs once per vertex.
//! The buffer contains one element per vertex, instance after instance. The shader of the raster pass keeps only the
//! output variables of the original.

use super::feedback::{Feedback, Target, function};
use super::{Bound, vertex_and_instance};
use crate::code::{self, refuse};
use crate::library;
use crate::rewrite::{self, Hook, HostBlock, Open, WordArray};
use crate::transform_feedback::draw_constraints::DrawParam;
use crate::transform_feedback::layout::Stored;
use crate::transform_feedback::leaves::Leaf;
use crate::transform_feedback::outputs::Part;
use crate::transform_feedback::{Prepared, native_xfb};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Decoration, Error, Id, Module, Op, Patch, Position, StorageClass};

/// The buffer for spilled outputs.
#[derive(Clone, Copy)]
pub(in super::super) struct Spilled<'c> {
    pub(in super::super) block: HostBlock,
    pub(in super::super) stores: &'c [Stored],
    /// In 32-bit units.
    pub(in super::super) stride: u32,
}

impl<'c> Spilled<'c> {
    /// Adds the buffer to the module.
    pub(super) fn add<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        prepared: &'c Prepared<'_>,
        array: WordArray,
    ) -> Result<Self, Error> {
        let plan = &prepared.plan;
        let place = plan.outputs_at().expect("a buffer is bound where outputs are spilled");
        let block = rewrite::storage_buffer(m, p, entry, array, place, "polyshade_outputs")?;
        Ok(Self { block, stores: &plan.spilled, stride: plan.layout.outputs_stride / 4 })
    }

    /// Emits, at `at`, a call to `function`, which stores or loads the outputs of vertex `number`.
    fn call<'m>(self, p: &mut Patch<'m, '_>, at: Position<'m>, function: Id, number: Id) {
        let hook = Hook { name: "store_to_slot", function };
        let put = rewrite::link(p, &library::CAPTURE, &["put"], &[hook])[0];
        let (uint, void) = (p.uint(), p.void());
        let mut code = p.at(at);
        let length = self.block.length(&mut code).expect("spilled outputs are in a storage buffer");
        let (zero, stride) = (code.p.uint_constant(0), code.p.uint_constant(self.stride));
        let there = code.binary(Op::U_DIV, uint, length, stride);
        code.call(void, put, &[zero, there, number]);
    }

    /// Emits, at `at`, the stores of this vertex's outputs.
    pub(super) fn store<'m>(
        self,
        p: &mut Patch<'m, '_>,
        at: Position<'m>,
        feedback: &Feedback<'_>,
        number: Id,
    ) {
        let store = self.store_function(p, feedback);
        self.call(p, at, store, number);
    }

    /// Emits the function that stores the outputs of a vertex. Its parameter is the number of the vertex.
    pub(in super::super) fn store_function(
        self,
        p: &mut Patch<'_, '_>,
        feedback: &Feedback<'_>,
    ) -> Id {
        let target = Target::Bound(self.block);
        self.function(p, "store_outputs", |code, vertex| {
            for stored in self.stores {
                feedback.store(code, target, vertex, stored);
            }
        })
    }

    /// Emits, at `at`, the loads of the outputs of vertex `number`, if the buffer is long enough.
    pub(in super::super) fn load<'m>(self, p: &mut Patch<'m, '_>, at: Position<'m>, number: Id) {
        p.decorate(self.block.variable, Decoration::NON_WRITABLE, &[]);
        let load = self.function(p, "load_outputs", |code, vertex| {
            for Stored { piece, word } in self.stores {
                let value = value(code, self.block, &piece.leaf, (vertex, *word));
                let Part { variable, path, ty } = &piece.leaf.part;
                let pointer = code.part(StorageClass::OUTPUT, *ty, *variable, path);
                code.store(pointer, value);
            }
        });
        self.call(p, at, load, number);
    }

    /// Emits a function with the number of a vertex as its parameter. `body` receives the offset of the vertex in the
    /// buffer, in 32-bit units.
    fn function(
        self,
        p: &mut Patch<'_, '_>,
        name: &str,
        body: impl FnOnce(&mut Cursor<'_, '_, '_>, Id),
    ) -> Id {
        let (uint, void) = (p.uint(), p.void());
        rewrite::define_function(p, name, (void, &[uint]), |code, parameters| {
            let stride = code.p.uint_constant(self.stride);
            let vertex = code.binary(Op::I_MUL, uint, parameters[0], stride);
            body(code, vertex);
            None
        })
    }
}

/// Emits the number of a vertex, counted over all instances.
pub(super) fn number(
    code: &mut Cursor<'_, '_, '_>,
    (feedback, open): (&Feedback<'_>, Open<'_>),
    vertex: Id,
    instance: Option<Id>,
) -> Id {
    let Some(instance) = instance else { return vertex };
    let uint = code.p.uint();
    let count = feedback.word(code, open, DrawParam::VertexCount);
    let before = code.binary(Op::I_MUL, uint, instance, count);
    code.binary(Op::I_ADD, uint, before, vertex)
}

/// Refuses variants that need `spill_outputs` if the option is not set.
pub(super) fn check(prepared: &Prepared<'_>, entry: EntryPoint<'_>) -> Result<(), Error> {
    if prepared.plan.layout.draws.spill_outputs {
        return Ok(());
    }
    let message = "cannot spill outputs: the options do not request it";
    refuse(&code::CAPTURE_SPILL_NOT_REQUESTED, message, entry.function())
}

/// Makes `ReloadOutputs`, which loads the outputs that the capture pass has stored. The original code is then dead.
///
/// ```text
/// %main = OpFunction %void None %fn
///         …                                        ; the number of the vertex
///         OpFunctionCall %void %put …              ; if the buffer is that long
/// %load_outputs = OpFunction …
/// %there   = OpAccessChain %_ptr_StorageBuffer_uint %polyshade_outputs %uint_0 %word
/// %x       = OpLoad %uint %there
///            …
/// %bits    = OpCompositeConstruct %v4uint %x %y %z %w
/// %value   = OpBitcast %v4float %bits
/// %pointer = OpAccessChain %_ptr_Output_v4float %output …
///            OpStore %pointer %value
/// ```
pub(in super::super) fn reload_outputs<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    check(prepared, entry)?;
    native_xfb::strip(m, p, entry);
    // The capture pass writes the buffer, and this pass only reads it.
    let at = rewrite::replace_body(m, p, entry);
    let array = rewrite::word_array(m, p);
    let passed = Spilled::add(m, p, entry, prepared, array)?;
    let bound = Bound::words_alone(m, p, entry, prepared, Some(array))?;
    let feedback = bound.feedback(prepared, StorageClass::OUTPUT);

    let open = bound.added.open(&mut p.at(at));
    let (vertex, instance) = vertex_and_instance(m, p, entry, (&feedback, open), None, at);
    let number = number(&mut p.at(at), (&feedback, open), vertex, instance);
    passed.load(p, at, number);
    Ok(())
}

/// Emits a load of a vector or scalar from the offset `vertex + place`, in 32-bit units.
pub(in super::super) fn value(
    code: &mut Cursor<'_, '_, '_>,
    block: HostBlock,
    leaf: &Leaf,
    (vertex, place): (Id, u32),
) -> Id {
    let uint = code.p.uint();
    let words: Vec<Id> = (place..place + leaf.words())
        .map(|place| {
            let offset = code.p.uint_constant(place);
            let index = code.binary(Op::I_ADD, uint, vertex, offset);
            let pointer = block.pointer(code, index);
            code.load(uint, pointer)
        })
        .collect();
    let components: Vec<Id> = words
        .chunks(leaf.width as usize)
        .map(|words| {
            let bits = match words {
                [word] => *word,
                _ => {
                    let pair = code.p.vector(uint, leaf.width);
                    code.construct(pair, words)
                }
            };
            match leaf.component == uint {
                true => bits,
                false => code.bitcast(leaf.component, bits),
            }
        })
        .collect();
    match components[..] {
        [scalar] => scalar,
        _ => code.construct(leaf.part.ty, &components),
    }
}

/// Emits the load of a private input of a vertex or patch from the offset `start + place`, in 32-bit units. `corner` is
/// the number of the vertex, for inputs of vertices.
pub(in super::super) fn load_input(
    code: &mut Cursor<'_, '_, '_>,
    block: HostBlock,
    leaf: &Leaf,
    (start, place): (Id, u32),
    corner: Option<Id>,
) {
    let value = value(code, block, leaf, (start, place));
    let pointer = part_of(code, StorageClass::PRIVATE, leaf, corner);
    code.store(pointer, value);
}

/// Emits a pointer to a vector or scalar of a vertex or patch.
pub(in super::super) fn part_of(
    code: &mut Cursor<'_, '_, '_>,
    class: StorageClass,
    leaf: &Leaf,
    corner: Option<Id>,
) -> Id {
    let path = leaf.part.path.iter().map(|index| code.p.uint_constant(*index));
    let path: Vec<Id> = corner.into_iter().chain(path).collect();
    let pointer = code.p.pointer(class, leaf.part.ty);
    code.access_chain(pointer, leaf.part.variable, &path)
}

/// Links a function `void (uint corner, uint number)` that calls `load` if a buffer has an element of this number.
/// `stride` is the size of an element in 32-bit units.
pub(in super::super) fn load_in_buffer(
    p: &mut Patch<'_, '_>,
    load: Id,
    (block, stride): (HostBlock, u32),
) -> Id {
    let uint = p.uint();
    let elements = function(p, "vertices_in_buffer", uint, |code| {
        let length = block.length(code).expect("the buffer is a storage buffer");
        let stride = code.p.uint_constant(stride.max(1));
        code.binary(Op::U_DIV, uint, length, stride)
    });
    let hooks = [("load_vertex", load), ("vertices_in_buffer", elements)];
    let hooks = hooks.map(|(name, function)| Hook { name, function });
    rewrite::link(p, &library::GEOMETRY, &["load_in_buffer"], &hooks)[0]
}
