//! Tests, command by command, the calls that a loader and a driver may make, and the calls that reach the driver.

use crate::made_up::{self, EXTENSIONS, of_same, seen, types};
use crate::made_up_loader::{Layer, interface};
use ash::vk::{self, Handle as _, TaggedStructure as _};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::ptr::null;

/// Counts the bytes that each thread has allocated and not freed.
struct Counting;

thread_local! {
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: the system allocator allocates and frees the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.with(|bytes| bytes.set(bytes.get() + layout.size() as isize));
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        BYTES.with(|bytes| bytes.set(bytes.get() - layout.size() as isize));
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(at, layout) };
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Finds a command and casts it to the function type with its name.
macro_rules! call {
    ($find:expr, $Pfn:ident) => {{
        let found = $find.expect(stringify!($Pfn));
        // SAFETY: the command has the type of its name.
        unsafe { std::mem::transmute::<unsafe extern "system" fn(), vk::$Pfn>(found) }
    }};
}

pub(crate) use call;

/// Creates an instance with these settings, and a physical device.
pub(crate) fn open(
    layer: &Layer,
    settings: &[(&CStr, &CStr)],
) -> (vk::Instance, vk::PhysicalDevice) {
    let values: Vec<[*const c_char; 1]> =
        settings.iter().map(|(_, value)| [value.as_ptr()]).collect();
    let settings: Vec<_> = settings
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
    let settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
    let instance = layer.instance(Some(&settings));
    (instance, of_same(instance))
}

pub(crate) fn close(layer: &Layer, instance: vk::Instance, physical: vk::PhysicalDevice) {
    let destroy = call!(layer.of_instance(instance, c"vkDestroyInstance"), PFN_vkDestroyInstance);
    // SAFETY: the instance is alive.
    unsafe { destroy(instance, null()) };
    made_up::free(physical);
}

pub(crate) fn destroy(layer: &Layer, device: vk::Device) {
    let destroy = call!(layer.of_device(device, c"vkDestroyDevice"), PFN_vkDestroyDevice);
    // SAFETY: the device is alive.
    unsafe { destroy(device, null()) };
}

pub(crate) const NULL_MODE: &[(&CStr, &CStr)] = &[(c"mode", c"debug-null")];
const DONE: vk::Result = vk::Result::SUCCESS;
pub(crate) const FEEDBACK: &CStr = c"VK_EXT_transform_feedback";

#[test]
fn a_loader_that_is_too_old_is_refused() {
    for (version, result, spoken) in [
        (1, vk::Result::ERROR_INITIALIZATION_FAILED, 1),
        (2, vk::Result::SUCCESS, 2),
        (7, vk::Result::SUCCESS, 2),
    ] {
        let mut interface = interface(version);
        // SAFETY: the structure is valid.
        let given =
            unsafe { polyshade_layer::vkNegotiateLoaderLayerInterfaceVersion(&raw mut interface) };
        assert_eq!((given, interface.loader_layer_interface_version), (result, spoken));
    }
    let mut interface = interface(2);
    interface.s_type = 7;
    // SAFETY: the structure is valid.
    let given =
        unsafe { polyshade_layer::vkNegotiateLoaderLayerInterfaceVersion(&raw mut interface) };
    assert_eq!(given, vk::Result::ERROR_INITIALIZATION_FAILED);
}

#[test]
fn commands_of_instances_are_found_as_the_specification_has_it() {
    let layer = Layer::load();
    let (instance, physical) = open(&layer, &[(c"mode", c"pass-through")]);
    for name in
        [c"vkGetInstanceProcAddr", c"vkDestroyInstance", c"vkCreateDevice", c"vkGetDeviceProcAddr"]
    {
        assert!(layer.of_instance(instance, name).is_some(), "{name:?}");
    }
    let begin = c"vkCmdBeginTransformFeedbackEXT";
    for name in
        [c"vkCreateInstance", c"vkEnumerateInstanceLayerProperties", c"vkNobodyKnows", begin]
    {
        assert!(layer.of_instance(instance, name).is_none(), "{name:?}");
    }
    let (other, other_physical) = open(&layer, NULL_MODE);
    assert!(layer.of_instance(other, begin).is_some(), "its devices may have it");
    assert!(layer.of_physical_device(instance, c"vkGetPhysicalDeviceFeatures2").is_some());
    assert!(layer.of_physical_device(instance, c"vkCmdDraw").is_none());
    close(&layer, instance, physical);
    close(&layer, other, other_physical);
}

/// Layers that follow the well-known tutorial, such as Mesa's overlay, look up the next `vkCreateDevice` without an
/// instance.
#[test]
fn layers_above_find_commands_with_no_handle_and_with_handles_of_others() {
    let layer = Layer::load();
    let (instance, physical) = open(&layer, NULL_MODE);
    let device = layer.device(instance, physical, &[FEEDBACK], null()).expect("a device");
    let of_others = [7_usize; 2];
    let others = std::ptr::from_ref(&of_others) as u64;
    let address = |command: vk::PFN_vkVoidFunction| command.map(|command| command as usize);
    // A lookup without an instance, or with a handle of another layer, finds the same commands.
    for unknown in [0, others] {
        let unknown_instance = vk::Instance::from_raw(unknown);
        let of_unknown = |name: &CStr| address(layer.of_instance(unknown_instance, name));
        for name in [
            c"vkCreateInstance",
            c"vkEnumerateInstanceExtensionProperties",
            c"vkEnumerateInstanceLayerProperties",
        ] {
            assert!(of_unknown(name).is_some(), "{name:?}");
        }
        for name in [
            c"vkGetInstanceProcAddr",
            c"vkDestroyInstance",
            c"vkCreateDevice",
            c"vkEnumerateDeviceExtensionProperties",
            c"vkGetPhysicalDeviceFeatures2",
            c"vkGetDeviceProcAddr",
            c"vkDestroyDevice",
            c"vkCmdPipelineBarrier",
            c"vkCmdBeginTransformFeedbackEXT",
        ] {
            let known = address(layer.of_instance(instance, name));
            assert!(known.is_some() && of_unknown(name) == known, "{name:?}");
        }
        let unknown_device = vk::Device::from_raw(unknown);
        let of_unknown_device = |name: &CStr| address(layer.of_device(unknown_device, name));
        for name in [c"vkGetDeviceProcAddr", c"vkDestroyDevice", c"vkCmdPipelineBarrier"] {
            let known = address(layer.of_device(device, name));
            assert!(known.is_some() && of_unknown_device(name) == known, "{name:?}");
        }
        let of_physical = |name: &CStr| layer.of_physical_device(unknown_instance, name).is_some();
        assert!(of_physical(c"vkCreateDevice") && of_physical(c"vkGetPhysicalDeviceFeatures2"));
        let nobody = c"vkNobodyKnows";
        assert!(of_unknown(nobody).is_none() && of_unknown_device(nobody).is_none());
        assert!(!of_physical(nobody) && !of_physical(c"vkCmdPipelineBarrier"));
    }
    destroy(&layer, device);
    close(&layer, instance, physical);
}

#[test]
fn lists_are_answered_in_two_calls() {
    let layer = Layer::load();
    let none = vk::Instance::null();
    let list = call!(
        layer.of_instance(none, c"vkEnumerateInstanceExtensionProperties"),
        PFN_vkEnumerateInstanceExtensionProperties
    );
    let name = polyshade_layer::LAYER_NAME.as_ptr();
    let mut count = 0;
    let mut out = [vk::ExtensionProperties::default(); 4];
    // SAFETY: the arguments are valid.
    unsafe {
        assert_eq!(
            list(null(), &raw mut count, out.as_mut_ptr()),
            vk::Result::ERROR_LAYER_NOT_PRESENT
        );
        assert_eq!(list(name, &raw mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        assert_eq!(count, 1);
        assert_eq!(list(name, &raw mut count, out.as_mut_ptr()), vk::Result::SUCCESS);
        assert_eq!(out[0].extension_name_as_c_str(), Ok(c"VK_EXT_layer_settings"));
    }

    let (instance, physical) = open(&layer, NULL_MODE);
    let list = call!(
        layer.of_instance(instance, c"vkEnumerateDeviceExtensionProperties"),
        PFN_vkEnumerateDeviceExtensionProperties
    );
    let ask = |layer: *const c_char, room: u32| {
        let (mut count, mut out) = (room, [vk::ExtensionProperties::default(); 4]);
        // SAFETY: the array has four elements.
        let result = unsafe { list(physical, layer, &raw mut count, out.as_mut_ptr()) };
        let names = out[..count as usize].iter().map(|one| {
            one.extension_name_as_c_str().expect("names end").to_string_lossy().into_owned()
        });
        (result, names.collect::<Vec<_>>())
    };
    // Shader objects are hidden, because the layer does not see their SPIR-V.
    let all =
        [EXTENSIONS[0], EXTENSIONS[1], FEEDBACK].map(|name| name.to_string_lossy().into_owned());
    assert_eq!(ask(null(), 4), (vk::Result::SUCCESS, all.to_vec()));
    assert_eq!(ask(null(), 2), (vk::Result::INCOMPLETE, all[..2].to_vec()));
    assert_eq!(ask(name, 4), (vk::Result::SUCCESS, all[2..].to_vec()));
    close(&layer, instance, physical);
}

#[test]
fn androids_loader_asks_the_library() {
    use polyshade_layer::android::{
        vkEnumerateDeviceExtensionProperties, vkEnumerateDeviceLayerProperties,
        vkEnumerateInstanceExtensionProperties, vkEnumerateInstanceLayerProperties,
        vkGetInstanceProcAddr,
    };
    // The loader lists layers first, then their extensions.
    let none = vk::PhysicalDevice::null();
    let mut layers = [vk::LayerProperties::default(); 2];
    let mut count = 1;
    // SAFETY: the arrays are large enough.
    unsafe {
        let instance = vkEnumerateInstanceLayerProperties(&raw mut count, &raw mut layers[0]);
        let device = vkEnumerateDeviceLayerProperties(none, &raw mut count, &raw mut layers[1]);
        assert_eq!((instance, device, count), (DONE, DONE, 1));
    }
    let names = layers.map(|layer| layer.layer_name);
    assert_eq!(names[0], names[1], "so it is one of devices too");
    let name = layers[0].layer_name.as_ptr();
    let mut out = [vk::ExtensionProperties::default(); 4];
    let mut listed = |ask: &dyn Fn(*mut u32, *mut vk::ExtensionProperties) -> vk::Result| {
        let mut count = out.len() as u32;
        assert_eq!(ask(&raw mut count, out.as_mut_ptr()), DONE);
        let names = out[..count as usize].iter();
        names.map(|one| one.extension_name_as_c_str().expect("names end").to_owned()).collect()
    };
    // SAFETY: the array has four elements.
    let of_device: Vec<_> = listed(&|count, out| unsafe {
        vkEnumerateDeviceExtensionProperties(none, name, count, out)
    });
    assert_eq!(of_device, [FEEDBACK, c"VK_EXT_primitives_generated_query"]);
    let of_instance: Vec<_> =
        // SAFETY: as above.
        listed(&|count, out| unsafe { vkEnumerateInstanceExtensionProperties(name, count, out) });
    assert_eq!(of_instance, [c"VK_EXT_layer_settings"]);
    let refused = vk::Result::ERROR_LAYER_NOT_PRESENT;
    // SAFETY: the arguments are valid.
    unsafe {
        let other = c"VK_LAYER_of_others".as_ptr();
        let of_others =
            vkEnumerateDeviceExtensionProperties(none, other, &raw mut count, out.as_mut_ptr());
        assert_eq!(of_others, refused);
        let create = c"vkCreateInstance".as_ptr();
        assert!(vkGetInstanceProcAddr(vk::Instance::null(), create).is_some());
    }
}

#[test]
fn the_driver_sees_nothing_of_what_the_layer_provides() {
    let layer = Layer::load();
    let (instance, physical) = open(&layer, NULL_MODE);
    seen();
    let behind = vk::PhysicalDeviceMultiviewFeatures::default();
    let feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT {
        p_next: std::ptr::from_ref(&behind).cast_mut().cast(),
        ..Default::default()
    };
    let before = vk::PhysicalDeviceFeatures2 {
        p_next: std::ptr::from_ref(&feedback).cast_mut().cast(),
        ..Default::default()
    };
    let chain = std::ptr::from_ref(&before).cast();
    let device =
        layer.device(instance, physical, &[EXTENSIONS[0], FEEDBACK], chain).expect("a device");
    let loaders = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
    let got = seen();
    assert_eq!(got.extensions, ["VK_KHR_swapchain"]);
    let [before_type, behind_type] = [
        vk::PhysicalDeviceFeatures2::STRUCTURE_TYPE,
        vk::PhysicalDeviceMultiviewFeatures::STRUCTURE_TYPE,
    ];
    assert_eq!(got.chain, [loaders, before_type, behind_type]);
    assert_eq!(types(chain).len(), 3, "the application's chain is as it was");

    let refused = layer.device(instance, physical, &[EXTENSIONS[2]], null());
    assert_eq!(refused, Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT), "shader objects are hidden");
    records(&layer, device);
    destroy(&layer, device);
    close(&layer, instance, physical);
}

/// ANGLE chains structures that the layer does not know, and SwiftShader rejects features that it lacks.
#[test]
fn what_the_layer_provides_goes_from_behind_what_nobody_knows() {
    let layer = Layer::load();
    let (instance, physical) = open(&layer, NULL_MODE);
    seen();
    let feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
    let unknown = vk::StructureType::from_raw(2_000_000_000);
    let mut before = vk::BaseOutStructure { s_type: unknown, ..Default::default() };
    before.p_next = std::ptr::from_ref(&feedback).cast_mut().cast();
    let chain = (&raw mut before).cast();
    let device =
        layer.device(instance, physical, &[EXTENSIONS[0], FEEDBACK], chain).expect("a device");
    assert_eq!(seen().chain, [vk::StructureType::LOADER_DEVICE_CREATE_INFO, unknown]);
    assert_eq!(types(chain).len(), 2, "the application's chain is as it was");
    destroy(&layer, device);
    close(&layer, instance, physical);
}

/// Creates objects and records commands that use the extension.
fn records(layer: &Layer, device: vk::Device) {
    // Barriers and buffers.
    let commands: vk::CommandBuffer = of_same(device);
    let barrier = call!(layer.of_device(device, c"vkCmdPipelineBarrier"), PFN_vkCmdPipelineBarrier);
    let memory = [vk::MemoryBarrier {
        src_access_mask: vk::AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT,
        dst_access_mask: vk::AccessFlags::HOST_READ,
        ..Default::default()
    }];
    let (feedback, host) =
        (vk::PipelineStageFlags::TRANSFORM_FEEDBACK_EXT, vk::PipelineStageFlags::HOST);
    let flags = vk::DependencyFlags::empty();
    let create = call!(layer.of_device(device, c"vkCreateBuffer"), PFN_vkCreateBuffer);
    let info =
        vk::BufferCreateInfo::default().usage(vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT);
    let mut buffer = vk::Buffer::null();
    // SAFETY: the arguments are valid.
    unsafe {
        barrier(commands, feedback, host, flags, 1, memory.as_ptr(), 0, null(), 0, null());
        assert_eq!(create(device, &raw const info, null(), &raw mut buffer), DONE);
    }
    let got = seen();
    assert_eq!(got.stages, [vk::PipelineStageFlags::VERTEX_SHADER, host]);
    assert_eq!(got.accesses, [vk::AccessFlags::SHADER_WRITE, vk::AccessFlags::HOST_READ]);
    assert_eq!(got.usage, vk::BufferUsageFlags::STORAGE_BUFFER);

    // Queries of the extension, and other queries.
    let create = call!(layer.of_device(device, c"vkCreateQueryPool"), PFN_vkCreateQueryPool);
    let begin =
        call!(layer.of_device(device, c"vkCmdBeginQueryIndexedEXT"), PFN_vkCmdBeginQueryIndexedEXT);
    let info =
        |query_type| vk::QueryPoolCreateInfo::default().query_type(query_type).query_count(2);
    let (mut own, mut other) = (vk::QueryPool::null(), vk::QueryPool::null());
    // SAFETY: the arguments are valid.
    unsafe {
        let feedback = info(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT);
        assert_eq!(create(device, &raw const feedback, null(), &raw mut own), DONE);
        assert_eq!(seen().query_type, Some(vk::QueryType::OCCLUSION));
        let statistics = info(vk::QueryType::PIPELINE_STATISTICS);
        assert_eq!(create(device, &raw const statistics, null(), &raw mut other), DONE);
        assert_eq!(seen().query_type, Some(vk::QueryType::PIPELINE_STATISTICS));
        begin(commands, own, 0, vk::QueryControlFlags::empty(), 0);
        assert_eq!(seen().queries_begun, 0);
        begin(commands, other, 0, vk::QueryControlFlags::empty(), 0);
        assert_eq!(seen().queries_begun, 1);
    }
    results(layer, device, commands, own);
    let destroy = call!(layer.of_device(device, c"vkDestroyQueryPool"), PFN_vkDestroyQueryPool);
    // SAFETY: the pools are alive.
    unsafe {
        destroy(device, own, null());
        destroy(device, other, null());
    }
    made_up::free(commands);
}

/// Reads the results of transform feedback queries.
fn results(layer: &Layer, device: vk::Device, commands: vk::CommandBuffer, pool: vk::QueryPool) {
    let get = call!(layer.of_device(device, c"vkGetQueryPoolResults"), PFN_vkGetQueryPoolResults);
    let mut data = [7_u32; 8];
    let flags = vk::QueryResultFlags::WITH_AVAILABILITY;
    // SAFETY: the array is large enough for two results, 16 bytes apart.
    let result = unsafe { get(device, pool, 0, 2, 32, data.as_mut_ptr().cast(), 16, flags) };
    assert_eq!((result, data), (vk::Result::SUCCESS, [0, 0, 1, 7, 0, 0, 1, 7]));
    let copy =
        call!(layer.of_device(device, c"vkCmdCopyQueryPoolResults"), PFN_vkCmdCopyQueryPoolResults);
    // SAFETY: the arguments are valid.
    unsafe { copy(commands, pool, 0, 2, vk::Buffer::null(), 0, 16, flags) };
    let got = seen();
    let written: Vec<u8> = [0_u32, 0, 1].into_iter().flat_map(u32::to_ne_bytes).collect();
    assert_eq!((got.queries_begun, got.updates), (0, vec![written; 2]));
}

#[test]
fn what_is_destroyed_leaves_nothing_behind() {
    let layer = Layer::load();
    let round = || {
        let (instance, physical) = open(&layer, NULL_MODE);
        let device = layer.device(instance, physical, &[FEEDBACK], null()).expect("a device");
        records(&layer, device);
        destroy(&layer, device);
        close(&layer, instance, physical);
        seen();
    };
    // The first round may allocate list nodes that later rounds reuse.
    round();
    let before = BYTES.with(Cell::get);
    for _ in 0..100 {
        round();
    }
    let left = BYTES.with(Cell::get) - before;
    // An instance of another thread in the same list can cause one more node, which later instances reuse.
    assert!(left.abs() < 100, "{left} bytes are left of 100 instances and devices");
    let leaked = Box::leak(Box::new([0_u8; 1000]));
    assert!(BYTES.with(Cell::get) - before >= leaked.len() as isize, "bytes are counted");
}

#[test]
fn handles_of_nobody_are_refused() {
    let layer = Layer::load();
    let (instance, physical) = open(&layer, &[]);
    let stranger: vk::PhysicalDevice = made_up::of_same(made_up_key());
    let refused = layer.device(instance, stranger, &[], null());
    assert_eq!(refused, Err(vk::Result::ERROR_INITIALIZATION_FAILED));
    made_up::free(stranger);
    close(&layer, instance, physical);
}

/// Returns a handle whose dispatch key belongs to no instance.
fn made_up_key() -> vk::Instance {
    static WORD: [usize; 2] = [1, 0];
    vk::Instance::from_raw(WORD.as_ptr() as u64)
}
