//! Shaders as text and as words. Standard tools assemble, compile, disassemble and validate them, so that the tests
//! do not rely on polyshade's own interpretation of SPIR-V.

use std::fs;
use std::path::Path;

use polyshade_spv::Module;

pub use polyshade_formats::ShaderStage;
use polyshade_formats::glsl::{Language, SourceText};
use polyshade_formats::{SpirvVersion, stage_of_extension, wgsl};
use spirv_tools::TargetEnv;
use spirv_tools::assembler::{Assembler, AssemblerOptions, DisassembleOptions};
use spirv_tools::val::{Validator, ValidatorOptions};

/// Returns the SPIR-V words of a shader file: `.spv`, `.spvasm`, `.wgsl`, `.STAGE.hlsl`, or GLSL with the extension
/// of its stage (`.vert`, `.frag`, …). Text is compiled to the SPIR-V version in its comment `; Version: 1.N` or `//
/// Version: 1.N`, or to 1.0 without such a comment.
pub fn read(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if extension == "spv" {
        return words(&bytes);
    }
    let text = String::from_utf8(bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    match stage_of_extension(extension) {
        Some(stage) => compile(&text, stage),
        None if extension == "spvasm" => assemble(&text),
        None if extension == "hlsl" => hlsl(&text, path),
        None if extension == "wgsl" => {
            wgsl::read(&text, "0", version(&text)?).map_err(|error| error.to_string())
        }
        None => Err(format!("{}: not the file name of a shader", path.display())),
    }
    .map_err(|error| format!("{}: {error}", path.display()))
}

/// Compiles GLSL.
pub fn compile(glsl: &str, stage: ShaderStage) -> Result<Vec<u32>, String> {
    polyshade_formats::compile(glsl, stage, version(glsl)?).map_err(|error| error.to_string())
}

/// Compiles GLSL to a module.
///
/// # Panics
///
/// If it does not compile.
#[track_caller]
pub fn module(glsl: &str, stage: ShaderStage) -> Module<'static> {
    let words = compile(glsl, stage).unwrap_or_else(|error| panic!("{error}\n{glsl}"));
    Module::parse_owned(words).expect("glslang writes modules")
}

/// Compiles HLSL with the entry point `main`; the file name contains the stage, as in `a.vert.hlsl`.
fn hlsl(text: &str, path: &Path) -> Result<Vec<u32>, String> {
    let stem = path.file_stem().map(Path::new).and_then(Path::extension);
    let stage = stem.and_then(|stage| stage_of_extension(stage.to_str()?)).ok_or("no stage")?;
    let source = SourceText::new(text, Language::Hlsl, stage).version(version(text)?);
    source.compile().map_err(|error| error.to_string())
}

fn version(text: &str) -> Result<SpirvVersion, String> {
    let minor = minor_in_comment(text)? as usize;
    Ok(SpirvVersion::ALL[minor.min(SpirvVersion::ALL.len() - 1)])
}

/// Assembles text, and keeps numeric ids.
pub fn assemble(text: &str) -> Result<Vec<u32>, String> {
    spirv_tools::assembler::create(Some(universal(minor_in_comment(text)?)))
        .assemble(text, AssemblerOptions { preserve_numeric_ids: true })
        .map(|binary| binary.as_words().to_vec())
        .map_err(|error| error.to_string())
}

/// Returns N of a comment `Version: 1.N`, as disassemblers write it, or 0 without such a comment.
fn minor_in_comment(text: &str) -> Result<u32, String> {
    let version = |line: &'_ str| {
        let comment = line.strip_prefix(';').or_else(|| line.strip_prefix("//"))?;
        comment.trim_start().strip_prefix("Version: 1.").map(|minor| minor.trim().parse())
    };
    let minor = text.lines().find_map(version).unwrap_or(Ok(0));
    minor.map_err(|error| format!("the comment with the version: {error}"))
}

/// Disassembles words, with names for ids where possible, without the header.
pub fn disassemble(words: &[u32]) -> Result<String, String> {
    disassemble_by(words, true)
}

/// Disassembles words with numeric ids, without the header.
pub fn disassemble_numbers(words: &[u32]) -> Result<String, String> {
    disassemble_by(words, false)
}

fn disassemble_by(words: &[u32], use_friendly_names: bool) -> Result<String, String> {
    let options = DisassembleOptions {
        no_header: true,
        comment: false,
        use_friendly_names,
        ..Default::default()
    };
    let text = spirv_tools::assembler::create(Some(universal(minor_version(words))))
        .disassemble(words, options)
        .map_err(|error| format!("cannot be disassembled: {error}"))?;
    text.ok_or_else(|| "cannot be disassembled".to_owned())
}

/// A set of rules for `spirv-val`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// The rules of the oldest Vulkan version that supports the SPIR-V version.
    Vulkan,
    /// The rules for modules that HLSL compilers have not legalized: functions may get pointers to outputs and to
    /// parts of variables.
    BeforeLegalization,
    /// No rules: every module is accepted.
    None,
}

/// Runs `spirv-val` for the oldest Vulkan version that supports the module's SPIR-V version.
pub fn validate(words: &[u32]) -> Result<(), String> {
    validate_by(Rules::Vulkan, words)
}

/// Runs `spirv-val` with these rules.
pub fn validate_by(rules: Rules, words: &[u32]) -> Result<(), String> {
    let environment = match minor_version(words) {
        0 => TargetEnv::Vulkan_1_0,
        1..=3 => TargetEnv::Vulkan_1_1,
        4 => TargetEnv::Vulkan_1_1_Spirv_1_4,
        5 => TargetEnv::Vulkan_1_2,
        _ => TargetEnv::Vulkan_1_3,
    };
    let before_legalization = match rules {
        Rules::Vulkan => false,
        Rules::BeforeLegalization => true,
        Rules::None => return Ok(()),
    };
    let options = ValidatorOptions { before_legalization, ..Default::default() };
    spirv_tools::val::create(Some(environment))
        .validate(words, Some(options))
        .map_err(|error| error.to_string())
}

/// Returns the words of a file with these little-endian bytes.
pub fn words(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(format!("{} bytes are not a whole number of words", bytes.len()));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Returns the little-endian bytes of words.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns N of the version 1.N in the header.
fn minor_version(words: &[u32]) -> u32 {
    words.get(1).map_or(0, |version| version >> 8 & 0xff)
}

fn universal(minor: u32) -> TargetEnv {
    match minor {
        0 => TargetEnv::Universal_1_0,
        1 => TargetEnv::Universal_1_1,
        2 => TargetEnv::Universal_1_2,
        3 => TargetEnv::Universal_1_3,
        4 => TargetEnv::Universal_1_4,
        5 => TargetEnv::Universal_1_5,
        _ => TargetEnv::Universal_1_6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "#version 450\nvoid main() {}\n";

    #[test]
    fn text_survives_assembling_and_disassembling() {
        let words = compile(EMPTY, ShaderStage::Vertex).unwrap();
        let text = disassemble(&words).unwrap();
        assert!(text.contains("OpEntryPoint Vertex %main \"main\""), "{text}");
        assert_eq!(disassemble(&assemble(&text).unwrap()).unwrap(), text);
        assert_eq!(super::words(&bytes(&words)).unwrap(), words);
    }

    #[test]
    fn the_version_is_read_from_the_comment() {
        for minor in 0..=6 {
            let text = format!("; SPIR-V\n; Version: 1.{minor}\nOpCapability Shader\n");
            assert_eq!(minor_version(&assemble(&text).unwrap()), minor);
            let glsl = format!("#version 450\n// Version: 1.{minor}\nvoid main() {{}}\n");
            assert_eq!(minor_version(&compile(&glsl, ShaderStage::Vertex).unwrap()), minor);
        }
        assert!(assemble("; Version: 1.x\n").is_err());
    }

    #[test]
    fn what_is_wrong_is_refused() {
        assert!(compile("#version 450\nvoid main() { x; }\n", ShaderStage::Vertex).is_err());
        assert!(assemble("OpFoo").is_err());
        assert!(super::words(&[1, 2, 3]).is_err());
        let no_memory_model = assemble("OpCapability Shader").unwrap();
        assert!(validate(&no_memory_model).is_err());
    }
}
