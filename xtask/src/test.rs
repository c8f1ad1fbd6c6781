//! `cargo xtask test`: everything that the tests need, then every test of the workspace.

use std::process::Command;

use crate::command::{cargo, run};
use crate::setup::run_setup;
use crate::vulkan::{ValidationLayer, variables};

/// Runs all tests, or those whose names contain the filter; then the execution tests once more,
/// under the newer validation layer.
pub(crate) fn run_tests(filter: Option<&str>) -> Result<(), String> {
    run_setup()?;
    let newer = variables(ValidationLayer::Chromium)?;

    // First, so that the program with all features is what is left behind.
    if filter.is_none() {
        println!("A program without any feature says what it lacks:");
        let bare = ["test", "--release", "--package", "polyshade-cli", "--no-default-features"];
        run(&mut cargo(bare.into_iter().chain(["--test", "left_out"])))?;
    }
    run(cargo_test(&["--workspace"], filter).envs(variables(ValidationLayer::Debian)?))?;
    println!("\nOnce more under the newer validation layer:");
    // Of the whole workspace again, so that the features are the same and nothing is built anew.
    let execution = ["--workspace", "--test", "execution*"];
    run(cargo_test(&execution, filter).envs(newer))
}

/// Runs the tests that compare with committed files, and lets them write those files instead.
pub(crate) fn bless(filter: Option<&str>) -> Result<(), String> {
    let comparing = ["--workspace", "--test", "filetests", "--test", "inputs", "--test", "plan*"];
    run(cargo_test(&comparing, filter).env("POLYSHADE_BLESS", "1"))?;
    println!("blessed; now read `git diff` as a reviewer would");
    Ok(())
}

fn cargo_test(selection: &[&str], filter: Option<&str>) -> Command {
    // With all features of the program, as the filetests build it.
    let mut command = cargo(["test", "--release", "--all-features"]);
    command.args(selection);
    if let Some(filter) = filter {
        command.args(["--", filter]);
    }
    command
}
