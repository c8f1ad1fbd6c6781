//! Memory with device addresses, conditional rendering, and the destruction of buffers, modules and pipelines.

use crate::device::Device;
use crate::emulation::state::Conditional;
use crate::pnext::{Change, Copied, find};
use ash::vk::{self, Handle as _, TaggedStructure as _};
use polyshade_planner::counter_pass::Predicate;
use std::sync::Arc;

noted_on_device! {
    destroy_buffer(buffer: vk::Buffer, allocator: *const vk::AllocationCallbacks<'_>)
        |device, emulator| drop(emulator.buffers.remove(buffer.as_raw()));
}

noted! {
    cmd_begin_conditional_rendering(info: *const vk::ConditionalRenderingBeginInfoEXT<'_>)
        |device, emulator, recording, commands| {
            let &vk::ConditionalRenderingBeginInfoEXT { buffer, offset, flags, .. } = &*info;
            let place = emulator.place(device, buffer, offset);
            let inverted = flags.contains(vk::ConditionalRenderingFlagsEXT::INVERTED);
            let predicate = place.map(|(place, _)| Predicate { place, inverted });
            recording.conditional = Some(Conditional { buffer, offset, flags, predicate });
        };
    cmd_end_conditional_rendering() |_device, _emulator, recording, commands| recording.conditional = None;
}

/// `vkAllocateMemory`. All memory gets device addresses, because the buffers bound to it are not known yet.
pub(crate) unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    type Flags = vk::MemoryAllocateFlagsInfo<'static>;
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.allocate_memory else { return vk::Result::ERROR_UNKNOWN };
        if device.emulator.get().is_none() {
            return next(device.handle, info, allocator, memory);
        }
        let mut changed = *info;
        let addressed = vk::MemoryAllocateFlags::DEVICE_ADDRESS;
        let mut own = vk::MemoryAllocateFlagsInfo::default().flags(addressed);
        let edits = |s_type| (s_type == Flags::STRUCTURE_TYPE).then_some(Change::Edit);
        // Set the flag in a copy of the application's structure, or in a structure of the layer.
        let mut chain = Copied::unchanged(changed.p_next);
        if find::<Flags>(changed.p_next).is_none() {
            own.p_next = changed.p_next;
            changed.p_next = (&raw const own).cast();
        } else {
            match Copied::new(changed.p_next, edits) {
                Ok(copied) => chain = copied,
                Err(unknown) => device.fault(format_args!(
                    "cannot add device addresses to memory: its flags follow a structure of type {unknown:?}"
                )),
            }
            if let Some(flags) = chain.copy::<Flags>() {
                flags.flags |= addressed;
            }
            changed.p_next = chain.first();
        }
        next(device.handle, &raw const changed, allocator, memory)
    }
}

/// Stores the SPIR-V of a module, if captures or recipes need it.
pub(crate) fn keep_module(device: &Device, module: vk::ShaderModule, words: &[u32]) {
    let emulator = device.emulator.get().filter(|emulator| emulator.keeps(words));
    if emulator.is_none() && device.recipes.is_none() {
        return;
    }
    let words: Arc<[u32]> = words.into();
    if let Some(recipes) = &device.recipes {
        recipes.keep(module, Arc::clone(&words));
    }
    if let Some(emulator) = emulator {
        emulator.modules.insert(module.as_raw(), Box::new(words));
    }
}

pub(crate) unsafe extern "system" fn destroy_shader_module(
    device: vk::Device,
    module: vk::ShaderModule,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return };
        if let Some(recipes) = &device.recipes {
            recipes.forget(module);
        }
        if let Some(emulator) = device.emulator.get() {
            emulator.modules.remove(module.as_raw());
        }
        if let Some(next) = device.next.destroy_shader_module {
            next(device.handle, module, allocator);
        }
    }
}

pub(crate) unsafe extern "system" fn destroy_pipeline(
    device: vk::Device,
    pipeline: vk::Pipeline,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return };
        let known = device.emulator.get().and_then(|one| one.pipelines.remove(pipeline.as_raw()));
        if let Some(known) = &known {
            known.destroy(device);
        }
        if let Some(next) = device.next.destroy_pipeline {
            next(device.handle, pipeline, allocator);
        }
        // SwiftShader's pipelines use their layout until they are destroyed. A layout that the application destroyed
        // earlier is therefore destroyed with its last pipeline.
        drop(known);
    }
}
