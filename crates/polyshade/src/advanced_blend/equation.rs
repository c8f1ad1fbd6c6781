//! The equations by their names and numbers.

use crate::code;
use polyshade_spv::Error;
use std::fmt;
use std::str::FromStr;

/// What an equation's function in `library/blend.glsl` takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Colours without their alpha in them, and the weights of the overlap mode.
    Weighted,
    /// Premultiplied colours.
    Premultiplied,
}

pub(super) const FORMS: [Form; 2] = [Form::Weighted, Form::Premultiplied];

macro_rules! equations {
    ($($equation:ident $name:literal $function:literal $form:ident,)*) => {
        /// An equation of `VK_EXT_blend_operation_advanced`, in the order of `VkBlendOp`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
        #[allow(missing_docs)]
        pub enum Equation { $($equation,)* }

        impl Equation {
            /// All 46, in the order of `VkBlendOp`.
            pub const ALL: [Self; 46] = [$(Self::$equation,)*];

            /// The name, as `VkBlendOp` has it: `multiply`, `hsl-hue`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$equation => $name,)* }
            }

            /// Its function in the library.
            pub(super) fn function(self) -> &'static str {
                match self { $(Self::$equation => $function,)* }
            }

            pub(super) fn form(self) -> Form {
                match self { $(Self::$equation => Form::$form,)* }
            }
        }
    };
}

equations! {
    Zero "zero" "blend_zero" Weighted,
    Src "src" "blend_src" Weighted,
    Dst "dst" "blend_dst" Weighted,
    SrcOver "src-over" "blend_src_over" Weighted,
    DstOver "dst-over" "blend_dst_over" Weighted,
    SrcIn "src-in" "blend_src_in" Weighted,
    DstIn "dst-in" "blend_dst_in" Weighted,
    SrcOut "src-out" "blend_src_out" Weighted,
    DstOut "dst-out" "blend_dst_out" Weighted,
    SrcAtop "src-atop" "blend_src_atop" Weighted,
    DstAtop "dst-atop" "blend_dst_atop" Weighted,
    Xor "xor" "blend_xor" Weighted,
    Multiply "multiply" "blend_multiply" Weighted,
    Screen "screen" "blend_screen" Weighted,
    Overlay "overlay" "blend_overlay" Weighted,
    Darken "darken" "blend_darken" Weighted,
    Lighten "lighten" "blend_lighten" Weighted,
    ColorDodge "colordodge" "blend_colordodge" Weighted,
    ColorBurn "colorburn" "blend_colorburn" Weighted,
    HardLight "hardlight" "blend_hardlight" Weighted,
    SoftLight "softlight" "blend_softlight" Weighted,
    Difference "difference" "blend_difference" Weighted,
    Exclusion "exclusion" "blend_exclusion" Weighted,
    Invert "invert" "blend_invert" Weighted,
    InvertRgb "invert-rgb" "blend_invert_rgb" Weighted,
    LinearDodge "lineardodge" "blend_lineardodge" Weighted,
    LinearBurn "linearburn" "blend_linearburn" Weighted,
    VividLight "vividlight" "blend_vividlight" Weighted,
    LinearLight "linearlight" "blend_linearlight" Weighted,
    PinLight "pinlight" "blend_pinlight" Weighted,
    HardMix "hardmix" "blend_hardmix" Weighted,
    HslHue "hsl-hue" "blend_hsl_hue" Weighted,
    HslSaturation "hsl-saturation" "blend_hsl_saturation" Weighted,
    HslColor "hsl-color" "blend_hsl_color" Weighted,
    HslLuminosity "hsl-luminosity" "blend_hsl_luminosity" Weighted,
    Plus "plus" "blend_plus" Premultiplied,
    PlusClamped "plus-clamped" "blend_plus_clamped" Premultiplied,
    PlusClampedAlpha "plus-clamped-alpha" "blend_plus_clamped_alpha" Premultiplied,
    PlusDarker "plus-darker" "blend_plus_darker" Premultiplied,
    Minus "minus" "blend_minus" Premultiplied,
    MinusClamped "minus-clamped" "blend_minus_clamped" Premultiplied,
    Contrast "contrast" "blend_contrast" Premultiplied,
    InvertOvg "invert-ovg" "blend_invert_ovg" Premultiplied,
    Red "red" "blend_red" Premultiplied,
    Green "green" "blend_green" Premultiplied,
    Blue "blue" "blend_blue" Premultiplied,
}

/// `VK_BLEND_OP_ZERO_EXT`.
const FIRST_BLEND_OP: i32 = 1_000_148_000;

impl Equation {
    /// The 15 of `KHR_blend_equation_advanced`, which every implementation has.
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

    /// The word by which the host selects it: 1 to 46, in the order of `VkBlendOp`. 0, like every word that is no
    /// declared equation's, passes the source through.
    pub fn word(self) -> u32 {
        self as u32 + 1
    }

    /// Its value as a `VkBlendOp`.
    pub fn blend_op(self) -> i32 {
        FIRST_BLEND_OP + self as i32
    }

    /// The equation with this value as a `VkBlendOp`.
    pub fn from_blend_op(value: i32) -> Option<Self> {
        let index = usize::try_from(value.checked_sub(FIRST_BLEND_OP)?).ok()?;
        Self::ALL.get(index).copied()
    }
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// By the name, in upper or lower case; also as Vulkan and OpenGL write it: `VK_BLEND_OP_HSL_HUE_EXT`, `HSL_HUE_KHR`.
impl FromStr for Equation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let name = text.trim().to_ascii_lowercase().replace('_', "-");
        let name = name.strip_prefix("vk-blend-op-").unwrap_or(&name);
        let name = ["-ext", "-khr"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let found = Self::ALL.into_iter().find(|equation| equation.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|equation| equation.name()).collect();
            Error::new(&code::BLEND_UNKNOWN_NAME, format!("there is no blend equation `{text}`"))
                .help(format!("there are: {}", names.join(", ")))
        })
    }
}

impl TryFrom<String> for Equation {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Equation> for String {
    fn from(value: Equation) -> Self {
        value.to_string()
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
