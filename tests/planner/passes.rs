//! The passes in which captured draws are, and the keys of their pipelines.

use crate::states::{anew, pipeline};
use polyshade::transform_feedback::ProvokingVertex;
use polyshade_planner::{
    self as planner, Attachments, Device, Draw, PassState, Pipeline, Preset, Step, Topology, Use,
    Uses,
};

/// Metal before MSL 2.1, where a vertex stage that stores has no outputs.
fn metal_2_0() -> Device {
    Device { stores_beside_outputs: false, ..Preset::Metal.into() }
}

/// Ending a pass stores all attachments and loads them again. No kind of capture needs to end the pass.
#[test]
fn a_captured_draw_stays_in_the_pass_that_is_open() {
    let fan = Pipeline { topology: Topology::TriangleFan, ..pipeline() };
    let discarding = Pipeline { rasterizer_discard: true, ..pipeline() };
    let vulkan = [Preset::Vulkan, Preset::VulkanMobile].map(Device::from);
    for device in vulkan.into_iter().chain([Preset::Metal.into(), metal_2_0()]) {
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
