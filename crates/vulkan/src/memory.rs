//! Vulkan objects that are destroyed when their owner is dropped, and the memory of buffers and images.

use crate::device::Device;
use crate::error::{Context, Error};
use ash::vk;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// A Vulkan object that can be destroyed through its device alone.
pub(crate) trait Object: Copy {
    /// # Safety
    ///
    /// The object belongs to the device, and nothing uses it, now or later.
    unsafe fn destroy(self, device: &ash::Device);
}

macro_rules! objects {
    ($($object:ident: $destroy:ident,)*) => {
        $(impl Object for vk::$object {
            unsafe fn destroy(self, device: &ash::Device) {
                // SAFETY: guaranteed by the caller.
                unsafe { device.$destroy(self, None) }
            }
        })*
    };
}

objects! {
    Buffer: destroy_buffer,
    BufferView: destroy_buffer_view,
    CommandPool: destroy_command_pool,
    DescriptorPool: destroy_descriptor_pool,
    DescriptorSetLayout: destroy_descriptor_set_layout,
    DeviceMemory: free_memory,
    Fence: destroy_fence,
    Framebuffer: destroy_framebuffer,
    Image: destroy_image,
    ImageView: destroy_image_view,
    Pipeline: destroy_pipeline,
    PipelineLayout: destroy_pipeline_layout,
    QueryPool: destroy_query_pool,
    RenderPass: destroy_render_pass,
    Sampler: destroy_sampler,
    ShaderModule: destroy_shader_module,
}

/// Destroys a Vulkan object when dropped. Code that submits work keeps the value until the work has finished, or leaks
/// it.
pub(crate) struct Owned<'d, T: Object> {
    device: &'d ash::Device,
    object: T,
}

impl<'d, T: Object> Owned<'d, T> {
    /// Takes the object that the call with this name returned.
    pub(crate) fn new(
        device: &'d Device,
        created: Result<T, vk::Result>,
        call: &'static str,
    ) -> Result<Owned<'d, T>, Error> {
        created.call(call).map(|object| Owned { device: &device.handle, object })
    }

    /// Returns the object and does not destroy it.
    pub(crate) fn release(self) -> T {
        ManuallyDrop::new(self).object
    }
}

impl<T: Object> Deref for Owned<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.object
    }
}

impl<T: Object> Drop for Owned<'_, T> {
    fn drop(&mut self) {
        // SAFETY: other copies of the object live only during a call, and submitted work has finished.
        unsafe { self.object.destroy(self.device) };
    }
}

/// A buffer that both host and device access.
pub(crate) struct Buffer<'d> {
    pub(crate) handle: Owned<'d, vk::Buffer>,
    _memory: Owned<'d, vk::DeviceMemory>,
    mapped: *mut u8,
    size: usize,
    /// The address, if the device supports addresses.
    address: Option<vk::DeviceAddress>,
}

impl<'d> Buffer<'d> {
    /// Creates a buffer with these contents and with every usage that the device supports.
    pub(crate) fn new(device: &'d Device, contents: &[u8]) -> Result<Buffer<'d>, Error> {
        use vk::BufferUsageFlags as Usage;
        let mut usage = Usage::VERTEX_BUFFER
            | Usage::STORAGE_BUFFER
            | Usage::UNIFORM_BUFFER
            | Usage::UNIFORM_TEXEL_BUFFER
            | Usage::STORAGE_TEXEL_BUFFER
            | Usage::INDEX_BUFFER
            | Usage::INDIRECT_BUFFER
            | Usage::TRANSFER_SRC
            | Usage::TRANSFER_DST;
        if device.transform_feedback.is_some() {
            usage |=
                Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
        }
        let has_addresses = device.has_addresses();
        if has_addresses {
            usage |= Usage::SHADER_DEVICE_ADDRESS;
        }
        // Vulkan does not allow empty buffers, but this crate does.
        let info = vk::BufferCreateInfo::default().size(contents.len().max(4) as u64).usage(usage);

        // SAFETY: the memory is new, large enough, of an allowed type and mapped completely.
        unsafe {
            let handle = device.handle.create_buffer(&info, None);
            let handle = Owned::new(device, handle, "vkCreateBuffer")?;
            let needs = device.handle.get_buffer_memory_requirements(*handle);
            let seen =
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let memory = allocate(device, needs, (seen, device.buffers), has_addresses)?;
            device.handle.bind_buffer_memory(*handle, *memory, 0).call("vkBindBufferMemory")?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(*handle);
            let address = has_addresses.then(|| device.handle.get_buffer_device_address(&info));
            let mapped = device
                .handle
                .map_memory(*memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .call("vkMapMemory")?
                .cast::<u8>();
            mapped.copy_from_nonoverlapping(contents.as_ptr(), contents.len());
            Ok(Buffer { handle, _memory: memory, mapped, size: contents.len(), address })
        }
    }

    pub(crate) fn address(&self) -> Option<vk::DeviceAddress> {
        self.address
    }

    /// Overwrites a part of the contents. No running work may use the buffer.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.size, "the bytes fit into the buffer");
        // SAFETY: the memory stays mapped as long as the buffer lives, and contains the bytes.
        unsafe { self.mapped.add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Returns the contents. No running work may use the buffer.
    pub(crate) fn read(&self) -> Vec<u8> {
        // SAFETY: the memory stays mapped, and has at least `size` bytes, as long as the buffer lives.
        unsafe { std::slice::from_raw_parts(self.mapped, self.size) }.to_vec()
    }
}

/// Returns the results of a query.
///
/// # Safety
///
/// A query of the pool has this number of results, and its submission has finished.
pub(crate) unsafe fn query_results<const RESULTS: usize>(
    device: &Device,
    pool: vk::QueryPool,
    query: u32,
) -> Result<[u64; RESULTS], Error> {
    let mut results = [[0; RESULTS]];
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
    // SAFETY: guaranteed by the caller.
    unsafe { device.handle.get_query_pool_results(pool, query, &mut results, flags) }
        .call("vkGetQueryPoolResults")?;
    Ok(results[0])
}

/// Creates an image with its own memory.
pub(crate) fn create_image<'d>(
    device: &'d Device,
    info: &vk::ImageCreateInfo<'_>,
) -> Result<(Owned<'d, vk::Image>, Owned<'d, vk::DeviceMemory>), Error> {
    // SAFETY: the memory is new, large enough and of an allowed type.
    unsafe {
        let handle = device.handle.create_image(info, None);
        let handle = Owned::new(device, handle, "vkCreateImage")?;
        let needs = device.handle.get_image_memory_requirements(*handle);
        let any = vk::MemoryPropertyFlags::empty();
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let memory = allocate(device, needs, (any, local), false)?;
        device.handle.bind_image_memory(*handle, *memory, 0).call("vkBindImageMemory")?;
        Ok((handle, memory))
    }
}

/// Creates a view of an image that was created from `info`.
pub(crate) fn create_view<'d>(
    device: &'d Device,
    image: vk::Image,
    view_type: vk::ImageViewType,
    info: &vk::ImageCreateInfo<'_>,
    subresources: vk::ImageSubresourceRange,
) -> Result<Owned<'d, vk::ImageView>, Error> {
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(view_type)
        .format(info.format)
        .subresource_range(subresources);
    // SAFETY: the view fits the image.
    let view = unsafe { device.handle.create_image_view(&info, None) };
    Owned::new(device, view, "vkCreateImageView")
}

/// Allocates memory with the required properties, and with the preferred properties if possible.
fn allocate<'d>(
    device: &'d Device,
    needs: vk::MemoryRequirements,
    (must, better): (vk::MemoryPropertyFlags, vk::MemoryPropertyFlags),
    has_address: bool,
) -> Result<Owned<'d, vk::DeviceMemory>, Error> {
    let find = |properties| {
        (0..device.memory.memory_type_count).find(|&index| {
            let memory_type = device.memory.memory_types[index as usize];
            needs.memory_type_bits & (1 << index) != 0
                && memory_type.property_flags.contains(properties)
        })
    };
    let Some(index) = find(must | better).or_else(|| find(must)) else {
        return Err(Error::Missing("host-visible memory"));
    };
    let mut flags =
        vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut info =
        vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
    if has_address {
        info = info.push_next(&mut flags);
    }
    // SAFETY: the memory type belongs to the device.
    let memory = unsafe { device.handle.allocate_memory(&info, None) };
    Owned::new(device, memory, "vkAllocateMemory")
}
