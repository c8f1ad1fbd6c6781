//! Rejects textures that are not valid Vulkan images, and textures that a device does not support.

use crate::device::Device;
use crate::error::{Context, Error};
use crate::format;
use crate::texture::Texture;
use ash::vk;

impl Texture {
    /// Rejects a texture that Vulkan does not allow or the device does not support.
    pub(crate) fn check(&self, device: &Device, sampled: bool) -> Result<(), Error> {
        self.check_shape()?;
        let texel = self.texel_size()?;
        let given = self.contents.len() as u64;
        if given != texel && (given != self.size()? || self.is_multisampled()) {
            return Err(Error::Work(format!("a texture cannot have {given} bytes of contents")));
        }
        if self.levels > 1 && self.storage {
            return Err(Error::Unsupported(
                "reading back a texture with several mip levels".to_owned(),
            ));
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
            return Err(Error::Missing("cube map arrays"));
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
                && self.levels <= limits.max_mip_levels
                && limits.sample_counts.contains(self.samples)
        };
        if !limits.is_some_and(fits) {
            let Texture { view, format, storage, .. } = self;
            let shape = self.shape();
            return Err(Error::Unsupported(format!(
                "a texture {view:?} of {format:?}, {shape}, storage {storage}"
            )));
        }
        Ok(())
    }

    fn check_shape(&self) -> Result<(), Error> {
        use vk::ImageViewType as View;
        let &Texture { width, height, depth, layers, levels, .. } = self;
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
        // The last level has one texel.
        let most_levels = width.max(height).max(depth).checked_ilog2().map_or(0, |last| last + 1);
        let has_levels = levels <= if self.is_multisampled() { 1 } else { most_levels };
        let is_there = [width, height, depth, layers, levels].iter().all(|&size| size > 0);
        match fits && one && has_levels && is_there {
            true => Ok(()),
            false => Err(Error::Work(format!(
                "a texture {:?} of {} is not valid",
                self.view,
                self.shape()
            ))),
        }
    }

    fn shape(&self) -> String {
        let Texture { width, height, depth, layers, levels, samples, .. } = self;
        format!("{width}×{height}×{depth}, {layers} layers, {levels} levels, samples {samples:?}")
    }
}
