//! The stages at which submissions wait for and signal semaphores.

use super::masks::{Reach, stages, stages_2};
use crate::device::Device;
use crate::emulation::Emulator;
use crate::emulation::queues;
use crate::emulation::suspended::join;
use crate::settings::slice;
use ash::vk;
use std::sync::atomic::Ordering;

pub(crate) unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(queue) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.queue_submit else { return vk::Result::ERROR_UNKNOWN };
        let all = slice(submits, count);
        // Suspended rendering gets its job list when all of its command buffers are submitted.
        if let Some(emulator) = resuming(device) {
            let batch = |one: &vk::SubmitInfo<'_>| {
                slice(one.p_command_buffers, one.command_buffer_count).to_vec()
            };
            join((device, emulator), queue, all.iter().map(batch));
        }
        // Replace the extension's stages in the wait masks, if there are any.
        let waits =
            |one: &vk::SubmitInfo<'_>| slice(one.p_wait_dst_stage_mask, one.wait_semaphore_count);
        let reach = Reach::whole(device);
        let changes = |mask: &vk::PipelineStageFlags| stages(reach, *mask) != *mask;
        let commands = all
            .iter()
            .flat_map(|one| slice(one.p_command_buffers, one.command_buffer_count).iter().copied());
        if !device.has_feedback || !all.iter().any(|one| waits(one).iter().any(changes)) {
            return in_order(device, queue, commands, || next(queue, count, submits, fence));
        }
        let masks: Vec<Vec<_>> = all
            .iter()
            .map(|one| waits(one).iter().map(|mask| stages(reach, *mask)).collect())
            .collect();
        let mut changed = all.to_vec();
        for (one, masks) in changed.iter_mut().zip(&masks) {
            one.p_wait_dst_stage_mask = masks.as_ptr();
        }
        in_order(device, queue, commands, || next(queue, count, changed.as_ptr(), fence))
    }
}

pub(crate) unsafe extern "system" fn queue_submit_2(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(queue) else { return vk::Result::ERROR_UNKNOWN };
        let Some(next) = device.next.queue_submit_2 else { return vk::Result::ERROR_UNKNOWN };
        let all = slice(submits, count);
        // Suspended rendering gets its job list when all of its command buffers are submitted.
        if let Some(emulator) = resuming(device) {
            let batch = |one: &vk::SubmitInfo2<'_>| {
                let batch = slice(one.p_command_buffer_infos, one.command_buffer_info_count);
                batch.iter().map(|one| one.command_buffer).collect()
            };
            join((device, emulator), queue, all.iter().map(batch));
        }
        // Replace the extension's stages of waits and signals, if there are any.
        let reach = Reach::whole(device);
        let changes =
            |one: &vk::SemaphoreSubmitInfo<'_>| stages_2(reach, one.stage_mask) != one.stage_mask;
        let any = all.iter().flat_map(|one| semaphores(one)).flatten().any(changes);
        let commands = all.iter().flat_map(|one| {
            let infos = slice(one.p_command_buffer_infos, one.command_buffer_info_count);
            infos.iter().map(|one| one.command_buffer)
        });
        if !device.has_feedback || !any {
            return in_order(device, queue, commands, || next(queue, count, submits, fence));
        }
        let mapped: Vec<_> =
            all.iter().map(|one| semaphores(one).map(|list| mapped_stages(reach, list))).collect();
        let mut changed = all.to_vec();
        for (one, [waits, signals]) in changed.iter_mut().zip(&mapped) {
            one.p_wait_semaphore_infos = waits.as_ptr();
            one.p_signal_semaphore_infos = signals.as_ptr();
        }
        in_order(device, queue, commands, || next(queue, count, changed.as_ptr(), fence))
    }
}

/// Submits command buffers after all submissions to other queues that use the same memory of the layer.
///
/// # Safety
///
/// The same requirements as for [`queues::in_order`].
unsafe fn in_order(
    device: &Device,
    queue: vk::Queue,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    submit: impl FnOnce() -> vk::Result,
) -> vk::Result {
    match device.emulator.get().filter(|emulator| emulator.has_several_queues) {
        // SAFETY: guaranteed by the caller.
        Some(emulator) => unsafe { queues::in_order((device, emulator), queue, commands, submit) },
        None => submit(),
    }
}

/// Returns the emulator, if any command buffer resumes rendering that another command buffer began.
fn resuming(device: &Device) -> Option<&Emulator> {
    device.emulator.get().filter(|emulator| emulator.has_resumed.load(Ordering::Relaxed))
}

/// Returns the semaphores that a submission waits for, and the semaphores that it signals.
///
/// # Safety
///
/// The structure is valid, and its arrays live for as long as the result is used.
unsafe fn semaphores<'s>(submit: &vk::SubmitInfo2<'s>) -> [&'s [vk::SemaphoreSubmitInfo<'s>]; 2] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        [
            slice(submit.p_wait_semaphore_infos, submit.wait_semaphore_info_count),
            slice(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count),
        ]
    }
}

fn mapped_stages<'s>(
    reach: Reach,
    list: &[vk::SemaphoreSubmitInfo<'s>],
) -> Vec<vk::SemaphoreSubmitInfo<'s>> {
    list.iter().map(|one| one.stage_mask(stages_2(reach, one.stage_mask))).collect()
}
