//! `cargo xtask test`: installs the prerequisites of the tests, and builds and runs the tests.

mod programs;
mod times;

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Instant, UNIX_EPOCH};

use programs::{Program, Results, cargo_test};

use crate::command::{Incremental, TESTED, built, output, program, run, target};
use crate::parallel_jobs;
use crate::playground;
use crate::python;
use crate::setup::run_setup;
use crate::vulkan::{Optimizer, ValidationLayer, variables};

/// The test program of the playground, and the variable that holds the path of the page.
const PLAYGROUND: &str = "playground";
const PAGE: &str = "POLYSHADE_PLAYGROUND";

/// The test modules that need Python's wgpu, and the variable that holds the path of its interpreter.
const WGPU_TESTS: &str = "::wgpu::";
const WGPU: &str = "POLYSHADE_WGPU";

/// The variable that holds the path of the program `polyshade`, so that tests need not build it.
const PROGRAM: &str = "POLYSHADE_PROGRAM";

/// The variable that holds the seed with which tests with too many cases select some of them.
const SAMPLE_SEED: &str = "POLYSHADE_SAMPLE";

/// The older validation layer runs one in this many of the tests that draw.
const SAMPLE: u64 = 12;

/// Tests that may fail when other tests run at the same time if they pass alone, each with its reason.
const UNSTEADY: [(&str, &str); 0] = [];

/// In this test, the older validation layer ends the process with "Resource deadlock avoided".
const OLDER_LAYER_ENDS: &str = "streams::rendering_resumed_in_one_submission_is_reported_as_lost";

#[derive(Clone, Copy, Debug)]
pub(crate) enum Tests<'t> {
    /// All tests that `#[ignore]` does not mark as slow.
    Quick,
    /// The slow tests, the tests of xtask, and a sample of the execution tests under the older validation layer with
    /// the driver's optimizer on.
    Slow,
    /// All execution tests, under the older validation layer with the driver's optimizer on.
    Older,
    /// The tests whose names contain this text, including slow tests.
    Named(&'t str),
}

/// Runs the tests. If `times` is set, writes their times to docs/testing.md.
pub(crate) fn run_tests(tests: Tests<'_>, times: bool) -> Result<(), String> {
    let begin = Instant::now();
    // Build the test programs, and select those with tests to run.
    run_setup()?;
    let mut jobs = Jobs::new()?;
    let programs = programs::build(tested(&[]))?;
    match tests {
        Tests::Quick => jobs.add(&programs, &[])?,
        Tests::Slow => {
            jobs.add(&programs, &["--ignored"])?;
            let xtask = ["--release", "--locked", "--quiet", "--tests", "--package", "xtask"];
            jobs.add(&programs::build(cargo_test(&xtask))?, &[])?;
            jobs.add_older(&programs, SAMPLE)?;
        }
        Tests::Older => jobs.add_older(&programs, 1)?,
        Tests::Named(filter) => jobs.add(&programs, &["--include-ignored", filter])?,
    }
    // Run the selected programs.
    let variables = jobs.variables.clone();
    if times {
        jobs.variables.push((programs::BOOTSTRAP, "1".into()));
    }
    let mut results = jobs.run()?;
    // Run the examples in the documentation last, because cargo compiles them separately.
    if matches!(tests, Tests::Quick | Tests::Named(_)) {
        let log = logs().join("documentation.log");
        let filter = match tests {
            Tests::Named(filter) => Some(filter),
            _ => None,
        };
        let examples = programs::run_doctests(tested(&["--doc", "--"]), filter, &variables, &log)?;
        println!("documentation {}", examples.line());
        results.push(("documentation".to_owned(), examples));
    }
    if times {
        times::write(&results)?;
    }
    finish(&results, begin)
}

fn tested(arguments: &[&str]) -> Command {
    let mut command = cargo_test(&TESTED);
    command.args(arguments);
    Incremental::ByHand.apply(&mut command);
    command
}

/// The test programs to run, in order.
struct Jobs {
    variables: Vec<(&'static str, OsString)>,
    jobs: Vec<Job>,
}

#[derive(Clone)]
struct Job {
    name: String,
    program: Program,
    arguments: Vec<String>,
    variables: Vec<(&'static str, OsString)>,
}

impl Jobs {
    fn new() -> Result<Self, String> {
        let mut variables = variables(ValidationLayer::Chromium, Optimizer::Off)?;
        variables.push((PROGRAM, target().join("release/polyshade").into()));
        variables.push((SAMPLE_SEED, hash(&[commit()?.as_str()]).to_string().into()));
        Ok(Self { variables, jobs: Vec::new() })
    }

    /// Adds the programs that have a test that these arguments select, and installs the prerequisites of slow tests.
    fn add(&mut self, programs: &[Program], arguments: &[&str]) -> Result<(), String> {
        for program in programs {
            let selected = program.list(arguments)?;
            if selected.is_empty() {
                continue;
            }
            let mut job = Job {
                name: program.name.clone(),
                program: program.clone(),
                arguments: owned(arguments),
                variables: Vec::new(),
            };
            // Without arguments, no slow test runs, so nothing has to be installed.
            if arguments.is_empty() || job.prepare(&selected) {
                self.jobs.push(job);
            }
        }
        Ok(())
    }

    /// Adds one in `sample` of the tests that draw, to run under the older validation layer with the driver's
    /// optimizer on. The commit determines which tests are selected.
    fn add_older(&mut self, programs: &[Program], sample: u64) -> Result<(), String> {
        let commit = commit()?;
        for program in programs.iter().filter(|one| one.name.starts_with("execution")) {
            let tests = program.list(&[])?;
            let ignored = program.list(&["--ignored"])?;
            let is_left_out = |name: &String| ignored.contains(name) || name == OLDER_LAYER_ENDS;
            let chosen = tests.into_iter().filter(|name| !is_left_out(name));
            let chosen = chosen.filter(|name| hash(&[&commit, name]).is_multiple_of(sample));
            let arguments = ["--exact".to_owned()].into_iter().chain(chosen).collect::<Vec<_>>();
            if arguments.len() > 1 {
                self.jobs.push(Job {
                    name: format!("{} (older layer)", program.name),
                    program: program.clone(),
                    arguments,
                    variables: variables(ValidationLayer::Debian, Optimizer::On)?,
                });
            }
        }
        Ok(())
    }

    /// Runs the programs two at a time, and prints a line when each program ends.
    fn run(self) -> Result<Vec<(String, Results)>, String> {
        let logs = logs();
        let _ = fs::remove_dir_all(&logs);
        fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
        let results = Mutex::new(Vec::new());
        let (all, width) = (self.jobs.len(), self.name_width());
        println!("{all} test programs, two at a time:");
        parallel_jobs::run_all(self.jobs, |job: Job, next: &dyn Fn() -> Option<Job>| {
            let variables = [&self.variables[..], &job.variables].concat();
            let arguments: Vec<&str> = job.arguments.iter().map(String::as_str).collect();
            let log = logs.join(format!("{}.log", job.name));
            let result = job.program.run(&arguments, &variables, &log)?;
            let next = next().map_or(String::new(), |next| format!("   next: {}", next.name));
            println!("{:<width$} {}{next}", job.name, result.line());
            results.lock().expect("no job panics").push((job.name, result));
            Ok(())
        })?;
        Ok(results.into_inner().expect("no job panics"))
    }

    fn name_width(&self) -> usize {
        self.jobs.iter().map(|job| job.name.len()).max().unwrap_or(0)
    }
}

impl Job {
    /// Installs the prerequisites of slow tests, and skips tests if this fails. Returns whether any tests remain.
    fn prepare(&mut self, selected: &[String]) -> bool {
        if selected.iter().any(|name| name.contains(WGPU_TESTS)) {
            match wgpu() {
                Ok(python) => self.variables.push((WGPU, python.into())),
                Err(why) => {
                    let without = selected.iter().filter(|name| name.contains(WGPU_TESTS));
                    without.for_each(|name| println!("{name} is skipped: {why}"));
                    self.arguments.extend(owned(&["--skip", WGPU_TESTS]));
                }
            }
        }
        if self.name == PLAYGROUND {
            match playground::make() {
                Ok(page) => self.variables.push((PAGE, page.into())),
                Err(why) => {
                    // Debian provides this compiler only as long as its browsers need it.
                    println!("the playground's tests are skipped: {why}");
                    return false;
                }
            }
        }
        true
    }
}

fn commit() -> Result<String, String> {
    output(&mut program("git", ["rev-parse", "HEAD"])).map(|commit| commit.trim().to_owned())
}

fn owned(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&one| one.to_owned()).collect()
}

/// Returns the folder of the programs' outputs.
fn logs() -> PathBuf {
    target().join("test-logs")
}

/// Computes the FNV-1a hash, which does not depend on the machine or the compiler.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Prints the failed tests and the total results. Fails if a test failed. In continuous integration, also fails if a
/// test passed only when it ran alone.
fn finish(results: &[(String, Results)], begin: Instant) -> Result<(), String> {
    let [mut passed, mut failed, mut skipped, mut unsteady] = [0; 4];
    for (name, result) in results {
        passed += result.passed;
        skipped += result.skipped;
        failed += result.failed.len() as u32;
        for test in &result.failed {
            println!("FAILED: {test} of {name}: cargo xtask test {test}");
        }
        for test in &result.unsteady {
            let reason = UNSTEADY.iter().find(|(listed, _)| listed == test);
            unsteady += u32::from(reason.is_none());
            println!(
                "UNSTEADY: {test} of {name} failed in parallel with other tests and passed alone{}",
                reason.map_or(String::new(), |(_, reason)| format!(" ({reason})"))
            );
        }
    }
    let seconds = begin.elapsed().as_secs();
    println!(
        "{passed} passed, {failed} failed, {skipped} skipped in {seconds} s; logs: {}",
        logs().display()
    );
    if failed > 0 {
        return Err(format!("{failed} tests failed"));
    }
    if unsteady > 0 && std::env::var_os("CI").is_some() {
        return Err(format!("{unsteady} tests are unsteady"));
    }
    Ok(())
}

/// Installs wgpu, which runs WGSL on lavapipe, in a separate Python environment.
fn wgpu() -> Result<String, String> {
    let requirements = "tests/execution/webgpu/requirements.txt";
    python::environment(&target().join("wgpu"), requirements)
}

/// Builds the playground. If `check` is set, also runs its tests.
pub(crate) fn run_playground(check: bool) -> Result<(), String> {
    match check {
        true => run_tests(Tests::Named(PLAYGROUND), false),
        false => playground::make().map(drop),
    }
}

/// Runs the filetests and the tests of the rewrite tools, which most edits of a lowering need. They take seconds,
/// because no other test program is linked and no driver is opened.
pub(crate) fn run_cases(filter: Option<&str>) -> Result<(), String> {
    // Skip the rewrite tests that draw.
    run(tested(&["--test=filetests", "--test=rewrite", "--", "--skip=drawn::"]).args(filter))
}

/// Runs the tests that compare with committed files, and makes them write these files instead.
pub(crate) fn bless(filter: Option<&str>) -> Result<(), String> {
    let programs =
        ["filetests", "plan*", "c-library", "inputs"].map(|name| format!("--test={name}"));
    let mut command = tested(&[]);
    command.args(programs).arg("--").args(filter).env("POLYSHADE_BLESS", "1");
    run(&mut command)?;
    println!("blessed; now read `git diff` as a reviewer would");
    Ok(())
}

/// Measures which mutants `polyshade verify` detects, and writes lists of the undetected mutants.
pub(crate) fn run_mutants(lists: &[String], count: u32) -> Result<(), String> {
    // The program `mutants` runs the program `polyshade` from its own folder to verify the mutants.
    built("polyshade", Incremental::ByHand)?;
    let mut mutants = built("mutants", Incremental::ByHand)?;
    let variables = variables(ValidationLayer::Debian, Optimizer::Off)?;
    run(mutants.arg(count.to_string()).args(lists).envs(variables))
}

/// Runs `polyshade verify` on the shaders of folders until `wanted` runs are equal.
pub(crate) fn run_corpus(
    folders: &[PathBuf],
    options: &[&str],
    wanted: u64,
    seed: Option<u64>,
) -> Result<(), String> {
    // The program `corpus-runs` runs the program `polyshade` from its own folder to verify the shaders.
    built("polyshade", Incremental::ByHand)?;
    let now = || UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs());
    let numbers = [wanted, seed.unwrap_or_else(now)].map(|number| number.to_string());
    let mut runs = built("corpus-runs", Incremental::ByHand)?;
    let variables = variables(ValidationLayer::Debian, Optimizer::On)?;
    run(runs.args(options).args(numbers).args(folders).envs(variables))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_in_the_sample_of_some_commit() {
        let in_sample =
            |commit: &u32| hash(&[&commit.to_string(), "clip::a_test"]).is_multiple_of(SAMPLE);
        let commits = (0..1000).filter(in_sample).count();
        assert!((50..120).contains(&commits), "{commits} of 1000");
    }
}
