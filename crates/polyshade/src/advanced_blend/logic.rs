//! Logic operations by their names and numbers.

use crate::code;
use polyshade_spv::Error;
use std::fmt;
use std::str::FromStr;

macro_rules! operations {
    ($($operation:ident $name:literal $function:literal,)*) => {
        /// A logic operation, in the order of `VkLogicOp`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
        #[allow(missing_docs)]
        pub enum LogicOperation { $($operation,)* }

        impl LogicOperation {
            /// All 16, in the order of `VkLogicOp`.
            pub const ALL: [Self; 16] = [$(Self::$operation,)*];

            /// The name, as `VkLogicOp` has it: `and`, `or-inverted`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$operation => $name,)* }
            }

            /// Its function in the library.
            pub(super) fn function(self) -> &'static str {
                match self { $(Self::$operation => $function,)* }
            }
        }
    };
}

operations! {
    Clear "clear" "logic_clear",
    And "and" "logic_and",
    AndReverse "and-reverse" "logic_and_reverse",
    Copy "copy" "logic_copy",
    AndInverted "and-inverted" "logic_and_inverted",
    NoOp "no-op" "logic_no_op",
    Xor "xor" "logic_xor",
    Or "or" "logic_or",
    Nor "nor" "logic_nor",
    Equivalent "equivalent" "logic_equivalent",
    Invert "invert" "logic_invert",
    OrReverse "or-reverse" "logic_or_reverse",
    CopyInverted "copy-inverted" "logic_copy_inverted",
    OrInverted "or-inverted" "logic_or_inverted",
    Nand "nand" "logic_nand",
    Set "set" "logic_set",
}

impl LogicOperation {
    /// Its value as a `VkLogicOp`.
    pub fn logic_op(self) -> i32 {
        self as i32
    }
}

impl fmt::Display for LogicOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// By the name, in upper or lower case; also as Vulkan and OpenGL write it: `VK_LOGIC_OP_AND_INVERTED`, `GL_NOOP`.
impl FromStr for LogicOperation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let name = text.trim().to_ascii_lowercase().replace('_', "-");
        let name = ["vk-logic-op-", "gl-"]
            .iter()
            .find_map(|start| name.strip_prefix(start))
            .unwrap_or(&name);
        let name = match name {
            "noop" => "no-op",
            "equiv" => "equivalent",
            name => name,
        };
        Self::ALL.into_iter().find(|operation| operation.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|operation| operation.name()).collect();
            Error::new(&code::BLEND_UNKNOWN_NAME, format!("there is no logic operation `{text}`"))
                .help(format!("there are: {}", names.join(", ")))
        })
    }
}

impl TryFrom<String> for LogicOperation {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<LogicOperation> for String {
    fn from(value: LogicOperation) -> Self {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_those_of_the_apis() {
        assert_eq!(LogicOperation::Clear.logic_op(), 0);
        assert_eq!(LogicOperation::NoOp.logic_op(), 5);
        assert_eq!(LogicOperation::Set.logic_op(), 15);
        for (text, operation) in [
            ("VK_LOGIC_OP_AND_INVERTED", LogicOperation::AndInverted),
            ("GL_NOOP", LogicOperation::NoOp),
            ("equiv", LogicOperation::Equivalent),
        ] {
            assert_eq!(text.parse(), Ok(operation));
        }
        for operation in LogicOperation::ALL {
            assert_eq!(operation.name().parse(), Ok(operation));
        }
        assert!("add".parse::<LogicOperation>().is_err());
    }
}
