//! Later commands wait for all accesses of a draw: reads, the counter that provides its vertex count, and captures.

use crate::states::{anew, byte_count, pipeline, resumed};
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_planner::{
    self as planner, Attachments, Call, Counter, Device, Draw, Feedback, PassState, Path, Pipeline,
    Preset, ShaderStage, Step, Topology, Use, Uses,
};

/// Returns the barriers after the draw, as text, and whether the application's pass ends there.
fn waits(preset: Preset, pipeline: &Pipeline, draw: &Draw) -> (Vec<String>, bool) {
    let plan = planner::plan(&Device::from(preset), pipeline, draw).expect("it has a plan");
    let drawn = plan.steps.iter().rposition(|step| matches!(step, Step::Draw(_)));
    let behind = &plan.steps[drawn.expect("it draws") + 1..];
    let barriers = behind.iter().filter_map(|step| match step {
        Step::Barriers(barriers) => Some(barriers),
        _ => None,
    });
    let of_attachments = |one: &&planner::Barrier| one.resource != planner::Resource::Attachments;
    let text = barriers.flatten().filter(of_attachments).map(ToString::to_string).collect();
    (text, behind.iter().any(|step| matches!(step, Step::EndPass(_))))
}

fn reading(feedback: Feedback, reads: Use, next: Use) -> Draw {
    Draw {
        pass: PassState::Interruptible,
        feedback,
        reads: vec![reads],
        next: Uses { inputs: Vec::new(), captured: vec![next], counters: Vec::new() },
        ..Draw::default()
    }
}

#[test]
fn what_a_draw_reads_is_overwritten_behind_it() {
    let next = Use::Capture(Path::Extension);
    let overwritten = "captured data: VERTEX_INPUT / none -> TRANSFORM_FEEDBACK / none";
    for (pipeline, feedback) in
        [(Pipeline::default(), Feedback::Inactive), (pipeline(), Feedback::Paused)]
    {
        let draw = reading(feedback, Use::Vertices, next);
        let found = waits(Preset::Vulkan, &pipeline, &draw);
        assert_eq!(found, (vec![overwritten.to_owned()], true));
        // Metal has no barriers, so the end of the pass serves as a barrier.
        for (next, ends) in [
            (Use::Store(ShaderStage::Fragment), true),
            (Use::Capture(Path::Storage), true),
            (Use::Store(ShaderStage::Compute), false),
            (Use::CopyDestination, false),
        ] {
            let next = Uses { captured: vec![next], ..Uses::default() };
            let found = waits(Preset::Metal, &pipeline, &Draw { next, ..draw.clone() });
            assert_eq!(found, (Vec::new(), ends));
        }
    }
}

/// Accesses outside the application's pass ended before the pass began or resumed.
#[test]
fn a_pass_does_not_end_for_what_was_in_another() {
    for (before, ends) in [
        (Use::Capture(Path::Storage), true),
        (Use::CopyDestination, false),
        (Use::Store(ShaderStage::Compute), false),
        (Use::Store(ShaderStage::Fragment), true),
    ] {
        let draw = reading(Feedback::Inactive, Use::Vertices, Use::Vertices);
        let uses = Uses { captured: vec![before], ..Uses::default() };
        let draw = Draw { before: uses, ..draw };
        let plan = |device: &Device| {
            planner::plan(device, &Pipeline::default(), &draw).expect("it has a plan").steps
        };
        let ended = |step: &Step| matches!(step, Step::EndPass(_));
        for device in [Preset::Metal.into(), metal_2_0()] {
            assert_eq!(plan(&device).iter().any(ended), ends, "{before:?}");
        }
    }
}

/// Metal before MSL 2.1, where a vertex stage that stores has no outputs.
fn metal_2_0() -> Device {
    Device { stores_beside_outputs: false, ..Preset::Metal.into() }
}

/// Ending a pass stores all attachments and loads them again. No kind of capture needs to end the pass.
#[test]
fn a_captured_draw_stays_in_the_pass_that_is_open() {
    let fan = Pipeline { topology: Topology::TriangleFan, ..pipeline() };
    let discarding = Pipeline { rasterizer_discard: true, ..pipeline() };
    for device in [Preset::Metal.into(), metal_2_0(), Preset::VulkanMobile.into()] {
        for pipeline in [&pipeline(), &fan, &discarding] {
            let draw = Draw { pass: PassState::Uninterruptible, ..anew() };
            let steps = planner::plan(&device, pipeline, &draw).expect("it has a plan").steps;
            let pass = |step: &Step| matches!(step, Step::BeginPass(_) | Step::EndPass(_));
            assert!(!steps.iter().any(pass), "{steps:?}");
        }
    }
    // If a later command in the pass reads the captured data, the pass must end.
    let next = Uses { captured: vec![Use::Vertices], ..Uses::default() };
    for device in [Preset::Metal.into(), metal_2_0()] {
        let draw = Draw { pass: PassState::Interruptible, next: next.clone(), ..anew() };
        let steps = planner::plan(&device, &fan, &draw).expect("it has a plan").steps;
        let ended = steps.iter().filter(|step| matches!(step, Step::EndPass(_))).count();
        let drawn = |step: &Step| matches!(step, Step::Draw(_));
        let behind = steps.iter().rposition(drawn).expect("it draws");
        let ends = Step::EndPass(Attachments::Application);
        assert_eq!((ended, &steps[behind + 1..].contains(&ends)), (1, &true), "{steps:?}");
    }
}

/// A pass that has ended before a capture does not end again for the next use, because the capture is between passes.
#[test]
fn a_pass_that_has_ended_for_a_capture_goes_on_once() {
    let fan = Pipeline { topology: Topology::TriangleFan, ..pipeline() };
    let discarding = Pipeline { rasterizer_discard: true, ..pipeline() };
    for (preset, pipeline) in
        [(Preset::Metal, &fan), (Preset::Metal, &discarding), (Preset::WebGpuNative, &discarding)]
    {
        let plan = planner::plan(&preset.into(), pipeline, &resumed()).expect("it has a plan");
        let passes = plan.steps.iter().filter_map(|step| match step {
            Step::BeginPass(pass) => Some(pass.attachments),
            _ => None,
        });
        let expected = [Attachments::Dummy, Attachments::Application];
        assert_eq!(passes.collect::<Vec<_>>(), expected, "{plan}");
    }
}

/// A pipeline depends on formats and on the provoking vertex mode, so the key in a plan distinguishes them.
#[test]
fn what_is_bound_is_the_key_of_a_pipeline() {
    let last = Pipeline { provoking_vertex: ProvokingVertex::Last, ..pipeline() };
    let points = Pipeline { topology: Topology::PointList, ..last.clone() };
    let discarding = Pipeline { rasterizer_discard: true, ..last.clone() };
    let bound = |preset: Preset, pipeline: &Pipeline, pass| {
        let draw = Draw { pass, ..anew() };
        let plan = planner::plan(&preset.into(), pipeline, &draw).expect("it has a plan");
        let bound = plan.steps.into_iter().filter_map(|step| match step {
            Step::BindPipeline(bind) => Some((bind.provoking_vertex, bind.attachments)),
            _ => None,
        });
        bound.collect::<Vec<_>>()
    };
    let (first, to) = (ProvokingVertex::First, Attachments::Application);
    let inside = PassState::Interruptible;
    assert_eq!(bound(Preset::Vulkan, &pipeline(), inside), [(first, to)]);
    assert_eq!(bound(Preset::Vulkan, &last, inside), [(ProvokingVertex::Last, to)]);
    assert_eq!(bound(Preset::Vulkan, &points, inside), [(first, to)]);
    assert_eq!(bound(Preset::Metal, &discarding, inside), [(first, to)]);
    let outside = PassState::Outside;
    assert_eq!(bound(Preset::Metal, &discarding, outside), [(first, Attachments::Dummy)]);
    assert_eq!(bound(Preset::VulkanMobile, &discarding, outside), [(first, Attachments::None)]);
}

#[test]
fn a_captured_draw_reads_too() {
    let fragment = Use::Storage(ShaderStage::Fragment);
    for (preset, captured) in [
        (Preset::Vulkan, "FRAGMENT_SHADER | TRANSFORM_FEEDBACK / TRANSFORM_FEEDBACK_WRITE"),
        (Preset::VulkanMobile, "VERTEX_SHADER | FRAGMENT_SHADER / SHADER_WRITE"),
    ] {
        let draw = reading(anew().feedback, fragment, Use::CopyDestination);
        let expected = format!("captured data: {captured} -> TRANSFER / TRANSFER_WRITE");
        assert_eq!(waits(preset, &pipeline(), &draw).0, [expected]);
    }
    // On Metal, a copy is outside any pass. The other uses may be in the draw's pass.
    for (next, ends) in
        [(Use::Store(ShaderStage::Fragment), true), (Use::Vertices, true), (Use::CopySource, false)]
    {
        let draw = reading(anew().feedback, fragment, next);
        assert_eq!(waits(Preset::Metal, &pipeline(), &draw).1, ends);
    }
}

#[test]
fn a_counter_that_counts_vertices_is_saved_to_behind_them() {
    let count = byte_count(Path::Extension, Counter { buffer: 3, offset: 0 });
    let draw = Draw {
        call: Call::ByteCount(count),
        next: Uses { counters: vec![Use::Save], ..Uses::default() },
        ..reading(Feedback::Inactive, Use::Vertices, Use::Capture(Path::Extension))
    };
    let found = waits(Preset::Vulkan, &Pipeline::default(), &draw);
    let saved = "vertex count: DRAW_INDIRECT / none -> TRANSFORM_FEEDBACK / none";
    assert_eq!(found, (vec![saved.to_owned()], true));
}

#[test]
fn a_pass_that_is_kept_is_not_ended() {
    let refused = |preset: Preset, pipeline: &Pipeline, draw: &Draw| {
        let draw = Draw { pass: PassState::Uninterruptible, ..draw.clone() };
        planner::plan(&preset.into(), pipeline, &draw).err().map(|error| error.to_string())
    };
    assert_eq!(refused(Preset::Vulkan, &pipeline(), &anew()), None);
    assert_eq!(refused(Preset::VulkanMobile, &pipeline(), &anew()), None);
    let reading = reading(Feedback::Paused, Use::Vertices, Use::CopyDestination);
    let message = refused(Preset::Vulkan, &pipeline(), &reading).expect("it is refused");
    assert!(message.contains("the active pass would have to end"), "{message}");
}
