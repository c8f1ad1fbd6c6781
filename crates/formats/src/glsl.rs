//! GLSL and HLSL in, through glslang.

use crate::{Error, ShaderStage, SpirvVersion};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

#[cfg(feature = "glsl")]
mod bindings;
#[cfg(feature = "glsl")]
mod front_end;
#[cfg(feature = "glsl")]
mod intrinsics;
#[cfg(feature = "glsl")]
mod semantics;

/// What a source is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Language {
    /// GLSL with Vulkan's rules.
    Glsl,
    /// HLSL.
    Hlsl,
}

/// A source, and how it is to be compiled.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(any(feature = "glsl", feature = "serde")),
    expect(dead_code, reason = "only the front end reads it")
)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct SourceText<'a> {
    text: Cow<'a, str>,
    language: Language,
    stage: ShaderStage,
    version: SpirvVersion,
    name: String,
    entry: String,
    defines: Vec<(String, String)>,
    folders: Vec<PathBuf>,
}

impl<'a> SourceText<'a> {
    /// A source for a stage. It becomes SPIR-V 1.3, from the entry point `main`; nothing is defined or included.
    pub fn new(text: &'a str, language: Language, stage: ShaderStage) -> Self {
        Self {
            text: Cow::Borrowed(text),
            language,
            stage,
            version: SpirvVersion::SPIRV1_3,
            name: "0".to_owned(),
            entry: "main".to_owned(),
            defines: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// The version of SPIR-V that it becomes.
    pub fn version(mut self, version: SpirvVersion) -> Self {
        self.version = version;
        self
    }

    /// What messages call the source.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The function that is the entry point, in HLSL. GLSL's is `main`.
    pub fn entry(mut self, entry: impl Into<String>) -> Self {
        self.entry = entry.into();
        self
    }

    /// A macro, as `#define NAME VALUE` before the first line.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defines.push((name.into(), value.into()));
        self
    }

    /// A folder in which `#include` looks, behind those that were given before.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Compiles it, with the Vulkan version that its version of SPIR-V came with.
    ///
    /// # Errors
    ///
    /// The messages of the compiler, as `NAME:LINE:COLUMN: what`.
    pub fn compile(&self) -> Result<Vec<u32>, Error> {
        self.compile_with_files().map(|(words, _)| words)
    }

    /// Compiles it, and returns the files that it includes: each once, in the order in which they are first read.
    ///
    /// # Errors
    ///
    /// As for [`SourceText::compile`].
    pub fn compile_with_files(&self) -> Result<(Vec<u32>, Vec<PathBuf>), Error> {
        #[cfg(feature = "glsl")]
        return front_end::compile(self);
        #[cfg(not(feature = "glsl"))]
        Err(Error::LeftOut(crate::Feature::Glsl))
    }
}

/// Compiles Vulkan GLSL that includes nothing.
///
/// # Errors
///
/// The messages of the compiler, as `0:LINE:COLUMN: what`.
pub fn compile(source: &str, stage: ShaderStage, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    SourceText::new(source, Language::Glsl, stage).version(version).compile()
}
