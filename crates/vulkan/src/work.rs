//! The work of a submission and its results, as plain data.

use crate::blend::{AdvancedBlend, Blend, FixedBlend};
use crate::depth::DepthTest;
use crate::target_reads::TargetReads;
use crate::texture::Texture;
use ash::vk;
pub use polyshade::transform_feedback::ProvokingVertex;
use std::ops;

/// Draws that are submitted together and run one after the other, each after the writes of all previous ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work<'a> {
    /// The contents of the buffers before the first draw. Draws refer to buffers by index.
    pub buffers: Vec<Vec<u8>>,
    /// Buffer device addresses to write: the address of the first place goes into the 8 bytes at the second place.
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
    /// The texels of every storage texture after the last draw, layer by layer without gaps; of others, nothing.
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
    /// The number of samples of a pixel.
    pub samples: vk::SampleCountFlags,
}

impl Target {
    /// Returns a target with one sample for each pixel.
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
    /// The number of vertices of a patch for the topology `PATCH_LIST`; ignored for others.
    pub patch_control_points: u32,
    /// The provoking vertex mode; the last vertex requires `VK_EXT_provoking_vertex`.
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
    /// The index of the target; without a target and a depth test, rasterization is off.
    pub target: Option<usize>,
    /// The depth test; without one, every fragment passes.
    pub depth: Option<DepthTest>,
    /// Whether rasterization is off although there is a target.
    pub discard: bool,
    /// The indices of the targets at locations 1, 2, …, with the size and samples of the first.
    pub other_targets: Vec<usize>,
    /// The blending of the targets, in their order; further targets are not blended.
    pub blends: Vec<Blend>,
    /// The way in which input attachments read the targets.
    pub reads: TargetReads,
    /// The parameters of advanced equations; without them, Vulkan's defaults.
    pub advanced_blend: Option<AdvancedBlend>,
    /// The logic operation, blend constants and alpha to coverage.
    pub fixed_blend: FixedBlend,
    /// The indices of an indexed draw.
    pub indices: Option<Indices>,
    /// The vertices: the first, and one past the last. Ignored if there are indices.
    pub vertices: ops::Range<u32>,
    /// The instances: the first, and one past the last.
    pub instances: ops::Range<u32>,
    /// The work groups in x, y and z of a dispatch; it uses only its stage, resources, push constants and addresses.
    pub dispatch: Option<[u32; 3]>,
}

impl<'a> Draw<'a> {
    /// Returns a draw of one instance of these vertices, as points, without resources and target.
    pub fn new(stages: Vec<Stage<'a>>, vertices: ops::Range<u32>) -> Self {
        Self { stages, vertices, instances: 0..1, ..Self::default() }
    }
}

/// A shader.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stage<'a> {
    /// The stage.
    pub stage: vk::ShaderStageFlags,
    /// The module, which must be valid SPIR-V: drivers do not check it.
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

impl From<u32> for Constant {
    fn from(bits: u32) -> Constant {
        Constant::Bits32(bits)
    }
}

/// A place in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The index of the buffer.
    pub buffer: usize,
    /// The offset in bytes.
    pub offset: u64,
}

/// A buffer device address, known once the buffers exist, and the place to write it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The place that has the address.
    pub of: Place,
    /// The destination of the address.
    pub to: AddressAt,
}

/// The destination of a buffer device address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressAt {
    /// 8 bytes of a buffer.
    Buffer(Place),
    /// 8 bytes of the push constants, from this offset on.
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
    /// The bytes from one element to the next.
    pub stride: u32,
    /// The input rate: per vertex or per instance.
    pub rate: vk::VertexInputRate,
    /// The attributes of an element.
    pub attributes: Vec<Attribute>,
}

impl VertexLayout {
    /// Returns a layout of consecutive vectors of four 32-bit components, with these locations and formats, per
    /// vertex.
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
    /// Whether the largest index restarts primitives; for lists, only if the device supports that.
    pub restart: bool,
}

/// A resource that the shaders access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// The array element, or 0. All elements up to the largest must exist.
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
    /// A sampler without an image: nearest filtering, clamped to the edge.
    Sampler {
        /// Whether it compares with a reference: the result is 1 if the reference is less or equal.
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
    /// A target that the draw does not draw to, as a sampled image without a sampler.
    TargetImage(usize),
}

/// Transform feedback by `VK_EXT_transform_feedback` around one draw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransformFeedback {
    /// The feedback buffers, by index.
    pub buffers: Vec<Range>,
    /// The counters to start from, one `u32` for each feedback buffer; without them, capture starts at 0.
    pub resume: Option<Place>,
    /// The place of the counters at the end, one `u32` for each feedback buffer.
    pub pause: Option<Place>,
}
