//! Pipelines that a recipe lowers draw the same pictures as handwritten pipelines, and capture the original outputs.

use crate::clip::chain::{Stages, normalize, pictures};
use crate::clip::shape::{Shape, Style};
use crate::clip::{CHAINS, drivers, shapes};
use crate::depth::POSITIONS;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::Case;
use crate::noise::Noise;
use crate::shaders::Varyings;
use crate::storage::{HOSTS, Storage, options};
use polyshade::Module;
use polyshade::clip_cull::Emulated;
use polyshade::clip_space::{self, SurfaceRotation};
use polyshade::host::{Target, Value};
use polyshade::recipe::{self, Capture, Masks, Recipe};
use polyshade::spv::{Capability, ExecutionModel};
use polyshade::transform_feedback::{self, Variant};
use polyshade_tests::shader::validate;
use polyshade_vulkan::model::Topology;

fn turned() -> clip_space::Options {
    clip_space::Options::new().flip_y(true).rotation(SurfaceRotation::Quarter)
}

/// Returns the stages with registers, lowered by the recipe.
#[track_caller]
fn lowered(stages: &Stages, recipe: &Recipe) -> Stages {
    let modules = stages.iter().map(|(_, words)| Module::parse(words).expect("they parse"));
    let modules: Vec<Module<'_>> = modules.collect();
    let given: Vec<_> = modules.iter().map(|module| (module, Target::new("main"))).collect();
    let lowered = recipe::lower(&given, recipe);
    let lowered = lowered.unwrap_or_else(|error| panic!("{recipe:?}: {error}"));
    let words = lowered.into_iter().map(|one| {
        validate(one.module.words()).unwrap_or_else(|error| panic!("{recipe:?}: {error}"));
        one.module.into_words()
    });
    stages.iter().map(|(stage, _)| *stage).zip(words).collect()
}

/// Returns a recipe for distances in registers. Of two adjacent stages, only the first has semantics.
fn recipe(shape: &Shape, mask: u32) -> Recipe {
    let mut recipe = Recipe::default();
    let marked = normalize(Vec::new(), shape.semantics().collect());
    let stages = [
        (ExecutionModel::VERTEX, true),
        (ExecutionModel::TESSELLATION_CONTROL, shape.chain.tessellation),
        (ExecutionModel::TESSELLATION_EVALUATION, shape.chain.tessellation),
        (ExecutionModel::GEOMETRY, shape.chain.geometry),
    ];
    let stages = stages.into_iter().filter(|(_, is_there)| *is_there);
    recipe.normalize = Some(stages.map(|(stage, _)| (stage, marked.clone())).collect());
    recipe.masks = Some(Masks { enabled: Value::Fixed(mask), keep_original: false });
    recipe.clip_space = Some(turned());
    recipe
}

/// Returns the handwritten stages, with arrays, disabled planes and a converted position.
fn by_hand(shape: &Shape) -> Stages {
    let mut stages = shape.stages(Style::Arrays);
    let last = stages.len() - 2;
    let module = Module::parse(&stages[last].1).expect("glslang's words parse");
    let turned = clip_space::lower(&module, "main", &turned()).expect("it has a position");
    stages[last].1 = turned.module.into_words();
    stages
}

#[test]
fn pipelines_with_registers_draw_what_arrays_by_hand_draw() {
    let is_drawn = |picture: &&Vec<u8>| picture.iter().any(|byte| *byte != 0);
    for chain in CHAINS {
        let mut noise = Noise::new();
        for driver in drivers(chain) {
            let mut shapes = shapes(&mut noise, *driver, chain, 12);
            shapes.iter_mut().for_each(|shape| shape.off = noise.below(256));
            let of = |mask: fn(&Shape) -> u32| -> Vec<Stages> {
                let made = |shape: &Shape| {
                    lowered(&shape.stages(Style::Registers), &recipe(shape, mask(shape)))
                };
                shapes.iter().map(made).collect()
            };
            let seeds = [1, 2, 3];
            let expected: Vec<Stages> = shapes.iter().map(by_hand).collect();
            let expected = pictures(*driver, &expected, &seeds);
            assert!(expected.iter().filter(is_drawn).count() * 2 > expected.len(), "{driver:?}");
            let found = pictures(*driver, &of(|shape| !shape.off), &seeds);
            assert!(found == expected, "{driver:?} {chain:?}");
            // The comparison detects different enabled planes.
            assert!(pictures(*driver, &of(|shape| shape.off), &seeds) != expected, "{driver:?}");
        }
    }
}

#[test]
fn no_stage_keeps_distances_where_they_are_emulated() {
    const PIXEL: usize = 8;
    let mut emulated = Recipe::default();
    emulated.emulate = Some(Emulated::All);
    let all = [Capability::CLIP_DISTANCE, Capability::CULL_DISTANCE];
    for chain in CHAINS {
        let mut noise = Noise::new();
        // SwiftShader's rules for culling differ from Vulkan's.
        for driver in drivers(chain).iter().filter(|driver| **driver == Driver::Lavapipe) {
            let shapes = shapes(&mut noise, *driver, chain, 12);
            let native: Vec<Stages> =
                shapes.iter().map(|shape| shape.stages(Style::Arrays)).collect();
            let made: Vec<Stages> = native.iter().map(|one| lowered(one, &emulated)).collect();
            for (_, words) in made.iter().flatten() {
                let module = Module::parse(words).expect("it was just made");
                assert!(!all.iter().any(|one| module.has_capability(*one)), "{chain:?}");
            }
            let seeds = [1, 2, 3];
            let [expected, found] =
                [&native, &made].map(|stages| pictures(*driver, stages, &seeds).concat());
            // After clipping, values are interpolated between different vertices, so only the coverage is compared.
            let is_drawn = |pixel: &[u8]| pixel.iter().any(|byte| *byte != 0);
            let pixels = expected.chunks_exact(PIXEL).zip(found.chunks_exact(PIXEL));
            let pixels: Vec<_> =
                pixels.map(|(one, other)| (is_drawn(one), is_drawn(other))).collect();
            let drawn = pixels.iter().filter(|(one, _)| *one).count();
            let others = pixels.iter().filter(|(one, other)| one != other).count();
            let title = format!("{driver:?} {chain:?}: {others} of {drawn}");
            assert!(drawn > 1000 && others * 50 < drawn, "{title}");
        }
    }
}

#[test]
fn what_is_captured_is_what_the_shader_wrote() {
    let varyings = Varyings::Interleaved("gl_Position");
    is_captured(&options(varyings, HOSTS[0]), &[Variant::CaptureOnly, Variant::Both]);
    // A compute stage captures, and other stages draw.
    is_captured(&options(varyings, HOSTS[0]).compute(), &[Variant::CaptureOnly]);
}

#[track_caller]
fn is_captured(options: &transform_feedback::Options, variants: &[Variant]) {
    let varyings = Varyings::Interleaved("gl_Position");
    let mut storage = Storage::of_words(POSITIONS.plain(), POSITIONS.layout(varyings), options);
    let cases = [Case::new(Topology::PointList, 7)];
    for driver in DRIVERS {
        let expected = storage.run(driver, &cases);
        let capture_only = storage.words.clone();
        let plain = POSITIONS.plain();
        let vertex = Module::parse(&plain).expect("glslang's words parse");
        for &variant in variants {
            let mut recipe = Recipe::default();
            let options = options.clone();
            recipe.capture = Some(Capture::Storage { variant, options });
            recipe.clip_space = Some(turned());
            let lowered = recipe::lower(&[(&vertex, Target::new("main"))], &recipe);
            let lowered = lowered.expect("it has a position").swap_remove(0);
            assert_eq!(lowered.result.clip_space.is_some(), variant == Variant::Both);
            validate(lowered.module.words()).expect("it is valid");
            storage.words = lowered.module.into_words();
            assert_eq!(storage.words == capture_only, variant == Variant::CaptureOnly);
            assert!(storage.run(driver, &cases) == expected, "{driver:?} {variant:?}");
        }
        storage.words = capture_only;
    }
}
