//! GLSL in, SPIR-V out: the one place that calls glslang, for the program, the tests and the chores.

use glslang::{
    Compiler, CompilerOptions, GlslProfile, Program, ShaderInput, ShaderSource, SourceLanguage,
    Target, VulkanVersion, error::GlslangError,
};
pub use glslang::{ShaderStage, SpirvVersion};
use std::fmt;

/// What glslang says of a shader that it does not compile, a line a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError(pub String);

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CompileError {}

/// The stage that the ending of a file name stands for: `vert`, `tesc`, `tese`, `geom`, `frag`, `comp`, `task`, `mesh`.
pub fn stage_of_extension(extension: &str) -> Option<ShaderStage> {
    Some(match extension {
        "vert" => ShaderStage::Vertex,
        "tesc" => ShaderStage::TesselationControl,
        "tese" => ShaderStage::TesselationEvaluation,
        "geom" => ShaderStage::Geometry,
        "frag" => ShaderStage::Fragment,
        "comp" => ShaderStage::Compute,
        "task" => ShaderStage::Task,
        "mesh" => ShaderStage::Mesh,
        _ => return None,
    })
}

/// Compiles Vulkan GLSL for a version of SPIR-V, with the Vulkan version that this version of SPIR-V came with.
///
/// # Errors
///
/// What glslang says; lines and columns are those of `source`.
pub fn compile(
    source: &str,
    stage: ShaderStage,
    version: SpirvVersion,
) -> Result<Vec<u32>, CompileError> {
    let vulkan = match version {
        SpirvVersion::SPIRV1_0 | SpirvVersion::SPIRV1_1 | SpirvVersion::SPIRV1_2 => {
            VulkanVersion::Vulkan1_0
        }
        SpirvVersion::SPIRV1_3 => VulkanVersion::Vulkan1_1,
        SpirvVersion::SPIRV1_4 | SpirvVersion::SPIRV1_5 => VulkanVersion::Vulkan1_2,
        _ => VulkanVersion::Vulkan1_3,
    };
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target: Target::Vulkan { version: vulkan, spirv_version: version },
        // A version that is given overrules the shader's own, with a warning.
        version_profile: (!source.contains("#version")).then_some((450, GlslProfile::Core)),
        ..CompilerOptions::default()
    };
    let compiler =
        Compiler::acquire().ok_or_else(|| CompileError("glslang cannot be set up".to_owned()))?;
    let text = ShaderSource::from(source.replace('\0', " "));
    let input = ShaderInput::new(&text, stage, &options, None, None).map_err(message)?;
    let shader = compiler.create_shader(input).map_err(message)?;
    let mut program = Program::new(compiler);
    program.add_shader(&shader);
    program.compile(stage).map_err(message)
}

fn message(error: GlslangError) -> CompileError {
    let log = match error {
        GlslangError::PreprocessError(log)
        | GlslangError::ParseError(log)
        | GlslangError::MapIoError(log)
        | GlslangError::LinkError(log) => log.log,
        other => other.to_string(),
    };
    CompileError(log.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_reported_with_its_line() {
        let source = "#version 450\nvoid main() {\n    nonsense;\n}\n";
        let error = compile(source, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).unwrap_err();
        assert!(error.0.contains("0:3:"), "{error}");
    }

    #[test]
    fn the_version_is_the_one_asked_for() {
        let words =
            compile("#version 450\nvoid main() {}\n", ShaderStage::Vertex, SpirvVersion::SPIRV1_5)
                .unwrap();
        assert_eq!(words[1], 0x0001_0500);
    }
}
