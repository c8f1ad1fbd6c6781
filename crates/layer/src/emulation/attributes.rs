//! Vertex attributes that pass addresses to the shader if push constants have no space for them.
//!
//! The capture then pulls the application's attributes in the shader, which frees the vertex input for the addresses.

use crate::driver::Driver;
use crate::emulation::memory::Piece;
use crate::emulation::pipeline_info::{PipelineInfo, VertexInput, rate};
use crate::emulation::state::VertexBuffer;
use ash::vk::{self, DynamicState};

/// The vertex buffer binding of the addresses.
pub(super) const BINDING: u32 = 0;

/// Returns the vertex input state of captures that read their addresses from attributes.
pub(super) fn input() -> VertexInput {
    let address = |location| (location, BINDING, vk::Format::R32G32_UINT, 8 * location);
    VertexInput {
        attributes: [0, 1].map(address).to_vec(),
        // The stride is 0, so all vertices read the same addresses.
        bindings: vec![(BINDING, 0, None)],
    }
}

/// Binds the addresses at byte `at` of the piece.
///
/// # Safety
///
/// The command buffer belongs to the device and is being recorded.
pub(super) unsafe fn bind_addresses(
    device: &Driver,
    commands: vk::CommandBuffer,
    info: &PipelineInfo,
    (piece, at): (Piece, u64),
) {
    let stride = info.is_dynamic(DynamicState::VERTEX_INPUT_BINDING_STRIDE).then_some(0);
    let bound = VertexBuffer { buffer: piece.buffer, offset: piece.offset + at, size: None };
    // SAFETY: guaranteed by the caller.
    unsafe { bound.bind(device, commands, stride) };
}

/// Sets the vertex input state if it is dynamic.
///
/// # Safety
///
/// The same requirements as for [`bind_addresses`].
pub(super) unsafe fn set_input(
    device: &Driver,
    commands: vk::CommandBuffer,
    info: &PipelineInfo,
    input: &VertexInput,
) {
    if let Some(set) = device.next.cmd_set_vertex_input
        && info.is_dynamic(DynamicState::VERTEX_INPUT_EXT)
    {
        let (bindings, attributes) = input.descriptions();
        let counts = [bindings.len(), attributes.len()].map(|count| count as u32);
        // SAFETY: guaranteed by the caller.
        unsafe {
            set(commands, counts[0], bindings.as_ptr(), counts[1], attributes.as_ptr());
        }
    }
}

/// Restores the application's vertex buffer and vertex input state that the addresses replaced.
///
/// # Safety
///
/// The same requirements as for [`bind_addresses`].
pub(super) unsafe fn unbind_addresses(
    device: &Driver,
    commands: vk::CommandBuffer,
    info: &PipelineInfo,
    (bound, stride): (Option<&VertexBuffer>, Option<u32>),
    input: &VertexInput,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if let Some(bound) = bound {
            bound.bind(device, commands, stride);
        }
        set_input(device, commands, info, input);
    }
}

impl VertexInput {
    /// Converts the state to the structures of `vkCmdSetVertexInputEXT`.
    fn descriptions(
        &self,
    ) -> (
        Vec<vk::VertexInputBindingDescription2EXT<'static>>,
        Vec<vk::VertexInputAttributeDescription2EXT<'static>>,
    ) {
        let binding = |&(binding, stride, divisor): &(u32, u32, Option<u32>)| {
            vk::VertexInputBindingDescription2EXT::default()
                .binding(binding)
                .stride(stride)
                .input_rate(rate(divisor))
                .divisor(divisor.unwrap_or(1))
        };
        let attribute = |&(location, binding, format, offset): &_| {
            vk::VertexInputAttributeDescription2EXT::default()
                .location(location)
                .binding(binding)
                .format(format)
                .offset(offset)
        };
        let bindings = self.bindings.iter().map(binding).collect();
        (bindings, self.attributes.iter().map(attribute).collect())
    }
}

impl VertexBuffer {
    /// Binds the buffer to the binding of the addresses, with its stride if the stride is dynamic.
    ///
    /// # Safety
    ///
    /// The command buffer belongs to the device and is being recorded.
    unsafe fn bind(&self, device: &Driver, commands: vk::CommandBuffer, stride: Option<u32>) {
        let (next, number) = (&device.next, BINDING);
        let stride = stride.map(u64::from);
        let pointer = |value: &Option<u64>| value.as_ref().map_or(std::ptr::null(), |one| one);
        // SAFETY: guaranteed by the caller.
        unsafe {
            match (self.size, stride, next.cmd_bind_vertex_buffers_2, next.cmd_bind_vertex_buffers)
            {
                (None, None, _, Some(bind)) => {
                    bind(commands, number, 1, &raw const self.buffer, &raw const self.offset);
                }
                (size, stride, Some(bind), _) => {
                    let (buffer, offset) = (&raw const self.buffer, &raw const self.offset);
                    bind(commands, number, 1, buffer, offset, pointer(&size), pointer(&stride));
                }
                _ => {}
            }
        }
    }
}
