//! Compiles GLSL to SPIR-V.

use polyshade_formats::{ShaderStage, SpirvVersion, compile};
use polyshade_vulkan::vk;

/// Compiles a vertex shader to a version of SPIR-V, with `defines` after the source's first line.
#[track_caller]
pub(crate) fn vertex(source: &str, defines: &str, version: SpirvVersion) -> Vec<u32> {
    stage(ShaderStage::Vertex, source, defines, version)
}

/// Compiles a shader of any stage to a version of SPIR-V, with `defines` after the source's first line.
#[track_caller]
pub(crate) fn stage(
    stage: ShaderStage,
    source: &str,
    defines: &str,
    version: SpirvVersion,
) -> Vec<u32> {
    let (first, rest) = source.trim_start().split_once('\n').expect("the first line is #version");
    let source = format!("{first}\n{defines}\n{rest}");
    compiled(stage, &source, version)
}

#[track_caller]
pub(crate) fn fragment(source: &str) -> Vec<u32> {
    compiled(ShaderStage::Fragment, source.trim_start(), SpirvVersion::SPIRV1_0)
}

/// Compiles an unmodified source to a version of SPIR-V.
#[track_caller]
pub(crate) fn compiled(stage: ShaderStage, source: &str, version: SpirvVersion) -> Vec<u32> {
    compile(source, stage, version).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

pub(crate) fn flags(stage: ShaderStage) -> vk::ShaderStageFlags {
    match stage {
        ShaderStage::Vertex => vk::ShaderStageFlags::VERTEX,
        ShaderStage::TessellationControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        ShaderStage::TessellationEvaluation => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        ShaderStage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        _ => vk::ShaderStageFlags::FRAGMENT,
    }
}
