//! Reads and writes shaders in other formats, for the command-line tool, the tests and the build tasks. No other
//! crate calls glslang, naga, SPIRV-Tools or SPIRV-Cross.
//!
//! Each of the four is a feature of this crate, because building it takes minutes or many crates. Without a feature,
//! its functions exist but fail with [`Error::LeftOut`], so callers need no `cfg`. Without the SPIRV-Tools library,
//! the SPIRV-Tools programs are called. This crate prints assembly itself.

pub mod code;
pub mod cross;
pub mod glsl;
pub mod tools;
pub mod wgsl;

#[cfg(any(feature = "cross", feature = "glsl", feature = "wgsl"))]
mod components;
#[cfg(any(feature = "cross", feature = "wgsl"))]
mod gather_offsets;
#[cfg(any(feature = "cross", feature = "glsl", feature = "wgsl"))]
mod glsl_instructions;
#[cfg(any(feature = "cross", feature = "wgsl"))]
#[cfg_attr(not(feature = "wgsl"), expect(dead_code, reason = "HLSL uses only a part"))]
mod image_operands;
mod stage;
#[cfg(any(feature = "cross", feature = "wgsl"))]
mod wide_arithmetic;

pub use glsl::compile;
use polyshade_spv::Code;
pub use stage::{ShaderStage, SpirvVersion, stage_of_extension};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a shader cannot be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Error {
    /// A tool found faults in the shader, one per line.
    Faulty(String),
    /// The format, or the tool that writes it, cannot express the shader.
    Unsupported(String),
    /// The shader writes `PointSize`, which the format lacks.
    PointSize(String),
    /// The options do not fit the shader.
    Options(String),
    /// The library crashed in a separate process. The text describes the crash.
    Crashed(String),
    /// This build lacks the required feature.
    LeftOut(Feature),
}

impl Error {
    /// The stable code of the error.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Faulty(_) => &code::FORMAT_INVALID_SHADER,
            Self::Unsupported(_) => &code::FORMAT_NOT_EXPRESSIBLE,
            Self::PointSize(_) => &code::FORMAT_POINT_SIZE,
            Self::Options(_) => &code::FORMAT_OPTIONS,
            Self::Crashed(_) => &code::FORMAT_CRASHED,
            Self::LeftOut(_) => &code::FORMAT_FEATURE_MISSING,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Faulty(text)
            | Self::Unsupported(text)
            | Self::PointSize(text)
            | Self::Options(text)
            | Self::Crashed(text) => f.write_str(text),
            Self::LeftOut(feature) => write!(f, "this needs the feature `{}`", feature.name()),
        }
    }
}

impl std::error::Error for Error {}

/// A feature of this crate, and of the command-line tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Feature {
    /// Reads GLSL and HLSL with glslang.
    Glsl,
    /// Reads and writes WGSL with naga.
    Wgsl,
    /// Writes MSL, GLSL and HLSL with SPIRV-Cross.
    Cross,
    /// Reads assembly and validates modules with the SPIRV-Tools library. Without the feature, the SPIRV-Tools
    /// programs are called.
    Tools,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 4] = [Self::Glsl, Self::Wgsl, Self::Cross, Self::Tools];

    /// The name of the cargo feature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Glsl => "glsl",
            Self::Wgsl => "wgsl",
            Self::Cross => "cross",
            Self::Tools => "tools",
        }
    }

    /// Whether this build has the feature.
    pub fn is_in(self) -> bool {
        match self {
            Self::Glsl => cfg!(feature = "glsl"),
            Self::Wgsl => cfg!(feature = "wgsl"),
            Self::Cross => cfg!(feature = "cross"),
            Self::Tools => cfg!(feature = "tools"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross::{EntryPoint, Glsl, Target};

    /// Calls every function that needs a feature. `cargo xtask test` runs this in a build without any feature, too.
    #[test]
    fn what_a_build_lacks_is_refused_by_the_name_of_its_feature() {
        let version = SpirvVersion::SPIRV1_0;
        let source = glsl::SourceText::new("", glsl::Language::Hlsl, ShaderStage::Vertex);
        let (entry, target) =
            (EntryPoint { name: "main", model: 0 }, Target::Glsl(Glsl::default()));
        for (feature, error) in [
            (Feature::Glsl, compile("", ShaderStage::Vertex, version).err()),
            (Feature::Glsl, source.compile_with_files().err()),
            (Feature::Cross, cross::write(&[], entry, &target).err()),
            (Feature::Wgsl, wgsl::read("?", "a.wgsl", version).err()),
            (Feature::Wgsl, wgsl::write(&[], &wgsl::Wgsl::default()).err()),
        ] {
            let error = error.expect("none of it is a shader");
            assert_eq!(error == Error::LeftOut(feature), !feature.is_in(), "{error}");
            let names_it =
                error.to_string() == format!("this needs the feature `{}`", feature.name());
            assert_eq!(names_it, !feature.is_in(), "{error}");
        }
        // Even without the feature, this may succeed, if the machine has the SPIRV-Tools programs.
        for error in
            [tools::assemble("?", "a.spvasm", version).err(), tools::validate(&[], None).err()]
        {
            let is_left_out =
                error.expect("none of it is a shader") == Error::LeftOut(Feature::Tools);
            assert!(!is_left_out || !Feature::Tools.is_in());
        }
    }
}
