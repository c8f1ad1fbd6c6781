//! The bound and dynamic state that captures read or change.

use crate::driver::Driver;
use ash::vk;
use polyshade_planner::counter_pass::Predicate;

#[derive(Clone, Copy)]
pub(crate) struct VertexBuffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// The size in bytes, unless the range extends to the end of the buffer.
    pub(crate) size: Option<u64>,
}

#[derive(Clone, Copy)]
pub(crate) struct IndexBuffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) size: Option<u64>,
    pub(crate) index_type: vk::IndexType,
}

/// The dynamic state that captures depend on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dynamic {
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) restart: vk::Bool32,
    pub(crate) discard: vk::Bool32,
    pub(crate) provoking: vk::ProvokingVertexModeEXT,
}

#[derive(Clone, Copy)]
pub(crate) struct Conditional {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) flags: vk::ConditionalRenderingFlagsEXT,
    /// The predicate for the counter pass, or `None` if the buffer has no address.
    pub(crate) predicate: Option<Predicate>,
}

impl Conditional {
    /// Begins the conditional rendering again, after commands that must not be conditional.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded. The same conditional rendering was active in it and has ended.
    pub(super) unsafe fn again(self, device: &Driver, commands: vk::CommandBuffer) {
        let begin = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(self.buffer)
            .offset(self.offset)
            .flags(self.flags);
        if let Some(next) = device.next.cmd_begin_conditional_rendering {
            // SAFETY: guaranteed by the caller.
            unsafe { next(commands, &raw const begin) };
        }
    }
}
