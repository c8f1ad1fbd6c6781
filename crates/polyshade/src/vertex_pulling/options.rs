//! Which attributes there are, and where.

use super::Format;
use crate::code;
use crate::host::{Binding, ParamSource, Set};
use crate::placement::{ParamsAt, Wanted};
use polyshade_spv::Error;
use std::collections::BTreeMap;

/// An attribute: `VkVertexInputAttributeDescription`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attribute {
    /// The number of the vertex buffer it is in (`binding`).
    pub buffer: u32,
    /// From the start of the element, in bytes. None: the host says it, with the word `attribute_offset_LOCATION`.
    pub offset: Option<u32>,
    /// None: the host says it, with the words that [`Format::words`] gives.
    pub format: Option<Format>,
}

/// A vertex buffer: `VkVertexInputBindingDescription`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Buffer {
    /// From an element to the next, in bytes: 0 where all read one, at most [`MAX_STRIDE`]. None: the host says it,
    /// with the word `vertex_stride_BUFFER`, of which the lower 16 bits count.
    pub stride: Option<u32>,
    /// None: the host says it, with the word `vertex_rate_BUFFER`.
    pub rate: Option<Rate>,
}

/// The largest stride. Every Vulkan device takes 2,048 (`maxVertexInputBindingStride`).
pub const MAX_STRIDE: u32 = 0xffff;

/// What steps through the elements of a buffer: `VkVertexInputRate`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Rate {
    /// Vertices do.
    Vertex,
    /// Instances do.
    Instance {
        /// How many instances read one element, from the first instance on
        /// (`VkVertexInputBindingDivisorDescription`). With 0 all read the element of the first.
        divisor: u32,
    },
}

impl Rate {
    /// The word `vertex_rate_BUFFER`: 0 for vertices, 1 + the divisor for instances.
    pub fn word(self) -> u32 {
        match self {
            Self::Vertex => 0,
            Self::Instance { divisor } => divisor.saturating_add(1),
        }
    }
}

/// What the shader reads where an attribute is out of bounds of its buffer (Vulkan specification, "Robust Buffer
/// Access"). Whatever is chosen, nothing outside of the buffer's range is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Robustness {
    /// As `robustBufferAccess` has it: something in the range, or 0.
    Access,
    /// As `robustBufferAccess2` has it: 0 for each component of the format, and of (0, 0, 0, 1) what the format lacks.
    #[default]
    Access2,
}

/// Attributes and buffers, and where the shader finds them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    attributes: BTreeMap<u32, Attribute>,
    buffers: BTreeMap<u32, Buffer>,
    set: Option<Set>,
    binding: Option<Binding>,
    params: ParamsAt,
    robustness: Robustness,
    beyond_stride: bool,
    base_instance: bool,
}

impl Options {
    /// No attribute.
    pub fn new() -> Self {
        Self::default()
    }

    /// The attribute of this location. A location of the shader that has none reads (0, 0, 0, 1).
    #[must_use]
    pub fn attribute(mut self, location: u32, attribute: Attribute) -> Self {
        self.attributes.insert(location, attribute);
        self
    }

    /// The vertex buffer with this number (`binding`).
    #[must_use]
    pub fn buffer(mut self, number: u32, buffer: Buffer) -> Self {
        self.buffers.insert(number, buffer);
        self
    }

    /// The set and binding of the storage buffer that the first vertex buffer becomes; others, in the order of their
    /// numbers, follow at the next bindings. Unless it is said, room is found.
    #[must_use]
    pub fn storage(mut self, set: Option<Set>, binding: Option<Binding>) -> Self {
        (self.set, self.binding) = (set, binding);
        self
    }

    /// Where the host parameters are. With [`ParamSource::Address`] the vertex buffers are found by addresses too,
    /// which are among the words: nothing is bound. By default they are in a storage buffer at the binding after the
    /// last.
    #[must_use]
    pub fn params(mut self, source: ParamSource) -> Self {
        self.params = ParamsAt::Source(source);
        self
    }

    /// What is read out of bounds.
    #[must_use]
    pub fn robustness(mut self, robustness: Robustness) -> Self {
        self.robustness = robustness;
        self
    }

    /// Whether elements may overlap: an attribute ends behind the stride (`vertexAttributeAccessBeyondStride` of
    /// `VK_KHR_portability_subset`). Unless it is said, that is an error.
    #[must_use]
    pub fn access_beyond_stride(mut self, beyond: bool) -> Self {
        self.beyond_stride = beyond;
        self
    }

    /// Whether the shader asks the device for the first instance of the draw (`gl_BaseInstance`, which takes
    /// `shaderDrawParameters`), as where the draw is indirect. Unless it is said, the host says it, with the word
    /// `first_instance`. Only divisors other than 1 need it.
    #[must_use]
    pub fn base_instance(mut self, asks: bool) -> Self {
        self.base_instance = asks;
        self
    }

    /// The attributes, by their locations.
    pub fn attributes(&self) -> &BTreeMap<u32, Attribute> {
        &self.attributes
    }

    /// The vertex buffers, by their numbers.
    pub fn buffers(&self) -> &BTreeMap<u32, Buffer> {
        &self.buffers
    }

    pub(super) fn attribute_at(&self, location: u32) -> Option<&Attribute> {
        self.attributes.get(&location)
    }

    /// Whether an element of these buffers hangs on the first instance.
    pub(super) fn needs_first_instance(&self, buffers: &[u32]) -> bool {
        let mut rates = buffers.iter().map(|number| self.buffer_numbered(*number).rate);
        rates.any(|rate| !matches!(rate, Some(Rate::Vertex | Rate::Instance { divisor: 1 })))
    }

    pub(super) fn buffer_numbered(&self, number: u32) -> Buffer {
        self.buffers[&number]
    }

    pub(super) fn asks_base_instance(&self) -> bool {
        self.base_instance
    }

    pub(super) fn robust(&self) -> Robustness {
        self.robustness
    }

    /// Whether they say where the buffers are, so that no room is looked for.
    pub(crate) fn are_placed(&self) -> bool {
        self.set.is_some() && self.binding.is_some()
    }

    pub(super) fn wanted(&self) -> Wanted {
        Wanted { first: (self.set, self.binding), params: self.params, buffer: "vertex buffer" }
    }

    /// An error where attributes and buffers do not fit each other.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |code, message| Err(Error::new(code, message));
        for (number, buffer) in &self.buffers {
            if buffer.stride.is_some_and(|stride| stride > MAX_STRIDE) {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_STRIDE,
                    format!("the stride of vertex buffer {number} is over {MAX_STRIDE}"),
                );
            }
            if self.attributes.values().all(|attribute| attribute.buffer != *number) {
                return refuse(
                    &code::VERTEX_PULLING_UNUSED_BUFFER,
                    format!("no attribute is in vertex buffer {number}"),
                );
            }
        }
        for (location, attribute) in &self.attributes {
            let number = attribute.buffer;
            let Some(buffer) = self.buffers.get(&number) else {
                return refuse(
                    &code::VERTEX_PULLING_BUFFER_NOT_DESCRIBED,
                    format!(
                        "attribute {location} is in vertex buffer {number}, of which nothing is said"
                    ),
                );
            };
            let Some(format) = attribute.format else { continue };
            let (size, alignment) = (format.size(), format.alignment());
            let behind = attribute.offset.unwrap_or(0).checked_add(size);
            let Some(behind) = behind else {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_OFFSET,
                    format!("attribute {location} ends behind 4 GiB"),
                );
            };
            if !attribute.offset.unwrap_or(0).is_multiple_of(alignment) {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_OFFSET,
                    format!(
                        "the offset of attribute {location} is no multiple of {alignment}, as {format} needs"
                    ),
                );
            }
            let Some(stride) = buffer.stride.filter(|stride| *stride > 0) else { continue };
            if !stride.is_multiple_of(alignment) {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_STRIDE,
                    format!(
                        "the stride of vertex buffer {number} is no multiple of {alignment}, as {format} of attribute \
                     {location} needs"
                    ),
                );
            }
            if attribute.offset.is_some() && behind > stride && !self.beyond_stride {
                let message = format!(
                    "attribute {location} ends {} bytes behind the stride of vertex buffer {number}",
                    behind - stride
                );
                let error = Error::new(&code::VERTEX_PULLING_BEYOND_STRIDE, message);
                return Err(error.help("say that elements may overlap, if they are to"));
            }
        }
        Ok(())
    }
}
