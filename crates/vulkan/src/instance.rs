use crate::error::{Context, Error};
use crate::validation::{LAYER, Layer, Log};
use ash::{ext, khr, vk};
use std::ffi::CStr;
use std::sync::Arc;

/// The first Vulkan version in which the layer reads settings from `vkCreateInstance`.
const FIRST_WITH_SETTINGS: u32 = vk::make_api_version(0, 1, 3, 272);

/// The names and versions of a device that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceName {
    /// The name of the device.
    pub device: String,
    /// The name of the driver; empty if the device does not report it.
    pub driver: String,
    /// The version of the driver: its description, or else the vendor's packed version number.
    pub driver_version: String,
    /// The Vulkan version that the device supports, in Vulkan's packed format.
    pub api_version: u32,
}

/// A Vulkan instance, and the messenger that receives the messages of its validation layer.
pub(crate) struct Instance {
    pub(crate) handle: ash::Instance,
    pub(crate) layer: Option<Layer>,
    pub(crate) log: Arc<Log>,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    // The loader's library must stay open as long as any object created through it.
    _entry: ash::Entry,
}

impl Instance {
    /// Creates an instance, with or without the validation layer.
    pub(crate) fn new(validate: bool) -> Result<Instance, Error> {
        // SAFETY: the loaded library is the system's Vulkan loader.
        let entry = unsafe { ash::Entry::load() }.map_err(|why| Error::Loader(why.to_string()))?;
        let layer = match validate {
            true => Some(layer(&entry, LAYER)?.ok_or(Error::NoValidationLayer)?),
            false => None,
        };
        let log = Arc::new(Log::default());

        // SAFETY: the loader is open.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.call("vkEnumerateInstanceVersion")?.unwrap_or(vk::API_VERSION_1_0);
        let application = vk::ApplicationInfo::default().api_version(version);
        let mut info = vk::InstanceCreateInfo::default().application_info(&application);
        let mut messenger = log.messenger();
        let synchronization = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
        let mut features =
            vk::ValidationFeaturesEXT::default().enabled_validation_features(&synchronization);
        let layers = [LAYER.as_ptr()];
        let mut extensions = Vec::new();
        // The loader lists devices with the portability subset only if this flag is set.
        if has_extension(&entry, khr::portability_enumeration::NAME)? {
            info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
            extensions.push(khr::portability_enumeration::NAME.as_ptr());
        }
        if validate {
            extensions.push(ext::debug_utils::NAME.as_ptr());
            extensions.push(ext::validation_features::NAME.as_ptr());
        }
        // By default, newer layers do not check buffer accesses of shaders, and report each message at most ten times
        // in a process. Older layers know neither setting.
        let values = [vk::TRUE.to_ne_bytes(), vk::FALSE.to_ne_bytes()];
        let names = [c"syncval_shader_accesses_heuristic", c"enable_message_limit"];
        let setting = |(name, value): (&CStr, &[u8; 4])| vk::LayerSettingEXT {
            p_layer_name: LAYER.as_ptr(),
            p_setting_name: name.as_ptr(),
            ty: vk::LayerSettingTypeEXT::BOOL32,
            value_count: 1,
            p_values: value.as_ptr().cast(),
            ..vk::LayerSettingEXT::default()
        };
        let settings: Vec<_> = names.into_iter().zip(&values).map(setting).collect();
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        if layer.as_ref().is_some_and(|layer| layer.spec_version >= FIRST_WITH_SETTINGS) {
            info = info.push_next(&mut settings);
        }
        if validate {
            info = info
                .enabled_layer_names(&layers)
                .push_next(&mut messenger)
                .push_next(&mut features);
        }
        info = info.enabled_extension_names(&extensions);

        // SAFETY: the structures of `info` live until the end of this function.
        let handle = unsafe { entry.create_instance(&info, None) }.call("vkCreateInstance")?;
        let mut instance = Instance { handle, layer, log, messenger: None, _entry: entry };
        if validate {
            instance.listen()?;
        }
        Ok(instance)
    }

    fn listen(&mut self) -> Result<(), Error> {
        let debug = ext::debug_utils::Instance::new(&self._entry, &self.handle);
        // SAFETY: the extension is enabled, and `Drop` destroys the messenger before the log.
        let messenger = unsafe { debug.create_debug_utils_messenger(&self.log.messenger(), None) }
            .call("vkCreateDebugUtilsMessengerEXT")?;
        self.messenger = Some((debug, messenger));
        Ok(())
    }

    /// Returns the first device whose name or driver name contains `wanted`, ignoring case.
    pub(crate) fn find_device(&self, wanted: &str) -> Result<vk::PhysicalDevice, Error> {
        let devices = self.devices()?;
        let names = devices.iter().map(|&device| self.name(device)).collect::<Vec<_>>();

        let part = wanted.to_lowercase();
        let has_name = |name: &DeviceName| {
            [&name.device, &name.driver].iter().any(|name| name.to_lowercase().contains(&part))
        };
        match names.iter().position(has_name) {
            Some(index) => Ok(devices[index]),
            None => {
                let found = names.into_iter().map(|name| name.device).collect();
                Err(Error::NoDevice { wanted: wanted.to_owned(), found })
            }
        }
    }

    pub(crate) fn device_names(&self) -> Result<Vec<DeviceName>, Error> {
        Ok(self.devices()?.into_iter().map(|device| self.name(device)).collect())
    }

    fn devices(&self) -> Result<Vec<vk::PhysicalDevice>, Error> {
        // SAFETY: the instance is alive.
        unsafe { self.handle.enumerate_physical_devices() }.call("vkEnumeratePhysicalDevices")
    }

    /// Queries the features of one structure, whose extension or version the device supports.
    pub(crate) fn features<T: vk::ExtendsPhysicalDeviceFeatures2 + Default>(
        &self,
        device: vk::PhysicalDevice,
    ) -> T {
        let mut found = T::default();
        let features = &mut vk::PhysicalDeviceFeatures2::default().push_next(&mut found);
        // SAFETY: the device belongs to the instance and supports the structure.
        unsafe { self.handle.get_physical_device_features2(device, features) };
        found
    }

    /// Queries the properties of one structure, whose extension or version the device supports.
    pub(crate) fn properties<T: vk::ExtendsPhysicalDeviceProperties2 + Default>(
        &self,
        device: vk::PhysicalDevice,
    ) -> T {
        let mut found = T::default();
        let properties = &mut vk::PhysicalDeviceProperties2::default().push_next(&mut found);
        // SAFETY: the device belongs to the instance and supports the structure.
        unsafe { self.handle.get_physical_device_properties2(device, properties) };
        found
    }

    pub(crate) fn name(&self, device: vk::PhysicalDevice) -> DeviceName {
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: the device belongs to the instance; before 1.2 the name of the driver stays empty.
        unsafe { self.handle.get_physical_device_properties2(device, &mut properties) };
        let properties = properties.properties;
        let device = properties.device_name_as_c_str();
        let text = |name: Option<&CStr>| name.unwrap_or_default().to_string_lossy().into_owned();
        let driver_version = match text(driver.driver_info_as_c_str().ok()) {
            words if words.is_empty() => properties.driver_version.to_string(),
            words => words,
        };
        DeviceName {
            device: text(device.ok()),
            driver: text(driver.driver_name_as_c_str().ok()),
            driver_version,
            api_version: properties.api_version,
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some((debug, messenger)) = &self.messenger {
            // SAFETY: the messenger came from this instance, which is still alive.
            unsafe { debug.destroy_debug_utils_messenger(*messenger, None) };
        }
        // SAFETY: the owner of the instance drops all objects made from it first.
        unsafe { self.handle.destroy_instance(None) };
    }
}

/// Whether the loader or a driver supports an instance extension.
fn has_extension(entry: &ash::Entry, name: &CStr) -> Result<bool, Error> {
    // SAFETY: the loader is open.
    let extensions = unsafe { entry.enumerate_instance_extension_properties(None) }
        .call("vkEnumerateInstanceExtensionProperties")?;
    Ok(extensions.iter().any(|one| one.extension_name_as_c_str() == Ok(name)))
}

/// Returns the Vulkan loader's description of the layer with this name, if the loader finds the layer.
pub fn find_layer(name: &CStr) -> Result<Option<Layer>, Error> {
    // SAFETY: the loaded library is the system's Vulkan loader.
    let entry = unsafe { ash::Entry::load() }.map_err(|why| Error::Loader(why.to_string()))?;
    layer(&entry, name)
}

fn layer(entry: &ash::Entry, name: &CStr) -> Result<Option<Layer>, Error> {
    // SAFETY: the loader is open.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }
        .call("vkEnumerateInstanceLayerProperties")?;
    let found = layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(name));
    Ok(found.map(|layer| Layer {
        spec_version: layer.spec_version,
        implementation_version: layer.implementation_version,
        description: layer
            .description_as_c_str()
            .map(|text| text.to_string_lossy().into_owned())
            .unwrap_or_default(),
    }))
}
