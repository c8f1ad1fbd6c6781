//! Instances: creation, destruction, and the layer's state for each instance.

use crate::chain::{LayerInstanceLink, key, mark_instance, take_link, text};
use crate::commands::{InstanceCommands, typed};
use crate::log::{Level, Log};
use crate::registry::Registry;
use crate::settings::{Mode, Settings, variable};
use crate::two_call::write_list;
use crate::{DESCRIPTION, LAYER_NAME};
use ash::{ext, vk};
use std::ffi::{CStr, c_char};
use std::sync::Arc;

pub(crate) struct Instance {
    pub(crate) handle: vk::Instance,
    pub(crate) get_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(crate) get_physical_device_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(crate) next: InstanceCommands,
    pub(crate) settings: Settings,
    pub(crate) log: Arc<Log>,
    /// The physical devices whose unknown extensions were logged.
    logged: Registry<()>,
}

static INSTANCES: Registry<Instance> = Registry::new();

impl Instance {
    /// Returns the instance that an instance or physical device handle belongs to.
    ///
    /// # Safety
    ///
    /// The handle is alive, and the instance is not destroyed while the result is used.
    pub(crate) unsafe fn of<'i>(handle: impl vk::Handle) -> Option<&'i Self> {
        // SAFETY: guaranteed by the caller.
        unsafe { INSTANCES.get(key(handle)) }
    }

    /// Returns the next layer's command of this name.
    pub(crate) fn next_command(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the instance is alive.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }

    pub(crate) fn properties(&self, physical: vk::PhysicalDevice) -> vk::PhysicalDeviceProperties {
        let mut properties = vk::PhysicalDeviceProperties::default();
        if let Some(get) = self.next.get_properties {
            // SAFETY: the physical device is one of the instance's.
            unsafe { get(physical, &raw mut properties) };
        }
        properties
    }

    pub(crate) fn features(&self, physical: vk::PhysicalDevice) -> vk::PhysicalDeviceFeatures {
        let mut features = vk::PhysicalDeviceFeatures::default();
        if let Some(get) = self.next.get_features {
            // SAFETY: as above.
            unsafe { get(physical, &raw mut features) };
        }
        features
    }

    /// Returns whether this is the first call for the physical device.
    pub(crate) fn is_first(&self, physical: vk::PhysicalDevice) -> bool {
        // SAFETY: entries are removed only with the instance.
        let is_known = unsafe { self.logged.get(vk::Handle::as_raw(physical)) }.is_some();
        if !is_known {
            self.logged.insert(vk::Handle::as_raw(physical), Box::new(()));
        }
        !is_known
    }

    /// Returns whether devices of this instance may get features that their driver lacks.
    pub(crate) fn may_provide(&self) -> bool {
        self.settings.mode != Mode::PassThrough
    }
}

pub(crate) unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows, and the loader a link to the next layer.
    unsafe {
        let chain = (*info).p_next;
        let Some(link) =
            take_link::<LayerInstanceLink>(chain, vk::StructureType::LOADER_INSTANCE_CREATE_INFO)
        else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let get_proc_addr = link.next_get_instance_proc_addr;
        let create = get_proc_addr(vk::Instance::null(), c"vkCreateInstance".as_ptr());
        let Some(create) = create else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = typed::<vk::PFN_vkCreateInstance>(create);
        let (settings, faults) = Settings::read(chain, variable);
        let mut changed = *info;
        let mut application = (*info).p_application_info.as_ref().copied().unwrap_or_default();
        if settings.mode == Mode::Auto {
            // The layer uses buffer device addresses and dynamic rasterizer discard, which need this version.
            application.api_version = application.api_version.max(vk::API_VERSION_1_3);
            changed.p_application_info = &raw const application;
        }
        let result = create(&raw const changed, allocator, instance);
        if result != vk::Result::SUCCESS {
            return result;
        }
        let handle = *instance;
        mark_instance(handle);
        let log = Log::new(settings.log_level, settings.log_file.as_deref());
        for fault in faults {
            log.say(Level::Error, format_args!("{fault}"));
        }
        log.say(Level::Info, format_args!("instance created: {settings:?}"));
        let state = Instance {
            handle,
            get_proc_addr,
            get_physical_device_proc_addr: link.next_get_physical_device_proc_addr,
            next: InstanceCommands::load(|name| get_proc_addr(handle, name.as_ptr())),
            settings,
            log: Arc::new(log),
            logged: Registry::new(),
        };
        INSTANCES.insert(key(handle), Box::new(state));
    }
    vk::Result::SUCCESS
}

pub(crate) unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    if instance == vk::Instance::null() {
        return;
    }
    // SAFETY: the instance is alive, and nobody else uses it.
    unsafe {
        let Some(state) = INSTANCES.remove(key(instance)) else { return };
        if let Some(destroy) = state.next.destroy_instance {
            destroy(instance, allocator);
        }
        state.log.say(Level::Info, format_args!("instance destroyed"));
    }
}

/// Returns the instance extensions of this layer: only `VK_EXT_layer_settings`.
fn instance_extensions() -> [vk::ExtensionProperties; 1] {
    [extension(ext::layer_settings::NAME, ext::layer_settings::SPEC_VERSION)]
}

pub(crate) fn extension(name: &CStr, spec_version: u32) -> vk::ExtensionProperties {
    let mut extension = vk::ExtensionProperties { spec_version, ..Default::default() };
    write(&mut extension.extension_name, name);
    extension
}

/// Copies a string into a fixed-size array of Vulkan and truncates it if it is too long.
fn write(to: &mut [c_char], text: &CStr) {
    let last = to.len() - 1;
    for (to, from) in to[..last].iter_mut().zip(text.to_bytes()) {
        // Whether `c_char` is signed depends on the processor.
        *to = *from as c_char;
    }
}

pub(crate) unsafe extern "system" fn enumerate_instance_extension_properties(
    layer: *const c_char,
    count: *mut u32,
    extensions: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { answer_of_layer(layer, &instance_extensions(), count, extensions) }
}

/// Lists extensions if the query names this layer. The loader never asks a layer for another layer's extensions.
///
/// # Safety
///
/// The same requirements as for [`write_list`]; `layer` is null or a string.
pub(crate) unsafe fn answer_of_layer(
    layer: *const c_char,
    listed: &[vk::ExtensionProperties],
    count: *mut u32,
    extensions: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match text(layer) == Some(LAYER_NAME) {
            true => write_list(listed, count, extensions),
            false => vk::Result::ERROR_LAYER_NOT_PRESENT,
        }
    }
}

pub(crate) unsafe extern "system" fn enumerate_instance_layer_properties(
    count: *mut u32,
    layers: *mut vk::LayerProperties,
) -> vk::Result {
    let mut layer = vk::LayerProperties {
        spec_version: vk::HEADER_VERSION_COMPLETE,
        implementation_version: 1,
        ..Default::default()
    };
    write(&mut layer.layer_name, LAYER_NAME);
    write(&mut layer.description, DESCRIPTION);
    // SAFETY: the caller passes arguments that Vulkan allows.
    unsafe { write_list(&[layer], count, layers) }
}

pub(crate) unsafe extern "system" fn enumerate_device_layer_properties(
    _: vk::PhysicalDevice,
    count: *mut u32,
    layers: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: as for instances.
    unsafe { enumerate_instance_layer_properties(count, layers) }
}
