//! The choice whether a shader runs once or twice, and the keys of plans.

use crate::device_counters::kept;
use crate::goldens::{golden, section};
use crate::rules::broken;
use crate::states::{anew, buffers, pipeline, resumed, storage, with_capture};
use polyshade::host::{Binding, SideEffects};
use polyshade_planner::{
    self as planner, Active, Bound, Call, Capture, Device, Draw, Feedback, PassState, Path,
    Pipeline, Preset, Resource, ShaderRuns, Step, StoredIndices, StoredOutputs, Topology,
};
use polyshade_testing::Choices;
use polyshade_testing::planner::{any_device, any_draw, any_pipeline};

/// Returns a pipeline with triangle fans, which are captured and rasterized in separate passes, and this shader cost.
fn fan(shader_cost: Option<u32>) -> Pipeline {
    Pipeline { shader_cost, ..dear() }
}

/// Returns the same pipeline with an expensive shader.
fn dear() -> Pipeline {
    dear_with(|_| {})
}

/// Returns the same pipeline with another capture.
fn dear_with(edit: impl FnOnce(&mut Capture)) -> Pipeline {
    let pipeline = with_capture(|capture| {
        storage(capture).outputs = Some(StoredOutputs { buffer: Binding(3), stride: 36 });
        edit(capture);
    });
    Pipeline { topology: Topology::TriangleFan, shader_cost: Some(5000), ..pipeline }
}

fn once(device: &Device, pipeline: &Pipeline, draw: &Draw) -> bool {
    let plan = planner::plan(device, pipeline, draw).expect("there is a plan");
    plan.shader_runs.expect("there is a choice").is_once()
}

#[test]
fn plans_say_how_often_the_shader_runs_and_why() {
    let mobile = Device::from(Preset::VulkanMobile);
    let mut text = String::new();
    let mut show = |heading: &str, device: &Device, pipeline: &Pipeline, draw: &Draw| {
        section(&mut text, heading, device, pipeline, draw);
    };
    // Vary the costs of the shader and of the draw.
    show("dear", &mobile, &dear(), &anew());
    show("dear, inside, resumed and waited for", &mobile, &dear(), &resumed());
    show("cheap", &mobile, &fan(Some(100)), &anew());
    show("unknown", &mobile, &fan(None), &anew());
    show("few vertices", &mobile, &dear(), &Draw { vertices: Some(3), ..anew() });
    show("kept", &mobile, &dear(), &Draw { pass: PassState::Uninterruptible, ..anew() });
    // Vary the state of the draw and the pipeline.
    let counted = kept(Call::Vertices, anew());
    let keeps = Device { max_storage_buffers: 8, ..mobile.clone() };
    show("the device counts", &keeps, &dear(), &counted);
    let stores = Pipeline { side_effects: Some(SideEffects::Refuse), ..fan(None) };
    show("stores by itself", &mobile, &stores, &anew());
    let list = Pipeline { topology: Topology::TriangleList, ..dear() };
    show("a list is captured at once", &mobile, &list, &anew());
    let indices = StoredIndices { buffer: Some(Binding(2)), ..StoredIndices::default() };
    let indexed = dear_with(|capture| storage(capture).indices = Some(indices));
    let indexed = Pipeline { topology: Topology::TriangleList, ..indexed };
    show("indices", &mobile, &indexed, &Draw { call: Call::Indexed, ..anew() });
    let discard = Pipeline { rasterizer_discard: true, ..dear() };
    show("nothing is rasterized", &mobile, &discard, &anew());
    // Vary the device.
    show("metal, inside", &Preset::Metal.into(), &dear(), &resumed());
    let dispatched = dear_with(|capture| capture.path = Some(Path::Compute));
    show("a compute stage captures", &mobile, &dispatched, &resumed());
    show("webgpu", &Preset::WebGpu.into(), &dispatched, &anew());
    golden("shader-runs.txt", &text);
}

/// More expensive shaders and larger draws favour one run. More outputs favour two runs.
#[test]
fn the_model_is_monotonic() {
    let device = Device::from(Preset::VulkanMobile);
    let least = |pipeline: &Pipeline| {
        let at = |vertices| Draw { vertices: Some(vertices), ..anew() };
        (1..100_000).find(|vertices| once(&device, pipeline, &at(*vertices)))
    };
    let costs: Vec<Option<u32>> = [1000, 2000, 5000].map(|cost| least(&fan(Some(cost)))).to_vec();
    assert!(costs.is_sorted_by(|dear, dearer| dear > dearer), "{costs:?}");
    assert_eq!(least(&fan(Some(50))), None);
    let outputs = Some(StoredOutputs { buffer: Binding(3), stride: 400 });
    let more = dear_with(|capture| storage(capture).outputs = outputs);
    assert!(least(&more) > least(&dear()), "{:?}", least(&more));
}

/// A plan that reads stored outputs without a wait, or that runs the shader again, breaks a rule.
#[test]
fn rules_notice_outputs_that_are_not_waited_for() {
    for device in [Preset::VulkanMobile, Preset::Metal].map(Device::from) {
        let (pipeline, draw) = (dear(), anew());
        let plan = planner::plan(&device, &pipeline, &draw).expect("there is a plan");
        assert_eq!(broken(&device, &pipeline, &draw, &plan), None, "{plan}");
        let mut hurried = plan.clone();
        for step in &mut hurried.steps {
            if let Step::Barriers(barriers) = step {
                barriers.retain(|one| one.resource != Resource::Outputs);
            }
        }
        hurried.steps.retain(|step| !matches!(step, Step::Barriers(all) if all.is_empty()));
        if device.api == planner::Api::Vulkan {
            let rule = broken(&device, &pipeline, &draw, &hurried).expect("a rule is broken");
            assert!(rule.contains("stored before"), "{rule}");
        }
        let mut wrong = plan.clone();
        wrong.shader_runs = Some(ShaderRuns::TwiceForUnknownCost);
        assert!(broken(&device, &pipeline, &draw, &wrong).is_some());
    }
}

fn at(offset: u64) -> Draw {
    let mut buffers = buffers();
    for bound in buffers.iter_mut().flatten() {
        bound.offset = offset;
        bound.size = Some(64);
    }
    Draw { feedback: Feedback::Active(Active { buffers, ..Active::default() }), ..anew() }
}

/// Draws at different offsets of a ring buffer have one key, and the same pipelines, passes and barriers.
#[test]
fn a_ring_buffers_offsets_are_no_part_of_the_key() {
    let devices = [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal, Preset::WebGpuNative];
    for device in devices.map(Device::from) {
        let pipeline = pipeline();
        let (one, other) = (at(0), at(1028));
        assert_eq!(one.key(&device, &pipeline), other.key(&device, &pipeline));
        let plans = [&one, &other]
            .map(|draw| planner::plan(&device, &pipeline, draw).expect("there is one"));
        assert_ne!(plans[0], plans[1]);
        let binds = |step: &&Step| {
            matches!(step, Step::BindPipeline(_) | Step::Barriers(_) | Step::BeginPass(_))
        };
        let [one_bound, other_bound] =
            plans.each_ref().map(|plan| plan.steps.iter().filter(binds).collect::<Vec<_>>());
        assert_eq!(one_bound, other_bound);
        assert_eq!(plans[0].for_ranges(&device, &pipeline, &other), Ok(plans[1].clone()));
        // All state other than offsets is part of the key.
        let paused = Draw { feedback: Feedback::Paused, ..one.clone() };
        assert_ne!(one.key(&device, &pipeline), paused.key(&device, &pipeline));
        assert!(plans[0].for_ranges(&device, &pipeline, &paused).is_err());
    }
    // Draws on one side of the threshold have one key.
    let device = Device::from(Preset::VulkanMobile);
    let key = |vertices| Draw { vertices, ..anew() }.key(&device, &dear());
    assert_eq!(key(Some(1)), key(Some(2)));
    assert_eq!(key(Some(1_000_000)), key(None));
    assert_ne!(key(Some(1)), key(None));
}

/// A plan that is adapted to the ranges of another draw with the same key equals that draw's plan.
#[test]
fn any_plan_serves_for_its_key() {
    let mut choices = Choices::seeded(3);
    let (mut moved, mut refused) = (0, 0);
    for _ in 0..60_000 {
        let (device, pipeline) = (any_device(&mut choices), any_pipeline(&mut choices));
        let draw = any_draw(&mut choices);
        let Ok(plan) = planner::plan(&device, &pipeline, &draw) else { continue };
        // Move the ranges and change the vertex count, with the same key.
        let mut other = draw.clone();
        if let Feedback::Active(active) = &mut other.feedback {
            for bound in active.buffers.iter_mut().flatten() {
                let offset = 4 * u64::from(choices.below(100));
                *bound = Bound { buffer: None, buffer_size: 2048, offset, size: Some(offset * 8) };
            }
        }
        other.vertices = draw.vertices.map(|vertices| vertices + choices.below(2));
        if other.key(&device, &pipeline) != draw.key(&device, &pipeline) {
            continue;
        }
        // The adapted plan equals the new one.
        let wanted = planner::plan(&device, &pipeline, &other);
        let given = plan.for_ranges(&device, &pipeline, &other);
        match &wanted {
            Ok(_) => moved += u32::from(wanted != Ok(plan)),
            Err(_) => refused += 1,
        }
        assert_eq!(given, wanted, "{device:?}\n{pipeline:?}\n{other:?}");
    }
    assert!(moved > 100 && refused > 100, "{moved} {refused}");
}
