//! Stages and versions, named as on the command line and in the tests.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A stage of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum ShaderStage {
    Vertex,
    TessellationControl,
    TessellationEvaluation,
    Geometry,
    Fragment,
    Compute,
    Task,
    Mesh,
}

/// A version of SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum SpirvVersion {
    SPIRV1_0,
    SPIRV1_1,
    SPIRV1_2,
    SPIRV1_3,
    SPIRV1_4,
    SPIRV1_5,
    SPIRV1_6,
}

impl SpirvVersion {
    /// All versions: 1.N is at index N.
    pub const ALL: [Self; 7] = [
        Self::SPIRV1_0,
        Self::SPIRV1_1,
        Self::SPIRV1_2,
        Self::SPIRV1_3,
        Self::SPIRV1_4,
        Self::SPIRV1_5,
        Self::SPIRV1_6,
    ];

    /// The minor version: N of 1.N.
    pub fn minor(self) -> u8 {
        self as u8
    }

    /// Returns the version in the header of a module, or the newest known version if the module is newer.
    pub fn of(words: &[u32]) -> Self {
        let minor = words.get(1).map_or(0, |version| version >> 8 & 0xff) as usize;
        Self::ALL[minor.min(Self::ALL.len() - 1)]
    }
}

/// Returns the stage for a file extension: `vert`, `tesc`, `tese`, `geom`, `frag`, `comp`, `task`, `mesh`.
pub fn stage_of_extension(extension: &str) -> Option<ShaderStage> {
    Some(match extension {
        "vert" => ShaderStage::Vertex,
        "tesc" => ShaderStage::TessellationControl,
        "tese" => ShaderStage::TessellationEvaluation,
        "geom" => ShaderStage::Geometry,
        "frag" => ShaderStage::Fragment,
        "comp" => ShaderStage::Compute,
        "task" => ShaderStage::Task,
        "mesh" => ShaderStage::Mesh,
        _ => return None,
    })
}
