//! Compiles the GLSL of the project to SPIR-V: for lowerings to link, for `verify` to draw with, and for examples.

use super::{Generated, workspace};
use polyshade_formats::glsl::{Language, SourceText};
use polyshade_formats::{ShaderStage, SpirvVersion, stage_of_extension};
use std::fs;

/// Source and result of each library, relative to the workspace. A `_bound` result finds its memory in descriptors.
const LIBRARIES: &[(&str, &str)] = &[
    ("crates/polyshade/src/library/blend.glsl", "crates/polyshade/src/library/blend.spv"),
    ("crates/polyshade/src/library/capture.glsl", "crates/polyshade/src/library/capture.spv"),
    ("crates/polyshade/src/library/draws.glsl", "crates/polyshade/src/library/draws.spv"),
    ("crates/polyshade/src/library/fetch.glsl", "crates/polyshade/src/library/fetch.spv"),
    ("crates/polyshade/src/library/fixed.glsl", "crates/polyshade/src/library/fixed.spv"),
    ("crates/polyshade/src/library/cut.glsl", "crates/polyshade/src/library/cut.spv"),
    ("crates/capi/examples/shaders/draw.frag", "crates/capi/examples/shaders/draw.frag.spv"),
    ("crates/capi/examples/shaders/draw.vert", "crates/capi/examples/shaders/draw.vert.spv"),
    ("crates/capi/examples/shaders/mesh.vert", "crates/capi/examples/shaders/mesh.vert.spv"),
    ("crates/layer/src/emulation/results.comp", "crates/layer/src/emulation/results.spv"),
    ("crates/planner/src/counter_pass/count.comp", "crates/planner/src/counter_pass/count.spv"),
    ("crates/planner/src/counter_pass/count.comp", "crates/planner/src/counter_pass/count_bound.spv"),
    ("crates/planner/src/counter_pass/segments.comp", "crates/planner/src/counter_pass/segments.spv"),
    ("crates/planner/src/counter_pass/segments.comp", "crates/planner/src/counter_pass/segments_bound.spv"),
    ("crates/verify/src/library/cover.vert", "crates/verify/src/library/cover.spv"),
    ("crates/verify/src/library/depth.frag", "crates/verify/src/library/depth.spv"),
    ("crates/verify/src/library/finish.tese", "crates/verify/src/library/finish.spv"),
    ("crates/verify/src/library/pass_through.tesc", "crates/verify/src/library/pass_through.spv"),
    ("crates/verify/src/library/place.vert", "crates/verify/src/library/place.spv"),
];

/// The folder of files that others include.
const INCLUDED: &str = "crates/polyshade/src/library";

/// Compiles the libraries for SPIR-V 1.0, which can be linked into every version. The stage of a library does not
/// matter, because it has no globals.
pub(super) fn generate() -> Result<Vec<Generated>, String> {
    let compiled = |(source, path): &(&str, &'static str)| {
        let text = fs::read_to_string(workspace().join(source))
            .map_err(|error| format!("{source}: {error}"))?;
        let text = match path.ends_with("_bound.spv") {
            true => text.replacen("#version 450\n", "#version 450\n#define BOUND\n", 1),
            false => text,
        };
        let (_, extension) = source.rsplit_once('.').expect("a source has an extension");
        let stage = stage_of_extension(extension).unwrap_or(ShaderStage::Vertex);
        let (folder, _) = source.rsplit_once('/').expect("a source lies in a folder");
        let words = SourceText::new(&text, Language::Glsl, stage)
            .version(SpirvVersion::SPIRV1_0)
            .folder(workspace().join(folder))
            .folder(workspace().join(INCLUDED))
            .compile()
            .map_err(|error| format!("{source}: {error}"))?;
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Generated { path, bytes })
    };
    LIBRARIES.iter().map(compiled).collect()
}
