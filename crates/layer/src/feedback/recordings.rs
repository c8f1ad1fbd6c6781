//! Command buffers: allocation, begin, reset and destruction.

use crate::device::Device;
use crate::emulation::Recorded;
use crate::emulation::recording::{Recording, RenderPassScope, forget};
use crate::pnext::find;
use crate::settings::slice;
use ash::vk::{self, Handle as _};
use std::sync::{Arc, PoisonError};

pub(crate) unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    commands: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.allocate_command_buffers else {
            return vk::Result::ERROR_UNKNOWN;
        };
        let result = next(device.handle, info, commands);
        let Some(emulator) = device.emulator.get() else { return result };
        if result == vk::Result::SUCCESS {
            let made = slice(commands, (*info).command_buffer_count);
            let is_secondary = (*info).level == vk::CommandBufferLevel::SECONDARY;
            for one in made {
                let recording = Recording { is_secondary, ..Recording::default() };
                emulator.recordings.insert(one.as_raw(), Box::new(Recorded::new(recording)));
            }
            let mut pools = emulator.pools.lock().unwrap_or_else(PoisonError::into_inner);
            pools.entry((*info).command_pool).or_default().extend(made);
        }
        result
    }
}

noted_on_device! {
    free_command_buffers(pool: vk::CommandPool, count: u32, commands: *const vk::CommandBuffer) |device, emulator| {
        let freed = slice(commands, count);
        let mut pools = emulator.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = pools.get_mut(&pool) {
            for one in freed {
                all.remove(one);
            }
        }
        drop(pools);
        forget(device, emulator, freed.iter().copied().filter(|one| !one.is_null()));
    };
    destroy_command_pool(pool: vk::CommandPool, allocator: *const vk::AllocationCallbacks<'_>) |device, emulator| {
        let mut pools = emulator.pools.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = pools.remove(&pool);
        drop(pools);
        forget(device, emulator, gone.into_iter().flatten());
    };
}

pub(crate) unsafe extern "system" fn reset_command_pool(
    device: vk::Device,
    pool: vk::CommandPool,
    flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.reset_command_pool else { return vk::Result::ERROR_UNKNOWN };
        if let Some(emulator) = device.emulator.get() {
            let pools = emulator.pools.lock().unwrap_or_else(PoisonError::into_inner);
            for commands in pools.get(&pool).into_iter().flatten() {
                if let Some(recording) = emulator.recording(*commands) {
                    recording.reset(device, emulator);
                }
            }
        }
        next(device.handle, pool, flags)
    }
}

pub(crate) unsafe extern "system" fn reset_command_buffer(
    commands: vk::CommandBuffer,
    flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.reset_command_buffer else {
            return vk::Result::ERROR_UNKNOWN;
        };
        if let Some((emulator, recording)) = device.recording(commands) {
            recording.reset(device, emulator);
        }
        next(commands, flags)
    }
}

pub(crate) unsafe extern "system" fn begin_command_buffer(
    commands: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    type Rendering = vk::CommandBufferInheritanceRenderingInfo<'static>;
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.begin_command_buffer else {
            return vk::Result::ERROR_UNKNOWN;
        };
        if let Some((emulator, recording)) = device.recording(commands) {
            recording.reset(device, emulator);
            // Recordings that may be pending twice need synchronization.
            let flags = (*info).flags;
            recording.is_simultaneous =
                flags.contains(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
            recording.is_shared = recording.is_simultaneous;
            if recording.is_simultaneous && emulator.has_several_queues {
                recording.own = Some(Arc::default());
            }
            // A secondary command buffer inside a pass inherits its scope.
            let inside = flags.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE);
            if recording.is_secondary && inside {
                let inherited = (*info).p_inheritance_info.as_ref();
                recording.scope = match inherited {
                    Some(one) if one.render_pass != vk::RenderPass::null() => {
                        RenderPassScope::Subpass(one.render_pass, one.subpass)
                    }
                    one => {
                        let inherited = one.and_then(|one| find::<Rendering>(one.p_next));
                        let view_mask = inherited.map_or(0, |rendering| (*rendering).view_mask);
                        RenderPassScope::Rendering { view_mask }
                    }
                };
            }
        }
        next(commands, info)
    }
}

pub(crate) unsafe extern "system" fn end_command_buffer(commands: vk::CommandBuffer) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.end_command_buffer else { return vk::Result::ERROR_UNKNOWN };
        if let Some((emulator, recording)) = device.recording(commands) {
            recording.end(device, emulator, commands);
        }
        next(commands)
    }
}
