//! Runs the example host under the validation layer. The host follows a plan to capture a mesh, then draws the mesh.

#[path = "../../capi/tests/c_library/ring.rs"]
mod ring;

use std::path::Path;
use std::process::Command;

/// The image must equal the image of the host in C.
#[test]
fn the_host_draws_what_it_captured_by_a_plan() {
    let test = std::env::current_exe().expect("the system knows which program runs");
    let folder = test.ancestors().nth(2).expect("cargo puts tests two folders deep");
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../capi/examples/shaders");
    let out = tempfile::tempdir().expect("there is room");
    let picture = out.path().join("mesh.png");
    let mut host = Command::new(folder.join("examples/mesh"));
    host.arg(shaders).arg(&picture);
    let output = host.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation").output();
    let output = output.expect("cargo builds examples before tests");
    let (printed, complaints) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{printed}{complaints}");
    assert!(printed.contains("\n9216 of 9216 triangles are captured\n"), "{printed}");
    assert!(
        !printed.contains("Validation Error") && !complaints.contains("Validation Error"),
        "{printed}"
    );

    ring::assert_drawn(&picture);
}
