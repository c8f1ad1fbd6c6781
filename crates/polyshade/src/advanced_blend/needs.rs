//! The names of the library functions that fixed-function blending and logic operations need.

use super::fixed_function::{Factor, FixedFunctionBlend};
use super::format::FormatClass;
use super::logic::LogicOperation;

/// Adds the functions that fixed-function blending needs.
pub(super) fn fixed_function_needs(
    fixed_function: FixedFunctionBlend,
    names: &mut Vec<&'static str>,
) {
    names.extend(fixed_function.factors().map(Factor::function));
    names
        .extend([fixed_function.color, fixed_function.alpha].map(|term| term.operation.function()));
    names.extend((fixed_function.color != fixed_function.alpha).then_some(COLOR_AND_ALPHA));
}

/// Adds the functions that a logic operation needs.
pub(super) fn logic_needs(
    operation: LogicOperation,
    class: FormatClass,
    names: &mut Vec<&'static str>,
) {
    names.push(operation.function());
    names.extend_from_slice(match class {
        FormatClass::Uint => &[TO_UNSIGNED],
        FormatClass::Sint => &[TO_SIGNED],
        FormatClass::Unorm | FormatClass::Snorm | FormatClass::Srgb | FormatClass::Float => {
            &[TO_STEPS, FROM_STEPS]
        }
    });
}

pub(super) const COLOR_AND_ALPHA: &str = "color_and_alpha";
pub(super) const TO_STEPS: &str = "to_steps";
pub(super) const FROM_STEPS: &str = "from_steps";
pub(super) const TO_UNSIGNED: &str = "to_unsigned";
pub(super) const TO_SIGNED: &str = "to_signed";
