//! A driver that is newer than the tested drivers: lavapipe with names, structures and flags of Vulkan 1.4 and of
//! later extensions. Its memory is not initialized to zero.

use crate::below::above_lavapipe;
use crate::made_up::types;
use ash::vk::{self, TaggedStructure as _};
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, PoisonError};

above_lavapipe! {
    of_instance {
        b"vkGetPhysicalDeviceProperties" => properties as PFN_vkGetPhysicalDeviceProperties,
        b"vkGetPhysicalDeviceProperties2" => properties_2 as PFN_vkGetPhysicalDeviceProperties2,
        b"vkEnumerateDeviceExtensionProperties" => extensions as PFN_vkEnumerateDeviceExtensionProperties,
        b"vkCreateDevice" => create_device as PFN_vkCreateDevice,
    }
    of_device {
        b"vkAllocateMemory" => allocate_memory as PFN_vkAllocateMemory,
        b"vkCreateBuffer" => create_buffer as PFN_vkCreateBuffer,
        b"vkCreateQueryPool" => create_query_pool as PFN_vkCreateQueryPool,
        b"vkCreateGraphicsPipelines" => create_graphics_pipelines as PFN_vkCreateGraphicsPipelines,
        b"vkDestroyPipeline" => destroy_pipeline as PFN_vkDestroyPipeline,
        b"vkDestroyPipelineLayout" => destroy_pipeline_layout as PFN_vkDestroyPipelineLayout,
        b"vkCmdBindPipeline" => bind_pipeline as PFN_vkCmdBindPipeline,
        b"vkCmdPushConstants2" => push_constants_2 as PFN_vkCmdPushConstants2KHR,
        b"vkCmdPushConstants2KHR" => push_constants_2 as PFN_vkCmdPushConstants2KHR,
        b"vkCmdBindIndexBuffer2" => bind_index_buffer_2 as PFN_vkCmdBindIndexBuffer2KHR,
        b"vkCmdBindIndexBuffer2KHR" => bind_index_buffer_2 as PFN_vkCmdBindIndexBuffer2KHR,
        b"vkCmdEndRendering2KHR" => end_rendering_2 as PFN_vkCmdBeginRendering,
        b"vkCmdEndRendering2EXT" => end_rendering_2 as PFN_vkCmdBeginRendering,
        b"vkCmdDrawTomorrowEXT" => end_rendering_2 as PFN_vkCmdBeginRendering,
    }
}

fn instance() -> &'static ash::Instance {
    BELOW.instance()
}

fn device() -> &'static ash::Device {
    BELOW.device()
}

/// An unknown future version.
pub(super) const VERSION: u32 = vk::make_api_version(0, 1, 5, 7);

/// Extensions in addition to lavapipe's: some that the layer knows, and some that it does not know.
pub(super) const KNOWN: [&CStr; 2] = [c"VK_KHR_maintenance9", c"VK_KHR_maintenance10"];
pub(super) const UNKNOWN: [&CStr; 2] = [c"VK_KHR_device_address_commands", c"VK_EXT_of_tomorrow"];

unsafe extern "system" fn properties(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        (instance().fp_v1_0().get_physical_device_properties)(physical, properties);
        (*properties).api_version = VERSION;
    }
}

unsafe extern "system" fn properties_2(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        (instance().fp_v1_1().get_physical_device_properties2)(physical, properties);
        (*properties).properties.api_version = VERSION;
    }
}

unsafe extern "system" fn extensions(
    physical: vk::PhysicalDevice,
    _: *const c_char,
    count: *mut u32,
    list: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the caller has queried the length first.
    unsafe {
        let all = instance().enumerate_device_extension_properties(physical);
        let mut all = all.expect("extensions are listed");
        for name in KNOWN.into_iter().chain(UNKNOWN) {
            let mut one = vk::ExtensionProperties::default();
            let bytes = name.to_bytes().iter().map(|byte| *byte as c_char);
            one.extension_name.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
            all.push(one);
        }
        *count = all.len() as u32;
        if !list.is_null() {
            list.copy_from(all.as_ptr(), all.len());
        }
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, and the layer chains no features.
    unsafe {
        if let Some(features) = (*info).p_enabled_features.as_ref() {
            assert_eq!(features.draw_indirect_first_instance, vk::TRUE);
        }
        BELOW.create_device(physical, info, allocator, created)
    }
}

unsafe extern "system" fn allocate_memory(
    of: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows; all memory of lavapipe can be mapped.
    unsafe {
        let next = device().fp_v1_0();
        let result = (next.allocate_memory)(of, info, allocator, memory);
        assert_eq!(result, vk::Result::SUCCESS);
        let (size, mut at) = ((*info).allocation_size, std::ptr::null_mut());
        let mapped = (next.map_memory)(of, *memory, 0, size, Default::default(), &raw mut at);
        assert_eq!(mapped, vk::Result::SUCCESS);
        at.cast::<u8>().write_bytes(0x5a, size as usize);
        (next.unmap_memory)(of, *memory);
        result
    }
}

unsafe extern "system" fn create_buffer(
    of: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    buffer: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows; the newer usages are first in the chain.
    unsafe {
        let mut changed = *info;
        let newer = changed.p_next.cast::<vk::BufferUsageFlags2CreateInfoKHR<'_>>().as_ref();
        if let Some(newer) = newer {
            changed.usage = vk::BufferUsageFlags::from_raw(newer.usage.as_raw() as u32);
        }
        (device().fp_v1_0().create_buffer)(of, &raw const changed, allocator, buffer)
    }
}

/// `VK_QUERY_POOL_CREATE_RESET_BIT_KHR`.
pub(super) const RESET: vk::QueryPoolCreateFlags = vk::QueryPoolCreateFlags::from_raw(1);

unsafe extern "system" fn create_query_pool(
    of: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pool: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let changed = (*info).flags(vk::QueryPoolCreateFlags::empty());
        (device().fp_v1_0().create_query_pool)(of, &raw const changed, allocator, pool)
    }
}

/// The flags that all pipelines of the rendering must have, including those of captures.
pub(super) const FLAGS: vk::PipelineCreateFlags =
    vk::PipelineCreateFlags::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
pub(super) static LOCATIONS: [u32; 1] = [vk::ATTACHMENT_UNUSED];

unsafe extern "system" fn create_graphics_pipelines(
    of: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let types = types((*infos).p_next);
        for needed in [
            vk::RenderingAttachmentLocationInfoKHR::STRUCTURE_TYPE,
            vk::RenderingInputAttachmentIndexInfoKHR::STRUCTURE_TYPE,
        ] {
            assert!(types.contains(&needed), "{needed:?} is in {types:?}");
        }
        assert!((*infos).flags.contains(FLAGS));
        let next = device().fp_v1_0().create_graphics_pipelines;
        next(of, cache, count, infos, allocator, pipelines)
    }
}

/// The kind of the last destroyed object.
pub(super) static DESTROYED: Mutex<&str> = Mutex::new("");

/// The pipelines that were bound, in order.
pub(super) static BOUND: Mutex<Vec<vk::Pipeline>> = Mutex::new(Vec::new());

unsafe extern "system" fn bind_pipeline(
    commands: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    if point == vk::PipelineBindPoint::GRAPHICS {
        BOUND.lock().unwrap_or_else(PoisonError::into_inner).push(pipeline);
    }
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { device().cmd_bind_pipeline(commands, point, pipeline) };
}

unsafe extern "system" fn destroy_pipeline(
    of: vk::Device,
    pipeline: vk::Pipeline,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    *DESTROYED.lock().unwrap_or_else(PoisonError::into_inner) = "a pipeline";
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { (device().fp_v1_0().destroy_pipeline)(of, pipeline, allocator) };
}

unsafe extern "system" fn destroy_pipeline_layout(
    of: vk::Device,
    layout: vk::PipelineLayout,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    *DESTROYED.lock().unwrap_or_else(PoisonError::into_inner) = "a layout";
    // SAFETY: as above.
    unsafe { (device().fp_v1_0().destroy_pipeline_layout)(of, layout, allocator) };
}

unsafe extern "system" fn push_constants_2(
    commands: vk::CommandBuffer,
    info: *const vk::PushConstantsInfoKHR<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let vk::PushConstantsInfoKHR { layout, stage_flags, offset, size, p_values, .. } = *info;
        let push = device().fp_v1_0().cmd_push_constants;
        push(commands, layout, stage_flags, offset, size, p_values);
    }
}

unsafe extern "system" fn bind_index_buffer_2(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    _: vk::DeviceSize,
    index_type: vk::IndexType,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { device().cmd_bind_index_buffer(commands, buffer, offset, index_type) };
}

unsafe extern "system" fn end_rendering_2(
    commands: vk::CommandBuffer,
    _: *const vk::RenderingInfo<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { device().cmd_end_rendering(commands) };
}
