//! The values of constants and specialization constants.

use polyshade::Module;
use polyshade::spv::{Decoration, Id, Inst, Op};

/// Values of specialization constants: the `SpecId` and the bits of each constant.
pub type Specialization = [(u32, u64)];

/// The maximum nesting of specialization operations that are evaluated.
const DEEPEST: u32 = 64;

/// Returns the lower 32 bits of the constant `id`. Specialization constants have the values in `specialization`, or
/// else their defaults. `None` unless `id` is a scalar constant made only by integer arithmetic.
pub(crate) fn value(m: &Module<'_>, id: Id, specialization: &Specialization) -> Option<u32> {
    evaluate(m, id, specialization, DEEPEST)
}

fn evaluate(m: &Module<'_>, id: Id, set: &Specialization, depth: u32) -> Option<u32> {
    let inst = m.definition(id)?;
    let specialized = || {
        let number = m.decoration(id, Decoration::SPEC_ID)?.first()?;
        set.iter().find(|(other, _)| other == number).map(|(_, bits)| *bits as u32)
    };
    match inst.op() {
        Op::CONSTANT => inst.words().get(3).copied(),
        Op::CONSTANT_NULL | Op::CONSTANT_FALSE => Some(0),
        Op::CONSTANT_TRUE => Some(1),
        Op::SPEC_CONSTANT => specialized().or_else(|| inst.words().get(3).copied()),
        Op::SPEC_CONSTANT_TRUE => Some(u32::from(specialized() != Some(0))),
        Op::SPEC_CONSTANT_FALSE => Some(u32::from(specialized().is_some_and(|bits| bits != 0))),
        Op::SPEC_CONSTANT_OP => operation(m, inst, set, depth.checked_sub(1)?),
        _ => None,
    }
}

fn operation(m: &Module<'_>, inst: Inst<'_>, set: &Specialization, depth: u32) -> Option<u32> {
    let words = inst.words();
    let operand = |word: usize| evaluate(m, Id::new(*words.get(word)?)?, set, depth);
    let (left, right) = (operand(4)?, operand(5));
    Some(match Op(*words.get(3)? as u16) {
        Op::I_ADD => left.wrapping_add(right?),
        Op::I_SUB => left.wrapping_sub(right?),
        Op::I_MUL => left.wrapping_mul(right?),
        Op::U_DIV => left.checked_div(right?)?,
        Op::U_MOD => left.checked_rem(right?)?,
        Op::S_DIV => (left as i32).checked_div(right? as i32)? as u32,
        Op::SHIFT_LEFT_LOGICAL => left.checked_shl(right?)?,
        Op::SHIFT_RIGHT_LOGICAL => left.checked_shr(right?)?,
        Op::BITWISE_AND => left & right?,
        Op::BITWISE_OR => left | right?,
        Op::SELECT if left != 0 => right?,
        Op::SELECT => operand(6)?,
        Op::BITCAST => left,
        _ => return None,
    })
}
