//! Plans that run the shader once give the same result as plans that run the shader twice, and wait for the spilled
//! outputs.

use crate::drivers::Driver;
use crate::feedback::FILL;
use crate::glsl;
use crate::hazards::hazards;
use crate::plan::{Rig, Way, execute_checked, ways};
use crate::plan_buffers::barriers;
use crate::plan_draws::{scene, scene_by};
use crate::raster::{SCENE, SCENE_PIXELS, SCENE_VARYINGS};
use crate::storage::{HOSTS, options};
use polyshade_planner::{
    Accesses, Device, PassScope, PassState, Path, Pipeline, Plan, Resource, Step, Topology, Variant,
};
use polyshade_vulkan::{Executed, Item, PlannedDraw, Sequence};

/// Creates variants, including those that spill and reload outputs.
fn rig(way: Way) -> Rig {
    let options = options(SCENE_VARYINGS, HOSTS[2]).spill_outputs();
    Rig::with(&SCENE, SCENE_VARYINGS, &Rig::asked(options, way.path))
}

/// Returns the ways with storage buffers, on devices whose stages cannot both store and have outputs.
fn devices() -> impl Iterator<Item = (Way, Device)> {
    let stores = ways().filter(|way| way.path != Path::Extension);
    stores.map(|way| (way, Device { stores_beside_outputs: false, ..way.device() }))
}

fn pipeline(rig: &Rig, topology: Topology, way: Way, shader_cost: u32) -> Pipeline {
    let pipeline = rig.pipeline(topology, way.path);
    Pipeline { rasterizer_discard: false, shader_cost: Some(shader_cost), ..pipeline }
}

const DEAR: u32 = 100_000;

#[test]
fn what_passes_through_is_drawn() {
    let fragment = glsl::fragment(SCENE_PIXELS);
    let topologies = [
        Topology::PointList,
        Topology::LineStrip,
        Topology::TriangleList,
        Topology::TriangleStrip,
        Topology::TriangleFan,
        Topology::LineLoop,
    ];
    for (way, device) in devices() {
        let rig = rig(way);
        for topology in topologies {
            for pass in [PassState::Interruptible, PassState::Outside] {
                let draw = |cost, active| {
                    let pipeline = pipeline(&rig, topology, way, cost);
                    scene(&rig, &fragment, (way, &device), (&pipeline, active, pass))
                };
                // One run, two runs, and a draw without a capture give equal results.
                let (once, twice, plain) = (draw(DEAR, true), draw(0, true), draw(0, false).0);
                assert!(once.0.iter().any(|byte| *byte != 0), "{way:?} {topology:?}");
                assert!(once == twice, "{way:?} {topology:?} {pass:?}");
                assert!(once.0 == plain, "{way:?} {topology:?} {pass:?}");
                assert!(once.1.concat().iter().any(|byte| *byte != FILL), "{way:?} {topology:?}");
            }
        }
    }
}

/// Executes a sequence with an edited plan for its draw.
fn with(
    sequence: &Sequence<'_>,
    edit: impl Fn(&mut Plan),
    execute: impl FnOnce(&Sequence<'_>) -> Executed,
) -> Executed {
    let planned = sequence.items.iter().find_map(|item| match item {
        Item::Draw(planned) => Some(planned),
        _ => None,
    });
    let planned = planned.expect("something is drawn");
    let mut plan = planned.plan.clone();
    edit(&mut plan);
    let edited = PlannedDraw { plan: &plan, ..(**planned).clone() };
    let items = sequence.items.iter().map(|item| match item {
        Item::Draw(_) => Item::Draw(Box::new(edited.clone())),
        other => other.clone(),
    });
    let items = items.collect();
    execute(&Sequence { items, work: sequence.work.clone(), ..*sequence })
}

/// The model and the validation layer detect reads of outputs without a wait.
#[test]
fn outputs_that_are_not_waited_for_are_noticed() {
    let fragment = glsl::fragment(SCENE_PIXELS);
    for (number, (way, device)) in devices().enumerate() {
        let rig = rig(way);
        let pipeline = pipeline(&rig, Topology::TriangleStrip, way, DEAR);
        let hurry = |plan: &mut Plan| {
            for barrier in barriers(plan).flatten() {
                // An empty barrier replaces the wait.
                if barrier.resource == Resource::Outputs {
                    barrier.from.accesses = Accesses::default();
                    barrier.to.accesses = Accesses::default();
                }
                if barrier.resource == Resource::Captured {
                    barrier.to.accesses = Accesses::VERTEX_ATTRIBUTE_READ;
                }
            }
        };
        let state = (&pipeline, true, PassState::Interruptible);
        scene_by(&rig, &fragment, (way, &device), state, |sequence| {
            with(sequence, hurry, |hurried| {
                assert!(!hazards(hurried).is_empty(), "{way:?}");
                // The validation layer checks only the first device, and the model checks all devices.
                if number > 0 {
                    return execute_checked(way.driver, sequence);
                }
                let device = way.driver.device();
                let executed = device.execute(hurried).unwrap_or_else(|error| panic!("{error}"));
                let messages = device.take_messages();
                let is_hazard = |id: &String| id.starts_with("SYNC-HAZARD");
                assert!(messages.iter().any(|one| is_hazard(&one.id)), "{way:?} {messages:?}");
                executed
            })
        });
    }
}

/// If the raster pass runs the original shader instead, the pictures are the same, and only the variants differ.
/// Reloading outputs that were not stored is detected.
#[test]
fn outputs_that_are_not_stored_are_noticed() {
    let fragment = glsl::fragment(SCENE_PIXELS);
    let way = Way {
        driver: Driver::Lavapipe,
        scope: PassScope::Rendering,
        ..ways().nth(2).expect("there is one")
    };
    let device = Device { stores_beside_outputs: false, ..way.device() };
    let rig = rig(way);
    let pipeline = pipeline(&rig, Topology::TriangleStrip, way, DEAR);
    let state = (&pipeline, true, PassState::Interruptible);
    let right = scene(&rig, &fragment, (way, &device), state);
    // Do not store the outputs that the raster pass reloads.
    let not_stored = |plan: &mut Plan| {
        for step in &mut plan.steps {
            if let Step::BindPipeline(bind) = step
                && bind.variant == Variant::SpillOutputs
            {
                bind.variant = Variant::CaptureOnly;
            }
        }
    };
    let wrong = scene_by(&rig, &fragment, (way, &device), state, |sequence| {
        with(sequence, not_stored, |sequence| execute_checked(way.driver, sequence))
    });
    assert!(right.0 != wrong.0);
    assert!(right.1 == wrong.1, "the captured bytes do not depend on it");
}
