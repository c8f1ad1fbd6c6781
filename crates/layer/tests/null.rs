//! The mode that advertises `VK_EXT_transform_feedback` and captures nothing.

use crate::draws::draw;
use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use ash::{ext, vk};

const NULL_MODE: Settings<'_> = &[(c"mode", c"debug-null")];
const FORCED: Settings<'_> = &[(c"mode", c"debug-null"), (c"hide", c"VK_EXT_transform_feedback")];

#[test]
fn swiftshader_advertises_transform_feedback() {
    for validation in [Validation::Above, Validation::Below] {
        let instance = Instance::new(NULL_MODE, validation);
        assert!(instance.lists_feedback(SWIFTSHADER));
        let (features, properties) = instance.feedback(SWIFTSHADER);
        assert_eq!((features.transform_feedback, features.geometry_streams), (vk::TRUE, vk::FALSE));
        assert_eq!(properties.max_transform_feedback_streams, 1);
        assert_eq!(properties.max_transform_feedback_buffers, 4);
        assert_eq!(properties.transform_feedback_draw, vk::TRUE);
        instance.assert_silent();
    }
}

#[test]
fn where_the_driver_has_it_the_layer_is_off() {
    let instance = Instance::with_layers(NULL_MODE, &[polyshade_layer::LAYER_NAME]);
    let plain = Instance::with_layers(&[], &[]);
    let [with, without] = [&instance, &plain].map(|one| {
        let device = one.device(LAVAPIPE, true).expect("a device");
        (device.command(one, c"vkCmdBeginTransformFeedbackEXT"), one.extensions(LAVAPIPE))
    });
    assert_eq!(with, without);
    let streams = instance.feedback(LAVAPIPE).1.max_transform_feedback_streams;
    assert!(streams > 1, "{streams}: the driver's own limits");
}

#[test]
fn a_hidden_feature_can_be_provided_instead() {
    let instance = Instance::new(FORCED, Validation::Below);
    let names = instance.extensions(LAVAPIPE);
    assert_eq!(names.iter().filter(|name| *name == "VK_EXT_transform_feedback").count(), 1);
    assert_eq!(instance.feedback(LAVAPIPE).1.max_transform_feedback_streams, 1);
    let mut generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut generated);
    // SAFETY: the device belongs to the instance.
    unsafe { instance.handle.get_physical_device_features2(instance.physical(LAVAPIPE), &mut all) };
    assert_eq!(generated.primitives_generated_query_with_non_zero_streams, vk::FALSE);
    instance.assert_silent();
}

#[test]
fn everything_of_the_extension_can_be_used_and_captures_nothing() {
    for (driver, settings) in [(SWIFTSHADER, NULL_MODE), (LAVAPIPE, FORCED)] {
        for validation in [Validation::Above, Validation::Below] {
            let instance = Instance::new(settings, validation);
            let drawn = draw(&instance, driver);
            assert_eq!(drawn.pixels, [0xff00_ff00; 16], "{driver}: the triangle covers the image");
            assert_eq!(drawn.captured, [7; 16], "{driver}: nothing is captured");
            assert_eq!(drawn.results, [0, 0, 1, 0, 0, 1], "{driver}: two results");
            assert_eq!(drawn.copied, [0, 0, 1, 7, 0, 0, 1, 7], "{driver}: copied results");
            assert_eq!(instance.messages()[..], [""; 0], "{driver} {validation:?}");
        }
    }
}

#[test]
fn the_driver_captures_where_it_is_native() {
    // The same commands capture here, so the tests above would detect a capture.
    let instance = Instance::new(&[], Validation::Below);
    let drawn = draw(&instance, LAVAPIPE);
    assert_eq!(drawn.pixels, [0xff00_ff00; 16]);
    assert_ne!(drawn.captured, [7; 16]);
    assert_eq!(drawn.results, [1, 1, 1, 0, 0, 1]);
    instance.assert_silent();
}

#[test]
fn validation_notices_what_the_layer_would_let_through() {
    // The extension's stage is invalid on a device without the extension, so this call shows that messages are
    // recorded.
    let instance = Instance::new(&[], Validation::Below);
    let device = instance.device(SWIFTSHADER, false).expect("a device");
    let usage = vk::BufferUsageFlags::from_raw(0);
    let info = vk::BufferCreateInfo::default().size(16).usage(usage);
    // SAFETY: the call is invalid on purpose, and the driver accepts it.
    let buffer = unsafe { device.handle.create_buffer(&info, None) };
    if let Ok(buffer) = buffer {
        // SAFETY: the buffer was created above.
        unsafe { device.handle.destroy_buffer(buffer, None) };
    }
    assert!(!instance.messages().is_empty());
    instance.messages().clear();
    assert_eq!(ext::transform_feedback::NAME, c"VK_EXT_transform_feedback");
}
