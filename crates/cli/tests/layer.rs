//! Tests the files, the environment and the exit codes of `polyshade layer`. `crates/layer` tests the layer itself.

use crate::work::{Work, exits, stderr, stdout};
use serde_json::Value;
use std::process::Command;

/// The library may be any file, because the loader does not load it here.
fn work() -> Work {
    Work::with(&[("build/libpolyshade_layer.so", "a library")])
}

/// Returns the program with an environment in which the user's data folder is the work folder and no
/// other layers exist.
fn layer(work: &Work, line: &str) -> Command {
    let mut command = work.command(&format!("layer {line}"));
    command.env("XDG_DATA_HOME", work.path("data")).env("HOME", work.path("home"));
    for name in
        ["VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_INSTANCE_LAYERS", "POLYSHADE_LAYER_ENABLE"]
    {
        command.env_remove(name);
    }
    command
}

/// Runs a command that must exit with this code and print these parts of messages. Returns all that it prints.
#[track_caller]
fn tells(mut command: Command, code: i32, parts: &[&str]) -> String {
    let output = command.output().expect("the program runs");
    exits(&output, code);
    let printed = stdout(&output) + &stderr(&output);
    let missing = parts.iter().find(|part| !printed.contains(**part));
    assert!(missing.is_none(), "{missing:?} is not in {printed}");
    printed
}

const MANIFEST: &str = "data/vulkan/implicit_layer.d/VkLayer_polyshade_polyfill.json";
const LIBRARY: &str = "data/polyshade/libpolyshade_layer.so";
const INSTALL: &str = "install --library build/libpolyshade_layer.so";

#[test]
fn what_is_installed_is_found_by_the_loader_and_can_be_removed() {
    let work = work();
    let status = |parts: &[&str]| tells(layer(&work, "status"), 0, parts);
    status(&["for this user: not installed", "does not find VK_LAYER_POLYSHADE_polyfill"]);

    tells(layer(&work, INSTALL), 0, &["POLYSHADE_LAYER_ENABLE=1"]);
    assert_eq!(work.text(LIBRARY), "a library");
    let manifest: Value = work.json(MANIFEST);
    assert_eq!(manifest["layer"]["library_path"], work.path(LIBRARY).to_string_lossy().as_ref());
    assert!(manifest["layer"]["enable_environment"].is_object());
    status(&["enabled where POLYSHADE_LAYER_ENABLE=1 is set"]);

    // It may be installed again.
    tells(layer(&work, &format!("{INSTALL} --always")), 0, &[]);
    assert!(work.json(MANIFEST)["layer"]["enable_environment"].is_null());
    status(&["the Vulkan loader finds VK_LAYER_POLYSHADE_polyfill"]);

    assert_eq!(tells(layer(&work, "uninstall"), 0, &[]).lines().count(), 2);
    assert!(!work.has(MANIFEST) && !work.has(LIBRARY));
    let printed = tells(layer(&work, "uninstall"), 0, &[]);
    assert!(printed.starts_with("not installed"), "{printed}");
}

#[test]
fn what_fails_names_the_path_and_leaves_nothing() {
    let work = work();
    tells(layer(&work, "install --library nowhere.so"), 1, &["nowhere.so"]);
    // Create a file where a folder is needed.
    work.write("data/vulkan", "");
    tells(layer(&work, INSTALL), 1, &["data/vulkan/implicit_layer.d"]);
    assert!(!work.has(LIBRARY), "half an installation is none");
}

#[test]
fn status_says_what_is_wrong_with_what_is_installed() {
    let work = work();
    tells(layer(&work, INSTALL), 0, &[]);
    std::fs::remove_file(work.path(LIBRARY)).expect("it is there");
    tells(layer(&work, "status"), 0, &["names", LIBRARY]);
    work.write(MANIFEST, "{");
    // The loader may fail, too.
    let output = layer(&work, "status").output().expect("the program runs");
    assert!(stdout(&output).contains("is not JSON"), "{output:?}");
}

#[test]
fn a_program_runs_with_the_layer_and_its_exit_code_is_ours() {
    let work = work();
    let line = "run --library build/libpolyshade_layer.so --hide VK_EXT_a --mode auto \
                --provide shaderCullDistance --dump shaders --pipelines 3-7 --refuse -- sh -c 'env;exit${IFS}7'";
    let mut command = layer(&work, "");
    command.args(shlex::split(line).expect("the line is one"));
    command.env("VK_INSTANCE_LAYERS", "VK_LAYER_other").env("VK_ADD_LAYER_PATH", "elsewhere");
    let printed = tells(command, 7, &[]);
    let folder =
        std::fs::canonicalize(work.path("build")).expect("it is there").join("polyshade-layer");
    let lines = [
        "VK_INSTANCE_LAYERS=VK_LAYER_POLYSHADE_polyfill:VK_LAYER_other".to_owned(),
        format!("VK_ADD_LAYER_PATH={}:elsewhere", folder.display()),
        "POLYSHADE_LAYER_HIDE=VK_EXT_a".to_owned(),
        "POLYSHADE_LAYER_MODE=auto".to_owned(),
        "POLYSHADE_LAYER_PROVIDE=shaderCullDistance".to_owned(),
        "POLYSHADE_LAYER_DUMP=shaders".to_owned(),
        "POLYSHADE_LAYER_PIPELINES=3-7".to_owned(),
        "POLYSHADE_LAYER_REFUSE=on".to_owned(),
    ];
    for line in lines {
        assert!(printed.lines().any(|one| one == line), "{line} is not in {printed}");
    }
    assert!(work.has("build/polyshade-layer/VkLayer_polyshade_polyfill.json"));

    let mut command = layer(&work, "run --library build/libpolyshade_layer.so -- no-such-program");
    command.env("VK_LAYER_PATH", "x");
    tells(command, 1, &["no-such-program"]);
}
