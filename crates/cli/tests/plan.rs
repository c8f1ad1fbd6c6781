//! `polyshade plan` as a program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plans/resumed-strip.json")
}

fn plan(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    command.arg("plan").arg(example()).args(arguments);
    command.output().expect("the program is there")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("plans are text")
}

#[track_caller]
fn fails(arguments: &[&str], code: i32, reason: &str) {
    let output = plan(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(reason), "{stderr}");
}

#[test]
fn every_form_is_written() {
    let folder = tempfile::tempdir().expect("there is room");
    let [text, json, svg] = ["a.txt", "a.json", "a.svg"].map(|name| folder.path().join(name));
    for path in [&text, &json, &svg] {
        let path = path.to_str().expect("the folder's name is text");
        assert!(plan(&["-o", path, "--device", "metal"]).status.success());
    }
    let text = fs::read_to_string(text).expect("it is written");
    assert_eq!(text, stdout(&plan(&["--device", "metal"])).trim_end().to_owned() + "\n");
    let json: Value = serde_json::from_slice(&fs::read(json).expect("it is written"))
        .expect("what is called JSON is JSON");
    let steps = json["plan"]["steps"].as_array().expect("a plan has steps").len();
    // Passes are indented, and no step of this plan has two lines.
    assert_eq!(text.lines().count(), steps + 1);

    let svg = fs::read_to_string(svg).expect("it is written");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    for part in ["capture-only", "dummy attachment", "feedback 1", "host words"] {
        assert!(svg.contains(part), "{part} is not in the picture");
    }
    assert_eq!(svg.matches("class=\"pass\"").count(), 3);
}

/// As `vulkaninfo` writes it, but shorter.
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
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("profile.json");
    fs::write(&path, PROFILE).expect("there is room");
    let path = path.to_str().expect("the folder's name is text");
    let device = |name| -> Value {
        let output = plan(&["--device", path, "--profile", name, "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).expect("it is JSON")["device"].clone()
    };
    let (a, b) = (device("A"), device("B"));
    assert_eq!(a["transform_feedback"]["max_buffer_size"], 4_294_967_296_u64);
    let has = &a["transform_feedback"];
    assert_eq!((&has["max_stride"], &has["max_stream_data"]), (&2048.into(), &1024.into()));
    assert_eq!(has["max_buffer_data"], 512);
    assert_eq!((&a["max_bound_sets"], &a["storage_alignment"]), (&32.into(), &16.into()));
    assert_eq!((&b["transform_feedback"], &b["vertex_stores"]), (&Value::Null, &true.into()));
    assert_eq!((&b["max_bound_sets"], &b["storage_alignment"]), (&4.into(), &256.into()));
    fails(&["--device", path], 1, "2 profiles, say which");
    fails(&["--device", path, "--profile", "C"], 1, "there is no profile `C`");

    // What is printed of a device can be read as one.
    let printed = folder.path().join("device.json");
    fs::write(&printed, a.to_string()).expect("there is room");
    let printed = printed.to_str().expect("the folder's name is text");
    let again = plan(&["--device", printed]);
    assert_eq!(stdout(&again), stdout(&plan(&["--device", path, "--profile", "A"])));
}

#[test]
fn what_cannot_be_planned_exits_accordingly() {
    let folder = tempfile::tempdir().expect("there is room");
    let svg = folder.path().join("a.svg");
    let svg_name = svg.to_str().expect("the folder's name is text");
    fails(&["--device", "webgpu", "-o", svg_name], 3, "no vertex stage store");
    assert!(!svg.exists());
    fails(&["--device", "opengl"], 2, "there is no preset `opengl`");
    fails(&["-o", "plan.png"], 2, "a plan is .txt, .json or .svg");
    let broken = folder.path().join("broken.json");
    fs::write(&broken, r#"{ "pipeline": { "topologie": 1 } }"#).expect("there is room");
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    let output = command.arg("plan").arg(&broken).output().expect("the program is there");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("topologie"));
}

/// The pictures in docs/planner.md are those that the program draws.
#[test]
fn pictures_in_the_docs_are_current() {
    let folder = tempfile::tempdir().expect("there is room");
    for device in ["vulkan", "vulkan-mobile", "metal"] {
        let now = folder.path().join("now.svg");
        let name = now.to_str().expect("the folder's name is text");
        assert!(plan(&["--device", device, "-o", name]).status.success());
        let now = fs::read_to_string(&now).expect("it is written");
        let file = format!("../../docs/plans/{device}.svg");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if std::env::var_os("POLYSHADE_BLESS").is_some() {
            fs::write(&path, now).expect("the folder is there");
            continue;
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == now,
            "docs/plans/{device}.svg is not what is drawn now; if what is drawn now is right, run \
             `cargo xtask bless`, and look at it"
        );
    }
}
