//! The kinds of instruction literals (SPIR-V specification, 3), for literals with names.

use polyshade_spv::{Decoration, Inst, Op};
use spirv::{
    AccessQualifier, AddressingModel, BuiltIn, Capability, DebuginfoOp,
    Decoration as DecorationName, Dim, ExecutionMode, ExecutionModel, FPEncoding, FPRoundingMode,
    FunctionParameterAttribute, GlslStd450Op, GroupOperation, ImageFormat, LinkageType,
    MemoryModel, NonsemanticClspvreflectionOp, NonsemanticShaderDebuginfo100Op, Op as OpName,
    OpenclDebuginfo100Op, OpenclStd100Op, PackedVectorFormat, SamplerAddressingMode,
    SamplerFilterMode, SourceLanguage, SpvAmdGcnShaderOp, SpvAmdShaderBallotOp,
    SpvAmdShaderExplicitVertexParameterOp, SpvAmdShaderTrinaryMinmaxOp, StorageClass,
};
use std::fmt::Debug;

/// How a literal is printed.
#[derive(Clone, Copy)]
pub(super) enum LiteralKind {
    /// A number.
    Number,
    /// A string.
    Text,
    /// A number of the result type.
    Value,
    /// A number of the selector's type.
    Label,
    /// A value of an enumeration.
    Enumerant(fn(u32) -> Option<String>),
    /// A mask of named bits.
    Mask(&'static [&'static str]),
    /// The number of an extended instruction.
    Extended,
    /// A word without a known name.
    Raw,
}

macro_rules! enumerant {
    ($set:ident) => {
        LiteralKind::Enumerant(|word| name($set::from_u32(word)))
    };
}

/// Returns the name that assemblers accept. Older assemblers know partitions only with NVIDIA's suffix.
pub(super) fn name(enumerant: Option<impl Debug>) -> Option<String> {
    let name = format!("{:?}", enumerant?);
    match name.strip_suffix("EXT") {
        Some(former) if former.contains("Partition") => Some(format!("{former}NV")),
        _ => Some(name),
    }
}

/// The names of bits. Masks with other bits are printed as numbers.
const FUNCTION: &[&str] = &["Inline", "DontInline", "Pure", "Const"];
const SELECTION: &[&str] = &["Flatten", "DontFlatten"];
const LOOP: &[&str] = &[
    "Unroll",
    "DontUnroll",
    "DependencyInfinite",
    "DependencyLength",
    "MinIterations",
    "MaxIterations",
    "IterationMultiple",
    "PeelCount",
    "PartialCount",
];
const MEMORY: &[&str] = &[
    "Volatile",
    "Aligned",
    "Nontemporal",
    "MakePointerAvailable",
    "MakePointerVisible",
    "NonPrivatePointer",
];
const IMAGE: &[&str] = &[
    "Bias",
    "Lod",
    "Grad",
    "ConstOffset",
    "Offset",
    "ConstOffsets",
    "Sample",
    "MinLod",
    "MakeTexelAvailable",
    "MakeTexelVisible",
    "NonPrivateTexel",
    "VolatileTexel",
    "SignExtend",
    "ZeroExtend",
    "Nontemporal",
    "",
    "Offsets",
];
const FAST_MATH: &[&str] = &["NotNaN", "NotInf", "NSZ", "AllowRecip", "Fast"];

/// Returns the names of the bits of `word`; `None` if a bit has no name.
pub(super) fn mask(word: u32, bits: &[&str]) -> Option<String> {
    if word == 0 {
        return Some("None".to_owned());
    }
    let set = (0..32).filter(|bit| word >> bit & 1 != 0);
    let names = set.map(|bit| bits.get(bit).copied().filter(|name| !name.is_empty()));
    Some(names.collect::<Option<Vec<_>>>()?.join("|"))
}

/// Returns the name of an instruction of an extended set.
pub(super) fn extended(set: &str, number: u32) -> Option<String> {
    match set {
        "GLSL.std.450" => name(GlslStd450Op::from_u32(number)),
        "OpenCL.std" => name(OpenclStd100Op::from_u32(number)),
        "DebugInfo" => name(DebuginfoOp::from_u32(number)),
        "OpenCL.DebugInfo.100" => name(OpenclDebuginfo100Op::from_u32(number)),
        "NonSemantic.Shader.DebugInfo.100" => {
            name(NonsemanticShaderDebuginfo100Op::from_u32(number))
        }
        "NonSemantic.ClspvReflection.5" => name(NonsemanticClspvreflectionOp::from_u32(number)),
        "SPV_AMD_gcn_shader" => name(SpvAmdGcnShaderOp::from_u32(number)),
        "SPV_AMD_shader_ballot" => name(SpvAmdShaderBallotOp::from_u32(number)),
        "SPV_AMD_shader_explicit_vertex_parameter" => {
            name(SpvAmdShaderExplicitVertexParameterOp::from_u32(number))
        }
        "SPV_AMD_shader_trinary_minmax" => name(SpvAmdShaderTrinaryMinmaxOp::from_u32(number)),
        // Assemblers accept the numbers of unknown sets.
        _ if set.starts_with("NonSemantic.") => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the kinds of an instruction's literals, in order. All literals after these are numbers.
pub(super) fn of(inst: Inst<'_>) -> Vec<LiteralKind> {
    use LiteralKind::{Extended, Label, Mask, Number, Text, Value};
    match inst.op() {
        Op::NAME
        | Op::STRING
        | Op::SOURCE_EXTENSION
        | Op::SOURCE_CONTINUED
        | Op::EXTENSION
        | Op::EXT_INST_IMPORT
        | Op::MODULE_PROCESSED
        | Op::TYPE_OPAQUE => vec![Text],
        Op::MEMBER_NAME => vec![Number, Text],
        Op::SOURCE => vec![enumerant!(SourceLanguage), Number, Text],
        Op::CAPABILITY => vec![enumerant!(Capability)],
        Op::MEMORY_MODEL => vec![enumerant!(AddressingModel), enumerant!(MemoryModel)],
        Op::ENTRY_POINT => vec![enumerant!(ExecutionModel), Text],
        Op::EXECUTION_MODE | Op::EXECUTION_MODE_ID => vec![enumerant!(ExecutionMode)],
        Op::DECORATE | Op::DECORATE_ID | Op::DECORATE_STRING => decorated(inst.words(), 2),
        Op::MEMBER_DECORATE | Op::MEMBER_DECORATE_STRING => {
            [vec![Number], decorated(inst.words(), 3)].concat()
        }
        Op::TYPE_FLOAT => vec![Number, enumerant!(FPEncoding)],
        Op::TYPE_IMAGE => {
            let sampled = [Number; 4];
            let (format, access) = (enumerant!(ImageFormat), enumerant!(AccessQualifier));
            [&[LiteralKind::Enumerant(dimension)], &sampled[..], &[format, access]].concat()
        }
        Op::TYPE_PIPE => vec![enumerant!(AccessQualifier)],
        Op::TYPE_POINTER
        | Op::TYPE_FORWARD_POINTER
        | Op::VARIABLE
        | Op::TYPE_UNTYPED_POINTER_KHR
        | Op::UNTYPED_VARIABLE_KHR
        | Op::GENERIC_CAST_TO_PTR_EXPLICIT => vec![enumerant!(StorageClass)],
        Op::CONSTANT | Op::SPEC_CONSTANT => vec![Value],
        Op::CONSTANT_SAMPLER => {
            vec![enumerant!(SamplerAddressingMode), Number, enumerant!(SamplerFilterMode)]
        }
        Op::SPEC_CONSTANT_OP => vec![enumerant!(OpName)],
        Op::FUNCTION => vec![Mask(FUNCTION)],
        Op::SELECTION_MERGE => vec![Mask(SELECTION)],
        Op::LOOP_MERGE => vec![Mask(LOOP)],
        Op::SWITCH => vec![Label; inst.words().len()],
        Op::LOAD | Op::STORE => vec![Mask(MEMORY)],
        Op::COPY_MEMORY => copied(inst.words(), 3),
        Op::COPY_MEMORY_SIZED => copied(inst.words(), 4),
        Op::EXT_INST | Op::EXT_INST_WITH_FORWARD_REFS_KHR => vec![Extended],
        op => by_name(&name(OpName::from_u32(op.0.into())).unwrap_or_default()),
    }
}

/// Returns the kinds of an instruction's literals if the instruction's name determines them.
fn by_name(op: &str) -> Vec<LiteralKind> {
    if op.starts_with("Image") {
        vec![LiteralKind::Mask(IMAGE)]
    } else if op.starts_with("Group") && !op.ends_with("Decorate") {
        vec![enumerant!(GroupOperation)]
    } else if op.ends_with("Dot") || op.ends_with("DotAccSat") {
        vec![enumerant!(PackedVectorFormat)]
    } else if op.starts_with("CooperativeMatrixLoad") || op.starts_with("CooperativeMatrixStore") {
        vec![LiteralKind::Mask(MEMORY), LiteralKind::Raw]
    } else if op.starts_with("Cooperative") || op.contains("Tensor") {
        vec![LiteralKind::Raw]
    } else {
        vec![]
    }
}

/// Returns the kinds for the masks of the target and the source. The first mask, at word `at`, may be followed by a
/// number.
fn copied(words: &[u32], at: usize) -> Vec<LiteralKind> {
    let mask = LiteralKind::Mask(MEMORY);
    let is_aligned = words.get(at).is_some_and(|mask| mask & ALIGNED != 0);
    if is_aligned { vec![mask, LiteralKind::Number, mask] } else { vec![mask, mask] }
}

/// The bit of `Aligned`.
const ALIGNED: u32 = 2;

fn dimension(word: u32) -> Option<String> {
    Some(name(Dim::from_u32(word))?.strip_prefix("Dim")?.to_owned())
}

/// Returns the kinds for a decoration at word `at` and its operands.
fn decorated(words: &[u32], at: usize) -> Vec<LiteralKind> {
    let decoration = enumerant!(DecorationName);
    match Decoration(words.get(at).copied().unwrap_or(0)) {
        Decoration::BUILT_IN => vec![decoration, enumerant!(BuiltIn)],
        Decoration::FP_FAST_MATH_MODE => vec![decoration, LiteralKind::Mask(FAST_MATH)],
        Decoration::FP_ROUNDING_MODE => vec![decoration, enumerant!(FPRoundingMode)],
        Decoration::FUNC_PARAM_ATTR => vec![decoration, enumerant!(FunctionParameterAttribute)],
        Decoration::LINKAGE_ATTRIBUTES => {
            vec![decoration, LiteralKind::Text, enumerant!(LinkageType)]
        }
        Decoration::USER_SEMANTIC | Decoration::USER_TYPE_GOOGLE => {
            vec![decoration, LiteralKind::Text]
        }
        // Decorations for kernels have other strings and enumerations.
        Decoration(number) if number > LAST_OF_GRAPHICS => vec![decoration, LiteralKind::Raw],
        _ => vec![decoration],
    }
}

/// The highest decoration of Vulkan and OpenGL.
const LAST_OF_GRAPHICS: u32 = 5500;
