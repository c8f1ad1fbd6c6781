//! Ordinary blending: factors and operations by their names and numbers.

use crate::code;
use polyshade_spv::Error;
use std::fmt;
use std::str::FromStr;

macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $all:literal, $what:literal, $prefixes:expr,
     $($member:ident $name:literal $function:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[allow(missing_docs)]
        pub enum $type { $(#[cfg_attr(feature = "serde", serde(rename = $name))] $member,)* }

        impl $type {
            /// All of them, in the order of Vulkan.
            pub const ALL: [Self; $all] = [$(Self::$member,)*];

            /// The name, as Vulkan has it, in lower case with hyphens.
            pub fn name(self) -> &'static str {
                match self { $(Self::$member => $name,)* }
            }

            /// Its function in the library.
            pub(super) fn function(self) -> &'static str {
                match self { $(Self::$member => $function,)* }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        /// By the name, in upper or lower case; also as Vulkan writes it.
        impl FromStr for $type {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                let name = text.trim().to_ascii_lowercase().replace('_', "-");
                let prefixes: &[&str] = &$prefixes;
                let name = prefixes.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(&name);
                Self::ALL.into_iter().find(|one| one.name() == name).ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|one| one.name()).collect();
                    Error::new(&code::BLEND_UNKNOWN_NAME, format!(concat!("there is no ", $what, " `{}`"), text))
                        .help(format!("there are: {}", names.join(", ")))
                })
            }
        }
    };
}

named! {
    /// What a colour is multiplied by, in the order of `VkBlendFactor`.
    Factor, 19, "blend factor", ["vk-blend-factor-"],
    Zero "zero" "factor_zero",
    One "one" "factor_one",
    SrcColor "src-color" "factor_src_color",
    OneMinusSrcColor "one-minus-src-color" "factor_one_minus_src_color",
    DstColor "dst-color" "factor_dst_color",
    OneMinusDstColor "one-minus-dst-color" "factor_one_minus_dst_color",
    SrcAlpha "src-alpha" "factor_src_alpha",
    OneMinusSrcAlpha "one-minus-src-alpha" "factor_one_minus_src_alpha",
    DstAlpha "dst-alpha" "factor_dst_alpha",
    OneMinusDstAlpha "one-minus-dst-alpha" "factor_one_minus_dst_alpha",
    ConstantColor "constant-color" "factor_constant_color",
    OneMinusConstantColor "one-minus-constant-color" "factor_one_minus_constant_color",
    ConstantAlpha "constant-alpha" "factor_constant_alpha",
    OneMinusConstantAlpha "one-minus-constant-alpha" "factor_one_minus_constant_alpha",
    SrcAlphaSaturate "src-alpha-saturate" "factor_src_alpha_saturate",
    Src1Color "src1-color" "factor_src1_color",
    OneMinusSrc1Color "one-minus-src1-color" "factor_one_minus_src1_color",
    Src1Alpha "src1-alpha" "factor_src1_alpha",
    OneMinusSrc1Alpha "one-minus-src1-alpha" "factor_one_minus_src1_alpha",
}

named! {
    /// What is done with both colours, in the order of `VkBlendOp`.
    Operation, 5, "blend operation", ["vk-blend-op-"],
    Add "add" "combine_add",
    Subtract "subtract" "combine_subtract",
    ReverseSubtract "reverse-subtract" "combine_reverse_subtract",
    Min "min" "combine_min",
    Max "max" "combine_max",
}

impl Factor {
    /// Its value as a `VkBlendFactor`.
    pub fn blend_factor(self) -> i32 {
        self as i32
    }

    /// Whether it is made of the second source: the shader's output with `Index` 1.
    pub fn is_of_second_source(self) -> bool {
        self >= Self::Src1Color
    }

    /// Whether it is made of the blend constants.
    pub fn is_of_constants(self) -> bool {
        (Self::ConstantColor..=Self::OneMinusConstantAlpha).contains(&self)
    }
}

impl Operation {
    /// Its value as a `VkBlendOp`.
    pub fn blend_op(self) -> i32 {
        self as i32
    }

    /// Whether it looks at the factors: the least and the greatest do not.
    pub fn has_factors(self) -> bool {
        match self {
            Self::Add | Self::Subtract | Self::ReverseSubtract => true,
            Self::Min | Self::Max => false,
        }
    }
}

/// What becomes of the colour, or of alpha: `operation` of the source times `source` and the destination times
/// `destination`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Term {
    /// What the source is multiplied by.
    pub source: Factor,
    /// What the destination is multiplied by.
    pub destination: Factor,
    /// What is done with both.
    pub operation: Operation,
}

impl Term {
    /// The sum of both colours times their factors.
    pub fn add(source: Factor, destination: Factor) -> Self {
        Self { source, destination, operation: Operation::Add }
    }

    /// The factors that matter.
    pub(super) fn factors(self) -> impl Iterator<Item = Factor> {
        let both = self.operation.has_factors().then_some([self.source, self.destination]);
        both.into_iter().flatten()
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.source, self.destination, self.operation)
    }
}

/// Ordinary blending of a target, as `VkPipelineColorBlendAttachmentState` has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct Ordinary {
    /// What becomes of red, green and blue.
    pub color: Term,
    /// What becomes of alpha.
    pub alpha: Term,
}

impl Ordinary {
    /// Red, green, blue and alpha alike.
    pub fn both(term: Term) -> Self {
        Self { color: term, alpha: term }
    }

    /// The factors that its operations use: `min` and `max` use none.
    pub fn factors(self) -> impl Iterator<Item = Factor> {
        self.color.factors().chain(self.alpha.factors())
    }
}

impl fmt::Display for Ordinary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.color.fmt(f)?;
        if self.alpha != self.color { write!(f, "/{}", self.alpha) } else { Ok(()) }
    }
}

/// `SOURCE,DESTINATION[,OPERATION]`, of alpha behind a slash where it differs:
/// `src-alpha,one-minus-src-alpha/one,zero`. Without an operation it is `add`.
impl FromStr for Ordinary {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let term = |text: &str| -> Result<Term, Error> {
            let parts: Vec<&str> = text.split(',').collect();
            let (source, destination, operation) = match parts.as_slice() {
                [source, destination] => (source, destination, Operation::Add),
                [source, destination, operation] => (source, destination, operation.parse()?),
                _ => {
                    let message = format!(
                        "`{text}` is not SOURCE,DESTINATION or SOURCE,DESTINATION,OPERATION"
                    );
                    return Err(Error::new(&code::BLEND_INVALID_EXPRESSION, message)
                        .help("as src-alpha,one-minus-src-alpha; alpha's behind a slash, where it differs"));
                }
            };
            Ok(Term { source: source.parse()?, destination: destination.parse()?, operation })
        };
        match text.split_once('/') {
            Some((color, alpha)) => Ok(Self { color: term(color)?, alpha: term(alpha)? }),
            None => term(text).map(Self::both),
        }
    }
}

impl TryFrom<String> for Ordinary {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Ordinary> for String {
    fn from(value: Ordinary) -> Self {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_vulkan() {
        assert_eq!(Factor::Zero.blend_factor(), 0);
        assert_eq!(Factor::ConstantColor.blend_factor(), 10);
        assert_eq!(Factor::SrcAlphaSaturate.blend_factor(), 14);
        assert_eq!(Factor::OneMinusSrc1Alpha.blend_factor(), 18);
        assert_eq!(Operation::Max.blend_op(), 4);
        let count = |is: fn(Factor) -> bool| Factor::ALL.into_iter().filter(|one| is(*one)).count();
        assert_eq!(count(Factor::is_of_second_source), 4);
        assert_eq!(count(Factor::is_of_constants), 4);
    }

    #[test]
    fn blending_is_read_as_it_is_written() {
        let over = Term::add(Factor::SrcAlpha, Factor::OneMinusSrcAlpha);
        assert_eq!("src-alpha,one-minus-src-alpha".parse(), Ok(Ordinary::both(over)));
        let most = Term { operation: Operation::Max, ..Term::add(Factor::One, Factor::One) };
        let both = Ordinary { color: over, alpha: most };
        assert_eq!(
            "SRC_ALPHA,VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,add/one,one,VK_BLEND_OP_MAX".parse(),
            Ok(both)
        );
        assert_eq!(both.to_string().parse(), Ok(both));
        assert_eq!(Ordinary::both(over).to_string().parse(), Ok(Ordinary::both(over)));
        for text in
            ["", "one", "one,zero,add,add", "one,two", "one,zero,over", "one,zero/", "one,zero/one"]
        {
            assert!(text.parse::<Ordinary>().is_err(), "{text}");
        }
    }
}
