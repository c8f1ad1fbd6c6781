//! Images that shaders read and write.

use crate::device::Device;
use crate::error::{Context, Error};
use crate::format;
use crate::memory::{self, Buffer, Owned};
use ash::vk;

/// An image that shaders read or write. It has one mip level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// What shaders see it as: `TYPE_1D`, `TYPE_2D`, `TYPE_3D`, `CUBE` or an array of them.
    pub view: vk::ImageViewType,
    /// The format: a colour that is not compressed, or `D16_UNORM` or `D32_SFLOAT`.
    pub format: vk::Format,
    /// The width in texels.
    pub width: u32,
    /// The height in texels; 1 where there is but one dimension.
    pub height: u32,
    /// The depth in texels; 1 where there are fewer than three dimensions.
    pub depth: u32,
    /// The layers; 1 where it is no array, 6 a cube.
    pub layers: u32,
    /// How many samples a texel has.
    pub samples: vk::SampleCountFlags,
    /// All texels, layer by layer without gaps, or one that all are; where a texel has several samples, the latter.
    pub contents: Vec<u8>,
    /// Whether it can be a storage image. If so, [`Outcome`](crate::Outcome) has its texels.
    pub storage: bool,
    /// Whether an image with a sampler compares with a reference, as a shadow sampler does: 1 where the reference is
    /// less or equal.
    pub compare: bool,
}

impl Default for Texture {
    /// A 2D texture of one texel, zero, of format `R8G8B8A8_UNORM`, not for storage.
    fn default() -> Texture {
        Texture {
            view: vk::ImageViewType::TYPE_2D,
            format: vk::Format::R8G8B8A8_UNORM,
            width: 1,
            height: 1,
            depth: 1,
            layers: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            contents: vec![0; 4],
            storage: false,
            compare: false,
        }
    }
}

/// The most bytes that a texture may have.
const MOST_BYTES: u64 = 1 << 28;

impl Texture {
    /// The bytes of all its texels, one sample of each.
    fn size(&self) -> Result<u64, Error> {
        let texel = self.texel_size()?;
        [self.width, self.height, self.depth, self.layers]
            .iter()
            .try_fold(texel, |size, &count| size.checked_mul(u64::from(count)))
            .filter(|&size| size <= MOST_BYTES)
            .ok_or_else(|| Error::Unsupported(format!("a texture of more than {MOST_BYTES} bytes")))
    }

    fn texel_size(&self) -> Result<u64, Error> {
        format::size(self.format)
            .ok_or_else(|| Error::Unsupported(format!("a texture of format {:?}", self.format)))
    }

    fn image_type(&self) -> vk::ImageType {
        match self.view {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            vk::ImageViewType::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        }
    }

    fn flags(&self) -> vk::ImageCreateFlags {
        match self.view {
            vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY => {
                vk::ImageCreateFlags::CUBE_COMPATIBLE
            }
            _ => vk::ImageCreateFlags::empty(),
        }
    }

    fn usage(&self, sampled: bool) -> vk::ImageUsageFlags {
        use vk::ImageUsageFlags as Usage;
        let mut usage = Usage::TRANSFER_DST;
        if sampled || !self.storage {
            usage |= Usage::SAMPLED;
        }
        if self.storage {
            usage |= Usage::STORAGE | Usage::TRANSFER_SRC;
        }
        usage
    }

    fn extent(&self) -> vk::Extent3D {
        vk::Extent3D { width: self.width, height: self.height, depth: self.depth }
    }

    /// All there is of the image.
    pub(crate) fn subresources(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: format::aspect(self.format),
            level_count: 1,
            layer_count: self.layers,
            ..vk::ImageSubresourceRange::default()
        }
    }

    /// The copy of all of it from or to a buffer.
    pub(crate) fn copy(&self) -> vk::BufferImageCopy {
        vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: format::aspect(self.format),
                layer_count: self.layers,
                ..vk::ImageSubresourceLayers::default()
            },
            image_extent: self.extent(),
            ..vk::BufferImageCopy::default()
        }
    }

    pub(crate) fn is_multisampled(&self) -> bool {
        self.samples != vk::SampleCountFlags::TYPE_1
    }

    /// Refuses what is no image of Vulkan, and what a device has no such image of.
    pub(crate) fn check(&self, device: &Device, sampled: bool) -> Result<(), Error> {
        self.check_shape()?;
        let texel = self.texel_size()?;
        let given = self.contents.len() as u64;
        if given != texel && (given != self.size()? || self.is_multisampled()) {
            return Err(Error::Work(format!("a texture has {given} bytes of contents")));
        }
        if self.is_multisampled() && self.storage {
            return Err(Error::Unsupported("reading back a multisampled texture".to_owned()));
        }
        if self.is_multisampled() && self.fill().is_none() {
            return Err(Error::Unsupported(format!("a multisampled texture of {:?}", self.format)));
        }
        if self.compare && !format::is_depth(self.format) {
            return Err(Error::Unsupported(format!("comparing texels of {:?}", self.format)));
        }
        let cubes = device.capabilities().features.image_cube_array == vk::TRUE;
        if self.view == vk::ImageViewType::CUBE_ARRAY && !cubes {
            return Err(Error::Missing("arrays of cubes"));
        }

        // SAFETY: the device belongs to the instance.
        let limits = unsafe {
            device.instance.handle.get_physical_device_image_format_properties(
                device.physical,
                self.format,
                self.image_type(),
                vk::ImageTiling::OPTIMAL,
                self.usage(sampled),
                self.flags(),
            )
        };
        let limits = match limits {
            Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => None,
            limits => Some(limits.call("vkGetPhysicalDeviceImageFormatProperties")?),
        };
        let fits = |limits: vk::ImageFormatProperties| {
            let most = limits.max_extent;
            self.width <= most.width
                && self.height <= most.height
                && self.depth <= most.depth
                && self.layers <= limits.max_array_layers
                && limits.sample_counts.contains(self.samples)
        };
        if !limits.is_some_and(fits) {
            let Texture { view, format, width, height, depth, layers, samples, .. } = self;
            return Err(Error::Unsupported(format!(
                "a texture {view:?} of {format:?}, {width}×{height}×{depth}, {layers} layers, samples {samples:?}, \
                 storage {}",
                self.storage
            )));
        }
        Ok(())
    }

    fn check_shape(&self) -> Result<(), Error> {
        use vk::ImageViewType as View;
        let &Texture { width, height, depth, layers, .. } = self;
        let fits = match self.view {
            View::TYPE_1D => height == 1 && depth == 1 && layers == 1,
            View::TYPE_1D_ARRAY => height == 1 && depth == 1,
            View::TYPE_2D => depth == 1 && layers == 1,
            View::TYPE_2D_ARRAY => depth == 1,
            View::TYPE_3D => layers == 1,
            View::CUBE => width == height && depth == 1 && layers == 6,
            View::CUBE_ARRAY => width == height && depth == 1 && layers % 6 == 0,
            _ => false,
        };
        let flat = matches!(self.view, View::TYPE_2D | View::TYPE_2D_ARRAY);
        let one = self.samples.as_raw().is_power_of_two() && (flat || !self.is_multisampled());
        if fits && one && [width, height, depth, layers].iter().all(|&size| size > 0) {
            return Ok(());
        }
        let (view, samples) = (self.view, self.samples);
        Err(Error::Work(format!(
            "a texture {view:?} of {width}×{height}×{depth}, {layers} layers, samples {samples:?}"
        )))
    }

    /// What all texels are, where they have several samples.
    fn fill(&self) -> Option<Fill> {
        let texel = &self.contents;
        if format::is_depth(self.format) {
            return format::depth(self.format, texel).map(Fill::Depth);
        }
        format::colour(self.format, texel).map(Fill::Colour)
    }
}

/// What an image is cleared to.
pub(crate) enum Fill {
    Colour(vk::ClearColorValue),
    Depth(f32),
}

/// The image of a texture, and the buffer that it is filled from and read back to.
pub(crate) struct TextureImage<'d> {
    pub(crate) view: Owned<'d, vk::ImageView>,
    pub(crate) handle: Owned<'d, vk::Image>,
    _memory: Owned<'d, vk::DeviceMemory>,
    /// The texels, where they have one sample.
    pub(crate) texels: Buffer<'d>,
    /// What all texels are, where they have several.
    pub(crate) fill: Option<Fill>,
    pub(crate) subresources: vk::ImageSubresourceRange,
    pub(crate) copy: vk::BufferImageCopy,
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
            .extent(texture.extent())
            .mip_levels(1)
            .array_layers(texture.layers)
            .samples(texture.samples)
            .usage(texture.usage(sampled));
        let (handle, memory) = memory::create_image(device, &info)?;
        let subresources = texture.subresources();
        let view = memory::create_view(device, *handle, texture.view, &info, subresources)?;
        let (copy, storage) = (texture.copy(), texture.storage);
        Ok(TextureImage {
            view,
            handle,
            _memory: memory,
            texels,
            fill,
            subresources,
            copy,
            storage,
        })
    }
}

impl TextureImage<'_> {
    /// The texels, where the texture is for storage. No work that uses it may be under way.
    pub(crate) fn read(&self) -> Vec<u8> {
        if self.storage { self.texels.read() } else { Vec::new() }
    }
}

/// These bytes, over and over, up to a size.
fn repeat_to(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(size).collect()
}
