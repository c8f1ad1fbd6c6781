//! The layer above and below other layers that Debian ships: Mesa's overlay, MangoHud and vkBasalt.

use crate::alone::is_alone;
use crate::draws::draw;
use crate::loader::{Instance, LAVAPIPE, SWIFTSHADER, Settings, add_manifests};
use polyshade_layer::LAYER_NAME;
use serde_json::Value;
use std::ffi::CString;
use std::fs;
use std::path::Path;

/// Parts of the names of the other layers.
const OTHERS: [&str; 3] = ["MESA_overlay", "MANGOHUD", "VKBASALT"];

/// Copies the layers' manifests to a folder where the loader finds them, and returns the layers' names.
fn install(folder: &Path) -> Vec<CString> {
    let mut names = Vec::new();
    for kind in ["explicit_layer.d", "implicit_layer.d"] {
        let manifests = fs::read_dir(Path::new("/usr/share/vulkan").join(kind));
        for manifest in manifests.expect("`cargo xtask setup` installs them") {
            let path = manifest.expect("it is listed").path();
            let text = fs::read_to_string(&path).expect("it is text");
            let value: Value = serde_json::from_str(&text).expect("it is JSON");
            let name = value["layer"]["name"].as_str().unwrap_or_default();
            if OTHERS.iter().any(|other| name.contains(other)) {
                fs::write(folder.join(format!("{name}.json")), &text).expect("there is room");
                names.push(CString::new(name).expect("it has no 0"));
            }
        }
    }
    names
}

#[test]
fn a_draw_is_captured_above_and_below_layers_of_others() {
    if !is_alone("others::a_draw_is_captured_above_and_below_layers_of_others") {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room");
    let names = install(folder.path());
    assert!(names.len() >= OTHERS.len(), "{names:?}");
    // SAFETY: no other test runs in this process, and it has no instance yet.
    unsafe { add_manifests(folder.path().to_owned()) };

    let native = draw(&Instance::with_layers(&[], &[]), LAVAPIPE);
    let hidden: Settings<'_> = &[(c"hide", c"VK_EXT_transform_feedback")];
    let mut refused = Vec::new();
    for (driver, settings) in [(LAVAPIPE, hidden), (SWIFTSHADER, &[])] {
        for other in &names {
            // vkBasalt enables a feature that SwiftShader lacks, with and without the layer above or below.
            let alone = Instance::with_layers(&[], &[other]);
            if alone.device(driver, false).is_err() {
                refused.push((driver, other));
                continue;
            }
            drop(alone);
            for layers in [[other.as_c_str(), LAYER_NAME], [LAYER_NAME, other]] {
                let drawn = draw(&Instance::with_layers(settings, &layers), driver);
                assert_eq!(drawn.captured, native.captured, "{layers:?} over {driver}");
                assert_eq!(drawn.pixels, native.pixels, "{layers:?} over {driver}");
            }
        }
    }
    assert!(refused.len() <= 1, "{refused:?} create no device by themselves");
}
