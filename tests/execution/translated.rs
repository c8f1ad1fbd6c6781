//! Compute shaders give the same results after a translation to another language and back.

use crate::drivers::{DRIVERS, Driver};
use crate::glsl;
use crate::memory::{bytes, words};
use crate::noise::Noise;
use polyshade::Module;
use polyshade_formats::wgsl::{self, Wgsl};
use polyshade_formats::{ShaderStage, SpirvVersion};
use polyshade_spv::{GlslOp, Op};
use polyshade_vulkan::{Descriptor, Draw, Range, Resource, Stage, Work, vk};

/// The number of invocations. Each invocation reads two words and writes one word for each expression.
const INVOCATIONS: usize = 64;

/// Returns a shader that writes the values of these expressions of `x` and `y`, which have the type `ty`.
fn shader(ty: &str, expressions: &[&str]) -> Vec<u32> {
    let stores = (2..).zip(expressions).map(|(number, expression)| {
        format!("    words[64 * {number} + at] = uint({expression});\n")
    });
    let source = format!(
        "#version 450\n\
         layout(local_size_x = {INVOCATIONS}) in;\n\
         layout(set = 0, binding = 0) buffer Words {{ uint words[]; }};\n{WIDE}\
         void main() {{\n    uint at = gl_LocalInvocationIndex;\n    \
         {ty} x = {ty}(words[at]), y = {ty}(words[64 + at]);\n{}}}\n",
        stores.collect::<String>()
    );
    glsl::compiled(ShaderStage::Compute, &source, SpirvVersion::SPIRV1_3)
}

/// Returns `x` of each invocation, then `y`.
fn inputs() -> Vec<u32> {
    let mut noise = Noise::new();
    (0..2 * INVOCATIONS).map(|_| noise.bits()).collect()
}

/// Returns the results of the invocations, expression by expression.
fn run(driver: Driver, module: &[u32], expressions: usize) -> Vec<u32> {
    let mut memory = inputs();
    memory.resize(INVOCATIONS * (2 + expressions), 0);
    let range = Range { buffer: 0, offset: 0, size: 4 * memory.len() as u64 };
    let stage = Stage::new(vk::ShaderStageFlags::COMPUTE, module);
    let draw = Draw {
        descriptors: vec![Descriptor::new(0, 0, Resource::StorageBuffer(range))],
        dispatch: Some([1, 1, 1]),
        ..Draw::new(vec![stage], 0..0)
    };
    let work = Work { buffers: vec![bytes(&memory)], draws: vec![draw], ..Work::default() };
    words(&driver.run(&work).buffers[0])[2 * INVOCATIONS..].to_vec()
}

/// Returns the module after a translation to WGSL and back.
fn by_way_of_wgsl(module: &[u32]) -> Vec<u32> {
    let text = wgsl::write(module, &Wgsl::default()).expect("WGSL has all of it").source;
    wgsl::read(&text, "0", SpirvVersion::SPIRV1_3).expect("it was written")
}

/// Checks that the module computes the same values after a translation to WGSL and back.
#[track_caller]
fn is_the_same_in_wgsl(module: &[u32], expressions: &[&str]) {
    let again = by_way_of_wgsl(module);
    for driver in DRIVERS {
        let [before, after] = [module, &again].map(|module| run(driver, module, expressions.len()));
        let results = before.chunks(INVOCATIONS).zip(after.chunks(INVOCATIONS));
        for (expression, (before, after)) in expressions.iter().zip(results) {
            assert_eq!(before, after, "{driver:?}: {expression}");
        }
    }
}

/// Functions that combine the two results of wide additions, subtractions and products into one word.
const WIDE: &str = "
uint sum(uint x, uint y) { uint carry; uint sum = uaddCarry(x, y, carry); return sum ^ carry; }
uint difference(uint x, uint y) { uint borrow; uint rest = usubBorrow(x, y, borrow); return rest ^ borrow; }
uint product(uint x, uint y) { uint high, low; umulExtended(x, y, high, low); return high ^ low; }
int product(int x, int y) { int high, low; imulExtended(x, y, high, low); return high ^ low; }
";

const SIGNED: [&str; 8] = [
    "x / 7",
    "x >> (y & 31)",
    "min(x, y) + max(x, y)",
    "clamp(x, -5, 5) + sign(y)",
    "int(float(x) * 0.25)",
    "bitfieldExtract(x, 3, 9)",
    "findMSB(x) + findLSB(y) + bitCount(x)",
    "product(x, y)",
];

const UNSIGNED: [&str; 11] = [
    "x % 7u",
    "x / 7u",
    "x >> (y & 31)",
    "min(x, y) + max(x, y)",
    "clamp(x, 5, 1u << 31)",
    "float(x) * 0.25",
    "bitfieldExtract(x, 3, 9)",
    "findMSB(x) + findLSB(y) + bitCount(x)",
    "product(x, y)",
    "sum(x, y)",
    "difference(x, y)",
];

#[test]
fn integers_of_wgsl_are_those_of_the_module() {
    is_the_same_in_wgsl(&shader("int", &SIGNED), &SIGNED);
    is_the_same_in_wgsl(&shader("uint", &UNSIGNED), &UNSIGNED);
}

/// On lavapipe, results have the sign of the dividend, so the expected values are computed here. 32-bit floats cannot
/// represent these numbers.
#[test]
fn modulo_of_wgsl_has_the_sign_of_the_divisor() {
    let expressions = ["x % 7", "x % -7", "x % (y | 1)"];
    let module = by_way_of_wgsl(&shader("int", &expressions));
    let (inputs, signed) = (inputs(), |word: u32| i64::from(word as i32));
    let (x, y) = inputs.split_at(INVOCATIONS);
    let divisors = [&|_| 7, &|_| -7, &|y| signed(y | 1)] as [&dyn Fn(u32) -> i64; 3];
    let expected = divisors.iter().flat_map(|divisor| {
        x.iter().zip(y).map(|(x, y)| {
            let divisor = divisor(*y);
            ((signed(*x) % divisor + divisor) % divisor) as u32
        })
    });
    let expected: Vec<u32> = expected.collect();
    for driver in DRIVERS {
        assert_eq!(run(driver, &module, expressions.len()), expected, "{driver:?}");
    }
}

/// Instructions whose operands have the opposite signedness.
#[test]
fn wgsl_goes_by_the_signedness_of_instructions() {
    let signed = |op, glsl| match (op, glsl) {
        (Op::U_DIV, _) => (Op::S_DIV, glsl),
        (Op::U_MOD, _) => (Op::S_REM, glsl),
        (Op::SHIFT_RIGHT_LOGICAL, _) => (Op::SHIFT_RIGHT_ARITHMETIC, glsl),
        (Op::CONVERT_U_TO_F, _) => (Op::CONVERT_S_TO_F, glsl),
        (Op::CONVERT_F_TO_U, _) => (Op::CONVERT_F_TO_S, glsl),
        (Op::BIT_FIELD_U_EXTRACT, _) => (Op::BIT_FIELD_S_EXTRACT, glsl),
        (Op::EXT_INST, GlslOp::U_MIN) => (op, GlslOp::S_MIN),
        (Op::EXT_INST, GlslOp::U_MAX) => (op, GlslOp::S_MAX),
        (Op::EXT_INST, GlslOp::FIND_U_MSB) => (op, GlslOp::FIND_S_MSB),
        _ => (op, glsl),
    };
    // The result of `clamp` is undefined if the bounds are exchanged.
    let expressions: Vec<&str> =
        UNSIGNED.into_iter().filter(|expression| !expression.starts_with("clamp")).collect();
    let module = shader("uint", &expressions);
    is_the_same_in_wgsl(&exchanged(&module, signed), &expressions);
}

/// Returns the module with opcodes and `GLSL.std.450` instructions replaced.
fn exchanged(module: &[u32], other: impl Fn(Op, GlslOp) -> (Op, GlslOp)) -> Vec<u32> {
    let m = Module::parse(module).expect("it was compiled");
    let mut words = module[..5].to_vec();
    for inst in m.instructions() {
        let start = words.len();
        words.extend_from_slice(inst.words());
        let number = inst.words().get(4).copied().unwrap_or(0);
        let (op, number) = other(inst.op(), GlslOp(number));
        words[start] = words[start] & 0xffff_0000 | u32::from(op.0);
        if inst.op() == Op::EXT_INST {
            words[start + 4] = number.0;
        }
    }
    words
}
