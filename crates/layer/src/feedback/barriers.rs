//! Barriers, also those of events: the layer replaces the extension's stages and accesses by those of the emulation.

use super::masks::{Reach, accesses, accesses_2, stages, stages_2};
use crate::device::Device;
use crate::settings::slice;
use ash::vk;

/// A structure with stage or access masks that appears in a constant array.
pub(super) trait Masked: Copy {
    /// The parameters of the command that the masks depend on: the stages, if the structure does not contain them.
    type Around: Copy;

    /// Returns the structure with the extension's bits replaced.
    fn mapped(self, around: Self::Around) -> Self;

    fn is_like(&self, other: &Self) -> bool;
}

/// An array of structures, or a changed copy if any structure changes.
pub(super) struct Mapped<T> {
    original: *const T,
    changed: Vec<T>,
}

impl<T: Masked> Mapped<T> {
    /// # Safety
    ///
    /// `first` points to `count` structures, which live for as long as the result is used.
    pub(super) unsafe fn new(first: *const T, count: u32, around: T::Around) -> Self {
        // SAFETY: guaranteed by the caller.
        let all = unsafe { slice(first, count) };
        let changes = all.iter().any(|one| !one.mapped(around).is_like(one));
        let changed = match changes {
            true => all.iter().map(|one| one.mapped(around)).collect(),
            false => Vec::new(),
        };
        Self { original: first, changed }
    }

    pub(super) fn as_ptr(&self) -> *const T {
        if self.changed.is_empty() { self.original } else { self.changed.as_ptr() }
    }
}

/// The reach, and the stages before and after a barrier.
pub(super) type Stages = (Reach, vk::PipelineStageFlags, vk::PipelineStageFlags);

macro_rules! masked {
    ($($Older:ident)* | $($Newer:ident)*) => {
        $(impl Masked for vk::$Older<'_> {
            type Around = Stages;

            fn mapped(mut self, (reach, src, dst): Stages) -> Self {
                self.src_access_mask = accesses(reach, src, self.src_access_mask);
                self.dst_access_mask = accesses(reach, dst, self.dst_access_mask);
                self
            }

            fn is_like(&self, other: &Self) -> bool {
                (self.src_access_mask, self.dst_access_mask)
                    == (other.src_access_mask, other.dst_access_mask)
            }
        })*
        $(impl Masked for vk::$Newer<'_> {
            type Around = Reach;

            fn mapped(mut self, reach: Reach) -> Self {
                self.src_access_mask = accesses_2(reach, self.src_stage_mask, self.src_access_mask);
                self.dst_access_mask = accesses_2(reach, self.dst_stage_mask, self.dst_access_mask);
                self.src_stage_mask = stages_2(reach, self.src_stage_mask);
                self.dst_stage_mask = stages_2(reach, self.dst_stage_mask);
                self
            }

            fn is_like(&self, other: &Self) -> bool {
                let masks = |one: &Self| (
                    (one.src_stage_mask, one.src_access_mask),
                    (one.dst_stage_mask, one.dst_access_mask),
                );
                masks(self) == masks(other)
            }
        })*
    };
}

masked! {
    MemoryBarrier BufferMemoryBarrier ImageMemoryBarrier
    | MemoryBarrier2 BufferMemoryBarrier2 ImageMemoryBarrier2
}

pub(super) struct Dependency<'d> {
    info: vk::DependencyInfo<'d>,
    // The arrays that the structure points to.
    _memory: Mapped<vk::MemoryBarrier2<'d>>,
    _buffers: Mapped<vk::BufferMemoryBarrier2<'d>>,
    _images: Mapped<vk::ImageMemoryBarrier2<'d>>,
}

impl<'d> Dependency<'d> {
    /// # Safety
    ///
    /// The structure is valid, and its arrays live for as long as the result is used.
    pub(super) unsafe fn new(info: &vk::DependencyInfo<'d>, reach: Reach) -> Self {
        let mut info = *info;
        // SAFETY: guaranteed by the caller.
        let (memory, buffers, images) = unsafe {
            (
                Mapped::new(info.p_memory_barriers, info.memory_barrier_count, reach),
                Mapped::new(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count, reach),
                Mapped::new(info.p_image_memory_barriers, info.image_memory_barrier_count, reach),
            )
        };
        info.p_memory_barriers = memory.as_ptr();
        info.p_buffer_memory_barriers = buffers.as_ptr();
        info.p_image_memory_barriers = images.as_ptr();
        Self { info, _memory: memory, _buffers: buffers, _images: images }
    }

    pub(super) fn info(&self) -> &vk::DependencyInfo<'d> {
        &self.info
    }
}

/// Defines the commands with 32-bit masks. They have other parameters before and after the stages.
macro_rules! barrier_commands {
    ($($name:ident($($before:ident: $Before:ty),*; $($after:ident: $After:ty),*);)*) => {
        $(pub(crate) unsafe extern "system" fn $name(
            commands: vk::CommandBuffer,
            $($before: $Before,)*
            src: vk::PipelineStageFlags,
            dst: vk::PipelineStageFlags,
            $($after: $After,)*
            memory_count: u32,
            memory: *const vk::MemoryBarrier<'_>,
            buffer_count: u32,
            buffers: *const vk::BufferMemoryBarrier<'_>,
            image_count: u32,
            images: *const vk::ImageMemoryBarrier<'_>,
        ) {
            // SAFETY: the caller passes arguments that Vulkan allows.
            unsafe {
                let Some(device) = Device::of(commands) else { return };
                let Some(next) = device.next.$name else { return };
                let next = |src, dst, memory, buffers, images| next(
                    commands, $($before,)* src, dst, $($after,)*
                    memory_count, memory, buffer_count, buffers, image_count, images,
                );
                if !device.has_feedback {
                    return next(src, dst, memory, buffers, images);
                }
                // Replace the extension's masks in all barriers.
                let reach = Reach::of(device, commands);
                let memory = Mapped::new(memory, memory_count, (reach, src, dst));
                let buffers = Mapped::new(buffers, buffer_count, (reach, src, dst));
                let images = Mapped::new(images, image_count, (reach, src, dst));
                let (src, dst) = (stages(reach, src), stages(reach, dst));
                next(src, dst, memory.as_ptr(), buffers.as_ptr(), images.as_ptr());
            }
        })*
    };
}

barrier_commands! {
    cmd_pipeline_barrier(; flags: vk::DependencyFlags);
    cmd_wait_events(event_count: u32, events: *const vk::Event;);
}

pub(crate) unsafe extern "system" fn cmd_pipeline_barrier_2(
    commands: vk::CommandBuffer,
    dependency: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(device) = Device::of(commands) else { return };
        let Some(next) = device.next.cmd_pipeline_barrier_2 else { return };
        if !device.has_feedback {
            return next(commands, dependency);
        }
        let dependency = Dependency::new(&*dependency, Reach::of(device, commands));
        next(commands, dependency.info());
    }
}
