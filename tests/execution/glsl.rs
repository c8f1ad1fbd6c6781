//! GLSL to SPIR-V.

use glslang::{
    Compiler, CompilerOptions, Shader, ShaderInput, ShaderSource, ShaderStage, SourceLanguage,
    SpirvVersion, Target, VulkanVersion,
};

/// Compiles a vertex shader, with these lines behind its first.
#[track_caller]
pub(crate) fn vertex(source: &str, defines: &str) -> Vec<u32> {
    compile(ShaderStage::Vertex, source, defines)
}

/// Compiles a fragment shader.
#[track_caller]
pub(crate) fn fragment(source: &str) -> Vec<u32> {
    compile(ShaderStage::Fragment, source, "")
}

#[track_caller]
fn compile(stage: ShaderStage, source: &str, defines: &str) -> Vec<u32> {
    let source = source.trim_start();
    let (version, rest) = source.split_once('\n').expect("the first line is #version");
    let source = ShaderSource::from(format!("{version}\n{defines}\n{rest}"));
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target: Target::Vulkan {
            version: VulkanVersion::Vulkan1_1,
            spirv_version: SpirvVersion::SPIRV1_3,
        },
        ..CompilerOptions::default()
    };
    let compiler = Compiler::acquire().expect("glslang starts");
    let defines: Option<&[(&str, Option<&str>)]> = None;
    let words = ShaderInput::new(&source, stage, &options, defines, None)
        .and_then(|input| Shader::new(compiler, input).parse())
        .and_then(|shader| shader.compile());
    words.unwrap_or_else(|error| panic!("{error}"))
}
