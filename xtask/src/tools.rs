//! Programs of the cargo family that some chores need, installed when missing, at one version.

use crate::command::{cargo, output, run};

/// Sees to it that `cargo install` has this tool at this version.
pub(crate) fn ensure(tool: &str, version: &str) -> Result<(), String> {
    let installed = output(&mut cargo(["install", "--list"]))?;
    if installed.lines().any(|line| line == format!("{tool} v{version}:")) {
        return Ok(());
    }
    // These programs mostly wait for others, so optimizing them would take longer than it saves.
    let install = ["install", "--debug", "--locked", tool, "--version", version];
    run(cargo(install).env("CARGO_PROFILE_DEV_DEBUG", "false"))
}
