//! Finds constructs that MSL lacks, as far as that is possible without a compiler.

use std::collections::BTreeMap;

/// Returns the first construct in `text` that MSL does not have.
pub fn lacks(text: &str) -> Option<String> {
    missing_words(text)
        .or_else(|| dropped_const(text))
        .or_else(|| repeated_index(text))
        .or_else(|| index_beyond(text))
}

/// Types and functions that MSL lacks, and SPIRV-Cross's names for them. (A kernel gets a patch's vertices through a
/// pointer.)
const MISSING: [&str; 9] = [
    "double",
    "packed_double",
    "dvec",
    "unsupported_",
    "unsupported-",
    "unknown_type",
    "texelFetch",
    "imageLoad",
    "goto",
];

fn missing_words(text: &str) -> Option<String> {
    let is_in_word = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    text.split(|letter| !is_in_word(letter)).map(|word| word.trim_start_matches('-')).find_map(
        |word| {
            let is_missing = |one: &&str| {
                word.strip_prefix(*one).is_some_and(|rest| {
                    one.ends_with(['_', '-'])
                        || rest.chars().all(|letter| letter.is_ascii_digit() || letter == 'x')
                })
            };
            MISSING.iter().any(is_missing).then(|| format!("`{word}` does not exist"))
        },
    )
}

/// Finds a non-`const` reference to a constant. SPIRV-Cross passes globals to functions under the same name.
fn dropped_const(text: &str) -> Option<String> {
    let mut references: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for (head, name) in references_of(text) {
        let is_const = head.split_whitespace().any(|word| word == "const");
        let is_in = |space: &&str| head.split_whitespace().any(|word| word == *space);
        let Some(space) = ["device", "threadgroup", "thread"].into_iter().find(is_in) else {
            continue;
        };
        let was_const = *references.entry((space, name)).or_insert(is_const);
        // References to a thread's variables are also parameters of the shader's own functions.
        if was_const != is_const && space != "thread" {
            return Some(format!("`{name}` refers to a constant and to a non-constant"));
        }
    }
    let mut constants = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("    const ").filter(|rest| !rest.contains('&'))?;
        rest.split_once(" = ").and_then(|(declared, _)| declared.split(' ').next_back())
    });
    constants
        .find(|name| references.get(&("thread", *name)) == Some(&false))
        .map(|name| format!("`{name}` is constant, but is passed by a reference to a non-constant"))
}

/// Returns the text before each `&` of a parameter, and the name after it.
fn references_of(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter(|line| line.contains('(')).flat_map(|line| {
        line.split([',', '(', ')']).filter_map(|parameter| {
            let (head, name) = parameter.split_once("& ")?;
            let name = name.split([' ', '[']).next().filter(|name| *name != "operator")?;
            Some((head.trim(), name))
        })
    })
}

/// Attributes with an index that must be unique within a list of parameters or a structure.
const INDEXED: [&str; 5] = ["buffer", "texture", "sampler", "user", "attribute"];

fn repeated_index(text: &str) -> Option<String> {
    let mut seen: Vec<String> = Vec::new();
    for line in text.lines() {
        // Parameters are on one line, and members of a structure precede its closing brace.
        if line.starts_with('}')
            || line.contains('(') && line.ends_with(')') && !line.starts_with(' ')
        {
            seen.clear();
        }
        for part in line.split("[[").skip(1).filter_map(|part| part.split("]]").next()) {
            let attribute = part.split(',').next().unwrap_or(part);
            let is_indexed = INDEXED
                .iter()
                .any(|one| attribute.strip_prefix(one).is_some_and(|rest| rest.starts_with('(')));
            if is_indexed && seen.iter().any(|one| one == attribute) {
                return Some(format!("[[{attribute}]] appears twice"));
            }
            seen.push(attribute.to_owned());
        }
    }
    None
}

/// The number of buffers of a function: their indices are 0 to 30.
const BUFFERS: u32 = 31;

fn index_beyond(text: &str) -> Option<String> {
    let indices = text
        .split("[[buffer(")
        .skip(1)
        .filter_map(|part| part.split(')').next()?.parse::<u32>().ok());
    indices
        .max()
        .filter(|index| *index >= BUFFERS)
        .map(|index| format!("buffer {index} does not exist"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_metal_takes_lacks_nothing() {
        let text = "struct O\n{\n    float4 v [[user(locn0)]];\n    float4 w [[user(locn1)]];\n};\n\
            static inline void f(thread const float& a, device B& b, const device C& c, thread uint& n)\n\
            vertex O main0(device B& b [[buffer(0)]], const device C& c [[buffer(1)]], float4 d [[attribute(0)]])\n\
            {\n    uint n = 0;\n    float doubled = 1.0;\n    const float m = 2.0;\n}\n";
        assert_eq!(lacks(text), None);
    }

    #[test]
    fn each_lack_is_found() {
        for (text, found) in [
            ("    double4 x;", "`double4`"),
            ("    x = -double(y);", "`double`"),
            ("    x = unsupported_GLSLstd450PackDouble2x32(y);", "unsupported_"),
            ("    y [[unsupported-built-in]];", "unsupported-"),
            ("void f(device B& b)\nkernel void g(const device B& b [[buffer(0)]])", "`b`"),
            (
                "void f(thread uint& n)\n{\n}\nvoid g()\n{\n    const uint n = 0;\n}",
                "`n` is constant",
            ),
            ("kernel void f(device A& a [[buffer(1)]], device B& b [[buffer(1)]])", "buffer(1)"),
            (
                "struct O\n{\n    float4 v [[user(locn0)]];\n    float2 w [[user(locn0)]];\n};",
                "locn0",
            ),
            ("kernel void f(device A& a [[buffer(31)]])", "buffer 31 does not exist"),
        ] {
            let lack = lacks(text).unwrap_or_default();
            assert!(lack.contains(found), "{text}: {lack}");
        }
    }
}
