//! The features of pipelines that the settings let the layer provide, as a physical device reports them.

use crate::features::Feature;
use crate::recipes::Provided;
use crate::settings::{Mode, Settings};
use ash::vk;
use polyshade::clip_cull::Emulated;
use std::ffi::CStr;

/// The extension by which a pipeline selects depths from -1 to 1.
pub(crate) const DEPTH_CLIP: &CStr = ash::ext::depth_clip_control::NAME;

/// The number of clip and cull distances, each and together, that a device with the features has at least.
const DISTANCES: u32 = 8;

/// The features that the layer provides on a physical device. The settings name them, and the driver lacks them or they
/// are hidden.
pub(crate) struct PipelineFeatures {
    of_core: Vec<Feature>,
    pub(crate) depth_clip: bool,
}

impl PipelineFeatures {
    pub(crate) fn new(
        settings: &Settings,
        of_driver: impl FnOnce() -> vk::PhysicalDeviceFeatures,
        lists_depth_clip: impl FnOnce() -> bool,
    ) -> Self {
        let has_names = !settings.provide.is_empty() || settings.provide_depth_clip;
        if settings.mode == Mode::PassThrough || !has_names {
            return Self { of_core: Vec::new(), depth_clip: false };
        }
        let of_driver = of_driver();
        let lacks = |feature: &Feature| {
            settings.hide_features.contains(feature) || !feature.is_in(of_driver)
        };
        let of_core = settings.provide.iter().copied().filter(lacks).collect();
        let depth_clip =
            settings.provide_depth_clip && (settings.hides(DEPTH_CLIP) || !lists_depth_clip());
        Self { of_core, depth_clip }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.of_core.is_empty() && !self.depth_clip
    }

    pub(crate) fn contains(&self, feature: Feature) -> bool {
        self.of_core.contains(&feature)
    }

    /// Returns the features of a device on which the application enables the features `asked` and, if
    /// `has_depth_clip` is set, `VK_EXT_depth_clip_control`.
    pub(crate) fn on_device(
        &self,
        asked: Option<vk::PhysicalDeviceFeatures>,
        has_depth_clip: bool,
    ) -> Provided {
        let provides = |feature: Feature| {
            self.contains(feature) && asked.is_some_and(|asked| feature.is_in(asked))
        };
        let distances = match provides(Feature::ShaderClipDistance) {
            true => Some(Emulated::All),
            false => provides(Feature::ShaderCullDistance).then_some(Emulated::Cull),
        };
        Provided { distances, depth_clip: has_depth_clip }
    }

    /// Reports the features of core Vulkan.
    pub(crate) fn show(&self, features: &mut vk::PhysicalDeviceFeatures) {
        self.of_core.iter().for_each(|feature| feature.show(features));
    }

    /// Reports the limits that belong to these features.
    pub(crate) fn widen(&self, limits: &mut vk::PhysicalDeviceLimits) {
        let provided = |feature| if self.contains(feature) { DISTANCES } else { 0 };
        let clip = provided(Feature::ShaderClipDistance);
        let cull = provided(Feature::ShaderCullDistance);
        for (limit, least) in [
            (&mut limits.max_clip_distances, clip),
            (&mut limits.max_cull_distances, cull),
            (&mut limits.max_combined_clip_and_cull_distances, clip.max(cull)),
        ] {
            *limit = least.max(*limit);
        }
    }
}
