//! Looks up commands by name for `vkGetInstanceProcAddr` and `vkGetDeviceProcAddr`, and negotiates the layer
//! interface.

use crate::chain::{INTERFACE_VERSION, NEGOTIATE_STRUCT, NegotiateLayerInterface, text};
use crate::commands::Command;
use crate::device::{Device, create_device, destroy_device};
use crate::feedback::{
    barriers, buffers, capture, draws, events, layouts, objects, passes, pipelines, queries,
    recordings, render_passes, shaders, state, submits,
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

/// Returns the command with the name of its type or with an alias, as an untyped pointer.
macro_rules! named {
    ($name:expr, $($Pfn:ident $(| $alias:literal)* => $command:path,)*) => {{
        let name = std::ffi::CStr::to_str($name).ok()?;
        match name {
            $(_ if [&stringify!($Pfn)["PFN_".len()..], $($alias),*].contains(&name) => {
                let command: $crate::commands::pfn::$Pfn = $command;
                // SAFETY: a caller that uses this name knows the type of the command.
                Some(unsafe {
                    std::mem::transmute::<$crate::commands::pfn::$Pfn, $crate::commands::Command>(command)
                })
            })*
            _ => None,
        }
    }};
}

pub(crate) use named;

/// Returns the layer's commands that need no instance.
fn global(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkCreateInstance => create_instance,
        PFN_vkEnumerateInstanceExtensionProperties => enumerate_instance_extension_properties,
        PFN_vkEnumerateInstanceLayerProperties => enumerate_instance_layer_properties,
        PFN_vkGetInstanceProcAddr => get_instance_proc_addr,
    }
}

fn of_physical_device(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkCreateDevice => create_device,
        PFN_vkEnumerateDeviceExtensionProperties => enumerate_device_extension_properties,
        PFN_vkEnumerateDeviceLayerProperties => enumerate_device_layer_properties,
        PFN_vkGetPhysicalDeviceFeatures => get_physical_device_features,
        PFN_vkGetPhysicalDeviceFeatures2 | "vkGetPhysicalDeviceFeatures2KHR" => get_physical_device_features_2,
        PFN_vkGetPhysicalDeviceProperties => get_physical_device_properties,
        PFN_vkGetPhysicalDeviceProperties2 | "vkGetPhysicalDeviceProperties2KHR" => get_physical_device_properties_2,
        PFN_vkGetPhysicalDeviceExternalBufferProperties | "vkGetPhysicalDeviceExternalBufferPropertiesKHR" =>
            get_external_buffer_properties,
    }
}

fn of_instance(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkGetInstanceProcAddr => get_instance_proc_addr,
        PFN_vkDestroyInstance => destroy_instance,
    }
}

/// Returns the layer's commands for every device.
fn of_device(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkGetDeviceProcAddr => get_device_proc_addr,
        PFN_vkDestroyDevice => destroy_device,
    }
}

/// Returns the commands for devices on which the layer provides transform feedback.
fn of_feedback(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkCmdBindTransformFeedbackBuffersEXT => capture::cmd_bind_transform_feedback_buffers,
        PFN_vkCmdBeginTransformFeedbackEXT => capture::cmd_begin_transform_feedback,
        PFN_vkCmdEndTransformFeedbackEXT => capture::cmd_end_transform_feedback,
        PFN_vkCmdDrawIndirectByteCountEXT => capture::cmd_draw_indirect_byte_count,
        PFN_vkCmdBeginQueryIndexedEXT => queries::cmd_begin_query_indexed,
        PFN_vkCmdEndQueryIndexedEXT => queries::cmd_end_query_indexed,
        PFN_vkCmdBeginQuery => queries::cmd_begin_query,
        PFN_vkCmdEndQuery => queries::cmd_end_query,
        PFN_vkCreateQueryPool => queries::create_query_pool,
        PFN_vkDestroyQueryPool => queries::destroy_query_pool,
        PFN_vkGetQueryPoolResults => queries::get_query_pool_results,
        PFN_vkCmdCopyQueryPoolResults => queries::cmd_copy_query_pool_results,
        PFN_vkCmdPipelineBarrier => barriers::cmd_pipeline_barrier,
        PFN_vkCmdPipelineBarrier2 | "vkCmdPipelineBarrier2KHR" => barriers::cmd_pipeline_barrier_2,
        PFN_vkCmdSetEvent => events::cmd_set_event,
        PFN_vkCmdResetEvent => events::cmd_reset_event,
        PFN_vkCmdWaitEvents => barriers::cmd_wait_events,
        PFN_vkCmdSetEvent2 | "vkCmdSetEvent2KHR" => events::cmd_set_event_2,
        PFN_vkCmdResetEvent2 | "vkCmdResetEvent2KHR" => events::cmd_reset_event_2,
        PFN_vkCmdWaitEvents2 | "vkCmdWaitEvents2KHR" => events::cmd_wait_events_2,
        PFN_vkCmdWriteTimestamp => events::cmd_write_timestamp,
        PFN_vkCmdWriteTimestamp2 | "vkCmdWriteTimestamp2KHR" => events::cmd_write_timestamp_2,
        PFN_vkCmdWriteBufferMarkerAMD => events::cmd_write_buffer_marker,
        PFN_vkCmdWriteBufferMarker2AMD => events::cmd_write_buffer_marker_2,
        PFN_vkQueueSubmit => submits::queue_submit,
        PFN_vkQueueSubmit2 | "vkQueueSubmit2KHR" => submits::queue_submit_2,
        PFN_vkCreateRenderPass => passes::create_render_pass,
        PFN_vkCreateRenderPass2 | "vkCreateRenderPass2KHR" => passes::create_render_pass_2,
        PFN_vkCreateBuffer => buffers::create_buffer,
        PFN_vkGetDeviceBufferMemoryRequirements | "vkGetDeviceBufferMemoryRequirementsKHR" =>
            buffers::get_device_buffer_memory_requirements,
        PFN_vkCreateShaderModule => shaders::create_shader_module,
        PFN_vkCreateGraphicsPipelines => pipelines::create_graphics_pipelines,
        PFN_vkCreateComputePipelines => pipelines::create_compute_pipelines,
    }
}

/// Returns the commands for devices on which the layer provides features of pipelines.
fn of_recipes(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkCreateShaderModule => shaders::create_shader_module,
        PFN_vkDestroyShaderModule => objects::destroy_shader_module,
        PFN_vkCreateGraphicsPipelines => pipelines::create_graphics_pipelines,
    }
}

/// Returns the commands for devices that capture.
fn of_emulation(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkCmdResetQueryPool => queries::cmd_reset_query_pool,
        PFN_vkResetQueryPool | "vkResetQueryPoolEXT" => queries::reset_query_pool,
        PFN_vkAllocateMemory => objects::allocate_memory,
        PFN_vkDestroyBuffer => objects::destroy_buffer,
        PFN_vkDestroyShaderModule => objects::destroy_shader_module,
        PFN_vkDestroyRenderPass => passes::destroy_render_pass,
        PFN_vkCmdBeginConditionalRenderingEXT => objects::cmd_begin_conditional_rendering,
        PFN_vkCmdEndConditionalRenderingEXT => objects::cmd_end_conditional_rendering,
        PFN_vkCreatePipelineLayout => layouts::create_pipeline_layout,
        PFN_vkDestroyPipelineLayout => layouts::destroy_pipeline_layout,
        PFN_vkCmdPushConstants => layouts::cmd_push_constants,
        PFN_vkCmdPushConstants2 | "vkCmdPushConstants2KHR" => layouts::cmd_push_constants_2,
        PFN_vkDestroyPipeline => objects::destroy_pipeline,
        PFN_vkAllocateCommandBuffers => recordings::allocate_command_buffers,
        PFN_vkFreeCommandBuffers => recordings::free_command_buffers,
        PFN_vkDestroyCommandPool => recordings::destroy_command_pool,
        PFN_vkResetCommandPool => recordings::reset_command_pool,
        PFN_vkResetCommandBuffer => recordings::reset_command_buffer,
        PFN_vkBeginCommandBuffer => recordings::begin_command_buffer,
        PFN_vkEndCommandBuffer => recordings::end_command_buffer,
    }
    .or_else(|| of_recording(name))
}

/// Returns the commands recorded into command buffers on devices that capture.
fn of_recording(name: &CStr) -> Option<Command> {
    named! { name,
        PFN_vkCmdBindPipeline => state::cmd_bind_pipeline,
        PFN_vkCmdBindVertexBuffers => state::cmd_bind_vertex_buffers,
        PFN_vkCmdBindVertexBuffers2 | "vkCmdBindVertexBuffers2EXT" => state::cmd_bind_vertex_buffers_2,
        PFN_vkCmdBindIndexBuffer => state::cmd_bind_index_buffer,
        PFN_vkCmdBindIndexBuffer2 | "vkCmdBindIndexBuffer2KHR" => state::cmd_bind_index_buffer_2,
        PFN_vkCmdSetPrimitiveTopology | "vkCmdSetPrimitiveTopologyEXT" => state::cmd_set_primitive_topology,
        PFN_vkCmdSetPrimitiveRestartEnable | "vkCmdSetPrimitiveRestartEnableEXT" =>
            state::cmd_set_primitive_restart_enable,
        PFN_vkCmdSetRasterizerDiscardEnable | "vkCmdSetRasterizerDiscardEnableEXT" =>
            state::cmd_set_rasterizer_discard_enable,
        PFN_vkCmdSetProvokingVertexModeEXT => state::cmd_set_provoking_vertex_mode,
        PFN_vkCmdSetVertexInputEXT => state::cmd_set_vertex_input,
        PFN_vkCmdBeginRenderPass => render_passes::cmd_begin_render_pass,
        PFN_vkCmdBeginRenderPass2 | "vkCmdBeginRenderPass2KHR" => render_passes::cmd_begin_render_pass_2,
        PFN_vkCmdNextSubpass => render_passes::cmd_next_subpass,
        PFN_vkCmdNextSubpass2 | "vkCmdNextSubpass2KHR" => render_passes::cmd_next_subpass_2,
        PFN_vkCmdEndRenderPass => render_passes::cmd_end_render_pass,
        PFN_vkCmdEndRenderPass2 | "vkCmdEndRenderPass2KHR" => render_passes::cmd_end_render_pass_2,
        PFN_vkCmdBeginRendering | "vkCmdBeginRenderingKHR" => render_passes::cmd_begin_rendering,
        PFN_vkCmdEndRendering | "vkCmdEndRenderingKHR" => render_passes::cmd_end_rendering,
        PFN_vkCmdEndRendering2KHR | "vkCmdEndRendering2EXT" => render_passes::cmd_end_rendering_2,
        PFN_vkCmdExecuteCommands => render_passes::cmd_execute_commands,
        PFN_vkCmdDraw => draws::cmd_draw,
        PFN_vkCmdDrawIndexed => draws::cmd_draw_indexed,
        PFN_vkCmdDrawIndirect => draws::cmd_draw_indirect,
        PFN_vkCmdDrawIndexedIndirect => draws::cmd_draw_indexed_indirect,
        PFN_vkCmdDrawIndirectCount | "vkCmdDrawIndirectCountKHR" | "vkCmdDrawIndirectCountAMD" =>
            draws::cmd_draw_indirect_count,
        PFN_vkCmdDrawIndexedIndirectCount | "vkCmdDrawIndexedIndirectCountKHR" | "vkCmdDrawIndexedIndirectCountAMD" =>
            draws::cmd_draw_indexed_indirect_count,
        PFN_vkCmdDrawMultiEXT => draws::cmd_draw_multi,
        PFN_vkCmdDrawMultiIndexedEXT => draws::cmd_draw_multi_indexed,
    }
}

/// Returns the layer's device commands for any device. Each command looks up the state of its handle.
fn of_any_device(name: &CStr) -> Option<Command> {
    of_device(name).or_else(|| of_feedback(name)).or_else(|| of_emulation(name))
}

fn own_command(name: &CStr) -> Option<Command> {
    let own = global(name).or_else(|| of_instance(name)).or_else(|| of_physical_device(name));
    own.or_else(|| of_any_device(name))
}

fn is_of_the_extension(name: &CStr) -> bool {
    FEEDBACK_COMMANDS.iter().any(|command| command.as_bytes() == name.to_bytes())
}

pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let name = text(name)?;
        // Layers above this layer look up instance and device commands without an instance, and the loader looks up
        // `vkCreateInstance` with a handle that has no state yet.
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
        if state.settings.hides(crate::reported_features::NAME) && is_of_the_extension(name) {
            return None;
        }
        // Commands that the next layer lacks are not available.
        let next = state.next_command(name)?;
        Some(own.unwrap_or(next))
    }
}

/// `vk_layerGetPhysicalDeviceProcAddr`, which finds only commands of physical devices.
unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes arguments that the loader interface allows.
    unsafe {
        let own = text(name).and_then(of_physical_device);
        own.or_else(|| Instance::of(instance)?.get_physical_device_proc_addr?(instance, name))
    }
}

pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let name = text(name)?;
        let Some(state) = Device::of(device) else { return of_any_device(name) };
        if let Some(own) = of_device(name) {
            return Some(own);
        }
        let recipes = || of_recipes(name).filter(|_| state.recipes.is_some());
        if !state.has_feedback {
            let next = state.next_command(name)?;
            return Some(recipes().unwrap_or(next));
        }
        if is_of_the_extension(name) {
            return of_feedback(name);
        }
        // Commands of versions and extensions that are not enabled are not available.
        let next = state.next_command(name)?;
        let emulated = || of_emulation(name).filter(|_| state.emulator.get().is_some());
        let own = of_feedback(name).or_else(emulated).or_else(recipes);
        own.or_else(|| {
            Some(next).filter(|_| known::has_command(name) || own_command(name).is_some())
        })
    }
}

/// Negotiates the loader interface version. This is the only function that the loader looks up in the library by name.
///
/// # Safety
///
/// `interface` is null or a valid `VkNegotiateLayerInterface`.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    interface: *mut NegotiateLayerInterface,
) -> vk::Result {
    // SAFETY: guaranteed by the caller.
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
