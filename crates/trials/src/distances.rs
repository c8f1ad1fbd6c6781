//! The lowerings of clip and cull distances.

use crate::{Choices, Variants, lowerings};
use polyshade::clip_cull::{
    self, Emulation, Enabled, Exact, GeometryLimits, Interpolation, Kind, Mark, Options, Planes,
    Primitive, Provoking, REPAIRS, Registers, Space,
};
use polyshade::host::{Binding, Distances, Place, Set, Target};
use polyshade::spv::view::EntryPoint;
use polyshade::transform_feedback::Components;
use polyshade::{Error, Module};

fn target(entry: EntryPoint<'_>, choices: &mut Choices) -> Target {
    let target = lowerings::target(entry, choices);
    let mut device = target.device_limits().clone();
    if choices.below(4) == 3 {
        let (clip, cull) = (choices.below(9), choices.below(9));
        device.distances = Distances { clip, cull, combined: choices.below(17) };
    }
    target.device(device)
}

fn place(choices: &mut Choices) -> Place {
    let (set, binding) = (Set(3 - choices.below(4)), Binding(choices.number()));
    match choices.below(4) {
        0 => Place::Uniform { set, binding },
        1 => Place::StorageBuffer { set, binding },
        2 => Place::PushConstant { offset: choices.offset() },
        _ => Place::Specialization { first_id: choices.number() },
    }
}

/// Marks of some registers; where nothing is chosen, what the module marks itself.
fn marks(choices: &mut Choices) -> Vec<Mark> {
    let mark = |choices: &mut Choices| {
        let first = choices.below(4);
        let components = Components::new(first, choices.below(4 - first) + 1);
        Mark::new(
            choices.of(&[Kind::Clip, Kind::Cull]),
            choices.below(4),
            components.unwrap_or(Components::ALL),
        )
    };
    (0..choices.below(3)).map(|_| mark(choices)).collect()
}

pub(crate) fn normalize(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let options =
        Options::new().semantics(!choices.maybe()).inputs(marks(choices)).outputs(marks(choices));
    let normalized = clip_cull::normalize(module, target(entry, choices), &options)?;
    Ok(vec![("normalized", normalized.module.into_owned())])
}

pub(crate) fn to_registers(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let [inputs, outputs] = [28, 28].map(|plain| plain - choices.below(29));
    let linked = choices.maybe().then(|| [choices.below(9), choices.below(9)]);
    let registers = Registers { inputs, outputs, linked };
    let one = clip_cull::to_registers(module, target(entry, choices), registers)?;
    Ok(vec![("registers", one.module.into_owned())])
}

pub(crate) fn combine(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let clip = choices.maybe().then(|| choices.number());
    let one = clip_cull::combine(module, target(entry, choices), clip)?;
    Ok(vec![("combined", one.module.into_owned())])
}

pub(crate) fn separate(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let clip = choices.number();
    let one = clip_cull::separate(module, target(entry, choices), clip)?;
    Ok(vec![("separated", one.module.into_owned())])
}

pub(crate) fn enable(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let enabled = match choices.below(3) {
        0..2 => Enabled::Word(place(choices)),
        _ => Enabled::Constant(choices.number()),
    };
    let as_written = choices.maybe().then(|| choices.below(32));
    let one = clip_cull::enable(module, target(entry, choices), enabled, as_written)?;
    Ok(vec![("enabled", one.module.into_owned())])
}

pub(crate) fn user_planes(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let planes = Planes {
        count: choices.number().wrapping_add(1),
        words: place(choices),
        space: match choices.below(2) {
            0 => Space::Clip,
            _ => Space::Output { location: choices.below(4) },
        },
    };
    let one = clip_cull::user_planes(module, target(entry, choices), planes)?;
    Ok(vec![("planes", one.module.into_owned())])
}

fn emulation(choices: &mut Choices) -> Emulation {
    let emulation = Emulation::at(28 - choices.below(29));
    if choices.maybe() { emulation.native(Kind::Clip) } else { emulation }
}

fn exact(choices: &mut Choices) -> Exact {
    let mut exact = Exact::new().limits(GeometryLimits {
        output_vertices: 1024 >> choices.below(11),
        output_components: 128 >> choices.below(8),
        total_output_components: 4096 >> choices.below(13),
    });
    if choices.maybe() {
        exact = exact.native(Kind::Clip);
    }
    if choices.maybe() {
        exact = exact.hand_on(28 - choices.below(29));
    }
    if choices.maybe() {
        exact = exact.provoking(Provoking::Last);
    }
    let interpolation = match choices.below(3) {
        0 => Interpolation::default(),
        1 => Interpolation::default().flat(choices.below(4)),
        _ => Interpolation::default().no_perspective(choices.below(4)),
    };
    exact.interpolation(interpolation)
}

pub(crate) fn cut(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let exact = exact(choices);
    let one = clip_cull::cut(module, target(entry, choices), &exact)?;
    Ok(vec![("cut", one.module.into_owned())])
}

pub(crate) fn generate(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let exact = exact(choices);
    let primitive = choices.of(&[Primitive::Triangles, Primitive::Lines, Primitive::Points]);
    let location = 28 - choices.below(29);
    let two = clip_cull::generate(module, target(entry, choices), primitive, location, &exact)?;
    let geometry = two.geometry.map(|geometry| ("geometry", geometry.module));
    Ok([("last", two.last.module.into_owned())].into_iter().chain(geometry).collect())
}

pub(crate) fn emulate_last(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let emulation = emulation(choices);
    let one = clip_cull::emulate_last(module, target(entry, choices), &emulation)?;
    Ok(vec![("emulated", one.module.into_owned())])
}

pub(crate) fn emulate_fragment(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let emulation = emulation(choices);
    let counts = [4, 4].map(|plain| plain - choices.below(5));
    let one = clip_cull::emulate_fragment(module, target(entry, choices), &emulation, counts)?;
    Ok(vec![("emulated", one.module.into_owned())])
}

pub(crate) fn repair(
    module: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Result<Variants, Error> {
    let repairs = choices.some(REPAIRS);
    let one = clip_cull::repair(module, target(entry, choices), &repairs)?;
    Ok(vec![("repaired", one.module.into_owned())])
}
