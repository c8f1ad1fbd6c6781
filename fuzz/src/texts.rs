//! Tests options and states of plans as JSON texts in which a few characters are changed.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all pointers are to values of the same function"
)]

use crate::ffi::{ask, given, hash, with_target, zeros};
use crate::plans;
use polyshade_capi::lower::*;
use polyshade_capi::module::*;
use polyshade_capi::options::*;
use polyshade_capi::result::*;
use polyshade_testing::Choices;
use std::ffi::CString;
use std::ptr::null;

/// The unchanged JSON of every kind of options, and of states of plans.
const TEXTS: [(u32, &str); 15] = [
    (
        1,
        r#"{"variants":["both","raster_only"],"options":{"varyings":{"separate":[{"name":"v_position"}]}}}"#,
    ),
    (
        2,
        r#"{"varyings":{"stream_output":[[{"varying":{"name":"v_color"},"slot":1}],[0,16]]},"allow_duplicates":true}"#,
    ),
    (
        3,
        r#"{"attributes":{"0":{"buffer":0,"offset":null,"format":"r32_sfloat"}},
            "buffers":{"0":{"stride":4,"rate":"vertex"}}}"#,
    ),
    (4, r#"{"keep":["position",{"location":1}],"precise":true}"#),
    (5, r#"{"depth":{"param":{"push_constant":{"offset":64}}},"rotation":{"fixed":"half"}}"#),
    (7, r#"{"targets":{"0":{"blending":{"equations":["multiply"]},"overlap":"disjoint"}}}"#),
    (8, r#"{"steps":[{"normalize":{"outputs":["clip=1.xy"]}},{"combine":{"clip":2}}]}"#),
    (8, r#"{"steps":[{"mask":{"enabled":{"fixed":3},"keep_original_at":4}}]}"#),
    (8, r#"{"steps":[{"user_planes":{"count":2,"params":{"uniform":{"set":1,"binding":2}}}}]}"#),
    (
        8,
        r#"{"steps":[{"separate":{"clip":2}},
            {"to_registers":{"inputs":3,"outputs":4,"signature":{"clip":2,"cull":1}}}]}"#,
    ),
    (
        8,
        r#"{"steps":[{"emulate":{"emulated":"cull","location":3,"signature":{"clip":2,"cull":3}}}]}"#,
    ),
    (8, r#"{"steps":[{"clip_in_geometry":{"keep_at":3,"generate":"lines","provoking":"last"}}]}"#),
    (
        9,
        r#"{"normalize":{},"masks":{"enabled":{"fixed":1},"keep_original":true},
            "clip_space":{},"rasterizer_discard":{"when":{"fixed":true}}}"#,
    ),
    (0, include_str!("../../examples/plans/resumed-strip.json")),
    (0, include_str!("../../examples/plans/multiply.json")),
];

/// Changes a few characters in one of the texts, and uses it with one of the seeds.
pub fn texts(choices: &mut Choices) {
    let words = &crate::SEEDS[choices.below(crate::SEEDS.len() as u32) as usize];
    let module = given(|module, error| unsafe {
        polyshade_module_parse(words.as_ptr(), words.len(), module, error)
    });
    let (kind, text) = choices.of(&TEXTS);
    let changed = broken(text, choices);
    let is_whole = changed == text.as_bytes();
    let text = CString::new(changed).expect("the text has no NUL bytes");
    // Kind 0 is a state of a plan. All other kinds are options. An unchanged text must be accepted.
    if kind == 0 {
        let made = plans::make(&text, choices);
        assert!(made || !is_whole, "{text:?} is a state");
    }
    with_target(module, choices, |target, choices| {
        let mut json = zeros!(polyshade_json_options, POLYSHADE_OPTIONS_JSON);
        (json.of, json.json) = (kind, text.as_ptr());
        let result = given(|result, error| unsafe {
            polyshade_lower(module, target, &json.base, result, error)
        });
        let hash = hash(&json.base, null());
        assert!(kind == 0 || hash.is_some() || !is_whole, "{text:?} are options");
        ask(result, choices);
        unsafe { polyshade_result_release(result) };
    });
    unsafe { polyshade_module_release(module) };
}

pub(crate) fn broken(text: &str, choices: &mut Choices) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    for _ in 0..choices.below(4) {
        let at = choices.below(text.len() as u32) as usize;
        match choices.below(4) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, choices.of(b"{}[]\",:0179-\\n")),
            2 => text[at] = choices.of(b"{}[]\",:0179e\xff"),
            _ if text[at].is_ascii_digit() => {
                let number = choices.word().to_string();
                drop(text.splice(at..=at, number.bytes()));
            }
            _ => {}
        }
        if text.is_empty() {
            break;
        }
    }
    text
}
