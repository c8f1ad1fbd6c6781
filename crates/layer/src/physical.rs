//! Physical devices: the driver's features without the hidden features, and the features that the layer adds.

use crate::chain::text;
use crate::features::Feature;
use crate::instance::{Instance, answer_of_layer, extension};
use crate::log::Level;
use crate::pipeline_features::{DEPTH_CLIP, PipelineFeatures};
use crate::pnext::{Unlinked, find, walk};
use crate::settings::Mode;
use crate::structures::{self, Owned, StructureKind};
use crate::two_call::{read_list, write_list};
use crate::usages::{usage, usage_chain};
use crate::{LAYER_NAME, features, known, portability, reported_features};
use ash::vk;
use ash::vk::TaggedStructure as _;
use std::ffi::{CStr, c_char};

type Feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>;
type Generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>;
type FeedbackProperties = vk::PhysicalDeviceTransformFeedbackPropertiesEXT<'static>;
type Provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT<'static>;
type ProvokingProperties = vk::PhysicalDeviceProvokingVertexPropertiesEXT<'static>;

/// A physical device as the layer presents it to applications.
pub(crate) struct View<'i> {
    instance: &'i Instance,
    physical: vk::PhysicalDevice,
    /// Whether the driver has transform feedback and the settings do not hide it.
    native_feedback: bool,
    pub(crate) provides_feedback: bool,
    /// Whether the layer also captures, instead of only advertising the feature.
    pub(crate) emulates_feedback: bool,
    pub(crate) pipelines: PipelineFeatures,
}

type DepthClip = vk::PhysicalDeviceDepthClipControlFeaturesEXT<'static>;
type Dynamic = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'static>;

/// An extension whose pipeline libraries may contain a stage without the stages that it is linked with.
const LIBRARIES: &CStr = ash::ext::graphics_pipeline_library::NAME;

impl<'i> View<'i> {
    pub(crate) fn new(instance: &'i Instance, physical: vk::PhysicalDevice) -> Self {
        let is_hidden = instance.settings.hides(reported_features::NAME);
        let native_feedback = !is_hidden && has_native_feedback(instance, physical);
        let mode = instance.settings.mode;
        let emulates_feedback =
            mode == Mode::Auto && !native_feedback && can_emulate(instance, physical);
        let provides_feedback = emulates_feedback || mode == Mode::DebugNull && !native_feedback;
        let pipelines = PipelineFeatures::new(
            &instance.settings,
            || instance.features(physical),
            || is_listed_below(instance, physical, DEPTH_CLIP),
        );
        Self {
            instance,
            physical,
            native_feedback,
            provides_feedback,
            emulates_feedback,
            pipelines,
        }
    }

    /// Returns whether the layer provides any extension or feature.
    fn provides(&self) -> bool {
        self.provides_feedback || !self.pipelines.is_empty()
    }

    /// Returns the features of core Vulkan that the application cannot enable although the driver may have them.
    pub(crate) fn hidden_features(&self) -> impl Iterator<Item = Feature> {
        let hidden = self.instance.settings.hide_features.iter().copied();
        hidden.filter(|feature| !self.pipelines.contains(*feature))
    }

    /// Returns whether the layer captures several vertex streams, because the device has geometry stages.
    pub(crate) fn has_streams(&self) -> bool {
        let Self { instance, physical, .. } = *self;
        let is_hidden = instance.settings.hide_features.contains(&Feature::GeometryShader);
        let features = || instance.features(physical);
        self.emulates_feedback && !is_hidden && Feature::GeometryShader.is_in(features())
    }

    /// Returns whether the driver's extension is hidden from the application.
    pub(crate) fn hides(&self, extension: &CStr) -> bool {
        if extension == reported_features::NAME {
            return !self.native_feedback;
        }
        let is_provided = self.emulates_feedback && extension == reported_features::GENERATED
            || self.pipelines.depth_clip && extension == DEPTH_CLIP
            || !self.pipelines.is_empty() && extension == LIBRARIES;
        is_provided || !self.knows(extension) || self.instance.settings.hides(extension)
    }

    /// Returns whether the layer knows the extension. If the layer provides nothing, every extension counts as known.
    fn knows(&self, extension: &CStr) -> bool {
        !self.provides() || known::has_extension(extension)
    }

    /// Returns the Vulkan version of the device, limited to the newest version that the layer knows.
    fn version(&self, of_driver: u32) -> u32 {
        if self.provides() { known::version(of_driver) } else { of_driver }
    }

    /// Returns whether the layer lets an application enable the extension.
    pub(crate) fn takes(&self, extension: &CStr) -> bool {
        !self.hides(extension) || self.own().any(|own| own == extension)
    }

    /// Returns whether the layer adds `VK_KHR_portability_subset` to the device.
    pub(crate) fn adds_portability(&self) -> bool {
        let Self { instance, physical, .. } = *self;
        instance.settings.portability && !is_listed_below(instance, physical, portability::NAME)
    }

    /// Returns the structures that the driver must not see.
    pub(crate) fn hidden_structures(&self) -> Vec<Owned> {
        let portability = self.instance.settings.portability.then_some(portability::NAME);
        let is_hidden = |name| self.hides(name) || portability == Some(name);
        structures::all().filter(|one| is_hidden(one.extension)).collect()
    }

    /// Returns the extensions that the application may enable.
    fn extensions(&self) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
        let mut extensions = next_extensions(self.instance, self.physical)?;
        self.say_unknown(&extensions);
        extensions.retain(|one| !one.extension_name_as_c_str().is_ok_and(|name| self.hides(name)));
        extensions.extend(self.own_extensions());
        let is_one =
            |one: &vk::ExtensionProperties| one.extension_name_as_c_str() == Ok(portability::NAME);
        if self.instance.settings.portability && !extensions.iter().any(is_one) {
            extensions.push(extension(portability::NAME, 1));
        }
        Ok(extensions)
    }

    /// Logs, once, the extensions of the device that the layer does not know.
    fn say_unknown(&self, extensions: &[vk::ExtensionProperties]) {
        let Self { instance, physical, .. } = self;
        let names = extensions.iter().filter_map(|one| one.extension_name_as_c_str().ok());
        let unknown = names.filter(|name| !self.knows(name)).map(CStr::to_string_lossy);
        let mut unknown: Vec<_> = unknown.collect();
        let version = instance.properties(*physical).api_version;
        if self.version(version) != version {
            unknown.push("versions of Vulkan after 1.4".into());
        }
        if !unknown.is_empty() && instance.is_first(*physical) {
            let list = unknown.join(", ");
            instance.log.say(
                Level::Info,
                format_args!("hidden, because the layer does not support it: {list}"),
            );
        }
    }

    /// Returns whether the driver has primitives generated queries that the layer can use: the driver must also have
    /// transform feedback, and count with rasterizer discard.
    pub(crate) fn driver_counts(&self) -> bool {
        let Self { instance, physical, .. } = *self;
        let (false, Some(get_features)) =
            (instance.settings.hides(reported_features::GENERATED), instance.next.get_features_2)
        else {
            return false;
        };
        let mut found = Generated::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut found);
        // SAFETY: the device belongs to the instance, and a driver skips the structure that it does not know.
        unsafe { get_features(physical, &raw mut features) };
        let counts = found.primitives_generated_query == vk::TRUE
            && found.primitives_generated_query_with_rasterizer_discard == vk::TRUE;
        counts && has_native_feedback(instance, physical)
    }

    /// Returns the names of the extensions that the layer provides.
    pub(crate) fn own(&self) -> impl Iterator<Item = &'static CStr> {
        let of_feedback = match (self.emulates_feedback, self.provides_feedback) {
            (true, _) => &PROVIDED[..],
            (false, true) => &PROVIDED[..1],
            (false, false) => &[],
        };
        let depth_clip = self.pipelines.depth_clip.then_some(DEPTH_CLIP);
        of_feedback.iter().copied().chain(depth_clip)
    }

    fn own_extensions(&self) -> impl Iterator<Item = vk::ExtensionProperties> {
        extensions_of(self.own())
    }
}

/// The extensions that the layer provides by default.
const PROVIDED: [&CStr; 2] = [reported_features::NAME, reported_features::GENERATED];

/// Each extension has its first version.
fn extensions_of<'n>(
    names: impl Iterator<Item = &'n CStr>,
) -> impl Iterator<Item = vk::ExtensionProperties> {
    names.map(|name| extension(name, reported_features::SPEC_VERSION))
}

/// Lists the extensions that the layer may provide, for queries that name this layer.
///
/// # Safety
///
/// The same requirements as for `vkEnumerateDeviceExtensionProperties`.
pub(crate) unsafe fn layer_extensions(
    layer: *const c_char,
    count: *mut u32,
    extensions: *mut vk::ExtensionProperties,
) -> vk::Result {
    let provided: Vec<_> = extensions_of(PROVIDED.into_iter()).collect();
    // SAFETY: guaranteed by the caller.
    unsafe { answer_of_layer(layer, &provided, count, extensions) }
}

/// Returns whether the driver has transform feedback. The driver's extension list does not show this: the loader
/// adds the extensions in the manifests of implicit layers to the list, including those of this layer.
fn has_native_feedback(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    let Some(get_features) = instance.next.get_features_2 else {
        return is_listed_below(instance, physical, reported_features::NAME);
    };
    let mut found = Feedback::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut found);
    // SAFETY: the device belongs to the instance, and a driver skips structures that it does not know.
    unsafe { get_features(physical, &raw mut features) };
    found.transform_feedback == vk::TRUE
}

/// Returns whether shaders can use buffer device addresses and store to memory in vertex stages.
fn can_emulate(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    let Some(get_features) = instance.next.get_features_2 else { return false };
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut addresses);
    // SAFETY: the device belongs to the instance.
    unsafe { get_features(physical, &raw mut features) };
    let stores = features.features.vertex_pipeline_stores_and_atomics;
    instance.properties(physical).api_version >= vk::API_VERSION_1_2
        && stores == vk::TRUE
        && addresses.buffer_device_address == vk::TRUE
}

/// Returns whether the driver or the next layer lists an extension.
pub(crate) fn is_listed_below(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    extension: &CStr,
) -> bool {
    let listed = next_extensions(instance, physical).unwrap_or_default();
    listed.iter().any(|one| one.extension_name_as_c_str() == Ok(extension))
}

/// Returns whether the device is a portability device, either by its driver or by the layer's settings.
pub(crate) fn is_portability(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    instance.settings.portability || is_listed_below(instance, physical, portability::NAME)
}

fn next_extensions(
    instance: &Instance,
    physical: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>, vk::Result> {
    let enumerate = instance.next.enumerate_device_extension_properties;
    let enumerate = enumerate.ok_or(vk::Result::ERROR_INITIALIZATION_FAILED)?;
    // SAFETY: the device belongs to the instance.
    read_list(|count, list| unsafe { enumerate(physical, std::ptr::null(), count, list) })
}

pub(crate) unsafe extern "system" fn enumerate_device_extension_properties(
    physical: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    extensions: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(instance) = Instance::of(physical) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let view = || View::new(instance, physical);
        match text(layer) {
            Some(name) if name == LAYER_NAME => {
                let own: Vec<_> = view().own_extensions().collect();
                write_list(&own, count, extensions)
            }
            // Extensions of other layers are returned unchanged.
            Some(_) => match instance.next.enumerate_device_extension_properties {
                Some(enumerate) => enumerate(physical, layer, count, extensions),
                None => vk::Result::ERROR_LAYER_NOT_PRESENT,
            },
            None => match view().extensions() {
                Ok(list) => write_list(&list, count, extensions),
                Err(error) => error,
            },
        }
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_features_2(
    physical: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows, and only the layer uses the chain until this returns.
    unsafe {
        let Some(instance) = Instance::of(physical) else { return };
        let Some(get_features) = instance.next.get_features_2 else { return };
        let view = View::new(instance, physical);
        let hidden = view.hidden_structures();
        let owned = |s_type| hidden.iter().find(|one| one.s_type == s_type);
        let unlinked = Unlinked::new(features.cast(), |s_type| owned(s_type).is_some());
        get_features(physical, features);
        // Hidden features are false, except those that the layer provides.
        for at in unlinked.structures() {
            let Some(one) = owned((*at).s_type).filter(|one| one.kind == StructureKind::Features)
            else {
                continue;
            };
            let header = size_of::<vk::BaseOutStructure<'_>>();
            at.cast::<u8>().add(header).write_bytes(0, one.size - header);
            if one.s_type == Feedback::STRUCTURE_TYPE && view.provides_feedback {
                let features = &mut *at.cast::<Feedback>();
                features.transform_feedback = vk::TRUE;
                features.geometry_streams = view.has_streams().into();
            }
            if one.s_type == Generated::STRUCTURE_TYPE && view.emulates_feedback {
                let features = &mut *at.cast::<Generated>();
                features.primitives_generated_query = vk::TRUE;
                features.primitives_generated_query_with_rasterizer_discard = vk::TRUE;
            }
            if one.s_type == DepthClip::STRUCTURE_TYPE && view.pipelines.depth_clip {
                (*at.cast::<DepthClip>()).depth_clip_control = vk::TRUE;
            }
        }
        drop(unlinked);
        // Remove the features that the settings or the layer hide.
        if instance.settings.portability {
            portability::say_features((*features).p_next);
        }
        let hidden = &instance.settings.hide_features;
        hidden.iter().for_each(|one| one.hide_everywhere(&mut *features));
        view.pipelines.show(&mut (*features).features);
        if !view.native_feedback {
            hide_streams((*features).p_next);
        }
        if view.pipelines.depth_clip
            && let Some(dynamic) = find::<Dynamic>((*features).p_next)
        {
            (*dynamic).extended_dynamic_state3_depth_clip_negative_one_to_one = vk::FALSE;
        }
        if view.emulates_feedback {
            features::hide_protected_memory((*features).p_next);
        }
        if view.emulates_feedback
            && let Some(provoking) = find::<Provoking>((*features).p_next)
        {
            (*provoking).transform_feedback_preserves_provoking_vertex =
                (*provoking).provoking_vertex_last;
        }
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_features(
    physical: vk::PhysicalDevice,
    features: *mut vk::PhysicalDeviceFeatures,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(instance) = Instance::of(physical) else { return };
        let Some(get_features) = instance.next.get_features else { return };
        get_features(physical, features);
        instance.settings.hide_features.iter().for_each(|one| one.hide(&mut *features));
        View::new(instance, physical).pipelines.show(&mut *features);
    }
}

/// Hides the features of other extensions for vertex streams that the layer does not provide.
///
/// # Safety
///
/// The chain belongs to a `VkPhysicalDeviceFeatures2` and may be written.
unsafe fn hide_streams(chain: *const std::ffi::c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if let Some(generated) = find::<Generated>(chain) {
            (*generated).primitives_generated_query_with_non_zero_streams = vk::FALSE;
        }
        if let Some(dynamic) = find::<Dynamic>(chain) {
            (*dynamic).extended_dynamic_state3_rasterization_stream = vk::FALSE;
        }
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_properties(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(instance) = Instance::of(physical) else { return };
        *properties = instance.properties(physical);
        let view = View::new(instance, physical);
        let version = &mut (*properties).api_version;
        *version = view.version(*version);
        view.pipelines.widen(&mut (*properties).limits);
        if instance.settings.portability {
            portability::narrow(&mut (*properties).limits);
        }
    }
}

pub(crate) unsafe extern "system" fn get_physical_device_properties_2(
    physical: vk::PhysicalDevice,
    properties: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows, and only the layer uses the chain until this returns.
    unsafe {
        let Some(instance) = Instance::of(physical) else { return };
        let Some(get_properties) = instance.next.get_properties_2 else { return };
        let view = View::new(instance, physical);
        let hidden = view.hidden_structures();
        let is_unlinked = |s_type| hidden.iter().any(|one| one.s_type == s_type);
        let unlinked = Unlinked::new(properties.cast(), is_unlinked);
        get_properties(physical, properties);
        drop(unlinked);
        // The version and the limits that the layer reports.
        let version = &mut (*properties).properties.api_version;
        *version = view.version(*version);
        view.pipelines.widen(&mut (*properties).properties.limits);
        if instance.settings.portability {
            portability::narrow(&mut (*properties).properties.limits);
            portability::say_properties((*properties).p_next);
        }
        if view.provides_feedback {
            for at in walk((*properties).p_next) {
                if (*at).s_type == FeedbackProperties::STRUCTURE_TYPE {
                    let properties = &mut *at.cast::<FeedbackProperties>();
                    reported_features::fill_in_properties(properties, view.has_streams());
                }
            }
        }
        if view.emulates_feedback
            && let Some(provoking) = find::<ProvokingProperties>((*properties).p_next)
        {
            (*provoking).transform_feedback_preserves_triangle_fan_provoking_vertex = vk::TRUE;
        }
    }
}

/// `vkGetPhysicalDeviceExternalBufferProperties`.
pub(crate) unsafe extern "system" fn get_external_buffer_properties(
    physical: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
    properties: *mut vk::ExternalBufferProperties<'_>,
) {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe {
        let Some(instance) = Instance::of(physical) else { return };
        let Some(get_properties) = instance.next.get_external_buffer_properties else { return };
        let view = View::new(instance, physical);
        if !view.provides_feedback {
            return get_properties(physical, info, properties);
        }
        let mut changed = *info;
        let addresses = view.emulates_feedback;
        changed.usage = usage(changed.usage, addresses);
        let chain = usage_chain(changed.p_next, addresses, &instance.log);
        changed.p_next = chain.first();
        get_properties(physical, &raw const changed, properties);
    }
}
