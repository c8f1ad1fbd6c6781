//! What is hidden is nowhere.

use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Settings, Validation};
use ash::{ext, vk};

const HIDE_FEEDBACK: Settings<'_> =
    &[(c"mode", c"pass-through"), (c"hide", c"VK_EXT_transform_feedback")];

#[test]
fn lavapipe_has_no_transform_feedback_when_it_is_hidden() {
    for validation in [Validation::Above, Validation::Below] {
        let shown = Instance::new(&[], validation);
        assert!(shown.lists_feedback(LAVAPIPE));

        let hidden = Instance::new(HIDE_FEEDBACK, validation);
        let mut rest = shown.extensions(LAVAPIPE);
        rest.retain(|name| name != "VK_EXT_transform_feedback");
        assert_eq!(hidden.extensions(LAVAPIPE), rest);
        let (features, properties) = hidden.feedback(LAVAPIPE);
        assert_eq!(
            (features.transform_feedback, features.geometry_streams),
            (vk::FALSE, vk::FALSE)
        );
        assert_eq!(properties.max_transform_feedback_buffers, 0);
        hidden.assert_silent();
        let refused = hidden.device(LAVAPIPE, true).err();
        assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
        assert!(hidden.device(LAVAPIPE, false).is_ok());
    }
}

#[test]
fn any_extension_can_be_hidden_and_several() {
    let (robustness, restart) =
        (ext::robustness2::NAME, ext::primitive_topology_list_restart::NAME);
    let setting: Settings<'_> =
        &[(c"hide", c"VK_EXT_robustness2,VK_EXT_primitive_topology_list_restart")];
    let features = |instance: &Instance| {
        let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
        let mut lists = vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT::default();
        let mut all =
            vk::PhysicalDeviceFeatures2::default().push_next(&mut robust).push_next(&mut lists);
        // SAFETY: the device belongs to the instance.
        unsafe {
            let physical = instance.physical(LAVAPIPE);
            instance.handle.get_physical_device_features2(physical, &mut all);
        };
        (robust.null_descriptor, lists.primitive_topology_list_restart)
    };
    let shown = Instance::new(&[], Validation::Below);
    assert_eq!(features(&shown), (vk::TRUE, vk::TRUE));
    let hidden = Instance::new(setting, Validation::Below);
    assert_eq!(features(&hidden), (vk::FALSE, vk::FALSE));
    assert_eq!(hidden.extensions(LAVAPIPE).len(), shown.extensions(LAVAPIPE).len() - 2);
    for name in [robustness, restart] {
        assert!(shown.device_with(LAVAPIPE, &[name]).is_ok());
        let refused = hidden.device_with(LAVAPIPE, &[name]).err();
        assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    }
    assert!(hidden.lists_feedback(LAVAPIPE));
    assert!(hidden.lists_feedback(SWIFTSHADER), "by the layer");
}

#[test]
fn a_bad_setting_hides_nothing() {
    let shown = Instance::new(&[(c"hide", c"transform feedback")], Validation::Below);
    assert!(shown.lists_feedback(LAVAPIPE));
}
