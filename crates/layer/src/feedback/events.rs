//! Events, timestamps and markers. The layer also replaces their stages.

use super::barriers::Dependency;
use super::masks::{Reach, stages, stages_2};
use crate::device::Device;
use crate::settings::slice;
use ash::vk;

macro_rules! stage_commands {
    ($(
        $name:ident(
            $($before:ident: $Before:ty),*; $Stages:ty, $map:ident, $reach:path; $($behind:ident: $Behind:ty),*
        );
    )*) => {
        $(pub(crate) unsafe extern "system" fn $name(
            commands: vk::CommandBuffer,
            $($before: $Before,)*
            stage: $Stages,
            $($behind: $Behind,)*
        ) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some(device) = Device::of(commands) else { return };
                let Some(next) = device.next.$name else { return };
                let reach = $reach(device, commands);
                let stage = if device.has_feedback { $map(reach, stage) } else { stage };
                next(commands, $($before,)* stage, $($behind),*);
            }
        })*
    };
}

/// Returns the reach of timestamps and markers, which are written at a single stage.
unsafe fn single(device: &Device, _: vk::CommandBuffer) -> Reach {
    Reach::single(device)
}

stage_commands! {
    cmd_set_event(event: vk::Event; vk::PipelineStageFlags, stages, Reach::of;);
    cmd_reset_event(event: vk::Event; vk::PipelineStageFlags, stages, Reach::of;);
    cmd_reset_event_2(event: vk::Event; vk::PipelineStageFlags2, stages_2, Reach::of;);
    cmd_write_timestamp(; vk::PipelineStageFlags, stages, single; pool: vk::QueryPool, query: u32);
    cmd_write_timestamp_2(
        ; vk::PipelineStageFlags2, stages_2, single; pool: vk::QueryPool, query: u32
    );
    cmd_write_buffer_marker(
        ; vk::PipelineStageFlags, stages, single; buffer: vk::Buffer, offset: vk::DeviceSize, marker: u32
    );
    cmd_write_buffer_marker_2(
        ; vk::PipelineStageFlags2, stages_2, single; buffer: vk::Buffer, offset: vk::DeviceSize, marker: u32
    );
}

pub(crate) unsafe extern "system" fn cmd_set_event_2(
    commands: vk::CommandBuffer,
    event: vk::Event,
    dependency: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        let Some(next) = device.next.cmd_set_event_2 else { return };
        if !device.has_feedback {
            return next(commands, event, dependency);
        }
        let dependency = Dependency::new(&*dependency, Reach::of(device, commands));
        next(commands, event, dependency.info());
    }
}

pub(crate) unsafe extern "system" fn cmd_wait_events_2(
    commands: vk::CommandBuffer,
    count: u32,
    events: *const vk::Event,
    dependencies: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        let Some(next) = device.next.cmd_wait_events_2 else { return };
        if !device.has_feedback {
            return next(commands, count, events, dependencies);
        }
        let all = slice(dependencies, count);
        let reach = Reach::of(device, commands);
        let mapped: Vec<_> = all.iter().map(|one| Dependency::new(one, reach)).collect();
        let infos: Vec<_> = mapped.iter().map(|one| *one.info()).collect();
        next(commands, count, events, infos.as_ptr());
    }
}
