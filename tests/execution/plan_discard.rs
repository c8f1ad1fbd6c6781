//! If rasterization cannot be disabled, plans set a specialization constant that moves the position outside clip
//! space. Data is captured, and nothing is drawn. The position may be converted as well.

use crate::glsl;
use crate::plan::{Rig, WAYS, Way};
use crate::plan_draws::scene;
use crate::raster::{SCENE, SCENE_PIXELS, SCENE_VARYINGS};
use crate::shaders::{Shader, Varyings};
use polyshade::Module;
use polyshade::clip_space;
use polyshade::host::{ParamSource, Value};
use polyshade::rasterizer_discard;
use polyshade_planner::{Device, PassState, Path, Pipeline, RasterizationOff, Topology};
use polyshade_tests::shader::validate;

const ID: u32 = 23;

type Change = fn(&Module<'_>) -> Module<'static>;

fn discard(module: &Module<'_>) -> Module<'static> {
    let options = rasterizer_discard::Options::new()
        .when(Value::Param(ParamSource::Specialization { first_id: ID }));
    let changed = rasterizer_discard::lower(module, "main", &options).expect("it has a position");
    changed.module.into_owned()
}

fn convert(module: &Module<'_>) -> Module<'static> {
    let options = clip_space::Options::new().depth(true).flip_y(true);
    clip_space::lower(module, "main", &options).expect("it has a position").module.into_owned()
}

/// Applies changes to all variants that have a position.
fn changed(mut rig: Rig, changes: &[Change]) -> Rig {
    let change = |module: &Module<'_>| {
        let module = module.borrowed().into_owned();
        let changed = changes.iter().fold(module, |module, change| change(&module));
        validate(changed.words()).unwrap_or_else(|error| panic!("{error}"));
        changed
    };
    let of_words = |words: &[u32]| {
        let module = Module::parse(words).expect("glslang's words parse");
        change(&module).into_words()
    };
    rig.original = of_words(&rig.original);
    rig.native = of_words(&rig.native);
    let capture = &mut rig.storage.capture;
    capture.both = capture.both.as_ref().map(change);
    capture.raster_only = change(&capture.raster_only);
    rig
}

macro_rules! shader {
    ($last:literal) => {
        Shader {
            source: concat!(
                r"
        #version 450
        layout(location = 0) out vec4 v_colour;
        layout(location = 1) XFB_v_index flat out uvec2 v_index;
        out gl_PerVertex { XFB_gl_Position vec4 gl_Position; float gl_PointSize; };
        void main() {
            uint noise = uint(gl_VertexIndex) * 2654435761u + uint(gl_InstanceIndex) * 40503u;
            v_colour = vec4(uvec4(noise, noise >> 8, noise >> 16, noise >> 24) & 255u) / 256.0;
            v_index = uvec2(gl_VertexIndex, gl_InstanceIndex);
            gl_Position = vec4(v_colour.yw * 2.0 - 1.0, v_colour.z, 1.0);
            gl_PointSize = 1.0;",
                $last,
                "}"
            ),
            outputs: &[("gl_Position", 4), ("v_index", 2)],
        }
    };
}

/// The scene with captured positions.
const POSITIONS: Shader = shader!("");
/// The scene with positions that are converted before the capture.
const CONVERTED: Shader =
    shader!("gl_Position = vec4(gl_Position.x, -gl_Position.y, (gl_Position.z + 1.0) * 0.5, 1.0);");

/// The pictures and captured data of a way of capturing, with and without rasterizer discard.
struct Drawn {
    shown: (Vec<u8>, Vec<Vec<u8>>),
    hidden: (Vec<u8>, Vec<Vec<u8>>),
    /// The result with rasterizer discard and without a capture.
    idle: (Vec<u8>, Vec<Vec<u8>>),
}

fn draw(rig: &Rig, way: Way, off: RasterizationOff, discard_constant: Option<u32>) -> Drawn {
    let fragment = glsl::fragment(SCENE_PIXELS);
    let device = Device { rasterization_off: off, ..way.device() };
    let pipeline = rig.pipeline(Topology::TriangleStrip, way.path);
    let pipeline = Pipeline { discard_constant, ..pipeline };
    let draw = |rasterizer_discard, active| {
        let pipeline = Pipeline { rasterizer_discard, ..pipeline.clone() };
        scene(rig, &fragment, (way, &device), (&pipeline, active, PassState::Interruptible))
    };
    Drawn { shown: draw(false, true), hidden: draw(true, true), idle: draw(true, false) }
}

fn is_blank(picture: &[u8]) -> bool {
    picture.iter().all(|byte| *byte == 0)
}

const OFF: [RasterizationOff; 2] = [RasterizationOff::WithoutOutputs, RasterizationOff::Never];

#[test]
fn one_constant_discards_and_captures_the_same() {
    let plain = Rig::new(&SCENE, SCENE_VARYINGS);
    let rig = changed(Rig::new(&SCENE, SCENE_VARYINGS), &[discard]);
    for way in WAYS {
        let expected = draw(&plain, way, RasterizationOff::Always, None);
        assert!(!is_blank(&expected.shown.0) && is_blank(&expected.hidden.0));
        for off in OFF {
            let found = draw(&rig, way, off, Some(ID));
            assert!(found.shown == expected.shown, "{way:?} {off:?}");
            assert!(found.hidden == expected.hidden, "{way:?} {off:?}");
            assert!(found.idle == expected.idle, "{way:?} {off:?}");
        }
    }
}

/// Outside the application's pass, a discarded draw has its own pass, which has no attachment or a dummy attachment.
#[test]
fn a_pass_without_attachments_or_with_a_dummy_will_do() {
    let rig = changed(Rig::new(&SCENE, SCENE_VARYINGS), &[discard]);
    let fragment = glsl::fragment(SCENE_PIXELS);
    for way in WAYS {
        let expected = draw(&rig, way, RasterizationOff::Always, Some(ID)).hidden;
        let pipeline = rig.pipeline(Topology::TriangleStrip, way.path);
        let pipeline = Pipeline { discard_constant: Some(ID), ..pipeline };
        for rasterization_off in OFF.into_iter().chain([RasterizationOff::Always]) {
            for passes_without_attachments in [true, false] {
                let base = way.device();
                let device = Device { rasterization_off, passes_without_attachments, ..base };
                let outside = (&pipeline, true, PassState::Outside);
                let found = scene(&rig, &fragment, (way, &device), outside);
                assert!(found == expected, "{way:?} {device:?}");
            }
        }
    }
}

/// A plan that lacks the constant's id does not set the constant, which the pictures reveal.
#[test]
fn a_constant_that_is_not_set_is_noticed() {
    let rig = changed(Rig::new(&SCENE, SCENE_VARYINGS), &[discard]);
    for way in WAYS {
        let found = draw(&rig, way, RasterizationOff::Never, None);
        assert!(!is_blank(&found.hidden.0) && !is_blank(&found.idle.0), "{way:?}");
    }
}

/// The captured positions are those that the shader wrote, before any conversion.
#[test]
fn the_position_is_captured_before_it_is_changed() {
    let varyings = Varyings::Interleaved("gl_Position gl_NextBuffer v_index");
    let new = || Rig::new(&POSITIONS, varyings);
    for way in WAYS {
        let plain = draw(&new(), way, RasterizationOff::Always, None);
        let converted = draw(&changed(new(), &[convert]), way, RasterizationOff::Always, None);
        assert!(converted.shown.0 != plain.shown.0, "{way:?}");
        for changes in [&[convert as Change, discard] as &[Change], &[discard, convert]] {
            let rig = changed(new(), changes);
            let found = draw(&rig, way, RasterizationOff::Never, Some(ID));
            assert!(found.shown.0 == converted.shown.0, "{way:?}");
            assert!(is_blank(&found.hidden.0) && is_blank(&found.idle.0), "{way:?}");
            for captured in [&found.shown.1, &found.hidden.1] {
                assert!(*captured == plain.shown.1, "{way:?}");
            }
        }
        // The comparison detects a capture of the converted position.
        if way.path == Path::Extension {
            let mut wrong = new();
            let source = Rig::new(&CONVERTED, varyings);
            wrong.native = source.native;
            assert!(draw(&wrong, way, RasterizationOff::Always, None).shown.1 != plain.shown.1);
        }
    }
}
