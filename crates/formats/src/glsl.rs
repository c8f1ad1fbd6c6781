//! Reads GLSL and HLSL with glslang.

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

/// The language of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Language {
    /// GLSL with Vulkan's rules.
    Glsl,
    /// HLSL.
    Hlsl,
}

/// A source with its compile options.
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
    /// Creates a source for a stage. By default, it compiles to SPIR-V 1.3 from the entry point `main`, without
    /// macros and include folders.
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

    /// Sets the SPIR-V version of the result.
    pub fn version(mut self, version: SpirvVersion) -> Self {
        self.version = version;
        self
    }

    /// Sets the name of the source in messages.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the name of the entry point function of HLSL. In GLSL the entry point is always `main`.
    pub fn entry(mut self, entry: impl Into<String>) -> Self {
        self.entry = entry.into();
        self
    }

    /// Defines a macro, as `#define NAME VALUE` before the first line.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defines.push((name.into(), value.into()));
        self
    }

    /// Adds a folder for `#include`. Earlier folders are searched first.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Compiles the source for the Vulkan version that introduced its SPIR-V version.
    ///
    /// # Errors
    ///
    /// The messages of the compiler, as `NAME:LINE:COLUMN: MESSAGE`.
    pub fn compile(&self) -> Result<Vec<u32>, Error> {
        self.compile_with_files().map(|(words, _)| words)
    }

    /// Compiles the source, and also returns each included file once, in the order of the first inclusion.
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

/// Compiles Vulkan GLSL without includes.
///
/// # Errors
///
/// The messages of the compiler, as `0:LINE:COLUMN: MESSAGE`.
pub fn compile(source: &str, stage: ShaderStage, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    SourceText::new(source, Language::Glsl, stage).version(version).compile()
}
