//! lavapipe, with a log of the barriers and provoking vertex modes that reach it.

use crate::below::above_lavapipe;
use ash::vk;
use std::sync::{Mutex, PoisonError};

/// The stages of a barrier, and the source accesses of its first memory barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Barrier {
    pub(super) src: vk::PipelineStageFlags,
    pub(super) written: vk::AccessFlags,
    pub(super) dst: vk::PipelineStageFlags,
}

static BARRIERS: Mutex<Vec<Barrier>> = Mutex::new(Vec::new());

/// Returns the barriers since the last call.
pub(super) fn barriers() -> Vec<Barrier> {
    std::mem::take(&mut *BARRIERS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The provoking vertex modes of the created pipelines.
static MODES: Mutex<Vec<vk::ProvokingVertexModeEXT>> = Mutex::new(Vec::new());

/// Returns the provoking vertex modes of the pipelines created since the last call.
pub(super) fn provoking_modes() -> Vec<vk::ProvokingVertexModeEXT> {
    std::mem::take(&mut *MODES.lock().unwrap_or_else(PoisonError::into_inner))
}

above_lavapipe! {
    of_instance {}
    of_device {
        b"vkCreateGraphicsPipelines" => create_graphics_pipelines as PFN_vkCreateGraphicsPipelines,
        b"vkCmdPipelineBarrier" => barrier as PFN_vkCmdPipelineBarrier,
    }
}

unsafe extern "system" fn create_graphics_pipelines(
    of: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    type Provoking<'p> = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'p>;
    // SAFETY: the caller passes arguments that Vulkan allows; no other structure extends the rasterization state.
    unsafe {
        let provoking = (*(*infos).p_rasterization_state).p_next.cast::<Provoking<'_>>();
        let mode = provoking.as_ref().map(|one| one.provoking_vertex_mode).unwrap_or_default();
        MODES.lock().unwrap_or_else(PoisonError::into_inner).push(mode);
        let next = BELOW.device().fp_v1_0().create_graphics_pipelines;
        next(of, cache, count, infos, allocator, pipelines)
    }
}

unsafe extern "system" fn barrier(
    commands: vk::CommandBuffer,
    src: vk::PipelineStageFlags,
    dst: vk::PipelineStageFlags,
    flags: vk::DependencyFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let written = memory.as_ref().map(|one| one.src_access_mask).unwrap_or_default();
        let noted = Barrier { src, written, dst };
        BARRIERS.lock().unwrap_or_else(PoisonError::into_inner).push(noted);
        (BELOW.device().fp_v1_0().cmd_pipeline_barrier)(
            commands,
            src,
            dst,
            flags,
            memory_count,
            memory,
            buffer_count,
            buffers,
            image_count,
            images,
        );
    }
}
