//! Installs cargo tools that some chores need, at a fixed version.

use crate::command::{cargo, output, run};

/// Installs this version of the tool with `cargo install`, if it is missing.
pub(crate) fn ensure(tool: &str, version: &str) -> Result<(), String> {
    let installed = output(&mut cargo(["install", "--list"]))?;
    if installed.lines().any(|line| line == format!("{tool} v{version}:")) {
        return Ok(());
    }
    // These programs mostly wait for others, so optimizing them would take longer than it saves.
    let install = ["install", "--debug", "--locked", tool, "--version", version];
    run(cargo(install).env("CARGO_PROFILE_DEV_DEBUG", "false"))
}
