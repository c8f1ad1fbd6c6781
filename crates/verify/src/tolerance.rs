//! The tolerance for differences between the values that two devices compute.
//!
//! Vulkan's appendix "Precision and Operation of SPIR-V Instructions" bounds the error of each instruction
//! ([`bounds`]). To find the resulting error of an output, the reference device runs the shader several times. Each
//! run adds errors of maximum size in random directions. An output that no run changes must be equal bit for bit.

use crate::Phase;
use crate::leaves::{Leaf, ScalarKind};
use crate::random::Random;
use crate::record::{self, Placement, Recorder, free_binding};
use crate::recording::Recording;
use crate::run::{Original, cannot_run_original};
use crate::verdict::{Equal, Stop, not_comparable};
use polyshade::Module;
use polyshade::host::{Binding, Set};
use polyshade::rewrite::{self, HostBlock};
use polyshade::spv::view::{ExtInst, ExtInstImport};
use polyshade::spv::{Cursor, ExecutionModel, GlslOp, Id, Inst, Op, Patch, Type};
use polyshade_vulkan::{Descriptor, Range, Resource};
use std::iter::repeat_n;

/// The number of runs with random errors.
const RUNS: u64 = 16;
/// Each of the two devices may differ from the exact result by the bound, in opposite directions.
const DEVICES: f32 = 2.0;
/// A safety factor, because errors in random directions seldom add up to their maximum.
const MARGIN: f64 = 2.0;

/// The index of the result id in an instruction, and of the operands of a `GLSL.std.450` function.
const RESULT: usize = 2;
const X: usize = 5;
const Y: usize = 6;
const Z: usize = 7;
const ULP: f32 = f32::EPSILON;
/// The absolute error of a sine or cosine.
const ANGLE: f32 = 1.0 / 2048.0;

/// The error of one value of an instruction: relative, in units of 2⁻²³ (one or two ULP), and absolute.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// The index of the value's id in the instruction.
    word: usize,
    ulps: f32,
    absolute: f32,
}

const fn near(word: usize, ulps: f32) -> Bound {
    Bound { word, ulps, absolute: 0.0 }
}

const fn within(word: usize, ulps: f32, absolute: f32) -> Bound {
    Bound { word, ulps, absolute }
}

/// The errors of instructions. Where the appendix derives an error from a sequence of instructions, the row states
/// the errors of the operands that lead to the same error of the result.
const OPERATIONS: &[(&[Op], &[Bound])] = &[
    (&[Op::F_DIV], &[near(RESULT, 2.5)]),
    // `x - y * trunc(x / y)`
    (&[Op::F_REM, Op::F_MOD], &[near(3, 3.0), near(RESULT, 1.0)]),
    // Sums of at most four products, in any order and fused or not.
    (&[Op::DOT, Op::VECTOR_TIMES_MATRIX, Op::MATRIX_TIMES_MATRIX], &[near(3, 2.0)]),
    (&[Op::MATRIX_TIMES_VECTOR], &[near(4, 2.0)]),
    (&[Op::IMAGE_SAMPLE_EXPLICIT_LOD, Op::IMAGE_SAMPLE_DREF_EXPLICIT_LOD], &[near(4, 4.0)]),
    (&[Op::IMAGE_SAMPLE_PROJ_EXPLICIT_LOD], &[near(4, 4.0)]),
    (&[Op::IMAGE_SAMPLE_PROJ_DREF_EXPLICIT_LOD, Op::IMAGE_GATHER], &[near(4, 4.0)]),
    (&[Op::IMAGE_DREF_GATHER], &[near(4, 4.0)]),
];

/// The errors of `GLSL.std.450` functions.
const FUNCTIONS: &[(&[GlslOp], &[Bound])] = &[
    (&[GlslOp::RADIANS, GlslOp::DEGREES], &[near(RESULT, 3.5)]),
    // Vulkan has no bound outside of -π to π, because devices reduce the angle with a rounded π.
    (&[GlslOp::SIN, GlslOp::COS], &[near(X, 4.0), within(RESULT, 0.0, ANGLE)]),
    (&[GlslOp::TAN], &[within(X, 4.0, ANGLE)]),
    (&[GlslOp::ASIN, GlslOp::ACOS], &[within(RESULT, 4096.0, ANGLE / 2.0)]),
    (&[GlslOp::ATAN, GlslOp::ATAN2], &[near(RESULT, 4096.0)]),
    (&[GlslOp::SINH, GlslOp::COSH], &[near(X, 3.0), within(RESULT, 4.0, 8.0 * ULP)]),
    (&[GlslOp::TANH], &[near(X, 6.0), within(RESULT, 10.5, 8.0 * ULP)]),
    (&[GlslOp::EXP, GlslOp::EXP2], &[near(X, 2.0), near(RESULT, 3.0)]),
    (&[GlslOp::LOG, GlslOp::LOG2], &[within(RESULT, 3.0, 4.0 * ULP)]),
    // `exp2(y * log2(x))`
    (&[GlslOp::POW], &[near(X, 4.0), near(Y, 6.5), near(RESULT, 3.0)]),
    (&[GlslOp::SQRT], &[near(RESULT, 4.5)]),
    (&[GlslOp::INVERSE_SQRT], &[near(RESULT, 2.0)]),
    (&[GlslOp::DETERMINANT], &[near(X, 6.0)]),
    (&[GlslOp::MATRIX_INVERSE], &[near(X, 6.0), near(RESULT, 2.5)]),
    // `x * (1 - a) + y * a`, or `x + (y - x) * a`
    (&[GlslOp::F_MIX], &[near(X, 1.5), near(Y, 1.5), near(Z, 1.5)]),
    (&[GlslOp::SMOOTH_STEP], &[within(RESULT, 2.0, 8.0 * ULP)]),
    (&[GlslOp::FMA], &[near(X, 0.5), near(RESULT, 0.5)]),
    (&[GlslOp::PACK_SNORM4X8, GlslOp::PACK_UNORM4X8, GlslOp::PACK_SNORM2X16], &[near(X, 1.0)]),
    (&[GlslOp::PACK_UNORM2X16], &[near(X, 1.0)]),
    (&[GlslOp::UNPACK_SNORM4X8, GlslOp::UNPACK_UNORM4X8], &[near(RESULT, 2.5)]),
    (&[GlslOp::UNPACK_SNORM2X16, GlslOp::UNPACK_UNORM2X16], &[near(RESULT, 2.5)]),
    (&[GlslOp::LENGTH], &[near(RESULT, 6.5)]),
    (&[GlslOp::DISTANCE], &[near(RESULT, 7.5)]),
    (&[GlslOp::NORMALIZE], &[near(RESULT, 9.0)]),
    (&[GlslOp::CROSS], &[near(X, 1.0), near(RESULT, 0.5)]),
    (&[GlslOp::FACE_FORWARD], &[near(Z, 2.0)]),
    (&[GlslOp::REFLECT], &[near(X, 4.0), near(RESULT, 1.0)]),
    (&[GlslOp::REFRACT], &[near(X, 6.0), near(Y, 6.5)]),
];

fn bounds(m: &Module<'_>, inst: Inst<'_>) -> Result<&'static [Bound], String> {
    let call = ExtInst::of(inst).filter(|call| {
        let set = m.definition(call.set()).and_then(ExtInstImport::of);
        set.is_some_and(|set| set.name() == GlslOp::SET)
    });
    let found = match call.map(|call| GlslOp(call.number())) {
        Some(GlslOp::ASINH | GlslOp::ACOSH | GlslOp::ATANH) => {
            return Err("no error bound is known for inverse hyperbolic functions".to_owned());
        }
        Some(function) => FUNCTIONS.iter().find(|row| row.0.contains(&function)).map(|row| row.1),
        None => OPERATIONS.iter().find(|row| row.0.contains(&inst.op())).map(|row| row.1),
    };
    Ok(found.unwrap_or_default())
}

/// Sets the tolerance of each word that `original` computes.
pub(crate) fn set(
    original: &Original<'_>,
    recordings: &mut [Recording],
    equal: &mut Equal,
) -> Result<(), Stop> {
    let shader = Perturbed::of(original).map_err(|why| {
        not_comparable(format!("cannot bound the rounding errors of the original: {why}"))
    })?;
    if shader.factors.is_empty() {
        return Ok(());
    }
    let leaves = original.leaves.iter().flat_map(|leaf| repeat_n(leaf, leaf.words() as usize));
    let leaves: Vec<&Leaf> = leaves.collect();
    // The tolerance is the largest change in any run.
    for recording in recordings {
        for run in 0..RUNS {
            (original.task.report)(Phase::Original);
            let found = shader.run(original, recording.placement, run)?;
            let words = recording.words.iter().zip(&found.words).zip(leaves.iter().cycle());
            for (((was, is), leaf), tolerance) in words.zip(&mut recording.tolerance) {
                let value = f64::from(f32::from_bits(*was)).abs();
                let moved = MARGIN * distance(leaf, *is, *was);
                let least = if moved > 0.0 { value * f64::from(ULP) } else { 0.0 };
                *tolerance = tolerance.max(moved).max(least);
            }
        }
        // An infinite tolerance excludes a word from the comparison.
        let count = |is: fn(&f64) -> bool| recording.tolerance.iter().filter(|one| is(one)).count();
        let open = count(|tolerance| tolerance.is_infinite());
        equal.open += open as u64;
        equal.rounded += (count(|tolerance| *tolerance > 0.0) - open) as u64;
    }
    Ok(())
}

/// The distance between two words, which is infinite unless both words are finite 32-bit floats.
fn distance(leaf: &Leaf, is: u32, was: u32) -> f64 {
    if is == was {
        return 0.0;
    }
    if (leaf.kind, leaf.bits) != (ScalarKind::Float, 32) {
        return f64::INFINITY;
    }
    let [is, was] = [is, was].map(|bits| f64::from(f32::from_bits(bits)));
    match (is - was).abs() {
        _ if is.is_nan() && was.is_nan() => 0.0,
        distance if distance.is_nan() => f64::INFINITY,
        distance => distance,
    }
}

/// A shader that multiplies each inexact value by a factor and may add a term.
struct Perturbed {
    recorder: Recorder,
    /// The set and binding of the buffer of factors and terms.
    bound: (Set, Binding),
    /// The two values that each factor or term may have.
    factors: Vec<[f32; 2]>,
}

impl Perturbed {
    fn of(original: &Original<'_>) -> Result<Perturbed, String> {
        let text = |error: polyshade::Error| error.to_string();
        let (job, model) = (original.task.job, ExecutionModel::VERTEX);
        let isolated = rewrite::isolate(&original.plain, job.entry, model).map_err(text)?;
        let m = &isolated.module;
        let functions = m.reachable(m.entry_point(job.entry, model).map_err(text)?.function());
        let bodies = functions.into_iter().filter_map(|id| m.function(id));
        let mut all = Vec::new();
        // Find the bounded instructions that the entry point reaches.
        for inst in bodies.flat_map(|body| body.instructions()) {
            all.extend(bounds(m, inst)?.iter().map(|bound| (inst.at(), *bound)));
        }
        // Multiply by a factor and add a term at each bounded instruction.
        let (bound, mut factors, mut is_wide) = (free_binding(m), Vec::new(), false);
        let rewritten = m.rewrite(|m, p| {
            let (entry, array) = (m.entry_point(job.entry, model)?, rewrite::word_array(m, p));
            let buffer = rewrite::storage_buffer(m, p, entry, array, bound, "verify_factors")?;
            let mut perturb = Perturb { m, buffer, factors: Vec::new(), is_wide: false };
            all.iter().for_each(|(at, bound)| perturb.apply(p, m.inst_at(*at), *bound));
            (factors, is_wide) = (perturb.factors, perturb.is_wide);
            Ok(())
        });
        if is_wide {
            return Err("no error bound is known for floats that are not 32 bits wide".to_owned());
        }
        let recorder = record::record(&rewritten.map_err(text)?.module, job, original.grid())?;
        Ok(Perturbed { recorder, bound, factors })
    }

    /// Runs the shader with errors in random directions.
    fn run(&self, original: &Original<'_>, at: Placement, run: u64) -> Result<Recording, Stop> {
        let mut random = Random::new(run, 0);
        let values = self.factors.iter().map(|both| random.one_of(both));
        let bytes: Vec<u8> = values.flat_map(f32::to_ne_bytes).collect();
        let found = original.run_recorder(&self.recorder, at, &original.inputs, |draw, work| {
            let range = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
            work.buffers.push(bytes);
            let ((set, binding), buffer) = (self.bound, Resource::StorageBuffer(range));
            draw.descriptors.push(Descriptor::new(set.0, binding.0, buffer));
            Ok(())
        });
        found.map_err(cannot_run_original)
    }
}

/// Adds factors and terms to a shader.
struct Perturb<'m, 'w> {
    m: &'m Module<'w>,
    buffer: HostBlock,
    factors: Vec<[f32; 2]>,
    /// Whether some value has components that are not 32 bits wide.
    is_wide: bool,
}

impl<'m> Perturb<'m, '_> {
    fn apply(&mut self, p: &mut Patch<'m, '_>, inst: Inst<'m>, bound: Bound) {
        let Some(named) = inst.words().get(bound.word).and_then(|word| Id::new(*word)) else {
            return;
        };
        let Some(ty) = self.m.type_of(named) else { return };
        if bound.word == RESULT {
            let exact = p.id();
            p.set_result(inst, exact);
            let moved = self.moved(&mut p.at(inst.after()), (ty, exact), bound);
            p.at(inst.after()).emit(Op::COPY_OBJECT, &[ty.word(), named.word(), moved.word()]);
        } else {
            let moved = self.moved(&mut p.at(inst.before()), (ty, named), bound);
            p.overwrite(inst.operand(bound.word), moved.word());
        }
    }

    /// Emits a value with its error; for a matrix, column by column.
    ///
    /// ```text
    /// %scaled = OpFMul %float %exact %factor
    /// %moved  = OpFAdd %float %scaled %term
    /// ```
    fn moved(&mut self, code: &mut Cursor<'_, 'm, '_>, (ty, exact): (Id, Id), bound: Bound) -> Id {
        if let Some(Type::Matrix { column, count }) = self.m.ty(ty) {
            let columns = (0..count).map(|number| {
                let part = code.extract(column, exact, &[number]);
                self.moved(code, (column, part), bound)
            });
            let columns: Vec<Id> = columns.collect();
            return code.construct(ty, &columns);
        }
        let dimensions = rewrite::float_dimensions(self.m, ty);
        self.is_wide |= dimensions.is_none();
        let count = dimensions.and_then(|all| all.first().copied()).unwrap_or(1);
        let mut load = |code: &mut Cursor<'_, 'm, '_>, exact: f32, error: f32| {
            let float = code.p.float();
            let parts = (0..count).map(|_| {
                let word = self.buffer.load(code, self.factors.len() as u32);
                self.factors.push([exact - DEVICES * error, exact + DEVICES * error]);
                code.bitcast(float, word)
            });
            let parts: Vec<Id> = parts.collect();
            if let [one] = parts[..] { one } else { code.construct(ty, &parts) }
        };
        let factor = load(code, 1.0, bound.ulps * ULP);
        let scaled = code.binary(Op::F_MUL, ty, exact, factor);
        if bound.absolute == 0.0 {
            return scaled;
        }
        let term = load(code, 0.0, bound.absolute);
        code.binary(Op::F_ADD, ty, scaled, term)
    }
}
