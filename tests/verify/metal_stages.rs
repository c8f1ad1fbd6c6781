//! Position-only variants and distances in MSL, compiled as C++: equal to the original's MSL, and different if the
//! text has a deliberate fault.

use crate::clip::MARKS;
use crate::metal::{are_different, edited, metal};
use crate::stage::{
    CONTROL, FRAGMENT, Step, VERTEX, combined, discarded, emulated, enabled, marked, normalized,
    planes, to_arrays, to_registers,
};
use crate::subject::{difference, equal, reason, vertex};
use crate::{clip, clip_control, clip_fragment, position};
use polyshade::clip_cull::{DistanceKind, UserPlanes};
use polyshade::host::{ParamSource, SideEffects, Value};

use polyshade_tests::sample::sample;
use polyshade_verify::Equal;

#[test]
fn position_only_variants_hand_on_what_the_original_does() {
    for keep in sample(["position", "position location=0", "position location=2"], 3) {
        let case = position::Case::new(vertex(position::SHADER)).keep(keep);
        let equal = equal(keep, case.verify_by(&metal()));
        assert!(equal.words > 1000, "{keep}: {equal:?}");
    }
    let mut stores = position::Case::new(vertex(
        "layout(set = 0, binding = 0) buffer Counted { uint count; };
        layout(location = 0) in vec4 a;
        layout(location = 0) out vec4 v;
        void main() { atomicAdd(count, 1u); v = a; gl_Position = a.yxzw; }",
    ));
    stores.options = stores.options.side_effects(SideEffects::InFirstPass);
    assert!(equal("stores", stores.verify_by(&metal())).words > 0);
}

#[test]
fn a_position_only_text_that_is_broken_is_different() {
    const BROKEN: [&[(&str, &str)]; 2] = [&[(" * 0.200", " * 0.201")], &[(" * 0.5", " * 0.75")]];
    let case = position::Case::new(vertex(position::SHADER));
    // The other variant and the original compute the normal.
    let broken = |edits| edited(|text| !text.contains("normalize("), edits);
    are_different(&BROKEN, broken, |metal| case.verify_by(metal));
}

/// Returns all steps that Metal supports: it has clip distances but no cull distances.
fn steps() -> [(Vec<u32>, Step); 6] {
    let pushed = ParamSource::PushConstant { offset: 0 };
    let clipped = clip::shader(
        "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[3]; };",
        "gl_ClipDistance[0] = b.x; gl_ClipDistance[1] = a.y + 3.0; gl_ClipDistance[2] = b.z;",
    );
    [
        (clip::registers(), clip::to_arrays(marked(&["clip=3", "clip=4.x"], &[]))),
        (clipped.clone(), to_registers(5, None)),
        (clipped.clone(), enabled(Value::Param(pushed), None)),
        (clipped.clone(), emulated(5, None)),
        (clipped.clone(), emulated(5, Some(DistanceKind::Clip))),
        (clip::shader("", ""), planes(UserPlanes { count: 2, params: pushed, vertex: None })),
    ]
}

#[test]
fn vertex_stages_hand_on_the_distances_that_they_are_to() {
    for (number, (words, step)) in sample(steps().iter().enumerate(), 3) {
        let Equal { words, .. } = equal(number, VERTEX.verify_by(&metal(), words, step));
        assert!(words > 1000, "{number}: {words}");
    }
}

#[test]
fn fragment_stages_discard_what_is_clipped() {
    for (declarations, code, step) in [
        ("", "", discarded(6, None, [3, 4])),
        ("in float gl_ClipDistance[8];", "colour.x += gl_ClipDistance[1];", combined(None)),
        // Masks are integers in MSL, and samples have positions.
        (
            "",
            "colour.xy += gl_SamplePosition * float(gl_SampleMaskIn[0]);",
            discarded(6, None, [3, 4]),
        ),
    ] {
        let words = clip_fragment::shader(declarations, code);
        let equal = equal("Metal", FRAGMENT.verify_by(&metal(), &words, &step));
        assert!(equal.pixels > 1000, "{equal:?}");
    }
}

/// Returns a tessellation control stage whose registers become arrays; its inputs are clip distances only.
fn patches() -> (Vec<u32>, Step) {
    let (inputs, outputs) = (marked(&["clip=3", "clip=4.x"], &[]), marked(&MARKS, &[]));
    (clip_control::registers(), normalized(inputs, outputs))
}

/// Kernels that have barriers between invocations that read each other's outputs.
#[test]
fn tessellation_control_stages_hand_on_the_distances_that_they_are_to() {
    let clipped = clip_control::clipped();
    let steps = [
        patches(),
        (clipped.clone(), to_registers(8, None)),
        (clipped, combined(None)),
        (clip_control::registers(), to_arrays(&[])),
    ];
    for (number, (words, step)) in sample(steps.iter().enumerate(), 3) {
        let Equal { words, .. } = equal(number, CONTROL.verify_by(&metal(), words, step));
        assert!(words > 1000, "{number}: {words}");
    }
    // Metal's vertex functions pass no cull distances.
    let verdict = CONTROL.verify_by(&metal(), &clip_control::registers(), &to_arrays(&MARKS));
    let why = reason("Metal", verdict);
    assert!(why.contains("the input `gl_CullDistance` of each vertex"), "{why}");
}

#[test]
fn a_text_of_patches_that_is_broken_is_different() {
    const BROKEN: [&[(&str, &str)]; 6] = [
        // A missing barrier.
        &[("threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);", "")],
        // Read vertices of another patch, and of other invocations of the patch.
        &[(" * spvIndirectParams[0]]", " * spvIndirectParams[1]]")],
        &[("gl_GlobalInvocationID.x % 3;", "gl_GlobalInvocationID.x % 2;")],
        // Exchange per-vertex and per-patch outputs.
        &[
            ("[[buffer(28)]]", "[[buffer(99)]]"),
            ("[[buffer(27)]]", "[[buffer(28)]]"),
            ("[[buffer(99)]]", "[[buffer(27)]]"),
        ],
        &[(" / 3];", " / 4];")],
        &[("gl_ClipDistance[0u] = _", "gl_ClipDistance[3u] = _")],
    ];
    let (words, step) = patches();
    // Only the lowered text has arrays, because the original has registers.
    let broken = |edits| edited(|text| text.contains("gl_ClipDistance[0u] = _"), edits);
    are_different(&BROKEN, broken, |metal| CONTROL.verify_by(metal, &words, &step));
}

/// A distance that is disabled although its plane is enabled, and a distance that does not discard.
#[test]
fn a_text_that_is_broken_is_different() {
    let [_, _, (words, step), ..] = &steps();
    let edits = &[(".enabled & 1u", ".enabled & 2u")];
    let broken = edited(|text| text.contains("polyshade_enabled_planes"), edits);
    println!("{}", difference("Metal", VERTEX.verify_by(&broken, words, step)));

    let words = clip_fragment::shader("", "");
    for edits in [&[("discard_fragment();", ";")][..], &[(">= 0.0", "<= 0.0")]] {
        let broken = edited(|text| text.contains("discard_fragment();"), edits);
        let verdict = FRAGMENT.verify_by(&broken, &words, &discarded(6, None, [2, 0]));
        println!("{}", difference(edits, verdict));
    }
}
