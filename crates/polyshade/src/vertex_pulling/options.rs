//! Options of vertex pulling: attributes, vertex buffers and their bindings.

use super::Format;
use crate::code;
use crate::host::{Binding, ParamSource, Set};
use crate::placement::{ParamsAt, Wanted};
use polyshade_spv::Error;
use std::collections::BTreeMap;

/// A vertex attribute: `VkVertexInputAttributeDescription`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attribute {
    /// The number of the vertex buffer that it reads (`binding`).
    pub buffer: u32,
    /// The offset in bytes from the start of the element. `None`: host parameter `attribute_offset_LOCATION`.
    pub offset: Option<u32>,
    /// The format. `None`: the host parameters that [`Format::words`] computes.
    pub format: Option<Format>,
}

/// A vertex buffer: `VkVertexInputBindingDescription`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Buffer {
    /// The bytes from one element to the next: at most [`MAX_STRIDE`]; 0 if there is only one element. `None`: the
    /// lower 16 bits of host parameter `vertex_stride_BUFFER`.
    pub stride: Option<u32>,
    /// The input rate. `None`: host parameter `vertex_rate_BUFFER`.
    pub rate: Option<Rate>,
}

/// The maximum stride. Every Vulkan device supports at least 2,048 (`maxVertexInputBindingStride`).
pub const MAX_STRIDE: u32 = 0xffff;

/// The index that selects the element of a vertex buffer: `VkVertexInputRate`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Rate {
    /// The vertex index.
    Vertex,
    /// The instance index.
    Instance {
        /// The number of consecutive instances that read one element (`VkVertexInputBindingDivisorDescription`). They
        /// are counted from the first instance. With 0, all instances read the element of the first instance.
        divisor: u32,
    },
}

impl Rate {
    /// Returns the host parameter `vertex_rate_BUFFER`: 0 for vertices, 1 + the divisor for instances.
    pub fn word(self) -> u32 {
        match self {
            Self::Vertex => 0,
            Self::Instance { divisor } => divisor.saturating_add(1),
        }
    }
}

/// The value of an attribute that is outside of its buffer (Vulkan specification, "Robust Buffer Access"). Neither
/// choice reads outside of the buffer's range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Robustness {
    /// As with `robustBufferAccess`: any value in the buffer's range, or 0.
    Access,
    /// As with `robustBufferAccess2`: 0 for each component of the format. Components that the format lacks come from
    /// (0, 0, 0, 1).
    #[default]
    Access2,
}

/// The attributes and vertex buffers, and their bindings.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    attributes: BTreeMap<u32, Attribute>,
    pub(super) buffers: BTreeMap<u32, Buffer>,
    set: Option<Set>,
    binding: Option<Binding>,
    params: ParamsAt,
    pub(super) robustness: Robustness,
    beyond_stride: bool,
    pub(super) base_instance: bool,
}

impl Options {
    /// Creates options without attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the attribute at `location`. An input at a location without an attribute reads (0, 0, 0, 1).
    #[must_use]
    pub fn attribute(mut self, location: u32, attribute: Attribute) -> Self {
        self.attributes.insert(location, attribute);
        self
    }

    /// Sets the vertex buffer `number` (`binding`).
    #[must_use]
    pub fn buffer(mut self, number: u32, buffer: Buffer) -> Self {
        self.buffers.insert(number, buffer);
        self
    }

    /// Sets the set and binding of the storage buffer for the first vertex buffer. Further vertex buffers use the
    /// next bindings, in the order of their numbers. By default, the lowering chooses free bindings.
    #[must_use]
    pub fn storage(mut self, set: Option<Set>, binding: Option<Binding>) -> Self {
        (self.set, self.binding) = (set, binding);
        self
    }

    /// Sets the source of the host parameters. With [`ParamSource::Address`], the addresses of the vertex buffers are
    /// among the parameters, and nothing is bound. By default, the source is a storage buffer at the binding after
    /// the last vertex buffer.
    #[must_use]
    pub fn params(mut self, source: ParamSource) -> Self {
        self.params = ParamsAt::Source(source);
        self
    }

    /// Sets the values that out-of-bounds reads return.
    #[must_use]
    pub fn robustness(mut self, robustness: Robustness) -> Self {
        self.robustness = robustness;
        self
    }

    /// Sets whether an attribute may end after the stride, so that elements overlap. This is
    /// `vertexAttributeAccessBeyondStride` of `VK_KHR_portability_subset`. By default, such an attribute is an error.
    #[must_use]
    pub fn access_beyond_stride(mut self, beyond: bool) -> Self {
        self.beyond_stride = beyond;
        self
    }

    /// Sets whether the shader reads the first instance from `gl_BaseInstance`, which needs `shaderDrawParameters`.
    /// This is useful for indirect draws. By default, the first instance is the host parameter `first_instance`. Only
    /// divisors other than 1 need it.
    #[must_use]
    pub fn base_instance(mut self, asks: bool) -> Self {
        self.base_instance = asks;
        self
    }

    /// Returns the attributes, by location.
    pub fn attributes(&self) -> &BTreeMap<u32, Attribute> {
        &self.attributes
    }

    /// Returns the vertex buffers, by number.
    pub fn buffers(&self) -> &BTreeMap<u32, Buffer> {
        &self.buffers
    }

    pub(super) fn attribute_at(&self, location: u32) -> Option<&Attribute> {
        self.attributes.get(&location)
    }

    /// Whether the element of one of these buffers depends on the first instance.
    pub(super) fn needs_first_instance(&self, buffers: &[u32]) -> bool {
        let mut rates = buffers.iter().map(|number| self.buffers[number].rate);
        rates.any(|rate| !matches!(rate, Some(Rate::Vertex | Rate::Instance { divisor: 1 })))
    }

    /// Whether the options specify all bindings, so that the lowering chooses none.
    pub(crate) fn are_placed(&self) -> bool {
        self.set.is_some() && self.binding.is_some()
    }

    pub(super) fn wanted(&self) -> Wanted {
        Wanted { first: (self.set, self.binding), params: self.params, buffer: "vertex buffer" }
    }

    /// Fails if attributes and buffers do not match.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |code, message| Err(Error::new(code, message));
        // Every buffer must have a valid stride and an attribute.
        for (number, buffer) in &self.buffers {
            if buffer.stride.is_some_and(|stride| stride > MAX_STRIDE) {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_STRIDE,
                    format!("the stride of vertex buffer {number} is more than {MAX_STRIDE}"),
                );
            }
            if self.attributes.values().all(|attribute| attribute.buffer != *number) {
                return refuse(
                    &code::VERTEX_PULLING_UNUSED_BUFFER,
                    format!("no attribute is in vertex buffer {number}"),
                );
            }
        }
        // Offset and stride must satisfy the format's alignment, and the attribute must fit in the stride.
        for (location, attribute) in &self.attributes {
            let number = attribute.buffer;
            let Some(buffer) = self.buffers.get(&number) else {
                return refuse(
                    &code::VERTEX_PULLING_BUFFER_NOT_DESCRIBED,
                    format!(
                        "attribute {location} is in vertex buffer {number}, which is not described"
                    ),
                );
            };
            let Some(format) = attribute.format else { continue };
            let (size, alignment) = (format.size(), format.alignment());
            let behind = attribute.offset.unwrap_or(0).checked_add(size);
            let Some(behind) = behind else {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_OFFSET,
                    format!("attribute {location} ends beyond 4 GiB"),
                );
            };
            if !attribute.offset.unwrap_or(0).is_multiple_of(alignment) {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_OFFSET,
                    format!(
                        "the offset of attribute {location} is not a multiple of {alignment}, as {format} requires"
                    ),
                );
            }
            let Some(stride) = buffer.stride.filter(|stride| *stride > 0) else { continue };
            if !stride.is_multiple_of(alignment) {
                return refuse(
                    &code::VERTEX_PULLING_INVALID_STRIDE,
                    format!(
                        "the stride of vertex buffer {number} is not a multiple of {alignment}, as {format} of \
                            attribute {location} requires"
                    ),
                );
            }
            if attribute.offset.is_some() && behind > stride && !self.beyond_stride {
                let message = format!(
                    "attribute {location} ends {} bytes beyond the stride of vertex buffer {number}",
                    behind - stride
                );
                let error = Error::new(&code::VERTEX_PULLING_BEYOND_STRIDE, message);
                return Err(error.help("allow access beyond the stride if elements may overlap"));
            }
        }
        Ok(())
    }
}
