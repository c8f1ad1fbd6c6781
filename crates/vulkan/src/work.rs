//! What to run, and what came out: plain data.

use crate::error::Error;
use ash::vk;
use std::ops;

/// Draws that are submitted together and run one after the other, each seeing what those before it wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work<'a> {
    /// The buffers, by their contents before the first draw. Draws name them by index.
    pub buffers: Vec<Vec<u8>>,
    /// The images that are drawn to, all zero before the first draw. Draws name them by index.
    pub targets: Vec<Target>,
    /// The draws.
    pub draws: Vec<Draw<'a>>,
}

/// What came out of [`Work`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The contents of every buffer after the last draw.
    pub buffers: Vec<Vec<u8>>,
    /// The pixels of every target after the last draw, row by row without gaps.
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
    /// The format; its texels have 4, 8 or 16 bytes.
    pub format: vk::Format,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// One draw and the pipeline that it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draw<'a> {
    /// The shaders: a vertex stage, and a fragment stage where there is a target.
    pub stages: Vec<Stage<'a>>,
    /// How vertices become primitives.
    pub topology: vk::PrimitiveTopology,
    /// The mode of `VK_EXT_provoking_vertex`; asking for the last vertex needs the extension.
    pub provoking_vertex: ProvokingVertex,
    /// Where vertex attributes come from; the index is the binding.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// The resources of the shaders.
    pub descriptors: Vec<Descriptor>,
    /// Push constants from offset 0 on, for all stages; a multiple of 4 bytes.
    pub push_constants: Vec<u8>,
    /// Native transform feedback, for this draw.
    pub transform_feedback: Option<TransformFeedback>,
    /// The index of the target; without one, rasterization is off.
    pub target: Option<usize>,
    /// The vertices: the first, and one past the last.
    pub vertices: ops::Range<u32>,
    /// The instances: the first, and one past the last.
    pub instances: ops::Range<u32>,
}

/// A shader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage<'a> {
    /// Which stage.
    pub stage: vk::ShaderStageFlags,
    /// The module, which must be valid SPIR-V: drivers do not check it.
    pub words: &'a [u32],
    /// The name of the entry point.
    pub entry_point: &'a str,
    /// Values of specialization constants: the id and the 32 bits.
    pub specialization: Vec<(u32, u32)>,
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

    fn new(stage: vk::ShaderStageFlags, words: &'a [u32]) -> Stage<'a> {
        Stage { stage, words, entry_point: "main", specialization: Vec::new() }
    }
}

/// Which vertex of a primitive gives it the values that are not interpolated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProvokingVertex {
    /// The first, Vulkan's default.
    #[default]
    First,
    /// The last, OpenGL's default.
    Last,
}

/// A place in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The index of the buffer.
    pub buffer: usize,
    /// The bytes before the place.
    pub offset: u64,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexLayout {
    /// The bytes from an element to the next.
    pub stride: u32,
    /// Whether vertices or instances step through the elements.
    pub rate: vk::VertexInputRate,
    /// The attributes in an element.
    pub attributes: Vec<Attribute>,
}

/// One attribute in an element of a vertex buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    /// The location in the vertex shader.
    pub location: u32,
    /// The format.
    pub format: vk::Format,
    /// The bytes before it in the element.
    pub offset: u32,
}

/// A resource that the shaders see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
    /// What is bound there.
    pub resource: Resource,
}

/// What can be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// A storage buffer.
    StorageBuffer(Range),
    /// A uniform buffer.
    UniformBuffer(Range),
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

impl Work<'_> {
    /// Refuses what names a buffer, a range or a target that is not there, and what is no draw.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for draw in &self.draws {
            let resources = draw.descriptors.iter().map(|descriptor| match descriptor.resource {
                Resource::StorageBuffer(range) | Resource::UniformBuffer(range) => range,
            });
            let feedback = draw.transform_feedback.iter().flat_map(TransformFeedback::ranges);
            let vertices = draw.vertex_buffers.iter().map(|buffer| buffer.place.with_size(0));
            for range in resources.chain(feedback).chain(vertices) {
                self.check_range(range)?;
            }
            if draw.target.is_some_and(|target| target >= self.targets.len()) {
                return Err(Error::Work(format!("a draw goes to target {:?}", draw.target)));
            }
            if !draw.stages.iter().any(|stage| stage.stage == vk::ShaderStageFlags::VERTEX) {
                return Err(Error::Work("a draw has no vertex stage".to_owned()));
            }
            if draw.push_constants.len() % 4 != 0 {
                return Err(Error::Work("push constants are not a multiple of 4 bytes".to_owned()));
            }
            let Draw { vertices, instances, .. } = draw;
            if vertices.start > vertices.end || instances.start > instances.end {
                return Err(Error::Work(format!("a draw of {vertices:?} × {instances:?}")));
            }
        }
        for target in &self.targets {
            target.texel_size()?;
        }
        Ok(())
    }

    fn check_range(&self, range: Range) -> Result<(), Error> {
        let size = self.buffers.get(range.buffer).map(|buffer| buffer.len() as u64);
        let end = range.offset.checked_add(range.size);
        match (end, size) {
            (Some(end), Some(size)) if end <= size => Ok(()),
            _ => Err(Error::Work(format!("{range:?} is not in a buffer of {size:?} bytes"))),
        }
    }
}

impl Target {
    /// The bytes of a pixel, as they are copied.
    pub(crate) fn texel_size(&self) -> Result<u64, Error> {
        match self.format {
            vk::Format::R8G8B8A8_UNORM | vk::Format::R8G8B8A8_UINT => Ok(4),
            vk::Format::R32_UINT | vk::Format::R32_SFLOAT => Ok(4),
            vk::Format::R32G32_UINT | vk::Format::R32G32_SFLOAT => Ok(8),
            vk::Format::R32G32B32A32_UINT | vk::Format::R32G32B32A32_SFLOAT => Ok(16),
            other => Err(Error::Work(format!("a target of format {other:?}"))),
        }
    }
}

impl Place {
    fn with_size(self, size: u64) -> Range {
        Range { buffer: self.buffer, offset: self.offset, size }
    }
}

impl TransformFeedback {
    fn ranges(&self) -> impl Iterator<Item = Range> {
        let counters = [self.resume, self.pause].into_iter().flatten();
        let size = 4 * self.buffers.len() as u64;
        self.buffers.iter().copied().chain(counters.map(move |place| place.with_size(size)))
    }
}
