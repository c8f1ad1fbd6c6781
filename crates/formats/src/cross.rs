//! MSL, GLSL and HLSL out, through SPIRV-Cross.

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

/// The language that a module becomes, with its options.
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
    /// Major and minor version. The default is 2.1, the oldest in which a vertex function may both write buffers and be
    /// rasterized; for macOS 2.3 where attachments are fetched.
    pub version: Option<(u32, u32)>,
    /// For whose Metal.
    pub platform: Platform,
    /// The indices of resources that are not to get the next free one.
    pub buffers: Vec<(MslBuffer, u32)>,
    /// How input attachments are read; by default, by `[[color(n)]]`.
    pub input_attachments: Option<InputAttachments>,
    /// The color attachments that input attachments are, by their indices, where they have other numbers.
    pub colors: Vec<(u32, u32)>,
    /// The domain of tessellation control stages that do not declare theirs: those of GLSL, where the evaluation stage
    /// does.
    pub domain: Option<Domain>,
}

impl Default for Msl {
    /// For macOS.
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

/// What a patch is divided into, as far as Metal has it: there are no isolines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Domain {
    Triangles,
    Quads,
}

/// How input attachments are read where a language has none: `n` is their `InputAttachmentIndex`, or the number that
/// stands for it in `colors`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum InputAttachments {
    /// From the framebuffer: colour `n` in MSL, the output at location `n` in GLSL, which is `inout`
    /// (`GL_EXT_shader_framebuffer_fetch`).
    Fetch,
    /// The same, with the host's barriers (`GL_EXT_shader_framebuffer_fetch_non_coherent`). MSL has none.
    FetchNonCoherent,
    /// From a texture, by the fragment's coordinates.
    Texture,
}

/// A platform that has Metal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Platform {
    Macos,
    Ios,
}

/// What gets a buffer index in MSL.
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
    /// The sizes of the storage buffers, as an array of `uint` by buffer index, where the shader asks for one.
    Sizes,
    /// Of a tessellation control stage: the outputs of the stage before, vertex by vertex and patch by patch.
    Vertices,
    /// Of a tessellation control stage: the tessellation levels, patch by patch.
    Factors,
    /// Of a tessellation control stage: what it makes of each patch as a whole.
    Patches,
    /// Of a tessellation control stage: what it makes of each vertex, patch by patch.
    ControlPoints,
    /// Of a tessellation control stage: two `uint`s, how many vertices each patch is made of, and how many patches
    /// there are.
    Counts,
}

/// Options for GLSL.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Glsl {
    /// The version, and whether it is one of OpenGL ES.
    pub version: (u32, Profile),
    /// Whose rules it follows.
    pub rules: Rules,
    /// How OpenGL reads input attachments, which Vulkan has; by default, from the framebuffer where there is an output
    /// with their number, else from a texture.
    pub input_attachments: Option<InputAttachments>,
    /// The outputs that OpenGL's input attachments are, by their indices, where those are at other locations.
    pub colors: Vec<(u32, u32)>,
}

impl Default for Glsl {
    /// OpenGL's GLSL 4.50.
    fn default() -> Self {
        Self {
            version: (450, Profile::Core),
            rules: Rules::OpenGl,
            input_attachments: None,
            colors: Vec::new(),
        }
    }
}

/// A line of GLSL versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Profile {
    Core,
    Es,
}

/// Whose GLSL it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Rules {
    /// OpenGL's, without descriptor sets and push constants.
    OpenGl,
    /// Vulkan's.
    Vulkan,
}

/// Options for HLSL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Hlsl {
    /// The shader model: 51 is 5.1.
    pub shader_model: u32,
    /// What becomes of the point size, which Direct3D 10 and later do not have.
    pub point_size: PointSize,
}

impl Default for Hlsl {
    /// Shader model 5.1, the oldest with register spaces, and no point size.
    fn default() -> Self {
        Self { shader_model: 51, point_size: PointSize::Refuse }
    }
}

/// What becomes of writes to `PointSize` in a language without.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum PointSize {
    /// The shader is refused.
    #[default]
    Refuse,
    /// They are dropped.
    Drop,
}

/// The entry point that becomes the function: by its name and execution model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryPoint<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its execution model, by SPIR-V's number.
    pub model: u32,
}

/// A module in another language.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Text {
    /// The source.
    pub source: String,
    /// In MSL, the index that each buffer has, in the order of [`MslBuffer`].
    pub buffers: Vec<(MslBuffer, u32)>,
    /// In MSL, the index that each texture and each sampler has.
    pub textures: Vec<MslTexture>,
}

/// An index among the textures or the samplers of MSL. A combined image sampler has one of both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct MslTexture {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// Which of the two it is.
    pub kind: MslTextureKind,
    /// The index; of an array that of its first element.
    pub index: u32,
}

/// What has an index that is none of buffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum MslTextureKind {
    Texture,
    Sampler,
}

/// Writes the entry point, with all that it uses.
///
/// # Errors
///
/// What SPIRV-Cross or the language cannot express; buffer indices or colors that collide are [`Error::Options`].
pub fn write(words: &[u32], entry: EntryPoint<'_>, target: &Target) -> Result<Text, Error> {
    #[cfg(feature = "cross")]
    return translate::write(words, entry, target);
    #[cfg(not(feature = "cross"))]
    {
        let _ = (words, entry, target);
        Err(Error::LeftOut(crate::Feature::Cross))
    }
}
