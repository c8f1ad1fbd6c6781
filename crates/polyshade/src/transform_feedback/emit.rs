//! Generates the variants that capture, and `RasterOnly`.

pub(super) mod compute;
pub(super) mod feedback;
mod inputs;
pub(super) mod spill_outputs;
mod vertices;

pub(super) use inputs::{OF_ALL_STAGES, asks_draw_index, fill_builtin};
pub(super) use spill_outputs::reload_outputs;

use super::draw_constraints::DrawParam;
use super::effects::Pass;
use super::layout::{Layout, Piece, Stored};
use super::leaves::Leaf;
use super::outputs::Part;
use super::{MAX_BUFFERS, Prepared, Topology, Variant, native_xfb};
use crate::code::{self, refuse};
use crate::rewrite::{self, Added, Copies, HostBlock, Open, WordArray};
use crate::source::Source;
use compute::Numbers;
use feedback::{Buffer, Feedback};
use foldhash::HashSet;
use polyshade_spv::view::{CapabilityInst, Decorate, EntryPoint, MemberDecorate};
use polyshade_spv::{
    BuiltIn, Capability, Cursor, Decoration, Error, Id, Module, Op, Patch, Position, Section,
    StorageClass,
};
use spill_outputs::Spilled;

/// Makes `CaptureOnly` or `SpillOutputs`. The variant stores the captured outputs, and `SpillOutputs` also stores all
/// outputs. Its only stage output is `PointSize`, and a compute stage has no stage outputs.
pub(super) fn capture<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
    variant: Variant,
) -> Result<(), Error> {
    let passes = variant == Variant::SpillOutputs;
    match passes {
        // The shader runs only in this pass, which therefore keeps the side effects.
        true => spill_outputs::check(prepared, entry)?,
        false => {
            prepared.plan.effects.settle(m, p, prepared.side_effects, Pass::Capture)?;
        }
    }

    // Outputs, and inputs with replaced values, move to the `Private` storage class.
    let mut taken = rewrite::interface(m, entry, StorageClass::OUTPUT);
    native_xfb::strip_around(m, p, entry, &taken);
    let draws = &prepared.plan.layout.draws;
    let inputs = inputs::inputs(m, entry, draws)?;
    taken.extend(inputs.iter().map(|input| input.variable));
    drop_capabilities(m, p, &taken, !inputs.is_empty());
    if prepared.plan.stores_invariant(m, passes) {
        prepared.plan.effects.forbid_contraction(m, p);
    }
    let wrapper = rewrite::wrap(m, p, entry);
    rewrite::demote_to_private(m, p, entry, &taken, Copies::None)?;
    // Fill these inputs before the shader's code runs, and store the outputs after it.
    let bound = Bound::add(m, p, entry, prepared)?;
    let feedback = bound.feedback(prepared, StorageClass::PRIVATE);
    let is_filled = draws.indexed.is_some() || draws.compute;
    let numbers = is_filled.then(|| inputs::fill(p, entry, &inputs, &feedback, wrapper.prologue));
    if !is_filled {
        inputs::fill_drawn(p, &inputs, &feedback, wrapper.prologue);
    }
    let passed = bound.array.filter(|_| passes);
    let passed = passed.map(|array| Spilled::add(m, p, entry, prepared, array)).transpose()?;
    store_outputs(m, p, entry, &feedback, (numbers, passed), wrapper.epilogue);
    if draws.compute {
        compute::change_stage(p, entry);
    } else if prepared.writes_point_size {
        let float = p.float();
        let point_size = rewrite::add_output_builtin(p, entry, BuiltIn::POINT_SIZE, float);
        p.name(point_size, "polyshade_point_size");
        let one = p.float_constant(1.0);
        p.at(wrapper.epilogue).store(point_size, one);
    }
    Ok(())
}

/// Emits, at `at`, the store of 1 to `PointSize`, the size of points without a size.
pub(super) fn write_point_size<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    at: Position<'m>,
) {
    let float = p.float();
    let one = p.float_constant(1.0);
    let found = rewrite::find_output(m, entry, BuiltIn::POINT_SIZE);
    let size = match found {
        Some(found) => found.pointer(&mut p.at(at)),
        None => rewrite::add_output_builtin(p, entry, BuiltIn::POINT_SIZE, float),
    };
    p.at(at).store(size, one);
}

/// Capabilities that only built-ins need, each with such a built-in.
const OF_BUILT_INS: [(Capability, BuiltIn); 9] = [
    (Capability::CLIP_DISTANCE, BuiltIn::CLIP_DISTANCE),
    (Capability::CULL_DISTANCE, BuiltIn::CULL_DISTANCE),
    (Capability::SHADER_LAYER, BuiltIn::LAYER),
    (Capability::SHADER_VIEWPORT_INDEX, BuiltIn::VIEWPORT_INDEX),
    (Capability::FRAGMENT_SHADING_RATE_KHR, BuiltIn::PRIMITIVE_SHADING_RATE_KHR),
    (Capability::FRAGMENT_SHADING_RATE_KHR, BuiltIn::SHADING_RATE_KHR),
    (Capability::DRAW_PARAMETERS, BuiltIn::BASE_VERTEX),
    (Capability::DRAW_PARAMETERS, BuiltIn::BASE_INSTANCE),
    (Capability::DRAW_PARAMETERS, BuiltIn::DRAW_INDEX),
];

/// Removes the capabilities that only the former built-ins `variables` need. They are outputs and, if `inputs` is set,
/// also inputs.
pub(super) fn drop_capabilities<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    variables: &[Id],
    inputs: bool,
) {
    let declared = m.section(Section::Capabilities).filter_map(CapabilityInst::of);
    let mut unneeded: Vec<CapabilityInst<'m>> = declared
        .filter(|inst| {
            let of_inputs = inst.capability() == Capability::DRAW_PARAMETERS;
            OF_BUILT_INS.iter().any(|(one, _)| *one == inst.capability()) && of_inputs <= inputs
        })
        .collect();
    if unneeded.is_empty() {
        return;
    }
    let structures = variables.iter().filter_map(|id| Some(m.innermost_element(m.pointee(*id)?)));
    let taken: HashSet<Id> = structures.chain(variables.iter().copied()).collect();
    for inst in m.section(Section::Annotations) {
        let of_whole =
            Decorate::of(inst).map(|one| (one.target(), one.decoration(), one.operands()));
        let decorated = of_whole.or_else(|| {
            MemberDecorate::of(inst).map(|one| (one.target(), one.decoration(), one.operands()))
        });
        if let Some((target, Decoration::BUILT_IN, &[builtin])) = decorated
            && !taken.contains(&target)
        {
            let needs = |inst: &CapabilityInst<'_>| {
                OF_BUILT_INS.contains(&(inst.capability(), BuiltIn(builtin)))
            };
            unneeded.retain(|inst| !needs(inst));
        }
    }
    unneeded.iter().for_each(|inst| p.remove(inst.inst()));
}

/// Makes `Both`, which stores the captured outputs and keeps the stage outputs.
pub(super) fn both<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    let draws = &prepared.plan.layout.draws;
    let refused = [
        (
            !draws.any(Topology::is_list_or_strip),
            "cannot capture and rasterize in one variant: fans and line loops are captured by a point list",
        ),
        (
            draws.indexed.is_some(),
            "cannot capture and rasterize in one variant: draws with indices are captured by a point list",
        ),
        (
            draws.compute,
            "cannot capture and rasterize in one variant: a compute stage has no stage outputs",
        ),
    ];
    if let Some((_, message)) = refused.into_iter().find(|(is, _)| *is) {
        return refuse(&code::CAPTURE_NO_COMBINED_VARIANT, message, entry.function());
    }
    let inputs = inputs::inputs(m, entry, draws)?;
    let wrapper = rewrite::wrap(m, p, entry);
    // Few shaders read `DrawIndex`, and the search for its uses visits all code.
    if !inputs.is_empty() {
        let taken: Vec<Id> = inputs.iter().map(|input| input.variable).collect();
        drop_capabilities(m, p, &taken, true);
        rewrite::demote_to_private(m, p, entry, &taken, Copies::None)?;
    }
    let bound = Bound::add(m, p, entry, prepared)?;
    let feedback = bound.feedback(prepared, StorageClass::OUTPUT);
    inputs::fill_drawn(p, &inputs, &feedback, wrapper.prologue);
    store_outputs(m, p, entry, &feedback, (None, None), wrapper.epilogue);
    Ok(())
}

/// Makes `RasterOnly`, which stores nothing.
pub(super) fn raster_only<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    prepared: &Prepared<'_>,
) -> Result<(), Error> {
    prepared.plan.effects.settle(m, p, prepared.side_effects, Pass::Raster)
}

/// The names of the feedback buffers.
const NAMES: [&str; MAX_BUFFERS] = [
    "polyshade_feedback_0",
    "polyshade_feedback_1",
    "polyshade_feedback_2",
    "polyshade_feedback_3",
];

/// The bindings and host parameters of a storing variant.
pub(super) struct Bound<'c> {
    /// The type of storage buffers; `None` if the buffers have addresses.
    pub(super) array: Option<WordArray>,
    pub(super) buffers: Vec<Buffer<'c>>,
    /// The index buffer, if draws have indices.
    pub(super) indices: Option<Source>,
    /// The table of segments, if indices may restart primitives.
    pub(super) segments: Option<Source>,
    pub(super) words: &'c [DrawParam],
    pub(super) added: Added,
}

impl<'c> Bound<'c> {
    /// Adds the buffers and the host parameters.
    fn add<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        prepared: &'c Prepared<'_>,
    ) -> Result<Self, Error> {
        let plan = &prepared.plan;
        let draws = &plan.layout.draws;
        let array = (!draws.by_address).then(|| rewrite::word_array(m, p));
        let block = |p: &mut Patch<'m, '_>, number, name: &str| {
            let bind = |(array, place)| rewrite::storage_buffer(m, p, entry, array, place, name);
            array.zip(plan.placement.buffer(number)).map(bind).transpose()
        };
        let buffers =
            feedback_buffers(&plan.layout, &plan.stores, |number, name| block(p, number, name))?;
        let mut sources = [None; 2];
        let names = ["polyshade_indices", "polyshade_segments"];
        for (number, name) in (0..draws.index_buffers()).zip(names) {
            let source = match block(p, plan.stores.len() as u32 + number, name)? {
                Some(block) => {
                    p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
                    Source::Bound(block)
                }
                None => Source::Memory(rewrite::memory(m, p)?),
            };
            sources[number as usize] = Some(source);
        }
        let [indices, segments] = sources;
        let words = Self::words_alone(m, p, entry, prepared, array)?;
        Ok(Self { buffers, indices, segments, ..words })
    }

    /// Adds the host parameters, but no buffers. `array` is the type of storage buffers.
    fn words_alone<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        prepared: &'c Prepared<'_>,
        array: Option<WordArray>,
    ) -> Result<Self, Error> {
        let plan = &prepared.plan;
        let reserved = prepared.frame.target().reservations();
        let named = (&plan.words, "polyshade_host");
        let added = rewrite::add_words(m, p, entry, reserved, named, array)?;
        let (buffers, words) = (Vec::new(), plan.host_params.as_slice());
        Ok(Self { array, buffers, indices: None, segments: None, words, added })
    }

    fn feedback<'f>(&'f self, prepared: &'f Prepared<'_>, class: StorageClass) -> Feedback<'f> {
        let draws = &prepared.plan.layout.draws;
        Feedback { bound: self, draws, class }
    }
}

/// Returns the feedback buffers with captures. `bind` adds a buffer, given its number and name.
pub(super) fn feedback_buffers<'c>(
    layout: &Layout,
    stores: &'c [Vec<Stored>],
    mut bind: impl FnMut(u32, &str) -> Result<Option<HostBlock>, Error>,
) -> Result<Vec<Buffer<'c>>, Error> {
    let capturing = (0..).zip(stores).filter(|(_, stores)| !stores.is_empty());
    let buffers = capturing.map(|(number, stores)| {
        let block = bind(number, NAMES[number as usize])?;
        let stride = layout.buffers[number as usize].stride / 4;
        Ok(Buffer { number, block, stride, stores })
    });
    buffers.collect()
}

/// Emits, at `at`, the stores of the captured outputs, and of all outputs if they are spilled.
fn store_outputs<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    feedback: &Feedback<'_>,
    (numbers, passed): (Option<Numbers>, Option<Spilled<'_>>),
    at: Position<'m>,
) {
    let open = feedback.bound.added.open(&mut p.at(at));
    let (vertex, instance) = vertex_and_instance(m, p, entry, (feedback, open), numbers, at);
    if !feedback.bound.buffers.is_empty() {
        feedback.capture(p, at, open, vertex, instance);
    }
    if let Some(passed) = passed {
        let number = spill_outputs::number(&mut p.at(at), (feedback, open), vertex, instance);
        passed.store(p, at, feedback, number);
    }
}

/// Emits, at `at`, the number of the vertex in its instance, and the number of the instance unless draws have only one
/// instance.
fn vertex_and_instance<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    (feedback, open): (&Feedback<'_>, Open<'_>),
    numbers: Option<Numbers>,
    at: Position<'m>,
) -> (Id, Option<Id>) {
    let builtin = |p: &mut Patch<'m, '_>, builtin, first| {
        let uint = p.uint();
        let number = rewrite::load_integer_builtin(m, p, entry, (builtin, uint), at);
        let mut code = p.at(at);
        let first = feedback.word(&mut code, open, first);
        code.binary(Op::I_SUB, uint, number, first)
    };
    let vertex = match numbers {
        Some(numbers) => numbers.vertex,
        None => builtin(p, BuiltIn::VERTEX_INDEX, DrawParam::FirstVertex),
    };
    let instance = match numbers.and_then(|numbers| numbers.instance) {
        _ if feedback.draws.one_instance => None,
        Some(known) => Some(known),
        None => Some(builtin(p, BuiltIn::INSTANCE_INDEX, DrawParam::FirstInstance)),
    };
    (vertex, instance)
}

/// Emits a load of a part of an output. Its variable now has the storage class `class`.
pub(super) fn load(code: &mut Cursor<'_, '_, '_>, part: &Part, class: StorageClass) -> Id {
    let pointer = code.part(class, part.ty, part.variable, &part.path);
    code.load(part.ty, pointer)
}

/// Emits the 32-bit integers of a piece of an output. Its variable now has the storage class `class`.
fn words_of(code: &mut Cursor<'_, '_, '_>, piece: &Piece, class: StorageClass) -> Vec<Id> {
    let value = load(code, &piece.leaf.part, class);
    words_of_value(code, piece, value)
}

/// Emits the 32-bit integers of a piece of an output with this value.
pub(super) fn words_of_value(code: &mut Cursor<'_, '_, '_>, piece: &Piece, value: Id) -> Vec<Id> {
    let Piece { leaf, first, count } = piece;
    if leaf.count == 1 {
        return words(code, leaf, value);
    }
    let components = *first..first + count;
    if leaf.width == 2 {
        let component = |number| {
            let component = code.extract(leaf.component, value, &[number]);
            words(code, leaf, component)
        };
        return components.flat_map(component).collect();
    }
    let uint = code.p.uint();
    let bits = match leaf.component == uint {
        true => value,
        false => {
            let vector = code.p.vector(uint, leaf.count);
            code.bitcast(vector, value)
        }
    };
    components.map(|number| code.extract(uint, bits, &[number])).collect()
}

/// Emits the 32-bit integers of a component, the lower half first.
pub(super) fn words(code: &mut Cursor<'_, '_, '_>, leaf: &Leaf, component: Id) -> Vec<Id> {
    let uint = code.p.uint();
    if leaf.width == 2 {
        let pair = code.p.vector(uint, 2);
        let both = code.bitcast(pair, component);
        return [0, 1].map(|number| code.extract(uint, both, &[number])).to_vec();
    }
    vec![if leaf.component == uint { component } else { code.bitcast(uint, component) }]
}
