//! Writes MSL, GLSL and HLSL with SPIRV-Cross.

use crate::Error;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

#[cfg(feature = "cross")]
mod bindings;
#[cfg(feature = "cross")]
mod combined;
#[cfg(feature = "cross")]
mod control;
#[cfg(feature = "cross")]
mod copies;
#[cfg(feature = "cross")]
mod framebuffer_fetch;
#[cfg(feature = "cross")]
mod hlsl_instructions;
#[cfg(feature = "cross")]
mod msl_text;
#[cfg(feature = "cross")]
mod names;
#[cfg(feature = "cross")]
mod refused_before;
#[cfg(feature = "cross")]
mod strings;
#[cfg(feature = "cross")]
mod translate;

/// The language to translate a module to, with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Target {
    /// The Metal shading language.
    Msl(Msl),
    /// GLSL.
    Glsl(Glsl),
    /// HLSL.
    Hlsl(Hlsl),
}

/// Options for MSL.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Msl {
    /// The major and minor version. The default is 2.1, the oldest version in which a vertex function may both write
    /// buffers and be rasterized. On macOS it is 2.3 if the shader fetches from the framebuffer.
    pub version: Option<(u32, u32)>,
    /// The platform.
    pub platform: Platform,
    /// Buffer indices. Buffers without an entry get the next free indices.
    pub buffers: Vec<(MslBuffer, u32)>,
    /// How input attachments are read. The default is from `[[color(n)]]`.
    pub input_attachments: Option<InputAttachments>,
    /// Pairs of an `InputAttachmentIndex` and its colour attachment; attachments without a pair keep their index.
    pub colors: Vec<(u32, u32)>,
    /// The domain for tessellation control stages that do not declare their domain. GLSL declares it in the
    /// evaluation stage.
    pub domain: Option<Domain>,
}

impl Default for Msl {
    /// MSL 2.1 or later for macOS.
    fn default() -> Self {
        Self {
            version: None,
            platform: Platform::Macos,
            buffers: Vec::new(),
            input_attachments: None,
            colors: Vec::new(),
            domain: None,
        }
    }
}

/// The domain of a tessellated patch. Metal has no isolines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Domain {
    Triangles,
    Quads,
}

/// How input attachments are read in a language without input attachments. `n` is the `InputAttachmentIndex`, or its
/// `colors` entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum InputAttachments {
    /// From the framebuffer. In MSL, this is colour `n`. In GLSL, it is the output at location `n`, declared `inout`
    /// (`GL_EXT_shader_framebuffer_fetch`).
    Fetch,
    /// From the framebuffer, where the host records barriers (`GL_EXT_shader_framebuffer_fetch_non_coherent`). Not
    /// for MSL.
    FetchNonCoherent,
    /// From a texture, at the fragment's coordinates.
    Texture,
}

/// A platform with Metal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Platform {
    Macos,
    Ios,
}

/// A buffer argument in MSL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum MslBuffer {
    /// A buffer, by descriptor set and binding.
    Descriptor {
        /// The descriptor set.
        set: u32,
        /// The binding in the set.
        binding: u32,
    },
    /// The push constants.
    PushConstants,
    /// The sizes of the storage buffers, as an array of `uint` indexed by buffer index, if the shader queries a size.
    Sizes,
    /// Tessellation control stages: the previous stage's outputs, grouped by patch and then by vertex.
    Vertices,
    /// Tessellation control stages: the tessellation levels of each patch.
    Factors,
    /// Tessellation control stages: the outputs of each patch.
    Patches,
    /// Tessellation control stages: the outputs of each vertex, grouped by patch.
    ControlPoints,
    /// Tessellation control stages: two `uint`s, the number of vertices of a patch and the number of patches.
    Counts,
}

/// Options for GLSL.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Glsl {
    /// The version and its profile.
    pub version: (u32, Profile),
    /// The API whose rules the GLSL text follows.
    pub rules: Rules,
    /// OpenGL only: how input attachments are read. By default they are read from the framebuffer if the location
    /// with their number has an output, and otherwise from a texture.
    pub input_attachments: Option<InputAttachments>,
    /// OpenGL only: pairs of an `InputAttachmentIndex` and the location of its output, if they differ.
    pub colors: Vec<(u32, u32)>,
}

impl Default for Glsl {
    /// GLSL 4.50 for OpenGL.
    fn default() -> Self {
        Self {
            version: (450, Profile::Core),
            rules: Rules::OpenGl,
            input_attachments: None,
            colors: Vec::new(),
        }
    }
}

/// A profile of GLSL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Profile {
    Core,
    Es,
}

/// The API whose rules GLSL follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Rules {
    /// OpenGL, without descriptor sets and push constants.
    OpenGl,
    /// Vulkan.
    Vulkan,
}

/// Options for HLSL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Hlsl {
    /// The shader model: 51 is 5.1.
    pub shader_model: u32,
    /// How writes to `PointSize` are handled. Direct3D 10 and later have no point size.
    pub point_size: PointSize,
}

impl Default for Hlsl {
    /// Shader model 5.1, the oldest with register spaces. Writes to `PointSize` are an error.
    fn default() -> Self {
        Self { shader_model: 51, point_size: PointSize::Refuse }
    }
}

/// How writes to `PointSize` are handled in a language without a point size.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum PointSize {
    /// Writes are an error.
    #[default]
    Refuse,
    /// Writes are dropped.
    Drop,
}

/// The entry point to write, by name and execution model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryPoint<'a> {
    /// The name.
    pub name: &'a str,
    /// The value of the execution model in SPIR-V.
    pub model: u32,
}

/// A module in another language.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Text {
    /// The source.
    pub source: String,
    /// In MSL, the index of each buffer, in the order of [`MslBuffer`].
    pub buffers: Vec<(MslBuffer, u32)>,
    /// In MSL, the index of each texture and each sampler.
    pub textures: Vec<MslTexture>,
}

/// The index of a texture or sampler in MSL. A combined image sampler has one of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct MslTexture {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// Whether the index is for the texture or the sampler.
    pub kind: MslTextureKind,
    /// The index. For an array, this is the index of the first element.
    pub index: u32,
}

/// The kind of an MSL resource that is not a buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum MslTextureKind {
    Texture,
    Sampler,
}

/// Translates the entry point, with everything that it uses.
///
/// # Errors
///
/// Features that SPIRV-Cross or the language lacks. Colliding buffer indices or colors are [`Error::Options`].
pub fn write(words: &[u32], entry: EntryPoint<'_>, target: &Target) -> Result<Text, Error> {
    #[cfg(feature = "cross")]
    return translate::write(words, entry, target);
    #[cfg(not(feature = "cross"))]
    {
        let _ = (words, entry, target);
        Err(Error::LeftOut(crate::Feature::Cross))
    }
}
