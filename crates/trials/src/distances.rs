//! The lowerings of clip and cull distances.

use crate::lowerings::pointer;
use crate::{Choices, Made, lowerings};
use polyshade::Module;
use polyshade::clip_cull::{
    self, Exact, Kind, Lacking, Mark, Options, Planes, Primitive, REPAIRS, Registers,
};
use polyshade::host::{Binding, Place, Set, Target, Value};
use polyshade::spv::view::EntryPoint;
use polyshade::transform_feedback::Components;
use polyshade::transform_feedback::ProvokingVertex;

fn target(entry: EntryPoint<'_>, choices: &mut Choices) -> Target {
    let target = lowerings::target(entry, choices);
    let mut device = target.device_limits().clone();
    if choices.below(4) == 3 {
        device.max_clip_distances = choices.below(9);
        device.max_cull_distances = choices.below(9);
        device.max_combined_distances = choices.below(17);
    }
    target.device(device)
}

fn target_of_geometry(entry: EntryPoint<'_>, choices: &mut Choices) -> Target {
    let target = target(entry, choices);
    let mut device = target.device_limits().clone();
    device.max_geometry_vertices = 1024 >> choices.below(11);
    device.max_geometry_components = 128 >> choices.below(8);
    device.max_geometry_total = 4096 >> choices.below(13);
    target.device(device)
}

fn place(choices: &mut Choices) -> Place {
    let (set, binding) = (Set(3 - choices.below(4)), Binding(choices.number()));
    match choices.below(5) {
        0 => Place::Uniform { set, binding },
        4 => Place::Address(pointer(choices, (set, binding))),
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

pub(crate) fn normalize(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let options =
        Options::new().semantics(!choices.maybe()).inputs(marks(choices)).outputs(marks(choices));
    let normalized = clip_cull::normalize(m, target(entry, choices), &options)?;
    Ok(vec![("normalized", normalized.module.into_owned())])
}

pub(crate) fn to_registers(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let [inputs, outputs] = [28, 28].map(|plain| plain - choices.below(29));
    let linked = choices.maybe().then(|| [choices.below(9), choices.below(9)]);
    let registers = Registers { inputs, outputs, linked };
    let one = clip_cull::to_registers(m, target(entry, choices), registers)?;
    Ok(vec![("registers", one.module.into_owned())])
}

pub(crate) fn combine(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let clip = choices.maybe().then(|| choices.number());
    let one = clip_cull::combine(m, target(entry, choices), clip)?;
    Ok(vec![("combined", one.module.into_owned())])
}

pub(crate) fn separate(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let clip = choices.number();
    let one = clip_cull::separate(m, target(entry, choices), clip)?;
    Ok(vec![("separated", one.module.into_owned())])
}

pub(crate) fn enable(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let enabled = match choices.below(3) {
        0..2 => Value::Word(place(choices)),
        _ => Value::Fixed(choices.number()),
    };
    let as_written = choices.maybe().then(|| choices.below(32));
    let one = clip_cull::enable(m, target(entry, choices), enabled, as_written)?;
    Ok(vec![("enabled", one.module.into_owned())])
}

pub(crate) fn user_planes(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let planes = Planes {
        count: choices.number().wrapping_add(1),
        words: place(choices),
        vertex: match choices.below(2) {
            0 => None,
            _ => Some(choices.below(4)),
        },
    };
    let one = clip_cull::user_planes(m, target(entry, choices), planes)?;
    Ok(vec![("planes", one.module.into_owned())])
}

fn lacking(choices: &mut Choices) -> Lacking {
    choices.of(&[Lacking::All, Lacking::Cull])
}

fn exact(choices: &mut Choices) -> Exact {
    let mut exact = Exact::new().lacking(lacking(choices));
    if choices.maybe() {
        exact = exact.hand_on(28 - choices.below(29));
    }
    if choices.maybe() {
        exact = exact.provoking(ProvokingVertex::Last);
    }
    if !choices.maybe() {
        exact = exact.read(28 - choices.below(29), None);
    }
    match choices.below(3) {
        0 => exact,
        1 => exact.flat(choices.below(4)),
        _ => exact.no_perspective(choices.below(4)),
    }
}

pub(crate) fn cut(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let exact = exact(choices);
    let one = clip_cull::cut(m, target_of_geometry(entry, choices), &exact)?;
    Ok(vec![("cut", one.module.into_owned())])
}

pub(crate) fn generate(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let exact = exact(choices);
    let primitive = choices.of(&[Primitive::Triangles, Primitive::Lines, Primitive::Points]);
    let location = 28 - choices.below(29);
    let target = target_of_geometry(entry, choices);
    let (last, geometry) = clip_cull::generate(m, target, primitive, location, &exact)?;
    let geometry = geometry.map(|geometry| ("geometry", geometry.module));
    Ok([("last", last.module.into_owned())].into_iter().chain(geometry).collect())
}

pub(crate) fn emulate_last(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let (lacking, outputs) = (lacking(choices), 28 - choices.below(29));
    let inputs = 28 - choices.below(29);
    let registers = clip_cull::Registers { inputs, outputs, linked: None };
    let one = clip_cull::emulate_last(m, target(entry, choices), lacking, registers)?;
    Ok(vec![("emulated", one.module.into_owned())])
}

pub(crate) fn emulate_fragment(
    m: &Module<'_>,
    entry: EntryPoint<'_>,
    choices: &mut Choices,
) -> Made {
    let (lacking, location) = (lacking(choices), 28 - choices.below(29));
    let counts = [4, 4].map(|plain| plain - choices.below(5));
    let target = target(entry, choices);
    let one = clip_cull::emulate_fragment(m, target, lacking, location, counts)?;
    Ok(vec![("emulated", one.module.into_owned())])
}

pub(crate) fn repair(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let repairs = choices.some(REPAIRS);
    let one = clip_cull::repair(m, target(entry, choices), &repairs)?;
    Ok(vec![("repaired", one.module.into_owned())])
}
