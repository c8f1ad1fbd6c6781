//! Compares lavapipe's transform feedback with the model. The model is the oracle if no driver can be.

use crate::cases::{ADJACENCY, TOPOLOGIES, all, shapes};
use crate::feedback::{Case, run_native};
use crate::memory::bytes;
use crate::shaders::{INDICES, Varyings};
use polyshade_vulkan::model::Value;

const TWO_BUFFERS: Varyings =
    Varyings::Interleaved("v_index gl_NextBuffer gl_SkipComponents1 v_mixed gl_SkipComponents2");

/// Returns the outputs of `INDICES`.
fn indices(vertex: u32, instance: u32) -> Vec<Value> {
    let mixed = [vertex * 1000 + 7, instance * 1000 + 8, vertex * 1000 + 9];
    vec![
        Value { buffer: 0, offset: 0, bytes: bytes(&[vertex, instance]) },
        Value { buffer: 1, offset: 4, bytes: bytes(&mixed) },
    ]
}

#[track_caller]
fn model_is_native(cases: &[Case]) {
    let layout = INDICES.layout(TWO_BUFFERS);
    let native = run_native(&INDICES, TWO_BUFFERS, cases);
    assert_eq!(native.len(), cases.len());
    for (case, native) in cases.iter().zip(native) {
        assert_eq!(case.model(&layout, indices), native, "{case:?}");
    }
}

#[test]
fn order_and_overflow_are_native() {
    model_is_native(&all(&TOPOLOGIES));
}

#[test]
fn order_with_adjacency_is_native() {
    model_is_native(&shapes(&ADJACENCY));
}
