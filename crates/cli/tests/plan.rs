//! Tests the command `polyshade plan`.

use crate::work::{Work, json};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns a folder that contains the state of a plan as `state.json`.
fn work() -> Work {
    Work::with(&[("state.json", include_str!("../../../examples/plans/resumed-strip.json"))])
}

#[test]
fn every_form_is_written() {
    let work = work();
    for name in ["a.txt", "a.json", "a.svg"] {
        work.succeeds(&format!("plan state.json -o {name} --device metal"));
    }
    let text = work.text("a.txt");
    let printed = work.succeeds("plan state.json --device metal");
    assert_eq!(text, printed.trim_end().to_owned() + "\n");
    let steps = work.json("a.json")["plan"]["steps"].as_array().expect("a plan has steps").len();
    // Steps in passes are indented, and no step of this plan takes two lines.
    assert_eq!(text.lines().count(), steps + 1);

    let svg = work.text("a.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    for part in ["both", "the application", "feedback 1", "host parameters"] {
        assert!(svg.contains(part), "{part} is not in the picture");
    }
    assert_eq!(svg.matches("class=\"pass\"").count(), 3);
}

#[test]
fn what_the_device_keeps_is_planned() {
    let state = include_str!("../../../examples/plans/device-counters-indirect.json");
    let work = Work::with(&[("state.json", state)]);
    let text = work.succeeds("plan state.json");
    let dispatches = text.lines().filter(|line| line.starts_with("dispatch: "));
    assert_eq!(dispatches.count(), 2, "{text}");
    assert!(text.contains("draw: arguments from the counter pass"), "{text}");
    work.succeeds("plan state.json -o plan.svg");
    assert!(work.text("plan.svg").contains("counter pass; begin"));
}

/// A shortened profile as `vulkaninfo` writes it.
const PROFILE: &str = r#"{
    "capabilities": {
        "device": {
            "extensions": { "VK_EXT_transform_feedback": 1 },
            "features": {
                "VkPhysicalDeviceFeatures": { "vertexPipelineStoresAndAtomics": true },
                "VkPhysicalDeviceTransformFeedbackFeaturesEXT": { "transformFeedback": true }
            },
            "properties": {
                "VkPhysicalDeviceProperties": {
                    "limits": { "maxBoundDescriptorSets": 32, "minStorageBufferOffsetAlignment": 16 }
                },
                "VkPhysicalDeviceTransformFeedbackPropertiesEXT": {
                    "maxTransformFeedbackBuffers": 4,
                    "maxTransformFeedbackBufferSize": 4294967296,
                    "maxTransformFeedbackStreamDataSize": 1024,
                    "maxTransformFeedbackBufferDataStride": 2048
                }
            }
        },
        "less": { "features": { "VkPhysicalDeviceFeatures": { "vertexPipelineStoresAndAtomics": true } } }
    },
    "profiles": { "A": { "capabilities": ["device"] }, "B": { "capabilities": [["less", "device"]] } }
}"#;

#[test]
fn devices_come_from_profiles() {
    let work = work();
    work.write("profile.json", PROFILE);
    let plan = "plan state.json --device profile.json";
    let device = |name| -> Value {
        json(&work.succeeds(&format!("{plan} --profile {name} --json")))["device"].clone()
    };
    let (a, b) = (device("A"), device("B"));
    assert_eq!(a["transform_feedback"]["max_buffer_size"], 4_294_967_296_u64);
    let has = &a["transform_feedback"];
    assert_eq!((&has["max_stride"], &has["max_stream_data"]), (&2048.into(), &1024.into()));
    assert_eq!(has["max_buffer_data"], 512);
    assert_eq!((&a["max_bound_sets"], &a["storage_alignment"]), (&32.into(), &16.into()));
    assert_eq!((&b["transform_feedback"], &b["vertex_stores"]), (&Value::Null, &true.into()));
    assert_eq!((&b["max_bound_sets"], &b["storage_alignment"]), (&4.into(), &256.into()));
    work.fails(plan, 1, "the file has 2 profiles; select one");
    work.fails(&format!("{plan} --profile C"), 1, "the file has no profile `C`");

    // The device in a report can be used as a device file.
    work.write("device.json", &a.to_string());
    let again = work.succeeds("plan state.json --device device.json");
    assert_eq!(again, work.succeeds(&format!("{plan} --profile A")));
}

/// The parts of Vulkan that a portability driver may omit.
#[test]
fn a_portable_device_has_triangle_fans_if_its_profile_says_so() {
    let work = work();
    for (extensions, features, fans) in [
        ("", "", true),
        (r#""VK_KHR_portability_subset": 1"#, "", false),
        (r#""VK_KHR_portability_subset": 1"#, r#""triangleFans": false"#, false),
        (r#""VK_KHR_portability_subset": 1"#, r#""triangleFans": true"#, true),
    ] {
        let features =
            format!(r#""VkPhysicalDevicePortabilitySubsetFeaturesKHR": {{ {features} }}"#);
        let stores = r#""VkPhysicalDeviceFeatures": { "vertexPipelineStoresAndAtomics": true }"#;
        let device = format!(
            r#"{{ "extensions": {{ {extensions} }}, "features": {{ {features}, {stores} }} }}"#
        );
        let profile = format!(
            r#"{{ "capabilities": {{ "it": {device} }}, "profiles": {{ "A": {{ "capabilities": ["it"] }} }} }}"#
        );
        work.write("profile.json", &profile);
        let plan = work.succeeds("plan state.json --device profile.json --json");
        assert_eq!(json(&plan)["device"]["triangle_fans"], fans, "{profile}");
    }
}

/// Metal supports larger bound ranges than Vulkan guarantees.
#[test]
fn a_buffer_of_256_mib_is_captured_to_on_metal() {
    let work = work();
    let state = include_str!("plans/large.json");
    work.write("large.json", state);
    work.succeeds("plan large.json --device metal");
    work.fails("plan large.json --device vulkan-mobile", 3, "134217728");
    work.write("larger.json", &state.replace("268435456", "268435460"));
    work.fails("plan larger.json --device metal", 3, "268435456");
}

#[test]
fn what_cannot_be_planned_exits_accordingly() {
    let work = work();
    let state = include_str!("../../../examples/plans/resumed-strip.json");
    let stored = state.replace("\"capture\": {", "\"capture\": { \"path\": \"storage\",");
    work.write("stored.json", &stored);
    work.succeeds("plan state.json --device webgpu");
    work.fails(
        "plan stored.json --device webgpu -o a.svg",
        3,
        "does not support stores in vertex stages",
    );
    assert!(!work.has("a.svg"));
    work.fails("plan state.json --device opengl", 2, "unknown preset `opengl`");
    work.fails("plan state.json -o plan.png", 2, "a plan is written to a .txt, .json or .svg file");
    work.write("broken.json", r#"{ "pipeline": { "topologie": 1 } }"#);
    work.fails("plan broken.json", 1, "topologie");
}

/// The images in docs/planner.md are the images that the program draws.
#[test]
fn pictures_in_the_docs_are_current() {
    let work = work();
    for device in ["vulkan", "vulkan-mobile", "metal"] {
        work.succeeds(&format!("plan state.json --device {device} -o now.svg"));
        let now = work.text("now.svg");
        let file = format!("../../docs/plans/{device}.svg");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("POLYSHADE_BLESS").is_some() {
            fs::write(&path, now).expect("the folder is there");
            continue;
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == now,
            "docs/plans/{device}.svg differs from the current image; if that is right, run `cargo \
             xtask bless`, and look at it"
        );
    }
}
