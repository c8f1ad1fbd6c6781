//! The images of targets and textures, each with the buffer that it is copied from or to.

use crate::device::Device;
use crate::error::Error;
use crate::format;
use crate::memory::{self, Buffer, Owned};
use crate::texture::{Fill, Texture};
use crate::work::{Resource, Target, Work};
use ash::vk;

/// An image to draw to, and the buffer for its pixels.
pub(crate) struct Image<'d> {
    pub(crate) view: Owned<'d, vk::ImageView>,
    pub(crate) handle: Owned<'d, vk::Image>,
    _memory: Owned<'d, vk::DeviceMemory>,
    pub(crate) pixels: Buffer<'d>,
    pub(crate) target: Target,
    /// Whether the buffer contains the pixels before the first draw.
    pub(crate) is_given: bool,
}

impl<'d> Image<'d> {
    pub(crate) fn new(
        device: &'d Device,
        work: &Work<'_>,
        index: usize,
    ) -> Result<Image<'d>, Error> {
        use vk::ImageUsageFlags as Usage;
        let target = work.targets[index];
        let given = work.pixels.iter().find(|(of, _)| *of == index).map(|(_, pixels)| pixels);
        let size = if target.is_multisampled() { 0 } else { target.size()? as usize };
        let pixels = match given {
            Some(pixels) => Buffer::new(device, pixels)?,
            None => Buffer::new(device, &vec![0; size])?,
        };
        let is_given = given.is_some();
        let attachment = match format::is_depth(target.format) {
            true => Usage::DEPTH_STENCIL_ATTACHMENT,
            false => Usage::COLOR_ATTACHMENT,
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
        let (handle, memory) = memory::create_image(device, &info)?;
        let all = format::subresources(target.format, 1);
        let view = memory::create_view(device, *handle, vk::ImageViewType::TYPE_2D, &info, all)?;
        Ok(Image { view, handle, _memory: memory, pixels, target, is_given })
    }
}

/// The image of a texture, and the buffer from which it is filled and to which it is read back.
pub(crate) struct TextureImage<'d> {
    pub(crate) view: Owned<'d, vk::ImageView>,
    pub(crate) handle: Owned<'d, vk::Image>,
    _memory: Owned<'d, vk::DeviceMemory>,
    /// The texels of a texture with one sample.
    pub(crate) texels: Buffer<'d>,
    /// The value of all texels of a multisampled texture.
    pub(crate) fill: Option<Fill>,
    pub(crate) subresources: vk::ImageSubresourceRange,
    pub(crate) copies: Vec<vk::BufferImageCopy>,
    pub(crate) storage: bool,
}

impl<'d> TextureImage<'d> {
    pub(crate) fn new(
        device: &'d Device,
        texture: &Texture,
        sampled: bool,
    ) -> Result<TextureImage<'d>, Error> {
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
        let (handle, memory) = memory::create_image(device, &info)?;
        let subresources = vk::ImageSubresourceRange {
            level_count: texture.levels,
            ..format::subresources(texture.format, texture.layers)
        };
        let view = memory::create_view(device, *handle, texture.view, &info, subresources)?;
        let (copies, storage) = (texture.copies()?, texture.storage);
        Ok(TextureImage {
            view,
            handle,
            _memory: memory,
            texels,
            fill,
            subresources,
            copies,
            storage,
        })
    }
}

impl TextureImage<'_> {
    /// Returns the texels of a storage texture. No running work may use it.
    pub(crate) fn read(&self) -> Vec<u8> {
        if self.storage { self.texels.read() } else { Vec::new() }
    }
}

/// Repeats bytes up to a size.
fn repeat_to(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(size).collect()
}
