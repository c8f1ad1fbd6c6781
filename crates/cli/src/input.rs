//! Reads the shader of a verb in any supported format, from a file or standard input.

use crate::code;
use crate::failure::Failure;
use crate::formats;
use crate::memory;
use crate::named::named;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, ValueEnum};
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{Code, ExecutionModel};
use polyshade::{Error, Module};
use polyshade_formats::glsl::{self, SourceText};
use polyshade_formats::tools::ENVIRONMENTS;
use polyshade_formats::{ShaderStage, SpirvVersion, stage_of_extension};
use std::cell::RefCell;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// The help heading of the options in this file.
const READING: &str = "Reading";

/// Whether a verb reads a shader, either itself or through a subcommand such as `verify capture`.
pub(crate) fn reads_shader(verb: &Command) -> bool {
    let has_path = |verb: &Command| verb.get_positionals().any(|one| one.get_id() == "path");
    has_path(verb) || verb.get_subcommands().any(has_path)
}

/// The arguments of every verb that reads a shader. For `verify`, they may stand before or after the verified verb.
#[derive(Args, Clone)]
pub(crate) struct Input {
    /// The shader: SPIR-V (.spv .spvasm), GLSL (.vert .tesc .tese .geom .frag .comp .mesh .task .glsl), HLSL (.hlsl)
    /// or WGSL (.wgsl); `-` is standard input
    #[arg(value_name = "SHADER")]
    pub(crate) path: PathBuf,

    /// Name of the entry point [default: the only entry point of the stage; in HLSL, main]
    #[arg(help_heading = READING, long, global = true, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Stage of a GLSL or HLSL shader, if the file name does not give the stage as NAME.vert and NAME.vert.hlsl do;
    /// in other languages, this option selects one of several entry points
    #[arg(help_heading = READING, long, global = true, value_parser = named(stages()))]
    stage: Option<ShaderStage>,

    /// Language of the shader, if the file name does not determine it
    #[arg(help_heading = READING, long, global = true, value_enum)]
    language: Option<Language>,

    /// SPIR-V version to compile source text to [default: 1.3]
    #[arg(help_heading = READING)]
    #[arg(long, global = true, value_parser = named(VERSIONS), value_name = "VERSION")]
    spirv_version: Option<SpirvVersion>,

    /// Define a macro in GLSL or HLSL [default value: 1]
    #[arg(help_heading = READING)]
    #[arg(short = 'D', long = "define", global = true, value_name = "NAME[=VALUE]", value_parser = define)]
    defines: Vec<(String, String)>,

    /// Also search this folder for #include, after the folder of the including file
    #[arg(help_heading = READING)]
    #[arg(short = 'I', long = "include-dir", global = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Validate input and output with SPIRV-Tools
    #[arg(help_heading = READING, long, global = true)]
    pub(crate) validate: bool,

    /// Environment of --validate [default: the oldest Vulkan version that accepts the module's SPIR-V version]
    #[arg(help_heading = READING, long, global = true, value_name = "ENVIRONMENT", requires = "validate",
        value_parser = PossibleValuesParser::new(ENVIRONMENTS))]
    pub(crate) target_env: Option<String>,

    /// The files that the shader includes; empty until the shader is read.
    #[arg(skip)]
    included: RefCell<Vec<PathBuf>>,
}

fn stages() -> impl Iterator<Item = (&'static str, &'static str, ShaderStage)> {
    let endings = ["vert", "tesc", "tese", "geom", "frag", "comp", "task", "mesh"];
    endings.into_iter().filter_map(|ending| Some((ending, "", stage_of_extension(ending)?)))
}

fn models(stage: ShaderStage) -> &'static [ExecutionModel] {
    match stage {
        ShaderStage::Vertex => &[ExecutionModel::VERTEX],
        ShaderStage::TessellationControl => &[ExecutionModel::TESSELLATION_CONTROL],
        ShaderStage::TessellationEvaluation => &[ExecutionModel::TESSELLATION_EVALUATION],
        ShaderStage::Geometry => &[ExecutionModel::GEOMETRY],
        ShaderStage::Fragment => &[ExecutionModel::FRAGMENT],
        ShaderStage::Compute => &[ExecutionModel::GL_COMPUTE],
        ShaderStage::Task => &[ExecutionModel::TASK_EXT, ExecutionModel::TASK_NV],
        ShaderStage::Mesh => &[ExecutionModel::MESH_EXT, ExecutionModel::MESH_NV],
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Language {
    /// SPIR-V assembly
    Spvasm,
    /// Vulkan's GLSL
    Glsl,
    /// HLSL
    Hlsl,
    /// WGSL
    Wgsl,
}

const VERSIONS: [(&str, &str, SpirvVersion); 5] = [
    ("1.0", "", SpirvVersion::SPIRV1_0),
    ("1.3", "", SpirvVersion::SPIRV1_3),
    ("1.4", "", SpirvVersion::SPIRV1_4),
    ("1.5", "", SpirvVersion::SPIRV1_5),
    ("1.6", "", SpirvVersion::SPIRV1_6),
];

fn define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    match name.is_empty() {
        true => Err("a macro is given as NAME or NAME=VALUE".to_owned()),
        false => Ok((name.to_owned(), value.to_owned())),
    }
}

impl Input {
    /// Returns this shader, followed by the shaders at `others`, which are read with the same options.
    pub(crate) fn with(&self, others: &[PathBuf]) -> Vec<Self> {
        let others = others.iter().map(|path| Self { path: path.clone(), ..self.clone() });
        std::iter::once(self.clone()).chain(others).collect()
    }

    /// Reads the words of the shader, without parsing them. With `--validate`, fails if they are invalid.
    pub(crate) fn words(&self) -> Result<Vec<u32>, Failure> {
        let bytes = self.bytes()?;
        if bytes.is_empty() {
            return Err(self.invalid("the input is empty"));
        }
        let words = match spirv_words(&bytes) {
            Some(words) => {
                self.check_options(None)?;
                words.map_err(|message| self.invalid(message))?
            }
            None => {
                let language = self.language_of_text()?;
                self.check_options(Some(language))?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| self.invalid("the input is neither SPIR-V nor text"))?;
                self.compile(&text, language)?
            }
        };
        if self.validate {
            let valid = formats::validate(&words, self.target_env.as_deref());
            valid.map_err(|error| match error {
                polyshade_formats::Error::Faulty(fault) => {
                    self.invalid(format!("this is not valid SPIR-V: {fault}"))
                }
                other => Failure::of_format(other, &self.name(), "--validate"),
            })?;
        }
        Ok(words)
    }

    fn compile(&self, text: &str, language: Language) -> Result<Vec<u32>, Failure> {
        let name = self.name();
        let version = self.spirv_version.unwrap_or(SpirvVersion::SPIRV1_3);
        let (reading, words) = match language {
            Language::Spvasm => ("reading assembly", formats::assemble(text, &name, version)),
            Language::Wgsl => ("reading WGSL", formats::read_wgsl(text, &name, version)),
            Language::Glsl => {
                let source = SourceText::new(text, glsl::Language::Glsl, self.stage_of_source()?);
                ("reading GLSL", self.compile_source(&self.complete(source)))
            }
            Language::Hlsl => {
                let source = SourceText::new(text, glsl::Language::Hlsl, self.stage_of_source()?);
                let entry = self.entry.as_deref().unwrap_or("main");
                ("reading HLSL", self.compile_source(&self.complete(source).entry(entry)))
            }
        };
        words.map_err(|error| Failure::of_format(error, &name, reading))
    }

    fn compile_source(
        &self,
        source: &SourceText<'_>,
    ) -> Result<Vec<u32>, polyshade_formats::Error> {
        let (words, files) = formats::compile(source)?;
        self.included.replace(files);
        Ok(words)
    }

    /// Returns the files that were read, except standard input: the shader, then its included files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let itself = Some(self.path.clone()).filter(|_| !self.is_stdin());
        itself.into_iter().chain(self.included.borrow().iter().cloned()).collect()
    }

    /// Adds the options that apply to both GLSL and HLSL.
    fn complete<'s>(&self, source: SourceText<'s>) -> SourceText<'s> {
        let version = self.spirv_version.unwrap_or(SpirvVersion::SPIRV1_3);
        let source = source.name(self.name()).version(version).folder(self.folder());
        let source = self.folders.iter().fold(source, SourceText::folder);
        self.defines.iter().fold(source, |source, (name, value)| source.define(name, value))
    }

    /// Reads and parses the shader.
    pub(crate) fn module(&self) -> Result<Module<'static>, Failure> {
        let module = Module::parse_owned(self.words()?)
            .map_err(|error| Failure::of(&error, None).named(&self.name()))?;
        match module.version() {
            (1, _) => Ok(module),
            // polyshade cannot interpret instructions of other major versions.
            (major, minor) => {
                let message = format!("{}: SPIR-V {major}.{minor} is not supported", self.name());
                Err(Failure::new(&code::CLI_SPIRV_VERSION, message)
                    .help("polyshade supports versions 1.x"))
            }
        }
    }

    /// Whether the entry point has the requested name and stage.
    pub(crate) fn wants(&self, entry: &EntryPoint<'_>) -> bool {
        let is_named = self.entry.as_ref().is_none_or(|name| entry.name() == *name);
        is_named && self.stage.is_none_or(|stage| models(stage).contains(&entry.model()))
    }

    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        if self.is_stdin() {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            return read.map(|_| bytes).map_err(|error| self.failed(&code::CLI_FILE, error));
        }
        match memory::read(&self.path) {
            Some(bytes) => Ok(bytes),
            None => fs::read(&self.path).map_err(|error| self.failed(&code::CLI_FILE, error)),
        }
    }

    fn language_of_text(&self) -> Result<Language, Failure> {
        if let Some(language) = self.language {
            return Ok(language);
        }
        match self.extension().as_deref() {
            Some("spvasm") => Ok(Language::Spvasm),
            Some("hlsl") => Ok(Language::Hlsl),
            Some("wgsl") => Ok(Language::Wgsl),
            Some("glsl") => Ok(Language::Glsl),
            Some("spv") => {
                Err(self.invalid("this is not SPIR-V: it does not begin with its magic number"))
            }
            Some(extension) if stage_of_extension(extension).is_some() => Ok(Language::Glsl),
            _ if self.stage.is_some() => Ok(Language::Glsl),
            _ => {
                let message = format!(
                    "{}: this is not SPIR-V, and its language is not known from the file name",
                    self.name()
                );
                let failure = Failure::usage(message);
                Err(failure.help("name it with --language, and the stage of GLSL with --stage"))
            }
        }
    }

    /// Returns the stage of a GLSL or HLSL shader: from `--stage`, or from a file name such as `NAME.vert` or
    /// `NAME.vert.hlsl`.
    fn stage_of_source(&self) -> Result<ShaderStage, Failure> {
        let extension = |path: &Path| {
            stage_of_extension(&path.extension()?.to_string_lossy()).filter(|_| !self.is_stdin())
        };
        let of_name =
            || extension(&self.path).or_else(|| extension(Path::new(self.path.file_stem()?)));
        self.stage.or_else(of_name).ok_or_else(|| {
            Failure::usage(format!("{}: the stage is not known from the file name", self.name()))
                .help("name it with --stage")
        })
    }

    fn check_options(&self, language: Option<Language>) -> Result<(), Failure> {
        let source = matches!(language, Some(Language::Glsl | Language::Hlsl));
        let name = match language {
            None => "SPIR-V",
            Some(Language::Spvasm) => "assembly",
            Some(Language::Glsl) => "GLSL",
            Some(Language::Hlsl) => "HLSL",
            Some(Language::Wgsl) => "WGSL",
        };
        let unused = [
            ("--language", self.language.is_some() && language.is_none()),
            ("--spirv-version", self.spirv_version.is_some() && language.is_none()),
            ("--define", !self.defines.is_empty() && !source),
            ("--include-dir", !self.folders.is_empty() && !source),
        ];
        Failure::of_unused(&unused, &format!("for an input in {name}"))
    }

    fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    fn extension(&self) -> Option<String> {
        let extension = self.path.extension().filter(|_| !self.is_stdin())?;
        Some(extension.to_string_lossy().into_owned())
    }

    /// Returns the folder whose files the shader can include.
    fn folder(&self) -> &Path {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// Returns the name with which messages refer to the shader.
    pub(crate) fn name(&self) -> String {
        match self.is_stdin() {
            true => "standard input".to_owned(),
            false => self.path.display().to_string(),
        }
    }

    /// Converts an error of the library about `module`, which was read from this input.
    pub(crate) fn refused(&self, error: &Error, module: &Module<'_>) -> Failure {
        Failure::of(error, Some(module)).named(&self.name())
    }

    /// Returns the failure for a shader that is invalid.
    pub(crate) fn invalid(&self, message: impl fmt::Display) -> Failure {
        self.failed(&code::CLI_INVALID_INPUT, message)
    }

    pub(crate) fn failed(&self, code: &'static Code, message: impl fmt::Display) -> Failure {
        Failure::new(code, format!("{}: {message}", self.name()))
    }
}

/// Returns the words of `bytes` if they begin with SPIR-V's magic number, in either byte order.
fn spirv_words(bytes: &[u8]) -> Option<Result<Vec<u32>, &'static str>> {
    const MAGIC: u32 = 0x0723_0203;
    let first = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    if first != MAGIC && first.swap_bytes() != MAGIC {
        return None;
    }
    if !bytes.len().is_multiple_of(4) {
        return Some(Err("the file is cut off: its size is not a multiple of 4 bytes"));
    }
    // `Module::parse` detects the byte order from the magic number.
    Some(Ok(bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()))
}
