//! What the layer captures where the driver does not.

use crate::draws::draw;
use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use ash::vk;

const FORCED: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

/// The drivers with the settings by which the layer captures over them.
const CAPTURED: [(&str, Settings<'_>); 2] = [(SWIFTSHADER, &[]), (LAVAPIPE, FORCED)];

#[test]
fn a_triangle_is_captured_counted_and_drawn_as_by_the_driver() {
    let native = draw(&Instance::new(&[], Validation::Below), LAVAPIPE);
    assert_eq!(native.captured[..3], [0, 1, 2]);
    for (driver, settings) in CAPTURED {
        for validation in [Validation::Above, Validation::Below] {
            let instance = Instance::new(settings, validation);
            let drawn = draw(&instance, driver);
            assert_eq!(drawn.captured, native.captured, "{driver}");
            // Of the second query, which was never begun, drivers say that it is available, or not.
            assert_eq!(drawn.results[..3], native.results[..3], "{driver}: written, needed, there");
            assert_eq!(drawn.copied[..2], native.copied[..2], "{driver}: the same by commands");
            assert_ne!(drawn.copied[2], 0, "{driver}: it is available");
            assert_eq!(drawn.pixels, native.pixels, "{driver}");
            assert_eq!(instance.messages()[..], [""; 0], "{driver} {validation:?}");
        }
    }
}

#[test]
fn what_a_device_lacks_is_provided_by_itself() {
    let instance = Instance::new(&[], Validation::Below);
    assert!(instance.lists_feedback(SWIFTSHADER));
    let names = instance.extensions(SWIFTSHADER);
    assert!(names.iter().any(|name| name == "VK_EXT_primitives_generated_query"));
    let mut generated = vk::PhysicalDevicePrimitivesGeneratedQueryFeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut generated);
    let physical = instance.physical(SWIFTSHADER);
    // SAFETY: the device belongs to the instance.
    unsafe { instance.handle.get_physical_device_features2(physical, &mut all) };
    assert_eq!(generated.primitives_generated_query, vk::TRUE);
    assert_eq!(generated.primitives_generated_query_with_non_zero_streams, vk::FALSE);
    instance.assert_silent();
}
