//! GLSL to SPIR-V.

use polyshade_formats::{ShaderStage, SpirvVersion, compile};

/// Compiles a vertex shader for a version of SPIR-V, with these lines behind its first.
#[track_caller]
pub(crate) fn vertex(source: &str, defines: &str, version: SpirvVersion) -> Vec<u32> {
    stage(ShaderStage::Vertex, source, defines, version)
}

/// Compiles a shader of any stage for a version of SPIR-V, with these lines behind its first.
#[track_caller]
pub(crate) fn stage(
    stage: ShaderStage,
    source: &str,
    defines: &str,
    version: SpirvVersion,
) -> Vec<u32> {
    let (first, rest) = source.trim_start().split_once('\n').expect("the first line is #version");
    let source = format!("{first}\n{defines}\n{rest}");
    compile(&source, stage, version).unwrap_or_else(|error| panic!("{error}"))
}

/// Compiles a fragment shader.
#[track_caller]
pub(crate) fn fragment(source: &str) -> Vec<u32> {
    let words = compile(source.trim_start(), ShaderStage::Fragment, SpirvVersion::SPIRV1_0);
    words.unwrap_or_else(|error| panic!("{error}"))
}
