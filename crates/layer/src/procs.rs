//! Which command is found by which name: `vkGetInstanceProcAddr`, `vkGetDeviceProcAddr`, and what the loader asks for
//! first.

use crate::chain::{INTERFACE_VERSION, NEGOTIATE_STRUCT, NegotiateLayerInterface, text};
use crate::device::{Device, create_device, destroy_device};
use crate::feedback::{
    barriers, buffers, capture, draws, events, layouts, objects, passes, pipelines, queries,
    recordings, scopes, shaders, state, submits,
};
use crate::instance::{
    Instance, create_instance, destroy_instance, enumerate_device_layer_properties,
    enumerate_instance_extension_properties, enumerate_instance_layer_properties,
};
use crate::known;
use crate::manifest::FEEDBACK_COMMANDS;
use crate::physical::{
    enumerate_device_extension_properties, get_external_buffer_properties,
    get_physical_device_features, get_physical_device_features_2, get_physical_device_properties,
    get_physical_device_properties_2,
};
use ash::vk;
use std::ffi::{CStr, c_char};

#[cfg(test)]
mod registry;

/// A command of no type.
pub(crate) type Command = unsafe extern "system" fn();

/// The command by one of these names, as a pointer of no type.
macro_rules! named {
    ($name:expr, $($known:literal $(| $alias:literal)* => $command:path as $Pfn:ident,)*) => {{
        let name: &CStr = $name;
        let bytes = name.to_bytes();
        match bytes {
            $($known $(| $alias)* => {
                let command: $crate::commands::pfn::$Pfn = $command;
                // SAFETY: whoever calls it by this name knows its type.
                Some(unsafe {
                    std::mem::transmute::<$crate::commands::pfn::$Pfn, $crate::procs::Command>(command)
                })
            })*
            _ => None,
        }
    }};
}

pub(crate) use named;

/// Commands that need no instance.
fn global(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkCreateInstance" => create_instance as PFN_vkCreateInstance,
        b"vkEnumerateInstanceExtensionProperties" =>
            enumerate_instance_extension_properties as PFN_vkEnumerateInstanceExtensionProperties,
        b"vkEnumerateInstanceLayerProperties" =>
            enumerate_instance_layer_properties as PFN_vkEnumerateInstanceLayerProperties,
        b"vkGetInstanceProcAddr" => get_instance_proc_addr as PFN_vkGetInstanceProcAddr,
    }
}

/// Commands of physical devices.
fn of_physical_device(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkCreateDevice" => create_device as PFN_vkCreateDevice,
        b"vkEnumerateDeviceExtensionProperties" =>
            enumerate_device_extension_properties as PFN_vkEnumerateDeviceExtensionProperties,
        b"vkEnumerateDeviceLayerProperties" =>
            enumerate_device_layer_properties as PFN_vkEnumerateDeviceLayerProperties,
        b"vkGetPhysicalDeviceFeatures" =>
            get_physical_device_features as PFN_vkGetPhysicalDeviceFeatures,
        b"vkGetPhysicalDeviceFeatures2" | b"vkGetPhysicalDeviceFeatures2KHR" =>
            get_physical_device_features_2 as PFN_vkGetPhysicalDeviceFeatures2,
        b"vkGetPhysicalDeviceProperties" =>
            get_physical_device_properties as PFN_vkGetPhysicalDeviceProperties,
        b"vkGetPhysicalDeviceProperties2" | b"vkGetPhysicalDeviceProperties2KHR" =>
            get_physical_device_properties_2 as PFN_vkGetPhysicalDeviceProperties2,
        b"vkGetPhysicalDeviceExternalBufferProperties" | b"vkGetPhysicalDeviceExternalBufferPropertiesKHR" =>
            get_external_buffer_properties as PFN_vkGetPhysicalDeviceExternalBufferProperties,
    }
}

/// Commands of instances.
fn of_instance(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkGetInstanceProcAddr" => get_instance_proc_addr as PFN_vkGetInstanceProcAddr,
        b"vkDestroyInstance" => destroy_instance as PFN_vkDestroyInstance,
    }
}

/// Commands of every device.
fn of_device(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkGetDeviceProcAddr" => get_device_proc_addr as PFN_vkGetDeviceProcAddr,
        b"vkDestroyDevice" => destroy_device as PFN_vkDestroyDevice,
    }
}

/// Commands of devices that have transform feedback of the layer's.
fn of_feedback(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkCmdBindTransformFeedbackBuffersEXT" => capture::cmd_bind_transform_feedback_buffers
            as PFN_vkCmdBindTransformFeedbackBuffersEXT,
        b"vkCmdBeginTransformFeedbackEXT" =>
            capture::cmd_begin_transform_feedback as PFN_vkCmdBeginTransformFeedbackEXT,
        b"vkCmdEndTransformFeedbackEXT" =>
            capture::cmd_end_transform_feedback as PFN_vkCmdEndTransformFeedbackEXT,
        b"vkCmdDrawIndirectByteCountEXT" =>
            capture::cmd_draw_indirect_byte_count as PFN_vkCmdDrawIndirectByteCountEXT,
        b"vkCmdBeginQueryIndexedEXT" =>
            queries::cmd_begin_query_indexed as PFN_vkCmdBeginQueryIndexedEXT,
        b"vkCmdEndQueryIndexedEXT" => queries::cmd_end_query_indexed as PFN_vkCmdEndQueryIndexedEXT,
        b"vkCmdBeginQuery" => queries::cmd_begin_query as PFN_vkCmdBeginQuery,
        b"vkCmdEndQuery" => queries::cmd_end_query as PFN_vkCmdEndQuery,
        b"vkCreateQueryPool" => queries::create_query_pool as PFN_vkCreateQueryPool,
        b"vkDestroyQueryPool" => queries::destroy_query_pool as PFN_vkDestroyQueryPool,
        b"vkGetQueryPoolResults" => queries::get_query_pool_results as PFN_vkGetQueryPoolResults,
        b"vkCmdCopyQueryPoolResults" =>
            queries::cmd_copy_query_pool_results as PFN_vkCmdCopyQueryPoolResults,
        b"vkCmdPipelineBarrier" => barriers::cmd_pipeline_barrier as PFN_vkCmdPipelineBarrier,
        b"vkCmdPipelineBarrier2" | b"vkCmdPipelineBarrier2KHR" =>
            barriers::cmd_pipeline_barrier_2 as PFN_vkCmdPipelineBarrier2,
        b"vkCmdSetEvent" => events::cmd_set_event as PFN_vkCmdSetEvent,
        b"vkCmdResetEvent" => events::cmd_reset_event as PFN_vkCmdResetEvent,
        b"vkCmdWaitEvents" => events::cmd_wait_events as PFN_vkCmdWaitEvents,
        b"vkCmdSetEvent2" | b"vkCmdSetEvent2KHR" => events::cmd_set_event_2 as PFN_vkCmdSetEvent2,
        b"vkCmdResetEvent2" | b"vkCmdResetEvent2KHR" =>
            events::cmd_reset_event_2 as PFN_vkCmdResetEvent2,
        b"vkCmdWaitEvents2" | b"vkCmdWaitEvents2KHR" =>
            events::cmd_wait_events_2 as PFN_vkCmdWaitEvents2,
        b"vkCmdWriteTimestamp" => events::cmd_write_timestamp as PFN_vkCmdWriteTimestamp,
        b"vkCmdWriteTimestamp2" | b"vkCmdWriteTimestamp2KHR" =>
            events::cmd_write_timestamp_2 as PFN_vkCmdWriteTimestamp2,
        b"vkCmdWriteBufferMarkerAMD" =>
            events::cmd_write_buffer_marker as PFN_vkCmdWriteBufferMarkerAMD,
        b"vkCmdWriteBufferMarker2AMD" =>
            events::cmd_write_buffer_marker_2 as PFN_vkCmdWriteBufferMarker2AMD,
        b"vkQueueSubmit" => submits::queue_submit as PFN_vkQueueSubmit,
        b"vkQueueSubmit2" | b"vkQueueSubmit2KHR" => submits::queue_submit_2 as PFN_vkQueueSubmit2,
        b"vkCreateRenderPass" => passes::create_render_pass as PFN_vkCreateRenderPass,
        b"vkCreateRenderPass2" | b"vkCreateRenderPass2KHR" =>
            passes::create_render_pass_2 as PFN_vkCreateRenderPass2,
        b"vkCreateBuffer" => buffers::create_buffer as PFN_vkCreateBuffer,
        b"vkGetDeviceBufferMemoryRequirements" | b"vkGetDeviceBufferMemoryRequirementsKHR" =>
            buffers::get_device_buffer_memory_requirements as PFN_vkGetDeviceBufferMemoryRequirements,
        b"vkCreateShaderModule" => shaders::create_shader_module as PFN_vkCreateShaderModule,
        b"vkCreateGraphicsPipelines" =>
            pipelines::create_graphics_pipelines as PFN_vkCreateGraphicsPipelines,
        b"vkCreateComputePipelines" =>
            pipelines::create_compute_pipelines as PFN_vkCreateComputePipelines,
    }
}

/// Commands of devices that capture.
fn of_emulation(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkCmdResetQueryPool" =>
            queries::cmd_reset_query_pool as PFN_vkCmdResetQueryPool,
        b"vkResetQueryPool" | b"vkResetQueryPoolEXT" =>
            queries::reset_query_pool as PFN_vkResetQueryPool,
        b"vkAllocateMemory" =>
            objects::allocate_memory as PFN_vkAllocateMemory,
        b"vkDestroyBuffer" =>
            objects::destroy_buffer as PFN_vkDestroyBuffer,
        b"vkDestroyShaderModule" =>
            objects::destroy_shader_module as PFN_vkDestroyShaderModule,
        b"vkDestroyRenderPass" =>
            passes::destroy_render_pass as PFN_vkDestroyRenderPass,
        b"vkCmdBeginConditionalRenderingEXT" =>
            objects::cmd_begin_conditional_rendering as PFN_vkCmdBeginConditionalRenderingEXT,
        b"vkCmdEndConditionalRenderingEXT" =>
            objects::cmd_end_conditional_rendering as PFN_vkCmdEndConditionalRenderingEXT,
        b"vkCreatePipelineLayout" =>
            layouts::create_pipeline_layout as PFN_vkCreatePipelineLayout,
        b"vkDestroyPipelineLayout" =>
            layouts::destroy_pipeline_layout as PFN_vkDestroyPipelineLayout,
        b"vkCmdPushConstants" =>
            layouts::cmd_push_constants as PFN_vkCmdPushConstants,
        b"vkCmdPushConstants2" | b"vkCmdPushConstants2KHR" =>
            layouts::cmd_push_constants_2 as PFN_vkCmdPushConstants2KHR,
        b"vkDestroyPipeline" =>
            objects::destroy_pipeline as PFN_vkDestroyPipeline,
        b"vkAllocateCommandBuffers" =>
            recordings::allocate_command_buffers as PFN_vkAllocateCommandBuffers,
        b"vkFreeCommandBuffers" =>
            recordings::free_command_buffers as PFN_vkFreeCommandBuffers,
        b"vkDestroyCommandPool" =>
            recordings::destroy_command_pool as PFN_vkDestroyCommandPool,
        b"vkResetCommandPool" =>
            recordings::reset_command_pool as PFN_vkResetCommandPool,
        b"vkResetCommandBuffer" =>
            recordings::reset_command_buffer as PFN_vkResetCommandBuffer,
        b"vkBeginCommandBuffer" =>
            recordings::begin_command_buffer as PFN_vkBeginCommandBuffer,
    }
    .or_else(|| of_recording(name))
}

/// Commands that are recorded on devices that capture.
fn of_recording(name: &CStr) -> Option<Command> {
    named! { name,
        b"vkCmdBindPipeline" =>
            state::cmd_bind_pipeline as PFN_vkCmdBindPipeline,
        b"vkCmdBindVertexBuffers" =>
            state::cmd_bind_vertex_buffers as PFN_vkCmdBindVertexBuffers,
        b"vkCmdBindVertexBuffers2" | b"vkCmdBindVertexBuffers2EXT" =>
            state::cmd_bind_vertex_buffers_2 as PFN_vkCmdBindVertexBuffers2,
        b"vkCmdBindIndexBuffer" =>
            state::cmd_bind_index_buffer as PFN_vkCmdBindIndexBuffer,
        b"vkCmdBindIndexBuffer2" | b"vkCmdBindIndexBuffer2KHR" =>
            state::cmd_bind_index_buffer_2 as PFN_vkCmdBindIndexBuffer2KHR,
        b"vkCmdSetPrimitiveTopology" | b"vkCmdSetPrimitiveTopologyEXT" =>
            state::cmd_set_primitive_topology as PFN_vkCmdSetPrimitiveTopology,
        b"vkCmdSetPrimitiveRestartEnable" | b"vkCmdSetPrimitiveRestartEnableEXT" =>
            state::cmd_set_primitive_restart_enable as PFN_vkCmdSetPrimitiveRestartEnable,
        b"vkCmdSetRasterizerDiscardEnable" | b"vkCmdSetRasterizerDiscardEnableEXT" =>
            state::cmd_set_rasterizer_discard_enable as PFN_vkCmdSetRasterizerDiscardEnable,
        b"vkCmdSetProvokingVertexModeEXT" =>
            state::cmd_set_provoking_vertex_mode as PFN_vkCmdSetProvokingVertexModeEXT,
        b"vkCmdSetVertexInputEXT" =>
            state::cmd_set_vertex_input as PFN_vkCmdSetVertexInputEXT,
        b"vkCmdBeginRenderPass" =>
            scopes::cmd_begin_render_pass as PFN_vkCmdBeginRenderPass,
        b"vkCmdBeginRenderPass2" | b"vkCmdBeginRenderPass2KHR" =>
            scopes::cmd_begin_render_pass_2 as PFN_vkCmdBeginRenderPass2,
        b"vkCmdNextSubpass" =>
            scopes::cmd_next_subpass as PFN_vkCmdNextSubpass,
        b"vkCmdNextSubpass2" | b"vkCmdNextSubpass2KHR" =>
            scopes::cmd_next_subpass_2 as PFN_vkCmdNextSubpass2,
        b"vkCmdEndRenderPass" =>
            scopes::cmd_end_render_pass as PFN_vkCmdEndRenderPass,
        b"vkCmdEndRenderPass2" | b"vkCmdEndRenderPass2KHR" =>
            scopes::cmd_end_render_pass_2 as PFN_vkCmdEndRenderPass2,
        b"vkCmdBeginRendering" | b"vkCmdBeginRenderingKHR" =>
            scopes::cmd_begin_rendering as PFN_vkCmdBeginRendering,
        b"vkCmdEndRendering" | b"vkCmdEndRenderingKHR" =>
            scopes::cmd_end_rendering as PFN_vkCmdEndRendering,
        b"vkCmdEndRendering2KHR" | b"vkCmdEndRendering2EXT" =>
            scopes::cmd_end_rendering_2 as PFN_vkCmdEndRendering2KHR,
        b"vkCmdExecuteCommands" =>
            scopes::cmd_execute_commands as PFN_vkCmdExecuteCommands,
        b"vkCmdDraw" =>
            draws::cmd_draw as PFN_vkCmdDraw,
        b"vkCmdDrawIndexed" =>
            draws::cmd_draw_indexed as PFN_vkCmdDrawIndexed,
        b"vkCmdDrawIndirect" =>
            draws::cmd_draw_indirect as PFN_vkCmdDrawIndirect,
        b"vkCmdDrawIndexedIndirect" =>
            draws::cmd_draw_indexed_indirect as PFN_vkCmdDrawIndexedIndirect,
        b"vkCmdDrawIndirectCount" | b"vkCmdDrawIndirectCountKHR" | b"vkCmdDrawIndirectCountAMD" =>
            draws::cmd_draw_indirect_count as PFN_vkCmdDrawIndirectCount,
        b"vkCmdDrawIndexedIndirectCount" | b"vkCmdDrawIndexedIndirectCountKHR" | b"vkCmdDrawIndexedIndirectCountAMD" =>
            draws::cmd_draw_indexed_indirect_count as PFN_vkCmdDrawIndexedIndirectCount,
        b"vkCmdDrawMultiEXT" =>
            draws::cmd_draw_multi as PFN_vkCmdDrawMultiEXT,
        b"vkCmdDrawMultiIndexedEXT" =>
            draws::cmd_draw_multi_indexed as PFN_vkCmdDrawMultiIndexedEXT,
    }
}

/// The layer's commands of devices, whatever a device has: each finds the state of the handle that it is called with.
fn of_any_device(name: &CStr) -> Option<Command> {
    of_device(name).or_else(|| of_feedback(name)).or_else(|| of_emulation(name))
}

/// All commands of the layer.
fn own_command(name: &CStr) -> Option<Command> {
    let own = global(name).or_else(|| of_instance(name)).or_else(|| of_physical_device(name));
    own.or_else(|| of_any_device(name))
}

/// Whether a command is one that the extension brings.
fn is_of_the_extension(name: &CStr) -> bool {
    FEEDBACK_COMMANDS.iter().any(|command| command.as_bytes() == name.to_bytes())
}

/// `vkGetInstanceProcAddr`.
pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        let name = text(name)?;
        // Layers above look commands of instances and devices up without an instance, and the loader looks
        // `vkCreateInstance` up with a handle that has no state yet.
        let Some(state) = Instance::of(instance) else { return own_command(name) };
        if let Some(own) = of_instance(name) {
            return Some(own);
        }
        if global(name).is_some() {
            return None;
        }
        let is_provided = state.may_provide() && is_of_the_extension(name);
        let own = of_physical_device(name)
            .or_else(|| of_device(name))
            .or_else(|| of_any_device(name).filter(|_| state.may_provide()));
        if is_provided {
            return own;
        }
        if state.settings.hides(crate::offer::NAME) && is_of_the_extension(name) {
            return None;
        }
        // What is below lacks, the layer lacks too.
        let next = state.next_command(name)?;
        Some(own.unwrap_or(next))
    }
}

/// `vk_layerGetPhysicalDeviceProcAddr`: only commands of physical devices are found.
unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller hands over what the interface asks for.
    unsafe {
        let own = text(name).and_then(of_physical_device);
        own.or_else(|| Instance::of(instance)?.get_physical_device_proc_addr?(instance, name))
    }
}

/// `vkGetDeviceProcAddr`.
pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller hands over what Vulkan asks for.
    unsafe {
        let name = text(name)?;
        let Some(state) = Device::of(device) else { return of_any_device(name) };
        if let Some(own) = of_device(name) {
            return Some(own);
        }
        if !state.has_feedback {
            return state.next_command(name);
        }
        if is_of_the_extension(name) {
            return of_feedback(name);
        }
        // Commands of versions and extensions that are not enabled are not there.
        let next = state.next_command(name)?;
        let emulated = || of_emulation(name).filter(|_| state.emulator.get().is_some());
        let own = of_feedback(name).or_else(emulated);
        own.or_else(|| {
            Some(next).filter(|_| known::has_command(name) || own_command(name).is_some())
        })
    }
}

/// The one function that the loader looks up by its name.
///
/// # Safety
///
/// The loader's: `interface` is a valid `VkNegotiateLayerInterface`.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    // SAFETY: the caller's promise.
    let Some(interface) = (unsafe { interface.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let is_known = interface.s_type == NEGOTIATE_STRUCT;
    if !is_known || interface.loader_layer_interface_version < INTERFACE_VERSION {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    interface.loader_layer_interface_version = INTERFACE_VERSION;
    interface.get_instance_proc_addr = Some(get_instance_proc_addr);
    interface.get_device_proc_addr = Some(get_device_proc_addr);
    interface.get_physical_device_proc_addr = Some(get_physical_device_proc_addr);
    vk::Result::SUCCESS
}
