//! Tests that the layer does not report features that its captures cannot support, and rejects devices that enable
//! them.

use crate::alone::is_alone;
use crate::linked::linked;
use crate::loader::{Instance, LAVAPIPE, Settings};
use crate::narrow;
use ash::vk;
use std::ffi::CString;

const FEEDBACK: &str = "VK_EXT_transform_feedback";
const SINGLE_SAMPLED: &str = "VK_EXT_multisampled_render_to_single_sampled";

fn has_protected_memory(instance: &Instance) -> vk::Bool32 {
    let mut protected = vk::PhysicalDeviceProtectedMemoryFeatures::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut protected);
    let physical = instance.physical(LAVAPIPE);
    // SAFETY: the device belongs to the instance.
    unsafe { instance.handle.get_physical_device_features2(physical, &mut all) };
    protected.protected_memory
}

/// Creates a device with these extensions, and with this structure first in the chain.
fn ask(
    instance: &Instance,
    extensions: &[&str],
    chained: &mut impl vk::ExtendsDeviceCreateInfo,
) -> Result<ash::Device, vk::Result> {
    let names: Vec<_> =
        extensions.iter().map(|name| CString::new(*name).expect("it has no 0")).collect();
    let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .push_next(chained);
    // SAFETY: all structures live until the end of this function.
    unsafe { instance.handle.create_device(instance.physical(LAVAPIPE), &info, None) }
}

#[test]
fn what_captures_cannot_do_with_is_refused_by_name() {
    if !is_alone("unfit::what_captures_cannot_do_with_is_refused_by_name") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let log = CString::new(path.to_string_lossy().as_bytes()).expect("it has no 0");
    let log = Box::leak(log.into_boxed_c_str());
    let hidden = c"VK_EXT_transform_feedback,geometryShader";
    let forced: Settings<'_> = &[(c"hide", hidden), (c"log_file", log)];
    let own = linked(narrow::get_instance_proc_addr, &[]);
    let emulated = linked(narrow::get_instance_proc_addr, forced);
    // The layer hides protected memory and an unsupported extension, but only if it captures.
    assert_eq!([&own, &emulated].map(has_protected_memory), [vk::TRUE, vk::FALSE]);
    let lists =
        |instance: &Instance| instance.extensions(LAVAPIPE).iter().any(|one| one == SINGLE_SAMPLED);
    assert_eq!([&own, &emulated].map(lists), [true, false]);

    let mut protected = vk::PhysicalDeviceProtectedMemoryFeatures::default().protected_memory(true);
    let devices = [emulated.physical(LAVAPIPE); 2];
    let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&devices);
    // Devices with unsupported features are rejected.
    let refused = Some(vk::Result::ERROR_FEATURE_NOT_PRESENT);
    assert_eq!(ask(&emulated, &[FEEDBACK], &mut protected).err(), refused);
    assert_eq!(ask(&emulated, &[FEEDBACK], &mut group).err(), refused);
    let mut streams =
        vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().geometry_streams(true);
    assert_eq!(ask(&emulated, &[FEEDBACK], &mut streams).err(), refused);
    let mut counted = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default()
        .primitives_generated_query_with_non_zero_streams(true);
    assert_eq!(ask(&emulated, &[FEEDBACK], &mut counted).err(), refused);
    let mut alone = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&devices[..1]);
    let device = ask(&emulated, &[FEEDBACK], &mut alone).expect("one is none too many");
    // Sparse buffers for captures are refused.
    let buffer = |flags, usage| {
        let info = vk::BufferCreateInfo::default().size(64).usage(usage).flags(flags);
        // SAFETY: the structure is valid, and the buffer is destroyed.
        unsafe { device.create_buffer(&info, None).map(|one| device.destroy_buffer(one, None)) }
    };
    use vk::{BufferCreateFlags as Flags, BufferUsageFlags as Usage};
    for usage in
        [Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT]
    {
        assert_eq!(buffer(Flags::empty(), usage), Ok(()));
        assert_eq!(buffer(Flags::SPARSE_BINDING, usage), Err(vk::Result::ERROR_UNKNOWN));
    }
    // SAFETY: its objects are destroyed.
    unsafe { device.destroy_device(None) };
    let text = std::fs::read_to_string(path).expect("it is written");
    for what in [
        "the emulated transform feedback does not support protectedMemory",
        "the emulated transform feedback does not support several physical devices",
        "the emulated transform feedback does not support geometryStreams",
        "the emulated transform feedback does not support primitivesGeneratedQueryWithNonZeroStreams",
        "a sparse buffer for captures is refused",
    ] {
        assert!(text.contains(what), "{what}: {text}");
    }
}
