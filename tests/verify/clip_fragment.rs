//! Clip and cull distances that fragment stages read: `verify` finds every form equal, and different if it has a
//! deliberate fault.

use crate::stage::{
    FRAGMENT, Step, combined, discarded, kept, lowered, marked, normalized, planes, separate,
    to_registers,
};
use crate::subject::{self, compiled};
use polyshade::clip_cull::{DistanceCounts, DistanceKind, UserPlanes};
use polyshade::host::ParamSource;
use polyshade::spv::{BuiltIn, Decoration, Id};
use polyshade_formats::ShaderStage;
use polyshade_tests::clip::emulate;
use polyshade_verify::DistanceSemantics;

/// Returns a shader with two colours that `code` computes from a smooth and a flat input.
pub(crate) fn shader(declarations: &str, code: &str) -> Vec<u32> {
    let source = format!(
        "layout(location = 0) in vec3 smoothed;
        layout(location = 1) flat in uvec2 number;
        {declarations}
        layout(location = 0) out vec4 colour;
        layout(location = 1) out uint counted;
        void main() {{
            colour = vec4(smoothed, 1.0);
            counted = number.y;
            {code}
        }}"
    );
    compiled(ShaderStage::Fragment, &source)
}

/// Returns a shader with two registers. The second register contains both kinds and an ordinary value.
pub(crate) fn registers() -> Vec<u32> {
    shader(
        "layout(location = 3) in vec4 low;
        layout(location = 4) in vec4 high;",
        "colour += low * 2.0 + vec4(high.x, -high.y, 3.0 * high.z, high.w);
        if (low.y > 0.5) colour.x += low[number.x];",
    )
}

pub(crate) const MARKS: [&str; 3] = ["clip=3", "clip=4.x", "cull=4.yz"];

pub(crate) fn arrays() -> Vec<u32> {
    shader(
        "in float gl_ClipDistance[2];
        in float gl_CullDistance[2];",
        "colour += vec4(gl_ClipDistance[0], gl_ClipDistance[1], 0.0, 0.0);
        if (gl_CullDistance[1] > 0.25) colour.w += gl_CullDistance[number.x % 2u];",
    )
}

/// Checks that the step is equal on both drivers, with nonempty pictures.
#[track_caller]
fn is_drawn(words: &[u32], step: &Step) {
    for equal in FRAGMENT.compared(words, step) {
        assert!(equal.pixels > 1000 && equal.draws == 72, "{equal:?}");
    }
}

pub(crate) fn to_arrays(inputs: DistanceSemantics) -> Step {
    normalized(inputs, DistanceSemantics::default())
}

#[test]
fn registers_become_arrays() {
    is_drawn(&registers(), &to_arrays(marked(&MARKS, &[])));
}

#[test]
fn what_is_linked_numbers() {
    let linked = ["clip=3", "clip=4.x", "cull=4.yzw"];
    is_drawn(&registers(), &to_arrays(marked(&["clip=3.yz", "clip=4.x", "cull=4.z"], &linked)));
}

#[test]
fn arrays_take_other_forms() {
    is_drawn(&arrays(), &to_registers(6, None));
    is_drawn(&arrays(), &to_registers(6, Some([4, 3])));
    is_drawn(&arrays(), &combined(Some([4, 2])));
    let one = shader(
        "in float gl_ClipDistance[5];",
        "for (int i = 0; i < 5; ++i) colour[i % 4] += gl_ClipDistance[i];",
    );
    is_drawn(&one, &separate([4, 1]));
}

#[test]
fn what_the_device_does_not_cut_is_discarded() {
    for counts in [[2, 2], [0, 3], [5, 0], [1, 7]] {
        // The stage need not read the distances.
        is_drawn(&shader("", ""), &discarded(6, None, counts));
    }
    is_drawn(&arrays(), &discarded(6, None, [2, 2]));
    for words in [arrays(), shader("", "")] {
        is_drawn(&words, &discarded(6, Some(DistanceKind::Clip), [2, 2]));
    }
}

#[test]
fn a_kind_that_is_mistaken() {
    let step = to_arrays(marked(&["clip=3", "cull=4.xyz"], &[]));
    let step = step.but_done(to_arrays(marked(&["cull=3", "clip=4.xyz"], &[])));
    let found = FRAGMENT.difference(&registers(), &step);
    assert!(found.message.contains("it must not read gl_CullDistance[3]"), "{found}");
}

#[test]
fn another_order() {
    let other = ["clip=3.yzw", "clip=4.xy"];
    let step = to_arrays(marked(&["clip=3", "clip=4.x"], &[]));
    let found =
        FRAGMENT.difference(&registers(), &step.but_done(to_arrays(marked(&other, &other))));
    assert_eq!(found.message, "the images differ", "{found}");
}

#[test]
fn what_is_not_discarded() {
    for counts in [[0, 2], [2, 0]] {
        let step = discarded(6, None, counts).but_done(kept());
        let found = FRAGMENT.difference(&shader("", ""), &step);
        assert_eq!(found.message, "the images differ", "{found}");
        assert!(found.pixel.is_some() && found.draw.is_some(), "{found}");
    }
}

/// A distance of 0 everywhere is inside, as for disabled planes. A distance of nearly 0 may be outside.
#[test]
fn distances_that_are_0_or_nearly_0() {
    let words = shader("", "");
    let lowered = lowered(&words, emulate(6, Some(DistanceCounts { clip: 2, cull: 0 })));
    let strict = |line: &str| {
        let is_it = line.contains("OpFOrdGreaterThanEqual");
        is_it.then(|| line.replace("ThanEqual", "Than"))
    };
    let nearly = |line: &str| match line.trim() {
        "%float = OpTypeFloat 32" => Some(format!("{line}\n%little = OpConstant %float -0.01")),
        line if line.contains("OpFOrdGreaterThanEqual") => {
            Some(line.replace("%float_0", "%little"))
        }
        _ => None,
    };
    for other in [subject::edited(&lowered, strict), subject::edited(&lowered, nearly)] {
        let step = discarded(6, None, [2, 0]).but_made(other);
        let found = FRAGMENT.difference(&words, &step);
        assert_eq!(found.message, "the images differ", "{found}");
    }
}

#[test]
fn colours_that_are_wrong_where_nothing_is_cut() {
    let darker = shader("", "colour *= 0.5;");
    for counts in [[0, 1], [2, 0]] {
        let step = discarded(6, None, counts).but_from(darker.clone());
        let found = FRAGMENT.difference(&shader("", ""), &step);
        assert_eq!(found.message, "the images differ", "{found}");
    }
}

/// An index outside an array of descriptors is undefined behaviour.
#[test]
fn integers_that_choose_descriptors_stay_in_the_array() {
    let words = shader(
        "layout(set = 1, binding = 0) uniform texture2D textures[2];
        layout(set = 2, binding = 0) uniform sampler filtered;",
        "colour += texture(sampler2D(textures[number.x], filtered), smoothed.xy);",
    );
    is_drawn(&words, &discarded(6, Some(DistanceKind::Clip), [2, 1]));
}

#[test]
fn distances_that_are_declared_and_not_read_are_none() {
    is_drawn(&shader("in float gl_ClipDistance[4];", ""), &discarded(6, None, [2, 1]));
}

#[test]
fn what_no_device_is_handed_says_nothing() {
    let words = ParamSource::PushConstant { offset: 0 };
    let of_output = planes(UserPlanes { count: 1, params: words, vertex: Some(2) });
    let many = to_registers(6, Some([4_000_000_000, 0]));
    for (step, reason) in
        [(many, "are more than the supported 8"), (of_output, "do not apply to fragment stages")]
    {
        FRAGMENT.is_not_comparable(&shader("", ""), &step.but_done(kept()), reason);
    }
}

#[test]
fn arrays_without_perspective_say_nothing() {
    let words = shader("in float gl_ClipDistance[2];", "colour.x += gl_ClipDistance[1];");
    let words = subject::rewritten(&words, |m, p| {
        let is_array = |id: &Id| m.builtin(*id) == Some(BuiltIn::CLIP_DISTANCE);
        let array = m.variables().map(|one| one.result()).find(is_array);
        p.decorate(array.expect("it is declared"), Decoration::NO_PERSPECTIVE, &[]);
        Ok(())
    });
    FRAGMENT.is_not_comparable(&words, &to_registers(6, None), "`noperspective`");
}

#[test]
fn shaders_that_draw_nothing_say_nothing() {
    FRAGMENT.is_not_comparable(&shader("", "discard;"), &kept(), "draws no pixel of the scene");
}
