//! Calls SPIRV-Tools.

use crate::{Error, SpirvVersion};
use similar::TextDiff;
use spirv_tools::TargetEnv;
use spirv_tools::assembler::{Assembler, AssemblerOptions, DisassembleOptions, create};
use spirv_tools::val::Validator;

/// Words of the header that the comments of assembly carry.
const VERSION: usize = 1;
const GENERATOR: usize = 2;
const BOUND: usize = 3;
const HEADER: usize = 5;

/// More ids than this are no module's.
const MOST_IDS: u32 = 0x3f_ffff;

pub(super) fn assemble(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let header = Header::read(text, name)?;
    let version = header.minor.map_or(version, |minor| SpirvVersion::ALL[minor]);
    let binary = create(Some(universal(version)))
        .assemble(text, AssemblerOptions { preserve_numeric_ids: true })
        .map_err(|error| Error::Faulty(located(&error, name)))?;
    let mut words = binary.as_words().to_vec();
    if let Some(generator) = header.generator {
        words[GENERATOR] = generator;
    }
    // A person may have added ids.
    words[BOUND] = words[BOUND].max(header.bound.unwrap_or(0));
    Ok(words)
}

/// What the comments at the top of assembly say of the header.
#[derive(Default)]
struct Header {
    minor: Option<usize>,
    generator: Option<u32>,
    bound: Option<u32>,
}

impl Header {
    fn read(text: &str, name: &str) -> Result<Self, Error> {
        let mut header = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = line.strip_prefix(';').map(str::trim) else { continue };
            let fault = |what: &str| Error::Faulty(format!("{name}:{number}: {what}: {comment}"));
            if let Some(version) = comment.strip_prefix("Version: ") {
                let minor = version.strip_prefix("1.").and_then(|minor| minor.parse().ok());
                let known = minor.filter(|minor| *minor < SpirvVersion::ALL.len());
                header.minor = Some(known.ok_or_else(|| fault("no version of SPIR-V"))?);
            } else if let Some(generator) = comment.strip_prefix("Generator word: 0x") {
                let word = u32::from_str_radix(generator, 16);
                header.generator = Some(word.map_err(|_| fault("no word"))?);
            } else if let Some(bound) = comment.strip_prefix("Bound: ") {
                let bound = bound.parse().ok().filter(|bound| *bound <= MOST_IDS);
                header.bound = Some(bound.ok_or_else(|| fault("no bound"))?);
            }
        }
        Ok(header)
    }
}

pub(super) fn assembly(words: &[u32]) -> Result<String, Error> {
    let options = DisassembleOptions { use_friendly_names: false, comment: false, ..options() };
    let body = disassemble(words, options)?;
    let text = format!(
        "; SPIR-V\n; Version: 1.{}\n; Generator word: {:#010x}\n; Bound: {}\n; Schema: {}\n{body}",
        words[VERSION] >> 8 & 0xff,
        words[GENERATOR],
        words[BOUND],
        words[HEADER - 1],
    );
    match assemble(&text, "", SpirvVersion::of(words)) {
        Ok(again) if again == words => Ok(text),
        _ => Err(Error::Unsupported(
            "assembly would not give the same words when read again".to_owned(),
        )),
    }
}

pub(super) fn listing(words: &[u32]) -> Result<String, Error> {
    disassemble(words, DisassembleOptions { no_header: true, comment: false, ..options() })
}

fn options() -> DisassembleOptions {
    DisassembleOptions { no_header: true, ..Default::default() }
}

fn disassemble(words: &[u32], options: DisassembleOptions) -> Result<String, Error> {
    let cannot = |why: &str| Error::Unsupported(format!("cannot be disassembled: {why}"));
    create(Some(universal(SpirvVersion::of(words))))
        .disassemble(words, options)
        .map_err(|error| cannot(&what(&error)))?
        .ok_or_else(|| cannot("SPIRV-Tools gives no text"))
}

pub(super) fn difference(before: &str, after: &str) -> String {
    let difference = TextDiff::from_lines(before, after);
    difference.unified_diff().header("before", "after").to_string()
}

pub(super) fn validate(words: &[u32], environment: Option<&str>) -> Result<(), Error> {
    let environment = match environment {
        Some(name) => named(name)?,
        None => oldest_vulkan(SpirvVersion::of(words)),
    };
    spirv_tools::val::create(Some(environment))
        .validate(words, None)
        .map_err(|error| Error::Faulty(what(&error)))
}

fn named(name: &str) -> Result<TargetEnv, Error> {
    name.parse().map_err(|_| Error::Options(format!("there is no environment `{name}`")))
}

fn oldest_vulkan(version: SpirvVersion) -> TargetEnv {
    match version {
        SpirvVersion::SPIRV1_0 => TargetEnv::Vulkan_1_0,
        SpirvVersion::SPIRV1_1 | SpirvVersion::SPIRV1_2 | SpirvVersion::SPIRV1_3 => {
            TargetEnv::Vulkan_1_1
        }
        SpirvVersion::SPIRV1_4 => TargetEnv::Vulkan_1_1_Spirv_1_4,
        SpirvVersion::SPIRV1_5 => TargetEnv::Vulkan_1_2,
        SpirvVersion::SPIRV1_6 => TargetEnv::Vulkan_1_3,
    }
}

fn universal(version: SpirvVersion) -> TargetEnv {
    match version {
        SpirvVersion::SPIRV1_0 => TargetEnv::Universal_1_0,
        SpirvVersion::SPIRV1_1 => TargetEnv::Universal_1_1,
        SpirvVersion::SPIRV1_2 => TargetEnv::Universal_1_2,
        SpirvVersion::SPIRV1_3 => TargetEnv::Universal_1_3,
        SpirvVersion::SPIRV1_4 => TargetEnv::Universal_1_4,
        SpirvVersion::SPIRV1_5 => TargetEnv::Universal_1_5,
        SpirvVersion::SPIRV1_6 => TargetEnv::Universal_1_6,
    }
}

/// What the tools say, with the instruction that they show.
fn what(error: &spirv_tools::Error) -> String {
    match &error.diagnostic {
        Some(diagnostic) if diagnostic.notes.trim().is_empty() => diagnostic.message.clone(),
        Some(diagnostic) => format!("{}\n{}", diagnostic.message, diagnostic.notes.trim_end()),
        None => error.inner.to_string(),
    }
}

/// The same, behind the place in the text.
fn located(error: &spirv_tools::Error, name: &str) -> String {
    let place = error.diagnostic.as_ref().map(|diagnostic| (diagnostic.line, diagnostic.column));
    // Lines and columns are counted from 0.
    let place = place.map(|(line, column)| format!("{name}:{}:{}: ", line + 1, column + 1));
    format!("{}{}", place.unwrap_or_default(), what(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::ENVIRONMENTS;

    const TEXT: &str = "; Version: 1.2\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n\
        OpName %7 \"v\"\n%7 = OpTypeVoid\n%9 = OpTypeFloat 32\n%10 = OpConstant %9 0.1\n";

    fn assemble_text(text: &str) -> Result<Vec<u32>, Error> {
        assemble(text, "a.spvasm", SpirvVersion::SPIRV1_3)
    }

    #[test]
    fn the_words_come_back_with_their_header() {
        let mut words = assemble_text(TEXT).unwrap();
        assert_eq!(words[VERSION], 0x0001_0200);
        words[GENERATOR] = 0x0008_000b;
        words[BOUND] = 99;
        let text = assembly(&words).unwrap();
        assert_eq!(assemble_text(&text).unwrap(), words);
        assert!(text.contains("%10 = OpConstant %9"), "{text}");
        assert!(listing(&words).unwrap().contains("%v = OpTypeVoid"));
    }

    #[test]
    fn a_version_that_is_not_said_is_the_one_given() {
        let text = TEXT.strip_prefix("; Version: 1.2\n").unwrap();
        assert_eq!(assemble_text(text).unwrap()[VERSION], 0x0001_0300);
        for wrong in
            ["; Version: 1.7\n", "; Version: x\n", "; Bound: -1\n", "; Generator word: 0xg\n"]
        {
            let error = assemble_text(&format!("{wrong}{TEXT}")).unwrap_err();
            assert!(error.to_string().starts_with("a.spvasm:1: "), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_read_again_is_not_written() {
        let mut words = assemble_text(TEXT).unwrap();
        words.extend([2 << 16 | 0x7ffd, u32::MAX]);
        assert!(matches!(assembly(&words), Err(Error::Unsupported(_))));
        let mut schema = assemble_text(TEXT).unwrap();
        schema[HEADER - 1] = 1;
        assert!(matches!(assembly(&schema), Err(Error::Unsupported(_))));
    }

    #[test]
    fn faults_are_reported_with_their_place() {
        let error = assemble_text("OpCapability Shader\n  OpFoo\n").unwrap_err().to_string();
        assert!(error.starts_with("a.spvasm:2:3: "), "{error}");
    }

    #[test]
    fn modules_are_validated_in_every_environment() {
        let invalid = assemble_text("OpCapability Shader\n").unwrap();
        for name in ENVIRONMENTS {
            assert!(matches!(validate(&invalid, Some(name)), Err(Error::Faulty(_))), "{name}");
        }
        let linked = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
        let valid = assemble_text(linked).unwrap();
        assert_eq!(validate(&valid, Some("spv1.3")), Ok(()));
        assert!(validate(&valid, Some("spv1.0")).is_err(), "1.3 is newer");
        assert!(validate(&valid, None).is_err(), "Vulkan has no linkage");
        assert!(matches!(validate(&valid, Some("vulkan9")), Err(Error::Options(_))));
    }
}
