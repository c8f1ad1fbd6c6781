//! Bound and dynamic state, which the layer records because captures read it and change some of it.

use crate::emulation::pipeline_info::VertexInput;
use crate::emulation::state::{IndexBuffer, VertexBuffer};
use crate::settings::slice;
use ash::vk::{self, Handle as _};
use std::sync::Arc;

noted! {
    cmd_bind_pipeline(point: vk::PipelineBindPoint, pipeline: vk::Pipeline)
        |device, emulator, recording, commands| match point {
            vk::PipelineBindPoint::GRAPHICS => {
                // The new pipeline may use dynamic state that a capture has replaced.
                recording.unbind(device, commands);
                recording.version += 1;
                let known = emulator.pipelines.get(pipeline.as_raw());
                recording.graphics = known.map(|known| (pipeline, Arc::clone(known)));
            }
            vk::PipelineBindPoint::COMPUTE => recording.compute = pipeline,
            _ => {}
        };
    cmd_set_primitive_topology(topology: vk::PrimitiveTopology)
        |_device, _emulator, recording, commands| recording.replaced_state().topology = topology;
    cmd_set_primitive_restart_enable(restart: vk::Bool32)
        |_device, _emulator, recording, commands| recording.replaced_state().restart = restart;
    cmd_set_rasterizer_discard_enable(discard: vk::Bool32)
        |_device, _emulator, recording, commands| recording.replaced_state().discard = discard;
    cmd_set_provoking_vertex_mode(mode: vk::ProvokingVertexModeEXT)
        |_device, _emulator, recording, commands| {
            recording.version += 1;
            recording.dynamic.provoking = mode;
        };
    cmd_bind_index_buffer(buffer: vk::Buffer, offset: vk::DeviceSize, index_type: vk::IndexType)
        |_device, _emulator, recording, commands| {
            recording.version += 1;
            recording.indices = Some(IndexBuffer { buffer, offset, size: None, index_type });
        };
    cmd_bind_index_buffer_2(
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        index_type: vk::IndexType
    ) |_device, _emulator, recording, commands| {
        let size = (size != vk::WHOLE_SIZE).then_some(size);
        recording.version += 1;
        recording.indices = Some(IndexBuffer { buffer, offset, size, index_type });
    };
    cmd_bind_vertex_buffers(
        first: u32,
        count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize
    ) |_device, _emulator, recording, commands| {
        let bound = slice(buffers, count).iter().zip(slice(offsets, count));
        for (number, (&buffer, &offset)) in (first..).zip(bound) {
            recording.bind_vertex_buffer(number, VertexBuffer { buffer, offset, size: None });
        }
    };
    cmd_bind_vertex_buffers_2(
        first: u32,
        count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize,
        strides: *const vk::DeviceSize
    ) |_device, _emulator, recording, commands| {
        let bound = slice(buffers, count).iter().zip(slice(offsets, count));
        let sizes = slice(sizes, count);
        for (at, (&buffer, &offset)) in bound.enumerate() {
            let size = sizes.get(at).copied().filter(|size| *size != vk::WHOLE_SIZE);
            recording.bind_vertex_buffer(first + at as u32, VertexBuffer { buffer, offset, size });
        }
        // Without strides, the strides set earlier remain.
        let strides = slice(strides, count).iter().map(|stride| *stride as u32);
        recording.strides.extend((first..).zip(strides));
    };
    cmd_set_vertex_input(
        binding_count: u32,
        bindings: *const vk::VertexInputBindingDescription2EXT<'_>,
        attribute_count: u32,
        attributes: *const vk::VertexInputAttributeDescription2EXT<'_>
    ) |_device, _emulator, recording, commands| {
        let binding = |one: &vk::VertexInputBindingDescription2EXT<'_>| {
            let of_instances = one.input_rate == vk::VertexInputRate::INSTANCE;
            (one.binding, one.stride, of_instances.then_some(one.divisor))
        };
        let attribute = |one: &vk::VertexInputAttributeDescription2EXT<'_>| {
            (one.location, one.binding, one.format, one.offset)
        };
        recording.version += 1;
        let bindings = slice(bindings, binding_count);
        recording.strides.extend(bindings.iter().map(|one| (one.binding, one.stride)));
        recording.input = Some(VertexInput {
            attributes: slice(attributes, attribute_count).iter().map(attribute).collect(),
            bindings: bindings.iter().map(binding).collect(),
        });
    };
}
