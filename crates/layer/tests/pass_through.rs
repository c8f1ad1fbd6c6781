//! Devices that do not need the layer get the driver's own commands.

use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Validation};
use ash::vk;
use std::ffi::CStr;

/// Commands that the layer also implements.
const COMMANDS: [&CStr; 8] = [
    c"vkCmdDraw",
    c"vkCmdPipelineBarrier",
    c"vkCmdBeginQuery",
    c"vkQueueSubmit",
    c"vkCreateBuffer",
    c"vkCreateShaderModule",
    c"vkCreateGraphicsPipelines",
    c"vkCmdBeginTransformFeedbackEXT",
];

#[test]
fn a_device_that_needs_nothing_has_the_drivers_own_commands() {
    let without = Instance::with_layers(&[], &[]);
    for mode in [c"auto", c"pass-through", c"debug-null"] {
        let with = Instance::with_layers(&[(c"mode", mode)], &[polyshade_layer::LAYER_NAME]);
        for driver in [LAVAPIPE, SWIFTSHADER] {
            let devices = [&without, &with].map(|one| one.device(driver, false).expect("a device"));
            for name in COMMANDS {
                let [own, layers] = [&without, &with].map(|one| {
                    let device =
                        if std::ptr::eq(one, &without) { &devices[0] } else { &devices[1] };
                    device.command(one, name)
                });
                assert_eq!(own, layers, "{name:?} of {driver} with mode {mode:?}");
            }
        }
    }
    // Control: if the layer provides transform feedback, SwiftShader's devices get other commands.
    let with = Instance::with_layers(&[(c"mode", c"debug-null")], &[polyshade_layer::LAYER_NAME]);
    let devices = (without.device(SWIFTSHADER, false), with.device(SWIFTSHADER, true));
    let (own, layers) = (devices.0.expect("a device"), devices.1.expect("a device"));
    for name in &COMMANDS[1..] {
        assert_ne!(own.command(&without, name), layers.command(&with, name), "{name:?}");
    }
    assert_eq!(own.command(&without, COMMANDS[0]), layers.command(&with, COMMANDS[0]));
}

#[test]
fn drivers_offer_what_they_have() {
    let without = Instance::with_layers(&[], &[]);
    let cases = [(c"auto", &[LAVAPIPE][..]), (c"pass-through", &[LAVAPIPE, SWIFTSHADER])];
    for (mode, drivers) in cases {
        let with = Instance::new(&[(c"mode", mode)], Validation::Below);
        for &driver in drivers {
            assert_eq!(without.extensions(driver), with.extensions(driver));
            let [own, layers] = [&without, &with].map(|one| one.feedback(driver));
            assert_eq!(own.0.transform_feedback, layers.0.transform_feedback);
            assert_eq!(
                own.1.max_transform_feedback_buffers,
                layers.1.max_transform_feedback_buffers
            );
            assert_eq!(own.0.transform_feedback == vk::TRUE, driver == LAVAPIPE);
        }
        with.assert_silent();
    }
}

#[test]
fn an_extension_that_nobody_has_is_refused_although_the_manifest_lists_it() {
    let settings = &[(c"mode", c"pass-through")];
    let with = Instance::with_layers(settings, &[polyshade_layer::LAYER_NAME]);
    let refused = with.device(SWIFTSHADER, true).err();
    assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    assert!(with.device(LAVAPIPE, true).is_ok());
}

#[test]
fn commands_are_found_as_the_specification_has_it() {
    let with = Instance::with_layers(&[], &[polyshade_layer::LAYER_NAME]);
    let device = with.device(LAVAPIPE, false).expect("a device");
    let native = with.device(LAVAPIPE, true).expect("a device");
    let feedback = c"vkCmdBeginTransformFeedbackEXT";
    assert_eq!(device.command(&with, feedback), None, "the extension is not enabled");
    assert!(native.command(&with, feedback).is_some());
    assert_eq!(device.command(&with, c"vkNobodyKnows"), None);
    assert_eq!(device.command(&with, c"vkCreateDevice"), None, "it is of no device");
}
