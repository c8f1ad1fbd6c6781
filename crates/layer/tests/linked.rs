//! The layer linked without a loader. A process can link it to only one driver, so each test has its own process.

use crate::alone::is_alone;
use crate::draws::{Drawn, capture_on, draw};
use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Settings, library};
use crate::narrow::{self, Submitted};
use ash::vk;
use polyshade_layer::{polyshade_layer_link, polyshade_layer_vkGetInstanceProcAddr};
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::Command;

const FORCED: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];

/// Returns the driver library whose path contains `part`, from the manifests in `VK_DRIVER_FILES`.
pub(crate) fn driver_library(part: &str) -> PathBuf {
    let manifests = std::env::var_os("VK_DRIVER_FILES").expect("`cargo xtask test` sets it");
    let mut libraries = std::env::split_paths(&manifests).map(|manifest| {
        let text = std::fs::read_to_string(&manifest).expect("the manifest is there");
        let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let library = value["ICD"]["library_path"].as_str().expect("it names a library");
        manifest.parent().unwrap_or(Path::new("")).join(library)
    });
    let has_part = |path: &PathBuf| path.to_string_lossy().contains(part);
    libraries.find(has_part).unwrap_or_else(|| panic!("there is no driver of {part}"))
}

/// Returns a library's command that finds all other commands. The library stays loaded.
pub(crate) fn finder(library: &Path, name: &CStr) -> vk::PFN_vkGetInstanceProcAddr {
    // SAFETY: drivers and loaders can be loaded without preconditions.
    let library = unsafe { libloading::Library::new(library) }.expect("it is there");
    // SAFETY: the function has this type.
    let found = unsafe { library.get::<vk::PFN_vkGetInstanceProcAddr>(name.to_bytes_with_nul()) };
    let found = *found.expect("it has the command");
    std::mem::forget(library);
    found
}

/// Returns a driver's command that finds all other commands, after negotiating the loader's interface version.
pub(crate) fn driver(part: &str) -> vk::PFN_vkGetInstanceProcAddr {
    type Negotiate = unsafe extern "system" fn(*mut u32) -> vk::Result;
    let path = driver_library(part);
    let found = finder(&path, c"vk_icdGetInstanceProcAddr");
    // SAFETY: as above.
    unsafe {
        let library = libloading::Library::new(&path).expect("it is there");
        let negotiate = library
            .get::<Negotiate>(c"vk_icdNegotiateLoaderICDInterfaceVersion".to_bytes_with_nul());
        let mut version = 5;
        let result = negotiate.expect("both drivers have it")(&raw mut version);
        assert_eq!(result, vk::Result::SUCCESS);
    }
    found
}

/// Creates an instance of the layer above `next`.
pub(crate) fn linked(next: vk::PFN_vkGetInstanceProcAddr, settings: Settings<'_>) -> Instance {
    // SAFETY: the library stays loaded.
    assert_eq!(unsafe { polyshade_layer_link(Some(next)) }, vk::Result::SUCCESS);
    let found_by = ash::StaticFn { get_instance_proc_addr: polyshade_layer_vkGetInstanceProcAddr };
    // SAFETY: the command has the type of its name.
    let entry = unsafe { ash::Entry::from_static_fn(found_by) };
    Instance::found_by(&entry, settings, &[])
}

fn native() -> Drawn {
    draw(&Instance::with_layers(&[], &[]), LAVAPIPE)
}

#[track_caller]
fn assert_same(drawn: &Drawn, native: &Drawn) {
    assert_eq!(drawn.captured[..3], [0, 1, 2]);
    assert_eq!(drawn.captured, native.captured);
    assert_eq!(drawn.results[..3], native.results[..3]);
    assert_eq!(drawn.pixels, native.pixels);
}

#[test]
fn above_lavapipe_it_captures_without_a_loader() {
    if is_alone("linked::above_lavapipe_it_captures_without_a_loader") {
        let driver = driver("lvp");
        let forced = linked(driver, FORCED);
        assert_same(&draw(&forced, LAVAPIPE), &native());
        // A second instance uses the driver's own feature.
        let own = linked(driver, &[]);
        assert_same(&draw(&own, LAVAPIPE), &draw(&forced, LAVAPIPE));
    }
}

#[test]
fn above_swiftshader_it_captures_without_a_loader() {
    if is_alone("linked::above_swiftshader_it_captures_without_a_loader") {
        let instance = linked(driver("swiftshader"), &[]);
        assert!(instance.lists_feedback(SWIFTSHADER));
        assert_same(&draw(&instance, SWIFTSHADER), &native());
    }
}

#[test]
fn above_a_loader_it_captures_too() {
    if is_alone("linked::above_a_loader_it_captures_too") {
        let loader = finder(Path::new("libvulkan.so.1"), c"vkGetInstanceProcAddr");
        let instance = linked(loader, FORCED);
        assert_same(&draw(&instance, LAVAPIPE), &native());
        assert_same(&draw(&instance, SWIFTSHADER), &native());
    }
}

#[test]
fn it_is_above_one_thing() {
    if is_alone("linked::it_is_above_one_thing") {
        let find = |name: &CStr| {
            // SAFETY: the name is NUL-terminated.
            unsafe {
                polyshade_layer_vkGetInstanceProcAddr(vk::Instance::null(), name.as_ptr()).is_some()
            }
        };
        let refused = vk::Result::ERROR_INITIALIZATION_FAILED;
        // SAFETY: the argument is a driver's command or null.
        unsafe {
            assert!(!find(c"vkCreateInstance"));
            assert_eq!(polyshade_layer_link(None), refused);
            let first = driver("lvp");
            assert_eq!(polyshade_layer_link(Some(first)), vk::Result::SUCCESS);
            assert_eq!(polyshade_layer_link(Some(first)), vk::Result::SUCCESS);
            let other = driver("swiftshader");
            assert_eq!(polyshade_layer_link(Some(other)), refused);
        }
        for name in [
            c"vkCreateInstance",
            c"vkGetInstanceProcAddr",
            c"vkEnumerateInstanceVersion",
            c"vkEnumerateInstanceExtensionProperties",
        ] {
            assert!(find(name), "{name:?}");
        }
        assert!(!find(c"vkCreateDevice") && !find(c"vkNobodyKnows"));
    }
}

/// Submissions to each queue wait for a submission that has already finished on lavapipe's only queue.
#[test]
fn recordings_that_are_pending_twice_wait_for_other_queues() {
    if !is_alone("linked::recordings_that_are_pending_twice_wait_for_other_queues") {
        return;
    }
    let instance = linked(narrow::get_instance_proc_addr, FORCED);
    let feedback = [ash::ext::transform_feedback::NAME];
    let device = instance.device_with_queues(LAVAPIPE, &feedback, &[1.0; 2]).expect("a device");
    // SAFETY: the device has two queues.
    let queues = [0, 0, 1, 1, 0].map(|number| unsafe { device.handle.get_device_queue(0, number) });
    assert_eq!(capture_on(&device, &queues, true)[..4], [0, 1, 2, 7]);
    let all = narrow::submitted();
    // The queue, the number of command buffers, and the values of waits and signals.
    let times = |one: &Submitted| {
        let values = |times: &[(vk::Semaphore, u64)]| times.iter().map(|time| time.1).collect();
        let [waits, signals]: [Vec<u64>; 2] = [values(&one.waits), values(&one.signals)];
        (u32::from(one.is_second), one.command_buffers, waits, signals)
    };
    let expected = [
        (0, 1, vec![], vec![]),
        (0, 0, vec![], vec![1]),
        (0, 1, vec![], vec![]),
        (0, 0, vec![], vec![2]),
        (1, 0, vec![2], vec![]),
        (1, 1, vec![], vec![]),
        (1, 0, vec![], vec![1]),
        (1, 1, vec![], vec![]),
        (1, 0, vec![], vec![2]),
        (0, 0, vec![2], vec![]),
        (0, 1, vec![], vec![]),
        (0, 0, vec![], vec![3]),
    ];
    assert_eq!(all.iter().map(times).collect::<Vec<_>>(), expected);
    assert_eq!(all[4].waits[0].0, all[3].signals[0].0, "the other queue's");
    assert_eq!(all[9].waits[0].0, all[8].signals[0].0);
    assert_ne!(all[3].signals[0].0, all[8].signals[0].0);

    // A command buffer that is pending only once, or only on one queue, waits for nothing.
    assert_eq!(capture_on(&device, &queues, false)[..4], [0, 1, 2, 7]);
    assert_eq!(narrow::submitted().len(), queues.len());
    assert_eq!(narrow::faults(), [""; 0]);
}

/// Builds a C application with the layer's static library and header.
#[test]
fn a_program_in_c_links_it() {
    let folder = tempfile::tempdir().expect("there is room");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder.path().join("program");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"]);
    cc.arg(here.join("include")).arg(here.join("examples/linked.c")).arg("-o").arg(&program);
    cc.arg(library().with_file_name("libpolyshade_layer.a")).args(["-lpthread", "-ldl", "-lm"]);
    let built = cc.output().expect("there is a compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for (part, hidden, expected) in [
        ("lvp", "VK_EXT_transform_feedback", "llvmpipe"),
        ("lvp", "", "llvmpipe"),
        ("swiftshader", "", "SwiftShader"),
    ] {
        let mut run = Command::new(&program);
        run.arg(driver_library(part)).env("POLYSHADE_LAYER_HIDE", hidden);
        let output = run.env("POLYSHADE_LAYER_LOG_LEVEL", "info").output().expect("it runs");
        let (text, log) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && text.contains(expected), "{text}{log}");
        assert!(text.contains("VK_EXT_transform_feedback: yes"), "{text}");
        let is_layers = part != "lvp" || !hidden.is_empty();
        assert_eq!(
            log.contains("the layer provides VK_EXT_transform_feedback"),
            is_layers,
            "{log}"
        );
    }
}
