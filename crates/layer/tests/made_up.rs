//! A mock driver below the layer, without a loader. It records the calls that reach it.

use ash::vk::{self, Handle};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};

/// The calls that reached the driver in this thread since the last call of [`seen`].
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) extensions: Vec<String>,
    pub(crate) chain: Vec<vk::StructureType>,
    pub(crate) usage: vk::BufferUsageFlags,
    pub(crate) query_type: Option<vk::QueryType>,
    pub(crate) stages: Vec<vk::PipelineStageFlags>,
    pub(crate) accesses: Vec<vk::AccessFlags>,
    pub(crate) queries_begun: u32,
    pub(crate) updates: Vec<Vec<u8>>,
    pub(crate) code: Vec<u32>,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

pub(crate) fn seen() -> Seen {
    SEEN.take()
}

fn note(edit: impl FnOnce(&mut Seen)) {
    SEEN.with_borrow_mut(edit);
}

pub(crate) const EXTENSIONS: [&CStr; 3] =
    [c"VK_KHR_swapchain", c"VK_EXT_robustness2", c"VK_EXT_shader_object"];

pub(crate) type Command = unsafe extern "system" fn();

/// Defines a function that finds these commands by name.
macro_rules! commands {
    ($find:ident $($name:literal => $command:ident as $Pfn:ident,)*) => {
        fn $find(name: &std::ffi::CStr) -> vk::PFN_vkVoidFunction {
            match name.to_bytes() {
                $($name => {
                    let command: vk::$Pfn = $command;
                    // SAFETY: callers use the command type that belongs to the name.
                    Some(unsafe { std::mem::transmute::<vk::$Pfn, $crate::made_up::Command>(command) })
                })*
                _ => None,
            }
        }
    };
}

pub(crate) use commands;

commands! { command
    b"vkCreateInstance" => create_instance as PFN_vkCreateInstance,
    b"vkDestroyInstance" => destroy_instance as PFN_vkDestroyInstance,
    b"vkEnumerateDeviceExtensionProperties" => extensions as PFN_vkEnumerateDeviceExtensionProperties,
    b"vkGetPhysicalDeviceFeatures2" => features as PFN_vkGetPhysicalDeviceFeatures2,
    b"vkGetPhysicalDeviceProperties2" => properties as PFN_vkGetPhysicalDeviceProperties2,
    b"vkCreateDevice" => create_device as PFN_vkCreateDevice,
    b"vkGetDeviceProcAddr" => get_device_proc_addr as PFN_vkGetDeviceProcAddr,
    b"vkDestroyDevice" => destroy_device as PFN_vkDestroyDevice,
    b"vkCmdPipelineBarrier" => barrier as PFN_vkCmdPipelineBarrier,
    b"vkCreateBuffer" => create_buffer as PFN_vkCreateBuffer,
    b"vkCreateShaderModule" => create_shader_module as PFN_vkCreateShaderModule,
    b"vkCreateQueryPool" => create_query_pool as PFN_vkCreateQueryPool,
    b"vkDestroyQueryPool" => destroy_query_pool as PFN_vkDestroyQueryPool,
    b"vkCmdBeginQuery" => begin_query as PFN_vkCmdBeginQuery,
    b"vkGetQueryPoolResults" => query_results as PFN_vkGetQueryPoolResults,
    b"vkCmdCopyQueryPoolResults" => copy_results as PFN_vkCmdCopyQueryPoolResults,
    b"vkCreateGraphicsPipelines" => create_graphics_pipelines as PFN_vkCreateGraphicsPipelines,
    b"vkCmdPipelineBarrier2" => barrier_2 as PFN_vkCmdPipelineBarrier2,
    b"vkCreateRenderPass2KHR" => create_render_pass_2 as PFN_vkCreateRenderPass2,
    b"vkQueueSubmit" => queue_submit as PFN_vkQueueSubmit,
    b"vkQueueSubmit2KHR" => queue_submit_2 as PFN_vkQueueSubmit2,
    b"vkCmdWriteBufferMarkerAMD" => marker as PFN_vkCmdWriteBufferMarkerAMD,
    b"vkCmdWriteBufferMarker2AMD" => marker_2 as PFN_vkCmdWriteBufferMarker2AMD,
    b"vkCmdUpdateBuffer" => update_buffer as PFN_vkCmdUpdateBuffer,
}

pub(crate) unsafe extern "system" fn get_instance_proc_addr(
    _: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: names are NUL-terminated strings.
    command(unsafe { CStr::from_ptr(name) })
}

pub(crate) unsafe extern "system" fn get_device_proc_addr(
    _: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: names are NUL-terminated strings.
    command(unsafe { CStr::from_ptr(name) })
}

/// Creates a handle that begins with a dispatch key, as a loader would. The new handle is its own key by default.
fn new_handle<H: Handle>(key: Option<usize>) -> H {
    let object = Box::leak(Box::new([0_usize; 2]));
    object[0] = key.unwrap_or_else(|| std::ptr::from_ref(object) as usize);
    H::from_raw(std::ptr::from_ref(object) as u64)
}

/// Creates another handle of the same instance or device.
pub(crate) fn of_same<H: Handle>(handle: impl Handle) -> H {
    // SAFETY: the handle was created by `new_handle`.
    new_handle(Some(unsafe { *(handle.as_raw() as usize as *const usize) }))
}

pub(crate) fn free(handle: impl Handle) {
    // SAFETY: the handle was created by `new_handle`, and is freed once.
    drop(unsafe { Box::from_raw(handle.as_raw() as usize as *mut [usize; 2]) });
}

unsafe extern "system" fn create_instance(
    _: *const vk::InstanceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the pointer to the handle is valid.
    unsafe { *instance = new_handle(None) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    _: *const vk::AllocationCallbacks<'_>,
) {
    free(instance);
}

unsafe extern "system" fn extensions(
    _: vk::PhysicalDevice,
    _: *const c_char,
    count: *mut u32,
    list: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the caller has queried the length of the list first.
    unsafe {
        *count = EXTENSIONS.len() as u32;
        if !list.is_null() {
            for (i, name) in EXTENSIONS.iter().enumerate() {
                let name = name.to_bytes_with_nul();
                (&raw mut (*list.add(i)).extension_name)
                    .cast::<u8>()
                    .copy_from(name.as_ptr(), name.len());
            }
        }
    }
    vk::Result::SUCCESS
}

pub(crate) fn types(first: *const c_void) -> Vec<vk::StructureType> {
    let mut at = first.cast::<vk::BaseInStructure<'_>>();
    let mut types = Vec::new();
    // SAFETY: chains are valid.
    while let Some(one) = unsafe { at.as_ref() } {
        types.push(one.s_type);
        at = one.p_next;
    }
    types
}

unsafe extern "system" fn features(
    _: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: the structure is valid.
    note(|seen| seen.chain = types(unsafe { (*features).p_next }));
}

unsafe extern "system" fn properties(
    _: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: the structure is valid.
    note(|seen| seen.chain = types(unsafe { (*properties).p_next }));
}

unsafe extern "system" fn create_device(
    _: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the structure and the pointer to the handle are valid.
    unsafe {
        let names = (0..(*info).enabled_extension_count as usize).map(|i| {
            CStr::from_ptr(*(*info).pp_enabled_extension_names.add(i))
                .to_string_lossy()
                .into_owned()
        });
        note(|seen| (seen.extensions, seen.chain) = (names.collect(), types((*info).p_next)));
        *device = new_handle(None);
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_device(
    device: vk::Device,
    _: *const vk::AllocationCallbacks<'_>,
) {
    free(device);
}

unsafe extern "system" fn barrier(
    _: vk::CommandBuffer,
    src: vk::PipelineStageFlags,
    dst: vk::PipelineStageFlags,
    _: vk::DependencyFlags,
    count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    _: u32,
    _: *const vk::BufferMemoryBarrier<'_>,
    _: u32,
    _: *const vk::ImageMemoryBarrier<'_>,
) {
    note(|seen| {
        seen.stages.extend([src, dst]);
        for i in 0..count as usize {
            // SAFETY: the array has `count` elements.
            let one = unsafe { &*memory.add(i) };
            seen.accesses.extend([one.src_access_mask, one.dst_access_mask]);
        }
    });
}

unsafe extern "system" fn create_buffer(
    _: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    _: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the structure is valid.
    note(|seen| seen.usage = unsafe { (*info).usage });
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_shader_module(
    _: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    _: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: the structure is valid.
    let code = unsafe { std::slice::from_raw_parts((*info).p_code, (*info).code_size / 4) };
    note(|seen| seen.code = code.to_vec());
    vk::Result::SUCCESS
}

unsafe extern "system" fn create_query_pool(
    _: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    pool: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: the structure and the pointer to the handle are valid.
    unsafe {
        note(|seen| seen.query_type = Some((*info).query_type));
        *pool = new_handle(None);
    }
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_query_pool(
    _: vk::Device,
    pool: vk::QueryPool,
    _: *const vk::AllocationCallbacks<'_>,
) {
    free(pool);
}

unsafe extern "system" fn begin_query(
    _: vk::CommandBuffer,
    _: vk::QueryPool,
    _: u32,
    _: vk::QueryControlFlags,
) {
    note(|seen| seen.queries_begun += 1);
}

unsafe extern "system" fn update_buffer(
    _: vk::CommandBuffer,
    _: vk::Buffer,
    _: vk::DeviceSize,
    size: vk::DeviceSize,
    data: *const c_void,
) {
    // SAFETY: the caller passes `size` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size as usize) };
    note(|seen| seen.updates.push(bytes.to_vec()));
}

unsafe extern "system" fn query_results(
    _: vk::Device,
    _: vk::QueryPool,
    _: u32,
    _: u32,
    _: usize,
    _: *mut c_void,
    _: vk::DeviceSize,
    _: vk::QueryResultFlags,
) -> vk::Result {
    vk::Result::NOT_READY
}

unsafe extern "system" fn copy_results(
    _: vk::CommandBuffer,
    _: vk::QueryPool,
    _: u32,
    _: u32,
    _: vk::Buffer,
    _: vk::DeviceSize,
    _: vk::DeviceSize,
    _: vk::QueryResultFlags,
) {
    note(|seen| seen.queries_begun += 100);
}

unsafe extern "system" fn create_graphics_pipelines(
    _: vk::Device,
    _: vk::PipelineCache,
    _: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    _: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the pipeline has one stage, whose chain ends with its code.
    unsafe {
        let mut at = (*(*infos).p_stages).p_next.cast::<vk::BaseInStructure<'_>>();
        while (*at).s_type != vk::StructureType::SHADER_MODULE_CREATE_INFO {
            at = (*at).p_next;
        }
        let code = at.cast::<vk::ShaderModuleCreateInfo<'_>>();
        let words = std::slice::from_raw_parts((*code).p_code, (*code).code_size / 4);
        let chain = types((*(*infos).p_rasterization_state).p_next);
        note(|seen| (seen.code, seen.chain) = (words.to_vec(), chain));
    }
    vk::Result::SUCCESS
}

/// Records the lower half of 64-bit stages and accesses.
fn note_2(stages: &[vk::PipelineStageFlags2], accesses: &[vk::AccessFlags2]) {
    note(|seen| {
        seen.stages
            .extend(stages.iter().map(|one| vk::PipelineStageFlags::from_raw(one.as_raw() as u32)));
        seen.accesses
            .extend(accesses.iter().map(|one| vk::AccessFlags::from_raw(one.as_raw() as u32)));
    });
}

unsafe extern "system" fn barrier_2(
    _: vk::CommandBuffer,
    dependency: *const vk::DependencyInfo<'_>,
) {
    // SAFETY: the dependency has one buffer barrier.
    let one = unsafe { &*(*dependency).p_buffer_memory_barriers };
    note_2(&[one.src_stage_mask, one.dst_stage_mask], &[one.src_access_mask, one.dst_access_mask]);
}

unsafe extern "system" fn create_render_pass_2(
    _: vk::Device,
    info: *const vk::RenderPassCreateInfo2<'_>,
    _: *const vk::AllocationCallbacks<'_>,
    _: *mut vk::RenderPass,
) -> vk::Result {
    // SAFETY: the pass has one dependency, and its chain is a barrier.
    let (outer, inner) = unsafe {
        let outer = &*(*info).p_dependencies;
        (outer, &*outer.p_next.cast::<vk::MemoryBarrier2<'_>>())
    };
    note(|seen| seen.stages.extend([outer.src_stage_mask, outer.dst_stage_mask]));
    note_2(
        &[inner.src_stage_mask, inner.dst_stage_mask],
        &[inner.src_access_mask, inner.dst_access_mask],
    );
    vk::Result::SUCCESS
}

unsafe extern "system" fn queue_submit(
    _: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    _: vk::Fence,
) -> vk::Result {
    // SAFETY: the array has `count` submissions, each with one wait.
    let masks = (0..count as usize).map(|i| unsafe { *(*submits.add(i)).p_wait_dst_stage_mask });
    note(|seen| seen.stages.extend(masks));
    vk::Result::SUCCESS
}

unsafe extern "system" fn queue_submit_2(
    _: vk::Queue,
    _: u32,
    submits: *const vk::SubmitInfo2<'_>,
    _: vk::Fence,
) -> vk::Result {
    // SAFETY: the call has one submission, with one wait and one signal.
    let (wait, signal) =
        unsafe { (&*(*submits).p_wait_semaphore_infos, &*(*submits).p_signal_semaphore_infos) };
    note_2(&[wait.stage_mask, signal.stage_mask], &[]);
    vk::Result::SUCCESS
}

unsafe extern "system" fn marker(
    _: vk::CommandBuffer,
    stage: vk::PipelineStageFlags,
    _: vk::Buffer,
    _: vk::DeviceSize,
    _: u32,
) {
    note(|seen| seen.stages.push(stage));
}

unsafe extern "system" fn marker_2(
    _: vk::CommandBuffer,
    stage: vk::PipelineStageFlags2,
    _: vk::Buffer,
    _: vk::DeviceSize,
    _: u32,
) {
    note_2(&[stage], &[]);
}
