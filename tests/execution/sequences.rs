//! Draws that continue a capture. For polyshade, the host keeps the counters that the native feature keeps in
//! buffers.

use crate::cases::TOPOLOGIES;
use crate::drivers::{DRIVERS, Driver};
use crate::feedback::{Case, native_topology};
use crate::shaders::{INDICES, Varyings};
use crate::storage::Storage;
use polyshade_vulkan::model::BufferLayout;
use polyshade_vulkan::{Captured, Draw, Place, Range, Resource, Stage, TransformFeedback, Work};

const VARYINGS: Varyings =
    Varyings::Interleaved("v_index gl_NextBuffer v_mixed gl_SkipComponents1");

/// Returns a draw of every topology. The buffers have space for only some of the draws.
fn sequence(room: u32) -> Vec<Case> {
    let draw = |(vertices, topology)| Case { room: vec![room; 2], ..Case::new(topology, vertices) };
    (4..).zip(TOPOLOGIES).map(draw).collect()
}

/// Runs the native feature, and returns the feedback buffers, the counters and the counts of each draw.
fn run_native(layout: &[BufferLayout], cases: &[Case]) -> (Vec<Vec<u8>>, Vec<Captured>) {
    let words = INDICES.native(VARYINGS);
    let buffers = cases[0].buffers(layout);
    let ranges = buffers.iter().enumerate().map(|(buffer, b)| Range {
        buffer,
        offset: b.range.start as u64,
        size: b.range.len() as u64,
    });
    let ranges = ranges.collect::<Vec<_>>();
    let counters = Place { buffer: ranges.len(), offset: 0 };
    // Each draw resumes at the counters that the previous one saved.
    let draw = |(index, case): (usize, &Case)| Draw {
        stages: vec![Stage::vertex(&words)],
        topology: native_topology(case.draw.topology),
        transform_feedback: Some(TransformFeedback {
            buffers: ranges.clone(),
            resume: (index > 0).then_some(counters),
            pause: Some(counters),
        }),
        vertices: case.draw.vertices.clone(),
        instances: case.draw.instances.clone(),
        ..Draw::default()
    };
    let mut memories = buffers.iter().map(|buffer| buffer.memory.clone()).collect::<Vec<_>>();
    memories.push(vec![0; 4 * buffers.len()]);
    let draws = cases.iter().enumerate().map(draw).collect();
    let outcome = Driver::Lavapipe.run(&Work { buffers: memories, draws, ..Work::default() });
    (outcome.buffers, outcome.captured.into_iter().flatten().collect())
}

/// Runs polyshade's variants, with all draws in one submission, and returns the same results as `run_native`.
fn run_storage(storage: &Storage, driver: Driver, cases: &[Case]) -> (Vec<Vec<u8>>, Vec<Captured>) {
    let count = storage.layout.len();
    let mut work = Work::default();
    let mut captured = Vec::new();
    let mut reached = vec![0; count];
    for case in cases {
        let case = Case { reached: reached[0] / storage.layout[0].stride, ..case.clone() };
        let mut draw = storage.draw(&storage.words, &case, &storage.host_params(&case), &mut work);
        // All draws capture into the buffers of the first draw.
        for descriptor in &mut draw.descriptors[..count] {
            let Resource::StorageBuffer(range) = &mut descriptor.resource else { continue };
            range.buffer %= count + 1;
        }
        work.draws.push(draw);
        captured.push(storage.counts(&case));
        reached = storage.advance(&case);
    }
    let mut buffers = driver.run(&work).buffers;
    buffers.truncate(count);
    buffers.push(reached.iter().flat_map(|counter| counter.to_ne_bytes()).collect());
    (buffers, captured)
}

#[test]
fn draws_go_on_where_others_stopped() {
    let storage = Storage::new(&INDICES, VARYINGS);
    for room in [100, 40, 23, 9, 3] {
        let cases = sequence(room);
        let native = run_native(&storage.layout, &cases);
        for driver in DRIVERS {
            assert_eq!(run_storage(&storage, driver, &cases), native, "{driver:?} {room}");
        }
    }
}
