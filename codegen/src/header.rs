//! Generates the header of the C library from its sources. cbindgen writes types, constants and functions. This
//! module adds initializers that zero a struct and set its size.

use crate::{Generated, workspace};
use std::fmt::Write;

const PATH: &str = "crates/capi/include/polyshade.h";

/// The structs of options to which exactly one kind belongs.
const ONE_KIND: [(&str, &str); 6] = [
    ("vertex_pulling_options", "POLYSHADE_OPTIONS_VERTEX_PULLING"),
    ("clip_space_options", "POLYSHADE_OPTIONS_CLIP_SPACE"),
    ("rasterizer_discard_options", "POLYSHADE_OPTIONS_RASTERIZER_DISCARD"),
    ("blend_options", "POLYSHADE_OPTIONS_ADVANCED_BLEND"),
    ("clip_options", "POLYSHADE_OPTIONS_CLIP_CULL"),
    ("position_only_options", "POLYSHADE_OPTIONS_POSITION_ONLY"),
];

/// The initializer of JSON options sets two kinds: the kind JSON, and the kind of the options that the JSON contains.
const JSON_KIND: &str = "    value.base.kind = POLYSHADE_OPTIONS_JSON;\n    value.of = kind;\n";

/// Generates the header from the sources.
pub(crate) fn generate() -> Result<Generated, String> {
    let folder = workspace().join("crates/capi");
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
    let sources = cbindgen::Builder::new().with_crate(&folder).with_config(config);
    let bindings = sources.generate().map_err(|error| format!("cbindgen: {error}"))?;
    let mut bytes = Vec::new();
    bindings.write(&mut bytes);
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok(Generated { path: PATH, bytes: with_initializers(&text)?.into_bytes() })
}

/// Inserts the initializers before the end of the header.
fn with_initializers(header: &str) -> Result<String, String> {
    let end = header.rfind("#ifdef __cplusplus").ok_or("the header has no end for C++")?;
    let (declarations, end) = header.split_at(end);
    let mut text = declarations.to_owned();
    text.push_str("/* Each returns a struct of zeros with its size. */\n\n");
    // Write one initializer for each struct. Options also need their kind.
    for name in versioned(declarations) {
        let short = name.trim_start_matches("polyshade_");
        let member = if short.ends_with("_options") { "value.base." } else { "value." };
        let (parameter, kind) = match (ONE_KIND.iter().find(|(name, _)| *name == short), short) {
            (Some((_, kind)), _) => ("void", format!("    value.base.kind = {kind};\n")),
            (None, "json_options") => ("uint32_t kind", JSON_KIND.to_owned()),
            (None, "capture_options") => {
                ("uint32_t kind", "    value.base.kind = kind;\n".to_owned())
            }
            (None, _) if member == "value." => ("void", String::new()),
            (None, _) => return Err(format!("{name}: of which kind are these options?")),
        };
        let _ = write!(
            text,
            "static inline {name} {name}_init({parameter}) {{\n    {name} value;\n    \
             memset(&value, 0, sizeof value);\n    {member}size = (uint32_t)sizeof value;\n{kind}    \
             return value;\n}}\n\n"
        );
    }
    text.push_str(end);
    Ok(text)
}

/// Returns the structs that begin with their size, or with the struct `base` of options, which itself begins
/// with a size.
fn versioned(header: &str) -> impl Iterator<Item = &str> {
    let structs = header.split("typedef struct ").skip(1);
    structs.filter_map(|text| {
        let (name, members) = text.split_once(" {\n")?;
        let first = members.lines().find(|line| line.ends_with(';'))?.trim();
        let begins = ["uint32_t size;", "struct polyshade_options base;"].contains(&first);
        (begins && name != "polyshade_options" && !name.contains(';')).then_some(name)
    })
}
