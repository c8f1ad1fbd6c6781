use super::*;
use crate::Feature;

const VERSION: usize = 1;
const GENERATOR: usize = 2;
const BOUND: usize = 3;
const SCHEMA: usize = 4;

const TEXT: &str = "; Version: 1.2\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n\
    OpName %7 \"v\"\n%7 = OpTypeVoid\n%9 = OpTypeFloat 32\n%10 = OpConstant %9 0.1\n";

/// Assembles text; `None` if the feature is disabled and this machine has no assembler.
fn assemble_text(text: &str) -> Option<Result<Vec<u32>, Error>> {
    match assemble(text, "a.spvasm", SpirvVersion::SPIRV1_3) {
        Err(Error::LeftOut(_)) if !Feature::Tools.is_in() => None,
        answer => Some(answer),
    }
}

fn words_of(text: &str) -> Option<Vec<u32>> {
    assemble_text(text).map(|words| words.expect("it is assembly"))
}

#[test]
fn the_words_come_back_with_their_header() {
    let Some(mut words) = words_of(TEXT) else { return };
    assert_eq!(words[VERSION], 0x0001_0200);
    words[GENERATOR] = 0x0008_000b;
    words[BOUND] = 99;
    let text = assembly(&words).expect("it has names");
    assert_eq!(words_of(&text).expect("there was an assembler"), words);
    assert!(text.contains("%10 = OpConstant %9"), "{text}");
    let listing = listing(&words).expect("it has names");
    assert!(listing.contains("%v = OpTypeVoid") && listing.contains("%float_0_1"), "{listing}");
}

#[test]
fn no_two_ids_are_called_the_same() {
    let names = "OpName %7 \"v\"\nOpName %9 \"v\"\nOpName %10 \"v_0\"\n";
    let Some(words) = words_of(&TEXT.replace("OpName %7 \"v\"\n", names)) else { return };
    let listing = listing(&words).expect("it has names");
    for defined in ["%v = OpTypeVoid", "%v_0 = OpTypeFloat", "%v_0_0 = OpConstant"] {
        assert!(listing.contains(defined), "{listing}");
    }
}

#[test]
fn a_version_that_is_not_declared_is_the_one_given() {
    let text = TEXT.strip_prefix("; Version: 1.2\n").expect("it says one");
    let Some(words) = words_of(text) else { return };
    assert_eq!(words[VERSION], 0x0001_0300);
    for wrong in ["; Version: 1.7\n", "; Version: x\n", "; Bound: -1\n", "; Generator word: 0xg\n"]
    {
        let error =
            assemble_text(&format!("{wrong}{TEXT}")).expect("there was an assembler").unwrap_err();
        assert!(error.to_string().starts_with("a.spvasm:1: "), "{error}");
    }
}

#[test]
fn what_cannot_be_read_again_is_not_written() {
    let Some(words) = words_of(TEXT) else { return };
    let mut unknown = words.clone();
    unknown.extend([2 << 16 | 0x7ffd, u32::MAX]);
    let mut schema = words.clone();
    schema[SCHEMA] = 1;
    // Test a name that is not UTF-8, and a name with more bytes after its end.
    let name = words.iter().position(|word| *word == u32::from(b'v')).expect("it is there");
    let with = |word: u32| {
        let mut words = words.clone();
        words[name] = word;
        words
    };
    for wrong in [unknown, schema, with(0xff), with(0x7600_0076)] {
        assert!(matches!(assembly(&wrong), Err(Error::Unsupported(_))), "{wrong:x?}");
    }
}

#[test]
fn modules_are_validated_in_every_environment() {
    let Some(invalid) = words_of("OpCapability Shader\n") else { return };
    for name in ENVIRONMENTS {
        let answer = validate(&invalid, Some(name));
        // The programs may be too old for an environment.
        let is_old = !Feature::Tools.is_in() && matches!(answer, Err(Error::Unsupported(_)));
        assert!(is_old || matches!(answer, Err(Error::Faulty(_))), "{name}: {answer:?}");
    }
    let linked = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
    let valid = words_of(linked).expect("there was an assembler");
    assert_eq!(validate(&valid, Some("spv1.3")), Ok(()));
    assert!(validate(&valid, Some("spv1.0")).is_err(), "1.3 is newer");
    assert!(validate(&valid, None).is_err(), "Vulkan has no linkage");
    assert!(matches!(validate(&valid, Some("vulkan9")), Err(Error::Options(_))));
}

#[test]
fn a_difference_is_that_of_diff_u() {
    assert_eq!(difference("one\n", "one\n"), "");
    let both = difference("a\nb\nc\n", "a\nx\nc\n");
    assert_eq!(both, "--- before\n+++ after\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
}

/// Numbers of all kinds survive printing and assembling.
#[test]
fn numbers_come_back() {
    let types = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpTypeFloat 32\n%2 = OpTypeFloat 64\n\
        %3 = OpTypeFloat 16\n%4 = OpTypeInt 32 1\n%5 = OpTypeInt 64 0\n%6 = OpTypeInt 16 1\n%7 = OpTypeInt 8 0\n\
        %8 = OpTypeInt 64 1\n";
    let Some(mut words) = words_of(types) else { return };
    let mut id = 9;
    let mut add = |of: u32, bits: &[u32]| {
        words.extend([(3 + bits.len() as u32) << 16 | 43, of, id]);
        words.extend(bits);
        id += 1;
    };
    for exponent in 0..=0xff {
        for fraction in [0, 1, 0x40_0000, 0x2a_aaab, 0x7f_ffff] {
            add(1, &[exponent << 23 | fraction]);
            add(1, &[1 << 31 | exponent << 23 | fraction]);
        }
    }
    for high in [0, 1, 0x000f_ffff, 0x3ff0_0000, 0x3fd5_5555, 0x7fef_ffff, 0x7ff0_0000, 0xfff8_0000]
    {
        for low in [0, 1, 0x5555_5555, u32::MAX] {
            add(2, &[low, high]);
            add(5, &[low, high]);
            add(8, &[low, high]);
        }
    }
    (0..=0xffff).step_by(7).for_each(|half| add(3, &[half]));
    for word in [0, 1, 0x7f, 0x7fff, 0xffff_8000, u32::MAX, 0x8000_0000] {
        add(4, &[word]);
        add(6, &[word]);
    }
    [0, 0x7f, 0xff].into_iter().for_each(|octet| add(7, &[octet]));
    words[BOUND] = id;
    let text = assembly(&words).expect("it has names");
    assert_eq!(words_of(&text).expect("there was an assembler"), words);
}

/// Words are printed with the same names that SPIRV-Tools knows.
#[cfg(feature = "tools")]
#[test]
fn text_is_that_of_spirv_tools() {
    use spirv_tools::assembler::{Assembler, DisassembleOptions, create};

    let text = include_str!("tests/names.spvasm");
    let words = assemble(text, "names.spvasm", SpirvVersion::SPIRV1_6).expect("it is assembly");
    let options = DisassembleOptions { no_header: true, comment: false, ..Default::default() };
    let options = DisassembleOptions { use_friendly_names: false, ..options };
    let theirs = create(Some(spirv_tools::TargetEnv::Universal_1_6)).disassemble(&words, options);
    let theirs = theirs.expect("it is known").expect("there is text");
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let ours = assembly(&words).expect("it has names");
    let ours: Vec<_> = ours.lines().filter(|line| !line.starts_with(';')).map(plain).collect();
    assert_eq!(ours, theirs.lines().map(plain).collect::<Vec<_>>());
}

#[cfg(feature = "tools")]
#[test]
fn the_programs_say_what_the_library_says() {
    let Ok(words) = programs::assemble(TEXT, "a.spvasm", "spv1.2") else { return };
    let library = library::assemble(TEXT, "a.spvasm", "spv1.2").expect("it is assembly");
    assert_eq!(words[SCHEMA..], library[SCHEMA..]);
    for assemble in [programs::assemble, library::assemble] {
        let error = assemble("OpCapability Shader\n  OpFoo\n", "a.spvasm", "spv1.2").unwrap_err();
        assert_eq!(error.to_string(), "a.spvasm:2:3: Invalid Opcode name 'OpFoo'");
    }
    for validate in [programs::validate, library::validate] {
        let error = validate(&words, "vulkan1.1").unwrap_err();
        assert!(matches!(&error, Error::Faulty(_)), "{error}");
        assert!(matches!(validate(&words, "vulkan9"), Err(Error::Options(_))));
    }
}
