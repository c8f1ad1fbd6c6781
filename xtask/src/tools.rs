//! Installs cargo tools that some tasks need, at fixed versions.

use crate::command::{cargo, output, run};

/// Installs this version of the tool with `cargo install`, if it is missing.
pub(crate) fn ensure(tool: &str, version: &str) -> Result<(), String> {
    let installed = output(&mut cargo(["install", "--list"]))?;
    if installed.lines().any(|line| line == format!("{tool} v{version}:")) {
        return Ok(());
    }
    // These tools mostly wait for other programs, so optimizing them would take more time than it saves.
    let install = ["install", "--debug", "--locked", tool, "--version", version];
    run(cargo(install).env("CARGO_PROFILE_DEV_DEBUG", "false"))
}
