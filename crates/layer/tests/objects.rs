//! Memory, and images with their render passes, for tests.

use crate::graphics::area;
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

/// A square color attachment, with a pass that clears it and leaves it in the layout for copies. Its objects are
/// destroyed on drop.
pub(crate) struct Canvas<'d> {
    device: &'d Device,
    pub(crate) side: u32,
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    pub(crate) pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl<'d> Canvas<'d> {
    /// With `captures`, captures in the pass wait for transfers before it.
    pub(crate) fn new(device: &'d Device, side: u32, captures: bool) -> Self {
        // SAFETY: all structures are valid.
        unsafe {
            let (image, memory, view) = image(device, side, vk::ImageUsageFlags::empty());
            let pass = pass(device, captures);
            let framebuffer = framebuffer(device, pass, view, side);
            Self { device, side, image, memory, view, pass, framebuffer }
        }
    }

    pub(crate) fn begin_pass(&self, commands: vk::CommandBuffer, contents: vk::SubpassContents) {
        let clear = [vk::ClearValue::default()];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(area(self.side))
            .clear_values(&clear);
        // SAFETY: no render pass is active.
        unsafe { self.device.handle.cmd_begin_render_pass(commands, &begin, contents) };
    }

    /// Copies the pixels to a buffer.
    pub(crate) fn copy(&self, commands: vk::CommandBuffer, to: vk::Buffer) {
        let (layout, region) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, pixels(self.side));
        let vulkan = &self.device.handle;
        // SAFETY: the pass has left the image in this layout.
        unsafe { vulkan.cmd_copy_image_to_buffer(commands, self.image, layout, to, &[region]) };
    }
}

impl Drop for Canvas<'_> {
    fn drop(&mut self) {
        let vulkan = &self.device.handle;
        // SAFETY: nothing is in use.
        unsafe {
            vulkan.destroy_framebuffer(self.framebuffer, None);
            vulkan.destroy_render_pass(self.pass, None);
            vulkan.destroy_image_view(self.view, None);
            vulkan.destroy_image(self.image, None);
            vulkan.free_memory(self.memory, None);
        }
    }
}

unsafe fn pass(device: &Device, captures: bool) -> vk::RenderPass {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let attachments = [vk::AttachmentDescription {
        format: FORMAT,
        samples: vk::SampleCountFlags::TYPE_1,
        load_op: vk::AttachmentLoadOp::CLEAR,
        store_op: vk::AttachmentStoreOp::STORE,
        initial_layout: vk::ImageLayout::UNDEFINED,
        final_layout: vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        ..Default::default()
    }];
    let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let targets = [vk::AttachmentReference { attachment: 0, layout }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&targets)];
    let drawn = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE);
    let mut before = vk::SubpassDependency {
        src_subpass: vk::SUBPASS_EXTERNAL,
        src_stage_mask: drawn.0 | Stage::TRANSFER,
        src_access_mask: drawn.1 | Access::TRANSFER_READ | Access::TRANSFER_WRITE,
        dst_stage_mask: drawn.0,
        dst_access_mask: drawn.1,
        ..Default::default()
    };
    if captures {
        before.dst_stage_mask |= Stage::TRANSFORM_FEEDBACK_EXT;
        before.dst_access_mask |= Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT;
    }
    let after = vk::SubpassDependency {
        dst_subpass: vk::SUBPASS_EXTERNAL,
        src_stage_mask: drawn.0,
        src_access_mask: drawn.1,
        dst_stage_mask: Stage::TRANSFER,
        dst_access_mask: Access::TRANSFER_READ,
        ..Default::default()
    };
    let dependencies = [before, after];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: all structures are valid.
    unsafe { device.handle.create_render_pass(&info, None) }.expect("a pass")
}
