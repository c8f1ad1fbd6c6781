//! Breaks modules on purpose, one line of disassembly at a time, to measure how many faults `verify` detects.

use crate::shader::{assemble, disassemble, validate};
use std::collections::BTreeMap;

/// A disassembled module, split into lines.
#[derive(Debug)]
pub struct Text {
    version: u32,
    lines: Vec<String>,
    /// The scalar constants: their types and values.
    constants: BTreeMap<String, (String, String)>,
    bool: Option<String>,
    /// The set of extended instructions, if the module imports it.
    extended: Option<String>,
    /// The index of the first function's first line.
    functions: usize,
}

/// One broken instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The instruction and its fault, without numeric ids, so that the same fault has the same name in every module.
    pub name: String,
    line: usize,
    /// The new line; `None` removes the instruction.
    instead: Option<String>,
    /// The declaration of an added constant, if the new line uses one.
    constant: Option<String>,
}

/// A fault, with the line that replaces the correct line.
struct Broken {
    how: String,
    instead: Option<String>,
    constant: Option<String>,
}

/// The id of an added value.
const ADDED: &str = "%mutated";

/// Opcodes and extended instructions that replace each other.
const PAIRS: [(&str, &str); 23] = [
    ("OpIAdd", "OpISub"),
    ("OpUDiv", "OpUMod"),
    ("OpSDiv", "OpSMod"),
    ("OpFAdd", "OpFSub"),
    ("OpShiftLeftLogical", "OpShiftRightLogical"),
    ("OpBitwiseAnd", "OpBitwiseOr"),
    ("OpLogicalAnd", "OpLogicalOr"),
    ("OpIEqual", "OpINotEqual"),
    ("OpLogicalEqual", "OpLogicalNotEqual"),
    ("OpULessThan", "OpULessThanEqual"),
    ("OpUGreaterThan", "OpUGreaterThanEqual"),
    ("OpSLessThan", "OpSLessThanEqual"),
    ("OpSGreaterThan", "OpSGreaterThanEqual"),
    ("OpFOrdEqual", "OpFOrdNotEqual"),
    ("OpFOrdLessThan", "OpFOrdLessThanEqual"),
    ("OpFOrdGreaterThan", "OpFOrdGreaterThanEqual"),
    ("OpAtomicAnd", "OpAtomicOr"),
    ("OpAtomicUMin", "OpAtomicUMax"),
    ("OpAny", "OpAll"),
    ("FMin", "FMax"),
    ("NMin", "NMax"),
    ("UMin", "UMax"),
    ("SMin", "SMax"),
];

/// Other opcodes and extended instructions, each with the opcode or instruction that replaces it.
const OTHERS: [(&str, &str); 16] = [
    ("OpIMul", "OpIAdd"),
    ("OpSRem", "OpSDiv"),
    ("OpFMul", "OpFAdd"),
    ("OpFDiv", "OpFMul"),
    ("OpShiftRightArithmetic", "OpShiftRightLogical"),
    ("OpBitwiseXor", "OpBitwiseOr"),
    ("OpFUnordNotEqual", "OpFOrdEqual"),
    ("OpAtomicIAdd", "OpAtomicISub"),
    ("OpConvertFToU", "OpBitcast"),
    ("OpConvertFToS", "OpBitcast"),
    ("OpConvertUToF", "OpBitcast"),
    ("OpConvertSToF", "OpBitcast"),
    ("OpKill", "OpReturn"),
    ("OpTerminateInvocation", "OpReturn"),
    ("Floor", "Ceil"),
    ("Sqrt", "InverseSqrt"),
];

/// Instructions that can be removed without leaving an id undefined.
const DROPPED: [&str; 11] = [
    "OpStore",
    "OpCopyMemory",
    "OpImageWrite",
    "OpControlBarrier",
    "OpMemoryBarrier",
    "OpAtomicStore",
    "OpEmitVertex",
    "OpEndPrimitive",
    "OpEmitStreamVertex",
    "OpExecutionMode",
    "OpDecorate",
];

/// Decorations that affect no computed value.
const UNFELT: [&str; 4] = ["RelaxedPrecision", "UserSemantic", "Aliased", "Restrict"];

/// Instructions whose result does not depend on the order of their operands, or that have none.
const COMMUTATIVE: [&str; 18] = [
    "OpIAdd",
    "OpIMul",
    "OpFAdd",
    "OpFMul",
    "OpBitwiseAnd",
    "OpBitwiseOr",
    "OpBitwiseXor",
    "OpLogicalAnd",
    "OpLogicalOr",
    "OpIEqual",
    "OpINotEqual",
    "OpLogicalEqual",
    "OpLogicalNotEqual",
    "OpFOrdEqual",
    "OpFOrdNotEqual",
    "OpFUnordNotEqual",
    "OpDot",
    "OpExtInst",
];

impl Text {
    /// Disassembles a module.
    ///
    /// # Errors
    ///
    /// The message of SPIRV-Tools, if it cannot read the words.
    pub fn of(words: &[u32]) -> Result<Text, String> {
        let text = disassemble(words)?;
        let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        let mut constants = BTreeMap::new();
        for line in &lines {
            if let [id, "=", "OpConstant", ty, value] = split(line)[..] {
                constants.insert(id.to_owned(), (ty.to_owned(), value.to_owned()));
            }
        }
        let id = |what: &str| lines.iter().find_map(|line| line.strip_suffix(what));
        let bool = id(" = OpTypeBool");
        let extended = id(" = OpExtInstImport \"GLSL.std.450\"");
        let functions = lines.iter().position(|line| line.contains(" = OpFunction "));
        Ok(Text {
            version: words[1],
            bool: bool.map(str::to_owned),
            extended: extended.map(str::to_owned),
            constants,
            functions: functions.unwrap_or(lines.len()),
            lines,
        })
    }

    /// Returns all possible faults of all instructions.
    pub fn mutants(&self) -> Vec<Mutant> {
        let mut function = "";
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut mutants = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if line.contains(" = OpFunction ") {
                function = split(line)[0].trim_start_matches('%');
            }
            let place = if number < self.functions { "" } else { function };
            let plain = without_numbers(line);
            for Broken { how, instead, constant } in self.broken(number) {
                let mut name = format!("{place}: {plain} | {how}");
                let count = counts.entry(name.clone()).or_default();
                *count += 1;
                if *count > 1 {
                    name = format!("{name} #{count}");
                }
                mutants.push(Mutant { name, line: number, instead, constant });
            }
        }
        mutants
    }

    /// Assembles the unmutated module. The assembler assigns the ids.
    ///
    /// # Errors
    ///
    /// The message of SPIRV-Tools, if it cannot read the text.
    pub fn words(&self) -> Result<Vec<u32>, String> {
        let mut words = assemble(&self.lines.join("\n"))?;
        words[1] = self.version;
        Ok(words)
    }

    /// Returns the words of the module with one broken instruction, or `None` if the module is then invalid.
    pub fn apply(&self, mutant: &Mutant) -> Option<Vec<u32>> {
        let mut lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        match &mutant.instead {
            Some(line) => lines[mutant.line] = line,
            None => drop(lines.remove(mutant.line)),
        }
        if let Some(constant) = &mutant.constant {
            lines.insert(self.functions, constant);
        }
        let mut words = assemble(&lines.join("\n")).ok()?;
        words[1] = self.version;
        validate(&words).ok()?;
        Some(words)
    }

    fn broken(&self, number: usize) -> Vec<Broken> {
        let tokens = split(&self.lines[number]);
        let first = if tokens.get(1) == Some(&"=") { 2 } else { 0 };
        let Some((op, operands)) = tokens[first..].split_first() else { return Vec::new() };
        let mut broken = Vec::new();
        let mut with = |how: String, tokens: &[&str]| {
            broken.push(Broken { how, instead: Some(tokens.join(" ")), constant: None });
        };
        // Before the first function, only literals are changed.
        if number < self.functions {
            literals(&tokens, op, &mut with);
        } else {
            opcodes(&tokens, first, &mut with);
            operations(&tokens, first, op, operands, &mut with);
            broken.extend(self.constants(&tokens, first + 1));
            broken.extend(self.branches(&tokens, op));
            broken.extend(masked(&tokens, op));
            broken.extend(another_case(&tokens, op));
            broken.extend(self.compared_with_zero(&tokens, op));
            broken.extend(self.absolute(&tokens, op));
        }
        // Remove the instruction.
        let is_felt = !UNFELT.iter().any(|one| operands.contains(one));
        let is_call = *op == "OpFunctionCall" && operands[0] == "%void";
        if DROPPED.contains(op) && is_felt || is_call {
            broken.push(Broken { how: "dropped".to_owned(), instead: None, constant: None });
        }
        broken
    }

    /// Replaces a constant operand by another constant.
    fn constants(&self, tokens: &[&str], first: usize) -> Vec<Broken> {
        let mut broken = Vec::new();
        for (at, token) in tokens.iter().enumerate().skip(first) {
            let Some((ty, value)) = self.constants.get(*token) else { continue };
            for other in other_values(value) {
                let mut tokens = tokens.to_vec();
                tokens[at] = ADDED;
                broken.push(Broken {
                    how: format!("operand {}: {other}", at - first),
                    instead: Some(tokens.join(" ")),
                    constant: Some(format!("{ADDED} = OpConstant {ty} {other}")),
                });
            }
        }
        broken
    }

    /// Makes a branch always or never taken.
    fn branches(&self, tokens: &[&str], op: &str) -> Vec<Broken> {
        let Some(bool) = self.bool.as_ref().filter(|_| op == "OpBranchConditional") else {
            return Vec::new();
        };
        let one = |how: &str, constant: &str| {
            let mut tokens = tokens.to_vec();
            tokens[1] = ADDED;
            Broken {
                how: how.to_owned(),
                instead: Some(tokens.join(" ")),
                constant: Some(format!("{ADDED} = {constant} {bool}")),
            }
        };
        vec![one("always", "OpConstantTrue"), one("never", "OpConstantFalse")]
    }

    /// Changes a comparison with 0 to accept NaN, or to distinguish the two zeros.
    fn compared_with_zero(&self, tokens: &[&str], op: &str) -> Vec<Broken> {
        let is_zero = |at: &usize| {
            let found = tokens.get(*at).and_then(|id| self.constants.get(*id));
            found.is_some_and(|(_, value)| value.parse() == Ok(0.0))
        };
        // Only scalar comparisons with one constant operand 0 qualify.
        let is_scalar = op.starts_with("OpFOrd") && tokens.get(3).copied() == self.bool.as_deref();
        let Some(zero) = [4, 5].into_iter().find(is_zero).filter(|_| is_scalar) else {
            return Vec::new();
        };
        let (ty, value) = (&self.constants[tokens[zero]].0, tokens[9 - zero]);
        // 1/x distinguishes -0 from 0.
        let mut reciprocal = tokens.to_vec();
        let turned = format!("{ADDED}_turned");
        reciprocal[9 - zero] = &turned;
        let division = format!("{turned} = OpFDiv {ty} {ADDED} {value}");
        vec![
            Broken {
                how: "or no number".to_owned(),
                instead: Some(tokens.join(" ").replace("OpFOrd", "OpFUnord")),
                constant: None,
            },
            Broken {
                how: "of the reciprocal".to_owned(),
                instead: Some(format!("{division}\n{}", reciprocal.join(" "))),
                constant: Some(format!("{ADDED} = OpConstant {ty} 1")),
            },
        ]
    }

    /// Replaces texels by their absolute values.
    fn absolute(&self, tokens: &[&str], op: &str) -> Option<Broken> {
        let reads =
            ["OpImageFetch", "OpImageRead", "OpImageSampleImplicitLod", "OpImageSampleExplicitLod"];
        let set = self.extended.as_ref().filter(|_| reads.contains(&op))?;
        let (result, ty) = (tokens[0], tokens[3]);
        let absolute = match ty {
            _ if ty.ends_with("float") => "FAbs",
            _ if ty.ends_with("uint") => return None,
            _ => "SAbs",
        };
        let read = tokens[1..].join(" ");
        let of_read = format!("{result} = OpExtInst {ty} {set} {absolute} {ADDED}_read");
        let instead = Some(format!("{ADDED}_read {read}\n{of_read}"));
        Some(Broken { how: "absolute".to_owned(), instead, constant: None })
    }
}

/// Keeps only the low bits of a vertex or instance index.
fn masked(tokens: &[&str], op: &str) -> Vec<Broken> {
    let masks: &[u32] = match (op, tokens.get(4)) {
        ("OpLoad", Some(&"%gl_VertexIndex")) => &[63, 255],
        ("OpLoad", Some(&"%gl_InstanceIndex")) => &[3],
        _ => &[],
    };
    let masked = |mask: &u32| {
        let (result, ty, pointer) = (tokens[0], tokens[3], tokens[4]);
        let load = format!("{ADDED}_whole = OpLoad {ty} {pointer}");
        Broken {
            how: format!("and {mask}"),
            instead: Some(format!("{load}\n{result} = OpBitwiseAnd {ty} {ADDED}_whole {ADDED}")),
            constant: Some(format!("{ADDED} = OpConstant {ty} {mask}")),
        }
    };
    masks.iter().map(masked).collect()
}

/// Adds a case to a switch, for the smallest number that has no case yet.
fn another_case(tokens: &[&str], op: &str) -> Option<Broken> {
    let cases = tokens.get(3..).filter(|cases| op == "OpSwitch" && !cases.is_empty())?;
    let has = |number: &u32| cases.iter().step_by(2).any(|case| case.parse() == Ok(*number));
    let number = (1..).find(|number| !has(number))?;
    let instead = format!("{} {number} {}", tokens.join(" "), cases[1]);
    Some(Broken { how: format!("case {number} too"), instead: Some(instead), constant: None })
}

/// Increments the literals of decorations and execution modes.
fn literals(tokens: &[&str], op: &str, with: &mut impl FnMut(String, &[&str])) {
    if !["OpDecorate", "OpMemberDecorate", "OpExecutionMode"].contains(&op) {
        return;
    }
    let last = tokens.len() - 1;
    let Ok(value) = tokens[last].parse::<u32>() else { return };
    let is_bytes = ["Offset", "ArrayStride", "MatrixStride", "XfbStride"];
    let more = value + if is_bytes.contains(&tokens[last - 1]) { 4 } else { 1 };
    if op == "OpMemberDecorate" && last < 4 {
        return;
    }
    let (mut tokens, more) = (tokens.to_vec(), more.to_string());
    tokens[last] = &more;
    with(more.clone(), &tokens);
}

/// Replaces the opcode or the extended instruction.
fn opcodes(tokens: &[&str], first: usize, with: &mut impl FnMut(String, &[&str])) {
    let at = if tokens[first] == "OpExtInst" { first + 3 } else { first };
    let turned = PAIRS.map(|(one, other)| (other, one));
    let mut others = PAIRS.iter().chain(&turned).chain(&OTHERS);
    if let Some((_, other)) = others.find(|(one, _)| tokens.get(at) == Some(one)) {
        let mut tokens = tokens.to_vec();
        tokens[at] = other;
        with((*other).to_owned(), &tokens);
    }
}

/// Reorders operands, selects other components, and replaces an operation by one of its operands.
fn operations(
    tokens: &[&str],
    first: usize,
    op: &str,
    operands: &[&str],
    with: &mut impl FnMut(String, &[&str]),
) {
    // Change literal operands.
    let has_result = first == 2;
    let literals = match op {
        "OpVectorShuffle" => 3..operands.len(),
        "OpCompositeExtract" => 2..operands.len(),
        "OpCompositeInsert" => 3..operands.len(),
        _ => 0..0,
    };
    for at in literals {
        let value: u32 = operands[at].parse().unwrap_or(0);
        let other = if value == 0 { 1 } else { value - 1 }.to_string();
        let mut tokens = tokens.to_vec();
        tokens[first + 1 + at] = &other;
        with(format!("operand {at}: {other}"), &tokens);
    }
    // Exchange neighbouring operands.
    let is_branch = op == "OpBranchConditional";
    let start = match op {
        "OpExtInst" => 3,
        "OpFunctionCall" => 2,
        _ => 1,
    };
    let is_computed = has_result && !["OpFunction", "OpVariable", "OpLoad", "OpPhi"].contains(&op);
    if (is_computed && !COMMUTATIVE.contains(&op) || is_branch) && operands.len() > start {
        let ids = |at: usize| operands.get(at).is_some_and(|one| one.starts_with('%'));
        for at in (start..operands.len() - 1).filter(|at| ids(*at) && ids(at + 1)) {
            if operands[at] != operands[at + 1] {
                let mut tokens = tokens.to_vec();
                tokens.swap(first + 1 + at, first + 2 + at);
                with(format!("operands {at} and {} swapped", at + 1), &tokens);
            }
        }
    }
    // Replace the result by an operand.
    if is_computed && op != "OpCopyObject" {
        for (at, operand) in operands.iter().enumerate().skip(start) {
            if operand.starts_with('%') {
                let copy = [tokens[0], "=", "OpCopyObject", operands[0], operand];
                with(format!("operand {at} instead"), &copy);
            }
        }
    }
}

/// Returns the values that may replace a constant's value.
fn other_values(value: &str) -> Vec<String> {
    if let Ok(value) = value.parse::<i64>() {
        let more = value + if value == i64::from(u32::MAX) { -2 } else { 1 };
        let less = (value > 0).then(|| value - 1);
        return [Some(more), less].into_iter().flatten().map(|value| value.to_string()).collect();
    }
    match value.parse::<f64>() {
        Ok(0.0) => vec!["1".to_owned()],
        Ok(value) => vec!["0".to_owned(), format!("{}", value * 2.0)],
        Err(_) => Vec::new(),
    }
}

/// Splits a line into tokens; a quoted string is one token.
fn split(line: &str) -> Vec<&str> {
    match line.split_once('"') {
        None => line.split(' ').collect(),
        Some((head, _)) => head.split_whitespace().chain([&line[head.len()..]]).collect(),
    }
}

/// Removes the numbers of ids, which differ between modules.
fn without_numbers(line: &str) -> String {
    let plain = |token: &str| match token.strip_prefix('%') {
        Some(id) if id.bytes().all(|byte| byte.is_ascii_digit()) => "%".to_owned(),
        _ => token.to_owned(),
    };
    split(line).into_iter().map(plain).collect::<Vec<_>>().join(" ")
}
