//! How far results of instructions may be from the mathematical ones: the tables of "Precision and Operation of SPIR-V
//! Instructions" in Vulkan's appendix, and what follows from them for what is "inherited" from a sequence.
//!
//! `ULP` is taken for 2⁻²³ of the value, which is one or two of them.

use polyshade::Module;
use polyshade::spv::view::{ExtInst, ExtInstImport};
use polyshade::spv::{GlslOp, Inst, Op, Type};

/// Something in an instruction that is only known within a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    pub at: At,
    pub size: Size,
    pub source: Source,
}

/// What is not known exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Result,
    /// The operand in this word: the error is that of an exact result for operands that are a little off.
    Operand(usize),
}

/// Why two implementations may have two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The specification leaves it to them.
    Latitude,
    /// It is rounded correctly, but of operands that differ already.
    Rounding,
}

/// How much it is; where operands are named, by the words that they stand in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Size {
    /// So many ULP of the value, and an absolute error.
    Within { ulps: f32, absolute: f32 },
    /// So many ULP, and so many more for each of the magnitude of an operand; and an absolute error.
    Growing { ulps: f32, by: f32, operand: usize, absolute: f32 },
    /// A quotient by this operand: nothing is said outside of 2⁻¹²⁶ to 2¹²⁶.
    Quotient { divisor: usize },
    /// 2⁻¹¹, but any value of a sine or cosine outside of -π to π.
    Angle { operand: usize },
    /// A quotient of a sine and a cosine.
    Tangent { operand: usize },
    /// `exp2(y × log2(x))`.
    Power { exponent: usize },
    /// `x × y` of a fused or unfused sum.
    Product { factors: [usize; 2], ulps: f32 },
    /// `x × (1 - a) + y × a`, or `x + (y - x) × a`.
    Mix { ends: [usize; 2], weight: usize, ulps: f32 },
    /// So many ULP of an operand.
    Of { operand: usize, ulps: f32 },
}

/// The least and the most that may be divided by.
pub(super) const DIVISORS: [f32; 2] = [f32::MIN_POSITIVE, f32::from_bits(0x7e80_0000)];
/// Of a sine or cosine, of a logarithm around 1, and of a root of what is left of 1.
pub(super) const ANGLE: f32 = 1.0 / 2048.0;
pub(super) const LOGARITHM: f32 = 1.0 / 2_097_152.0;
const ROOT: f32 = 1.0 / 4096.0;
pub(super) const ULP: f32 = f32::EPSILON;

const DIVIDED: f32 = 2.5;
const INVERSE_ROOT: f32 = 2.0;
/// `1 / inversesqrt`.
const SQUARE_ROOT: f32 = INVERSE_ROOT + DIVIDED;

/// What is not known exactly of what an instruction computes of floats of 32 bits; or the function of which this cannot
/// be said.
pub(super) fn bounds(m: &Module<'_>, inst: Inst<'_>) -> Result<Vec<Bound>, String> {
    let found = match inst.op() {
        Op::EXT_INST => of_function(m, inst)?,
        op => of_operation(m, inst, op),
    };
    let is_wide = |bound: &Bound| {
        bound.source == Source::Latitude && width(m, inst, bound.at).is_some_and(|bits| bits != 32)
    };
    if found.iter().any(is_wide) {
        return Err(format!("{:?} of floats of other than 32 bits", inst.op()));
    }
    Ok(found.into_iter().filter(|bound| width(m, inst, bound.at) == Some(32)).collect())
}

/// The bits of a float.
fn width(m: &Module<'_>, inst: Inst<'_>, at: At) -> Option<u32> {
    let ty = match at {
        At::Result => inst.result_type(),
        At::Operand(word) => {
            polyshade::spv::Id::new(inst.words()[word]).and_then(|id| m.type_of(id))
        }
    };
    let mut ty = m.ty(ty?)?;
    loop {
        ty = match ty {
            Type::Float { width } => return Some(width),
            Type::Vector { component: part, .. } | Type::Matrix { column: part, .. } => {
                m.ty(part)?
            }
            _ => return None,
        }
    }
}

fn of_operation(m: &Module<'_>, inst: Inst<'_>, op: Op) -> Vec<Bound> {
    match op {
        Op::F_ADD
        | Op::F_SUB
        | Op::F_MUL
        | Op::VECTOR_TIMES_SCALAR
        | Op::MATRIX_TIMES_SCALAR
        | Op::OUTER_PRODUCT => vec![Bound { source: Source::Rounding, ..result(ulps(0.5)) }],
        Op::F_DIV => vec![result(Size::Quotient { divisor: 4 })],
        // `x - y × trunc(x / y)`: the quotient decides which whole number it is.
        Op::F_REM | Op::F_MOD => vec![operand(3, DIVIDED + 0.5), result(ulps(1.0))],
        // A sum of so many products, in any order.
        Op::DOT | Op::VECTOR_TIMES_MATRIX | Op::MATRIX_TIMES_VECTOR | Op::MATRIX_TIMES_MATRIX => {
            let terms = terms(m, inst).unwrap_or(4) as f32;
            vec![operand(3, terms / 2.0)]
        }
        // Where the nearest texel is.
        Op::IMAGE_SAMPLE_EXPLICIT_LOD
        | Op::IMAGE_SAMPLE_DREF_EXPLICIT_LOD
        | Op::IMAGE_SAMPLE_PROJ_EXPLICIT_LOD
        | Op::IMAGE_SAMPLE_PROJ_DREF_EXPLICIT_LOD
        | Op::IMAGE_GATHER
        | Op::IMAGE_DREF_GATHER => vec![operand(4, 4.0)],
        _ => Vec::new(),
    }
}

/// How many products there are in each sum.
fn terms(m: &Module<'_>, inst: Inst<'_>) -> Option<u32> {
    let left = polyshade::spv::Id::new(inst.words()[3]).and_then(|id| m.type_of(id))?;
    match m.ty(left)? {
        Type::Vector { count, .. } | Type::Matrix { count, .. } => Some(count),
        _ => None,
    }
}

fn of_function(m: &Module<'_>, inst: Inst<'_>) -> Result<Vec<Bound>, String> {
    let Some(call) = ExtInst::of(inst) else { return Ok(Vec::new()) };
    let set = m.definition(call.set()).and_then(ExtInstImport::of);
    if set.is_none_or(|set| set.name() != GlslOp::SET) {
        return Ok(Vec::new());
    }
    // Where its operands are.
    const X: usize = 5;
    const Y: usize = 6;
    const Z: usize = 7;
    Ok(match GlslOp(call.number()) {
        GlslOp::RADIANS | GlslOp::DEGREES => vec![result(ulps(DIVIDED + 1.0))],
        GlslOp::SIN | GlslOp::COS => vec![result(Size::Angle { operand: X })],
        GlslOp::TAN => vec![result(Size::Tangent { operand: X })],
        // `atan2` of what may be the root of what is left of 1.
        GlslOp::ASIN | GlslOp::ACOS => {
            vec![result(Size::Within { ulps: 4096.0, absolute: ROOT })]
        }
        GlslOp::ATAN | GlslOp::ATAN2 => vec![result(ulps(4096.0))],
        // Half of the difference or sum of `exp(x)` and `exp(-x)`, and the quotient of both.
        GlslOp::SINH | GlslOp::COSH => vec![result(growing(4.0, 3.0, 8.0 * ULP))],
        GlslOp::TANH => vec![result(growing(8.0 + DIVIDED, 6.0, 8.0 * ULP))],
        GlslOp::EXP | GlslOp::EXP2 => vec![result(growing(3.0, 2.0, 0.0))],
        GlslOp::LOG | GlslOp::LOG2 => {
            vec![result(Size::Within { ulps: 3.0, absolute: LOGARITHM })]
        }
        GlslOp::POW => vec![result(Size::Power { exponent: Y })],
        GlslOp::SQRT => vec![result(ulps(SQUARE_ROOT))],
        GlslOp::INVERSE_SQRT => vec![result(ulps(INVERSE_ROOT))],
        // Sums of products, and their quotients.
        GlslOp::DETERMINANT => vec![operand(X, 6.0)],
        GlslOp::MATRIX_INVERSE => vec![operand(X, 6.0), result(ulps(DIVIDED))],
        GlslOp::F_MIX => {
            vec![result(Size::Mix { ends: [X, Y], weight: Z, ulps: 1.5 })]
        }
        GlslOp::SMOOTH_STEP => vec![result(Size::Within { ulps: 2.0, absolute: 8.0 * ULP })],
        GlslOp::FMA => vec![result(Size::Product { factors: [X, Y], ulps: 0.5 })],
        GlslOp::PACK_SNORM4X8
        | GlslOp::PACK_UNORM4X8
        | GlslOp::PACK_SNORM2X16
        | GlslOp::PACK_UNORM2X16 => vec![operand(X, 1.0)],
        GlslOp::UNPACK_SNORM4X8
        | GlslOp::UNPACK_UNORM4X8
        | GlslOp::UNPACK_SNORM2X16
        | GlslOp::UNPACK_UNORM2X16 => vec![result(ulps(DIVIDED))],
        // The root of a sum of squares, and what is divided by it.
        GlslOp::LENGTH => vec![result(ulps(2.0 + SQUARE_ROOT))],
        GlslOp::DISTANCE => vec![result(ulps(3.0 + SQUARE_ROOT))],
        GlslOp::NORMALIZE => vec![result(ulps(2.0 + SQUARE_ROOT + DIVIDED))],
        GlslOp::CROSS => vec![operand(X, 1.0), result(ulps(0.5))],
        GlslOp::FACE_FORWARD => vec![operand(Z, 2.0)],
        GlslOp::REFLECT => vec![operand(X, 4.0), result(ulps(1.0))],
        GlslOp::REFRACT => {
            vec![operand(X, 6.0), result(Size::Of { operand: Y, ulps: 2.0 + SQUARE_ROOT })]
        }
        GlslOp::ASINH | GlslOp::ACOSH | GlslOp::ATANH => {
            return Err("inverse hyperbolic functions".to_owned());
        }
        _ => Vec::new(),
    })
}

fn ulps(ulps: f32) -> Size {
    Size::Within { ulps, absolute: 0.0 }
}

/// For each of the magnitude of the first operand of a function.
fn growing(ulps: f32, by: f32, absolute: f32) -> Size {
    Size::Growing { ulps, by, operand: 5, absolute }
}

fn result(size: Size) -> Bound {
    Bound { at: At::Result, size, source: Source::Latitude }
}

fn operand(word: usize, of: f32) -> Bound {
    Bound { at: At::Operand(word), size: ulps(of), source: Source::Latitude }
}
