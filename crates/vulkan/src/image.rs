//! The images of targets and textures, each with the buffer that it is copied from and to.

use crate::device::Device;
use crate::error::Error;
use crate::format;
use crate::memory::{self, Buffer, Owned};
use crate::texture::{Fill, Texture};
use crate::work::{Resource, Work};
use ash::vk;

/// An image, and the buffer for its texels.
pub(crate) struct Image<'d> {
    pub(crate) view: Owned<'d, vk::ImageView>,
    pub(crate) handle: Owned<'d, vk::Image>,
    _memory: Owned<'d, vk::DeviceMemory>,
    /// The texels before the first draw, if there is no fill, and the texels that are read back.
    pub(crate) texels: Buffer<'d>,
    /// The value of all texels before the first draw.
    pub(crate) fill: Option<Fill>,
    pub(crate) subresources: vk::ImageSubresourceRange,
    pub(crate) copies: Vec<vk::BufferImageCopy>,
    pub(crate) extent: vk::Extent3D,
    /// Whether the texels are read back after the last draw.
    pub(crate) is_read: bool,
}

impl<'d> Image<'d> {
    /// Creates the image of a target.
    pub(crate) fn of_target(
        device: &'d Device,
        work: &Work<'_>,
        index: usize,
    ) -> Result<Image<'d>, Error> {
        use vk::ImageUsageFlags as Usage;
        let target = work.targets[index];
        let given = work.pixels.iter().find(|(of, _)| *of == index).map(|(_, pixels)| pixels);
        let size = if target.is_multisampled() { 0 } else { target.size()? as usize };
        let texels = match given {
            Some(pixels) => Buffer::new(device, pixels)?,
            None => Buffer::new(device, &vec![0; size])?,
        };
        let (attachment, zero) = match format::is_depth(target.format) {
            true => (Usage::DEPTH_STENCIL_ATTACHMENT, Fill::Depth(0.0)),
            false => (Usage::COLOR_ATTACHMENT, Fill::Colour(vk::ClearColorValue::default())),
        };
        // Resources of the draws require additional usages.
        let mut usage = attachment | Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
        for resource in work.draws.iter().flat_map(|draw| &draw.descriptors) {
            usage |= match resource.resource {
                Resource::InputAttachment(named) if named == index => Usage::INPUT_ATTACHMENT,
                Resource::TargetImage(named) if named == index => Usage::SAMPLED,
                _ => Usage::empty(),
            };
        }
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(target.format)
            .extent(vk::Extent3D { width: target.width, height: target.height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(target.samples)
            .usage(usage);
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(format::aspect(target.format))
            .layer_count(1);
        let whole =
            vk::BufferImageCopy::default().image_subresource(layers).image_extent(info.extent);
        let fill = if given.is_some() { None } else { Some(zero) };
        let is_read = !target.is_multisampled();
        let view = vk::ImageViewType::TYPE_2D;
        Image::new(device, &info, view, (texels, fill), vec![whole], is_read)
    }

    /// Creates the image of a texture.
    pub(crate) fn of_texture(
        device: &'d Device,
        texture: &Texture,
        sampled: bool,
    ) -> Result<Image<'d>, Error> {
        let fill = if texture.is_multisampled() { texture.fill() } else { None };
        let size = if fill.is_some() { 0 } else { texture.size()? as usize };
        let texels = Buffer::new(device, &repeat_to(&texture.contents, size))?;
        let info = vk::ImageCreateInfo::default()
            .flags(texture.flags())
            .image_type(texture.image_type())
            .format(texture.format)
            .extent(texture.extent(0))
            .mip_levels(texture.levels)
            .array_layers(texture.layers)
            .samples(texture.samples)
            .usage(texture.usage(sampled));
        let copies = texture.copies()?;
        Image::new(device, &info, texture.view, (texels, fill), copies, texture.storage)
    }

    fn new(
        device: &'d Device,
        info: &vk::ImageCreateInfo<'_>,
        view: vk::ImageViewType,
        (texels, fill): (Buffer<'d>, Option<Fill>),
        copies: Vec<vk::BufferImageCopy>,
        is_read: bool,
    ) -> Result<Image<'d>, Error> {
        let (handle, memory) = memory::create_image(device, info)?;
        let subresources = vk::ImageSubresourceRange::default()
            .aspect_mask(format::aspect(info.format))
            .level_count(info.mip_levels)
            .layer_count(info.array_layers);
        let view = memory::create_view(device, *handle, view, info, subresources)?;
        let (_memory, extent) = (memory, info.extent);
        Ok(Image { view, handle, _memory, texels, fill, subresources, copies, extent, is_read })
    }

    /// Returns the texels that were read back; empty if they were not. No running work may use the image.
    pub(crate) fn read(&self) -> Vec<u8> {
        if self.is_read { self.texels.read() } else { Vec::new() }
    }
}

/// Repeats bytes up to a size.
fn repeat_to(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(size).collect()
}
