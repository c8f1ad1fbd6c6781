//! The commands of whatever is below the layer, as far as the layer calls them.

use std::ffi::CStr;

/// The types of commands: those of `ash`, and of newer ones.
pub(crate) mod pfn {
    pub(crate) use ash::vk::*;

    #[expect(non_camel_case_types, reason = "the name is Vulkan's")]
    pub(crate) type PFN_vkCmdEndRendering2KHR =
        unsafe extern "system" fn(CommandBuffer, *const std::ffi::c_void);
}

macro_rules! commands {
    ($(#[$doc:meta])* $Table:ident { $($field:ident: $Pfn:ident = $($name:literal)|+,)* }) => {
        $(#[$doc])*
        pub(crate) struct $Table {
            $(pub(crate) $field: Option<pfn::$Pfn>,)*
        }

        impl $Table {
            /// Finds the commands, by any of their names.
            ///
            /// # Safety
            ///
            /// `find` gives the command that has the name, or nothing.
            pub(crate) unsafe fn load(find: impl Fn(&CStr) -> pfn::PFN_vkVoidFunction) -> Self {
                Self {
                    $($field: {
                        let found = [$($name),+].into_iter().find_map(&find);
                        // SAFETY: the command of this name is of this type.
                        found.map(|found| unsafe {
                            std::mem::transmute::<unsafe extern "system" fn(), pfn::$Pfn>(found)
                        })
                    },)*
                }
            }
        }
    };
}

commands! {
    /// Commands of instances and of physical devices.
    InstanceCommands {
        destroy_instance: PFN_vkDestroyInstance = c"vkDestroyInstance",
        enumerate_device_extension_properties: PFN_vkEnumerateDeviceExtensionProperties =
            c"vkEnumerateDeviceExtensionProperties",
        get_features: PFN_vkGetPhysicalDeviceFeatures = c"vkGetPhysicalDeviceFeatures",
        get_features_2: PFN_vkGetPhysicalDeviceFeatures2 =
            c"vkGetPhysicalDeviceFeatures2" | c"vkGetPhysicalDeviceFeatures2KHR",
        get_properties_2: PFN_vkGetPhysicalDeviceProperties2 =
            c"vkGetPhysicalDeviceProperties2" | c"vkGetPhysicalDeviceProperties2KHR",
        get_memory_properties: PFN_vkGetPhysicalDeviceMemoryProperties =
            c"vkGetPhysicalDeviceMemoryProperties",
        get_properties: PFN_vkGetPhysicalDeviceProperties = c"vkGetPhysicalDeviceProperties",
        get_external_buffer_properties: PFN_vkGetPhysicalDeviceExternalBufferProperties =
            c"vkGetPhysicalDeviceExternalBufferProperties" | c"vkGetPhysicalDeviceExternalBufferPropertiesKHR",
    }
}

commands! {
    /// Commands that hand out what belongs to an instance, or end it.
    InstanceHandles {
        destroy_instance: PFN_vkDestroyInstance = c"vkDestroyInstance",
        enumerate_physical_devices: PFN_vkEnumeratePhysicalDevices = c"vkEnumeratePhysicalDevices",
        enumerate_physical_device_groups: PFN_vkEnumeratePhysicalDeviceGroups =
            c"vkEnumeratePhysicalDeviceGroups" | c"vkEnumeratePhysicalDeviceGroupsKHR",
        create_device: PFN_vkCreateDevice = c"vkCreateDevice",
        get_device_proc_addr: PFN_vkGetDeviceProcAddr = c"vkGetDeviceProcAddr",
    }
}

commands! {
    /// Commands that hand out what belongs to a device, or end it.
    DeviceHandles {
        destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice",
        get_device_proc_addr: PFN_vkGetDeviceProcAddr = c"vkGetDeviceProcAddr",
        get_device_queue: PFN_vkGetDeviceQueue = c"vkGetDeviceQueue",
        get_device_queue_2: PFN_vkGetDeviceQueue2 = c"vkGetDeviceQueue2",
        allocate_command_buffers: PFN_vkAllocateCommandBuffers = c"vkAllocateCommandBuffers",
    }
}

commands! {
    /// Commands of devices.
    DeviceCommands {
        create_semaphore: PFN_vkCreateSemaphore = c"vkCreateSemaphore",
        destroy_semaphore: PFN_vkDestroySemaphore = c"vkDestroySemaphore",
        wait_semaphores: PFN_vkWaitSemaphores = c"vkWaitSemaphores" | c"vkWaitSemaphoresKHR",
        queue_wait_idle: PFN_vkQueueWaitIdle = c"vkQueueWaitIdle",
        destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice",
        allocate_memory: PFN_vkAllocateMemory = c"vkAllocateMemory",
        free_memory: PFN_vkFreeMemory = c"vkFreeMemory",
        map_memory: PFN_vkMapMemory = c"vkMapMemory",
        bind_buffer_memory: PFN_vkBindBufferMemory = c"vkBindBufferMemory",
        destroy_buffer: PFN_vkDestroyBuffer = c"vkDestroyBuffer",
        get_buffer_memory_requirements: PFN_vkGetBufferMemoryRequirements =
            c"vkGetBufferMemoryRequirements",
        get_buffer_device_address: PFN_vkGetBufferDeviceAddress =
            c"vkGetBufferDeviceAddress" | c"vkGetBufferDeviceAddressKHR",
        create_pipeline_layout: PFN_vkCreatePipelineLayout = c"vkCreatePipelineLayout",
        destroy_pipeline_layout: PFN_vkDestroyPipelineLayout = c"vkDestroyPipelineLayout",
        destroy_pipeline: PFN_vkDestroyPipeline = c"vkDestroyPipeline",
        destroy_shader_module: PFN_vkDestroyShaderModule = c"vkDestroyShaderModule",
        allocate_command_buffers: PFN_vkAllocateCommandBuffers = c"vkAllocateCommandBuffers",
        free_command_buffers: PFN_vkFreeCommandBuffers = c"vkFreeCommandBuffers",
        begin_command_buffer: PFN_vkBeginCommandBuffer = c"vkBeginCommandBuffer",
        reset_command_buffer: PFN_vkResetCommandBuffer = c"vkResetCommandBuffer",
        reset_command_pool: PFN_vkResetCommandPool = c"vkResetCommandPool",
        destroy_command_pool: PFN_vkDestroyCommandPool = c"vkDestroyCommandPool",
        cmd_bind_pipeline: PFN_vkCmdBindPipeline = c"vkCmdBindPipeline",
        cmd_bind_vertex_buffers: PFN_vkCmdBindVertexBuffers = c"vkCmdBindVertexBuffers",
        cmd_bind_vertex_buffers_2: PFN_vkCmdBindVertexBuffers2 =
            c"vkCmdBindVertexBuffers2" | c"vkCmdBindVertexBuffers2EXT",
        cmd_bind_index_buffer: PFN_vkCmdBindIndexBuffer = c"vkCmdBindIndexBuffer",
        cmd_bind_index_buffer_2: PFN_vkCmdBindIndexBuffer2KHR =
            c"vkCmdBindIndexBuffer2" | c"vkCmdBindIndexBuffer2KHR",
        cmd_push_constants: PFN_vkCmdPushConstants = c"vkCmdPushConstants",
        cmd_push_constants_2: PFN_vkCmdPushConstants2KHR =
            c"vkCmdPushConstants2" | c"vkCmdPushConstants2KHR",
        cmd_draw: PFN_vkCmdDraw = c"vkCmdDraw",
        cmd_draw_indexed: PFN_vkCmdDrawIndexed = c"vkCmdDrawIndexed",
        cmd_draw_indirect: PFN_vkCmdDrawIndirect = c"vkCmdDrawIndirect",
        cmd_draw_indexed_indirect: PFN_vkCmdDrawIndexedIndirect = c"vkCmdDrawIndexedIndirect",
        cmd_draw_indirect_count: PFN_vkCmdDrawIndirectCount =
            c"vkCmdDrawIndirectCount" | c"vkCmdDrawIndirectCountKHR" | c"vkCmdDrawIndirectCountAMD",
        cmd_draw_indexed_indirect_count: PFN_vkCmdDrawIndexedIndirectCount =
            c"vkCmdDrawIndexedIndirectCount"
            | c"vkCmdDrawIndexedIndirectCountKHR"
            | c"vkCmdDrawIndexedIndirectCountAMD",
        cmd_draw_multi: PFN_vkCmdDrawMultiEXT = c"vkCmdDrawMultiEXT",
        cmd_draw_multi_indexed: PFN_vkCmdDrawMultiIndexedEXT = c"vkCmdDrawMultiIndexedEXT",
        cmd_set_primitive_topology: PFN_vkCmdSetPrimitiveTopology =
            c"vkCmdSetPrimitiveTopology" | c"vkCmdSetPrimitiveTopologyEXT",
        cmd_set_rasterizer_discard_enable: PFN_vkCmdSetRasterizerDiscardEnable =
            c"vkCmdSetRasterizerDiscardEnable" | c"vkCmdSetRasterizerDiscardEnableEXT",
        cmd_set_primitive_restart_enable: PFN_vkCmdSetPrimitiveRestartEnable =
            c"vkCmdSetPrimitiveRestartEnable" | c"vkCmdSetPrimitiveRestartEnableEXT",
        cmd_set_provoking_vertex_mode: PFN_vkCmdSetProvokingVertexModeEXT =
            c"vkCmdSetProvokingVertexModeEXT",
        cmd_set_vertex_input: PFN_vkCmdSetVertexInputEXT = c"vkCmdSetVertexInputEXT",
        cmd_begin_render_pass: PFN_vkCmdBeginRenderPass = c"vkCmdBeginRenderPass",
        cmd_begin_render_pass_2: PFN_vkCmdBeginRenderPass2 =
            c"vkCmdBeginRenderPass2" | c"vkCmdBeginRenderPass2KHR",
        cmd_next_subpass: PFN_vkCmdNextSubpass = c"vkCmdNextSubpass",
        cmd_next_subpass_2: PFN_vkCmdNextSubpass2 = c"vkCmdNextSubpass2" | c"vkCmdNextSubpass2KHR",
        cmd_end_render_pass: PFN_vkCmdEndRenderPass = c"vkCmdEndRenderPass",
        cmd_end_render_pass_2: PFN_vkCmdEndRenderPass2 =
            c"vkCmdEndRenderPass2" | c"vkCmdEndRenderPass2KHR",
        cmd_begin_rendering: PFN_vkCmdBeginRendering =
            c"vkCmdBeginRendering" | c"vkCmdBeginRenderingKHR",
        cmd_end_rendering: PFN_vkCmdEndRendering = c"vkCmdEndRendering" | c"vkCmdEndRenderingKHR",
        cmd_end_rendering_2: PFN_vkCmdEndRendering2KHR =
            c"vkCmdEndRendering2KHR" | c"vkCmdEndRendering2EXT",
        cmd_execute_commands: PFN_vkCmdExecuteCommands = c"vkCmdExecuteCommands",
        cmd_begin_conditional_rendering: PFN_vkCmdBeginConditionalRenderingEXT =
            c"vkCmdBeginConditionalRenderingEXT",
        cmd_end_conditional_rendering: PFN_vkCmdEndConditionalRenderingEXT =
            c"vkCmdEndConditionalRenderingEXT",
        cmd_dispatch: PFN_vkCmdDispatch = c"vkCmdDispatch",
        cmd_dispatch_indirect: PFN_vkCmdDispatchIndirect = c"vkCmdDispatchIndirect",
        cmd_fill_buffer: PFN_vkCmdFillBuffer = c"vkCmdFillBuffer",
        cmd_copy_buffer: PFN_vkCmdCopyBuffer = c"vkCmdCopyBuffer",
        cmd_reset_query_pool: PFN_vkCmdResetQueryPool = c"vkCmdResetQueryPool",
        reset_query_pool: PFN_vkResetQueryPool = c"vkResetQueryPool" | c"vkResetQueryPoolEXT",
        cmd_pipeline_barrier: PFN_vkCmdPipelineBarrier = c"vkCmdPipelineBarrier",
        cmd_pipeline_barrier_2: PFN_vkCmdPipelineBarrier2 =
            c"vkCmdPipelineBarrier2" | c"vkCmdPipelineBarrier2KHR",
        cmd_set_event: PFN_vkCmdSetEvent = c"vkCmdSetEvent",
        cmd_reset_event: PFN_vkCmdResetEvent = c"vkCmdResetEvent",
        cmd_wait_events: PFN_vkCmdWaitEvents = c"vkCmdWaitEvents",
        cmd_set_event_2: PFN_vkCmdSetEvent2 = c"vkCmdSetEvent2" | c"vkCmdSetEvent2KHR",
        cmd_reset_event_2: PFN_vkCmdResetEvent2 = c"vkCmdResetEvent2" | c"vkCmdResetEvent2KHR",
        cmd_wait_events_2: PFN_vkCmdWaitEvents2 = c"vkCmdWaitEvents2" | c"vkCmdWaitEvents2KHR",
        cmd_write_timestamp: PFN_vkCmdWriteTimestamp = c"vkCmdWriteTimestamp",
        cmd_write_timestamp_2: PFN_vkCmdWriteTimestamp2 =
            c"vkCmdWriteTimestamp2" | c"vkCmdWriteTimestamp2KHR",
        cmd_write_buffer_marker: PFN_vkCmdWriteBufferMarkerAMD = c"vkCmdWriteBufferMarkerAMD",
        cmd_write_buffer_marker_2: PFN_vkCmdWriteBufferMarker2AMD = c"vkCmdWriteBufferMarker2AMD",
        queue_submit: PFN_vkQueueSubmit = c"vkQueueSubmit",
        queue_submit_2: PFN_vkQueueSubmit2 = c"vkQueueSubmit2" | c"vkQueueSubmit2KHR",
        create_render_pass: PFN_vkCreateRenderPass = c"vkCreateRenderPass",
        create_render_pass_2: PFN_vkCreateRenderPass2 =
            c"vkCreateRenderPass2" | c"vkCreateRenderPass2KHR",
        destroy_render_pass: PFN_vkDestroyRenderPass = c"vkDestroyRenderPass",
        create_buffer: PFN_vkCreateBuffer = c"vkCreateBuffer",
        get_device_buffer_memory_requirements: PFN_vkGetDeviceBufferMemoryRequirements =
            c"vkGetDeviceBufferMemoryRequirements" | c"vkGetDeviceBufferMemoryRequirementsKHR",
        create_shader_module: PFN_vkCreateShaderModule = c"vkCreateShaderModule",
        create_graphics_pipelines: PFN_vkCreateGraphicsPipelines = c"vkCreateGraphicsPipelines",
        create_compute_pipelines: PFN_vkCreateComputePipelines = c"vkCreateComputePipelines",
        create_query_pool: PFN_vkCreateQueryPool = c"vkCreateQueryPool",
        destroy_query_pool: PFN_vkDestroyQueryPool = c"vkDestroyQueryPool",
        get_query_pool_results: PFN_vkGetQueryPoolResults = c"vkGetQueryPoolResults",
        cmd_copy_query_pool_results: PFN_vkCmdCopyQueryPoolResults = c"vkCmdCopyQueryPoolResults",
        cmd_update_buffer: PFN_vkCmdUpdateBuffer = c"vkCmdUpdateBuffer",
        cmd_begin_query: PFN_vkCmdBeginQuery = c"vkCmdBeginQuery",
        cmd_end_query: PFN_vkCmdEndQuery = c"vkCmdEndQuery",
        cmd_begin_query_indexed: PFN_vkCmdBeginQueryIndexedEXT = c"vkCmdBeginQueryIndexedEXT",
        cmd_end_query_indexed: PFN_vkCmdEndQueryIndexedEXT = c"vkCmdEndQueryIndexedEXT",
        cmd_bind_transform_feedback_buffers: PFN_vkCmdBindTransformFeedbackBuffersEXT =
            c"vkCmdBindTransformFeedbackBuffersEXT",
        cmd_begin_transform_feedback: PFN_vkCmdBeginTransformFeedbackEXT =
            c"vkCmdBeginTransformFeedbackEXT",
        cmd_end_transform_feedback: PFN_vkCmdEndTransformFeedbackEXT =
            c"vkCmdEndTransformFeedbackEXT",
        cmd_draw_indirect_byte_count: PFN_vkCmdDrawIndirectByteCountEXT =
            c"vkCmdDrawIndirectByteCountEXT",
    }
}
