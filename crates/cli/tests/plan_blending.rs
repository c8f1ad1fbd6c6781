//! Tests the command `polyshade plan` for blending.

use crate::work::{Work, json};

/// Returns a folder with the state of a blend as `state.json`.
fn work() -> Work {
    Work::with(&[("state.json", include_str!("../../../examples/plans/multiply.json"))])
}

#[test]
fn the_example_says_that_a_barrier_a_draw_is_not_coherent() {
    let work = work();
    let parts = [
        "blend by: attachment, with barriers",
        "within a draw there is none: split draws",
        "barrier by region",
    ];
    work.tells(0, "plan state.json", &parts);
    let coherent = "order: coherent, within draws and between them";
    work.tells(0, "plan state.json --device metal", &[coherent]);
    work.tells(0, "plan state.json --device webgpu", &["blend by: copy"]);
}

#[test]
fn plans_of_blending_are_json_too_and_no_picture() {
    let work = work();
    let plan = &json(&work.succeeds("plan state.json --json"))["plan"];
    assert_eq!(plan["path"], "attachment");
    assert_eq!(plan["order"], "split_draws");
    assert_eq!(plan["between"]["before"], "overlapping_draws");
    work.says(2, "plan state.json -o a.svg");
    assert!(!work.has("a.svg"));
}

#[test]
fn states_that_say_too_much_are_refused() {
    let work = Work::new();
    for (blend, exit, why) in [
        (r#"{}, "draw": {}"#, 2, "either a draw or blending, not both"),
        (r#"{"attachments": [{"advanced": {"equations": ["half"]}}]}"#, 1, "half"),
        (r#"{"attachments": [{"advanced": {}}]}"#, 2, "its list of advanced equations is empty"),
        (r#"{"path": "native", "attachments": []}"#, 3, "VK_EXT_blend_operation_advanced"),
    ] {
        work.write("state.json", &format!(r#"{{"device": "vulkan", "blend": {blend}}}"#));
        work.fails("plan state.json", exit, why);
    }
}

/// A shortened profile as `vulkaninfo` writes it.
const PROFILE: &str = r#"{
    "capabilities": { "device": {
        "extensions": { "VK_EXT_blend_operation_advanced": 2 },
        "features": {
            "VkPhysicalDeviceBlendOperationAdvancedFeaturesEXT": { "advancedBlendCoherentOperations": true },
            "VkPhysicalDeviceFeatures": { "independentBlend": true }
        },
        "properties": {
            "VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT": {
                "advancedBlendMaxColorAttachments": 4, "advancedBlendIndependentBlend": true
            }
        }
    } },
    "profiles": { "one": { "capabilities": ["device"] } }
}"#;

#[test]
fn profiles_say_what_there_is_for_blending() {
    let work = work();
    work.write("profile.json", PROFILE);
    let line = "plan state.json --device profile.json";
    work.tells(0, line, &["blend by: native, coherent", "one for each equation"]);
    work.write("profile.json", &PROFILE.replace("Operations\": true", "Operations\": false"));
    work.tells(0, line, &["blend by: native, with barriers"]);
}
