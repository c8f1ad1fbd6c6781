//! Images that shaders read and write, as plain data.

use crate::error::Error;
use crate::format;
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
    pub(crate) fn size(&self) -> Result<u64, Error> {
        let texel = self.texel_size()?;
        [self.width, self.height, self.depth, self.layers]
            .iter()
            .try_fold(texel, |size, &count| size.checked_mul(u64::from(count)))
            .filter(|&size| size <= MOST_BYTES)
            .ok_or_else(|| Error::Unsupported(format!("a texture of more than {MOST_BYTES} bytes")))
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

    pub(crate) fn extent(&self) -> vk::Extent3D {
        vk::Extent3D { width: self.width, height: self.height, depth: self.depth }
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

    /// What all texels are, where they have several samples.
    pub(crate) fn fill(&self) -> Option<Fill> {
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
