//! Devices: creation, destruction, and the layer's state for each device.

use crate::chain::{LayerDeviceLink, key, mark_device, take_link};
use crate::commands::{DeviceCommands, typed};
use crate::driver::Driver;
use crate::emulation::recording::Recording;
use crate::emulation::{Emulator, Traits};
use crate::features::{self, Feature};
use crate::instance::Instance;
use crate::log::Level;
use crate::physical::{View, is_portability};
use crate::pipeline_features::DEPTH_CLIP;
use crate::pnext::{Change, Copied, find};
use crate::recipes::{Provided, Recipes};
use crate::registry::Registry;
use crate::settings::slice;
use crate::{portability, reported_features};
use ash::vk::{self, TaggedStructure as _};
use polyshade::clip_cull::Emulated;
use std::ffi::{CStr, c_char};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

pub(crate) struct Device {
    driver: Driver,
    /// Whether the application enabled the layer's transform feedback. Otherwise, the driver's commands are used.
    pub(crate) has_feedback: bool,
    /// The transform feedback query pools. In the driver, these pools have another query type.
    pub(crate) feedback_pools: Registry<()>,
    /// The state for captures, unless the device captures nothing.
    pub(crate) emulator: OnceLock<Emulator>,
    /// The lowering of pipelines, if the application enabled features for which the layer lowers them.
    pub(crate) recipes: Option<Arc<Recipes>>,
}

impl Deref for Device {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.driver
    }
}

static DEVICES: Registry<Device> = Registry::new();

impl Device {
    /// Returns the device that a device, queue or command buffer handle belongs to.
    ///
    /// # Safety
    ///
    /// The handle is alive, and the device is not destroyed while the result is used.
    pub(crate) unsafe fn of<'d>(handle: impl vk::Handle) -> Option<&'d Self> {
        // SAFETY: guaranteed by the caller.
        unsafe { DEVICES.get(key(handle)) }
    }

    /// Returns the emulator and the recording of a command buffer, if the device captures.
    ///
    /// # Safety
    ///
    /// The command buffer is alive, and nobody else records it at the same time (external synchronization).
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn recording(
        &self,
        commands: vk::CommandBuffer,
    ) -> Option<(&Emulator, &mut Recording)> {
        let emulator = self.emulator.get()?;
        // SAFETY: guaranteed by the caller.
        Some((emulator, unsafe { emulator.recording(commands) }?))
    }

    pub(crate) fn is_feedback_pool(&self, pool: vk::QueryPool) -> bool {
        // SAFETY: the application destroys a pool only after its last use, and the value is not read.
        unsafe { self.feedback_pools.get(vk::Handle::as_raw(pool)).is_some() }
    }
}

pub(crate) unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, and the loader a link to the next layer.
    unsafe {
        let Some(instance) = Instance::of(physical) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let Some(link) = take_link::<LayerDeviceLink>(
            (*info).p_next,
            vk::StructureType::LOADER_DEVICE_CREATE_INFO,
        ) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let view = View::new(instance, physical);
        let request = match Request::read(&view, &*info) {
            Ok(request) => request,
            Err((result, why)) => {
                instance.log.say(Level::Error, format_args!("vkCreateDevice: {why}"));
                return result;
            }
        };
        let Request { mut extensions, has_feedback, counts, has_depth_clip } = request;

        let hidden = view.hidden_structures();
        let emulates = has_feedback && view.emulates_feedback;
        let provided = view.pipelines.on_device(asked_features(&*info), has_depth_clip);
        let edited = edited(&view, emulates, provided);
        let changes = |s_type| {
            let drops = hidden.iter().any(|one| one.s_type == s_type).then_some(Change::Drop);
            drops.or_else(|| edited.contains(&s_type).then_some(Change::Edit))
        };
        // Applications may chain structures newer than the layer before all other structures. Drivers may reject
        // features of extensions that they lack (SwiftShader does), so the layer removes its own features.
        let mut chain = Copied::leading((*info).p_next, changes).map_err(|unknown| {
            instance.log.say(
                Level::Warning,
                format_args!("vkCreateDevice: cannot change the structures that follow one of type {unknown:?}"),
            );
        });
        if let (Ok(chain), true) = (&mut chain, view.emulates_feedback) {
            drop_provoking(chain);
        }
        let mut changed = *info;
        changed.p_next = chain.as_ref().map_or((*info).p_next, Copied::first);
        let mut enabled = Enabled::default();
        if let Some(emulated) = provided.distances {
            enabled.drop_distances(&mut changed, chain.as_mut().ok(), emulated);
        }
        let emulates = emulates && chain.is_ok();
        if let (Ok(chain), true) = (&mut chain, emulates) {
            enabled.add_to(&mut changed, chain, &instance.features(physical));
        }
        let driver_counts = emulates && counts && view.driver_counts();
        if driver_counts {
            enabled.count(&mut changed, &mut extensions);
        }
        changed.enabled_extension_count = extensions.len() as u32;
        changed.pp_enabled_extension_names = extensions.as_ptr();

        let Some(create) = next_create_device(instance, link.next_get_instance_proc_addr) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let result = create(physical, &raw const changed, allocator, device);
        if result == vk::Result::SUCCESS {
            let recipes = Recipes::new(provided, &instance.properties(physical).limits);
            let get_proc_addr = link.next_get_device_proc_addr;
            let state = register(*device, get_proc_addr, has_feedback, recipes, instance);
            if let (true, Some(state)) = (emulates, state) {
                let traits = traits(&*info, instance, physical, driver_counts);
                emulate(state, instance, physical, traits);
            }
        }
        result
    }
}

/// Returns the structures in the chain of a device's create info that the layer changes.
fn edited(view: &View<'_>, emulates: bool, provided: Provided) -> Vec<vk::StructureType> {
    let of_captures = if emulates { &ENABLING[..] } else { &[] };
    let of_distances = provided.distances.map(|_| Features::STRUCTURE_TYPE);
    let provoking = view.emulates_feedback.then_some(Provoking::STRUCTURE_TYPE);
    of_captures.iter().copied().chain(of_distances).chain(provoking).collect()
}

/// Disables a feature that the layer reports even if the driver lacks it, so the application may enable it on any
/// device.
fn drop_provoking(chain: &mut Copied) {
    if let Some(features) = chain.copy::<Provoking>() {
        features.transform_feedback_preserves_provoking_vertex = vk::FALSE;
    }
}

/// Finds the next layer's `vkCreateDevice`.
///
/// # Safety
///
/// `find` is the next layer's `vkGetInstanceProcAddr`.
unsafe fn next_create_device(
    instance: &Instance,
    find: vk::PFN_vkGetInstanceProcAddr,
) -> Option<vk::PFN_vkCreateDevice> {
    // SAFETY: guaranteed by the caller, and the command has this type.
    unsafe {
        let create = find(instance.handle, c"vkCreateDevice".as_ptr())?;
        Some(typed(create))
    }
}

/// Returns one of the hidden features that the application enables.
///
/// # Safety
///
/// The structure is valid.
unsafe fn hidden_feature(view: &View<'_>, info: &vk::DeviceCreateInfo<'_>) -> Option<Feature> {
    // SAFETY: guaranteed by the caller.
    let asked = unsafe { asked_features(info) };
    view.hidden_features().find(|one| asked.is_some_and(|asked| one.is_in(asked)))
}

/// Returns the features that the application enables.
///
/// # Safety
///
/// The structure is valid.
unsafe fn asked_features(info: &vk::DeviceCreateInfo<'_>) -> Option<vk::PhysicalDeviceFeatures> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let chained = find::<vk::PhysicalDeviceFeatures2<'_>>(info.p_next);
        chained.map(|one| (*one).features).or_else(|| info.p_enabled_features.as_ref().copied())
    }
}

type Features = vk::PhysicalDeviceFeatures2<'static>;
type Provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT<'static>;

/// The structures that enable the features needed for captures.
const ENABLING: [vk::StructureType; 4] = [
    vk::PhysicalDeviceFeatures2::STRUCTURE_TYPE,
    vk::PhysicalDeviceVulkan12Features::STRUCTURE_TYPE,
    vk::PhysicalDeviceTimelineSemaphoreFeatures::STRUCTURE_TYPE,
    vk::PhysicalDeviceBufferDeviceAddressFeatures::STRUCTURE_TYPE,
];

/// The feature structures that captures need but the application does not chain.
#[derive(Default)]
struct Enabled {
    features: vk::PhysicalDeviceFeatures,
    addresses: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    times: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
    generated: vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT<'static>,
}

impl Enabled {
    /// Disables the driver's distances that are emulated, because it may lack them.
    ///
    /// # Safety
    ///
    /// The same requirements as for [`Enabled::add_to`].
    unsafe fn drop_distances(
        &mut self,
        info: &mut vk::DeviceCreateInfo<'_>,
        chain: Option<&mut Copied>,
        emulated: Emulated,
    ) {
        let disable = |features: &mut vk::PhysicalDeviceFeatures| {
            Feature::ShaderCullDistance.hide(features);
            if emulated == Emulated::All {
                Feature::ShaderClipDistance.hide(features);
            }
        };
        if let Some(features) = chain.and_then(Copied::copy::<Features>) {
            disable(&mut features.features);
        // SAFETY: guaranteed by the caller.
        } else if let Some(&features) = unsafe { info.p_enabled_features.as_ref() } {
            self.features = features;
            disable(&mut self.features);
            info.p_enabled_features = &raw const self.features;
        }
    }

    /// Enables the features, each in the structure that the chain already has for it, if any.
    ///
    /// # Safety
    ///
    /// The structure is valid; `chain` is a copy of its chain.
    unsafe fn add_to(
        &mut self,
        info: &mut vk::DeviceCreateInfo<'_>,
        chain: &mut Copied,
        able: &vk::PhysicalDeviceFeatures,
    ) {
        let enable = |features: &mut vk::PhysicalDeviceFeatures| {
            features.vertex_pipeline_stores_and_atomics = vk::TRUE;
            // Captures and draws by byte count become indirect draws.
            features.draw_indirect_first_instance |= able.draw_indirect_first_instance;
        };
        if let Some(features) = chain.copy::<vk::PhysicalDeviceFeatures2<'_>>() {
            enable(&mut features.features);
        } else {
            // SAFETY: guaranteed by the caller.
            self.features =
                unsafe { info.p_enabled_features.as_ref() }.copied().unwrap_or_default();
            enable(&mut self.features);
            info.p_enabled_features = &raw const self.features;
        }
        if let Some(features) = chain.copy::<vk::PhysicalDeviceVulkan12Features<'_>>() {
            features.buffer_device_address = vk::TRUE;
            features.timeline_semaphore = vk::TRUE;
            return;
        }
        if let Some(features) = chain.copy::<vk::PhysicalDeviceBufferDeviceAddressFeatures<'_>>() {
            features.buffer_device_address = vk::TRUE;
        } else {
            self.addresses.buffer_device_address = vk::TRUE;
            self.addresses.p_next = info.p_next.cast_mut();
            info.p_next = (&raw const self.addresses).cast();
        }
        if let Some(features) = chain.copy::<vk::PhysicalDeviceTimelineSemaphoreFeatures<'_>>() {
            features.timeline_semaphore = vk::TRUE;
        } else {
            self.times.timeline_semaphore = vk::TRUE;
            self.times.p_next = info.p_next.cast_mut();
            info.p_next = (&raw const self.times).cast();
        }
    }

    /// Enables the driver's primitives generated queries. The application's structure for this feature was dropped.
    fn count(&mut self, info: &mut vk::DeviceCreateInfo<'_>, extensions: &mut Vec<*const c_char>) {
        extensions
            .extend([reported_features::NAME, reported_features::GENERATED].map(CStr::as_ptr));
        self.generated.primitives_generated_query = vk::TRUE;
        self.generated.primitives_generated_query_with_rasterizer_discard = vk::TRUE;
        self.generated.p_next = info.p_next.cast_mut();
        info.p_next = (&raw const self.generated).cast();
    }
}

/// Returns the properties of a device that the emulation depends on.
///
/// # Safety
///
/// The structure is valid.
unsafe fn traits(
    info: &vk::DeviceCreateInfo<'_>,
    instance: &Instance,
    physical: vk::PhysicalDevice,
    driver_counts: bool,
) -> Traits {
    // SAFETY: guaranteed by the caller.
    let (has_several_queues, asked) = unsafe { (has_several_queues(info), asked_features(info)) };
    let has_geometry = asked.is_some_and(|features| Feature::GeometryShader.is_in(features));
    let is_portability = is_portability(instance, physical);
    Traits { has_several_queues, is_portability, has_geometry, driver_counts }
}

/// Returns whether the application creates more than one queue.
///
/// # Safety
///
/// The structure is valid.
unsafe fn has_several_queues(info: &vk::DeviceCreateInfo<'_>) -> bool {
    // SAFETY: guaranteed by the caller.
    let queues = unsafe { slice(info.p_queue_create_infos, info.queue_create_info_count) };
    queues.iter().map(|one| one.queue_count).sum::<u32>() > 1
}

fn emulate(device: &Device, instance: &Instance, physical: vk::PhysicalDevice, traits: Traits) {
    let mut memory = vk::PhysicalDeviceMemoryProperties::default();
    if let Some(get) = instance.next.get_memory_properties {
        // SAFETY: the physical device is one of the instance's.
        unsafe { get(physical, &raw mut memory) };
    }
    let debugging = &instance.settings.debugging;
    let properties = instance.properties(physical);
    let recipes = device.recipes.clone();
    match Emulator::new(device, memory, &properties, traits, recipes, debugging) {
        Ok(emulator) => drop(device.emulator.set(emulator)),
        Err(error) => device.fault(format_args!("nothing will be captured: {error}")),
    }
}

/// The extensions that the application enables on a device.
#[derive(Default)]
struct Request {
    /// The extensions that the driver enables.
    extensions: Vec<*const c_char>,
    has_feedback: bool,
    counts: bool,
    has_depth_clip: bool,
}

impl Request {
    /// Separates the driver's extensions from the layer's. The error is a Vulkan result and the reason.
    ///
    /// # Safety
    ///
    /// The structure is valid.
    unsafe fn read(
        view: &View<'_>,
        info: &vk::DeviceCreateInfo<'_>,
    ) -> Result<Self, (vk::Result, String)> {
        // SAFETY: guaranteed by the caller.
        if let Some(feature) = unsafe { hidden_feature(view, info) } {
            return Err((vk::Result::ERROR_FEATURE_NOT_PRESENT, absent(feature.name())));
        }
        // Each extension belongs to the driver or to the layer, or is hidden.
        let mut request = Self::default();
        // SAFETY: guaranteed by the caller.
        let names = unsafe { slice(info.pp_enabled_extension_names, info.enabled_extension_count) };
        for &name in names {
            // SAFETY: extension names are NUL-terminated strings.
            let text = unsafe { CStr::from_ptr(name) };
            if !view.takes(text) {
                let why = absent(&text.to_string_lossy());
                return Err((vk::Result::ERROR_EXTENSION_NOT_PRESENT, why));
            }
            if text == portability::NAME && view.adds_portability() {
                continue;
            }
            match view.own().find(|own| *own == text) {
                Some(own) if own == DEPTH_CLIP => request.has_depth_clip = true,
                Some(own) => {
                    request.has_feedback = true;
                    request.counts |= own == reported_features::GENERATED;
                }
                None => request.extensions.push(name),
            }
        }
        if request.has_feedback && view.emulates_feedback {
            // SAFETY: guaranteed by the caller.
            if let Some(unfit) = unsafe { features::unfit(info.p_next, view.has_streams()) } {
                let why = format!("the emulated transform feedback does not support {unfit}");
                return Err((vk::Result::ERROR_FEATURE_NOT_PRESENT, why));
            }
        }
        Ok(request)
    }
}

fn absent(what: &str) -> String {
    format!("{what} is hidden or not supported")
}

fn register(
    handle: vk::Device,
    get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    has_feedback: bool,
    recipes: Option<Arc<Recipes>>,
    instance: &Instance,
) -> Option<&'static Device> {
    // SAFETY: the device was just created.
    let (next, key) = unsafe {
        mark_device(instance.handle, handle);
        (DeviceCommands::load(|name| get_proc_addr(handle, name.as_ptr())), key(handle))
    };
    let log = Arc::clone(&instance.log);
    let provided = recipes.as_ref().map(|recipes| recipes.provided).unwrap_or_default();
    let what = [
        (has_feedback, "VK_EXT_transform_feedback"),
        (provided.distances == Some(Emulated::All), "clip distances"),
        (provided.distances.is_some(), "cull distances"),
        (provided.depth_clip, "VK_EXT_depth_clip_control"),
    ];
    let what: Vec<_> = what.into_iter().filter_map(|(is, what)| is.then_some(what)).collect();
    let what = if what.is_empty() { "nothing".to_owned() } else { what.join(", ") };
    log.say(Level::Info, format_args!("device created; the layer provides {what}"));
    let feedback_pools = Registry::new();
    let emulator = OnceLock::new();
    let driver = Driver { handle, get_proc_addr, next, log };
    let state = Device { driver, has_feedback, feedback_pools, emulator, recipes };
    DEVICES.insert(key, Box::new(state));
    // SAFETY: the device was just created.
    unsafe { DEVICES.get(key) }
}

pub(crate) unsafe extern "system" fn destroy_device(
    device: vk::Device,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    if device == vk::Device::null() {
        return;
    }
    // SAFETY: the device is alive, and nobody else uses it.
    unsafe {
        let Some(mut state) = DEVICES.remove(key(device)) else { return };
        if let Some(emulator) = state.emulator.take() {
            emulator.destroy(&state);
        }
        if let Some(destroy) = state.next.destroy_device {
            destroy(device, allocator);
        }
        state.log.say(Level::Info, format_args!("device destroyed"));
    }
}
