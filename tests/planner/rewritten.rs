//! Draws with topologies that an API lacks, for which the host generates indices.

use crate::states::{anew, byte_count, pipeline};
use polyshade_planner::{
    self as planner, Active, Begin, ByteCount, Call, Counter, Device, Draw, DrawCall, End,
    Feedback, PassState, Path, Pipeline, Preset, Step, Topology,
};

fn calls(device: &Device, pipeline: &Pipeline, draw: &Draw) -> Vec<DrawCall> {
    let plan = planner::plan(device, pipeline, draw).expect("it has a plan");
    let calls = plan.steps.iter().filter_map(|step| match step {
        Step::Draw(call) => Some(*call),
        _ => None,
    });
    calls.collect()
}

fn fan() -> Pipeline {
    Pipeline { topology: Topology::TriangleFan, ..pipeline() }
}

/// The host computes the vertex count of a rewritten draw as for any other topology.
#[test]
fn the_host_counts_what_it_rewrites() {
    let counter = Counter { buffer: 3, offset: 0 };
    let count = ByteCount { counter_offset: 4, ..byte_count(Path::Storage, counter) };
    let draw = Draw { call: Call::ByteCount(count), ..Draw::default() };
    let metal = Device::from(Preset::Metal);
    let [DrawCall::Rewritten(Some(counted))] = calls(&metal, &fan(), &draw)[..] else {
        panic!("it is rewritten, and counted")
    };
    assert_eq!((counted.counter.buffer, counted.offset, counted.stride), (3, 4, 16));
    assert_eq!(calls(&metal, &fan(), &Draw::default()), [DrawCall::Rewritten(None)]);
    // A captured draw needs the count for the capture and for the raster pass.
    let captured = Draw { feedback: anew().feedback, ..draw };
    let both = [DrawCall::CountedByHost(counted), DrawCall::Rewritten(Some(counted))];
    assert_eq!(calls(&metal, &fan(), &captured), both);
}

/// A draw in an active capture uses the previous draw's pipeline, and therefore the same kind of indices.
#[test]
fn a_running_capture_is_rewritten_as_it_began() {
    let device = Device { triangle_fans: false, ..Preset::Vulkan.into() };
    for (begin, end) in [(Begin::Anew, End::Running), (Begin::Running, End::Forget)] {
        let Feedback::Active(active) = anew().feedback else { panic!("it is active") };
        let feedback = Feedback::Active(Active { begin, end, ..active });
        let draw = Draw { pass: PassState::Interruptible, feedback, ..Draw::default() };
        assert_eq!(calls(&device, &fan(), &draw), [DrawCall::Rewritten(None)]);
    }
}
