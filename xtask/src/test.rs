//! `cargo xtask test`: everything that the tests need, then every test of the workspace.

mod programs;

use programs::Program;
use std::path::PathBuf;
use std::process::Command;
use std::time::UNIX_EPOCH;

use crate::command::{Incremental, SAME_FEATURES, built, cargo, run, target};
use crate::lanes;
use crate::playground;
use crate::python::{self, Dependencies};
use crate::setup::run_setup;
use crate::vulkan::{ValidationLayer, variables};

/// The program with the playground's tests, which are skipped unless the variable says where the page is.
const PLAYGROUND: &str = "playground";
const PAGE: &str = "POLYSHADE_PLAYGROUND";

/// Where the interpreter is that has wgpu, and what is in the names of the tests that need it.
const WGPU: &str = "POLYSHADE_WGPU";
const OF_WGPU: &str = "::wgpu::";

/// Runs all tests, or those whose names contain the filter, under the newer validation layer; then once more, under the
/// older one, those of the layer and of the example, or with `both` or a filter all execution tests.
pub(crate) fn run_tests(both: bool, filter: Option<&str>) -> Result<(), String> {
    run_setup()?;
    let [mut older, mut newer] =
        [variables(ValidationLayer::Debian)?, variables(ValidationLayer::Chromium)?];
    let wgpu = wgpu();
    for variables in [&mut older, &mut newer] {
        variables.extend(wgpu.iter().map(|python| (WGPU, python.into())));
    }
    if filter.is_none_or(|filter| filter.contains(PLAYGROUND)) {
        match playground::make() {
            Ok(page) => newer.push((PAGE, page.into())),
            // Debian has the compiler only as long as its browsers need it.
            Err(why) => println!("playground: its tests are skipped: {why}"),
        }
    }

    if filter.is_none() {
        println!("A build without any feature says what it lacks:");
        run(&mut left_out())?;
    }
    let programs = programs::build()?;
    let filters = Vec::from_iter(filter);
    let skipped = wgpu.as_ref().err().map(|_| OF_WGPU);
    if let Err(why) = &wgpu {
        for name in programs::names(&programs, "execution", OF_WGPU)? {
            println!("{name} is skipped: {why}");
        }
    }
    let job = |one: &Program, variables: &[_]| one.job(&filters, skipped, variables);
    lanes::run_all(programs.iter().map(|one| job(one, &newer)).collect())?;
    run(cargo_test(&["--doc"], filter).envs(newer))?;

    println!("\nOnce more under the older validation layer:");
    let kind = if both || filter.is_some() { "execution" } else { "execution-" };
    let again = programs.iter().filter(|one| one.name.starts_with(kind));
    lanes::run_all(again.map(|one| job(one, &older)).collect())
}

/// Installs wgpu, which runs WGSL on lavapipe, in an environment of its own.
fn wgpu() -> Result<String, String> {
    let requirements = "tests/execution/webgpu/requirements.txt";
    python::environment(&target().join("wgpu"), requirements, Dependencies::Listed)
}

/// Makes the playground, and with `check` runs its tests.
pub(crate) fn run_playground(check: bool) -> Result<(), String> {
    let page = playground::make()?;
    if check {
        let newer = variables(ValidationLayer::Chromium)?;
        run(cargo_test(&["--test=playground"], None).env(PAGE, page).envs(newer))?;
    }
    Ok(())
}

/// Runs the filetests and those of the moves: what most edits of a lowering need, and in seconds, as no other test
/// program is linked and no driver opened.
pub(crate) fn run_cases(filter: Option<&str>) -> Result<(), String> {
    run(&mut cargo_test(&["--test=filetests", "--test=moves"], filter))
}

/// Runs the tests that compare with committed files, and lets them write those files instead.
pub(crate) fn bless(filter: Option<&str>) -> Result<(), String> {
    let programs = ["--test=filetests", "--test=inputs", "--test=plan*", "--test=c-library"];
    run(cargo_test(&programs, filter).env("POLYSHADE_BLESS", "1"))?;
    println!("blessed; now read `git diff` as a reviewer would");
    Ok(())
}

/// Measures what `polyshade verify` notices, and writes the lists of what it does not.
pub(crate) fn run_mutants(lists: &[String], count: u32) -> Result<(), String> {
    // What the mutants are verified with lies beside the program that makes them.
    built("polyshade", Incremental::ByHand)?;
    let mut mutants = built("mutants", Incremental::ByHand)?;
    run(mutants.arg(count.to_string()).args(lists).envs(variables(ValidationLayer::Debian)?))
}

/// Has `polyshade verify` compare the shaders of folders until so many runs are equal.
pub(crate) fn run_corpus(
    folders: &[PathBuf],
    options: &[&str],
    wanted: u64,
    seed: Option<u64>,
) -> Result<(), String> {
    // What the shaders are verified with lies beside the program that chooses them.
    built("polyshade", Incremental::ByHand)?;
    let now = || UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs());
    let numbers = [wanted, seed.unwrap_or_else(now)].map(|number| number.to_string());
    let mut runs = built("corpus-runs", Incremental::ByHand)?;
    run(runs.args(options).args(numbers).args(folders).envs(variables(ValidationLayer::Debian)?))
}

/// The one crate that knows of features answers for what is left out; without any it has no dependencies, so this
/// compiles one crate. That the program builds without features is a check, of `cargo xtask tidy`.
fn left_out() -> Command {
    let formats = ["test", "--release", "--package", "polyshade-formats", "--no-default-features"];
    let mut command = cargo(formats.into_iter().chain(["--lib", "tests::what_a_build_lacks"]));
    Incremental::ByHand.apply(&mut command);
    command
}

/// `cargo test` with these arguments, always of the whole workspace, so that the features are the same.
fn cargo_test(arguments: &[&str], filter: Option<&str>) -> Command {
    let mut command = cargo(["test"]);
    command.args(SAME_FEATURES).args(arguments);
    if let Some(filter) = filter {
        command.args(["--", filter]);
    }
    Incremental::ByHand.apply(&mut command);
    command
}
