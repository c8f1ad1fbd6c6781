//! The work of a submission and its results, as plain data.

use crate::blend::{AdvancedBlend, Blend, FixedBlend};
use crate::depth::DepthTest;
use crate::target_reads::TargetReads;
use crate::texture::Texture;
use ash::vk;
pub use polyshade::transform_feedback::ProvokingVertex;
use std::ops;

/// Draws that are submitted together. Each draw runs after all writes of the previous draws.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work<'a> {
    /// The contents of the buffers before the first draw. Draws refer to buffers by index.
    pub buffers: Vec<Vec<u8>>,
    /// Buffer device addresses to write: the address of the first place is stored in the 8 bytes at the second place.
    pub addresses: Vec<(Place, Place)>,
    /// The images of shader resources, with their contents before the first draw. Descriptors refer to them by index.
    pub textures: Vec<Texture>,
    /// The attachments. Draws refer to them by index.
    pub targets: Vec<Target>,
    /// The pixels of targets before the first draw, by index; pixels of other targets are zero.
    pub pixels: Vec<(usize, Vec<u8>)>,
    /// The draws.
    pub draws: Vec<Draw<'a>>,
}

/// The results of [`Work`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The contents of every buffer after the last draw.
    pub buffers: Vec<Vec<u8>>,
    /// The texels of every storage texture after the last draw, layer by layer without gaps; empty for other textures.
    pub textures: Vec<Vec<u8>>,
    /// The pixels of every target after the last draw, row by row without gaps; empty for multisampled targets.
    pub targets: Vec<Vec<u8>>,
    /// The query result of each draw that uses `VK_EXT_transform_feedback`.
    pub captured: Vec<Option<Captured>>,
}

/// The result of a query of type `TRANSFORM_FEEDBACK_STREAM` around one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Captured {
    /// The number of primitives written.
    pub written: u64,
    /// The number of primitives that would have been written to buffers of sufficient size.
    pub needed: u64,
}

/// An attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The format: an uncompressed colour format, or `D16_UNORM` or `D32_SFLOAT` for a depth test.
    pub format: vk::Format,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The number of samples per pixel.
    pub samples: vk::SampleCountFlags,
}

impl Target {
    /// Returns a target with one sample per pixel.
    pub const fn new(format: vk::Format, width: u32, height: u32) -> Target {
        Target { format, width, height, samples: vk::SampleCountFlags::TYPE_1 }
    }

    pub(crate) fn is_multisampled(&self) -> bool {
        self.samples != vk::SampleCountFlags::TYPE_1
    }
}

/// One draw or dispatch and the state of its pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draw<'a> {
    /// The shaders: a vertex stage, a fragment stage if there is a target, and optional tessellation and geometry
    /// stages. A dispatch has a compute stage.
    pub stages: Vec<Stage<'a>>,
    /// The primitive topology.
    pub topology: vk::PrimitiveTopology,
    /// The number of vertices per patch for the topology `PATCH_LIST`; ignored for other topologies.
    pub patch_control_points: u32,
    /// The provoking vertex mode. The last-vertex mode requires `VK_EXT_provoking_vertex`.
    pub provoking_vertex: ProvokingVertex,
    /// The vertex buffers; the index is the binding.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// The resources of the shaders.
    pub descriptors: Vec<Descriptor>,
    /// Push constants from offset 0 on, for all stages; a multiple of 4 bytes.
    pub push_constants: Vec<u8>,
    /// Buffer device addresses to write into push constants, buffers or specialization constants.
    pub addresses: Vec<Address>,
    /// Transform feedback by `VK_EXT_transform_feedback`, for this draw.
    pub transform_feedback: Option<TransformFeedback>,
    /// The index of the target. Rasterization is off if there is neither a target nor a depth test.
    pub target: Option<usize>,
    /// The depth test; without one, every fragment passes.
    pub depth: Option<DepthTest>,
    /// Whether rasterization is off even if there is a target.
    pub discard: bool,
    /// The indices of the targets at locations 1, 2, …, with the size and samples of the first target.
    pub other_targets: Vec<usize>,
    /// The blending of each target, in order; targets without an entry are not blended.
    pub blends: Vec<Blend>,
    /// How input attachments read the targets.
    pub reads: TargetReads,
    /// The parameters of advanced blend equations; Vulkan's defaults if absent.
    pub advanced_blend: Option<AdvancedBlend>,
    /// The logic operation, blend constants and alpha to coverage.
    pub fixed_blend: FixedBlend,
    /// The indices of an indexed draw.
    pub indices: Option<Indices>,
    /// The range of vertices; ignored if there are indices.
    pub vertices: ops::Range<u32>,
    /// The range of instances.
    pub instances: ops::Range<u32>,
    /// The numbers of work groups of a dispatch in x, y and z. A dispatch uses only its stage, resources, push
    /// constants and addresses.
    pub dispatch: Option<[u32; 3]>,
}

impl<'a> Draw<'a> {
    /// Returns a draw of one instance of these vertices as points, without resources or targets.
    pub fn new(stages: Vec<Stage<'a>>, vertices: ops::Range<u32>) -> Self {
        Self { stages, vertices, instances: 0..1, ..Self::default() }
    }
}

/// A shader.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stage<'a> {
    /// The stage.
    pub stage: vk::ShaderStageFlags,
    /// The SPIR-V module. It must be valid, because drivers do not check it.
    pub words: &'a [u32],
    /// The name of the entry point.
    pub entry_point: &'a str,
    /// Values of specialization constants, by `SpecId`.
    pub specialization: Vec<(u32, Constant)>,
}

impl<'a> Stage<'a> {
    /// Returns the vertex shader with the entry point `main`.
    pub fn vertex(words: &'a [u32]) -> Stage<'a> {
        Stage::new(vk::ShaderStageFlags::VERTEX, words)
    }

    /// Returns the fragment shader with the entry point `main`.
    pub fn fragment(words: &'a [u32]) -> Stage<'a> {
        Stage::new(vk::ShaderStageFlags::FRAGMENT, words)
    }

    /// Returns the shader of a stage with the entry point `main`.
    pub fn new(stage: vk::ShaderStageFlags, words: &'a [u32]) -> Stage<'a> {
        Stage { stage, words, entry_point: "main", specialization: Vec::new() }
    }
}

/// The value of a specialization constant, in the constant's width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// The bits of an 8-bit constant.
    Bits8(u8),
    /// The bits of a 16-bit constant.
    Bits16(u16),
    /// The bits of a 32-bit constant; 0 or 1 for a boolean.
    Bits32(u32),
    /// The bits of a 64-bit constant.
    Bits64(u64),
}

impl Constant {
    pub(crate) fn bytes(self) -> Vec<u8> {
        match self {
            Constant::Bits8(bits) => bits.to_ne_bytes().to_vec(),
            Constant::Bits16(bits) => bits.to_ne_bytes().to_vec(),
            Constant::Bits32(bits) => bits.to_ne_bytes().to_vec(),
            Constant::Bits64(bits) => bits.to_ne_bytes().to_vec(),
        }
    }
}

/// A location in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The index of the buffer.
    pub buffer: usize,
    /// The offset in bytes.
    pub offset: u64,
}

/// A buffer device address, which is known once the buffers exist, and the destination to write it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The place that the address points to.
    pub of: Place,
    /// The destination of the address.
    pub to: AddressAt,
}

/// The destination of a buffer device address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressAt {
    /// 8 bytes of a buffer.
    Buffer(Place),
    /// 8 bytes of the push constants, starting at this offset.
    PushConstants(usize),
    /// Two consecutive specialization constants, the lower half first.
    Specialization {
        /// The index of the stage.
        stage: usize,
        /// The `SpecId` of the lower half.
        first_id: u32,
    },
}

/// A range of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The index of the buffer.
    pub buffer: usize,
    /// The offset in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub size: u64,
}

/// Vertex attributes from one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexBuffer {
    /// The place of the first element.
    pub place: Place,
    /// The layout of an element.
    pub layout: VertexLayout,
}

/// The layout of the elements of a vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// The distance between two elements in bytes.
    pub stride: u32,
    /// The input rate: per vertex or per instance.
    pub rate: vk::VertexInputRate,
    /// The attributes of an element.
    pub attributes: Vec<Attribute>,
}

impl VertexLayout {
    /// Returns a per-vertex layout of consecutive vectors of four 32-bit components, with these locations and formats.
    pub fn vectors(attributes: impl IntoIterator<Item = (u32, vk::Format)>) -> VertexLayout {
        const SIZE: u32 = 16;
        let attributes: Vec<Attribute> = (0..)
            .zip(attributes)
            .map(|(number, (location, format))| Attribute {
                location,
                format,
                offset: SIZE * number,
            })
            .collect();
        let stride = SIZE * attributes.len() as u32;
        VertexLayout { stride, rate: vk::VertexInputRate::VERTEX, attributes }
    }
}

/// One attribute in an element of a vertex buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The location in the vertex shader.
    pub location: u32,
    /// The format.
    pub format: vk::Format,
    /// The offset in the element, in bytes.
    pub offset: u32,
}

/// The indices of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indices {
    /// The place of index 0.
    pub place: Place,
    /// The index type: `UINT16`, `UINT32` or, if the device supports it, `UINT8_EXT`.
    pub index_type: vk::IndexType,
    /// The number of indices to draw.
    pub count: u32,
    /// The first index to draw.
    pub first: u32,
    /// The number that is added to each index.
    pub vertex_offset: i32,
    /// Whether the largest index value restarts primitives. For list topologies, the device must support this.
    pub restart: bool,
}

/// A resource that the shaders access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// The element of an array binding; 0 for other bindings. All lower elements must have descriptors, too.
    pub element: u32,
    /// The bound resource.
    pub resource: Resource,
}

impl Descriptor {
    /// Returns a descriptor of a binding that is not an array.
    pub fn new(set: u32, binding: u32, resource: Resource) -> Descriptor {
        Descriptor { set, binding, element: 0, resource }
    }
}

/// A resource. Textures are indices into [`Work::textures`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// A storage buffer.
    StorageBuffer(Range),
    /// A uniform buffer.
    UniformBuffer(Range),
    /// A uniform texel buffer, `samplerBuffer` in GLSL.
    UniformTexels {
        /// The texels.
        range: Range,
        /// The format of the texels.
        format: vk::Format,
    },
    /// A storage texel buffer, `imageBuffer` in GLSL.
    StorageTexels {
        /// The texels.
        range: Range,
        /// The format of the texels.
        format: vk::Format,
    },
    /// A sampler without an image, with nearest filtering and clamping to the edge.
    Sampler {
        /// Whether the sampler compares: the result is 1 if the reference is less than or equal to the texel.
        compare: bool,
    },
    /// A sampled image without a sampler, `texture2D` in GLSL.
    Image(usize),
    /// A storage image, `image2D` in GLSL, of a storage texture.
    StorageImage(usize),
    /// An image with a sampler, `sampler2D` in GLSL; [`Texture::compare`] states whether it compares.
    ImageWithSampler(usize),
    /// A target of the draw as an input attachment, `subpassInput` in GLSL. The targets of a draw are its input
    /// attachments, with the same indices.
    InputAttachment(usize),
    /// A target that the draw does not write, as a sampled image without a sampler.
    TargetImage(usize),
}

/// Transform feedback by `VK_EXT_transform_feedback` around one draw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransformFeedback {
    /// The feedback buffers, by index.
    pub buffers: Vec<Range>,
    /// The counters to resume from, one `u32` for each feedback buffer; if absent, capture starts at offset 0.
    pub resume: Option<Place>,
    /// Where the final counter values are stored, one `u32` for each feedback buffer.
    pub pause: Option<Place>,
}
