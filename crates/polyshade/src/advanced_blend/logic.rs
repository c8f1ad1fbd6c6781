//! Names and numbers of the logic operations.

use super::names::blend_names;

blend_names! {
    /// A logic operation, in the order of `VkLogicOp`.
    LogicOperation: "logic operation", ["vk-logic-op-", "gl-"], "logic_" {
        Clear "clear" clear, And "and" and, AndReverse "and-reverse" and_reverse, Copy "copy" copy,
        AndInverted "and-inverted" and_inverted, NoOp "no-op" no_op, Xor "xor" xor, Or "or" or, Nor "nor" nor,
        Equivalent "equivalent" equivalent, Invert "invert" invert, OrReverse "or-reverse" or_reverse,
        CopyInverted "copy-inverted" copy_inverted, OrInverted "or-inverted" or_inverted, Nand "nand" nand,
        Set "set" set,
    }
}

impl LogicOperation {
    /// Returns the `VkLogicOp`.
    pub fn logic_op(self) -> i32 {
        self as i32
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
