//! Names and numbers of the equations.

use super::names::blend_names;

/// The form of the colours that an equation's function in `library/blend.glsl` takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Colours that are not multiplied by alpha, with the weights of the overlap mode.
    Weighted,
    /// Premultiplied colours without weights.
    Premultiplied,
}

pub(super) const FORMS: [Form; 2] = [Form::Weighted, Form::Premultiplied];

blend_names! {
    /// An equation of `VK_EXT_blend_operation_advanced`, in the order of `VkBlendOp`.
    Equation: "blend equation", ["vk-blend-op-"], "blend_" {
        Zero "zero" zero, Src "src" src, Dst "dst" dst, SrcOver "src-over" src_over,
        DstOver "dst-over" dst_over, SrcIn "src-in" src_in, DstIn "dst-in" dst_in, SrcOut "src-out" src_out,
        DstOut "dst-out" dst_out, SrcAtop "src-atop" src_atop, DstAtop "dst-atop" dst_atop, Xor "xor" xor,
        Multiply "multiply" multiply, Screen "screen" screen, Overlay "overlay" overlay,
        Darken "darken" darken, Lighten "lighten" lighten, ColorDodge "colordodge" colordodge,
        ColorBurn "colorburn" colorburn, HardLight "hardlight" hardlight, SoftLight "softlight" softlight,
        Difference "difference" difference, Exclusion "exclusion" exclusion, Invert "invert" invert,
        InvertRgb "invert-rgb" invert_rgb, LinearDodge "lineardodge" lineardodge,
        LinearBurn "linearburn" linearburn, VividLight "vividlight" vividlight,
        LinearLight "linearlight" linearlight, PinLight "pinlight" pinlight, HardMix "hardmix" hardmix,
        HslHue "hsl-hue" hsl_hue, HslSaturation "hsl-saturation" hsl_saturation,
        HslColor "hsl-color" hsl_color, HslLuminosity "hsl-luminosity" hsl_luminosity, Plus "plus" plus,
        PlusClamped "plus-clamped" plus_clamped, PlusClampedAlpha "plus-clamped-alpha" plus_clamped_alpha,
        PlusDarker "plus-darker" plus_darker, Minus "minus" minus, MinusClamped "minus-clamped" minus_clamped,
        Contrast "contrast" contrast, InvertOvg "invert-ovg" invert_ovg, Red "red" red, Green "green" green,
        Blue "blue" blue,
    }
}

/// `VK_BLEND_OP_ZERO_EXT`.
const FIRST_BLEND_OP: i32 = 1_000_148_000;

impl Equation {
    /// The 15 equations of `KHR_blend_equation_advanced`, which every implementation of that extension supports.
    pub const KHR: [Self; 15] = [
        Self::Multiply,
        Self::Screen,
        Self::Overlay,
        Self::Darken,
        Self::Lighten,
        Self::ColorDodge,
        Self::ColorBurn,
        Self::HardLight,
        Self::SoftLight,
        Self::Difference,
        Self::Exclusion,
        Self::HslHue,
        Self::HslSaturation,
        Self::HslColor,
        Self::HslLuminosity,
    ];

    pub(super) fn form(self) -> Form {
        if self < Self::Plus { Form::Weighted } else { Form::Premultiplied }
    }

    /// Returns the selector value of the equation: 1 to 46, in the order of `VkBlendOp`. The value 0, and the values
    /// of equations that the options do not list, pass the source through.
    pub fn word(self) -> u32 {
        self as u32 + 1
    }

    /// Returns the `VkBlendOp`.
    pub fn blend_op(self) -> i32 {
        FIRST_BLEND_OP + self as i32
    }

    /// Returns the equation with this `VkBlendOp`.
    pub fn from_blend_op(value: i32) -> Option<Self> {
        let index = usize::try_from(value.checked_sub(FIRST_BLEND_OP)?).ok()?;
        Self::ALL.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_vulkan() {
        assert_eq!(Equation::Zero.blend_op(), 1_000_148_000);
        assert_eq!(Equation::Multiply.blend_op(), 1_000_148_012);
        assert_eq!(Equation::HslHue.blend_op(), 1_000_148_031);
        assert_eq!(Equation::Blue.blend_op(), 1_000_148_045);
        for equation in Equation::ALL {
            assert_eq!(Equation::from_blend_op(equation.blend_op()), Some(equation));
        }
        for other in [0, 4, 1_000_147_999, 1_000_148_046, i32::MIN] {
            assert_eq!(Equation::from_blend_op(other), None);
        }
    }

    #[test]
    fn names_are_read_as_apis_write_them() {
        for (text, equation) in [
            ("multiply", Equation::Multiply),
            ("HSL_HUE_KHR", Equation::HslHue),
            ("VK_BLEND_OP_PLUS_CLAMPED_ALPHA_EXT", Equation::PlusClampedAlpha),
        ] {
            assert_eq!(text.parse(), Ok(equation));
        }
        for equation in Equation::ALL {
            assert_eq!(equation.name().parse(), Ok(equation));
        }
        assert!("divide".parse::<Equation>().is_err());
    }
}
