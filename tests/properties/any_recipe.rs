//! Any recipe for any pipeline is either refused or gives valid modules with separate host parameters. Recipes and
//! results survive as text.

use crate::plain_data::kept;
use crate::transformations::cases;
use polyshade::advanced_blend::{self, Destination};
use polyshade::clip_cull::{DistanceKind, DistanceSemantic, Emulated, Normalize, UserPlanes};
use polyshade::clip_space::{self, SurfaceRotation};
use polyshade::host::{
    AddressSource, Binding, Lowered, ParamSource, Set, SideEffects, Target, Value,
};
use polyshade::position_only;
use polyshade::rasterizer_discard;
use polyshade::recipe::{self, Capture, Made, Masks, Recipe};
use polyshade::spv::ExecutionModel;
use polyshade::spv::view::EntryPoint;
use polyshade::transform_feedback::{self, Components, Variant, capturable};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Rate};
use polyshade::{Error, Module};
use polyshade_testing::{Choices, check_place};
use polyshade_tests::shader::{ShaderStage, module, validate};

/// The number of recipes for each pipeline.
const RECIPES: u64 = 12;

fn place(choices: &mut Choices) -> ParamSource {
    let (set, binding) = (Set(choices.below(4)), Binding(choices.below(8)));
    match choices.below(5) {
        0 => ParamSource::StorageBuffer { set, binding },
        4 => ParamSource::Address(match choices.below(4) {
            0 => AddressSource::Uniform { set, binding },
            1 => AddressSource::PushConstant { offset: 64 + 4 * choices.below(32) },
            2 => AddressSource::Attribute { location: choices.below(16) },
            _ => AddressSource::Specialization { first_id: choices.below(256) },
        }),
        1 => ParamSource::Uniform { set, binding },
        2 => ParamSource::PushConstant { offset: 64 + 4 * choices.below(32) },
        _ => ParamSource::Specialization { first_id: choices.below(256) },
    }
}

fn capture(m: &Module<'_>, entry: EntryPoint<'_>, choices: &mut Choices) -> Capture {
    let outputs = capturable(m, entry).into_iter().filter(|(_, components)| components.is_ok());
    let varyings = choices.some(outputs.map(|(varying, _)| varying));
    let options = transform_feedback::Options::new().interleaved(varyings);
    let options = options.side_effects(SideEffects::InFirstPass);
    let variant = choices.of(&[Variant::Both, Variant::RasterOnly, Variant::CaptureOnly]);
    match choices.maybe() && entry.model() == ExecutionModel::VERTEX {
        true => Capture::Storage { variant, options },
        false => Capture::Extension(options),
    }
}

fn reduce(choices: &mut Choices) -> position_only::Options {
    let options =
        position_only::Options::new().side_effects(polyshade::host::SideEffects::InFirstPass);
    let options = if choices.maybe() { options.capture_in_position_only() } else { options };
    choices.of(&[
        options.clone(),
        options.clone().variant(position_only::Variant::Complement),
        options.variant(position_only::Variant::Full).invariant(),
    ])
}

fn depth(choices: &mut Choices) -> clip_space::Options {
    let mut switch = || choices.of(&[Value::Fixed(true), Value::Fixed(false)]);
    let options = clip_space::Options::new().depth(switch()).flip_y(switch());
    match choices.maybe() {
        true => options.rotation(Value::Param(place(choices))),
        false => options.rotation(SurfaceRotation::Quarter),
    }
}

fn blend(choices: &mut Choices) -> advanced_blend::Options {
    let (set, binding) = (Set(choices.below(4)), Binding(choices.below(8)));
    let options = advanced_blend::Options::new().all_khr().select(place(choices));
    options.destination(choices.of(&[
        Destination::InputAttachment { set, binding, index: 0 },
        Destination::StorageImage { set, binding },
        Destination::TileImage,
    ]))
}

/// Returns vertex pulling options in which the host describes every attribute.
fn pull(choices: &mut Choices) -> vertex_pulling::Options {
    let attribute = Attribute { buffer: 0, offset: None, format: None };
    let options =
        vertex_pulling::Options::new().buffer(0, Buffer { stride: None, rate: Some(Rate::Vertex) });
    let options = (0..32).fold(options, |all, location| all.attribute(location, attribute));
    if choices.maybe() { options.params(place(choices)) } else { options }
}

/// Returns a random recipe. Most of its fields are present with probability 1/2.
fn recipe(stages: &[Stage<'_>], choices: &mut Choices) -> Recipe {
    let mut recipe = Recipe::default();
    let has = |wanted: ExecutionModel| stages.iter().any(|(_, stage)| stage.model() == wanted);
    let has_fragment = has(ExecutionModel::FRAGMENT);
    let last = stages.iter().rfind(|(_, stage)| stage.model() != ExecutionModel::FRAGMENT);
    recipe.normalize = choices.perhaps(|choices| {
        let mut of_stage = |model: ExecutionModel| {
            let components = Components::new(0, 1 + choices.below(4)).expect("there are as many");
            let kind = choices.of(&[DistanceKind::Clip, DistanceKind::Cull]);
            let semantic = DistanceSemantic::new(kind, choices.below(4), components);
            let mut options = Normalize::default();
            options.outputs.extend(choices.perhaps(|_| semantic));
            (model, options)
        };
        last.map(|(_, stage)| of_stage(stage.model())).into_iter().collect()
    });
    if let Some((m, entry)) = last {
        recipe.capture = choices.perhaps(|choices| capture(m, *entry, choices));
        recipe.planes = choices.perhaps(|choices| UserPlanes {
            count: 1 + choices.below(3),
            params: place(choices),
            vertex: None,
        });
        recipe.masks = choices.perhaps(|choices| Masks {
            enabled: choices.of(&[Value::Fixed(5), Value::Param(place(&mut choices.clone()))]),
            keep_original: choices.maybe(),
        });
        recipe.position_only = choices.perhaps(reduce);
        recipe.clip_space = choices.perhaps(depth);
        recipe.rasterizer_discard = choices.perhaps(|choices| {
            let when = choices.of(&[Value::Fixed(true), Value::Param(place(&mut choices.clone()))]);
            rasterizer_discard::Options::new().when(when)
        });
    }
    if has(ExecutionModel::VERTEX) {
        recipe.vertex_pulling = choices.perhaps(pull);
    }
    if has_fragment {
        recipe.blend = choices.perhaps(blend);
    }
    if has_fragment && last.is_some() {
        recipe.emulate = choices.perhaps(|choices| choices.of(&[Emulated::All, Emulated::Cull]));
    }
    // A recipe with many fields is often refused, so some fields are removed.
    for _ in 0..choices.below(4) {
        match choices.below(8) {
            7 => recipe.vertex_pulling = None,
            0 => recipe.capture = None,
            1 => recipe.planes = None,
            2 => recipe.position_only = None,
            3 => recipe.emulate = None,
            4 => recipe.masks = None,
            5 => recipe.normalize = None,
            _ => recipe.blend = None,
        }
    }
    recipe
}

type Stage<'m> = (&'m Module<'m>, EntryPoint<'m>);

/// Checks that the host parameters of different groups do not overlap in any stage.
fn check_apart(lowered: &[Lowered<'_, Made>]) -> Result<(), String> {
    let words = || lowered.iter().flat_map(|one| &one.params);
    let meet = |one: Option<std::ops::Range<u32>>, other: Option<std::ops::Range<u32>>| {
        one.zip(other).is_some_and(|(one, other)| one.start < other.end && other.start < one.end)
    };
    for (number, one) in words().enumerate() {
        for other in words().skip(number + 1) {
            let same =
                one.source.descriptor().is_some_and(|at| other.source.descriptor() == Some(at));
            let same = same || one.location().is_some_and(|at| other.location() == Some(at));
            if same
                || meet(one.push_constants(), other.push_constants())
                || meet(one.specialization(), other.specialization())
            {
                return Err(format!("words at {} and at {}", one.source, other.source));
            }
        }
    }
    Ok(())
}

fn lower(stages: &[Stage<'_>], recipe: &Recipe) -> Result<Vec<Lowered<'static, Made>>, Error> {
    let target = |entry: &EntryPoint<'_>| Target::new(entry.name()).stage(entry.model());
    let stages: Vec<_> = stages.iter().map(|(module, entry)| (*module, target(entry))).collect();
    let lowered = recipe::lower(&stages, recipe)?;
    Ok(lowered.into_iter().map(Lowered::into_owned).collect())
}

#[test]
fn any_recipe_gives_valid_modules_or_a_reason() {
    // One stage before rasterization, with or without a fragment stage.
    let cases = cases();
    let modules =
        cases.iter().map(|case| Module::parse(&case.words).expect("a valid module can be read"));
    let modules: Vec<Module<'_>> = modules.collect();
    let stages = |is_fragment: bool| -> Vec<Stage<'_>> {
        let all = modules.iter().flat_map(|m| m.entry_points().map(move |entry| (m, entry)));
        let compute = ExecutionModel::GL_COMPUTE;
        all.filter(|(_, entry)| {
            (entry.model() == ExecutionModel::FRAGMENT) == is_fragment && entry.model() < compute
        })
        .collect()
    };
    let (before, fragments) = (stages(false), stages(true));
    let (mut made, mut refused, mut fields) = (0, 0, [0; 9]);
    for (number, last) in before.iter().enumerate() {
        for seed in 0..RECIPES {
            let mut choices = Choices::seeded(seed + 1000 * number as u64);
            let mut stages = vec![*last];
            stages.extend(choices.perhaps(|choices| choices.of(&fragments)));
            let recipe = recipe(&stages, &mut choices);
            kept(&recipe);
            match lower(&stages, &recipe) {
                // A lowered pipeline is valid, and its host parameters are separate.
                Ok(lowered) => {
                    for one in &lowered {
                        let valid = validate(one.module.words());
                        valid.unwrap_or_else(|fault| panic!("{recipe:?}: {fault}"));
                        let result = &one.result;
                        kept(result);
                        kept(&one.params);
                        kept(&one.requirements);
                        let there = [
                            result.stored.is_some(),
                            result.decorated.is_some(),
                            result.pulled.is_some(),
                            result.normalized.is_some(),
                            result.planes.is_some(),
                            result.blended.as_ref().is_some_and(|made| !made.is_empty()),
                            result.masks.as_ref().is_some_and(|made| made.outputs.clip > 0),
                            result.clip_space.is_some() && result.rasterizer_discard.is_some(),
                            result
                                .emulated
                                .as_ref()
                                .is_some_and(|made| made.inputs.counts() != made.outputs.counts()),
                        ];
                        fields.iter_mut().zip(there).for_each(|(all, one)| *all += u32::from(one));
                    }
                    assert_eq!(check_apart(&lowered), Ok(()), "{recipe:?}");
                    made += 1;
                }
                // An error has a position in the stage that it names.
                Err(error) => {
                    let names = |(_, entry): &&Stage<'_>| {
                        error.message().contains(&format!(", {} stage: ", entry.model()))
                    };
                    let place = match stages.iter().find(names) {
                        Some((m, _)) => check_place(m, &error),
                        None if error.id().is_none() && error.word_offset().is_none() => Ok(()),
                        None => Err(format!("a place in no stage: {error}")),
                    };
                    assert_eq!(place, Ok(()), "{recipe:?}");
                    assert!(error.message().contains(": "), "{error} names no field");
                    refused += 1;
                }
            }
        }
    }
    println!("{made} pipelines are made, {refused} refused; fields: {fields:?}");
    assert!(made > 300 && fields.iter().all(|count| *count > 20), "{made}: {fields:?}");
}

#[test]
fn words_that_overlap_are_noticed() {
    let source = "#version 450\nvoid main() { gl_Position = vec4(1); }";
    let vertex = module(source, ShaderStage::Vertex);
    let words = |place| {
        let mut recipe = Recipe::default();
        recipe.clip_space = Some(clip_space::Options::new().flip_y(Value::Param(place)));
        let made = recipe::lower(&[(&vertex, "main".into())], &recipe);
        made.expect("it has a position").remove(0).into_owned()
    };
    let [one, two] = [64, 68].map(|offset| words(ParamSource::PushConstant { offset }));
    assert_eq!(check_apart(&[one.clone(), two.clone()]), Ok(()));
    assert!(check_apart(&[one.clone(), two, one.clone()]).is_err());
    for place in [
        ParamSource::Specialization { first_id: 1 },
        ParamSource::Uniform { set: Set(0), binding: Binding(99) },
    ] {
        let one = words(place);
        assert!(check_apart(&[one.clone(), one]).is_err(), "{place}");
    }
}
