//! Calls glslang.

use super::semantics::{self, Declarations};
use super::{Language, SourceText, bindings, intrinsics};
use crate::{Error, ShaderStage, SpirvVersion, tools};
use glslang::error::GlslangError;
use glslang::include::{IncludeHandler, IncludeResult, IncludeType};
use glslang::{
    Compiler, CompilerOptions, GlslProfile, Program, Shader, ShaderInput, ShaderMessage,
    ShaderSource, SourceLanguage, Target, VulkanVersion,
};
use polyshade_spv::{Capability, Module, Op, Patch, StorageClass, Type};
use std::fs;
use std::path::PathBuf;

pub(super) fn compile(source: &SourceText<'_>) -> Result<(Vec<u32>, Vec<PathBuf>), Error> {
    check_names(source)?;
    let compiler = Compiler::acquire().ok_or_else(|| faulty("cannot initialize glslang"))?;
    let stage = source.stage.into();
    let text = ShaderSource::from(with_includes(source).replace('\0', " "));
    let defines: Vec<(&str, Option<&str>)> =
        source.defines.iter().map(|(name, value)| (&**name, Some(&**value))).collect();
    let mut folders = Folders { folders: &source.folders, read: Vec::new() };

    let input = ShaderInput::new(
        &text,
        stage,
        &options(source),
        Some(defines.as_slice()),
        Some(&mut folders),
    )
    .map_err(|error| message(error, source))?;
    let mut builder = Shader::new(compiler, input);
    if source.language == Language::Hlsl {
        builder.entry_point(&source.entry);
        builder.source_entry_point(&source.entry);
    }
    let shader = builder.parse().map_err(|error| message(error, source))?;
    let mut program = Program::new(compiler);
    program.add_shader(&shader);
    let words = program.compile(stage).map_err(|error| message(error, source))?;
    // First correct the module, then validate the result.
    let words = match source.language {
        Language::Glsl => with_streams(words)?,
        Language::Hlsl => complete(&words, source, &shader.get_preprocessed_code())?,
    };
    tools::check(&words).map_err(|error| {
        let SourceText { name, .. } = source;
        Error::Unsupported(format!("{name}: glslang compiles this to an invalid module: {error}"))
    })?;
    Ok((words, folders.read))
}

/// Completes the module of an HLSL source with information that glslang omits.
fn complete(words: &[u32], source: &SourceText<'_>, text: &str) -> Result<Vec<u32>, Error> {
    let fault = |error: polyshade_spv::Error| Error::Faulty(error.to_string());
    let module = Module::parse(words).map_err(fault)?;
    // glslang generates an entry point that calls the function. If the function does not exist, the entry point is
    // empty.
    let mut code = module.functions().flat_map(|function| function.instructions());
    if !code.any(|inst| inst.op() == Op::FUNCTION_CALL) {
        let SourceText { name, entry, .. } = source;
        return Err(Error::Faulty(format!("{name}: the source has no function `{entry}`")));
    }
    let declared = Declarations::of(text, &source.entry);
    if declared.calls_lit() {
        let message = "glslang multiplies in `lit` instead of computing a power: use `pow`";
        return Err(Error::Unsupported(format!("{}: {message}", source.name)));
    }
    let rewritten = module.rewrite(|m, p| {
        bindings::complete(m, p);
        semantics::complete(m, p, &declared);
        intrinsics::complete(m, p, &declared);
        keep_empty_outputs(m, p);
        Ok(())
    });
    Ok(rewritten.map_err(fault)?.module.into_words())
}

/// Returns the module with the capability for stream instructions, which glslang omits if only stream 0 is used.
fn with_streams(words: Vec<u32>) -> Result<Vec<u32>, Error> {
    let fault = |error: polyshade_spv::Error| Error::Faulty(error.to_string());
    let module = Module::parse(&words).map_err(fault)?;
    let emits = [Op::EMIT_STREAM_VERTEX, Op::END_STREAM_PRIMITIVE];
    if !module.instructions().any(|inst| emits.contains(&inst.op())) {
        return Ok(words);
    }
    let module = module.rewrite(|_, p| {
        p.capability(Capability::GEOMETRY_STREAMS);
        Ok(())
    });
    Ok(module.map_err(fault)?.module.into_words())
}

/// Makes outputs without members private, because glslang omits them from the interface.
fn keep_empty_outputs<'m>(m: &'m Module<'_>, p: &mut Patch<'m, '_>) {
    for output in m.variables().filter(|one| one.storage_class() == StorageClass::OUTPUT) {
        let Some(Type::Struct { id }) = m.pointee(output.result()).and_then(|ty| m.ty(ty)) else {
            continue;
        };
        if m.members(id).len() > 0 {
            continue;
        }
        let pointer = p.pointer_before(StorageClass::PRIVATE, id, output.inst().at());
        p.set_result_type(output.inst(), pointer);
        output.set_storage_class(p, StorageClass::PRIVATE);
        // From SPIR-V 1.4 on, interfaces list all variables.
        for entry in m.entry_points().filter(|_| m.version() >= (1, 4)) {
            p.join_interface(entry, output.result());
        }
    }
}

/// Returns the text with the extension that `#include` needs in GLSL.
fn with_includes(source: &SourceText<'_>) -> String {
    let text = &*source.text;
    let asks = text.contains("#include") && !text.contains("GL_GOOGLE_include_directive");
    if source.language == Language::Hlsl || source.folders.is_empty() || !asks {
        return text.to_owned();
    }
    let is_version = |line: &str| line.trim_start().starts_with("#version");
    let before = text.lines().position(is_version).map_or(0, |version| version + 1);
    let (first, rest) = text.split_at(text.split_inclusive('\n').take(before).map(str::len).sum());
    let extension = "#extension GL_GOOGLE_include_directive : enable";
    format!("{first}{extension}\n#line {}\n{rest}", before + 1)
}

/// Checks names and values that are inserted into lines of the text for glslang. They must not end their line.
fn check_names(source: &SourceText<'_>) -> Result<(), Error> {
    let is_name = |name: &str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
    };
    for (name, value) in &source.defines {
        if !is_name(name) || value.contains(['\n', '\r', '\0']) {
            return Err(Error::Options(format!("`{name}` cannot be defined as `{value}`")));
        }
    }
    match is_name(&source.entry) {
        true => Ok(()),
        false => Err(Error::Options(format!("`{}` cannot be an entry point", source.entry))),
    }
}

fn options(source: &SourceText<'_>) -> CompilerOptions {
    let vulkan = match source.version {
        SpirvVersion::SPIRV1_0 | SpirvVersion::SPIRV1_1 | SpirvVersion::SPIRV1_2 => {
            VulkanVersion::Vulkan1_0
        }
        SpirvVersion::SPIRV1_3 => VulkanVersion::Vulkan1_1,
        SpirvVersion::SPIRV1_4 | SpirvVersion::SPIRV1_5 => VulkanVersion::Vulkan1_2,
        SpirvVersion::SPIRV1_6 => VulkanVersion::Vulkan1_3,
    };
    let spirv_version = match source.version {
        SpirvVersion::SPIRV1_0 => glslang::SpirvVersion::SPIRV1_0,
        SpirvVersion::SPIRV1_1 => glslang::SpirvVersion::SPIRV1_1,
        SpirvVersion::SPIRV1_2 => glslang::SpirvVersion::SPIRV1_2,
        SpirvVersion::SPIRV1_3 => glslang::SpirvVersion::SPIRV1_3,
        SpirvVersion::SPIRV1_4 => glslang::SpirvVersion::SPIRV1_4,
        SpirvVersion::SPIRV1_5 => glslang::SpirvVersion::SPIRV1_5,
        SpirvVersion::SPIRV1_6 => glslang::SpirvVersion::SPIRV1_6,
    };
    let glsl = source.language == Language::Glsl;
    CompilerOptions {
        source_language: if glsl { SourceLanguage::GLSL } else { SourceLanguage::HLSL },
        target: Target::Vulkan { version: vulkan, spirv_version },
        // An explicit version would override the shader's, with a warning.
        version_profile: (glsl && !source.text.contains("#version"))
            .then_some((450, GlslProfile::Core)),
        messages: ShaderMessage::DISPLAY_ERROR_COLUMN
            | if glsl { ShaderMessage::DEFAULT } else { ShaderMessage::HLSL_OFFSETS },
    }
}

impl From<ShaderStage> for glslang::ShaderStage {
    fn from(stage: ShaderStage) -> Self {
        match stage {
            ShaderStage::Vertex => Self::Vertex,
            ShaderStage::TessellationControl => Self::TesselationControl,
            ShaderStage::TessellationEvaluation => Self::TesselationEvaluation,
            ShaderStage::Geometry => Self::Geometry,
            ShaderStage::Fragment => Self::Fragment,
            ShaderStage::Compute => Self::Compute,
            ShaderStage::Task => Self::Task,
            ShaderStage::Mesh => Self::Mesh,
        }
    }
}

/// The maximum nesting of includes.
const MOST_INCLUDES: usize = 64;

/// The include handler, with its folders.
struct Folders<'a> {
    folders: &'a [PathBuf],
    /// The files that were found.
    read: Vec<PathBuf>,
}

impl IncludeHandler for Folders<'_> {
    fn include(
        &mut self,
        kind: IncludeType,
        name: &str,
        includer: &str,
        depth: usize,
    ) -> Option<IncludeResult> {
        if depth > MOST_INCLUDES {
            return None;
        }
        // Files are named by their paths, so the name of the includer contains its folder.
        let beside = PathBuf::from(includer).parent().map(PathBuf::from);
        let beside = beside.filter(|_| kind == IncludeType::Local && !includer.is_empty());
        let folders = beside.iter().chain(self.folders);
        let (path, data) = folders.map(|folder| folder.join(name)).find_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            Some((path, text.replace('\0', " ")))
        })?;
        if !self.read.contains(&path) {
            self.read.push(path.clone());
        }
        Some(IncludeResult { name: path.to_string_lossy().into_owned(), data })
    }
}

fn faulty(message: impl Into<String>) -> Error {
    Error::Faulty(message.into())
}

fn message(error: GlslangError, source: &SourceText<'_>) -> Error {
    let log = match error {
        GlslangError::PreprocessError(log)
        | GlslangError::ParseError(log)
        | GlslangError::MapIoError(log)
        | GlslangError::LinkError(log) => log.log,
        GlslangError::VersionUnsupported(version, _)
        | GlslangError::InvalidProfile(_, version, _) => {
            format!("version {version} of GLSL cannot be compiled to SPIR-V for Vulkan")
        }
        other => other.to_string(),
    };
    let lines: Vec<String> =
        log.lines().filter_map(|line| located(line.trim(), &source.name)).collect();
    match lines.is_empty() {
        true => faulty(log.trim_end()),
        false => faulty(lines.join("\n")),
    }
}

/// Converts a line of glslang's log to `FILE:LINE:COLUMN: MESSAGE`; `None` for summary lines at the end of the log.
fn located(line: &str, name: &str) -> Option<String> {
    let closing = ["No code generated.", "'' : compilation terminated", "HLSL parsing failed."];
    let counts = line.is_empty() || closing.iter().any(|end| line.ends_with(end));
    let line = line.strip_prefix("ERROR: ").unwrap_or(line);
    // The source has the name `0` or no name. Included files have their paths as names.
    let own = line.strip_prefix("0:").or_else(|| line.strip_prefix(':'));
    let own = own.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    (!counts).then(|| own.map_or_else(|| line.to_owned(), |rest| format!("{name}:{rest}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;

    fn glsl(text: &str) -> SourceText<'_> {
        SourceText::new(text, Language::Glsl, ShaderStage::Vertex).name("a.vert")
    }

    #[test]
    fn a_fault_is_reported_with_its_line() {
        let source = "#version 450\nvoid main() {\n    nonsense;\n}\n";
        let error = compile(source, ShaderStage::Vertex, SpirvVersion::SPIRV1_0).unwrap_err();
        assert!(error.to_string().starts_with("0:3:5: "), "{error}");
        let error = glsl(source).compile().unwrap_err();
        assert!(error.to_string().starts_with("a.vert:3:5: "), "{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }

    #[test]
    fn the_version_is_the_one_asked_for() {
        let source = "#version 450\nvoid main() {}\n";
        let words =
            compile(source, ShaderStage::Vertex, SpirvVersion::SPIRV1_5).expect("it compiles");
        assert_eq!(words[1], 0x0001_0500);
        assert_eq!(SpirvVersion::of(&words), SpirvVersion::SPIRV1_5);
    }

    #[test]
    fn macros_are_defined_before_the_first_line() {
        let source = "#version 450\n#if N != 4\n#error N\n#endif\nvoid main() {}\n";
        assert!(glsl(source).define("N", "4").compile().is_ok());
        assert!(glsl(source).define("N", "5").compile().is_err());
        for (name, value) in [("N M", "4"), ("N", "4\n#error"), ("", "1"), ("4", "1")] {
            let error = glsl(source).define(name, value).compile().unwrap_err();
            assert!(matches!(error, Error::Options(_)), "{name}={value}: {error}");
        }
    }

    #[test]
    fn files_include_others_relative_to_themselves_and_from_folders() {
        let folder = tempfile::tempdir().expect("there is room");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("there is room");
        };
        fs::create_dir_all(folder.path().join("deep/er")).expect("there is room");
        write("deep/first.glsl", "#include \"er/second.glsl\"\n");
        write("deep/er/second.glsl", "#include <third.glsl>\n");
        write("third.glsl", "float f() { return 1.0; }\n");
        let source = "#version 450\n#include \"deep/first.glsl\"\nvoid main() { gl_Position = vec4(f()); }\n";
        let (_, files) =
            glsl(source).folder(folder.path()).compile_with_files().expect("it compiles");
        let names = ["deep/first.glsl", "deep/er/second.glsl", "third.glsl"];
        assert_eq!(files, names.map(|name| folder.path().join(name)));

        assert!(glsl(source).compile().is_err(), "there is no folder to look in");
        let own = source.replace("f()", "g()");
        let error = glsl(&own).folder(folder.path()).compile().unwrap_err().to_string();
        assert!(error.starts_with("a.vert:3:37: "), "{error}");
        write("third.glsl", "\nfloat f() { return x; }\n");
        let error = glsl(source).folder(folder.path()).compile().unwrap_err().to_string();
        assert!(error.contains("third.glsl:2:20: "), "{error}");
        write("third.glsl", "#include \"third.glsl\"\n");
        assert!(glsl(source).folder(folder.path()).compile().is_err(), "it includes itself");
    }

    #[test]
    fn hlsl_is_compiled_from_its_entry_point() {
        let text = "float4 scale; struct V { float4 p : SV_Position; float3 c : COLOR; };\n\
            V transform(float4 p : POSITION, uint i : SV_VertexID) { V v; v.p = p * scale; v.c = i; return v; }\n";
        let source = SourceText::new(text, Language::Hlsl, ShaderStage::Vertex).name("a.hlsl");
        source.clone().entry("transform").compile().expect("it compiles");
        assert!(source.clone().compile().is_err(), "there is no main");
        let faulty =
            SourceText::new("float4 f() {\n return x; }", Language::Hlsl, ShaderStage::Vertex);
        let error = faulty.name("a.hlsl").entry("f").compile().unwrap_err().to_string();
        assert!(error.starts_with("a.hlsl:2:9: "), "{error}");
        assert!(source.entry("a b").compile().is_err());
    }
    fn compute(text: &str) -> Result<Vec<u32>, Error> {
        let text = format!(
            "RWByteAddressBuffer b : register(u0);\n\
             [numthreads(1, 1, 1)] void main() {{ uint n; {text} b.Store(0, n); }}\n"
        );
        SourceText::new(&text, Language::Hlsl, ShaderStage::Compute).compile()
    }

    #[test]
    fn a_module_that_is_not_valid_is_refused() {
        // The operand is signed, but the memory is not.
        let refused = compute("b.InterlockedAdd(8, 1, n);");
        assert_eq!(refused.is_err(), crate::Feature::Tools.is_in(), "{refused:?}");
        if let Err(error) = refused {
            assert!(
                error.to_string().contains("to an invalid module: AtomicIAdd: expected Value"),
                "{error}"
            );
            assert!(matches!(error, Error::Unsupported(_)));
        }
        compute("b.InterlockedAdd(8, 1u, n);").expect("it is valid");
    }

    #[test]
    fn outputs_without_members_are_no_outputs() {
        let text = "struct None {}; None main() { None none; return none; }\n";
        let source = SourceText::new(text, Language::Hlsl, ShaderStage::Vertex);
        source.version(SpirvVersion::SPIRV1_5).compile().expect("it is valid");
    }

    #[test]
    fn the_power_that_glslang_multiplies_is_refused() {
        let refused = compute("n = lit(0.5, 0.5, 2).z;").unwrap_err();
        assert!(refused.to_string().contains("use `pow`"), "{refused}");
        compute("uint lit = 3; n = lit;").expect("it is a variable");
    }
}
