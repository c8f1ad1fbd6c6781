//! Trials of the lowerings for clip and cull distances.

use crate::lowerings::pointer;
use crate::{Choices, Made, lowerings};
use polyshade::Module;
use polyshade::clip_cull::{
    self, DistanceCounts, DistanceKind, DistanceSemantic, Emulated, GeometryClip, Normalize,
    Options, Primitive, Registers, Step, UserPlanes,
};
use polyshade::host::{Binding, ParamSource, Set, Target, Value};
use polyshade::spv::ExecutionModel;
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

fn place(choices: &mut Choices) -> ParamSource {
    let (set, binding) = (Set(3 - choices.below(4)), Binding(choices.number()));
    match choices.below(5) {
        0 => ParamSource::Uniform { set, binding },
        4 => ParamSource::Address(pointer(choices, (set, binding))),
        1 => ParamSource::StorageBuffer { set, binding },
        2 => ParamSource::PushConstant { offset: choices.offset() },
        _ => ParamSource::Specialization { first_id: choices.number() },
    }
}

/// Chooses semantics for some registers. If none are chosen, the module's semantics apply.
fn semantics(choices: &mut Choices) -> Vec<DistanceSemantic> {
    let semantic = |choices: &mut Choices| {
        let first = choices.below(4);
        let components = Components::new(first, choices.below(4 - first) + 1);
        DistanceSemantic::new(
            choices.of(&[DistanceKind::Clip, DistanceKind::Cull]),
            choices.below(4),
            components.unwrap_or(Components::ALL),
        )
    };
    (0..choices.below(3)).map(|_| semantic(choices)).collect()
}

fn take(m: &Module<'_>, target: &Target, name: &'static str, step: Step) -> Made {
    let made = clip_cull::lower(m, target, &Options::from([step]))?;
    let geometry = made.result.geometry.map(|geometry| ("geometry", geometry.module));
    Ok([(name, made.module.into_owned())].into_iter().chain(geometry).collect())
}

fn register(choices: &mut Choices) -> u32 {
    28 - choices.below(29)
}

pub(crate) fn normalize(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let mut options = Normalize::default();
    options.user_semantics = !choices.maybe();
    options.inputs = semantics(choices);
    options.outputs = semantics(choices);
    take(m, &target(entry, choices), "normalized", Step::Normalize(options))
}

pub(crate) fn to_registers(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let [inputs, outputs] = [register(choices), register(choices)];
    let signature =
        choices.maybe().then(|| DistanceCounts::new(choices.below(9), choices.below(9)));
    let step = Step::ToRegisters(Registers { inputs, outputs, signature });
    take(m, &target(entry, choices), "registers", step)
}

pub(crate) fn combine(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let clip = choices.maybe().then(|| choices.number());
    take(m, &target(entry, choices), "combined", Step::Combine { clip })
}

pub(crate) fn separate(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let clip = choices.number();
    take(m, &target(entry, choices), "separated", Step::Separate { clip })
}

pub(crate) fn mask(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let enabled = match choices.below(3) {
        0..2 => Value::Param(place(choices)),
        _ => Value::Fixed(choices.number()),
    };
    let keep_original_at = choices.maybe().then(|| choices.below(32));
    let step = Step::Mask { enabled, keep_original_at };
    take(m, &target(entry, choices), "masked", step)
}

pub(crate) fn user_planes(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let planes = UserPlanes {
        count: choices.number().wrapping_add(1),
        params: place(choices),
        vertex: match choices.below(2) {
            0 => None,
            _ => Some(choices.below(4)),
        },
    };
    take(m, &target(entry, choices), "planes", Step::UserPlanes(planes))
}

fn emulated_kinds(choices: &mut Choices) -> Emulated {
    choices.of(&[Emulated::All, Emulated::Cull])
}

fn geometry_clip(choices: &mut Choices) -> GeometryClip {
    let mut clip = GeometryClip::default();
    clip.emulated = emulated_kinds(choices);
    clip.keep_at = choices.maybe().then(|| register(choices));
    if choices.maybe() {
        clip.provoking = ProvokingVertex::Last;
    }
    clip.read_at = (!choices.maybe()).then(|| register(choices));
    clip.signature =
        choices.maybe().then(|| DistanceCounts::new(choices.below(9), choices.below(9)));
    match choices.below(3) {
        0 => false,
        1 => clip.flat.insert(choices.below(4)),
        _ => clip.no_perspective.insert(choices.below(4)),
    };
    clip
}

pub(crate) fn cut(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let clip = geometry_clip(choices);
    take(m, &target_of_geometry(entry, choices), "cut", Step::ClipInGeometry(clip))
}

pub(crate) fn generate(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let mut clip = geometry_clip(choices);
    clip.generate = Some(choices.of(&[Primitive::Triangles, Primitive::Lines, Primitive::Points]));
    clip.location = register(choices);
    take(m, &target_of_geometry(entry, choices), "last", Step::ClipInGeometry(clip))
}

/// Emulates distances in the last stage before rasterization or in the fragment stage. The fragment stage needs a
/// signature.
pub(crate) fn emulate(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Made {
    let (emulated, location) = (emulated_kinds(choices), register(choices));
    let (inputs, signature) = match entry.model() {
        ExecutionModel::FRAGMENT => {
            let [clip, cull] = [4 - choices.below(5), 4 - choices.below(5)];
            (None, Some(DistanceCounts { clip, cull }))
        }
        _ => (Some(register(choices)), None),
    };
    let step = Step::Emulate { emulated, location, inputs, signature };
    take(m, &target(entry, choices), "emulated", step)
}
