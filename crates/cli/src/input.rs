//! The shader that a verb reads: SPIR-V or GLSL, from a file or standard input.

use crate::failure::{Exit, Failure};
use clap::{Args, ValueEnum};
use polyshade::Module;
use polyshade::spv::ExecutionModel;
use polyshade_glsl::{ShaderStage, SpirvVersion, compile, stage_of_extension};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What every verb that reads a shader takes.
#[derive(Args)]
pub(crate) struct Input {
    /// The shader: SPIR-V (.spv), or GLSL (.vert .tesc .tese .geom .frag .comp .mesh .task); `-` is standard input
    #[arg(value_name = "SHADER")]
    pub(crate) path: PathBuf,

    /// Entry point; may be left out where the stage has only one
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Stage of the shader, where the file's name does not say it
    #[arg(long, value_enum)]
    stage: Option<Stage>,

    /// Version of SPIR-V that GLSL is compiled to
    #[arg(long, value_enum, default_value_t = Version::V1_3, value_name = "VERSION")]
    spirv_version: Version,
}

#[derive(Clone, Copy, ValueEnum)]
#[allow(missing_docs)]
pub(crate) enum Stage {
    Vert,
    Tesc,
    Tese,
    Geom,
    Frag,
    Comp,
    Task,
    Mesh,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Version {
    #[value(name = "1.0")]
    V1_0,
    #[value(name = "1.3")]
    V1_3,
    #[value(name = "1.4")]
    V1_4,
    #[value(name = "1.5")]
    V1_5,
    #[value(name = "1.6")]
    V1_6,
}

impl Input {
    /// The words of the shader, not checked yet.
    pub(crate) fn words(&self) -> Result<Vec<u32>, Failure> {
        let bytes = self.bytes()?;
        if let Some(words) = spirv_words(&bytes) {
            if self.stage.is_some() {
                return Err(Failure::new(Exit::Usage, "--stage is for GLSL, and this is SPIR-V")
                    .help("say which entry point with --entry"));
            }
            return words.map_err(|message| self.failed(message));
        }
        let stage = self.glsl_stage()?;
        let text =
            String::from_utf8(bytes).map_err(|_| self.failed("this is neither SPIR-V nor text"))?;
        compile(&text, stage, self.spirv_version.into())
            .map_err(|error| self.failed(error.to_string()))
    }

    /// Parses `words`, which were read from here.
    pub(crate) fn parse<'w>(&self, words: &'w [u32]) -> Result<Module<'w>, Failure> {
        Module::parse(words).map_err(|error| self.failed(error.to_string()))
    }

    /// The name of the entry point for `model`: the one that was asked for, or the only one.
    pub(crate) fn entry_name(
        &self,
        module: &Module<'_>,
        model: ExecutionModel,
    ) -> Result<String, Failure> {
        if let Some(name) = &self.entry {
            return Ok(name.clone());
        }
        let names: Vec<String> = module
            .entry_points()
            .filter(|entry| entry.model() == model)
            .map(|entry| entry.name().into_owned())
            .collect();
        match names.as_slice() {
            [only] => Ok(only.clone()),
            [] => {
                let stages: Vec<String> =
                    module.entry_points().map(|entry| entry.model().to_string()).collect();
                let message = format!(
                    "there is no {model} entry point; the module's stages: {}",
                    stages.join(", ")
                );
                Err(self.failed(message))
            }
            several => {
                let message = format!(
                    "there are {} {model} entry points: say which with --entry",
                    several.len()
                );
                Err(Failure::new(Exit::Usage, message)
                    .help(format!("they are: {}", several.join(", "))))
            }
        }
    }

    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        if self.path == Path::new("-") {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            return read.map(|_| bytes).map_err(|error| self.failed(error.to_string()));
        }
        fs::read(&self.path).map_err(|error| self.failed(error.to_string()))
    }

    fn glsl_stage(&self) -> Result<ShaderStage, Failure> {
        if let Some(stage) = self.stage {
            return Ok(stage.into());
        }
        let extension =
            self.path.extension().map(|extension| extension.to_string_lossy().into_owned());
        match extension.as_deref() {
            Some(extension @ ("spvasm" | "hlsl" | "wgsl")) => {
                let message =
                    format!("{}: reading .{extension} is not supported", self.path.display());
                Err(Failure::new(Exit::Unsupported, message).help("SPIR-V (.spv) and GLSL are"))
            }
            Some("spv") => {
                Err(self.failed("this is not SPIR-V: it does not begin with its magic number"))
            }
            Some(extension) if stage_of_extension(extension).is_some() => {
                Ok(stage_of_extension(extension).expect("just seen"))
            }
            _ => {
                let message = format!(
                    "{}: this is not SPIR-V, and the name does not say its stage",
                    self.path.display()
                );
                Err(Failure::new(Exit::Usage, message).help("say the stage of GLSL with --stage"))
            }
        }
    }

    fn failed(&self, message: impl AsRef<str>) -> Failure {
        Failure::new(Exit::Failed, format!("{}: {}", self.path.display(), message.as_ref()))
    }
}

/// The words of `bytes` if they begin as SPIR-V does, in either byte order.
fn spirv_words(bytes: &[u8]) -> Option<Result<Vec<u32>, &'static str>> {
    const MAGIC: u32 = 0x0723_0203;
    let first = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    if first != MAGIC && first.swap_bytes() != MAGIC {
        return None;
    }
    if !bytes.len().is_multiple_of(4) {
        return Some(Err("the file is cut off: its size is not a multiple of 4 bytes"));
    }
    // `parse` tells the byte order by the magic number.
    Some(Ok(bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()))
}

impl From<Stage> for ShaderStage {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Vert => Self::Vertex,
            Stage::Tesc => Self::TesselationControl,
            Stage::Tese => Self::TesselationEvaluation,
            Stage::Geom => Self::Geometry,
            Stage::Frag => Self::Fragment,
            Stage::Comp => Self::Compute,
            Stage::Task => Self::Task,
            Stage::Mesh => Self::Mesh,
        }
    }
}

impl From<Version> for SpirvVersion {
    fn from(version: Version) -> Self {
        match version {
            Version::V1_0 => Self::SPIRV1_0,
            Version::V1_3 => Self::SPIRV1_3,
            Version::V1_4 => Self::SPIRV1_4,
            Version::V1_5 => Self::SPIRV1_5,
            Version::V1_6 => Self::SPIRV1_6,
        }
    }
}
