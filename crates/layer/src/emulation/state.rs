//! What is bound and set, as far as captures read it or disturb it.

use ash::vk;

/// A buffer of attributes.
#[derive(Clone, Copy)]
pub(crate) struct VertexBuffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Unless it reaches to the end.
    pub(crate) size: Option<u64>,
    /// Where that is dynamic.
    pub(crate) stride: Option<u32>,
}

/// The buffer of indices.
#[derive(Clone, Copy)]
pub(crate) struct IndexBuffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) size: Option<u64>,
    pub(crate) index_type: vk::IndexType,
}

/// Dynamic state.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dynamic {
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) restart: vk::Bool32,
    pub(crate) discard: vk::Bool32,
    pub(crate) provoking: vk::ProvokingVertexModeEXT,
}
