//! Except for modules, all inputs and outputs of lowerings are plain data. They can be compared, hashed, sent to
//! other threads, and stored as text next to the SPIR-V. [`any_recipe`](crate::any_recipe) checks the outputs.

use polyshade::advanced_blend::{
    self, BlendComponent, ColorBlend, Destination, Equation, Factor, FixedFunctionBlend,
    FormatClass, LogicOperation, Overlap,
};
use polyshade::clip_cull::{
    self, DistanceCounts, DistanceKind, DistanceSemantic, Emulated, GeometryClip, Normalize,
    Primitive, Registers, Step, UserPlanes,
};
use polyshade::clip_space::{self, SurfaceRotation};
use polyshade::host::{
    AddressSource, Binding, Device, ParamSource, Reserved, Set, Target, TransformFeedback, Value,
};
use polyshade::position_only::{self, Keep};
use polyshade::rasterizer_discard;
use polyshade::recipe::Recipe;
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::{self, StreamOutputEntry};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, RandomState};

/// Checks that a value is plain data and survives a conversion to text and back.
#[track_caller]
pub(crate) fn kept<T>(value: &T)
where
    T: Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned,
{
    let text = serde_json::to_string(value).expect("it can be written");
    let again: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(again, *value, "{text}");
    let state = RandomState::new();
    assert_eq!(state.hash_one(&again), state.hash_one(value), "{text}");
}

/// Checks that a value and its type's default are plain data and survive, and that the value is not the default.
#[track_caller]
fn kept_beside_default<T>(value: &T)
where
    T: Default + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned,
{
    assert_ne!(*value, T::default());
    kept(&T::default());
    kept(value);
}

const PLACES: [ParamSource; 8] = [
    ParamSource::StorageBuffer { set: Set(1), binding: Binding(2) },
    ParamSource::Uniform { set: Set(3), binding: Binding(4) },
    ParamSource::PushConstant { offset: 16 },
    ParamSource::Specialization { first_id: 7 },
    ParamSource::Address(AddressSource::Uniform { set: Set(5), binding: Binding(6) }),
    ParamSource::Address(AddressSource::PushConstant { offset: 24 }),
    ParamSource::Address(AddressSource::Specialization { first_id: 8 }),
    ParamSource::Address(AddressSource::Attribute { location: 9 }),
];

#[test]
fn targets_are_kept() {
    let reserved = Reserved::new()
        .set(Set(1))
        .binding(Set(2), Binding(3))
        .location(4)
        .specialization(5)
        .push_constants(0..16)
        .ids_below(600);
    let mut device = Device::default();
    device.output_components = 128;
    device.max_clip_distances = 6;
    device.transform_feedback = Some(TransformFeedback { max_buffers: 4, ..Default::default() });
    kept_beside_default(&reserved);
    kept_beside_default(&device);
    let plain = Target::new("main");
    let target = plain.clone().stage(ExecutionModel::GEOMETRY).reserved(reserved);
    let target = target.names(false).device(device);
    assert_ne!(target, plain);
    kept(&plain);
    kept(&target);
}

#[test]
fn options_of_capture_are_kept() {
    let plain = transform_feedback::Options::new;
    let entries = ["1:$SKIP", "SV_Position", "location=2.yz"];
    let entries = entries.map(|text| text.parse::<StreamOutputEntry>().expect("it is one"));
    for options in PLACES.map(|place| plain().params(place)).into_iter().chain([
        plain().params_in_uniform(),
        plain()
            .interleaved(["v", "gl_NextBuffer", "gl_Position"])
            .allow_duplicates()
            .specialize(1, 2),
        plain().separate(["v"]).into_storage(Set(1), Binding(2)).point_size(false),
        plain().stream_output(entries, [0, 32]),
        plain().decorated().side_effects(polyshade::host::SideEffects::InSecondPass),
    ]) {
        kept_beside_default(&options);
    }
}

#[test]
fn options_of_the_position_are_kept() {
    let words = PLACES.map(Value::Param).into_iter().zip(PLACES.map(Value::Param));
    let given = [(Value::Fixed(true), Value::Fixed(SurfaceRotation::ThreeQuarters))];
    for (switch, rotation) in words.chain(given) {
        let options = clip_space::Options::new();
        kept_beside_default(&options.depth(true).flip_y(switch).rotation(rotation));
    }
    for place in PLACES {
        kept_beside_default(&rasterizer_discard::Options::new().when(Value::Param(place)));
    }
    let kept_outputs = [Keep::Position, Keep::Location(3), Keep::Name("v".to_owned())];
    let options = position_only::Options::new().keep(kept_outputs).keep_interface().invariant();
    let options = options.precise().side_effects(polyshade::host::SideEffects::InSecondPass);
    kept_beside_default(&options.capture_in_position_only());
}

#[test]
fn options_of_blending_are_kept() {
    let dual = FixedFunctionBlend::both(BlendComponent::add(
        Factor::Src1Alpha,
        Factor::OneMinusConstantColor,
    ));
    let logic = ColorBlend::logic(LogicOperation::Xor).format(FormatClass::Uint);
    let equations = ColorBlend::new(Equation::KHR).overlap(Overlap::Disjoint).clamp_results();
    let (set, binding) = (Set(1), Binding(2));
    for (place, destination) in PLACES.into_iter().zip([
        Destination::InputAttachment { set, binding, index: 3 },
        Destination::Texture { set, binding, layer: advanced_blend::ArrayLayerSource::View },
        Destination::TileImage,
        Destination::StorageImage { set, binding },
    ]) {
        let options = advanced_blend::Options::new()
            .every_target(equations.clone())
            .target(1, ColorBlend::fixed_function(dual))
            .target(2, logic.clone())
            .unblended(3)
            .select(place)
            .destination(destination)
            .alpha_to_coverage(4)
            .multisampled();
        kept_beside_default(&options.clone().blend_constants([0.5, f32::NAN, -0.0, 1.0]));
        kept_beside_default(&options.blend_constants_in(place));
    }
}

/// Returns the semantics of two clip distances and a cull distance.
fn semantics() -> [DistanceSemantic; 2] {
    ["clip=4.xy", "cull=4.z"].map(|text| text.parse().expect("it is a semantic"))
}

fn normalization() -> Normalize {
    let mut options = Normalize::default();
    options.user_semantics = false;
    options.outputs = semantics().to_vec();
    options.linked_outputs = Some(semantics().to_vec());
    options
}

fn geometry_clip(generate: Option<Primitive>) -> GeometryClip {
    let mut clip = GeometryClip::default();
    (clip.generate, clip.location) = (generate, 5);
    clip
}

fn steps() -> Vec<Step> {
    let signature = Some(DistanceCounts { clip: 2, cull: 1 });
    let (count, vertex, location) = (3, Some(2), 5);
    let emulated = Emulated::Cull;
    let planes = |words| Step::UserPlanes(UserPlanes { count, params: words, vertex });
    let mask = |place| Step::Mask { enabled: Value::Param(place), keep_original_at: Some(8) };
    let of_host = PLACES.into_iter().flat_map(|place| [planes(place), mask(place)]);
    of_host
        .chain([
            Step::Normalize(normalization()),
            Step::Combine { clip: Some(2) },
            Step::Separate { clip: 2 },
            Step::ToRegisters(Registers { inputs: 8, outputs: 9, signature }),
            Step::Emulate { emulated, location, inputs: Some(1), signature },
            Step::ClipInGeometry(geometry_clip(None)),
            Step::ClipInGeometry(geometry_clip(Some(Primitive::Triangles))),
        ])
        .collect()
}

#[test]
fn options_of_distances_are_kept() {
    kept_beside_default(&clip_cull::Options::from(steps()));
    assert_ne!(normalization(), Normalize::default());
    assert_eq!(DistanceKind::Clip, semantics()[0].kind);
    let text = r#"{"steps":[{"normalize":{"outputs":["clip=4.xy"]}},{"separate":{"clip":1}}]}"#;
    let read: clip_cull::Options = serde_json::from_str(text).expect("they are options");
    assert_eq!(read.steps[1], Step::Separate { clip: 1 });
}

/// Omitted fields get their defaults. Unknown fields and values that no setter makes are refused.
#[test]
fn options_are_read_as_the_setters_make_them() {
    let read = |text: &str| serde_json::from_str::<Recipe>(text);
    let blended = |target: ColorBlend| {
        let mut recipe = Recipe::default();
        recipe.blend = Some(advanced_blend::Options::new().every_target(target));
        recipe
    };
    let twice =
        r#"{"blend":{"every_target":{"blending":{"equations":["screen","multiply","screen"]}}}}"#;
    let once = ColorBlend::new([Equation::Multiply, Equation::Screen]);
    assert_eq!(read(twice).expect("it is a recipe"), blended(once));
    for wrong in [
        r#"{"blend":{"every_target":{"format":{"class":"unorm","bits":[8,8,8,33]}}}}"#,
        r#"{"normalize":{"vertex":{"inputs":["clip=0.xz"]}}}"#,
        r#"{"normalize":{"vertex":{"linked":[]}}}"#,
        r#"{"capture":{"extension":{"varying":[]}}}"#,
        r#"{"planes":{"count":1}}"#,
        r#"{"masks":{"enabled":{"fixed":1},"written":true}}"#,
        r#"{"depths":{}}"#,
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

/// A type that loses data when it is converted to text.
#[derive(PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
struct Forgetful {
    #[serde(skip)]
    forgotten: u32,
}

#[test]
#[should_panic(expected = "left == right")]
fn what_text_does_not_keep_is_noticed() {
    kept_beside_default(&Forgetful { forgotten: 1 });
}
