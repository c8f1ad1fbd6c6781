//! Pipeline layouts and push constants. The layer adds addresses to them if the limit allows.

use crate::device::Device;
use crate::emulation::layouts::{Addresses, Layout, merged, pieces};
use crate::settings::slice;
use ash::vk::{self, Handle as _, ShaderStageFlags};
use std::sync::Arc;

pub(crate) unsafe extern "system" fn create_pipeline_layout(
    device: vk::Device,
    info: *const vk::PipelineLayoutCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    layout: *mut vk::PipelineLayout,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_pipeline_layout else {
            return vk::Result::ERROR_UNKNOWN;
        };
        let Some(emulator) = device.emulator.get() else {
            return next(device.handle, info, allocator, layout);
        };
        let mut changed = *info;
        let ranges = slice(changed.p_push_constant_ranges, changed.push_constant_range_count);
        let captures = match emulator.has_geometry {
            true => ShaderStageFlags::VERTEX | ShaderStageFlags::GEOMETRY,
            false => ShaderStageFlags::VERTEX,
        };
        let merged = merged(ranges, captures, emulator.max_push_constants);
        if let Some((range, _)) = &merged {
            changed.push_constant_range_count = 1;
            changed.p_push_constant_ranges = range;
        }
        // The layout may outlive the application's allocation callbacks, so the driver does not get them.
        let result = next(device.handle, &raw const changed, std::ptr::null(), layout);
        if result == vk::Result::SUCCESS {
            let pushed = pieces(ranges).into_iter().map(|piece| match &merged {
                Some((range, _)) => piece.stage_flags(range.stage_flags),
                None => piece,
            });
            let known = Layout {
                handle: *layout,
                device: device.handle,
                destroy: device.next.destroy_pipeline_layout,
                stages: merged.map_or(ShaderStageFlags::empty(), |(range, _)| range.stage_flags),
                pushed: pushed.collect(),
                most_outputs: emulator.most_outputs,
                addresses: merged
                    .map(|(_, at)| Addresses::Pushed(at))
                    .or_else(|| emulator.has_constant_attributes.then_some(Addresses::Bound)),
            };
            emulator.layouts.insert((*layout).as_raw(), Box::new(Arc::new(known)));
        }
        result
    }
}

pub(crate) unsafe extern "system" fn destroy_pipeline_layout(
    device: vk::Device,
    layout: vk::PipelineLayout,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return };
        let known = device.emulator.get().and_then(|one| one.layouts.remove(layout.as_raw()));
        // The layout is destroyed with its last pipeline.
        if known.is_some() {
            return;
        }
        if let Some(next) = device.next.destroy_pipeline_layout {
            next(device.handle, layout, allocator);
        }
    }
}

pub(crate) unsafe extern "system" fn cmd_push_constants(
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    stages: ShaderStageFlags,
    offset: u32,
    size: u32,
    values: *const std::ffi::c_void,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        let Some(next) = device.next.cmd_push_constants else { return };
        let mut stages = stages;
        if let Some((emulator, recording)) = device.recording(commands)
            && let Some(layout) = emulator.layouts.get(layout.as_raw())
        {
            stages = recording.pushed.note(layout, (stages, offset, size), values);
        }
        next(commands, layout, stages, offset, size, values);
    }
}

pub(crate) unsafe extern "system" fn cmd_push_constants_2(
    commands: vk::CommandBuffer,
    info: *const vk::PushConstantsInfoKHR<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        let Some(next) = device.next.cmd_push_constants_2 else { return };
        let mut changed = *info;
        if let Some((emulator, recording)) = device.recording(commands)
            && let Some(layout) = emulator.layouts.get(changed.layout.as_raw())
        {
            let range = (changed.stage_flags, changed.offset, changed.size);
            changed.stage_flags = recording.pushed.note(layout, range, changed.p_values);
        }
        next(commands, &raw const changed);
    }
}
