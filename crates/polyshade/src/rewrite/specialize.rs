//! Replaces specialization constants with their values.

use crate::code;
use foldhash::{HashMap, HashMapExt};
use polyshade_spv::{Decoration, Error, Id, Inst, Module, Op, Patch, Rewritten, Section, Type};

/// Turns specialization constants into plain constants with the values that the caller gives for each `SpecId`.
/// Integer and boolean constants that are computed from these are folded. Other constants do not change. A boolean is
/// false if its value is 0. A narrower number uses the lower bits of the value.
///
/// # Errors
///
/// `NotFound`: the module has no specialization constant with one of the ids. `Options`: an id is given two different
/// values.
pub fn specialize<'m>(
    module: &'m Module<'_>,
    values: &[(u32, u64)],
) -> Result<Rewritten<'m, ()>, Error> {
    // An id that is given twice must have the same value.
    let mut numbered = HashMap::new();
    for (number, bits) in values {
        if numbered.insert(*number, *bits).is_some_and(|other| other != *bits) {
            let message = format!("specialization constant {number} is given two values");
            return Err(Error::new(&code::SPECIALIZATION_CONFLICTING_VALUES, message));
        }
    }
    // Globals follow the globals that they depend on, so one pass folds all of them.
    module.rewrite(|m, p| {
        let mut folding = Folding { m, known: HashMap::new() };
        let mut missing: Vec<u32> = numbered.keys().copied().collect();
        if !missing.is_empty() {
            for inst in m.section(Section::Globals) {
                let number = spec_id(m, inst);
                missing.retain(|other| Some(*other) != number);
                let given = number.and_then(|number| numbered.get(&number).copied());
                folding.visit(p, inst, given);
            }
        }
        missing.sort_unstable();
        match missing.first() {
            Some(number) => {
                let message = format!("the shader has no specialization constant {number}");
                Err(Error::new(&code::SPECIALIZATION_NOT_FOUND, message))
            }
            None => Ok(()),
        }
    })
}

/// Returns the `SpecId` of the constant that `inst` declares.
fn spec_id(m: &Module<'_>, inst: Inst<'_>) -> Option<u32> {
    match inst.op() {
        Op::SPEC_CONSTANT | Op::SPEC_CONSTANT_TRUE | Op::SPEC_CONSTANT_FALSE => {
            m.decoration(inst.result()?, Decoration::SPEC_ID)?.first().copied()
        }
        _ => None,
    }
}

struct Folding<'f, 'm> {
    m: &'f Module<'m>,
    /// The values of the constants that have become plain.
    known: HashMap<Id, u64>,
}

impl<'f> Folding<'f, '_> {
    /// Replaces `inst` with a plain constant if its value is given or can be computed.
    fn visit(&mut self, p: &mut Patch<'f, '_>, inst: Inst<'f>, given: Option<u64>) {
        let is_bool = |ty| matches!(self.m.ty(ty), Some(Type::Bool));
        let value = match inst.op() {
            Op::SPEC_CONSTANT_OP => self.computed(inst),
            _ if inst.result_type().is_some_and(is_bool) => given.map(|bits| u64::from(bits != 0)),
            _ => given,
        };
        let (Some(value), Some(result), Some(ty)) = (value, inst.result(), inst.result_type())
        else {
            return;
        };
        // The literal has one or two words, depending on the type's width.
        let (op, words) = match self.m.ty(ty) {
            Some(Type::Bool) if value != 0 => (Op::CONSTANT_TRUE, 0),
            Some(Type::Bool) => (Op::CONSTANT_FALSE, 0),
            Some(
                Type::Int { width: width @ 1..=64, .. } | Type::Float { width: width @ 1..=64 },
            ) => (Op::CONSTANT, width.div_ceil(32) as usize),
            _ => return,
        };
        self.known.insert(result, value & self.width(ty).map_or(u64::MAX, mask));
        let value = self.literal(ty, value);
        let literal = [value as u32, (value >> 32) as u32];
        let mut operands = vec![ty.word(), result.word()];
        operands.extend_from_slice(&literal[..words]);
        p.remove(inst);
        p.insert(inst.after(), op, &operands);
        p.undecorate(result, |_, decoration| decoration == Decoration::SPEC_ID);
    }

    /// Computes the integer or boolean that `inst` declares, if its operands are known.
    fn computed(&self, inst: Inst<'_>) -> Option<u64> {
        let ty = inst.result_type()?;
        let op = Op(*inst.words().get(3)? as u16);
        let ids: Vec<Id> = inst.words()[4..].iter().filter_map(|word| Id::new(*word)).collect();
        let operand_type = self.m.type_of(*ids.last()?)?;
        let signed = |id: &Id| -> Option<i64> {
            let ty = self.m.type_of(*id)?;
            Some(sign_extended(self.width(ty)?, self.value(*id)?))
        };
        let value = match ids.as_slice() {
            [one] => fold_unary(op, self.value(*one)?, signed(one)?)?,
            [left, right] => {
                let width = self.width(operand_type)?;
                let unsigned = (self.value(*left)?, self.value(*right)?);
                fold_binary(op, unsigned, (signed(left)?, signed(right)?), width)?
            }
            [condition, then, otherwise] if op == Op::SELECT => {
                let chosen = if self.value(*condition)? != 0 { then } else { otherwise };
                self.value(*chosen)?
            }
            _ => return None,
        };
        self.width(ty)?;
        Some(value)
    }

    /// Returns the value of a constant that is plain or has become plain.
    fn value(&self, id: Id) -> Option<u64> {
        if let Some(value) = self.known.get(&id) {
            return Some(*value);
        }
        let inst = self.m.definition(id)?;
        let words = inst.words();
        match inst.op() {
            Op::CONSTANT => {
                let high = words.get(4).copied().unwrap_or(0);
                let value = u64::from(high) << 32 | u64::from(*words.get(3)?);
                Some(value & mask(self.width(inst.result_type()?)?))
            }
            Op::CONSTANT_TRUE => Some(1),
            Op::CONSTANT_FALSE | Op::CONSTANT_NULL => Some(0),
            _ => None,
        }
    }

    /// Returns the number of bits of an integer, or 1 for a boolean; `None` for other types.
    fn width(&self, ty: Id) -> Option<u32> {
        match self.m.ty(ty)? {
            Type::Bool => Some(1),
            Type::Int { width: width @ 1..=64, .. } => Some(width),
            _ => None,
        }
    }

    /// Returns `value` as the literal of a constant of type `ty`. Narrow signed integers are sign-extended to a full
    /// word.
    fn literal(&self, ty: Id, value: u64) -> u64 {
        match self.m.ty(ty) {
            Some(Type::Int { width, signed: true }) if width < 32 => {
                u64::from(sign_extended(width, value) as u32)
            }
            Some(Type::Int { width, .. } | Type::Float { width }) => value & mask(width),
            _ => value,
        }
    }
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn sign_extended(width: u32, value: u64) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    (value << unused) as i64 >> unused
}

/// Evaluates a unary instruction with an integer or boolean operand. The result may have bits above its width.
pub(crate) fn fold_unary(op: Op, unsigned: u64, signed: i64) -> Option<u64> {
    Some(match op {
        Op::U_CONVERT => unsigned,
        Op::S_CONVERT => signed as u64,
        Op::S_NEGATE => signed.wrapping_neg() as u64,
        Op::NOT => !unsigned,
        Op::LOGICAL_NOT => u64::from(unsigned == 0),
        _ => return None,
    })
}

/// Evaluates a binary instruction with integer or boolean operands of `width` bits. The result may have bits above its
/// width. Returns `None` if SPIR-V leaves the result undefined, as for a division by zero.
pub(crate) fn fold_binary(
    op: Op,
    (a, b): (u64, u64),
    (x, y): (i64, i64),
    width: u32,
) -> Option<u64> {
    let shift = |by: u64| u32::try_from(by).ok().filter(|by| *by < width);
    let truth = |value: bool| Some(u64::from(value));
    match op {
        Op::I_ADD => Some(a.wrapping_add(b)),
        Op::I_SUB => Some(a.wrapping_sub(b)),
        Op::I_MUL => Some(a.wrapping_mul(b)),
        Op::U_DIV => a.checked_div(b),
        Op::U_MOD => a.checked_rem(b),
        Op::S_DIV => x.checked_div(y).map(|value| value as u64),
        Op::S_REM => x.checked_rem(y).map(|value| value as u64),
        Op::S_MOD => {
            let rest = x.checked_rem(y)?;
            let other_sign = rest != 0 && (rest < 0) != (y < 0);
            Some(if other_sign { rest + y } else { rest } as u64)
        }
        Op::SHIFT_LEFT_LOGICAL => Some(a << shift(b)?),
        Op::SHIFT_RIGHT_LOGICAL => Some(a >> shift(b)?),
        Op::SHIFT_RIGHT_ARITHMETIC => Some((x >> shift(b)?) as u64),
        Op::BITWISE_AND | Op::LOGICAL_AND => Some(a & b),
        Op::BITWISE_OR | Op::LOGICAL_OR => Some(a | b),
        Op::BITWISE_XOR => Some(a ^ b),
        Op::LOGICAL_EQUAL | Op::I_EQUAL => truth(a == b),
        Op::LOGICAL_NOT_EQUAL | Op::I_NOT_EQUAL => truth(a != b),
        Op::U_LESS_THAN => truth(a < b),
        Op::U_LESS_THAN_EQUAL => truth(a <= b),
        Op::U_GREATER_THAN => truth(a > b),
        Op::U_GREATER_THAN_EQUAL => truth(a >= b),
        Op::S_LESS_THAN => truth(x < y),
        Op::S_LESS_THAN_EQUAL => truth(x <= y),
        Op::S_GREATER_THAN => truth(x > y),
        Op::S_GREATER_THAN_EQUAL => truth(x >= y),
        _ => None,
    }
}
