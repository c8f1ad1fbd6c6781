//! Tests that hidden features and extensions are not reported anywhere.

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

/// Any driver can be used as a portability driver with captures of the layer; the validation layer checks its use.
#[test]
fn any_driver_can_be_one_of_portability() {
    let subset = ash::khr::portability_subset::NAME;
    let lists = |instance: &Instance| {
        instance.extensions(LAVAPIPE).iter().any(|name| *name == *subset.to_string_lossy())
    };
    let shown = Instance::new(&[], Validation::Above);
    assert!(!lists(&shown));
    let setting: Settings<'_> = &[(c"portability", c"on"), (c"hide", c"VK_EXT_transform_feedback")];
    for validation in [Validation::Above, Validation::Below] {
        let narrow = Instance::new(setting, validation);
        assert!(lists(&narrow));
        let physical = narrow.physical(LAVAPIPE);
        let mut subset_features = vk::PhysicalDevicePortabilitySubsetFeaturesKHR {
            triangle_fans: vk::TRUE,
            ..Default::default()
        };
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut subset_features);
        let mut strides = vk::PhysicalDevicePortabilitySubsetPropertiesKHR::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut strides);
        // SAFETY: the device belongs to the instance.
        let old = unsafe {
            narrow.handle.get_physical_device_features2(physical, &mut features);
            narrow.handle.get_physical_device_properties2(physical, &mut properties);
            narrow.handle.get_physical_device_properties(physical)
        };
        let new = properties.properties;
        for limits in [old.limits, new.limits] {
            assert_eq!(
                (limits.max_vertex_input_attributes, limits.max_vertex_input_bindings),
                (16, 16)
            );
        }
        assert_eq!(strides.min_vertex_input_binding_stride_alignment, 4);
        assert_eq!((subset_features.triangle_fans, subset_features.events), (vk::FALSE, vk::TRUE));
        // The driver lacks the extension and would fail.
        let names = [subset, ext::transform_feedback::NAME];
        let device = narrow.device_with(LAVAPIPE, &names).expect("the layer takes it");
        drop(device);
        narrow.assert_silent();
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
fn stages_can_be_hidden() {
    let features = |instance: &Instance| {
        let physical = instance.physical(LAVAPIPE);
        let mut eleven = vk::PhysicalDeviceVulkan11Features::default();
        let mut chained = vk::PhysicalDeviceFeatures2::default().push_next(&mut eleven);
        // SAFETY: the device belongs to the instance.
        let plain = unsafe {
            instance.handle.get_physical_device_features2(physical, &mut chained);
            instance.handle.get_physical_device_features(physical)
        };
        let chained = chained.features;
        let views = (eleven.multiview_geometry_shader, eleven.multiview_tessellation_shader);
        let stages = [plain, chained].map(|one| (one.geometry_shader, one.tessellation_shader));
        [stages[0], stages[1], views]
    };
    let asks = |instance: &Instance, chained: bool| {
        let asked = vk::PhysicalDeviceFeatures::default().tessellation_shader(true);
        let mut chain = vk::PhysicalDeviceFeatures2::default().features(asked);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let info = match chained {
            true => info.push_next(&mut chain),
            false => info.enabled_features(&asked),
        };
        // SAFETY: the structure is valid, and the device is not used.
        unsafe {
            let made = instance.handle.create_device(instance.physical(LAVAPIPE), &info, None);
            made.map(|device| device.destroy_device(None))
        }
    };
    // First the reported features, then the features that a device may enable.
    let shown = Instance::new(&[], Validation::Below);
    assert_eq!(features(&shown), [(vk::TRUE, vk::TRUE); 3]);
    let setting: Settings<'_> = &[(c"hide", c"tessellationShader")];
    let hidden = Instance::new(setting, Validation::Below);
    assert_eq!(features(&hidden), [(vk::TRUE, vk::FALSE); 3]);
    for chained in [false, true] {
        assert_eq!(asks(&shown, chained), Ok(()));
        assert_eq!(asks(&hidden, chained), Err(vk::Result::ERROR_FEATURE_NOT_PRESENT));
    }
    assert!(hidden.device(LAVAPIPE, false).is_ok(), "asked for nothing hidden");
    // A list may name extensions and features.
    let both: Settings<'_> = &[(c"hide", c"VK_EXT_robustness2,geometryShader,tessellationShader")];
    let hidden = Instance::new(both, Validation::Below);
    assert_eq!(features(&hidden), [(vk::FALSE, vk::FALSE); 3]);
    assert_eq!(hidden.extensions(LAVAPIPE).len(), shown.extensions(LAVAPIPE).len() - 1);
}

#[test]
fn a_bad_setting_hides_nothing() {
    let shown = Instance::new(&[(c"hide", c"transform feedback")], Validation::Below);
    assert!(shown.lists_feedback(LAVAPIPE));
}
