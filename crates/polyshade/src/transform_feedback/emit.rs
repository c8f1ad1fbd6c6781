//! The variants, and the code that stores.

use super::effects::Pass;
use super::layout::{Piece, Stored};
use super::leaves::Leaf;
use super::outputs::Part;
use super::{Prepared, foreign, host};
use crate::library;
use crate::moves::{self, Added, Copies, Hook, HostBlock};
use polyshade_spv::view::{CapabilityInst, Decorate, EntryPoint, MemberDecorate};
use polyshade_spv::{
    BuiltIn, Capability, Cursor, Decoration, Error, Id, Module, Op, Patch, Position, Section,
    StorageClass,
};
use std::collections::HashSet;

/// The variant that stores and has no output but `PointSize`.
pub(super) fn capture_only<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    prepared.plan.effects.settle(m, p, prepared.options.side_effects_kept(), Pass::Capture)?;

    let outputs = moves::interface(m, entry, StorageClass::OUTPUT);
    foreign::strip_around(m, p, entry, &outputs);
    drop_capabilities(m, p, &outputs);
    if prepared.plan.captures_invariant(m) {
        prepared.plan.effects.forbid_contraction(m, p);
    }
    let wrapper = moves::wrap(m, p, entry);
    moves::take_over(m, p, entry, &outputs, Copies::None)?;
    store_outputs(m, p, entry, prepared, StorageClass::PRIVATE, wrapper.epilogue)?;
    if prepared.options.writes_point_size() {
        let float = p.float();
        let point_size = moves::add_output_builtin(p, entry, BuiltIn::POINT_SIZE, float);
        p.name(point_size, "polyshade_point_size");
        let one = p.float_constant(1.0);
        p.at(wrapper.epilogue).store(point_size, one);
    }
    Ok(())
}

/// The capabilities that a built-in needs, and nothing else does.
const OF_BUILT_INS: [(Capability, BuiltIn); 4] = [
    (Capability::CLIP_DISTANCE, BuiltIn::CLIP_DISTANCE),
    (Capability::CULL_DISTANCE, BuiltIn::CULL_DISTANCE),
    (Capability::SHADER_LAYER, BuiltIn::LAYER),
    (Capability::SHADER_VIEWPORT_INDEX, BuiltIn::VIEWPORT_INDEX),
];

/// Takes the capabilities that only `outputs` need, which are built-ins no more.
fn drop_capabilities<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>, outputs: &[Id]) {
    let declared = m.section(Section::Capabilities).filter_map(CapabilityInst::of);
    let mut unneeded: Vec<(CapabilityInst<'m>, BuiltIn)> = declared
        .filter_map(|inst| {
            let of = OF_BUILT_INS.iter().find(|(capability, _)| *capability == inst.capability());
            of.map(|(_, builtin)| (inst, *builtin))
        })
        .collect();
    if unneeded.is_empty() {
        return;
    }
    let structures = outputs.iter().filter_map(|id| Some(m.innermost_element(m.pointee(*id)?)));
    let taken: HashSet<Id> = structures.chain(outputs.iter().copied()).collect();
    for inst in m.section(Section::Annotations) {
        let of_whole =
            Decorate::of(inst).map(|one| (one.target(), one.decoration(), one.operands()));
        let said = of_whole.or_else(|| {
            MemberDecorate::of(inst).map(|one| (one.target(), one.decoration(), one.operands()))
        });
        if let Some((target, Decoration::BUILT_IN, &[builtin])) = said
            && !taken.contains(&target)
        {
            unneeded.retain(|(_, other)| *other != BuiltIn(builtin));
        }
    }
    unneeded.iter().for_each(|(inst, _)| p.remove(inst.inst()));
}

/// The variant that stores and has its outputs.
pub(super) fn both<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    let wrapper = moves::wrap(m, p, entry);
    store_outputs(m, p, entry, prepared, StorageClass::OUTPUT, wrapper.epilogue)
}

/// The variant that stores nothing.
pub(super) fn raster_only<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    prepared.plan.effects.settle(m, p, prepared.options.side_effects_kept(), Pass::Raster)
}

/// Emits, at `at`, code that stores what the outputs, now in `class`, hold.
///
/// ```text
/// %vertex   = OpISub %uint %vertex_index %first_vertex
/// %instance = OpISub %uint %instance_index %first_instance
///             OpFunctionCall %void %capture %vertex %instance %topology %flags %vertex_count
/// ```
fn store_outputs<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
    class: StorageClass,
    at: Position<'m>,
) -> Result<(), Error> {
    let plan = &prepared.plan;
    let words = moves::word_array(m, p);
    let capturing = (0..).zip(&plan.stores).filter(|(_, stores)| !stores.is_empty());
    let buffers = capturing
        .map(|(number, stores)| {
            let place = (plan.placement.set(), plan.placement.buffer(number));
            let name = format!("polyshade_feedback_{number}");
            let block = moves::storage_buffer(m, p, entry, words, place, &name)?;
            let stride = plan.layout.buffers[number as usize].stride / 4;
            Ok(Buffer { block, stride, first_word: host::buffer_words(number), stores })
        })
        .collect::<Result<Vec<Buffer<'_>>, Error>>()?;
    let reserved = prepared.frame.target().reservations();
    let named = (&plan.words, "polyshade_host");
    let added = moves::add_words(m, p, entry, reserved, named, Some(words))?;

    let library = &library::CAPTURE;
    let fit = moves::link(p, library, &["fit"], &[])[0];
    let code = Feedback { buffers: &buffers, host: &added, class };
    let hooks = [
        Hook { name: "primitives_that_fit", function: code.primitives_that_fit(p, fit) },
        Hook { name: "store_to_slot", function: code.store_to_slot(p) },
    ];
    // What is drawn as it is cannot have the topologies that a point list is drawn for.
    let capture = if class == StorageClass::OUTPUT { "capture_as_drawn" } else { "capture" };
    let capture = moves::link(p, library, &[capture], &hooks)[0];

    let (uint, void) = (p.uint(), p.void());
    let [vertex, instance] = [BuiltIn::VERTEX_INDEX, BuiltIn::INSTANCE_INDEX]
        .map(|builtin| moves::load_integer_builtin(m, p, entry, (builtin, uint), at));
    let mut code = p.at(at);
    let [topology, flags, first_vertex, count, first_instance] =
        ["topology", "flags", "first_vertex", "vertex_count", "first_instance"]
            .map(|name| added.load(&mut code, host::draw_word(name)));
    let vertex = code.binary(Op::I_SUB, uint, vertex, first_vertex);
    let instance = code.binary(Op::I_SUB, uint, instance, first_instance);
    code.call(void, capture, &[vertex, instance, topology, flags, count]);
    Ok(())
}

/// Emits word `number`, in bytes, as a number of words.
fn in_words(host: &Added, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
    let uint = code.p.uint();
    let bytes = host.load(code, number);
    let two = code.p.uint_constant(2);
    code.binary(Op::SHIFT_RIGHT_LOGICAL, uint, bytes, two)
}

/// A feedback buffer that captures something.
struct Buffer<'c> {
    block: HostBlock,
    /// In words.
    stride: u32,
    /// Number of its first host word.
    first_word: u32,
    stores: &'c [Stored],
}

/// The functions that know buffers and varyings.
struct Feedback<'c> {
    buffers: &'c [Buffer<'c>],
    host: &'c Added,
    class: StorageClass,
}

impl Feedback<'_> {
    /// Emits `uint primitives_that_fit(uint vertices)`, the minimum over the buffers.
    fn primitives_that_fit(&self, p: &mut Patch<'_, '_>, fit: Id) -> Id {
        let (id, at, uint) = (p.id(), p.lane(), p.uint());
        p.name(id, "primitives_that_fit");
        let mut code = p.at(at);
        let vertices = code.begin_function(id, uint, &[uint])[0];
        let mut least: Option<Id> = None;
        for buffer in self.buffers {
            let stride = code.p.uint_constant(buffer.stride);
            let length =
                buffer.block.length(&mut code).expect("a feedback buffer is a storage buffer");
            let [offset, size, reached] =
                [0, 1, 2].map(|word| in_words(self.host, &mut code, buffer.first_word + word));
            let fits = code.call(uint, fit, &[vertices, stride, length, offset, size, reached]);
            least = Some(match least {
                None => fits,
                Some(least) => {
                    let bool = code.p.bool();
                    let less = code.binary(Op::U_LESS_THAN, bool, fits, least);
                    code.select(uint, less, fits, least)
                }
            });
        }
        code.end_function(least);
        id
    }

    /// Emits `void store_to_slot(uint slot)`.
    fn store_to_slot(&self, p: &mut Patch<'_, '_>) -> Id {
        let (id, at, uint, void) = (p.id(), p.lane(), p.uint(), p.void());
        p.name(id, "store_to_slot");
        let mut code = p.at(at);
        let slot = code.begin_function(id, void, &[uint])[0];
        for buffer in self.buffers {
            let [offset, reached] =
                [0, 2].map(|word| in_words(self.host, &mut code, buffer.first_word + word));
            let start = code.binary(Op::I_ADD, uint, offset, reached);
            let stride = code.p.uint_constant(buffer.stride);
            let vertex = code.binary(Op::I_MUL, uint, slot, stride);
            let vertex = code.binary(Op::I_ADD, uint, start, vertex);
            for stored in buffer.stores {
                self.store(&mut code, buffer, vertex, stored);
            }
        }
        code.end_function(None);
        id
    }

    /// Stores components of a vector or scalar as words, so that their bits stay as they are.
    ///
    /// ```text
    /// %pointer = OpAccessChain %_ptr_Private_v4float %output …
    /// %value   = OpLoad %v4float %pointer
    /// %x       = OpCompositeExtract %float %value 0
    /// %bits    = OpBitcast %uint %x
    /// %word    = OpIAdd %uint %vertex %place
    /// %there   = OpAccessChain %_ptr_StorageBuffer_uint %buffer %uint_0 %word
    ///            OpStore %there %bits
    /// ```
    fn store(
        &self,
        code: &mut Cursor<'_, '_, '_>,
        buffer: &Buffer<'_>,
        vertex: Id,
        stored: &Stored,
    ) {
        let Piece { leaf, first, count } = &stored.piece;
        let value = load(code, &leaf.part, self.class);

        let mut place = stored.word;
        for number in *first..first + count {
            let component = match leaf.count {
                1 => value,
                _ => code.extract(leaf.component, value, &[number]),
            };
            for bits in words(code, leaf, component) {
                let offset = code.p.uint_constant(place);
                let uint = code.p.uint();
                let word = code.binary(Op::I_ADD, uint, vertex, offset);
                let pointer = buffer.block.pointer(code, word);
                code.store(pointer, bits);
                place += 1;
            }
        }
    }
}

/// Emits a load of a part of an output, now in `class`.
pub(super) fn load(code: &mut Cursor<'_, '_, '_>, part: &Part, class: StorageClass) -> Id {
    let indices: Vec<Id> = part.path.iter().map(|index| code.p.uint_constant(*index)).collect();
    let pointer = code.p.pointer(class, part.ty);
    let pointer = code.access_chain(pointer, part.variable, &indices);
    code.load(part.ty, pointer)
}

/// Emits the words of a component, the lower one first.
pub(super) fn words(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, component: Id) -> Vec<Id> {
    let uint = code.p.uint();
    if leaf.width == 2 {
        let pair = code.p.vector(uint, 2);
        let both = code.bitcast(pair, component);
        return [0, 1].map(|number| code.extract(uint, both, &[number])).to_vec();
    }
    vec![if leaf.component == uint { component } else { code.bitcast(uint, component) }]
}
