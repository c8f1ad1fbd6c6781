//! lavapipe with the limits of a portability driver. Records a fault for each use of a feature that such drivers lack.
//!
//! This driver supports protected memory, has two queues that share lavapipe's queue, and records waits of
//! submissions.

use crate::below::above_lavapipe;
use ash::vk::{self, Handle as _};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The maximum numbers of vertex attributes and bindings.
const ATTRIBUTES: u32 = 4;
const BINDINGS: u32 = 3;

/// The required alignment of vertex input strides and offsets in bytes.
const ALIGNMENT: u32 = 4;

/// The uses of features that a portability driver lacks.
static FAULTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A submission of one batch, with the timeline values that it waited for and signaled.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Submitted {
    pub(crate) is_second: bool,
    pub(crate) command_buffers: u32,
    pub(crate) waits: Vec<(vk::Semaphore, u64)>,
    pub(crate) signals: Vec<(vk::Semaphore, u64)>,
}

static SUBMITTED: Mutex<Vec<Submitted>> = Mutex::new(Vec::new());

/// The sizes in bytes of the allocated memory.
static ALLOCATED: Mutex<Vec<u64>> = Mutex::new(Vec::new());

pub(crate) fn allocated() -> Vec<u64> {
    std::mem::take(&mut *ALLOCATED.lock().unwrap_or_else(PoisonError::into_inner))
}

pub(crate) fn faults() -> Vec<String> {
    std::mem::take(&mut *FAULTS.lock().unwrap_or_else(PoisonError::into_inner))
}

pub(crate) fn submitted() -> Vec<Submitted> {
    std::mem::take(&mut *SUBMITTED.lock().unwrap_or_else(PoisonError::into_inner))
}

fn fault(is_one: bool, what: impl Into<String>) {
    if is_one {
        FAULTS.lock().unwrap_or_else(PoisonError::into_inner).push(what.into());
    }
}

/// The second queue: another handle for the first queue.
struct Second([u64; 2]);

static SECOND: OnceLock<Box<Second>> = OnceLock::new();

/// Returns the driver's queue for a handle, and whether the handle is the second.
fn queue_of(queue: vk::Queue) -> (vk::Queue, bool) {
    let second = SECOND.get().filter(|second| &raw const ***second as u64 == queue.as_raw());
    (second.map_or(queue, |second| vk::Queue::from_raw(second.0[1])), second.is_some())
}

above_lavapipe! {
    of_instance {
        b"vkGetPhysicalDeviceQueueFamilyProperties" => families as PFN_vkGetPhysicalDeviceQueueFamilyProperties,
        b"vkGetPhysicalDeviceProperties" => properties as PFN_vkGetPhysicalDeviceProperties,
        b"vkGetPhysicalDeviceFeatures2" => features as PFN_vkGetPhysicalDeviceFeatures2,
        b"vkCreateDevice" => create_device as PFN_vkCreateDevice,
    }
    of_device {
        b"vkGetDeviceQueue" => get_queue as PFN_vkGetDeviceQueue,
        b"vkAllocateMemory" => allocate_memory as PFN_vkAllocateMemory,
        b"vkQueueSubmit" => queue_submit as PFN_vkQueueSubmit,
        b"vkQueueWaitIdle" => queue_wait_idle as PFN_vkQueueWaitIdle,
        b"vkCreateGraphicsPipelines" => create_graphics_pipelines as PFN_vkCreateGraphicsPipelines,
        b"vkCmdSetPrimitiveTopology" => set_topology as PFN_vkCmdSetPrimitiveTopology,
        b"vkCmdBindVertexBuffers2" => bind_vertex_buffers_2 as PFN_vkCmdBindVertexBuffers2,
        b"vkCmdDrawIndirect" => draw_indirect as PFN_vkCmdDrawIndirect,
    }
}

fn instance() -> &'static ash::Instance {
    BELOW.instance()
}

fn device() -> &'static ash::Device {
    BELOW.device()
}

unsafe extern "system" fn families(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    families: *mut vk::QueueFamilyProperties,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        (instance().fp_v1_0().get_physical_device_queue_family_properties)(
            physical, count, families,
        );
        if !families.is_null() {
            (*families).queue_count = 2;
        }
    }
}

unsafe extern "system" fn properties(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        (instance().fp_v1_0().get_physical_device_properties)(physical, properties);
        let limits = &mut (*properties).limits;
        limits.max_vertex_input_attributes = ATTRIBUTES;
        limits.max_vertex_input_bindings = BINDINGS;
        limits.max_push_constants_size = 128;
    }
}

/// Reports protected memory as supported, if its structure is the first in the chain.
unsafe extern "system" fn features(
    physical: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        (instance().fp_v1_1().get_physical_device_features2)(physical, features);
        let first = (*features).p_next.cast::<vk::PhysicalDeviceProtectedMemoryFeatures<'_>>();
        let protected = vk::StructureType::PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES;
        if let Some(first) = first.as_mut().filter(|first| first.s_type == protected) {
            first.protected_memory = vk::TRUE;
        }
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    created: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, with one queue create info.
    unsafe {
        let queues = vk::DeviceQueueCreateInfo { queue_count: 1, ..*(*info).p_queue_create_infos };
        let changed = vk::DeviceCreateInfo { p_queue_create_infos: &raw const queues, ..*info };
        BELOW.create_device(physical, &raw const changed, allocator, created)
    }
}

unsafe extern "system" fn get_queue(
    of: vk::Device,
    family: u32,
    number: u32,
    queue: *mut vk::Queue,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        (device().fp_v1_0().get_device_queue)(of, family, 0, queue);
        if number == 1 {
            let first = (*queue).as_raw();
            let second = SECOND.get_or_init(|| Box::new(Second([0, first])));
            *queue = vk::Queue::from_raw(&raw const **second as u64);
        }
    }
}

unsafe extern "system" fn allocate_memory(
    of: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let size = (*info).allocation_size;
        ALLOCATED.lock().unwrap_or_else(PoisonError::into_inner).push(size);
        (device().fp_v1_0().allocate_memory)(of, info, allocator, memory)
    }
}

unsafe extern "system" fn queue_submit(
    queue: vk::Queue,
    count: u32,
    submits: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    let (queue, is_second) = queue_of(queue);
    // SAFETY: the caller passes arguments that Vulkan allows; timeline values are first in the chain.
    unsafe {
        for submit in std::slice::from_raw_parts(submits, count as usize) {
            let values = submit.p_next.cast::<vk::TimelineSemaphoreSubmitInfo<'_>>().as_ref();
            let pairs = |semaphores: *const vk::Semaphore, values: *const u64, count: u32| {
                (0..count as usize).map(|i| (*semaphores.add(i), *values.add(i))).collect()
            };
            let mut noted = Submitted {
                is_second,
                command_buffers: submit.command_buffer_count,
                ..Submitted::default()
            };
            if let Some(values) = values {
                let waits = (submit.p_wait_semaphores, values.p_wait_semaphore_values);
                noted.waits = pairs(waits.0, waits.1, submit.wait_semaphore_count);
                let signals = (submit.p_signal_semaphores, values.p_signal_semaphore_values);
                noted.signals = pairs(signals.0, signals.1, submit.signal_semaphore_count);
            }
            SUBMITTED.lock().unwrap_or_else(PoisonError::into_inner).push(noted);
        }
        (device().fp_v1_0().queue_submit)(queue, count, submits, fence)
    }
}

unsafe extern "system" fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { (device().fp_v1_0().queue_wait_idle)(queue_of(queue).0) }
}

/// Records a fault for triangle fans, and for strips without primitive restart.
fn check_assembly(topology: vk::PrimitiveTopology, restarts: bool) {
    use vk::PrimitiveTopology as Topology;
    fault(topology == Topology::TRIANGLE_FAN, "triangle fans");
    let is_strip = [Topology::LINE_STRIP, Topology::TRIANGLE_STRIP].contains(&topology);
    fault(is_strip && !restarts, format!("{topology:?} without restart"));
}

fn check_input(input: &vk::PipelineVertexInputStateCreateInfo<'_>) {
    // SAFETY: the structure is valid.
    let (attributes, bindings) = unsafe {
        (
            slice(input.p_vertex_attribute_descriptions, input.vertex_attribute_description_count),
            slice(input.p_vertex_binding_descriptions, input.vertex_binding_description_count),
        )
    };
    for one in attributes {
        fault(one.location >= ATTRIBUTES, format!("attribute {}", one.location));
        fault(!one.offset.is_multiple_of(ALIGNMENT), format!("an attribute at {}", one.offset));
    }
    for one in bindings {
        fault(one.binding >= BINDINGS, format!("binding {}", one.binding));
        fault(!one.stride.is_multiple_of(ALIGNMENT), format!("a stride of {}", one.stride));
    }
}

/// Returns an array as a slice, which is empty if the pointer is null.
unsafe fn slice<'s, T>(first: *const T, count: u32) -> &'s [T] {
    if first.is_null() {
        return &[];
    }
    // SAFETY: the caller passes an array of `count` elements.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

unsafe extern "system" fn create_graphics_pipelines(
    of: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, and no pipeline libraries.
    unsafe {
        for info in slice(infos, count) {
            let assembly = &*info.p_input_assembly_state;
            let dynamic = info.p_dynamic_state.as_ref();
            let dynamic =
                dynamic.map_or(&[][..], |one| slice(one.p_dynamic_states, one.dynamic_state_count));
            let restarts = dynamic.contains(&vk::DynamicState::PRIMITIVE_RESTART_ENABLE);
            let restarts = restarts || assembly.primitive_restart_enable == vk::TRUE;
            check_assembly(assembly.topology, restarts);
            if !dynamic.contains(&vk::DynamicState::VERTEX_INPUT_EXT) {
                check_input(&*info.p_vertex_input_state);
            }
        }
        let next = device().fp_v1_0().create_graphics_pipelines;
        next(of, cache, count, infos, allocator, pipelines)
    }
}

unsafe extern "system" fn set_topology(
    commands: vk::CommandBuffer,
    topology: vk::PrimitiveTopology,
) {
    check_assembly(topology, true);
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { (device().fp_v1_3().cmd_set_primitive_topology)(commands, topology) };
}

unsafe extern "system" fn bind_vertex_buffers_2(
    commands: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const vk::DeviceSize,
    sizes: *const vk::DeviceSize,
    strides: *const vk::DeviceSize,
) {
    fault(first + count > BINDINGS, format!("bindings {first} to {}", first + count));
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        for stride in slice(strides, count) {
            fault(!stride.is_multiple_of(ALIGNMENT.into()), format!("a stride of {stride}"));
        }
        let next = device().fp_v1_3().cmd_bind_vertex_buffers2;
        next(commands, first, count, buffers, offsets, sizes, strides);
    }
}

unsafe extern "system" fn draw_indirect(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    offset: vk::DeviceSize,
    count: u32,
    stride: u32,
) {
    fault(!offset.is_multiple_of(4) || !stride.is_multiple_of(4), "arguments are not aligned");
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { (device().fp_v1_0().cmd_draw_indirect)(commands, buffer, offset, count, stride) };
}
