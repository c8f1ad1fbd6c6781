//! Tests the files, the environment and the exit codes of `polyshade layer`. `crates/layer` tests the layer itself.

use crate::work::Work;
use serde_json::Value;
use std::process::{Command, Output};

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

#[track_caller]
fn run(mut command: Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
    (status.code().expect("it exits"), text(stdout), text(stderr))
}

const MANIFEST: &str = "data/vulkan/implicit_layer.d/VkLayer_polyshade_polyfill.json";
const LIBRARY: &str = "data/polyshade/libpolyshade_layer.so";
const INSTALL: &str = "install --library build/libpolyshade_layer.so";

#[test]
fn what_is_installed_is_found_by_the_loader_and_can_be_removed() {
    let work = work();
    let (code, printed, _) = run(layer(&work, "status"));
    assert_eq!(code, 0);
    assert!(printed.contains("for this user: not installed"), "{printed}");
    assert!(printed.contains("does not find VK_LAYER_POLYSHADE_polyfill"), "{printed}");

    let (code, printed, _) = run(layer(&work, INSTALL));
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("POLYSHADE_LAYER_ENABLE=1"), "{printed}");
    assert_eq!(work.text(LIBRARY), "a library");
    let manifest: Value = work.json(MANIFEST);
    assert_eq!(manifest["layer"]["library_path"], work.path(LIBRARY).to_string_lossy().as_ref());
    assert!(manifest["layer"]["enable_environment"].is_object());
    let (_, printed, _) = run(layer(&work, "status"));
    assert!(printed.contains("enabled where POLYSHADE_LAYER_ENABLE=1 is set"), "{printed}");

    let (code, _, _) = run(layer(&work, &format!("{INSTALL} --always")));
    assert_eq!(code, 0, "it may be installed again");
    assert!(work.json(MANIFEST)["layer"]["enable_environment"].is_null());
    let (_, printed, _) = run(layer(&work, "status"));
    assert!(printed.contains("the Vulkan loader finds VK_LAYER_POLYSHADE_polyfill"), "{printed}");

    let (code, printed, _) = run(layer(&work, "uninstall"));
    assert_eq!((code, printed.lines().count()), (0, 2));
    assert!(!work.has(MANIFEST) && !work.has(LIBRARY));
    let (code, printed, _) = run(layer(&work, "uninstall"));
    assert_eq!(code, 0);
    assert!(printed.starts_with("not installed"), "{printed}");
}

#[test]
fn what_fails_names_the_path_and_leaves_nothing() {
    let work = work();
    let (code, _, printed) = run(layer(&work, "install --library nowhere.so"));
    assert_eq!(code, 1);
    assert!(printed.contains("nowhere.so"), "{printed}");
    // Create a file where a folder is needed.
    work.write("data/vulkan", "");
    let (code, _, printed) = run(layer(&work, INSTALL));
    assert_eq!(code, 1);
    assert!(printed.contains("data/vulkan/implicit_layer.d"), "{printed}");
    assert!(!work.has(LIBRARY), "half an installation is none");
}

#[test]
fn status_says_what_is_wrong_with_what_is_installed() {
    let work = work();
    run(layer(&work, INSTALL));
    std::fs::remove_file(work.path(LIBRARY)).expect("it is there");
    let (_, printed, _) = run(layer(&work, "status"));
    assert!(printed.contains("names") && printed.contains(LIBRARY), "{printed}");
    work.write(MANIFEST, "{");
    let (_, printed, _) = run(layer(&work, "status"));
    assert!(printed.contains("is not JSON"), "{printed}");
}

#[test]
fn a_program_runs_with_the_layer_and_its_exit_code_is_ours() {
    let work = work();
    let line = "run --library build/libpolyshade_layer.so --hide VK_EXT_a --mode auto \
                --provide shaderCullDistance --dump shaders --pipelines 3-7 --refuse -- sh -c 'env;exit${IFS}7'";
    let mut command = layer(&work, "");
    command.args(shlex::split(line).expect("the line is one"));
    command.env("VK_INSTANCE_LAYERS", "VK_LAYER_other").env("VK_ADD_LAYER_PATH", "elsewhere");
    let (code, printed, _) = run(command);
    assert_eq!(code, 7);
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
    let (code, _, printed) = run(command);
    assert_eq!(code, 1);
    assert!(printed.contains("no-such-program"), "{printed}");
}
