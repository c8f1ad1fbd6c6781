//! Trials of all lowerings except those for distances.

use crate::{Choices, Made};
use polyshade::advanced_blend::{
    self, Alpha, ArrayLayerSource, ColorBlend, Destination, Equation, FormatClass, LogicOperation,
    Overlap,
};
use polyshade::clip_space::{self, SurfaceRotation};
use polyshade::host::{
    AddressSource, Binding, Device, ParamSource, Reserved, Set, SideEffects, Target,
    TransformFeedback, Value,
};
use polyshade::position_only::{self, Keep};
use polyshade::rasterizer_discard;
use polyshade::spv::view::{EntryPoint, Mode};
use polyshade::spv::{ExecutionMode, ExecutionModel, Section};
use polyshade::transform_feedback::{
    self, Components, IndexType, Layout, Locations, Options, StreamOutputEntry, Topology, Variant,
    Varying, geometry,
};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Format, Rate, Robustness};
use polyshade::{Error, Module};
use std::sync::LazyLock;

pub(crate) fn capture(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let target = target(entry, choices);
    let options = captured(m, entry, choices);
    // Choose the treatment of side effects, and facts about draws.
    let options = options.side_effects(choices.of(&[
        SideEffects::InFirstPass,
        SideEffects::InSecondPass,
        SideEffects::Refuse,
    ]));
    let options = known(options, choices);
    // Choose the source of host parameters.
    let options = match choices.below(7) {
        0 => options,
        6 => {
            let pointer = pointer(choices, (Set(2), Binding(7)));
            return variants(m, &target, &options.params(ParamSource::Address(pointer)));
        }
        1 => options.params(ParamSource::Uniform { set: Set(2), binding: Binding(7) }),
        2 => options.params(ParamSource::PushConstant { offset: choices.offset() }),
        3 => options.params(ParamSource::Specialization { first_id: choices.number() }),
        4 => options.params_in_uniform(),
        _ => options.params(ParamSource::StorageBuffer { set: Set(0), binding: Binding(9) }),
    };
    // Choose the bindings.
    let options = match choices.maybe() {
        true => options.into_storage(Set(choices.number()), Binding(choices.number())),
        false => options,
    };
    variants(m, &target, &options.point_size(!choices.maybe()))
}

/// Captures a shader with vertex pulling in a compute stage.
pub(crate) fn dispatch(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let target = target(entry, choices);
    let options = captured(m, entry, choices).compute();
    let options = known(options, choices).point_size(!choices.maybe());
    let pulled = vertex_pulling::lower(m, &target, &fetched(choices))?.module;
    let made = transform_feedback::prepare(&pulled, &target, &options)
        .and_then(|prepared| Ok(prepared.variant(Variant::CaptureOnly)?.module.into_owned()));
    // The error's ids refer to the module after vertex pulling, so the error's position is dropped.
    let made = made.map_err(|error| Error::new(error.code(), error.message().to_owned()))?;
    Ok(vec![("capture-only", made)])
}

/// Captures a geometry stage after a stage with some of the outputs that it reads.
pub(crate) fn geometry(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let target = target(entry, choices);
    let mut options = captured(m, entry, choices);
    if choices.rarely() {
        options = known(options, choices);
    }
    let spills = choices.maybe();
    let dispatched = spills || choices.maybe();
    let options = if spills { options.spill_outputs() } else { options };
    let options = if dispatched { options.compute() } else { options };
    // The stage before is another entry point of the module, or the embedded shader.
    let own = m.entry_points().find(|entry| entry.model() == ExecutionModel::VERTEX);
    let own = own.map(|entry| Target::new(entry.name()).stage(entry.model()));
    let own = own.and_then(|target| before(m, &target, dispatched).ok());
    let vertex = own.unwrap_or_else(|| BEFORE[usize::from(dispatched)].clone());
    let captured = geometry::capture(m, &target, &vertex, &options)?;
    let mut made = vec![("capture", captured.module.into_owned())];
    if captured.result.needs_counts() {
        let count = geometry::count(m, &target, &vertex, &options)?;
        made.push(("count", count.module.into_owned()));
        made.push(("sum", geometry::sum(m, &target, &vertex, &options)?.module.into_owned()));
    }
    if spills {
        made.push(("raster", geometry::raster(m, &target, &vertex, &options)?.module.into_owned()));
    }
    Ok(made)
}

/// Returns the layout of a vertex stage before another stage that is dispatched or drawn.
pub(crate) fn before(m: &Module<'_>, target: &Target, dispatched: bool) -> Result<Layout, Error> {
    if dispatched {
        let spilled = Options::new().compute().spill_outputs();
        return Ok(transform_feedback::prepare(m, target, &spilled)?.layout().clone());
    }
    Ok(geometry::vertex(m, target, &Options::new())?.result)
}

/// The layouts, drawn and dispatched, of a vertex stage with a position and a vector at each of the first locations.
pub(crate) static BEFORE: LazyLock<[Layout; 2]> = LazyLock::new(|| {
    let (words, _) = include_bytes!("before.spv").as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let module = Module::parse(&words).expect("the embedded shader is a module");
    [false, true].map(|dispatched| {
        before(&module, &Target::new("main"), dispatched)
            .expect("the embedded shader can be captured")
    })
});

/// Adds constraints on draws, or support for indices.
fn known(options: Options, choices: &mut Choices) -> Options {
    let options = match choices.below(8) {
        5 => options.topologies([Topology::TriangleList]),
        6 => options.topologies([Topology::LineStrip, Topology::TriangleListWithAdjacency]),
        7 => options.topologies([Topology::TriangleStripWithAdjacency]).one_instance(),
        _ => options,
    };
    let options = match choices.below(8) {
        5 => options.indexed(None),
        6 => options.indexed(Some(IndexType::Uint16)).restart(),
        7 => options.restart(),
        _ => options,
    };
    let options = if choices.rarely() { options.limit_in_vertices() } else { options };
    if choices.rarely() { options.unbound_buffers() } else { options }
}

/// Chooses the source of an address.
pub(crate) fn pointer(choices: &mut Choices, (set, binding): (Set, Binding)) -> AddressSource {
    match choices.below(4) {
        0 => AddressSource::Uniform { set, binding },
        1 => AddressSource::PushConstant { offset: choices.offset() },
        2 => AddressSource::Attribute { location: choices.below(16) },
        _ => AddressSource::Specialization { first_id: choices.number() },
    }
}

fn variants(m: &Module<'_>, target: &Target, options: &Options) -> Made {
    let prepared = transform_feedback::prepare(m, target, options)?;
    let variants = [
        ("capture-only", Variant::CaptureOnly),
        ("raster-only", Variant::RasterOnly),
        ("both", Variant::Both),
    ];
    let count = if prepared.layout().is_captured_at_once() { 3 } else { 2 };
    let make = |(name, variant)| {
        let made = prepared.variant(variant);
        // `check` must predict the result of every variant.
        assert_eq!(prepared.check(variant).err(), made.as_ref().err().cloned());
        Ok((name, made?.module.into_owned()))
    };
    variants.into_iter().take(count).map(make).collect()
}

pub(crate) fn decorate(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let target = target(entry, choices);
    let options = captured(m, entry, choices);
    let options = if choices.maybe() { options.allow_duplicates() } else { options };
    let decorated = transform_feedback::decorate(m, &target, &options)?;
    Ok(vec![("decorated", decorated.module.into_owned())])
}

/// Returns the entry point as a target with random reservations, for a device with default or random limits.
pub(crate) fn target(entry: EntryPoint<'_>, choices: &mut Choices) -> Target {
    let mut device = Device::default();
    if choices.below(8) == 7 {
        device.output_components = 4 * choices.below(64);
        device.transform_feedback = choices.perhaps(|_| TransformFeedback::default());
    }
    Target::new(entry.name())
        .stage(entry.model())
        .reserved(reserved(choices))
        .names(!choices.maybe())
        .device(device)
}

/// Returns options that capture all outputs, or some outputs in a random way.
fn captured(module: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Options {
    let options = Options::new();
    let options = match choices.below(6) {
        0..4 => options.interleaved(varyings(module, entry, choices)),
        4 => options.separate(varyings(module, entry, choices)),
        _ => options.stream_output(stream_output(choices), [choices.offset(), 16]),
    };
    let mut modes = module.section(Section::ExecutionModes).filter_map(Mode::of);
    if choices.below(4) == 3 && modes.any(|mode| mode.mode() == ExecutionMode::XFB) {
        return options.decorated();
    }
    if choices.below(4) == 3 {
        let (id, value) = (choices.below(4), u64::from(choices.number()));
        return options.specialize(id, value);
    }
    options
}

/// Chooses outputs to capture, with gaps and buffer changes in OpenGL's notation.
fn varyings(module: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Vec<Varying> {
    // Usually choose only outputs that can be captured, sometimes from all outputs.
    let takes_all = choices.below(4) < 3;
    let outputs = transform_feedback::capturable(module, entry);
    let outputs = outputs.into_iter().filter(|(_, components)| !takes_all || components.is_ok());
    let mut varyings = Vec::new();
    for varying in choices.some(outputs.map(|(varying, _)| varying)) {
        match choices.below(16) {
            13 => varyings.push(Varying::Name("gl_NextBuffer".to_owned())),
            14 => {
                varyings.push(Varying::Name(format!("gl_SkipComponents{}", choices.below(4) + 1)))
            }
            15 => {
                let first = choices.below(4);
                let components = components(choices);
                let last = first + choices.below(3);
                varyings.push(Varying::Locations(Locations { first, last, components }));
            }
            _ => {}
        }
        varyings.push(match (varying, choices.below(8)) {
            (Varying::Name(name), 7) => Varying::Name(format!("{name}[{}]", choices.below(3))),
            (varying, _) => varying,
        });
    }
    varyings
}

fn components(choices: &mut Choices) -> Components {
    let first = choices.below(4);
    Components::new(first, choices.below(4 - first) + 1)
        .expect("the components fit into one location")
}

fn stream_output(choices: &mut Choices) -> Vec<StreamOutputEntry> {
    let entry = |choices: &mut Choices| StreamOutputEntry {
        varying: match choices.below(4) {
            0 => Varying::Name(format!("gl_SkipComponents{}", choices.below(4) + 1)),
            1 => {
                let (name, components) = ("SV_Position".to_owned(), components(choices));
                Varying::Semantic { name, index: 0, components }
            }
            _ => {
                let location = choices.below(4);
                let components = components(choices);
                Varying::Locations(Locations { first: location, last: location, components })
            }
        },
        slot: choices.below(2),
    };
    (0..choices.below(4)).map(|_| entry(choices)).collect()
}

/// Returns no reservations, or a reservation of each kind.
fn reserved(choices: &mut Choices) -> Reserved {
    let reserved = Reserved::new();
    if choices.below(4) < 3 {
        return reserved;
    }
    reserved
        .set(Set(choices.below(4)))
        .binding(Set(choices.below(4)), Binding(choices.below(8)))
        .location(choices.below(8))
        .specialization(choices.below(8))
        .ids_below(choices.below(1 << 12))
}

pub(crate) fn position(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let target = target(entry, choices);
    let options = position_only::Options::new();
    let options = match choices.below(4) {
        0..3 => options,
        _ => options.keep([
            Keep::Position,
            Keep::Location(choices.below(4)),
            Keep::Name("v".to_owned()),
        ]),
    };
    let options = if choices.maybe() { options.keep_interface() } else { options };
    let options = if choices.maybe() { options.invariant() } else { options };
    let options = options.side_effects(choices.of(&[
        polyshade::host::SideEffects::InSecondPass,
        polyshade::host::SideEffects::InFirstPass,
        polyshade::host::SideEffects::Refuse,
    ]));
    let options = if choices.maybe() { options.capture_in_position_only() } else { options };
    let made = |variant| {
        let options = options.clone().variant(variant);
        Ok::<_, Error>(position_only::lower(m, &target, &options)?.module.into_owned())
    };
    let mut variants = vec![
        ("position-only", made(position_only::Variant::PositionOnly)?),
        ("full", made(position_only::Variant::Full)?),
    ];
    // A stage whose outputs other invocations read has no complement.
    if let Ok(complement) = made(position_only::Variant::Complement) {
        variants.push(("complement", complement));
    }
    Ok(variants)
}

fn switch(choices: &mut Choices, offset: u32) -> Value<bool> {
    let constant = Value::Param(ParamSource::Specialization { first_id: choices.number() });
    let pushed = Value::Param(ParamSource::PushConstant { offset });
    choices.of(&[Value::Fixed(true), constant, pushed, Value::Fixed(false)])
}

pub(crate) fn depth(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let offset = choices.offset();
    let rotation = match choices.below(4) {
        0 => Value::Fixed(SurfaceRotation::Quarter),
        1 => Value::Fixed(choices.of(&[
            SurfaceRotation::None,
            SurfaceRotation::Half,
            SurfaceRotation::ThreeQuarters,
        ])),
        2 => Value::Param(ParamSource::Specialization { first_id: choices.number() }),
        _ => Value::Param(ParamSource::PushConstant { offset }),
    };
    let options = clip_space::Options::new()
        .depth(switch(choices, offset))
        .flip_y(switch(choices, offset))
        .rotation(rotation);
    let converted = clip_space::lower(m, target(entry, choices), &options)?;
    Ok(vec![("converted", converted.module.into_owned())])
}

pub(crate) fn discard(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let constant = Value::Param(ParamSource::Specialization { first_id: choices.number() });
    let options =
        rasterizer_discard::Options::new().when(choices.of(&[Value::Fixed(true), constant]));
    let discarding = rasterizer_discard::lower(m, target(entry, choices), &options)?;
    Ok(vec![("discarding", discarding.module.into_owned())])
}

pub(crate) fn pull(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let options = fetched(choices);
    let pulled = vertex_pulling::lower(m, target(entry, choices), &options)?;
    Ok(vec![("pulled", pulled.module.into_owned())])
}

/// Chooses attributes and how the shader fetches them.
fn fetched(choices: &mut Choices) -> vertex_pulling::Options {
    let mut options = vertex_pulling::Options::new();
    let formats: Vec<Format> = Format::all().collect();
    // Choose the attributes and their buffers.
    for location in 0..32 {
        if choices.rarely() {
            continue;
        }
        let buffer = choices.below(3);
        let offset = choices.perhaps(|choices| choices.below(64));
        let format = choices.rarely().then(|| choices.of(&formats));
        let rate = choices.perhaps(|choices| {
            let divisor = choices.below(3);
            choices.of(&[Rate::Vertex, Rate::Instance { divisor }])
        });
        let stride = choices.perhaps(Choices::offset);
        options = options
            .attribute(location, Attribute { buffer, offset, format })
            .buffer(buffer, Buffer { stride, rate });
    }
    // Choose the source of the parameters.
    let options = match choices.below(4) {
        0 => options,
        1 => options.params(ParamSource::Address(pointer(choices, (Set(2), Binding(7))))),
        2 => options.params(ParamSource::Uniform { set: Set(2), binding: Binding(7) }),
        _ => options.storage(Some(Set(choices.number())), choices.perhaps(|c| Binding(c.number()))),
    };
    options
        .robustness(choices.of(&[Robustness::Access2, Robustness::Access]))
        .access_beyond_stride(!choices.rarely())
        .base_instance(choices.maybe())
}

pub(crate) fn blend(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let (set, binding) = (Set(3), Binding(choices.number()));
    // Choose the selection and the destination.
    let select = match choices.below(6) {
        0 => None,
        5 => Some(ParamSource::Address(pointer(choices, (set, Binding(20))))),
        1 => Some(ParamSource::Specialization { first_id: choices.number() }),
        2 => Some(ParamSource::PushConstant { offset: choices.offset() }),
        3 => Some(ParamSource::Uniform { set, binding: Binding(20) }),
        _ => Some(ParamSource::StorageBuffer { set, binding: Binding(20) }),
    };
    let layer =
        choices.of(&[ArrayLayerSource::One, ArrayLayerSource::Layer, ArrayLayerSource::View]);
    let destination = choices.of(&[
        Destination::InputAttachment { set, binding, index: binding.0 },
        Destination::Texture { set, binding, layer },
        Destination::TileImage,
        Destination::StorageImage { set, binding },
    ]);
    let options = advanced_blend::Options::new()
        .every_target(colour(choices, select))
        .select(select)
        .destination(destination);
    // Add one target with other options, and the multisampling options.
    let options = match choices.below(4) {
        3 => options.unblended(choices.below(2)).target(choices.below(3), colour(choices, select)),
        _ => options,
    };
    let options = if choices.maybe() { options.multisampled() } else { options };
    let options = if choices.maybe() { options.alpha_to_one() } else { options };
    // Add fixed-function blending.
    let options = match choices.below(8) {
        6 => options.every_target(fixed(choices)).blend_constants([0.25, 0.5, 1.0, 0.0]),
        7 => {
            let place = ParamSource::PushConstant { offset: choices.offset() };
            options.target(choices.below(3), fixed(choices)).blend_constants_in(place)
        }
        _ => options,
    };
    let options = match choices.below(8) {
        7 => options.multisampled().alpha_to_coverage(2 << choices.below(5)),
        _ => options,
    };
    let lowered = advanced_blend::lower(m, target(entry, choices), &options)?;
    Ok(vec![("blended", lowered.module.into_owned())])
}

/// Chooses a target with fixed-function blending.
fn fixed(choices: &mut Choices) -> ColorBlend {
    match choices.maybe() {
        true => ColorBlend::fixed_function(crate::planner::fixed_function(choices))
            .format(choices.of(&[FormatClass::Float, FormatClass::Unorm, FormatClass::Snorm])),
        false => ColorBlend::logic(choices.of(&LogicOperation::ALL)).format(choices.of(&[
            FormatClass::Unorm,
            FormatClass::Uint,
            FormatClass::Sint,
        ])),
    }
}

/// Chooses a target with blend equations.
fn colour(choices: &mut Choices, select: Option<ParamSource>) -> ColorBlend {
    let one = choices.below(46) as usize;
    let end = match (select, choices.below(8)) {
        (None, _) => one + 1,
        (_, 7) => 46,
        _ => (one + 2).min(46),
    };
    let target = ColorBlend::new(Equation::ALL[one..end].iter().copied())
        .overlap(choices.of(&[Overlap::Uncorrelated, Overlap::Disjoint, Overlap::Conjoint]))
        .source(choices.of(&[Alpha::Premultiplied, Alpha::Straight]))
        .destination(choices.of(&[Alpha::Premultiplied, Alpha::Straight]))
        .format(choices.of(&[FormatClass::Unorm, FormatClass::Snorm, FormatClass::Float]));
    let target = if choices.maybe() { target.clamp_results() } else { target };
    if choices.maybe() { target.without_alpha() } else { target }
}
