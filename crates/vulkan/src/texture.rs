//! Images that shaders read and write, as plain data.

use crate::error::Error;
use crate::format;
use ash::vk;

/// An image that shaders read or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// The view type: `TYPE_1D`, `TYPE_2D`, `TYPE_3D`, `CUBE` or an array type.
    pub view: vk::ImageViewType,
    /// The format: an uncompressed colour format, `D16_UNORM` or `D32_SFLOAT`.
    pub format: vk::Format,
    /// The width in texels.
    pub width: u32,
    /// The height in texels; 1 for one-dimensional textures.
    pub height: u32,
    /// The depth in texels; 1 if there are fewer than three dimensions.
    pub depth: u32,
    /// The number of array layers; 1 for textures without layers, 6 for each cube.
    pub layers: u32,
    /// The number of mip levels, each half as large as the previous one; 1 for storage and multisampled textures.
    pub levels: u32,
    /// The number of samples per texel.
    pub samples: vk::SampleCountFlags,
    /// All texels, level by level and layer by layer without gaps, or one value for all texels, as multisampling
    /// requires.
    pub contents: Vec<u8>,
    /// Whether the texture can be a storage image. If so, [`Outcome`](crate::Outcome) contains its texels.
    pub storage: bool,
    /// Whether an image with a sampler compares: the result is 1 if the reference is less than or equal to the texel.
    pub compare: bool,
}

impl Default for Texture {
    /// Returns a 2D texture with one zero texel of format `R8G8B8A8_UNORM`, which cannot be a storage image.
    fn default() -> Texture {
        Texture {
            view: vk::ImageViewType::TYPE_2D,
            format: vk::Format::R8G8B8A8_UNORM,
            width: 1,
            height: 1,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            contents: vec![0; 4],
            storage: false,
            compare: false,
        }
    }
}

const MOST_BYTES: u64 = 1 << 28;

impl Texture {
    /// Returns the size of all texels in bytes, with one sample per texel.
    pub(crate) fn size(&self) -> Result<u64, Error> {
        (0..self.levels).try_fold(0_u64, |sum, level| {
            let size = self.level_size(level)?.saturating_add(sum);
            let too_large =
                || Error::Unsupported(format!("a texture of more than {MOST_BYTES} bytes"));
            (size <= MOST_BYTES).then_some(size).ok_or_else(too_large)
        })
    }

    /// Returns the size of a level in bytes; saturates if the texture is too large.
    fn level_size(&self, level: u32) -> Result<u64, Error> {
        let vk::Extent3D { width, height, depth } = self.extent(level);
        let counts = [width, height, depth, self.layers].map(u64::from);
        Ok(counts.into_iter().fold(self.texel_size()?, |size, count| size.saturating_mul(count)))
    }

    pub(crate) fn texel_size(&self) -> Result<u64, Error> {
        format::size(self.format)
            .ok_or_else(|| Error::Unsupported(format!("a texture of format {:?}", self.format)))
    }

    pub(crate) fn image_type(&self) -> vk::ImageType {
        match self.view {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            vk::ImageViewType::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        }
    }

    pub(crate) fn flags(&self) -> vk::ImageCreateFlags {
        match self.view {
            vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY => {
                vk::ImageCreateFlags::CUBE_COMPATIBLE
            }
            _ => vk::ImageCreateFlags::empty(),
        }
    }

    pub(crate) fn usage(&self, sampled: bool) -> vk::ImageUsageFlags {
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

    pub(crate) fn extent(&self, level: u32) -> vk::Extent3D {
        let [width, height, depth] =
            [self.width, self.height, self.depth].map(|size| (size >> level).max(1));
        vk::Extent3D { width, height, depth }
    }

    /// Returns the copy regions of all levels, from or to a buffer.
    pub(crate) fn copies(&self) -> Result<Vec<vk::BufferImageCopy>, Error> {
        let mut buffer_offset = 0;
        let copy = |level| {
            let copy = vk::BufferImageCopy {
                buffer_offset,
                image_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: format::aspect(self.format),
                    mip_level: level,
                    layer_count: self.layers,
                    ..vk::ImageSubresourceLayers::default()
                },
                image_extent: self.extent(level),
                ..vk::BufferImageCopy::default()
            };
            buffer_offset += self.level_size(level)?;
            Ok(copy)
        };
        (0..self.levels).map(copy).collect()
    }

    pub(crate) fn is_multisampled(&self) -> bool {
        self.samples != vk::SampleCountFlags::TYPE_1
    }

    /// The value of all texels of a multisampled texture.
    pub(crate) fn fill(&self) -> Option<Fill> {
        let texel = &self.contents;
        if format::is_depth(self.format) {
            return format::depth(self.format, texel).map(Fill::Depth);
        }
        format::colour(self.format, texel).map(Fill::Colour)
    }
}

/// The value that an image is cleared to.
pub(crate) enum Fill {
    Colour(vk::ClearColorValue),
    Depth(f32),
}
