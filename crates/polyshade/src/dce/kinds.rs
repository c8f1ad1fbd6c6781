//! The kinds of instructions, as far as dead code elimination distinguishes them.

use polyshade_spv::{Op, is_known};

/// The kind of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Computes a value from its operands and has no other effect.
    Value,
    Extract,
    /// Makes a pointer into the object that its first operand points to.
    Chain,
    /// Copies a value, which may be a pointer.
    Copy,
    Load,
    Store,
    CopyMemory,
    ArrayLength,
    Call,
    Extended,
    Phi,
    Variable,
    Parameter,
    Function,
    FunctionEnd,
    Label,
    Merge,
    Branch,
    Return,
    ReturnValue,
    Unreachable,
    Line,
    /// Declares something before all functions.
    Declaration,
    /// Has an effect other than its result.
    Effect,
    /// Is not in the tables, so it may have any effect.
    Unknown,
}

/// Opcodes below this one are looked up in a table.
const TABLE: usize = 512;

static KINDS: [Kind; TABLE] = {
    let mut kinds = [Kind::Effect; TABLE];
    let mut op = 0;
    while op < TABLE {
        kinds[op] = of_number(op as u16);
        op += 1;
    }
    kinds
};

#[inline]
pub(super) fn kind(op: Op) -> Kind {
    match KINDS.get(usize::from(op.0)) {
        Some(Kind::Effect) | None => rare(op),
        Some(kind) => *kind,
    }
}

#[inline(never)]
fn rare(op: Op) -> Kind {
    match op {
        _ if !is_known(op) => Kind::Unknown,
        _ if is_value_of_extension(op) => Kind::Value,
        _ => Kind::Effect,
    }
}

const fn of_number(op: u16) -> Kind {
    match Op(op) {
        Op::LINE | Op::NO_LINE => Kind::Line,
        Op::EXT_INST => Kind::Extended,
        Op::FUNCTION => Kind::Function,
        Op::FUNCTION_PARAMETER => Kind::Parameter,
        Op::FUNCTION_END => Kind::FunctionEnd,
        Op::FUNCTION_CALL => Kind::Call,
        Op::VARIABLE => Kind::Variable,
        Op::LOAD => Kind::Load,
        Op::STORE => Kind::Store,
        Op::COPY_MEMORY | Op::COPY_MEMORY_SIZED => Kind::CopyMemory,
        Op::ACCESS_CHAIN
        | Op::IN_BOUNDS_ACCESS_CHAIN
        | Op::PTR_ACCESS_CHAIN
        | Op::IN_BOUNDS_PTR_ACCESS_CHAIN => Kind::Chain,
        Op::COPY_OBJECT => Kind::Copy,
        Op::COMPOSITE_EXTRACT => Kind::Extract,
        Op::ARRAY_LENGTH => Kind::ArrayLength,
        Op::PHI => Kind::Phi,
        Op::LABEL => Kind::Label,
        Op::LOOP_MERGE | Op::SELECTION_MERGE => Kind::Merge,
        Op::BRANCH | Op::BRANCH_CONDITIONAL | Op::SWITCH => Kind::Branch,
        Op::RETURN => Kind::Return,
        Op::RETURN_VALUE => Kind::ReturnValue,
        Op::UNREACHABLE => Kind::Unreachable,
        _ if is_in(&VALUES, op) => Kind::Value,
        _ if is_in(&DECLARATIONS, op) => Kind::Declaration,
        _ => Kind::Effect,
    }
}

/// Ranges of opcodes (first and last) that compute a value and have no other effect.
const VALUES: [(Op, Op); 14] = [
    (Op::NOP, Op::UNDEF),
    (Op::IMAGE_TEXEL_POINTER, Op::IMAGE_TEXEL_POINTER),
    (Op::VECTOR_EXTRACT_DYNAMIC, Op::TRANSPOSE),
    (Op::SAMPLED_IMAGE, Op::IMAGE_READ),
    (Op::IMAGE, Op::IMAGE_QUERY_SAMPLES),
    (Op::CONVERT_F_TO_U, Op::BITCAST),
    (Op::S_NEGATE, Op::S_MUL_EXTENDED),
    (Op::ANY, Op::F_UNORD_GREATER_THAN_EQUAL),
    (Op::SHIFT_RIGHT_LOGICAL, Op::BIT_COUNT),
    (Op::D_PDX, Op::FWIDTH_COARSE),
    (Op::IMAGE_SPARSE_SAMPLE_IMPLICIT_LOD, Op::IMAGE_SPARSE_TEXELS_RESIDENT),
    (Op::IMAGE_SPARSE_READ, Op::SIZE_OF),
    (Op::GROUP_NON_UNIFORM_ELECT, Op::GROUP_NON_UNIFORM_QUAD_SWAP),
    (Op::COPY_LOGICAL, Op::PTR_DIFF),
];

/// Ranges of opcodes (first and last) of declarations before all functions.
const DECLARATIONS: [(Op, Op); 7] = [
    (Op::SOURCE_CONTINUED, Op::STRING),
    (Op::EXTENSION, Op::EXT_INST_IMPORT),
    (Op::MEMORY_MODEL, Op::CAPABILITY),
    (Op::TYPE_VOID, Op::TYPE_FORWARD_POINTER),
    (Op::CONSTANT_TRUE, Op::CONSTANT_NULL),
    (Op::SPEC_CONSTANT_TRUE, Op::SPEC_CONSTANT_OP),
    (Op::DECORATE, Op::GROUP_MEMBER_DECORATE),
];

const fn is_in(runs: &[(Op, Op)], op: u16) -> bool {
    let mut run = 0;
    while run < runs.len() {
        if runs[run].0.0 <= op && op <= runs[run].1.0 {
            return true;
        }
        run += 1;
    }
    false
}

fn is_value_of_extension(op: Op) -> bool {
    matches!(
        op,
        Op::SUBGROUP_BALLOT_KHR
            | Op::SUBGROUP_FIRST_INVOCATION_KHR
            | Op::SUBGROUP_ALL_KHR
            | Op::SUBGROUP_ANY_KHR
            | Op::SUBGROUP_ALL_EQUAL_KHR
            | Op::SUBGROUP_READ_INVOCATION_KHR
            | Op::GROUP_NON_UNIFORM_ROTATE_KHR
            | Op::S_DOT
            | Op::U_DOT
            | Op::SU_DOT
            | Op::S_DOT_ACC_SAT
            | Op::U_DOT_ACC_SAT
            | Op::SU_DOT_ACC_SAT
            | Op::EXPECT_KHR
    )
}

#[cfg(test)]
mod tests {
    use super::{Kind, kind};
    use polyshade_spv::{Op, is_known};

    #[test]
    fn what_is_not_known_may_do_anything() {
        let mut unknown = (0..u16::MAX).map(Op).filter(|op| !is_known(*op));
        assert!(unknown.all(|op| kind(op) == Kind::Unknown));
    }

    #[test]
    fn what_others_can_see_is_an_effect() {
        let effects = [
            Op::IMAGE_WRITE,
            Op::ATOMIC_I_ADD,
            Op::ATOMIC_STORE,
            Op::EMIT_VERTEX,
            Op::END_STREAM_PRIMITIVE,
            Op::CONTROL_BARRIER,
            Op::KILL,
            Op::TERMINATE_INVOCATION,
            Op::DEMOTE_TO_HELPER_INVOCATION,
            Op::SET_MESH_OUTPUTS_EXT,
            Op::RAY_QUERY_PROCEED_KHR,
            Op::READ_CLOCK_KHR,
        ];
        assert!(effects.iter().all(|op| kind(*op) == Kind::Effect));
    }
}
