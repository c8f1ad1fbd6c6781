//! A mock loader, which places the layer above the mock driver.

use crate::made_up::{Command, get_device_proc_addr, get_instance_proc_addr};
use ash::vk;
use polyshade_layer::chain::{
    INTERFACE_VERSION, LINK_INFO, LayerDeviceCreateInfo, LayerDeviceLink, LayerInstanceCreateInfo,
    LayerInstanceLink, NEGOTIATE_STRUCT, NegotiateLayerInterface,
};
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

/// The functions that the layer returns to a loader.
pub(crate) struct Layer {
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    get_physical_device_proc_addr: vk::PFN_vkGetInstanceProcAddr,
}

/// Returns the interface structure of a loader with this version.
pub(crate) fn interface(version: u32) -> NegotiateLayerInterface {
    NegotiateLayerInterface {
        s_type: NEGOTIATE_STRUCT,
        p_next: null_mut(),
        loader_layer_interface_version: version,
        get_instance_proc_addr: None,
        get_device_proc_addr: None,
        get_physical_device_proc_addr: None,
    }
}

impl Layer {
    pub(crate) fn load() -> Self {
        let mut interface = interface(INTERFACE_VERSION);
        // SAFETY: the structure is valid.
        let result =
            unsafe { polyshade_layer::vkNegotiateLoaderLayerInterfaceVersion(&raw mut interface) };
        assert_eq!(result, vk::Result::SUCCESS);
        Self {
            get_instance_proc_addr: interface.get_instance_proc_addr.expect("it is set"),
            get_device_proc_addr: interface.get_device_proc_addr.expect("it is set"),
            get_physical_device_proc_addr: interface
                .get_physical_device_proc_addr
                .expect("it is set"),
        }
    }

    pub(crate) fn of_instance(
        &self,
        instance: vk::Instance,
        name: &CStr,
    ) -> vk::PFN_vkVoidFunction {
        // SAFETY: the instance is alive.
        unsafe { (self.get_instance_proc_addr)(instance, name.as_ptr()) }
    }

    pub(crate) fn of_device(&self, device: vk::Device, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device is alive.
        unsafe { (self.get_device_proc_addr)(device, name.as_ptr()) }
    }

    pub(crate) fn of_physical_device(
        &self,
        instance: vk::Instance,
        name: &CStr,
    ) -> vk::PFN_vkVoidFunction {
        // SAFETY: the instance is alive, or null.
        unsafe { (self.get_physical_device_proc_addr)(instance, name.as_ptr()) }
    }

    /// Creates an instance above the driver. The settings follow the loader's structure in the chain.
    pub(crate) fn instance(
        &self,
        settings: Option<&vk::LayerSettingsCreateInfoEXT<'_>>,
    ) -> vk::Instance {
        let mut link = LayerInstanceLink {
            p_next: null_mut(),
            next_get_instance_proc_addr: get_instance_proc_addr,
            next_get_physical_device_proc_addr: None,
        };
        let loaders = LayerInstanceCreateInfo {
            s_type: vk::StructureType::LOADER_INSTANCE_CREATE_INFO,
            p_next: settings.map_or(null(), |settings| std::ptr::from_ref(settings).cast()),
            function: LINK_INFO,
            layer_info: &raw mut link,
            rest: null_mut(),
        };
        let info =
            vk::InstanceCreateInfo { p_next: (&raw const loaders).cast(), ..Default::default() };
        let create =
            self.of_instance(vk::Instance::null(), c"vkCreateInstance").expect("it is there");
        let mut instance = vk::Instance::null();
        // SAFETY: the command has the type of its name, and the structures are valid.
        let result = unsafe {
            let create = std::mem::transmute::<Command, vk::PFN_vkCreateInstance>(create);
            create(&raw const info, null(), &raw mut instance)
        };
        assert_eq!(result, vk::Result::SUCCESS);
        assert!(loaders.layer_info.is_null(), "the next layer finds its own link");
        instance
    }

    /// Creates a device above the driver with these extensions. The given chain follows the loader's structure.
    pub(crate) fn device(
        &self,
        instance: vk::Instance,
        physical: vk::PhysicalDevice,
        extensions: &[&CStr],
        chain: *const c_void,
    ) -> Result<vk::Device, vk::Result> {
        let mut link = LayerDeviceLink {
            p_next: null_mut(),
            next_get_instance_proc_addr: get_instance_proc_addr,
            next_get_device_proc_addr: get_device_proc_addr,
        };
        let loaders = LayerDeviceCreateInfo {
            s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
            p_next: chain,
            function: LINK_INFO,
            layer_info: &raw mut link,
        };
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info =
            vk::DeviceCreateInfo { p_next: (&raw const loaders).cast(), ..Default::default() };
        let info = info.enabled_extension_names(&names);
        let create = self.of_instance(instance, c"vkCreateDevice").expect("it is there");
        let mut device = vk::Device::null();
        // SAFETY: the command has the type of its name, and the structures are valid.
        let result = unsafe {
            let create = std::mem::transmute::<Command, vk::PFN_vkCreateDevice>(create);
            create(physical, &raw const info, null(), &raw mut device)
        };
        result.result_with_success(device)
    }
}
