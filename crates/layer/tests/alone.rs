//! Tests that need their own process.

use std::process::Command;

/// Returns whether this process runs only the test of this name. If not, runs the test in a separate process first.
pub(crate) fn is_alone(name: &str) -> bool {
    const ALONE: &str = "POLYSHADE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("the system knows which program runs");
    let output = Command::new(program).args(["--exact", name]).env(ALONE, "1").output();
    let output = output.expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    false
}
