//! Tests with many instances, devices and threads.

use crate::alone::is_alone;
use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER};
use ash::vk;
use polyshade_layer::LAYER_NAME;
use std::thread;

/// Creates and destroys objects on a device, for one thread.
fn use_device(instance: &Instance, driver: &str, with_feedback: bool) {
    let device = instance.device(driver, with_feedback).expect("a device");
    let pool = vk::CommandPoolCreateInfo::default();
    let allocate = vk::CommandBufferAllocateInfo::default().command_buffer_count(1);
    // SAFETY: all that is used was created here, and nothing is submitted.
    unsafe {
        let pool = device.handle.create_command_pool(&pool, None).expect("a pool");
        let commands =
            device.handle.allocate_command_buffers(&allocate.command_pool(pool)).expect("commands")
                [0];
        for _ in 0..50 {
            let begin = vk::CommandBufferBeginInfo::default();
            device.handle.begin_command_buffer(commands, &begin).expect("recording begins");
            let stages = vk::PipelineStageFlags::ALL_COMMANDS;
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            let flags = vk::DependencyFlags::empty();
            device.handle.cmd_pipeline_barrier(
                commands,
                stages,
                stages,
                flags,
                &[barrier],
                &[],
                &[],
            );
            device.handle.end_command_buffer(commands).expect("recording ends");
        }
        device.handle.destroy_command_pool(pool, None);
    }
}

#[test]
fn threads_have_devices_of_their_own_and_instances_settings_of_their_own() {
    let null = Instance::with_layers(&[(c"mode", c"debug-null")], &[LAYER_NAME]);
    let plain = Instance::with_layers(&[(c"mode", c"pass-through")], &[LAYER_NAME]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| use_device(&null, SWIFTSHADER, true));
            scope.spawn(|| use_device(&plain, LAVAPIPE, true));
            scope.spawn(|| {
                let own = Instance::with_layers(&[(c"mode", c"debug-null")], &[LAYER_NAME]);
                use_device(&own, SWIFTSHADER, true);
                assert!(own.lists_feedback(SWIFTSHADER) && !plain.lists_feedback(SWIFTSHADER));
            });
        }
    });
}

#[test]
fn devices_of_one_instance_are_distinguished() {
    let instance = Instance::with_layers(&[(c"mode", c"debug-null")], &[LAYER_NAME]);
    let devices = [
        instance.device(SWIFTSHADER, true).expect("the layer's feature"),
        instance.device(SWIFTSHADER, false).expect("none"),
        instance.device(LAVAPIPE, true).expect("the driver's feature"),
    ];
    let begin = c"vkCmdBeginTransformFeedbackEXT";
    let found = devices.each_ref().map(|device| device.command(&instance, begin));
    assert!(found[0].is_some() && found[1].is_none() && found[2].is_some());
    assert_ne!(found[0], found[2], "one is the layer's, one the driver's");
}

/// If a loader unloaded the library, each new instance would leak the layer's process-wide state.
#[test]
#[cfg(target_os = "linux")]
fn the_library_stays_when_its_last_instance_goes() {
    // Other tests have instances at the same time.
    if !is_alone("many::the_library_stays_when_its_last_instance_goes") {
        return;
    }
    let is_loaded = || {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux has it");
        maps.contains(&polyshade_layer::manifest::library_name())
    };
    assert!(!is_loaded());
    let instance = Instance::with_layers(&[], &[LAYER_NAME]);
    drop(instance.device(LAVAPIPE, true).expect("a device"));
    drop(instance);
    assert!(is_loaded());
}
