//! Numbers that select no equation, and alpha-to-one at one location. `verify` reports a difference if another
//! equation or location is affected.

use super::{Case, fragment, shader};
use crate::subject;
use polyshade::advanced_blend::Equation;

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
    let (opaque, options) = (two("1.0"), case.options());
    assert_ne!(case.words, opaque);
    case = case.replaced_by(&opaque, &options, |lowered| lowered);
    assert_eq!(case.difference(&case.options()).message, "exclusion gives a different result");
}

/// A number without an equation must not select an equation, and all bits of the number count.
#[test]
fn a_word_that_means_an_equation_though_none_was_asked_for() {
    let case = Case::new(shader(), &[Equation::Multiply, Equation::Screen]);
    let low_bits = |line: &str| match line.trim().split_once(" = OpLoad %uint ") {
        Some((id, from)) if from != "%v_id" => {
            Some(format!("%whole = OpLoad %uint {from}\n{id} = OpBitwiseAnd %uint %whole %low"))
        }
        _ if line.trim() == "%uint = OpTypeInt 32 0" => {
            Some(format!("{line}\n%low = OpConstant %uint 255"))
        }
        _ => None,
    };
    let more = [Equation::Multiply, Equation::Screen, Equation::SoftLight];
    let more = Case::new(Vec::new(), &more).options();
    for given in [
        case.clone().replaced_by(&case.words, &more, |lowered| lowered),
        case.clone().replaced_by(&case.words, &case.options(), |lowered| {
            subject::edited(&lowered, low_bits)
        }),
    ] {
        let found = given.difference(&case.options());
        assert_eq!(found.message, "the written colour is not the source colour", "{found}");
    }
}
