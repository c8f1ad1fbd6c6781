//! Memory and images for tests.

use crate::loader::Device;
use ash::vk;

pub(crate) fn memory_barrier(
    src: vk::AccessFlags,
    dst: vk::AccessFlags,
) -> vk::MemoryBarrier<'static> {
    vk::MemoryBarrier::default().src_access_mask(src).dst_access_mask(dst)
}

/// Allocates memory, host-visible if `mapped`.
pub(crate) unsafe fn allocate(
    device: &Device,
    needs: vk::MemoryRequirements,
    mapped: bool,
) -> vk::DeviceMemory {
    let wanted = match mapped {
        true => vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT,
        false => vk::MemoryPropertyFlags::empty(),
    };
    let fits = |i: &u32| {
        let ty = device.memory.memory_types[*i as usize];
        needs.memory_type_bits & (1 << i) != 0 && ty.property_flags.contains(wanted)
    };
    let index = (0..device.memory.memory_type_count).find(fits).expect("there is such memory");
    let info =
        vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
    // SAFETY: the device has this memory type.
    unsafe { device.handle.allocate_memory(&info, None) }.expect("memory")
}

pub(crate) const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

pub(crate) const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// Returns the copy region for all pixels of a square image.
pub(crate) fn pixels(side: u32) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask: WHOLE.aspect_mask,
            layer_count: WHOLE.layer_count,
            ..Default::default()
        },
        image_extent: vk::Extent3D { width: side, height: side, depth: 1 },
        ..Default::default()
    }
}

/// Returns a color attachment that a pass clears, and leaves in the layout for copies.
pub(crate) fn cleared_attachment() -> vk::AttachmentDescription {
    vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::TYPE_1,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        initial_layout: vk::ImageLayout::UNDEFINED,
        final_layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        ..Default::default()
    }
}

/// Creates the framebuffer of a pass with one square color attachment.
pub(crate) unsafe fn framebuffer(
    device: &Device,
    pass: vk::RenderPass,
    view: vk::ImageView,
    side: u32,
) -> vk::Framebuffer {
    let views = [view];
    let info = vk::FramebufferCreateInfo::default()
        .render_pass(pass)
        .attachments(&views)
        .width(side)
        .height(side)
        .layers(1);
    // SAFETY: the structure is valid.
    unsafe { device.handle.create_framebuffer(&info, None) }.expect("a framebuffer")
}

/// Creates a square color attachment that can be read, with additional usages.
pub(crate) unsafe fn image(
    device: &Device,
    side: u32,
    otherwise: vk::ImageUsageFlags,
) -> (vk::Image, vk::DeviceMemory, vk::ImageView) {
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(FORMAT)
        .extent(vk::Extent3D { width: side, height: side, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage | otherwise);
    // SAFETY: all structures are valid.
    unsafe {
        let image = device.handle.create_image(&info, None).expect("an image");
        let memory = allocate(device, device.handle.get_image_memory_requirements(image), false);
        device.handle.bind_image_memory(image, memory, 0).expect("memory");
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(WHOLE);
        (image, memory, device.handle.create_image_view(&info, None).expect("a view"))
    }
}
