//! For any state, the planner returns a plan that follows the rules, or a reason.

use crate::rules::broken;
use crate::states::{anew, pipeline, resumed};
use polyshade::ErrorKind;
use polyshade_planner::{self as planner, Device, Draw, Preset, Step, Variant};
use polyshade_testing::Choices;
use polyshade_testing::planner::{any_device, any_draw, any_pipeline};
use std::collections::{HashMap, HashSet};

const CASES: u32 = 200_000;

/// The random states lead to plans of every kind and to refusals, and no plan breaks a rule.
#[test]
fn every_state_has_a_plan_or_a_reason() {
    let mut choices = Choices::seeded(1);
    let mut variants = HashSet::new();
    let (mut plans, mut refused) = (0, 0);
    let mut reasons: HashMap<String, u32> = HashMap::new();
    for _ in 0..CASES {
        let (device, pipeline, draw) =
            (any_device(&mut choices), any_pipeline(&mut choices), any_draw(&mut choices));
        // Plans follow the rules, and refusals have a reason.
        match planner::plan(&device, &pipeline, &draw) {
            Ok(plan) => {
                plans += 1;
                let broken = broken(&device, &pipeline, &draw, &plan);
                assert_eq!(broken, None, "{device:?}\n{pipeline:?}\n{draw:?}\n{plan}");
                variants.extend(plan.steps.iter().filter_map(|step| match step {
                    Step::BindPipeline(bind) => Some(bind.variant),
                    _ => None,
                }));
                assert_eq!(planner::plan(&device, &pipeline, &draw), Ok(plan));
            }
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Options | ErrorKind::Unsupported));
                refused += 1;
                let letters = |c: &char| !c.is_ascii_digit();
                *reasons.entry(error.message().chars().filter(letters).collect()).or_default() += 1;
            }
        }
    }
    // Plans and refusals are frequent and varied.
    assert_eq!(variants.len(), 7, "{variants:?}");
    assert!(plans > CASES / 20 && refused > CASES / 20, "{plans} plans, {refused} refusals");
    assert!(reasons.len() > 30, "{reasons:?}");
}

/// Each broken plan must be detected by a rule.
#[test]
fn rules_notice_broken_plans() {
    let mut found = HashSet::new();
    let mut note = |edit: fn(&mut Vec<Step>), device: &Device, draw: &Draw| {
        let pipeline = pipeline();
        let mut plan = planner::plan(device, &pipeline, draw).expect("it has a plan");
        assert_eq!(broken(device, &pipeline, draw, &plan), None);
        edit(&mut plan.steps);
        let rule = broken(device, &pipeline, draw, &plan).expect("a rule is broken");
        assert!(found.insert(rule), "it has been broken before: {plan}");
    };
    let [vulkan, mobile, metal] =
        [Preset::Vulkan, Preset::VulkanMobile, Preset::Metal].map(Device::from);
    let old = Device { stores_beside_outputs: false, ..metal.clone() };
    note(|steps| steps.retain(|s| !matches!(s, Step::EndPass(_))), &vulkan, &resumed());
    note(|steps| steps.retain(|s| !matches!(s, Step::Draw(_))), &metal, &anew());
    note(|steps| steps.reverse(), &vulkan, &anew());
    note(|steps| drop(steps.pop()), &mobile, &resumed());
    note(|steps| steps.retain(|s| !matches!(s, Step::EndFeedback(_))), &vulkan, &anew());
    note(both_instead, &old, &anew());
    note(hurry, &vulkan, &resumed());
}

/// Removes all waits except those for captured data.
fn hurry(steps: &mut Vec<Step>) {
    for step in steps {
        if let Step::Barriers(barriers) = step {
            barriers.retain(|one| one.resource == planner::Resource::Captured);
        }
    }
}

fn both_instead(steps: &mut Vec<Step>) {
    for step in steps {
        if let Step::BindPipeline(bind) = step {
            bind.variant = Variant::Both;
        }
    }
}
