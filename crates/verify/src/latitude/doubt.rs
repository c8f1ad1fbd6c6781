//! A shader in which the result of any one instruction can be moved by as much as it is not known: the host says which.

use super::bounds::{self, ANGLE, At, Bound, DIVISORS, LOGARITHM, Size, Source, ULP};
use crate::Job;
use crate::record::free_binding;
use polyshade::host::{Binding, Set};
use polyshade::moves::{self, HostBlock};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{
    Cursor, Decoration, ExecutionModel, GlslOp, Id, Inst, Op, Patch, Position, StorageClass, Type,
};
use polyshade::{Error, Module};
use std::f32::consts::{LN_2, PI};
use std::iter::repeat_n;

/// A shader, what it is told by, and what may be moved in it.
#[derive(Debug)]
pub(super) struct Doubted {
    pub module: Module<'static>,
    /// The buffer with the words of a [`Doubt`].
    pub bound: (Set, Binding),
    /// Each component of each result or operand, by its number.
    pub sources: Vec<Source>,
}

/// What is moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Doubt {
    Nothing,
    /// The source of this number, up or down.
    One(u32, f32),
    /// All that is left to the implementation, up or down as comes of this odd number and the source's own.
    All(u32, f32),
}

impl Doubt {
    /// As the shader reads it, in so many bytes: which, the sign, and what decides signs.
    pub(super) fn bytes(self, size: usize) -> Vec<u8> {
        const NONE: u32 = u32::MAX;
        let words = match self {
            Doubt::Nothing => [NONE, 0, 0],
            Doubt::One(number, sign) => [number, sign.to_bits(), 0],
            Doubt::All(seed, sign) => [NONE, sign.to_bits(), seed],
        };
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_ne_bytes).collect();
        bytes.resize(size, 0);
        bytes
    }
}

/// Two implementations may err in two directions.
const BOTH: f32 = 2.0;

/// The most that may be moved.
const MOST_SOURCES: usize = 8192;

/// The vertex stage of `job` in `module`, with all in doubt that is; or why it cannot be said what is.
pub(super) fn doubt(module: &Module<'_>, job: &Job<'_>) -> Result<Doubted, String> {
    let text = |error: Error| error.to_string();
    let model = ExecutionModel::VERTEX;
    let isolated = moves::isolate(module, job.entry, model).map_err(text)?;
    let m = &isolated.module;
    let entry = m.entry_point(job.entry, model).map_err(text)?;
    let functions = m.reachable(entry.function());
    let bodies = functions.into_iter().filter_map(|id| m.function(id));
    let mut all = Vec::new();
    for inst in bodies.flat_map(|body| body.instructions()) {
        all.extend(bounds::bounds(m, inst)?.into_iter().map(|bound| (inst.at(), bound)));
    }
    let bound = free_binding(m);

    let mut sources = Vec::new();
    let rewritten = m.rewrite(|m, p| {
        let entry = m.entry_point(job.entry, model)?;
        let mut doubter = Doubter { m, told: told(m, p, entry, bound)?, sources: Vec::new() };
        for (at, bound) in all {
            doubter.move_by(p, m.inst_at(at), bound);
        }
        sources = doubter.sources;
        Ok(())
    });
    let module = rewritten.map_err(text)?.module.into_owned();
    match sources.len() {
        0..=MOST_SOURCES => Ok(Doubted { module, bound, sources }),
        more => Err(format!("{more} results may be rounded in two ways")),
    }
}

/// Variables with the words of a [`Doubt`].
#[derive(Clone, Copy)]
struct Told {
    which: Id,
    sign: Id,
    seed: Id,
}

/// Adds them, and has the entry point read what the host says first.
fn told<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    bound: (Set, Binding),
) -> Result<Told, Error> {
    let (uint, float) = (p.uint(), p.float());
    let array = moves::word_array(m, p);
    let buffer: HostBlock = moves::storage_buffer(m, p, entry, array, bound, "verify_doubt")?;
    let [which, sign, seed] = [uint, float, uint].map(|ty| {
        let variable = p.variable(StorageClass::PRIVATE, ty, None);
        moves::add_to_interface(m, p, entry, variable);
        variable
    });
    let start = moves::wrap(m, p, entry).prologue;
    let mut code = p.at(start);
    let words = [0, 1, 2].map(|number| buffer.load(&mut code, number));
    let sign_word = code.bitcast(float, words[1]);
    code.store(which, words[0]);
    code.store(sign, sign_word);
    code.store(seed, words[2]);
    Ok(Told { which, sign, seed })
}

struct Doubter<'d, 'w> {
    m: &'d Module<'w>,
    told: Told,
    sources: Vec<Source>,
}

impl<'d> Doubter<'d, '_> {
    fn move_by(&mut self, p: &mut Patch<'d, '_>, inst: Inst<'d>, bound: Bound) {
        match bound.at {
            At::Operand(word) => {
                let value = id(inst, word);
                let Some(ty) = self.m.type_of(value) else { return };
                let moved = self.moved(p, inst.before(), (ty, value), (inst, bound));
                p.overwrite(inst.operand(word), moved.word());
            }
            At::Result => {
                let (Some(ty), Some(result)) = (inst.result_type(), inst.result()) else { return };
                let value = p.id();
                p.set_result(inst, value);
                if self.m.decoration(result, Decoration::NO_CONTRACTION).is_some() {
                    p.decorate(value, Decoration::NO_CONTRACTION, &[]);
                }
                p.undecorate(result, |_, one| one == Decoration::NO_CONTRACTION);
                let moved = self.moved(p, inst.after(), (ty, value), (inst, bound));
                p.at(inst.after()).emit(Op::COPY_OBJECT, &[ty.word(), result.word(), moved.word()]);
            }
        }
    }

    /// A value that is moved where the host says so; of a matrix, column by column.
    fn moved(
        &mut self,
        p: &mut Patch<'d, '_>,
        at: Position<'d>,
        (ty, value): (Id, Id),
        of: (Inst<'d>, Bound),
    ) -> Id {
        let Some(Type::Matrix { column, count }) = self.m.ty(ty) else {
            return self.moved_vector(p, at, (ty, value), of);
        };
        let columns: Vec<Id> = (0..count)
            .map(|number| {
                let part = p.at(at).extract(column, value, &[number]);
                self.moved_vector(p, at, (column, part), of)
            })
            .collect();
        p.at(at).construct(ty, &columns)
    }

    /// The same of a scalar or a vector.
    ///
    /// ```text
    /// %is_one  = OpIEqual %bools %which %numbers
    /// %hashed  = OpIMul %uints %seed %own
    /// %top     = OpShiftRightLogical %uints %hashed %31
    /// %is_down = OpINotEqual %bools %top %0
    /// %by      = OpSelect %floats %is_down %against %sign
    /// %is_any  = OpLogicalOr %bools %is_one %is_seeded
    /// %step    = OpFMul %floats %size %by
    /// %there   = OpFAdd %floats %value %step
    /// %moved   = OpSelect %floats %is_any %there %value
    /// ```
    fn moved_vector(
        &mut self,
        p: &mut Patch<'d, '_>,
        at: Position<'d>,
        (ty, value): (Id, Id),
        (inst, bound): (Inst<'d>, Bound),
    ) -> Id {
        let count = match self.m.ty(ty) {
            Some(Type::Vector { count, .. }) => count,
            _ => 1,
        };
        let first = self.sources.len() as u32;
        self.sources.extend(repeat_n(bound.source, count as usize));
        let mut code = Code { at: p.at(at), ty, count };
        let size = code.size(bound.size, value, inst);
        let [uint, float, bool] = [code.at.p.uint(), code.at.p.float(), code.at.p.bool()];
        let (uints, bools) = (code.shaped(uint), code.shaped(bool));

        let which = code.told(uint, self.told.which);
        let numbers = code.each(uint, |number| first + number);
        let mut is_moved = code.at.binary(Op::I_EQUAL, bools, which, numbers);
        let mut by = code.told(float, self.told.sign);
        if bound.source == Source::Latitude {
            let seed = code.told(uint, self.told.seed);
            // Odd numbers that have nothing to do with each other.
            let own = code.each(uint, |number| {
                (first + number).wrapping_add(1).wrapping_mul(0x9e37_79b9) | 1
            });
            let hashed = code.at.binary(Op::I_MUL, uints, seed, own);
            let (top, zero) = (code.each(uint, |_| 31), code.each(uint, |_| 0));
            let top = code.at.binary(Op::SHIFT_RIGHT_LOGICAL, uints, hashed, top);
            let is_down = code.at.binary(Op::I_NOT_EQUAL, bools, top, zero);
            let against = code.at.value(Op::F_NEGATE, ty, &[by.word()]);
            by = code.at.select(ty, is_down, against, by);
            let is_seeded = code.at.binary(Op::I_NOT_EQUAL, bools, seed, zero);
            is_moved = code.at.binary(Op::LOGICAL_OR, bools, is_moved, is_seeded);
        }
        let step = code.mul(size, by);
        let there = code.add(value, step);
        code.at.select(ty, is_moved, there, value)
    }
}

/// The id in a word of an instruction.
fn id(inst: Inst<'_>, word: usize) -> Id {
    Id::new(inst.words()[word]).expect("the operands of these instructions are ids")
}

/// Emits arithmetic of floats or vectors of them.
struct Code<'c, 'm, 'w> {
    at: Cursor<'c, 'm, 'w>,
    ty: Id,
    count: u32,
}

impl Code<'_, '_, '_> {
    /// A scalar type, or a vector of as many.
    fn shaped(&mut self, scalar: Id) -> Id {
        if self.count == 1 { scalar } else { self.at.p.vector(scalar, self.count) }
    }

    /// Constants, one for each component.
    fn each(&mut self, uint: Id, value: impl Fn(u32) -> u32) -> Id {
        let parts: Vec<Id> =
            (0..self.count).map(|number| self.at.p.uint_constant(value(number))).collect();
        let ty = self.shaped(uint);
        if let [one] = parts[..] { one } else { self.at.p.composite_constant(ty, &parts) }
    }

    /// What a variable holds, in every component.
    fn told(&mut self, scalar: Id, variable: Id) -> Id {
        let value = self.at.load(scalar, variable);
        if self.count == 1 {
            return value;
        }
        let ty = self.shaped(scalar);
        self.at.construct(ty, &vec![value; self.count as usize])
    }

    fn constant(&mut self, value: f32) -> Id {
        let one = self.at.p.float_constant(value);
        match self.count {
            1 => one,
            count => self.at.p.composite_constant(self.ty, &vec![one; count as usize]),
        }
    }

    fn add(&mut self, left: Id, right: Id) -> Id {
        self.at.binary(Op::F_ADD, self.ty, left, right)
    }

    fn mul(&mut self, left: Id, right: Id) -> Id {
        self.at.binary(Op::F_MUL, self.ty, left, right)
    }

    fn times(&mut self, left: Id, by: f32) -> Id {
        let by = self.constant(by);
        self.mul(left, by)
    }

    fn plus(&mut self, left: Id, more: f32) -> Id {
        let more = self.constant(more);
        self.add(left, more)
    }

    fn function(&mut self, op: GlslOp, value: Id) -> Id {
        self.at.glsl(op, self.ty, &[value])
    }

    fn magnitude(&mut self, value: Id) -> Id {
        self.function(GlslOp::F_ABS, value)
    }

    /// `inside` where a magnitude is in a range, else `outside`.
    fn within(&mut self, magnitude: Id, [least, most]: [f32; 2], inside: Id, outside: f32) -> Id {
        let bool = self.at.p.bool();
        let bools = self.shaped(bool);
        let (least, most) = (self.constant(least), self.constant(most));
        let outside = self.constant(outside);
        let above = self.at.binary(Op::F_ORD_GREATER_THAN_EQUAL, bools, magnitude, least);
        let below = self.at.binary(Op::F_ORD_LESS_THAN_EQUAL, bools, magnitude, most);
        let is_inside = self.at.binary(Op::LOGICAL_AND, bools, above, below);
        self.at.select(self.ty, is_inside, inside, outside)
    }

    /// By how much `value` is moved: twice what it may be off.
    fn size(&mut self, size: Size, value: Id, inst: Inst<'_>) -> Id {
        let once = self.size_once(size, value, inst);
        self.times(once, BOTH)
    }

    fn size_once(&mut self, size: Size, value: Id, inst: Inst<'_>) -> Id {
        let own = self.magnitude(value);
        match size {
            Size::Within { ulps, absolute } => {
                let size = self.times(own, ulps * ULP);
                self.plus(size, absolute)
            }
            Size::Growing { ulps, by, operand, absolute } => {
                let operand = self.magnitude(id(inst, operand));
                let more = self.times(operand, by * ULP);
                let relative = self.plus(more, ulps * ULP);
                let size = self.mul(own, relative);
                self.plus(size, absolute)
            }
            Size::Quotient { divisor } => {
                let size = self.times(own, 2.5 * ULP);
                let divisor = self.magnitude(id(inst, divisor));
                self.within(divisor, DIVISORS, size, f32::INFINITY)
            }
            Size::Angle { operand } => {
                let angle = self.magnitude(id(inst, operand));
                let size = self.constant(ANGLE);
                self.within(angle, [0.0, PI], size, BOTH)
            }
            Size::Tangent { operand } => {
                let angle = self.magnitude(id(inst, operand));
                // `1 / |cos(x)|` is below `1 + |tan(x)|`.
                let secant = self.plus(own, 1.0);
                let square = self.mul(secant, secant);
                let size = self.times(square, ANGLE);
                self.within(angle, [0.0, PI], size, f32::INFINITY)
            }
            Size::Power { exponent } => self.power(own, id(inst, exponent)),
            Size::Product { factors: [left, right], ulps } => {
                let product = self.mul(id(inst, left), id(inst, right));
                let product = self.magnitude(product);
                let size = self.add(product, own);
                self.times(size, ulps * ULP)
            }
            Size::Mix { ends, weight, ulps } => {
                let [one, other] = ends.map(|end| self.magnitude(id(inst, end)));
                let weight = self.magnitude(id(inst, weight));
                let (ends, weight) = (self.add(one, other), self.plus(weight, 1.0));
                let size = self.mul(ends, weight);
                self.times(size, ulps * ULP)
            }
            Size::Of { operand, ulps } => {
                let of = self.magnitude(id(inst, operand));
                let size = self.add(of, own);
                self.times(size, ulps * ULP)
            }
        }
    }

    /// Of `exp2(t)`, with `t` the product of the exponent and a logarithm: what `exp2` may be off, and what it becomes
    /// of a `t` that is.
    fn power(&mut self, own: Id, exponent: Id) -> Id {
        let logarithm = self.function(GlslOp::LOG2, own);
        let product = self.magnitude(logarithm);
        // A power of 0 has no logarithm, and is known.
        let finite = self.constant(f32::MAX.log2());
        let product = self.at.glsl(GlslOp::N_MIN, self.ty, &[product, finite]);
        let exponent = self.magnitude(exponent);
        let of_function = self.times(product, (2.0 + 3.5 * LN_2) * ULP);
        let of_logarithm = self.times(exponent, LOGARITHM * LN_2);
        let relative = self.add(of_function, of_logarithm);
        let relative = self.plus(relative, 3.0 * ULP);
        self.mul(own, relative)
    }
}
