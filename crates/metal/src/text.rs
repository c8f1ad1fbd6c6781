//! Converts the MSL text of a function to C++ where the two languages differ in syntax.
//!
//! Headers define Metal's types and functions ([`crate::program`]). This module relies on the format of SPIRV-Cross.

use crate::signature::{self, Signature};

/// The text as C++, and the signature of its function.
#[derive(Debug)]
pub(crate) struct CppSource {
    /// The C++ source, for this crate's headers.
    pub(crate) text: String,
    pub(crate) function: Signature,
}

/// Converts the text. `constants` lists the number of each function constant with the bits of its value.
///
/// # Errors
///
/// The text cannot be converted to C++, or has no supported function.
pub(crate) fn read(text: &str, constants: &[(u32, u64)]) -> Result<CppSource, String> {
    let function = signature::read(text)?;
    let is_printed = |line: &&str| !line.starts_with("#include") && !line.starts_with("#pragma");
    let mut read = String::new();
    // SPIRV-Cross prints a function for each arithmetic operation that must not be contracted.
    let text = &text.replace("[[clang::optnone]]", "__attribute__((noinline))");
    for line in without_arrays(text).lines().filter(is_printed) {
        read += &match function_constant(line, constants) {
            Some(line) => line,
            None => {
                let function = signature::QUALIFIERS.iter().find_map(|one| line.strip_prefix(one));
                // A single copy of threadgroup memory is enough, because threadgroups run one after the other.
                let shared = line.strip_prefix("    threadgroup ");
                let shared = shared.map(|rest| format!("    static {rest}"));
                tokens(shared.as_deref().or(function).unwrap_or(line))
            }
        };
        read.push('\n');
    }
    match members_named_as_components(text).first() {
        Some(name) => {
            Err(format!("a member named `{name}` cannot be distinguished from vector components"))
        }
        None => Ok(CppSource { text: read, function }),
    }
}

/// Removes SPIRV-Cross's array type, which has equal functions for all address spaces. The headers define the type
/// once.
fn without_arrays(text: &str) -> String {
    const BEGIN: &str = "template<typename T, size_t Num>\nstruct spvUnsafeArray\n{";
    const END: &str = "\n};\n";
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let behind = rest.split_once(END).map_or("", |(_, behind)| behind);
    format!("{before}{behind}")
}

/// Converts a function constant (Metal Shading Language Specification, 5.8) to its value and a flag whether it is
/// set.
///
/// ```text
/// constant uint limit_tmp [[function_constant(3)]];
/// ```
fn function_constant(line: &str, constants: &[(u32, u64)]) -> Option<String> {
    let (declaration, rest) =
        line.strip_prefix("constant ")?.split_once(" [[function_constant(")?;
    let (ty, name) = declaration.split_once(' ')?;
    let number: u32 = rest.split_once(')')?.0.parse().ok()?;
    let given = constants.iter().find(|(other, _)| *other == number);
    let bits = given.map_or(0, |(_, bits)| *bits);
    let value = match ty {
        "float" => format!("__builtin_bit_cast(float, {}u)", bits as u32),
        "half" => format!("half(__builtin_bit_cast(_Float16, ushort({})))", bits as u16),
        _ => format!("{ty}({bits}ul)"),
    };
    let is_given = given.is_some();
    Some(format!("constexpr {ty} {name} = {value};\nconstexpr bool is_given_{name} = {is_given};"))
}

/// Converts the tokens of a line. Literals without a suffix become floats instead of doubles, and swizzles become
/// calls.
fn tokens(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let is_behind_word = text.ends_with(|last: char| is_of_word(last) || ")]".contains(last));
        let is_number = first.is_ascii_digit()
            || first == '.'
                && !is_behind_word
                && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let length = match first {
            _ if is_number => number_length(rest),
            _ if is_of_word(first) => word_length(rest),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        match token {
            _ if is_number => text += &literal(token),
            "is_function_constant_defined" => {
                // The argument becomes a suffix of the name.
                let argument = behind.strip_prefix('(').and_then(|behind| behind.split_once(')'));
                let Some((name, behind)) = argument else { return line.to_owned() };
                text += &format!("is_given_{name}");
                rest = behind;
                continue;
            }
            _ if text.ends_with('.') && is_swizzle(token) && !behind.starts_with('(') => {
                text += &components(token, behind);
            }
            _ => text += token,
        }
        rest = behind;
    }
    text
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|letter| !is_of_word(letter)).unwrap_or(text.len())
}

/// Returns the length of a number, including the sign of its exponent.
fn number_length(text: &str) -> usize {
    let is_hexadecimal = text.starts_with("0x");
    let mut before = ' ';
    let is_behind = |letter: char| {
        let is_sign = "+-".contains(letter) && "eE".contains(before) && !is_hexadecimal;
        before = letter;
        !(is_of_word(letter) || letter == '.' || is_sign)
    };
    text.find(is_behind).unwrap_or(text.len())
}

fn literal(token: &str) -> String {
    let is_hexadecimal = token.starts_with("0x");
    let is_float = !is_hexadecimal && token.contains(['.', 'e', 'E']);
    match token.strip_suffix(['h', 'H']) {
        Some(number) => format!("half({number}f)"),
        None if is_float && !token.ends_with(['f', 'F']) => format!("{token}f"),
        None => token.to_owned(),
    }
}

fn is_swizzle(word: &str) -> bool {
    (2..=4).contains(&word.len()) && word.chars().all(|letter| "xyzw".contains(letter))
}

/// Converts a swizzle that is read. If an assignment follows, the swizzle is written instead.
fn components(swizzle: &str, behind: &str) -> String {
    let is_written = [" = ", " += "].iter().any(|assignment| behind.starts_with(assignment));
    let numbers: Vec<String> =
        swizzle.chars().filter_map(|letter| "xyzw".find(letter)).map(|n| n.to_string()).collect();
    format!("{}<{}>()", if is_written { "at" } else { "get" }, numbers.join(", "))
}

/// Returns the structure members that are named like a swizzle.
fn members_named_as_components(text: &str) -> Vec<&str> {
    let bodies = text.split("\nstruct ").skip(1).filter_map(|part| part.split_once("};"));
    let members = bodies.flat_map(|(body, _)| body.lines()).filter_map(|line| {
        let declared = line.strip_prefix("    ")?.split([';', '[']).next()?.trim_end();
        declared.rsplit(' ').next()
    });
    members.filter(|name| is_swizzle(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_floats_and_swizzles_are_calls() {
        for (text, read) in [
            ("a = (-0.5) * b.y + 1e-05 + 2.0f;", "a = (-0.5f) * b.y + 1e-05f + 2.0f;"),
            ("half2(1.0h, 0.5h)", "half2(half(1.0f), half(0.5f))"),
            ("x[0x1eu] + v1.xy + f(v).zyx", "x[0x1eu] + v1.get<0, 1>() + f(v).get<2, 1, 0>()"),
            ("p.xy += q.yx - 0.5;", "p.at<0, 1>() += q.get<1, 0>() - 0.5f;"),
            ("out.m.yz = a.xx;", "out.m.at<1, 2>() = a.get<0, 0>();"),
            ("a.xy == b.xy", "a.get<0, 1>() == b.get<0, 1>()"),
            ("xy = a.x; s.wide = 3;", "xy = a.x; s.wide = 3;"),
            ("a_0.x - .5", "a_0.x - .5f"),
            ("is_function_constant_defined(n_tmp) ? n_tmp : 4u", "is_given_n_tmp ? n_tmp : 4u"),
        ] {
            assert_eq!(tokens(text), read);
        }
    }

    #[test]
    fn function_constants_have_the_values_that_the_host_gives() {
        let read = |line| function_constant(line, &[(3, 7), (4, 0x3f80_0000)]).unwrap_or_default();
        let given = read("constant uint n_tmp [[function_constant(3)]];");
        assert_eq!(
            given,
            "constexpr uint n_tmp = uint(7ul);\nconstexpr bool is_given_n_tmp = true;"
        );
        assert!(read("constant float x [[function_constant(4)]];").contains("1065353216u"));
        assert!(read("constant int x [[function_constant(5)]];").ends_with("is_given_x = false;"));
        assert_eq!(read("constant uint n = 3u;"), "");
    }

    #[test]
    fn a_member_named_as_components_is_refused() {
        let text = "\nstruct A\n{\n    float2 xy;\n    float xyz[2];\n    float x;\n};\n";
        assert_eq!(members_named_as_components(text), ["xy", "xyz"]);
    }
}
