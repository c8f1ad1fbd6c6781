//! Numbers that select no equation, and alpha-to-one at one location. `verify` reports a difference if another
//! equation or location is affected.

use super::{Case, fragment, shader};
use crate::subject;
use polyshade::advanced_blend::{self, Equation};
use polyshade_verify::Part;

/// Alpha-to-one applies to location 0 only.
#[test]
fn alpha_that_is_one_at_another_location() {
    let two = |other: &str| {
        fragment(&format!(
            "layout(location = 0) in vec4 i;
            layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
            void main() {{ a = vec4(i.rgb * i.a, i.a); b = vec4(i.gbr * i.a, {other}); }}"
        ))
    };
    let of = |words| Case { alpha_to_one: true, ..Case::new(words, &[Equation::Exclusion]) };
    let mut case = of(two("i.a"));
    case.is_equal();
    let module = subject::initialised(&case.words);
    let opaque = subject::initialised(&two("1.0"));
    assert_ne!(module.words(), opaque.words());
    let lowered = advanced_blend::lower(&opaque, "main", &case.options()).unwrap().module;
    case.given = vec![(Part::Lowered, lowered.into_words())];
    assert_eq!(case.difference(&case.options()).message, "exclusion gives a different result");
}

/// A number without an equation must not select an equation, and all bits of the number count.
#[test]
fn a_word_that_means_an_equation_though_none_was_asked_for() {
    let case = Case::new(shader(), &[Equation::Multiply, Equation::Screen]);
    let module = subject::initialised(&case.words);
    let lowered = |equations: &[Equation]| {
        let options = Case::new(Vec::new(), equations).options();
        advanced_blend::lower(&module, "main", &options).unwrap().module.into_words()
    };
    let more = lowered(&[Equation::Multiply, Equation::Screen, Equation::SoftLight]);
    let low_bits = |line: &str| match line.trim().split_once(" = OpLoad %uint ") {
        Some((id, from)) if from != "%v_id" => {
            Some(format!("%whole = OpLoad %uint {from}\n{id} = OpBitwiseAnd %uint %whole %low"))
        }
        _ if line.trim() == "%uint = OpTypeInt 32 0" => {
            Some(format!("{line}\n%low = OpConstant %uint 255"))
        }
        _ => None,
    };
    let masked = subject::edited(&lowered(&[Equation::Multiply, Equation::Screen]), low_bits);
    for other in [more, masked] {
        let given = Case { given: vec![(Part::Lowered, other)], ..case.clone() };
        let found = given.difference(&case.options());
        assert_eq!(found.message, "the written colour is not the source colour", "{found}");
    }
}
