//! Fixed-function blending: names and numbers of factors and operations.

use super::names::blend_names;
use crate::code;
use crate::host::as_text;
use polyshade_spv::Error;
use std::fmt;
use std::str::FromStr;

blend_names! {
    /// The factor of a colour, in the order of `VkBlendFactor`.
    Factor: "blend factor", ["vk-blend-factor-"], "factor_" {
        Zero "zero" zero, One "one" one, SrcColor "src-color" src_color,
        OneMinusSrcColor "one-minus-src-color" one_minus_src_color, DstColor "dst-color" dst_color,
        OneMinusDstColor "one-minus-dst-color" one_minus_dst_color, SrcAlpha "src-alpha" src_alpha,
        OneMinusSrcAlpha "one-minus-src-alpha" one_minus_src_alpha, DstAlpha "dst-alpha" dst_alpha,
        OneMinusDstAlpha "one-minus-dst-alpha" one_minus_dst_alpha,
        ConstantColor "constant-color" constant_color,
        OneMinusConstantColor "one-minus-constant-color" one_minus_constant_color,
        ConstantAlpha "constant-alpha" constant_alpha,
        OneMinusConstantAlpha "one-minus-constant-alpha" one_minus_constant_alpha,
        SrcAlphaSaturate "src-alpha-saturate" src_alpha_saturate, Src1Color "src1-color" src1_color,
        OneMinusSrc1Color "one-minus-src1-color" one_minus_src1_color, Src1Alpha "src1-alpha" src1_alpha,
        OneMinusSrc1Alpha "one-minus-src1-alpha" one_minus_src1_alpha,
    }
    /// The operation on both colours, in the order of `VkBlendOp`.
    Operation: "blend operation", ["vk-blend-op-"], "combine_" {
        Add "add" add, Subtract "subtract" subtract, ReverseSubtract "reverse-subtract" reverse_subtract,
        Min "min" min, Max "max" max,
    }
}

impl Factor {
    /// Returns the `VkBlendFactor`.
    pub fn blend_factor(self) -> i32 {
        self as i32
    }

    /// Whether the factor uses the second source: the shader's output with `Index` 1.
    pub fn is_of_second_source(self) -> bool {
        self >= Self::Src1Color
    }

    /// Whether the factor uses the blend constants.
    pub fn is_of_constants(self) -> bool {
        (Self::ConstantColor..=Self::OneMinusConstantAlpha).contains(&self)
    }
}

impl Operation {
    /// Returns the `VkBlendOp`.
    pub fn blend_op(self) -> i32 {
        self as i32
    }

    /// Whether the operation uses the factors. `min` and `max` do not.
    pub fn has_factors(self) -> bool {
        match self {
            Self::Add | Self::Subtract | Self::ReverseSubtract => true,
            Self::Min | Self::Max => false,
        }
    }
}

/// The blending of the colour or of alpha. `operation` combines the source times factor `source` and the destination
/// times factor `destination`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlendComponent {
    /// The factor of the source.
    pub source: Factor,
    /// The factor of the destination.
    pub destination: Factor,
    /// The operation that combines the two products.
    pub operation: Operation,
}

impl BlendComponent {
    /// Returns a blending that adds the products of both colours and their factors.
    pub fn add(source: Factor, destination: Factor) -> Self {
        Self { source, destination, operation: Operation::Add }
    }

    /// Returns the factors that the operation uses.
    pub(super) fn factors(self) -> impl Iterator<Item = Factor> {
        let both = self.operation.has_factors().then_some([self.source, self.destination]);
        both.into_iter().flatten()
    }
}

impl fmt::Display for BlendComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.source, self.destination, self.operation)
    }
}

/// Fixed-function blending of a target, as in `VkPipelineColorBlendAttachmentState`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct FixedFunctionBlend {
    /// The blending of red, green and blue.
    pub color: BlendComponent,
    /// The blending of alpha.
    pub alpha: BlendComponent,
}

impl FixedFunctionBlend {
    /// Returns a blending that treats red, green, blue and alpha in the same way.
    pub fn both(term: BlendComponent) -> Self {
        Self { color: term, alpha: term }
    }

    /// Returns the factors that the operations use. `min` and `max` use none.
    pub fn factors(self) -> impl Iterator<Item = Factor> {
        self.color.factors().chain(self.alpha.factors())
    }
}

impl fmt::Display for FixedFunctionBlend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.color.fmt(f)?;
        if self.alpha != self.color { write!(f, "/{}", self.alpha) } else { Ok(()) }
    }
}

/// Parses `SOURCE,DESTINATION[,OPERATION]`, optionally with a slash and a different blending of alpha:
/// `src-alpha,one-minus-src-alpha/one,zero`. The default operation is `add`.
impl FromStr for FixedFunctionBlend {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let term = |text: &str| -> Result<BlendComponent, Error> {
            let parts: Vec<&str> = text.split(',').collect();
            let (source, destination, operation) = match parts.as_slice() {
                [source, destination] => (source, destination, Operation::Add),
                [source, destination, operation] => (source, destination, operation.parse()?),
                _ => {
                    let message = format!(
                        "`{text}` is not SOURCE,DESTINATION or SOURCE,DESTINATION,OPERATION"
                    );
                    return Err(Error::new(&code::BLEND_INVALID_EXPRESSION, message)
                        .help("for example src-alpha,one-minus-src-alpha; if alpha differs, add its factors after a \
                            slash"));
                }
            };
            Ok(BlendComponent {
                source: source.parse()?,
                destination: destination.parse()?,
                operation,
            })
        };
        match text.split_once('/') {
            Some((color, alpha)) => Ok(Self { color: term(color)?, alpha: term(alpha)? }),
            None => term(text).map(Self::both),
        }
    }
}

as_text!(FixedFunctionBlend);

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
        let over = BlendComponent::add(Factor::SrcAlpha, Factor::OneMinusSrcAlpha);
        assert_eq!("src-alpha,one-minus-src-alpha".parse(), Ok(FixedFunctionBlend::both(over)));
        let most = BlendComponent {
            operation: Operation::Max,
            ..BlendComponent::add(Factor::One, Factor::One)
        };
        let both = FixedFunctionBlend { color: over, alpha: most };
        assert_eq!(
            "SRC_ALPHA,VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,add/one,one,VK_BLEND_OP_MAX".parse(),
            Ok(both)
        );
        assert_eq!(both.to_string().parse(), Ok(both));
        assert_eq!(
            FixedFunctionBlend::both(over).to_string().parse(),
            Ok(FixedFunctionBlend::both(over))
        );
        for text in
            ["", "one", "one,zero,add,add", "one,two", "one,zero,over", "one,zero/", "one,zero/one"]
        {
            assert!(text.parse::<FixedFunctionBlend>().is_err(), "{text}");
        }
    }
}
