//! What to run, and what came out: plain data.

use crate::blend::{AdvancedBlend, Blend, FixedBlend};
use crate::depth::DepthTest;
use crate::target_reads::TargetReads;
use crate::texture::Texture;
use ash::vk;
pub use polyshade::transform_feedback::ProvokingVertex;
use std::ops;

/// Draws that are submitted together and run one after the other, each seeing what those before it wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work<'a> {
    /// The buffers, by their contents before the first draw. Draws name them by index.
    pub buffers: Vec<Vec<u8>>,
    /// Places in buffers whose addresses other buffers tell, in 8 bytes, and where.
    pub addresses: Vec<(Place, Place)>,
    /// The images that shaders read and write, by their contents before the first draw. Descriptors name them by index.
    pub textures: Vec<Texture>,
    /// The images that are drawn to. Draws name them by index.
    pub targets: Vec<Target>,
    /// The pixels of targets before the first draw, by index; all others are zero.
    pub pixels: Vec<(usize, Vec<u8>)>,
    /// The draws.
    pub draws: Vec<Draw<'a>>,
}

/// What came out of [`Work`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The contents of every buffer after the last draw.
    pub buffers: Vec<Vec<u8>>,
    /// The texels of every texture that is for storage after the last draw, layer by layer without gaps; of others,
    /// nothing.
    pub textures: Vec<Vec<u8>>,
    /// The pixels of every target after the last draw, row by row without gaps; of several samples, nothing.
    pub targets: Vec<Vec<u8>>,
    /// What each draw captured, where it uses the native feature.
    pub captured: Vec<Option<Captured>>,
}

/// The result of a query of type `TRANSFORM_FEEDBACK_STREAM` around one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Captured {
    /// How many primitives were written.
    pub written: u64,
    /// How many would have been written had there been room for them.
    pub needed: u64,
}

/// An image that is drawn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The format: a colour that is not compressed, or `D16_UNORM` or `D32_SFLOAT` for a depth test.
    pub format: vk::Format,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// How many samples a pixel has.
    pub samples: vk::SampleCountFlags,
}

impl Target {
    /// A target of one sample a pixel.
    pub const fn new(format: vk::Format, width: u32, height: u32) -> Target {
        Target { format, width, height, samples: vk::SampleCountFlags::TYPE_1 }
    }

    pub(crate) fn is_multisampled(&self) -> bool {
        self.samples != vk::SampleCountFlags::TYPE_1
    }
}

/// One draw and the pipeline that it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draw<'a> {
    /// The shaders: a vertex stage, and a fragment stage where there is a target; tessellation and geometry stages if
    /// wanted. Of a dispatch, a compute stage.
    pub stages: Vec<Stage<'a>>,
    /// How vertices become primitives.
    pub topology: vk::PrimitiveTopology,
    /// How many vertices a patch has, where the topology is `PATCH_LIST`; not looked at elsewhere.
    pub patch_control_points: u32,
    /// The mode of `VK_EXT_provoking_vertex`; asking for the last vertex needs the extension.
    pub provoking_vertex: ProvokingVertex,
    /// Where vertex attributes come from; the index is the binding.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// The resources of the shaders.
    pub descriptors: Vec<Descriptor>,
    /// Push constants from offset 0 on, for all stages; a multiple of 4 bytes.
    pub push_constants: Vec<u8>,
    /// Addresses of buffers that the shaders are told, beside what else they are told there.
    pub addresses: Vec<Address>,
    /// Native transform feedback, for this draw.
    pub transform_feedback: Option<TransformFeedback>,
    /// The index of the target; without one, and without a depth test, rasterization is off.
    pub target: Option<usize>,
    /// The depth test; without one, every fragment passes.
    pub depth: Option<DepthTest>,
    /// Whether rasterization is off although there is a target.
    pub discard: bool,
    /// The indices of the targets at locations 1, 2, …, as large as the first, with as many samples.
    pub other_targets: Vec<usize>,
    /// How the targets are blended, in their order; those that are not here are not.
    pub blends: Vec<Blend>,
    /// How targets that are input attachments are read.
    pub reads: TargetReads,
    /// What holds for advanced equations; without it, what Vulkan does unless told otherwise.
    pub advanced_blend: Option<AdvancedBlend>,
    /// The logic operation, blend constants and alpha to coverage.
    pub fixed_blend: FixedBlend,
    /// The indices, where the draw has them.
    pub indices: Option<Indices>,
    /// The vertices: the first, and one past the last. Not looked at where there are indices.
    pub vertices: ops::Range<u32>,
    /// The instances: the first, and one past the last.
    pub instances: ops::Range<u32>,
    /// The work groups in x, y and z, where it is no draw but a dispatch, for which nothing counts but the stage, its
    /// resources, push constants and addresses.
    pub dispatch: Option<[u32; 3]>,
}

impl<'a> Draw<'a> {
    /// One instance of these vertices, as points, with nothing bound and no target.
    pub fn new(stages: Vec<Stage<'a>>, vertices: ops::Range<u32>) -> Self {
        Self { stages, vertices, instances: 0..1, ..Self::default() }
    }
}

/// A shader.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stage<'a> {
    /// Which stage.
    pub stage: vk::ShaderStageFlags,
    /// The module, which must be valid SPIR-V: drivers do not check it.
    pub words: &'a [u32],
    /// The name of the entry point.
    pub entry_point: &'a str,
    /// Values of specialization constants, by their numbers (`SpecId`).
    pub specialization: Vec<(u32, Constant)>,
}

impl<'a> Stage<'a> {
    /// The entry point `main` as a vertex shader.
    pub fn vertex(words: &'a [u32]) -> Stage<'a> {
        Stage::new(vk::ShaderStageFlags::VERTEX, words)
    }

    /// The entry point `main` as a fragment shader.
    pub fn fragment(words: &'a [u32]) -> Stage<'a> {
        Stage::new(vk::ShaderStageFlags::FRAGMENT, words)
    }

    /// The entry point `main` as a shader of this stage.
    pub fn new(stage: vk::ShaderStageFlags, words: &'a [u32]) -> Stage<'a> {
        Stage { stage, words, entry_point: "main", specialization: Vec::new() }
    }
}

/// The value of a specialization constant, as wide as the constant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// The bits of an 8-bit constant.
    Bits8(u8),
    /// The bits of a 16-bit constant.
    Bits16(u16),
    /// The bits of a 32-bit constant; 0 or 1 where it is boolean.
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
    /// The bytes before the place.
    pub offset: u64,
}

/// An address (`VkDeviceAddress`), which is known only when the buffers are there, and what is overwritten with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// What has the address.
    pub of: Place,
    /// Where it goes.
    pub to: AddressAt,
}

/// Where an address goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressAt {
    /// To 8 bytes of a buffer.
    Buffer(Place),
    /// To 8 bytes of the push constants, from this one on.
    PushConstants(usize),
    /// To two specialization constants, the lower half first.
    Specialization {
        /// The index of the stage.
        stage: usize,
        /// The number of the lower half.
        first_id: u32,
    },
}

/// A range of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The index of the buffer.
    pub buffer: usize,
    /// The bytes before the range.
    pub offset: u64,
    /// The bytes in the range.
    pub size: u64,
}

/// Vertex attributes from one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexBuffer {
    /// Where the first element is.
    pub place: Place,
    /// What an element looks like.
    pub layout: VertexLayout,
}

/// The elements of a vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// The bytes from an element to the next.
    pub stride: u32,
    /// Whether vertices or instances step through the elements.
    pub rate: vk::VertexInputRate,
    /// The attributes in an element.
    pub attributes: Vec<Attribute>,
}

impl VertexLayout {
    /// Vectors of four components of 32 bits, one behind the other, which vertices step through: where each goes, and
    /// its format.
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
    /// The bytes before it in the element.
    pub offset: u32,
}

/// The indices of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indices {
    /// Where index 0 is.
    pub place: Place,
    /// How wide an index is: `UINT16` or `UINT32`, or where the device has them, `UINT8_EXT`.
    pub index_type: vk::IndexType,
    /// How many indices to draw.
    pub count: u32,
    /// The first of them.
    pub first: u32,
    /// The number that is added to each index.
    pub vertex_offset: i32,
    /// Whether the largest index starts the primitive anew; of lists, where the device restarts those.
    pub restart: bool,
}

/// A resource that the shaders see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// The element, where the binding is an array; 0 where it is not. All up to the largest must be there.
    pub element: u32,
    /// What is bound there.
    pub resource: Resource,
}

impl Descriptor {
    /// A descriptor of a binding that is no array.
    pub fn new(set: u32, binding: u32, resource: Resource) -> Descriptor {
        Descriptor { set, binding, element: 0, resource }
    }
}

/// What can be bound. Textures are named by their index in [`Work::textures`].
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
        /// What they look like.
        format: vk::Format,
    },
    /// A storage texel buffer, `imageBuffer` in GLSL.
    StorageTexels {
        /// The texels.
        range: Range,
        /// What they look like.
        format: vk::Format,
    },
    /// A sampler without an image: the nearest texel, clamped to the edge.
    Sampler {
        /// Whether it compares with a reference, as a shadow sampler does: 1 where the reference is less or equal.
        compare: bool,
    },
    /// A sampled image without a sampler, `texture2D` in GLSL.
    Image(usize),
    /// A storage image, `image2D` in GLSL; the texture must be for storage.
    StorageImage(usize),
    /// An image with a sampler, `sampler2D` in GLSL; it compares if the texture says so.
    ImageWithSampler(usize),
    /// A target of the draw as an input attachment, `subpassInput` in GLSL. The targets of a draw are its input
    /// attachments, with the same indices.
    InputAttachment(usize),
    /// A target that the draw does not draw to as a sampled image without a sampler.
    TargetImage(usize),
}

/// Native transform feedback around one draw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransformFeedback {
    /// The feedback buffers, by index.
    pub buffers: Vec<Range>,
    /// Where the counters to begin from are, one u32 a feedback buffer; without them capture begins at 0.
    pub resume: Option<Place>,
    /// Where the counters go at the end, one u32 a feedback buffer.
    pub pause: Option<Place>,
}
