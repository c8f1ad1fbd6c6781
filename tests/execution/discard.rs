//! A lowered shader draws nothing if its constant is true, and the original picture otherwise. Captures are
//! unchanged.

use crate::depth::{POSITIONS, QUALIFIERS, captured, decorated};
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::Case;
use crate::pictures::{Host, SCENES, is_empty};
use crate::shaders::Varyings;
use crate::storage::Storage;
use polyshade::Module;
use polyshade::clip_space::{self, SurfaceRotation};
use polyshade::host::{ParamSource, Value};
use polyshade::rasterizer_discard::{self, Options};
use polyshade_tests::shader::validate;
use polyshade_vulkan::model::Topology;
use polyshade_vulkan::{Constant, vk};

const ID: u32 = 5;

/// Discards if the specialization constant is set.
const SOMETIMES: Value<bool> = Value::Param(ParamSource::Specialization { first_id: ID });

#[track_caller]
fn discard(words: &[u32], options: &Options) -> Vec<u32> {
    let module = Module::parse(words).expect("the words parse");
    let discarding = rasterizer_discard::lower(&module, "main", options);
    let discarding = discarding.unwrap_or_else(|error| panic!("{options:?}: {error}"));
    validate(discarding.module.words()).unwrap_or_else(|error| panic!("{options:?}: {error}"));
    discarding.module.into_words()
}

fn host(discards: u32) -> Host {
    Host { constants: vec![(ID, Constant::Bits32(discards))], ..Host::default() }
}

#[test]
fn nothing_is_drawn_where_the_constant_says_so() {
    for scene in &SCENES {
        let options = Options::new();
        let always = discard(&scene.plain(), &options);
        let sometimes = discard(&scene.plain(), &options.clone().when(SOMETIMES));
        for driver in scene.drivers() {
            let original = scene.picture(*driver, &scene.plain(), &Host::default());
            assert!(!is_empty(&original));
            assert!(is_empty(&scene.picture(*driver, &always, &Host::default())));
            assert!(is_empty(&scene.picture(*driver, &sometimes, &host(1))), "{driver:?}");
            assert!(scene.picture(*driver, &sometimes, &host(0)) == original, "{driver:?}");
            assert!(scene.picture(*driver, &sometimes, &Host::default()) == original);
        }
    }
}

#[test]
fn points_and_lines_are_not_drawn_either() {
    let [mut scene, ..] = SCENES;
    for topology in [vk::PrimitiveTopology::POINT_LIST, vk::PrimitiveTopology::LINE_STRIP] {
        scene.topology = topology;
        let always = discard(&scene.plain(), &Options::new());
        for driver in DRIVERS {
            assert!(!is_empty(&scene.picture(driver, &scene.plain(), &Host::default())));
            assert!(is_empty(&scene.picture(driver, &always, &Host::default())), "{driver:?}");
        }
    }
}

/// The shader is captured, converted and discarded, in this order.
#[test]
fn the_extension_captures_what_the_shader_wrote() {
    for scene in &SCENES {
        let [colour, position] = QUALIFIERS;
        let expected = captured(scene, &scene.words("", colour, position), &Host::default());
        let options = Options::new().when(SOMETIMES);
        let discarding = discard(&decorated(scene), &options);
        for value in [0, 1] {
            assert!(captured(scene, &discarding, &host(value)) == expected, "{:?}", scene.model());
        }
        let module = Module::parse(&discarding).expect("polyshade's words parse");
        let convention = clip_space::Options::new().depth(true).rotation(SurfaceRotation::Half);
        let both = clip_space::lower(&module, "main", &convention).expect("it is supported");
        assert!(captured(scene, both.module.words(), &host(1)) == expected);
        assert!(is_empty(&scene.picture(Driver::Lavapipe, both.module.words(), &host(1))));
        assert!(!is_empty(&scene.picture(Driver::Lavapipe, both.module.words(), &host(0))));
    }
}

#[test]
fn the_storage_path_stores_what_the_shader_wrote() {
    let mut storage = Storage::new(&POSITIONS, Varyings::Interleaved("gl_Position"));
    let cases = [Case::new(Topology::PointList, 7)];
    let expected = DRIVERS.map(|driver| storage.run(driver, &cases));
    storage.words = discard(storage.capture.both.as_ref().unwrap().words(), &Options::new());
    for (driver, expected) in DRIVERS.into_iter().zip(expected) {
        assert!(storage.run(driver, &cases) == expected, "{driver:?}");
    }
}
