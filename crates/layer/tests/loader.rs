//! Instances and devices of the real loader, with the layer and the validation layer.

use ash::{ext, vk};
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The driver with transform feedback.
pub(crate) const LAVAPIPE: &str = "llvmpipe";
/// The driver without transform feedback.
pub(crate) const SWIFTSHADER: &str = "SwiftShader";

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validation {
    /// Above the layer: it validates the calls of the application.
    Above,
    /// Below the layer: it validates the calls of the layer.
    Below,
}

pub(crate) type Settings<'s> = &'s [(&'static CStr, &'static CStr)];

/// The loader, which finds the layer through the manifest that the tests write.
static ENTRY: LazyLock<ash::Entry> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layer-manifest");
    let text = polyshade_layer::manifest::manifest(
        &library(),
        polyshade_layer::manifest::LayerKind::Explicit,
    );
    std::fs::create_dir_all(&folder).expect("cargo gives a folder for temporary files");
    // Concurrent processes write the same text.
    let written = folder.join(format!("{}.tmp", std::process::id()));
    std::fs::write(&written, text).expect("the manifest is written");
    std::fs::rename(&written, folder.join(polyshade_layer::manifest::FILE_NAME))
        .expect("the manifest is put in place");
    // SAFETY: the loader reads the environment when instances are created, always through this value.
    unsafe { add_manifests(folder) };
    // SAFETY: the library is the system's Vulkan loader.
    unsafe { ash::Entry::load() }.expect("`cargo xtask setup` installs the Vulkan loader")
});

/// Adds a folder to the loader's search path for manifests.
///
/// # Safety
///
/// No thread reads or writes the environment.
pub(crate) unsafe fn add_manifests(folder: PathBuf) {
    let paths = std::env::var_os("VK_LAYER_PATH").unwrap_or_default();
    let paths = std::env::split_paths(&paths).chain([folder]);
    let paths = std::env::join_paths(paths).expect("folders have no colons");
    // SAFETY: guaranteed by the caller.
    unsafe { std::env::set_var("VK_LAYER_PATH", paths) };
}

/// Returns the path of the layer's library, which cargo builds next to this program.
pub(crate) fn library() -> PathBuf {
    let program = std::env::current_exe().expect("the system knows which program runs");
    let path = program.with_file_name(polyshade_layer::manifest::library_name());
    assert!(path.exists(), "{} is not built", path.display());
    path
}

pub(crate) struct Instance {
    pub(crate) handle: ash::Instance,
    debug: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    messages: Box<Mutex<Vec<String>>>,
}

impl Instance {
    /// Creates an instance with these settings and the validation layer.
    pub(crate) fn new(settings: Settings<'_>, validation: Validation) -> Self {
        let layers = match validation {
            Validation::Above => [VALIDATION, polyshade_layer::LAYER_NAME],
            Validation::Below => [polyshade_layer::LAYER_NAME, VALIDATION],
        };
        Self::with_layers(settings, &layers)
    }

    /// Creates an instance with these layers, in order from the application to the driver.
    pub(crate) fn with_layers(settings: Settings<'_>, layers: &[&CStr]) -> Self {
        Self::found_by(&ENTRY, settings, layers)
    }

    /// Creates an instance with the commands of `entry`.
    pub(crate) fn found_by(entry: &ash::Entry, settings: Settings<'_>, layers: &[&CStr]) -> Self {
        let values: Vec<[*const c_char; 1]> =
            settings.iter().map(|(_, value)| [value.as_ptr()]).collect();
        let mut settings: Vec<_> = settings
            .iter()
            .zip(&values)
            .map(|((name, _), value)| vk::LayerSettingEXT {
                p_layer_name: polyshade_layer::LAYER_NAME.as_ptr(),
                p_setting_name: name.as_ptr(),
                ty: vk::LayerSettingTypeEXT::STRING,
                value_count: 1,
                p_values: value.as_ptr().cast(),
                ..vk::LayerSettingEXT::default()
            })
            .collect();
        // By default, newer validation layers ignore shader accesses to buffers.
        let accesses = vk::TRUE.to_ne_bytes();
        let validates = layers.contains(&VALIDATION);
        settings.extend(validates.then(|| vk::LayerSettingEXT {
            p_layer_name: VALIDATION.as_ptr(),
            p_setting_name: c"syncval_shader_accesses_heuristic".as_ptr(),
            ty: vk::LayerSettingTypeEXT::BOOL32,
            value_count: 1,
            p_values: accesses.as_ptr().cast(),
            ..vk::LayerSettingEXT::default()
        }));
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let checks = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut checks = vk::ValidationFeaturesEXT::default().enabled_validation_features(&checks);
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let layers: Vec<_> = layers.iter().map(|layer| layer.as_ptr()).collect();
        // Debian's loader is older than `VK_EXT_layer_settings`: it does not list the extension, but passes the
        // structure on.
        let has_debug = is_listed(entry, ext::debug_utils::NAME);
        let extensions = [ext::debug_utils::NAME.as_ptr()];
        let extensions = &extensions[..usize::from(has_debug)];
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(extensions);
        let messages = Box::new(Mutex::new(Vec::new()));
        let mut listener = messenger(&messages);
        if has_debug {
            info = info.push_next(&mut listener);
        }
        if validates {
            info = info.push_next(&mut checks);
        }
        if settings.setting_count > 0 {
            info = info.push_next(&mut settings);
        }
        // SAFETY: all structures live until the end of this function.
        let handle = unsafe { entry.create_instance(&info, None) };
        let handle = handle.expect("`cargo xtask test` says where layers and drivers are");
        // Older layers report unknown settings.
        messages.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let debug = has_debug.then(|| {
            let debug = ext::debug_utils::Instance::new(entry, &handle);
            let messenger = messenger(&messages);
            // SAFETY: the extension is enabled, and the messages outlive the messenger.
            let messenger = unsafe { debug.create_debug_utils_messenger(&messenger, None) };
            (debug, messenger.expect("a messenger is created"))
        });
        Self { handle, debug, messages }
    }

    pub(crate) fn physical(&self, driver: &str) -> vk::PhysicalDevice {
        // SAFETY: the instance is alive.
        let devices =
            unsafe { self.handle.enumerate_physical_devices() }.expect("there are devices");
        let has_name = |device: &vk::PhysicalDevice| {
            // SAFETY: the device belongs to the instance.
            let properties = unsafe { self.handle.get_physical_device_properties(*device) };
            properties
                .device_name_as_c_str()
                .is_ok_and(|name| name.to_string_lossy().contains(driver))
        };
        devices.into_iter().find(has_name).unwrap_or_else(|| panic!("there is no {driver}"))
    }

    pub(crate) fn extensions(&self, driver: &str) -> Vec<String> {
        // SAFETY: the device belongs to the instance.
        let list =
            unsafe { self.handle.enumerate_device_extension_properties(self.physical(driver)) };
        let name = |one: &vk::ExtensionProperties| {
            one.extension_name_as_c_str().expect("names end").to_string_lossy().into_owned()
        };
        list.expect("extensions are listed").iter().map(name).collect()
    }

    pub(crate) fn lists_feedback(&self, driver: &str) -> bool {
        let name = ext::transform_feedback::NAME.to_string_lossy();
        self.extensions(driver).contains(&name.into_owned())
    }

    /// Returns the transform feedback structures of the feature and property chains.
    pub(crate) fn feedback(
        &self,
        driver: &str,
    ) -> (
        vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
        vk::PhysicalDeviceTransformFeedbackPropertiesEXT<'static>,
    ) {
        let physical = self.physical(driver);
        let mut features = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
        let mut properties = vk::PhysicalDeviceTransformFeedbackPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut features);
        // SAFETY: the device belongs to the instance.
        unsafe { self.handle.get_physical_device_features2(physical, &mut all) };
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut properties);
        // SAFETY: the device belongs to the instance.
        unsafe { self.handle.get_physical_device_properties2(physical, &mut all) };
        (features, properties)
    }

    pub(crate) fn messages(&self) -> MutexGuard<'_, Vec<String>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the validation layer reported a message.
    #[track_caller]
    pub(crate) fn assert_silent(&self) {
        assert_eq!(*self.messages(), [""; 0]);
    }

    pub(crate) fn device(&self, driver: &str, with_feedback: bool) -> Result<Device, vk::Result> {
        let extensions = [ext::transform_feedback::NAME];
        self.device_with(driver, &extensions[..usize::from(with_feedback)])
    }

    pub(crate) fn device_with(
        &self,
        driver: &str,
        extensions: &[&CStr],
    ) -> Result<Device, vk::Result> {
        self.device_of(driver, extensions, &[1.0], Default::default())
    }

    /// Creates a device with transform feedback and these features.
    pub(crate) fn device_able(&self, driver: &str, features: vk::PhysicalDeviceFeatures) -> Device {
        let extensions = [ext::transform_feedback::NAME];
        self.device_of(driver, &extensions, &[1.0], features).expect("a device")
    }

    /// Creates a device with these extensions, and queues with these priorities.
    pub(crate) fn device_with_queues(
        &self,
        driver: &str,
        extensions: &[&CStr],
        priorities: &[f32],
    ) -> Result<Device, vk::Result> {
        self.device_of(driver, extensions, priorities, Default::default())
    }

    pub(crate) fn device_of(
        &self,
        driver: &str,
        extensions: &[&CStr],
        priorities: &[f32],
        features: vk::PhysicalDeviceFeatures,
    ) -> Result<Device, vk::Result> {
        let physical = self.physical(driver);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(priorities)];
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let mut multiview = vk::PhysicalDeviceMultiviewFeatures::default();
        let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
        let mut info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&features)
            .enabled_extension_names(&names);
        if extensions.contains(&ext::transform_feedback::NAME) {
            feedback = feedback.transform_feedback(true);
            // The chain has one structure before and one after the extension's structure.
            info = info.push_next(&mut feedback);
        }
        let mut depths =
            vk::PhysicalDeviceDepthClipControlFeaturesEXT::default().depth_clip_control(true);
        if extensions.contains(&ext::depth_clip_control::NAME) {
            info = info.push_next(&mut depths);
        }
        info = info.push_next(&mut multiview);
        // SAFETY: all structures live until the end of this function.
        let handle = unsafe { self.handle.create_device(physical, &info, None) }?;
        Ok(self.with_commands(handle, physical))
    }

    /// Wraps a device that was created with one queue.
    pub(crate) fn with_commands(
        &self,
        handle: ash::Device,
        physical: vk::PhysicalDevice,
    ) -> Device {
        let feedback = ext::transform_feedback::Device::new(&self.handle, &handle);
        // SAFETY: the device has this queue.
        let queue = unsafe { handle.get_device_queue(0, 0) };
        // SAFETY: the device belongs to the instance.
        let memory = unsafe { self.handle.get_physical_device_memory_properties(physical) };
        Device { handle, feedback, queue, memory }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: devices are dropped before their instance.
        unsafe {
            if let Some((debug, messenger)) = &self.debug {
                debug.destroy_debug_utils_messenger(*messenger, None);
            }
            self.handle.destroy_instance(None);
        }
    }
}

pub(crate) struct Device {
    pub(crate) handle: ash::Device,
    pub(crate) feedback: ext::transform_feedback::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
}

impl Device {
    /// Returns the address of the command that the loader finds by this name.
    pub(crate) fn command(&self, instance: &Instance, name: &CStr) -> Option<usize> {
        let find = instance.handle.fp_v1_0().get_device_proc_addr;
        // SAFETY: the device is alive.
        unsafe { find(self.handle.handle(), name.as_ptr()) }.map(|found| found as usize)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the tests destroy the objects that they create, and wait for the device.
        unsafe { self.handle.destroy_device(None) };
    }
}

fn is_listed(entry: &ash::Entry, extension: &CStr) -> bool {
    // SAFETY: the query names no layer.
    let listed = unsafe { entry.enumerate_instance_extension_properties(None) };
    let listed = listed.expect("extensions are listed");
    listed.iter().any(|one| one.extension_name_as_c_str() == Ok(extension))
}

fn messenger(messages: &Mutex<Vec<String>>) -> vk::DebugUtilsMessengerCreateInfoEXT<'_> {
    use vk::{
        DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type,
    };
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::WARNING | Severity::ERROR)
        .message_type(Type::VALIDATION)
        .pfn_user_callback(Some(record))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// Wrong messages of the validation layers for pipelines that never rasterize, in dynamic rendering with a color
/// attachment. Debian's layer reports a missing blend state; Chromium's layer reports that there are no color
/// attachments.
const FALSE_POSITIVES: [&str; 2] =
    ["VUID-VkGraphicsPipelineCreateInfo-renderPass-06054", "-colorAttachmentCount-06179"];

/// Records a message of the validation layer, which calls this function.
unsafe extern "system" fn record(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the messages outlive the messenger, and the layer passes a valid structure.
    unsafe {
        let messages = &*messages.cast::<Mutex<Vec<String>>>();
        let text = CStr::from_ptr((*data).p_message).to_string_lossy().into_owned();
        if !FALSE_POSITIVES.iter().any(|rule| text.contains(rule)) {
            messages.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
    }
    vk::FALSE
}
