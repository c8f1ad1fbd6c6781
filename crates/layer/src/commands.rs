//! The commands of whatever is below the layer, as far as the layer calls them.

use ash::vk;
use std::ffi::CStr;

macro_rules! commands {
    ($(#[$doc:meta])* $Table:ident { $($field:ident: $Pfn:ident = $($name:literal)|+,)* }) => {
        $(#[$doc])*
        pub(crate) struct $Table {
            $(pub(crate) $field: Option<vk::$Pfn>,)*
        }

        impl $Table {
            /// Finds the commands, by any of their names.
            ///
            /// # Safety
            ///
            /// `find` gives the command that has the name, or nothing.
            pub(crate) unsafe fn load(find: impl Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
                Self {
                    $($field: {
                        let found = [$($name),+].into_iter().find_map(&find);
                        // SAFETY: the command of this name is of this type.
                        found.map(|found| unsafe {
                            std::mem::transmute::<unsafe extern "system" fn(), vk::$Pfn>(found)
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
        get_features_2: PFN_vkGetPhysicalDeviceFeatures2 =
            c"vkGetPhysicalDeviceFeatures2" | c"vkGetPhysicalDeviceFeatures2KHR",
        get_properties_2: PFN_vkGetPhysicalDeviceProperties2 =
            c"vkGetPhysicalDeviceProperties2" | c"vkGetPhysicalDeviceProperties2KHR",
        get_external_buffer_properties: PFN_vkGetPhysicalDeviceExternalBufferProperties =
            c"vkGetPhysicalDeviceExternalBufferProperties" | c"vkGetPhysicalDeviceExternalBufferPropertiesKHR",
    }
}

commands! {
    /// Commands of devices.
    DeviceCommands {
        destroy_device: PFN_vkDestroyDevice = c"vkDestroyDevice",
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
        queue_submit: PFN_vkQueueSubmit = c"vkQueueSubmit",
        queue_submit_2: PFN_vkQueueSubmit2 = c"vkQueueSubmit2" | c"vkQueueSubmit2KHR",
        create_render_pass: PFN_vkCreateRenderPass = c"vkCreateRenderPass",
        create_render_pass_2: PFN_vkCreateRenderPass2 =
            c"vkCreateRenderPass2" | c"vkCreateRenderPass2KHR",
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
