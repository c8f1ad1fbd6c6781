//! What is bound and set, as far as captures read it or disturb it.

use crate::driver::Driver;
use ash::vk;
use polyshade_planner::counter_pass::Predicate;

/// A buffer of attributes.
#[derive(Clone, Copy)]
pub(crate) struct VertexBuffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Unless it reaches to the end.
    pub(crate) size: Option<u64>,
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

/// Conditional rendering that is active.
#[derive(Clone, Copy)]
pub(crate) struct Conditional {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) flags: vk::ConditionalRenderingFlagsEXT,
    /// The same as the counter pass looks at it; nothing, where the buffer has no address.
    pub(crate) predicate: Option<Predicate>,
}

impl Conditional {
    /// Lets it be active again, behind what has to be done in any case.
    ///
    /// # Safety
    ///
    /// It was, in this command buffer, and was ended.
    pub(super) unsafe fn again(self, device: &Driver, commands: vk::CommandBuffer) {
        let begin = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(self.buffer)
            .offset(self.offset)
            .flags(self.flags);
        if let Some(next) = device.next.cmd_begin_conditional_rendering {
            // SAFETY: the caller's promise.
            unsafe { next(commands, &raw const begin) };
        }
    }
}
