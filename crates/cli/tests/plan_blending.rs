//! `polyshade plan` of blending, as a program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plans/multiply.json")
}

fn plan(state: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    command.arg("plan").arg(state).args(arguments).output().expect("the program is there")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("plans are text")
}

#[test]
fn the_example_says_that_a_barrier_a_draw_is_not_coherent() {
    let text = stdout(&plan(&example(), &[]));
    for part in [
        "blend by: attachment, with barriers",
        "within a draw there is none: split draws",
        "barrier by region",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let metal = stdout(&plan(&example(), &["--device", "metal"]));
    assert!(metal.contains("order: coherent, within draws and between them"), "{metal}");
    let copied = stdout(&plan(&example(), &["--device", "webgpu"]));
    assert!(copied.contains("blend by: copy"), "{copied}");
}

#[test]
fn plans_of_blending_are_json_too_and_no_picture() {
    let json: Value = serde_json::from_str(&stdout(&plan(&example(), &["--json"]))).expect("JSON");
    assert_eq!(json["plan"]["path"], "attachment");
    assert_eq!(json["plan"]["order"], "split_draws");
    assert_eq!(json["plan"]["between"]["before"], "overlapping_draws");
    let folder = tempfile::tempdir().expect("there is room");
    let picture = folder.path().join("a.svg");
    let output = plan(&example(), &["-o", picture.to_str().expect("text")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!picture.exists());
}

#[test]
fn states_that_say_too_much_are_refused() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("state.json");
    for (state, exit, why) in [
        (r#"{"device": "vulkan", "blend": {}, "draw": {}}"#, 2, "of a draw, or of blending"),
        (
            r#"{"device": "vulkan", "blend": {"attachments": [{"advanced": {"equations": ["half"]}}]}}"#,
            1,
            "half",
        ),
        (
            r#"{"device": "vulkan", "blend": {"attachments": [{"advanced": {}}]}}"#,
            2,
            "without an equation",
        ),
        (
            r#"{"device": "vulkan", "blend": {"path": "native", "attachments": []}}"#,
            3,
            "VK_EXT_blend_operation_advanced",
        ),
    ] {
        fs::write(&file, state).expect("it is written");
        let output = plan(&file, &[]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{state}: {error}");
        assert!(error.contains(why), "{error}");
    }
}

/// A profile as `vulkaninfo` writes it, but shorter.
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
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("profile.json");
    fs::write(&file, PROFILE).expect("it is written");
    let device = file.to_str().expect("text");
    let text = stdout(&plan(&example(), &["--device", device]));
    assert!(
        text.contains("blend by: native, coherent") && text.contains("one for each equation"),
        "{text}"
    );
    fs::write(&file, PROFILE.replace("Operations\": true", "Operations\": false"))
        .expect("it is written");
    let text = stdout(&plan(&example(), &["--device", device]));
    assert!(text.contains("blend by: native, with barriers"), "{text}");
}
