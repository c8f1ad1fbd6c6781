//! Tests that a crash in C++ code fails only one shader, by sending broken modules and texts through every library
//! in one batch.

use crate::work::{Work, stderr};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// The number of broken modules, which is also the number of broken texts.
const COUNT: u64 = 150;

/// A generator of pseudo-random numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }
}

/// Returns the sources to break. They are the shaders of the mutants, which do not change with the test cases.
fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mutants");
    let files = WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let files = files.map(|entry| (name(entry.path()), entry.into_path()));
    let is_shader =
        |name: &str| !name.ends_with(".txt") && !name.ends_with(".rs") && name.contains('.');
    let shaders = files.filter(|(name, _)| is_shader(name));
    shaders.map(|(name, path)| (name, fs::read_to_string(path).unwrap())).collect()
}

/// Breaks words: replaces operands with other ids, and removes or repeats instructions.
fn break_words(words: &mut Vec<u32>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(3) {
        let mut starts = Vec::new();
        let mut at = 5;
        while at < words.len() && words[at] >> 16 > 0 {
            starts.push(at);
            at += (words[at] >> 16) as usize;
        }
        let at = starts[numbers.below(starts.len())];
        let end = (at + (words[at] >> 16) as usize).min(words.len());
        let operand = at + numbers.below(end - at);
        match numbers.below(6) {
            0 => drop(words.drain(at..end)),
            1 => {
                let copy = words[at..end].to_vec();
                let place = starts[numbers.below(starts.len())];
                words.splice(place..place, copy);
            }
            2 => words.truncate(operand),
            3 => words[operand] = words[5 + numbers.below(words.len() - 5)],
            _ if operand > at => words[operand] = numbers.below(words[3] as usize) as u32,
            _ => words[operand] ^= 1 << numbers.below(4),
        }
        if words.len() < 8 {
            return;
        }
    }
}

/// Breaks text: moves and replaces tokens.
fn break_text(text: &str, numbers: &mut Numbers) -> String {
    const OTHERS: [&str; 10] =
        ["0", "-1", "{", "}", "(", "[", "void", "struct", "#define", "1e999"];
    let mut tokens: Vec<&str> = text.split_inclusive([' ', ';', '(', ')', ',', '\n']).collect();
    for _ in 0..=numbers.below(4) {
        let (at, other) = (numbers.below(tokens.len()), numbers.below(tokens.len()));
        match numbers.below(4) {
            0 => tokens[at] = tokens[other],
            1 => drop(tokens.remove(at)),
            2 => tokens.insert(at, tokens[other]),
            _ => tokens[at] = OTHERS[numbers.below(OTHERS.len())],
        }
    }
    tokens.concat()
}

#[test]
fn no_library_ends_the_program() {
    let work = Work::new();
    let sources = sources();
    for (name, text) in &sources {
        work.write(&format!("in/{name}"), text);
    }
    work.succeeds("batch in convert -o whole -q");
    let mut numbers = Numbers(1);
    for number in 0..COUNT {
        let (name, text) = &sources[numbers.below(sources.len())];
        work.write(&format!("texts/{number}.{name}"), &break_text(text, &mut numbers));
        let words = work.read(&format!("whole/{name}.spv"));
        let (words, _) = words.as_chunks();
        let mut words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        break_words(&mut words, &mut numbers);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        fs::create_dir_all(work.path("modules")).unwrap();
        fs::write(work.path(&format!("modules/{number}.spv")), bytes).unwrap();
    }
    // This module is known to crash SPIRV-Cross, so at least one crash occurs.
    let known = include_str!("../../../tests/cases/formats/cross-asserts.spvasm");
    work.write("known.spvasm", known);
    work.succeeds("convert known.spvasm -o modules/known.spv");

    let mut crashes = 0;
    for line in [
        "batch texts convert",
        "batch modules convert --extension metal",
        "batch modules convert --extension glsl",
        "batch modules convert --extension hlsl",
        "batch modules convert --extension spvasm",
        "batch modules convert --extension wgsl",
        "batch modules clip-space --flip-y on --validate",
    ] {
        let output = work.run(&format!("{line} -o out --report r.json -q"));
        assert_eq!(output.status.code(), Some(1), "{line}: {}", stderr(&output));
        let report = work.json("r.json");
        let shaders = report["shaders"].as_array().expect("there are shaders");
        assert!(shaders.len() as u64 >= COUNT, "{line}");
        let message = |one: &serde_json::Value| one["message"].as_str().unwrap_or("").to_owned();
        crashes += shaders.iter().filter(|one| message(one).contains(" crashed (")).count();
        let panics = shaders.iter().find(|one| message(one).contains("panicked"));
        assert!(panics.is_none(), "{line}: {panics:?}");
        fs::remove_dir_all(work.path("out")).unwrap();
    }
    assert!(crashes >= 2, "nothing crashes, so this shows nothing");
}

/// The shader is valid HLSL, but makes an assertion in glslang fail.
#[test]
fn an_assertion_of_glslang_fails_one_shader() {
    let work = Work::new();
    let source = "struct Parts { float fraction; int exponent; };\n\
        float4 main(float a : TEXCOORD0) : SV_Target0 {\n\
        Parts parts; parts.fraction = frexp(a, parts.exponent); return parts.fraction; }\n";
    work.write("in/a.frag.hlsl", source);
    work.write("in/b.frag.hlsl", &source.replace("frexp(a, parts.exponent)", "a"));
    work.fails("convert in/a.frag.hlsl -o a.spv", 1, "reading HLSL: glslang crashed (signal: 6");
    work.fails("batch in convert -o out -j 1", 1, "1 of 2 shaders failed");
    assert!(work.has("out/b.frag.hlsl.spv") && !work.has("out/a.frag.hlsl.spv"));
}

/// The shader is valid GLSL that contains 2³⁹ empty statements.
#[cfg(unix)]
#[test]
fn a_call_that_takes_too_long_fails_one_shader() {
    let work = Work::new();
    let twice = |number: u32| format!("#define A{} A{number} A{number}\n", number + 1);
    let macros: String = (0..39).map(twice).collect();
    let source = format!("#version 450\n#define A0 ;\n{macros}void main() {{ A39 }}\n");
    work.write("in/a.vert", &source);
    work.write("in/b.vert", &source.replace("{ A39 }", "{ A3 }"));
    let mut command = work.command("batch in convert -o out -j 1 --report r.json");
    let output = command.env("POLYSHADE_FORMATS_SECONDS", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let message = &work.json("r.json")["shaders"][0]["message"];
    let message = message.as_str().expect("the first one fails");
    assert!(message.ends_with("glslang took more than 1 s of processor time"), "{message}");
    assert!(work.has("out/b.vert.spv") && !work.has("out/a.vert.spv"));
}
