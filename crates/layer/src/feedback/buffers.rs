//! Buffers: the buffers of captures and of their counters become storage buffers.

use crate::device::Device;
use crate::pnext::Copied;
use crate::usages::{self, usage, usage_chain};
use ash::vk::{self, Handle as _};
use std::sync::atomic::Ordering;

/// The usages of buffers that captures write to.
const OF_CAPTURES: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT.as_raw()
        | vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT.as_raw(),
);

pub(crate) unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    buffer: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.create_buffer else { return vk::Result::ERROR_UNKNOWN };
        if !device.has_feedback {
            return next(device.handle, info, allocator, buffer);
        }
        // Captures need buffers that are completely bound to memory.
        let used = usages::of(&*info);
        let sparse = (*info).flags.contains(vk::BufferCreateFlags::SPARSE_BINDING);
        if sparse && used.intersects(OF_CAPTURES) && device.emulator.get().is_some() {
            device.fault(format_args!(
                "a sparse buffer for captures is refused: captures need all of its memory"
            ));
            return vk::Result::ERROR_UNKNOWN;
        }
        let (changed, _chain) = map(device, &*info);
        let result = next(device.handle, &raw const changed, allocator, buffer);
        // From now on, render passes need lists of jobs.
        if let Some(emulator) = device.emulator.get()
            && used.intersects(OF_CAPTURES)
        {
            emulator.may_capture.store(true, Ordering::Relaxed);
        }
        // Captures look up the sizes of buffers with addresses.
        if let Some(emulator) = device.emulator.get()
            && result == vk::Result::SUCCESS
            && usage(used, true).contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS)
        {
            emulator.buffers.insert((*buffer).as_raw(), Box::new((*info).size));
        }
        result
    }
}

pub(crate) unsafe extern "system" fn get_device_buffer_memory_requirements(
    device: vk::Device,
    info: *const vk::DeviceBufferMemoryRequirements<'_>,
    requirements: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(device) else { return };
        let Some(next) = device.next.get_device_buffer_memory_requirements else { return };
        if !device.has_feedback {
            return next(device.handle, info, requirements);
        }
        let (buffer, _chain) = map(device, &*(*info).p_create_info);
        let mut changed = *info;
        changed.p_create_info = &raw const buffer;
        next(device.handle, &raw const changed, requirements);
    }
}

/// Returns the create info for the driver, and the chain that it points to.
///
/// # Safety
///
/// The structure is valid, and its chain lives for as long as the result is used.
unsafe fn map<'b>(
    device: &Device,
    info: &vk::BufferCreateInfo<'b>,
) -> (vk::BufferCreateInfo<'b>, Copied) {
    let mut changed = *info;
    let addresses = device.emulator.get().is_some();
    changed.usage = usage(changed.usage, addresses);
    // SAFETY: guaranteed by the caller.
    let chain = unsafe { usage_chain(changed.p_next, addresses, &device.log) };
    changed.p_next = chain.first();
    (changed, chain)
}
