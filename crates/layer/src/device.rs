//! Devices: what is known of each, how one begins and ends.

use crate::chain::{key, take_device_link};
use crate::commands::DeviceCommands;
use crate::instance::Instance;
use crate::log::{Level, Log};
use crate::offer;
use crate::physical::View;
use crate::pnext::{Change, Copied};
use crate::registry::Registry;
use crate::settings::slice;
use ash::vk;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// What is known of a device.
pub(crate) struct Device {
    pub(crate) handle: vk::Device,
    pub(crate) get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    pub(crate) next: DeviceCommands,
    /// Whether transform feedback was asked for and is the layer's. Without, the device has the driver's own commands.
    pub(crate) has_feedback: bool,
    /// The query pools of transform feedback, which the driver takes for others.
    pub(crate) feedback_pools: Registry<()>,
    pub(crate) log: Arc<Log>,
}

static DEVICES: Registry<Device> = Registry::new();

impl Device {
    /// The device that a handle belongs to: its own, a queue's or a command buffer's.
    ///
    /// # Safety
    ///
    /// The handle is alive, and the device is not destroyed while the result is used.
    pub(crate) unsafe fn of<'d>(handle: impl vk::Handle) -> Option<&'d Self> {
        // SAFETY: the caller's promise.
        unsafe { DEVICES.get(key(handle)) }
    }

    /// The command of this name of what is below.
    pub(crate) fn next_command(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device is alive.
        unsafe { (self.get_proc_addr)(self.handle, name.as_ptr()) }
    }

    /// Whether a query pool is one of transform feedback.
    pub(crate) fn is_feedback_pool(&self, pool: vk::QueryPool) -> bool {
        // SAFETY: who destroys the pool waits for those who use it, and what is found is not looked at.
        unsafe { self.feedback_pools.get(vk::Handle::as_raw(pool)).is_some() }
    }
}

/// `vkCreateDevice`.
pub(crate) unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the caller hands over what Vulkan asks for, and the loader a link to the next layer.
    unsafe {
        let Some(instance) = Instance::of(physical) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let Some(link) = take_device_link((*info).p_next) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let view = View::new(instance, physical);
        let Request { extensions, has_feedback } = match Request::read(&view, &*info) {
            Ok(request) => request,
            Err(refused) => {
                let refused = refused.to_string_lossy();
                instance.log.say(
                    Level::Error,
                    format_args!("vkCreateDevice: {refused} is hidden, or not there"),
                );
                return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
            }
        };

        let hidden = view.hidden_structures();
        let drops = |s_type| hidden.iter().any(|one| one.s_type == s_type).then_some(Change::Drop);
        // Where one cannot be taken out, the driver skips it as it skips all that it does not know.
        let chain = Copied::new((*info).p_next, drops).map_err(|unknown| {
            instance.log.say(
                Level::Warning,
                format_args!("vkCreateDevice: structures behind one of type {unknown:?} stay"),
            );
        });
        let mut changed = *info;
        changed.p_next = chain.as_ref().map_or((*info).p_next, Copied::first);
        changed.enabled_extension_count = extensions.len() as u32;
        changed.pp_enabled_extension_names = extensions.as_ptr();

        let create =
            (link.next_get_instance_proc_addr)(instance.handle, c"vkCreateDevice".as_ptr());
        let Some(create) = create else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create =
            std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateDevice>(create);
        let result = create(physical, &raw const changed, allocator, device);
        if result == vk::Result::SUCCESS {
            register(*device, link.next_get_device_proc_addr, has_feedback, instance);
        }
        result
    }
}

/// What a device is asked for.
struct Request {
    /// The extensions of the driver's.
    extensions: Vec<*const c_char>,
    has_feedback: bool,
}

impl Request {
    /// Splits the extensions into those of the driver's and of the layer's. The error is one that must not be asked
    /// for.
    ///
    /// # Safety
    ///
    /// The structure is valid.
    unsafe fn read<'t>(view: &View<'_>, info: &vk::DeviceCreateInfo<'t>) -> Result<Self, &'t CStr> {
        let mut request = Self { extensions: Vec::new(), has_feedback: false };
        // SAFETY: the caller's promise.
        let names = unsafe { slice(info.pp_enabled_extension_names, info.enabled_extension_count) };
        for &name in names {
            // SAFETY: names are strings.
            let text = unsafe { CStr::from_ptr(name) };
            if !view.takes(text) {
                return Err(text);
            }
            if text == offer::NAME && view.provides_feedback {
                request.has_feedback = true;
            } else {
                request.extensions.push(name);
            }
        }
        Ok(request)
    }
}

fn register(
    handle: vk::Device,
    get_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    has_feedback: bool,
    instance: &Instance,
) {
    // SAFETY: the device was just created.
    let (next, key) =
        unsafe { (DeviceCommands::load(|name| get_proc_addr(handle, name.as_ptr())), key(handle)) };
    let log = Arc::clone(&instance.log);
    let what =
        if has_feedback { "VK_EXT_transform_feedback, which captures nothing" } else { "nothing" };
    log.say(Level::Info, format_args!("device created; the layer provides {what}"));
    let feedback_pools = Registry::new();
    let state = Device { handle, get_proc_addr, next, has_feedback, feedback_pools, log };
    DEVICES.insert(key, Box::new(state));
}

/// `vkDestroyDevice`.
pub(crate) unsafe extern "system" fn destroy_device(
    device: vk::Device,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    if device == vk::Device::null() {
        return;
    }
    // SAFETY: the caller hands over a device that is alive, which nobody else uses.
    unsafe {
        let Some(state) = DEVICES.remove(key(device)) else { return };
        if let Some(destroy) = state.next.destroy_device {
            destroy(device, allocator);
        }
        state.log.say(Level::Info, format_args!("device destroyed"));
    }
}
