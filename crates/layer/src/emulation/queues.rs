//! Recordings that may be pending on several queues at once.
//!
//! Each recording has one copy of its draw parameters, and the counter pass writes this copy at each submission. On a
//! single queue, a barrier separates two submissions. If a recording was last submitted to another queue, the new
//! submission waits for that queue's timeline semaphore, which counts such submissions.

use crate::driver::Driver;
use crate::emulation::Emulator;
use crate::emulation::jobs::LOST;
use ash::vk::{self, PipelineStageFlags as Stage};
use std::sync::{Arc, Mutex, PoisonError};

/// The last use of memory: the semaphore and the value at which the memory is free again.
#[derive(Default)]
pub(crate) struct Use(Mutex<Option<Time>>);

#[derive(Clone, Copy, PartialEq)]
struct Time {
    semaphore: vk::Semaphore,
    value: u64,
}

/// The queues to which recordings that may be pending twice are submitted.
#[derive(Default)]
pub(crate) struct Queues(Mutex<Vec<(vk::Queue, Time)>>);

/// Submits command buffers after all submissions to other queues that use the same memory.
///
/// # Safety
///
/// The queue and the command buffers are alive and externally synchronized, and `submit` submits them to the queue.
pub(crate) unsafe fn in_order(
    (device, emulator): (&Driver, &Emulator),
    queue: vk::Queue,
    commands: impl Iterator<Item = vk::CommandBuffer>,
    submit: impl FnOnce() -> vk::Result,
) -> vk::Result {
    // SAFETY: guaranteed by the caller.
    let recordings = commands.filter_map(|one| unsafe { emulator.recording(one) });
    let uses: Vec<Arc<Use>> = recordings.flat_map(|one| one.uses.iter().cloned()).collect();
    if uses.is_empty() {
        return submit();
    }
    // The lock is held until the submission is complete, because later submissions wait for its semaphore value.
    let mut queues = emulator.queues.0.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut done = match time(device, &mut queues, queue) {
            Ok(time) => time,
            Err(error) => return error,
        };
        let mut waits: Vec<Time> = Vec::new();
        for one in &uses {
            let before = *one.0.lock().unwrap_or_else(PoisonError::into_inner);
            waits.extend(before.filter(|before| before.semaphore != done.semaphore));
        }
        if !waits.is_empty() {
            let result = synchronize(device, queue, (&waits, &[]));
            if result != vk::Result::SUCCESS {
                return result;
            }
        }
        let result = submit();
        if result == vk::Result::SUCCESS {
            done.value += 1;
            let result = synchronize(device, queue, (&[], &[done]));
            if result != vk::Result::SUCCESS {
                device.fault(format_args!("cannot signal the end of a submission: {result}"));
                return vk::Result::SUCCESS;
            }
            for (_, time) in queues.iter_mut().filter(|(one, _)| *one == queue) {
                *time = done;
            }
            for one in uses {
                *one.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            }
        }
        result
    }
}

/// Waits until no submission to this queue, or to any queue if the device has several, uses the memory. Returns
/// whether the wait succeeded.
///
/// # Safety
///
/// The queue is alive and externally synchronized.
pub(crate) unsafe fn wait(
    (device, emulator): (&Driver, &Emulator),
    queue: vk::Queue,
    uses: &[Arc<Use>],
) -> bool {
    if !emulator.has_several_queues {
        let wait = device.next.queue_wait_idle;
        // SAFETY: guaranteed by the caller.
        return wait.is_some_and(|wait| unsafe { wait(queue) } == vk::Result::SUCCESS);
    }
    uses.iter().all(|one| {
        let last = *one.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Time { semaphore, value }) = last else { return true };
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let wait = |wait: vk::PFN_vkWaitSemaphores| {
            // SAFETY: the semaphore lives as long as the device.
            unsafe { wait(device.handle, &raw const info, u64::MAX) }
        };
        device.next.wait_semaphores.map(wait) == Some(vk::Result::SUCCESS)
    })
}

/// Returns a queue's semaphore and its last value, and creates the semaphore at the first call.
fn time(
    device: &Driver,
    queues: &mut Vec<(vk::Queue, Time)>,
    queue: vk::Queue,
) -> Result<Time, vk::Result> {
    if let Some((_, time)) = queues.iter().find(|(one, _)| *one == queue) {
        return Ok(*time);
    }
    let mut kind =
        vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    let create = device.next.create_semaphore.ok_or(LOST)?;
    let mut semaphore = vk::Semaphore::null();
    // SAFETY: the structures are valid, and the feature is enabled.
    unsafe {
        create(device.handle, &raw const info, std::ptr::null(), &raw mut semaphore).result()?;
    }
    let time = Time { semaphore, value: 0 };
    queues.push((queue, time));
    Ok(time)
}

/// Submits only semaphore operations: waits for all later submissions, or signals after all earlier submissions.
unsafe fn synchronize(
    device: &Driver,
    queue: vk::Queue,
    (waits, signals): (&[Time], &[Time]),
) -> vk::Result {
    let parts = |times: &[Time]| -> (Vec<vk::Semaphore>, Vec<u64>) {
        times.iter().map(|time| (time.semaphore, time.value)).unzip()
    };
    let ((waits, wait_values), (signals, signal_values)) = (parts(waits), parts(signals));
    let stages = vec![Stage::ALL_COMMANDS; waits.len()];
    let mut values = vk::TimelineSemaphoreSubmitInfo::default()
        .wait_semaphore_values(&wait_values)
        .signal_semaphore_values(&signal_values);
    let submit = vk::SubmitInfo::default()
        .wait_semaphores(&waits)
        .wait_dst_stage_mask(&stages)
        .signal_semaphores(&signals)
        .push_next(&mut values);
    let Some(next) = device.next.queue_submit else { return LOST };
    // SAFETY: guaranteed by the caller.
    unsafe { next(queue, 1, &raw const submit, vk::Fence::null()) }
}

impl Queues {
    /// Destroys the semaphores. No submission may wait for them.
    pub(super) fn destroy(&self, device: &Driver) {
        let queues = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(destroy) = device.next.destroy_semaphore else { return };
        for (_, time) in queues {
            // SAFETY: the device is idle.
            unsafe { destroy(device.handle, time.semaphore, std::ptr::null()) };
        }
    }
}
