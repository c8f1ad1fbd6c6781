//! A recipe's result for a stage contains all data about its capture that the planner needs.

use crate::states::buffers;
use polyshade::host::{Lowered, Target};
use polyshade::recipe::{self, Made, Recipe};
use polyshade::transform_feedback::{Options, Variant};
use polyshade::vertex_pulling::{self, Attribute, Buffer, Rate};
use polyshade::{Module, transform_feedback};
use polyshade_planner::{
    Active, Capture, Draw, Feedback, Path, Pipeline, Plan, Preset, Step, plan,
};
use polyshade_spv::Error;
use polyshade_tests::shader::{ShaderStage, compile};

const VERTEX: &str = "#version 450
    layout(location = 0) in vec4 at;
    layout(location = 0) out vec4 v_colour;
    void main() { v_colour = at.wzyx; gl_Position = at; }";

fn pulled() -> vertex_pulling::Options {
    let format = "r32g32b32a32_sfloat".parse().expect("it is a format");
    let attribute = Attribute { buffer: 0, offset: Some(0), format: Some(format) };
    let buffer = Buffer { stride: Some(16), rate: Some(Rate::Vertex) };
    vertex_pulling::Options::new().attribute(0, attribute).buffer(0, buffer)
}

/// Returns the planner's capture for a stage that a recipe made.
fn capture(stage: &Lowered<'_, Made>) -> Capture {
    let layout = stage.result.stored.as_ref().expect("it is captured");
    let words = stage.params.last().expect("the host fills some in");
    Capture::stored(layout, words, &stage.requirements)
}

fn planned(preset: Preset, capture: Capture) -> Result<Plan, Error> {
    let pipeline = Pipeline { capture: Some(capture), ..Pipeline::default() };
    let active = Active { buffers: buffers(), ..Active::default() };
    let draw = Draw { feedback: Feedback::Active(active), ..Draw::default() };
    plan(&preset.into(), &pipeline, &draw)
}

#[test]
fn captures_of_recipes_are_planned() {
    let words = compile(VERTEX, ShaderStage::Vertex).expect("it compiles");
    let given = Module::parse_owned(words).expect("glslang writes modules");
    for (options, path, preset) in [
        (Options::new(), None, Preset::VulkanMobile),
        (Options::new().compute(), Some(Path::Compute), Preset::WebGpu),
    ] {
        let options = options.interleaved(["v_colour"]);
        let mut recipe = Recipe::default();
        recipe.vertex_pulling = Some(pulled());
        let variant = Variant::CaptureOnly;
        recipe.capture = Some(recipe::Capture::Storage { variant, options: options.clone() });
        let made = recipe::lower(&[(&given, Target::new("main"))], &recipe).expect("it is one");
        let capture = capture(&made[0]);

        // The capture equals that of the lowerings applied one by one.
        let pulled = vertex_pulling::lower(&given, "main", &pulled()).expect("it has attributes");
        let prepared = transform_feedback::prepare(&pulled.module, "main", &options);
        assert_eq!(capture, Capture::from(&prepared.expect("it has outputs")));
        assert_eq!(capture.path, path);
        let steps = planned(preset, capture.clone()).expect("there is a plan").steps;
        let dispatches = steps.iter().filter(|step| matches!(step, Step::Dispatch(_))).count();
        assert_eq!(dispatches, usize::from(path == Some(Path::Compute)), "{steps:#?}");
        // The control: WebGPU's vertex stages cannot store.
        assert_eq!(planned(Preset::WebGpu, capture).is_ok(), path == Some(Path::Compute));
    }
}
