//! A recipe gives the same pipeline as its lowerings applied in order, and finds the reserved bindings and locations
//! in the modules.

use polyshade::advanced_blend::{self, Destination};
use polyshade::clip_cull::{self, DistanceCounts, Step, UserPlanes};
use polyshade::clip_space;
use polyshade::host::{Binding, Lowered, ParamSource, Reserved, Set, Target, Value};
use polyshade::position_only;
use polyshade::rasterizer_discard;
use polyshade::recipe::{self, Capture, Made, Masks, Recipe};
use polyshade::spv::{Decoration, ExecutionModel, StorageClass};
use polyshade::transform_feedback::{self, Variant};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Rate};
use polyshade::{Error, ErrorKind, Module, rewrite};
use polyshade_tests::clip::{emulate, take, to_registers};
use polyshade_tests::shader::{self, ShaderStage, validate};
use std::collections::BTreeSet;

/// A vertex stage and a fragment stage.
type Pipeline = [Module<'static>; 2];

fn module(stage: ShaderStage, source: &str) -> Module<'static> {
    shader::module(&format!("#version 450\n{source}"), stage)
}

/// Distances in arrays.
fn arrays() -> Pipeline {
    let vertex = "layout(location = 0) in vec4 x; layout(location = 0) out vec4 v_colour;
        out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
        void main() { v_colour = x; gl_ClipDistance[0] = x.x; gl_ClipDistance[1] = x.y;
            gl_Position = x.wzyx; gl_PointSize = 1.0; }";
    let fragment = "in float gl_ClipDistance[2]; layout(location = 0) in vec4 v_colour;
        layout(location = 0) out vec4 colour;
        void main() { colour = v_colour * gl_ClipDistance[1]; }";
    [module(ShaderStage::Vertex, vertex), module(ShaderStage::Fragment, fragment)]
}

/// Distances in a register.
fn registers() -> Pipeline {
    let vertex = "layout(location = 0) in vec4 x; layout(location = 0) out vec4 v_colour;
        layout(location = 3) out vec2 v_distance;
        void main() { v_colour = x; v_distance = x.xy; gl_Position = x.wzyx; gl_PointSize = 1.0; }";
    let fragment = "layout(location = 3) in vec2 v_distance; layout(location = 0) in vec4 v_colour;
        layout(location = 0) out vec4 colour;
        void main() { colour = v_colour * v_distance.y; }";
    [module(ShaderStage::Vertex, vertex), module(ShaderStage::Fragment, fragment)]
}

/// The fields of a recipe, in the documented order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Pull,
    Storage,
    Extension,
    Normalize,
    Planes,
    Masks,
    Reduce,
    Emulate,
    Depth,
    Discard,
    Blend,
}

use Field::{
    Blend, Depth, Discard, Emulate as Emulated, Extension, Masks as Masked, Normalize,
    Planes as Clipped, Pull, Reduce as Reduced, Storage,
};

const FIELDS: [Field; 11] = [
    Pull, Storage, Extension, Normalize, Clipped, Masked, Reduced, Emulated, Depth, Discard, Blend,
];

fn pulled() -> vertex_pulling::Options {
    let format = "r32g32b32a32_sfloat".parse().expect("it is a format");
    let attribute = Attribute { buffer: 0, offset: Some(0), format: Some(format) };
    vertex_pulling::Options::new()
        .attribute(0, attribute)
        .buffer(0, Buffer { stride: Some(16), rate: Some(Rate::Vertex) })
        .storage(Some(Set(3)), Some(Binding(2)))
}

fn captured() -> transform_feedback::Options {
    let options = transform_feedback::Options::new().interleaved(["v_colour", "gl_Position"]);
    options.into_storage(Set(1), Binding(0))
}

fn marked() -> clip_cull::Normalize {
    let mut options = clip_cull::Normalize::default();
    options.outputs = vec!["clip=3.xy".parse().expect("it is a semantic")];
    options
}

const PLANES: UserPlanes = UserPlanes {
    count: 1,
    params: ParamSource::Uniform { set: Set(2), binding: Binding(0) },
    vertex: None,
};

fn reduced() -> position_only::Options {
    let options = position_only::Options::new().capture_in_position_only();
    options.side_effects(polyshade::host::SideEffects::InFirstPass)
}

fn depth() -> clip_space::Options {
    let flip = Value::Param(ParamSource::PushConstant { offset: 16 });
    clip_space::Options::new().depth(true).flip_y(flip)
}

fn discard() -> rasterizer_discard::Options {
    rasterizer_discard::Options::new()
        .when(Value::Param(ParamSource::Specialization { first_id: 7 }))
}

fn blend() -> advanced_blend::Options {
    let (set, binding) = (Set(2), Binding(4));
    advanced_blend::Options::new()
        .all_khr()
        .select(ParamSource::PushConstant { offset: 32 })
        .destination(Destination::InputAttachment { set, binding, index: 0 })
}

impl Field {
    fn add(self, recipe: &mut Recipe) {
        match self {
            Pull => recipe.vertex_pulling = Some(pulled()),
            Storage => {
                let options = captured();
                recipe.capture = Some(Capture::Storage { variant: Variant::Both, options });
            }
            Extension => recipe.capture = Some(Capture::Extension(captured())),
            Normalize => recipe.normalize = Some([(ExecutionModel::VERTEX, marked())].into()),
            Clipped => recipe.planes = Some(PLANES),
            Masked => {
                recipe.masks = Some(Masks { enabled: Value::Fixed(1), keep_original: true });
            }
            Reduced => recipe.position_only = Some(reduced()),
            Emulated => recipe.emulate = Some(clip_cull::Emulated::All),
            Depth => recipe.clip_space = Some(depth()),
            Discard => recipe.rasterizer_discard = Some(discard()),
            Blend => recipe.blend = Some(blend()),
        }
    }

    /// Applies the lowering alone, as its documentation page describes.
    fn by_hand(self, [vertex, fragment]: &Pipeline, given: &Pipeline) -> Result<Pipeline, Error> {
        let inputs = locations(&given[1], StorageClass::INPUT);
        let reserved = inputs.iter().fold(Reserved::new(), |all, one| all.location(*one));
        let target = Target::new("main").reserved(reserved);
        let free = |count| {
            let mut taken = locations(vertex, StorageClass::OUTPUT);
            taken.extend(&inputs);
            let is_free = |first: &u32| (*first..first + count).all(|one| !taken.contains(&one));
            (0..16).find(is_free).expect("there is room")
        };
        let mut fragment = fragment.clone();
        let lowered = match self {
            Pull => owned(vertex_pulling::lower(vertex, target, &pulled())?),
            Storage => {
                let prepared = transform_feedback::prepare(vertex, target, &captured())?;
                owned(prepared.variant(Variant::Both)?)
            }
            Extension => owned(transform_feedback::decorate(vertex, target, &captured())?),
            Normalize => {
                // Both stages use the distances of the first stage.
                let mut options = marked();
                let linked = Some(options.outputs.clone());
                let mut reader = clip_cull::Normalize::default();
                (options.linked_outputs, reader.linked_inputs) = (linked.clone(), linked);
                fragment = owned(take(&fragment, Step::Normalize(reader))?);
                owned(clip_cull::lower(vertex, target, &[Step::Normalize(options)].into())?)
            }
            Clipped => owned(clip_cull::lower(vertex, target, &[Step::UserPlanes(PLANES)].into())?),
            Masked => {
                let at = free(2);
                let mask = Step::Mask { enabled: Value::Fixed(1), keep_original_at: Some(at) };
                let masked = clip_cull::lower(vertex, target, &[mask].into())?;
                let clip = masked.result.distances.outputs.clip;
                if clip > 0 {
                    let signature = DistanceCounts { clip, cull: 0 };
                    fragment = owned(take(&fragment, to_registers(at, Some(signature)))?);
                }
                owned(masked)
            }
            Reduced => owned(position_only::lower(vertex, target, &reduced())?),
            Emulated => {
                let at = free(4);
                let last = clip_cull::lower(vertex, target, &[emulate(at, None)].into())?;
                let signature = last.result.distances.outputs.counts();
                fragment = owned(take(&fragment, emulate(at, Some(signature)))?);
                owned(last)
            }
            Depth => owned(clip_space::lower(vertex, target, &depth())?),
            Discard => owned(rasterizer_discard::lower(vertex, target, &discard())?),
            Blend => {
                fragment = owned(advanced_blend::lower(&fragment, "main", &blend())?);
                vertex.clone()
            }
        };
        Ok([lowered, fragment])
    }
}

fn owned<T>(lowered: Lowered<'_, T>) -> Module<'static> {
    lowered.module.into_owned()
}

fn locations(m: &Module<'_>, class: StorageClass) -> Vec<u32> {
    let entry = m.entry_points().next().expect("there is one");
    let variables = rewrite::interface(m, entry, class).into_iter();
    let location = |id| m.decoration(id, Decoration::LOCATION)?.first().copied();
    variables.filter_map(location).collect()
}

fn one_by_one(fields: &[Field], given: &Pipeline) -> Result<Vec<Vec<u32>>, ErrorKind> {
    let made = fields.iter().try_fold(given.clone(), |made, field| field.by_hand(&made, given));
    made.map(|made| made.map(Module::into_words).into()).map_err(|error| error.kind())
}

fn lower<'m>(given: &'m Pipeline, recipe: &Recipe) -> Result<Vec<Lowered<'m, Made>>, Error> {
    let stages = given.each_ref().map(|module| (module, Target::new("main")));
    recipe::lower(&stages, recipe)
}

fn words_of(stages: &[Lowered<'_, Made>]) -> Vec<Vec<u32>> {
    stages.iter().map(|stage| stage.module.words().to_vec()).collect()
}

fn at_once(fields: &[Field], given: &Pipeline) -> Result<Vec<Vec<u32>>, ErrorKind> {
    let mut recipe = Recipe::default();
    fields.iter().for_each(|field| field.add(&mut recipe));
    let lowered = lower(given, &recipe).map_err(|error| error.kind())?;
    Ok(lowered.into_iter().map(|one| one.module.into_words()).collect())
}

#[test]
fn any_two_fields_make_what_their_lowerings_make_in_order() {
    let (mut done, mut differ) = (0, Vec::new());
    for given in [arrays(), registers()] {
        for (number, first) in FIELDS.into_iter().enumerate() {
            for second in FIELDS[number + 1..].iter().copied() {
                if [first, second] == [Storage, Extension] {
                    continue;
                }
                let expected = one_by_one(&[first, second], &given);
                assert_eq!(at_once(&[second, first], &given), expected, "{first:?} {second:?}");
                for words in expected.iter().flatten() {
                    validate(words).unwrap_or_else(|fault| panic!("{first:?} {second:?}: {fault}"));
                }
                done += usize::from(expected.is_ok());
                // The control: the other order gives a different result.
                if expected.is_ok() && one_by_one(&[second, first], &given) != expected {
                    differ.push((first, second));
                }
            }
        }
    }
    println!("{done} pairs are made, and in the other order something else of {differ:?}");
    assert!(done > 60, "{done} pairs");
    for pair in [
        (Pull, Storage),
        (Storage, Depth),
        (Extension, Depth),
        (Storage, Discard),
        (Extension, Discard),
        (Normalize, Masked),
        (Normalize, Emulated),
        (Clipped, Masked),
        (Masked, Emulated),
        (Reduced, Emulated),
        (Depth, Discard),
    ] {
        assert!(differ.contains(&pair), "{pair:?} is the same in both orders");
    }
}

#[test]
fn all_fields_make_what_their_lowerings_make_in_order() {
    let without = |left_out: [Field; 2]| {
        FIELDS.into_iter().filter(move |one| !left_out.contains(one)).collect::<Vec<_>>()
    };
    for fields in [without([Extension, Clipped]), without([Storage, Clipped])] {
        let given = registers();
        let expected = one_by_one(&fields, &given);
        assert!(expected.is_ok(), "{expected:?}");
        assert_eq!(at_once(&fields, &given), expected);
    }
}

/// One recipe makes the compute stage that captures a draw, and another recipe makes the stages that draw.
#[test]
fn a_compute_stage_captures_what_is_pulled_and_the_others_are_drawn() {
    let options = || captured().compute();
    for given in [arrays(), registers()] {
        let mut recipe = Recipe::default();
        [Pull, Depth, Blend].iter().for_each(|field| field.add(&mut recipe));
        let mut made = |variant| {
            recipe.capture = Some(Capture::Storage { variant, options: options() });
            lower(&given, &recipe)
        };
        let pulled = Pull.by_hand(&given, &given).expect("it has an attribute");
        let [prepared, for_draws] = [options(), captured()].map(|options| {
            let prepared = transform_feedback::prepare(&pulled[0], "main", &options);
            prepared.expect("the attribute is fetched")
        });
        let variant = |variant| owned(prepared.variant(variant).expect("there is one"));
        let blended = Blend.by_hand(&pulled, &given).expect("it has an output");

        let dispatched = made(Variant::CaptureOnly).expect("it is one");
        let words = words_of(&dispatched);
        assert_eq!(
            words,
            [variant(Variant::CaptureOnly), blended[1].clone()].map(Module::into_words)
        );
        assert!(dispatched[0].module.entry_point("main", ExecutionModel::GL_COMPUTE).is_ok());
        words.iter().for_each(|words| validate(words).expect("it is valid"));

        let drawn = made(Variant::RasterOnly).expect("it is one");
        let raster = [variant(Variant::RasterOnly), blended[1].clone()];
        let raster = Depth.by_hand(&raster, &given).expect("it has a position");
        assert_eq!(words_of(&drawn), raster.map(Module::into_words));
        assert_eq!(drawn[0].result.stored, dispatched[0].result.stored);
        // Both pipelines have the same bindings, except for their stages.
        let mut of_draw = drawn[0].requirements.descriptors.clone();
        of_draw.iter_mut().for_each(|one| one.stage = ExecutionModel::GL_COMPUTE);
        assert!(dispatched[0].requirements.descriptors.starts_with(&of_draw));

        // The control: the recipe for drawing captures differently.
        assert_ne!(words[0], owned(for_draws.variant(Variant::CaptureOnly).unwrap()).into_words());
    }
}

/// Checks that a recipe is refused for a pipeline, with the reason `why`.
#[track_caller]
fn refused(given: &Pipeline, fields: &[Field], change: impl FnOnce(&mut Recipe), why: &str) {
    let mut recipe = Recipe::default();
    fields.iter().for_each(|field| field.add(&mut recipe));
    change(&mut recipe);
    let error = lower(given, &recipe).expect_err(why);
    assert_eq!((error.kind(), error.message()), (ErrorKind::Options, why));
}

/// Other refusals are cases in `cases/recipe`.
#[test]
fn what_a_pipeline_cannot_have_is_refused_by_the_name_of_the_field() {
    let given = arrays();
    let geometry = |recipe: &mut Recipe| {
        recipe.normalize = Some([(ExecutionModel::GEOMETRY, marked())].into());
    };
    refused(&given, &[], geometry, "normalize: the pipeline has no geometry stage");
    let overlaps = |recipe: &mut Recipe| {
        recipe.blend = Some(blend().select(ParamSource::PushConstant { offset: 16 }));
    };
    let why = "blend, fragment stage: bytes 16..20 of the push constants are reserved or used by another stage";
    refused(&given, &[Depth], overlaps, why);

    let mut recipe = Recipe::default();
    Emulated.add(&mut recipe);
    let [vertex, fragment] = given.each_ref().map(|module| (module, Target::new("main")));
    let refusal = |stages: &[(&Module<'_>, Target)]| {
        recipe::lower(stages, &recipe).expect_err("it is refused").message().to_owned()
    };
    assert_eq!(
        refusal(std::slice::from_ref(&fragment)),
        "emulate: the pipeline has no stage before rasterization"
    );
    let order = "the stages of a pipeline must be given in pipeline order, each once";
    assert_eq!(refusal(&[fragment, vertex.clone()]), order);
    assert_eq!(refusal(&[vertex.clone(), vertex]), order);
}

/// Vertex pulling and captures get different bindings, even if one of them has fixed bindings.
#[test]
fn draws_with_indices_are_captured_where_attributes_are_fetched() {
    let given = arrays();
    let options = || transform_feedback::Options::new().interleaved(["v_colour"]).indexed(None);
    let format = pulled().attributes()[&0];
    let found =
        vertex_pulling::Options::new().attribute(0, format).buffer(0, pulled().buffers()[&0]);
    let at = |set| options().into_storage(Set(set), Binding(0));
    for (pull, capture) in [(found.clone(), options()), (found, at(3)), (pulled(), at(3))] {
        let mut recipe = Recipe::default();
        recipe.vertex_pulling = Some(pull);
        recipe.capture =
            Some(Capture::Storage { variant: Variant::CaptureOnly, options: capture.clone() });
        let lowered = lower(&given, &recipe);
        if recipe.vertex_pulling == Some(pulled()) {
            let error = lowered.expect_err("binding 2 is that of the words and the attributes");
            assert_eq!(error.kind(), ErrorKind::Options);
            continue;
        }
        let lowered = lowered.unwrap_or_else(|error| panic!("{error}"));
        validate(lowered[0].module.words()).unwrap_or_else(|fault| panic!("{fault}"));
        let bound = &lowered[0].requirements.descriptors;
        let places: BTreeSet<_> = bound.iter().map(|one| (one.set, one.binding)).collect();
        // Attributes and their parameters, feedback, indices and their parameters.
        assert_eq!((bound.len(), places.len()), (5, 5), "{bound:?}");
        assert_eq!(lowered[0].result.pulled.as_ref().map(|one| one.buffers.len()), Some(1));

        recipe.vertex_pulling = None;
        let error = lower(&given, &recipe).expect_err("it has attributes");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}

#[test]
fn what_one_stage_has_is_kept_free_in_the_others() {
    let vertex = "layout(push_constant) uniform P { layout(offset = 16) vec4 p; };
        layout(constant_id = 7) const float C = 1; layout(set = 3, binding = 0) uniform U { vec4 u; };
        void main() { gl_Position = p * u * C; }";
    let fragment = "layout(location = 0) out vec4 colour; void main() { colour = vec4(1); }";
    let given = [module(ShaderStage::Vertex, vertex), module(ShaderStage::Fragment, fragment)];
    let select = |place| {
        move |recipe: &mut Recipe| {
            recipe.blend = Some(blend().select(place));
        }
    };
    for (place, what) in [
        (ParamSource::PushConstant { offset: 28 }, "bytes 16..32 of the push constants are"),
        (ParamSource::Specialization { first_id: 7 }, "specialization constant 7 is"),
        (ParamSource::Uniform { set: Set(3), binding: Binding(0) }, "binding 0 of set 3 is"),
    ] {
        let what = format!("blend, fragment stage: {what} reserved or used by another stage");
        refused(&given, &[], select(place), &what);
    }
    // The controls: the next offset, constant id or binding is free.
    for place in [
        ParamSource::PushConstant { offset: 32 },
        ParamSource::PushConstant { offset: 12 },
        ParamSource::Specialization { first_id: 8 },
        ParamSource::Uniform { set: Set(3), binding: Binding(1) },
    ] {
        let mut recipe = Recipe::default();
        select(place)(&mut recipe);
        let lowered = lower(&given, &recipe).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(lowered[1].params[0].source, place);
    }
}

#[test]
fn what_is_added_meets_no_input_and_no_descriptor_of_the_fragment_stage() {
    let [vertex, _] = arrays();
    let fragment = "layout(location = 1) in vec4 unwritten; layout(location = 0) out vec4 colour;
        void main() { colour = unwritten; }";
    let given = [vertex, module(ShaderStage::Fragment, fragment)];
    let mut recipe = Recipe::default();
    [Extension, Depth].into_iter().for_each(|field| field.add(&mut recipe));
    let lowered = lower(&given, &recipe).expect("it can be");
    assert_eq!(lowered[0].result.clip_space.and_then(|made| made.location), Some(2));

    // By default, captures and blending use set 3, and blending requires it.
    let options = transform_feedback::Options::new().interleaved(["v_colour"]);
    recipe.capture = Some(Capture::Storage { variant: Variant::Both, options: options.clone() });
    recipe.blend = Some(
        advanced_blend::Options::new().all_khr().select(ParamSource::PushConstant { offset: 32 }),
    );
    let lowered = lower(&given, &recipe).expect("it can be");
    let sets = |stage: usize| {
        let descriptors = lowered[stage].requirements.descriptors.iter();
        descriptors.map(|one| one.set).collect::<Vec<_>>()
    };
    assert_eq!((sets(0), sets(1)), (vec![Set(2); 2], vec![Set(3)]));
    // The variant that stores and the variant that stores nothing get the same bindings.
    for variant in [Variant::CaptureOnly, Variant::RasterOnly] {
        let mut recipe = recipe.clone();
        recipe.capture = Some(Capture::Storage { variant, options: options.clone() });
        let other = lower(&given, &recipe).expect("it can be");
        assert_eq!(other[0].result.clip_space.is_some(), variant == Variant::RasterOnly);
        assert_eq!(other[0].result.stored, lowered[0].result.stored);
    }
}

#[test]
fn requirements_and_words_of_all_steps_are_joined() {
    let mut recipe = Recipe::default();
    [Storage, Depth, Discard, Clipped].into_iter().for_each(|field| field.add(&mut recipe));
    let given = registers();
    let lowered = lower(&given, &recipe).expect("it can be");
    let places: Vec<String> =
        lowered[0].params.iter().map(|group| group.source.to_string()).collect();
    assert_eq!(places, ["storage=1:1", "uniform=2:0", "push-constant=16", "specialization=7"]);
    let needs = &lowered[0].requirements;
    assert_eq!(needs.push_constants, Some(16..20));
    assert!(needs.specialization.iter().cloned().flatten().eq([7]));
    assert_eq!(needs.descriptors.len(), 3);
    assert!(lowered[1].params.is_empty() && !lowered[1].is_changed());
}
