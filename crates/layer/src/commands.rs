//! The commands of the next layer or driver that the layer calls.

use std::ffi::CStr;

/// The types of commands: the types of `ash`, and some newer types.
#[expect(non_camel_case_types, reason = "the names are Vulkan's")]
pub(crate) mod pfn {
    pub(crate) use ash::vk::*;

    pub(crate) type PFN_vkCmdBindIndexBuffer2 = PFN_vkCmdBindIndexBuffer2KHR;
    pub(crate) type PFN_vkCmdPushConstants2 = PFN_vkCmdPushConstants2KHR;
    pub(crate) type PFN_vkCmdEndRendering2KHR =
        unsafe extern "system" fn(CommandBuffer, *const std::ffi::c_void);
}

/// An untyped command.
pub(crate) type Command = unsafe extern "system" fn();

/// Casts a command to its type.
///
/// # Safety
///
/// The command is of this type.
pub(crate) unsafe fn typed<Pfn>(command: Command) -> Pfn {
    const { assert!(size_of::<Pfn>() == size_of::<Command>()) };
    // SAFETY: guaranteed by the caller.
    unsafe { std::mem::transmute_copy(&command) }
}

/// Returns the name of a command, given the name of its type with a trailing NUL.
const fn name(pfn: &'static str) -> &'static CStr {
    let (_, name) = pfn.as_bytes().split_at("PFN_".len());
    match CStr::from_bytes_with_nul(name) {
        Ok(name) => name,
        Err(_) => panic!("the only 0 is at the end"),
    }
}

macro_rules! commands {
    ($(#[$doc:meta])* $Table:ident { $($field:ident: $Pfn:ident $(| $alias:literal)*,)* }) => {
        $(#[$doc])*
        pub(crate) struct $Table {
            $(pub(crate) $field: Option<pfn::$Pfn>,)*
        }

        impl $Table {
            /// Finds the commands by any of their names.
            ///
            /// # Safety
            ///
            /// `find` returns the command with the given name, or null.
            pub(crate) unsafe fn load(find: impl Fn(&CStr) -> pfn::PFN_vkVoidFunction) -> Self {
                Self {
                    $($field: {
                        let own = const { name(concat!(stringify!($Pfn), "\0")) };
                        let found = [own, $($alias),*].into_iter().find_map(&find);
                        // SAFETY: the command of this name has this type.
                        found.map(|found| unsafe { typed(found) })
                    },)*
                }
            }
        }
    };
}

commands! {
    /// Commands of instances and of physical devices.
    InstanceCommands {
        destroy_instance: PFN_vkDestroyInstance,
        enumerate_device_extension_properties: PFN_vkEnumerateDeviceExtensionProperties,
        get_features: PFN_vkGetPhysicalDeviceFeatures,
        get_features_2: PFN_vkGetPhysicalDeviceFeatures2 | c"vkGetPhysicalDeviceFeatures2KHR",
        get_properties_2: PFN_vkGetPhysicalDeviceProperties2 | c"vkGetPhysicalDeviceProperties2KHR",
        get_memory_properties: PFN_vkGetPhysicalDeviceMemoryProperties,
        get_properties: PFN_vkGetPhysicalDeviceProperties,
        get_external_buffer_properties: PFN_vkGetPhysicalDeviceExternalBufferProperties
            | c"vkGetPhysicalDeviceExternalBufferPropertiesKHR",
    }
}

commands! {
    /// Commands of devices.
    DeviceCommands {
        create_semaphore: PFN_vkCreateSemaphore,
        destroy_semaphore: PFN_vkDestroySemaphore,
        wait_semaphores: PFN_vkWaitSemaphores | c"vkWaitSemaphoresKHR",
        queue_wait_idle: PFN_vkQueueWaitIdle,
        destroy_device: PFN_vkDestroyDevice,
        allocate_memory: PFN_vkAllocateMemory,
        free_memory: PFN_vkFreeMemory,
        map_memory: PFN_vkMapMemory,
        bind_buffer_memory: PFN_vkBindBufferMemory,
        destroy_buffer: PFN_vkDestroyBuffer,
        get_buffer_memory_requirements: PFN_vkGetBufferMemoryRequirements,
        get_buffer_device_address: PFN_vkGetBufferDeviceAddress | c"vkGetBufferDeviceAddressKHR",
        create_pipeline_layout: PFN_vkCreatePipelineLayout,
        destroy_pipeline_layout: PFN_vkDestroyPipelineLayout,
        destroy_pipeline: PFN_vkDestroyPipeline,
        destroy_shader_module: PFN_vkDestroyShaderModule,
        allocate_command_buffers: PFN_vkAllocateCommandBuffers,
        free_command_buffers: PFN_vkFreeCommandBuffers,
        begin_command_buffer: PFN_vkBeginCommandBuffer,
        end_command_buffer: PFN_vkEndCommandBuffer,
        reset_command_buffer: PFN_vkResetCommandBuffer,
        reset_command_pool: PFN_vkResetCommandPool,
        destroy_command_pool: PFN_vkDestroyCommandPool,
        cmd_bind_pipeline: PFN_vkCmdBindPipeline,
        cmd_bind_vertex_buffers: PFN_vkCmdBindVertexBuffers,
        cmd_bind_vertex_buffers_2: PFN_vkCmdBindVertexBuffers2 | c"vkCmdBindVertexBuffers2EXT",
        cmd_bind_index_buffer: PFN_vkCmdBindIndexBuffer,
        cmd_bind_index_buffer_2: PFN_vkCmdBindIndexBuffer2 | c"vkCmdBindIndexBuffer2KHR",
        cmd_push_constants: PFN_vkCmdPushConstants,
        cmd_push_constants_2: PFN_vkCmdPushConstants2 | c"vkCmdPushConstants2KHR",
        cmd_draw: PFN_vkCmdDraw,
        cmd_draw_indexed: PFN_vkCmdDrawIndexed,
        cmd_draw_indirect: PFN_vkCmdDrawIndirect,
        cmd_draw_indexed_indirect: PFN_vkCmdDrawIndexedIndirect,
        cmd_draw_indirect_count: PFN_vkCmdDrawIndirectCount
            | c"vkCmdDrawIndirectCountKHR" | c"vkCmdDrawIndirectCountAMD",
        cmd_draw_indexed_indirect_count: PFN_vkCmdDrawIndexedIndirectCount
            | c"vkCmdDrawIndexedIndirectCountKHR" | c"vkCmdDrawIndexedIndirectCountAMD",
        cmd_draw_multi: PFN_vkCmdDrawMultiEXT,
        cmd_draw_multi_indexed: PFN_vkCmdDrawMultiIndexedEXT,
        cmd_set_primitive_topology: PFN_vkCmdSetPrimitiveTopology | c"vkCmdSetPrimitiveTopologyEXT",
        cmd_set_rasterizer_discard_enable: PFN_vkCmdSetRasterizerDiscardEnable | c"vkCmdSetRasterizerDiscardEnableEXT",
        cmd_set_primitive_restart_enable: PFN_vkCmdSetPrimitiveRestartEnable | c"vkCmdSetPrimitiveRestartEnableEXT",
        cmd_set_provoking_vertex_mode: PFN_vkCmdSetProvokingVertexModeEXT,
        cmd_set_vertex_input: PFN_vkCmdSetVertexInputEXT,
        cmd_begin_render_pass: PFN_vkCmdBeginRenderPass,
        cmd_begin_render_pass_2: PFN_vkCmdBeginRenderPass2 | c"vkCmdBeginRenderPass2KHR",
        cmd_next_subpass: PFN_vkCmdNextSubpass,
        cmd_next_subpass_2: PFN_vkCmdNextSubpass2 | c"vkCmdNextSubpass2KHR",
        cmd_end_render_pass: PFN_vkCmdEndRenderPass,
        cmd_end_render_pass_2: PFN_vkCmdEndRenderPass2 | c"vkCmdEndRenderPass2KHR",
        cmd_begin_rendering: PFN_vkCmdBeginRendering | c"vkCmdBeginRenderingKHR",
        cmd_end_rendering: PFN_vkCmdEndRendering | c"vkCmdEndRenderingKHR",
        cmd_end_rendering_2: PFN_vkCmdEndRendering2KHR | c"vkCmdEndRendering2EXT",
        cmd_execute_commands: PFN_vkCmdExecuteCommands,
        cmd_begin_conditional_rendering: PFN_vkCmdBeginConditionalRenderingEXT,
        cmd_end_conditional_rendering: PFN_vkCmdEndConditionalRenderingEXT,
        cmd_dispatch: PFN_vkCmdDispatch,
        cmd_dispatch_indirect: PFN_vkCmdDispatchIndirect,
        cmd_fill_buffer: PFN_vkCmdFillBuffer,
        cmd_copy_buffer: PFN_vkCmdCopyBuffer,
        cmd_reset_query_pool: PFN_vkCmdResetQueryPool,
        reset_query_pool: PFN_vkResetQueryPool | c"vkResetQueryPoolEXT",
        cmd_pipeline_barrier: PFN_vkCmdPipelineBarrier,
        cmd_pipeline_barrier_2: PFN_vkCmdPipelineBarrier2 | c"vkCmdPipelineBarrier2KHR",
        cmd_set_event: PFN_vkCmdSetEvent,
        cmd_reset_event: PFN_vkCmdResetEvent,
        cmd_wait_events: PFN_vkCmdWaitEvents,
        cmd_set_event_2: PFN_vkCmdSetEvent2 | c"vkCmdSetEvent2KHR",
        cmd_reset_event_2: PFN_vkCmdResetEvent2 | c"vkCmdResetEvent2KHR",
        cmd_wait_events_2: PFN_vkCmdWaitEvents2 | c"vkCmdWaitEvents2KHR",
        cmd_write_timestamp: PFN_vkCmdWriteTimestamp,
        cmd_write_timestamp_2: PFN_vkCmdWriteTimestamp2 | c"vkCmdWriteTimestamp2KHR",
        cmd_write_buffer_marker: PFN_vkCmdWriteBufferMarkerAMD,
        cmd_write_buffer_marker_2: PFN_vkCmdWriteBufferMarker2AMD,
        queue_submit: PFN_vkQueueSubmit,
        queue_submit_2: PFN_vkQueueSubmit2 | c"vkQueueSubmit2KHR",
        create_render_pass: PFN_vkCreateRenderPass,
        create_render_pass_2: PFN_vkCreateRenderPass2 | c"vkCreateRenderPass2KHR",
        destroy_render_pass: PFN_vkDestroyRenderPass,
        create_buffer: PFN_vkCreateBuffer,
        get_device_buffer_memory_requirements: PFN_vkGetDeviceBufferMemoryRequirements
            | c"vkGetDeviceBufferMemoryRequirementsKHR",
        create_shader_module: PFN_vkCreateShaderModule,
        create_graphics_pipelines: PFN_vkCreateGraphicsPipelines,
        create_compute_pipelines: PFN_vkCreateComputePipelines,
        create_query_pool: PFN_vkCreateQueryPool,
        destroy_query_pool: PFN_vkDestroyQueryPool,
        get_query_pool_results: PFN_vkGetQueryPoolResults,
        cmd_copy_query_pool_results: PFN_vkCmdCopyQueryPoolResults,
        cmd_update_buffer: PFN_vkCmdUpdateBuffer,
        cmd_begin_query: PFN_vkCmdBeginQuery,
        cmd_end_query: PFN_vkCmdEndQuery,
        cmd_begin_query_indexed: PFN_vkCmdBeginQueryIndexedEXT,
        cmd_end_query_indexed: PFN_vkCmdEndQueryIndexedEXT,
        cmd_bind_transform_feedback_buffers: PFN_vkCmdBindTransformFeedbackBuffersEXT,
        cmd_begin_transform_feedback: PFN_vkCmdBeginTransformFeedbackEXT,
        cmd_end_transform_feedback: PFN_vkCmdEndTransformFeedbackEXT,
        cmd_draw_indirect_byte_count: PFN_vkCmdDrawIndirectByteCountEXT,
    }
}
