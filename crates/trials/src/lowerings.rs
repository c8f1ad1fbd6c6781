//! The lowerings but those of distances.

use crate::{Choices, Variants};
use polyshade::advanced_blend::{
    self, Alpha, ColorBlend, Destination, Equation, FormatClass, Layer, LogicOperation, Overlap,
    Select,
};
use polyshade::depth_convention::{self, Rotation, Switch, Turn};
use polyshade::host::{Binding, Device, Place, Reserved, Set, Target, TransformFeedback};
use polyshade::position_only::{self, Feedback, Keep};
use polyshade::rasterizer_discard::{self, When};
use polyshade::spv::view::{EntryPoint, Mode};
use polyshade::spv::{ExecutionMode, Section};
use polyshade::transform_feedback::{
    self, Components, Locations, Options, SideEffects, StreamOutputEntry, StreamOutputSource,
    Variant, Varying, WordsAt,
};
use polyshade::{Error, Module};

pub(crate) fn capture(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let target = target(entry, choices);
    let options = captured(module, entry, choices);
    let options = options.side_effects(choices.of(&[
        SideEffects::InCapture,
        SideEffects::InRaster,
        SideEffects::Refuse,
    ]));
    let options = match choices.below(6) {
        0 => options,
        1 => options.words(Place::Uniform { set: Set(2), binding: Binding(7) }),
        2 => options.words(Place::PushConstant { offset: choices.offset() }),
        3 => options.words(Place::Specialization { first_id: choices.number() }),
        4 => options.words(WordsAt::Uniform),
        _ => options.words(Place::StorageBuffer { set: Set(0), binding: Binding(9) }),
    };
    let options = match choices.maybe() {
        true => options.into_storage(Set(choices.number()), Binding(choices.number())),
        false => options,
    };
    let options = options.point_size(!choices.maybe());
    let captured = transform_feedback::capture(module, &target, &options)?;
    // Whatever can be lowered can be asked about.
    let prepared = transform_feedback::prepare(module, &target, &options)?;
    assert_eq!(*prepared.layout(), captured.layout);
    for variant in [Variant::CaptureOnly, Variant::RasterOnly, Variant::Both] {
        assert_eq!(prepared.check(variant), Ok(()));
    }
    Ok(vec![
        ("capture-only", captured.capture_only.into_owned()),
        ("raster-only", captured.raster_only.into_owned()),
        ("both", captured.both.into_owned()),
    ])
}

pub(crate) fn decorate(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let target = target(entry, choices);
    let options = captured(module, entry, choices);
    let options = if choices.maybe() { options.repeats() } else { options };
    let decorated = transform_feedback::decorate(module, &target, &options)?;
    Ok(vec![("decorated", decorated.module.into_owned())])
}

/// The entry point, with anything reserved, for a device that offers little or enough.
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

/// Captures all outputs, or some in some way.
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

/// What is there to capture, with what OpenGL allows between.
fn varyings(module: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Vec<Varying> {
    // Nothing but what can be captured, where everything is asked for; else what cannot is tried, too.
    let takes_all = choices.below(4) < 3;
    let outputs = transform_feedback::capturable(module, entry);
    let outputs = outputs.into_iter().filter(|output| !takes_all || output.components.is_ok());
    let mut varyings = Vec::new();
    for varying in choices.some(outputs.map(|output| output.varying)) {
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
    Components::new(first, choices.below(4 - first) + 1).expect("they are in a register")
}

fn stream_output(choices: &mut Choices) -> Vec<StreamOutputEntry> {
    let entry = |choices: &mut Choices| StreamOutputEntry {
        source: match choices.below(4) {
            0 => StreamOutputSource::Gap,
            1 => StreamOutputSource::Semantic { name: "SV_Position".to_owned(), index: 0 },
            _ => StreamOutputSource::Location(choices.below(4)),
        },
        components: components(choices),
        slot: choices.below(2),
    };
    (0..choices.below(4)).map(|_| entry(choices)).collect()
}

/// Nothing, or something of each kind.
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

pub(crate) fn position(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
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
    let options = options
        .side_effects(choices.of(&[
            position_only::SideEffects::InComplement,
            position_only::SideEffects::InPositionOnly,
            position_only::SideEffects::Refuse,
        ]))
        .feedback(choices.of(&[Feedback::InFull, Feedback::InPositionOnly]));
    let variant = position_only::derive(module, &target, &options)?;
    let full = position_only::full(module, &target, &options)?;
    let mut variants =
        vec![("position-only", variant.module.into_owned()), ("full", full.module.into_owned())];
    // What writes its outputs where others read them has no complement.
    let complement = position_only::complement(module, &target, &options);
    if let Ok(complement) = complement {
        variants.push(("complement", complement.module.into_owned()));
    }
    Ok(variants)
}

fn switch(choices: &mut Choices, offset: u32) -> Switch {
    let constant = Switch::Word(Place::Specialization { first_id: choices.number() });
    let pushed = Switch::Word(Place::PushConstant { offset });
    choices.of(&[Switch::On, constant, pushed, Switch::Off])
}

pub(crate) fn depth(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let offset = choices.offset();
    let rotation = match choices.below(4) {
        0 => Rotation::By(Turn::Quarter),
        1 => Rotation::By(choices.of(&[Turn::None, Turn::Half, Turn::ThreeQuarters])),
        2 => Rotation::Word(Place::Specialization { first_id: choices.number() }),
        _ => Rotation::Word(Place::PushConstant { offset }),
    };
    let options = depth_convention::Options::new()
        .depth(switch(choices, offset))
        .flip_y(switch(choices, offset))
        .rotation(rotation);
    let converted = depth_convention::convert(module, target(entry, choices), &options)?;
    Ok(vec![("converted", converted.module.into_owned())])
}

pub(crate) fn discard(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let constant = When::Word(Place::Specialization { first_id: choices.number() });
    let options = rasterizer_discard::Options::new().when(choices.of(&[When::Always, constant]));
    let discarding = rasterizer_discard::lower(module, target(entry, choices), &options)?;
    Ok(vec![("discarding", discarding.module.into_owned())])
}

pub(crate) fn blend(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let (set, binding) = (Set(3), Binding(choices.number()));
    let select = match choices.below(5) {
        0 => Select::Constant,
        1 => Select::Words(Place::Specialization { first_id: choices.number() }),
        2 => Select::Words(Place::PushConstant { offset: choices.offset() }),
        3 => Select::Words(Place::Uniform { set, binding: Binding(20) }),
        _ => Select::Words(Place::StorageBuffer { set, binding: Binding(20) }),
    };
    let layer = choices.of(&[Layer::One, Layer::Layer, Layer::View]);
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
    let options = match choices.below(4) {
        3 => options.unblended(choices.below(2)).target(choices.below(3), colour(choices, select)),
        _ => options,
    };
    let options = if choices.maybe() { options.multisampled() } else { options };
    let options = match choices.below(8) {
        6 => options.every_target(fixed(choices)).blend_constants([0.25, 0.5, 1.0, 0.0]),
        7 => {
            let place = Place::PushConstant { offset: choices.offset() };
            options.target(choices.below(3), fixed(choices)).blend_constants_in(place)
        }
        _ => options,
    };
    let options = match choices.below(8) {
        7 => options.alpha_to_coverage(1 << choices.below(5)),
        _ => options,
    };
    let lowered = advanced_blend::lower(module, target(entry, choices), &options)?;
    Ok(vec![("blended", lowered.module.into_owned())])
}

/// A target as fixed function blends it.
fn fixed(choices: &mut Choices) -> ColorBlend {
    match choices.maybe() {
        true => ColorBlend::ordinary(crate::planner::ordinary(choices)).format(choices.of(&[
            FormatClass::Float,
            FormatClass::Unorm,
            FormatClass::Snorm,
        ])),
        false => ColorBlend::logic(choices.of(&LogicOperation::ALL)).format(choices.of(&[
            FormatClass::Unorm,
            FormatClass::Uint,
            FormatClass::Sint,
        ])),
    }
}

/// A target as equations blend it.
fn colour(choices: &mut Choices, select: Select) -> ColorBlend {
    let one = choices.below(46) as usize;
    let end = match (select, choices.below(8)) {
        (Select::Constant, _) => one + 1,
        (_, 7) => 46,
        _ => (one + 2).min(46),
    };
    let target = ColorBlend::new(Equation::ALL[one..end].iter().copied())
        .overlap(choices.of(&[Overlap::Uncorrelated, Overlap::Disjoint, Overlap::Conjoint]))
        .source(choices.of(&[Alpha::Premultiplied, Alpha::Straight]))
        .destination(choices.of(&[Alpha::Premultiplied, Alpha::Straight]))
        .format(choices.of(&[FormatClass::Unorm, FormatClass::Snorm, FormatClass::Float]));
    let target = if choices.maybe() { target.clamp_results() } else { target };
    let target = if choices.maybe() { target.without_alpha() } else { target };
    if choices.maybe() { target.alpha_to_one() } else { target }
}
