//! Programs of the cargo family that some chores need, installed when missing, at one version.

use std::fs;

use crate::command::{cargo, output, run, workspace};

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

/// The version of this package that the workspace is locked to.
pub(crate) fn locked_version(package: &str) -> Result<String, String> {
    let path = workspace().join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(|error| format!("Cargo.lock: {error}"))?;
    version_in(&lock, package).ok_or_else(|| format!("Cargo.lock has no package {package}"))
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let version = lock.lines().skip_while(|line| *line != name).nth(1)?;
    Some(version.strip_prefix("version = \"")?.strip_suffix('"')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_lock_file() {
        let lock = "name = \"ab\"\nversion = \"1.2.3\"\n\nname = \"a\"\nversion = \"4.5.6\"\n";
        assert_eq!(version_in(lock, "a").as_deref(), Some("4.5.6"));
        assert_eq!(version_in(lock, "b"), None);
        assert!(locked_version("clap").is_ok(), "xtask itself depends on clap");
    }
}
