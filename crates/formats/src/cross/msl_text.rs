//! Fixes or rejects MSL text from SPIRV-Cross that Metal does not accept.

use crate::Error;
use polyshade_spv::view::{Decorate, MemberDecorate};
use polyshade_spv::{BuiltIn, Decoration, Module, Op, Section};

/// Built-ins that SPIRV-Cross declares as constants of the entry point.
const CONSTANTS: [&str; 4] =
    ["uint gl_ViewIndex", "int gl_ViewIndex", "uint gl_DeviceIndex", "int gl_DeviceIndex"];

/// Built-ins that are arrays in SPIR-V and scalars in MSL.
const NUMBERS: [&str; 2] = ["gl_SampleMaskIn", "gl_SampleMask"];

/// Placeholders that SPIRV-Cross prints, without an error, for features that MSL lacks.
const PLACEHOLDERS: [&str; 4] =
    ["unsupported_GLSL", "unsupported_gradient", "unsupported-built-in", "unknown_type"];

/// The limits per function on every Mac.
const LIMITS: [(&str, usize); 2] = [("texture", 128), ("sampler", 16)];

/// Returns the text of the module `words` with corrections for Metal.
///
/// # Errors
///
/// Features that MSL does not have.
pub(super) fn checked(mut text: String, words: &[u32]) -> Result<String, Error> {
    if has_doubles(words) && words_of(&text).any(is_double) {
        return Err(Error::Unsupported("MSL has no 64-bit floats (double)".to_owned()));
    }
    if has_cull_distances(&text) {
        let message = "MSL has no cull distances (gl_CullDistance), so culled primitives would be drawn: let the \
            fragment stage discard them, as the lowering clip_cull does (`clip --emulate` with `--native clip`)";
        return Err(Error::Unsupported(message.to_owned()));
    }
    let is_placeholder = |word: &str| PLACEHOLDERS.iter().any(|one| word.starts_with(one));
    if let Some(word) = words_of(&text).find(|word| is_placeholder(word)) {
        return Err(Error::Unsupported(format!("MSL has no equivalent of `{word}`")));
    }
    for (what, limit) in LIMITS {
        if indices(&text, what).any(|index| index >= limit) {
            return Err(Error::Unsupported(format!(
                "a function of Metal has at most {limit} {what}s"
            )));
        }
    }
    for declaration in CONSTANTS {
        // Functions take these built-ins by reference, and the reference cannot bind to a constant.
        text = text.replace(&format!("const {declaration} = "), &format!("{declaration} = "));
    }
    for name in NUMBERS {
        // Functions use these built-ins as scalars, so their parameters must be scalars.
        text = text.replace(&format!(" (&{name})[1]"), &format!("& {name}"));
    }
    Ok(text)
}

/// Returns the last index of each argument with the attribute `what`. For an array, this is the index of the last
/// element.
///
/// ```text
/// array<texture2d<float>, 3> images [[texture(2)]]
/// ```
fn indices(text: &str, what: &str) -> impl Iterator<Item = usize> {
    let attribute = format!(" [[{what}(");
    let parts: Vec<&str> = text.split(attribute.as_str()).collect();
    let index = |pair: &[&str]| {
        let first: usize = pair[1].split(')').next()?.parse().ok()?;
        let declared = pair[0].rsplit("]]").next()?;
        let array = declared.rfind("array<").map(|at| &declared[at..]);
        let length = array.and_then(|array| array.rsplit_once('>')?.0.rsplit(' ').next());
        let length: usize = length.map_or(Some(1), |length| length.parse().ok())?;
        Some(first + length - 1)
    };
    parts.windows(2).filter_map(index).collect::<Vec<_>>().into_iter()
}

/// The first version of MSL with `invariant` positions.
const INVARIANT_POSITIONS: (u32, u32) = (2, 1);

/// Whether variables that MSL cannot declare `invariant` are `Invariant` in the module. Two functions then compute
/// the same value only if no arithmetic is contracted.
pub(super) fn is_invariant_by_arithmetic(words: &[u32], version: (u32, u32)) -> bool {
    let is_position =
        |builtin| version >= INVARIANT_POSITIONS && builtin == Some(BuiltIn::POSITION);
    // SPIRV-Cross reports modules that cannot be parsed.
    let Ok(module) = Module::parse(words) else { return false };
    let mut decorations = module.section(Section::Annotations).filter_map(|inst| {
        let of_whole =
            Decorate::of(inst).map(|one| (one.decoration(), module.builtin(one.target())));
        of_whole.or_else(|| {
            let one = MemberDecorate::of(inst)?;
            Some((one.decoration(), module.member_builtin(one.target(), one.member())))
        })
    });
    decorations.any(|(what, builtin)| what == Decoration::INVARIANT && !is_position(builtin))
}

fn has_doubles(words: &[u32]) -> bool {
    Module::parse(words).is_ok_and(|module| {
        module.instructions().any(|inst| inst.op() == Op::TYPE_FLOAT && inst.words()[2] == 64)
    })
}

/// Whether the outputs of a stage before the rasterizer have cull distances. SPIRV-Cross passes the distances to the
/// fragment stage, which may read them. It does not report that culling is missing, or that undeclared members of a
/// block are used.
fn has_cull_distances(text: &str) -> bool {
    text.split("struct ").skip(1).any(|part| {
        let name = part.split_whitespace().next().unwrap_or_default();
        let is_output = name.ends_with("_out") || name == "spvPerVertex";
        is_output && part.split("};").next().is_some_and(|body| body.contains("[[user(cull"))
    })
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    // Dashes are part of a word here, because placeholders contain dashes.
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter)))
        .map(|word| word.trim_start_matches('-'))
}

/// Whether a word is the type `double`, or a vector or matrix of it.
fn is_double(word: &str) -> bool {
    let rest = word.strip_prefix("double").or_else(|| word.strip_prefix("packed_double"));
    rest.is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || letter == 'x'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_found_by_whole_words() {
        for word in ["double", "double3", "double4x4", "packed_double3"] {
            assert!(is_double(word), "{word}");
        }
        assert!(!["doubled", "a_double", "float2", "doubles2"].into_iter().any(is_double));
        assert_eq!(words_of("-double(x)").next(), Some("double"));
    }

    #[test]
    fn a_function_has_so_many_textures_and_samplers() {
        let text = |first, samplers| {
            format!(
                "fragment void f(texture2d<float> a [[texture({first})]], array<texture2d<float>, 8> b \
                 [[texture(3)]], sampler c [[sampler({samplers})]], device B& d [[buffer(30)]])"
            )
        };
        assert_eq!(indices(&text(1, 2), "texture").collect::<Vec<_>>(), [1, 10]);
        assert!(checked(text(127, 15), &[]).is_ok());
        for (text, what) in [(text(128, 15), "128 textures"), (text(127, 16), "16 samplers")] {
            let refused = checked(text, &[]).unwrap_err().to_string();
            assert!(refused.contains(what), "{refused}");
        }
    }

    #[test]
    fn what_would_not_compile_is_refused_and_constants_become_variables() {
        let refused = checked("a = unsupported_GLSLstd450PackDouble2x32(b);".to_owned(), &[]);
        assert!(refused.is_err_and(|error| error.to_string().contains("PackDouble2x32")));
        let culling = "struct main0_NAME\n{\n    float gl_CullDistance_0 [[user(cull0)]];\n};\n";
        let refused = checked(culling.replace("NAME", "out"), &[]);
        assert!(refused.is_err_and(|error| error.to_string().contains("no cull distances")));
        assert!(checked(culling.replace("NAME", "in"), &[]).is_ok(), "fragment stages read them");
        let text = checked("const uint gl_ViewIndex = 0;".to_owned(), &[]);
        assert_eq!(text.as_deref(), Ok("uint gl_ViewIndex = 0;"));
        let text = checked("void f(thread uint (&gl_SampleMaskIn)[1], int)".to_owned(), &[]);
        assert_eq!(text.as_deref(), Ok("void f(thread uint& gl_SampleMaskIn, int)"));
    }
}
