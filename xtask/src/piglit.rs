//! `cargo xtask piglit`: runs OpenGL's tests of transform feedback and of clip and cull distances through Mesa's zink
//! with the layer.
//!
//! zink implements OpenGL on Vulkan, but without transform feedback it offers only OpenGL 2.1. For each driver and
//! mode of the layer, a committed list names the tests that pass. If the layer is not loaded, tests are skipped, and
//! are therefore missing from the results. Tests that also pass in `debug-null` mode, which captures nothing, prove
//! nothing; the lists show which tests these are.

mod results;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use crate::command::{output, program, run, target, workspace};
use crate::files::{read, write};
use crate::opengl::{self, HIDDEN, Server};
use crate::setup::Package;
use crate::vulkan::Driver;
use results::{Results, names};

/// The packages that only the piglit tests need.
const PACKAGES: &[Package] = &[("piglit", "OpenGL's tests")];

/// A configuration: a driver, and the options of the layer.
struct Case {
    name: &'static str,
    driver: Driver,
    options: &'static [&'static str],
    /// The lists of the tests that belong to the gate.
    gate: &'static [&'static str],
}

const PASS_THROUGH: &[&str] = &["--mode", "pass-through"];
const NULL: &[&str] = &["--mode", "debug-null"];
const HIDDEN_ONLY: &[&str] = &[PASS_THROUGH[0], PASS_THROUGH[1], HIDDEN[0], HIDDEN[1]];
const HIDDEN_NULL: &[&str] = &[NULL[0], NULL[1], HIDDEN[0], HIDDEN[1]];

/// The lists of tests for the emulation of transform feedback.
const CAPTURED: &[&str] = &["swiftshader.list", "geometry.list"];

/// Options with which the layer emulates the distances that the driver has.
const DISTANCES: &[&str] = &[
    "--hide",
    "shaderClipDistance,shaderCullDistance",
    "--provide",
    "shaderClipDistance,shaderCullDistance",
];

const CASES: [Case; 8] = [
    Case::new("swiftshader-pass-through", Driver::SwiftShader, PASS_THROUGH, &[]),
    Case::new("swiftshader-null", Driver::SwiftShader, NULL, &[]),
    Case::new("swiftshader-captured", Driver::SwiftShader, &[], CAPTURED),
    Case::new("lavapipe-pass-through", Driver::Lavapipe, PASS_THROUGH, &[]),
    Case::new("lavapipe-hidden", Driver::Lavapipe, HIDDEN_ONLY, &[]),
    Case::new("lavapipe-null", Driver::Lavapipe, HIDDEN_NULL, &[]),
    Case::new("lavapipe-captured", Driver::Lavapipe, HIDDEN, CAPTURED),
    Case::new("lavapipe-distances", Driver::Lavapipe, DISTANCES, &["distances.list"]),
];

/// Runs the gate's tests that are expected to pass, on both drivers with the emulation, as
/// continuous integration does.
pub(crate) fn run_gate() -> Result<(), String> {
    let server = opengl::prepare(PACKAGES)?;
    let mut faults = Vec::new();
    for case in CASES.iter().filter(|case| !case.gate.is_empty()) {
        let mut gate = BTreeSet::new();
        for list in case.gate {
            gate.extend(names(&read(&lists().join(list))?));
        }
        let wanted = &names(&read(&case.expected())?) & &gate;
        let mut passed = case.run(&server, &listed(&wanted, case.name)?, "gate")?.passed();
        passed.extend(case.run_again(&server, &wanted, &passed)?);
        println!("{}: {} of {} pass", case.name, passed.len(), wanted.len());
        faults.extend(differences(case.name, &wanted, &passed));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Runs the tests in all configurations, or in those with names that contain the filter. Compares the tests that pass
/// with the committed lists or, with `bless`, writes the lists.
pub(crate) fn run_piglit(filter: Option<&str>, bless: bool) -> Result<(), String> {
    let server = opengl::prepare(PACKAGES)?;
    let gate = names(&read(&lists().join("swiftshader.list"))?);
    // On a busy machine, these tests time out, crash lavapipe, or fail because zink waits in the wrong place.
    let unsteady = names(&read(&lists().join("unsteady.list"))?);

    let mut table =
        String::from("case                        pass  fail  skip other  of the gate  seconds\n");
    let mut faults = Vec::new();
    for case in CASES.iter().filter(|case| filter.is_none_or(|filter| case.name.contains(filter))) {
        let begin = Instant::now();
        let results = case.run(&server, &lists().join("all.list"), "first")?;
        let path = case.expected();
        let mut passed: BTreeSet<String> = &results.passed() - &unsteady;
        if bless {
            let text: String = passed.iter().map(|name| format!("{name}\n")).collect();
            write(&path, text)?;
        } else {
            let expected = names(&read(&path)?);
            passed.extend(case.run_again(&server, &expected, &passed)?);
            passed = &passed - &unsteady;
            faults.extend(differences(case.name, &expected, &passed));
        }
        let seconds = begin.elapsed().as_secs();
        let of_gate = passed.intersection(&gate).count();
        table += &format!("{:<26} {} {of_gate:>12} {seconds:>8}\n", case.name, results.counts());
    }
    println!("\n{table}");
    if faults.is_empty() {
        return Ok(());
    }
    let mend = "if the new result is right, run `cargo xtask piglit --bless`, and read the diff";
    Err(format!("{}\n{mend}", faults.join("\n")))
}

impl Case {
    const fn new(
        name: &'static str,
        driver: Driver,
        options: &'static [&'static str],
        gate: &'static [&'static str],
    ) -> Self {
        Self { name, driver, options, gate }
    }

    /// Returns the path of the list of tests that are expected to pass.
    fn expected(&self) -> PathBuf {
        lists().join("expected").join(format!("{}.txt", self.name))
    }

    /// Runs the tests in the list file `list`.
    fn run(&self, server: &Server, list: &Path, name: &str) -> Result<Results, String> {
        let folder = target().join("piglit").join(format!("{}-{name}", self.name));
        // piglit ends a test that hangs, and continues with the other tests.
        let line = ["run", "all", "--platform", "x11_egl", "--ignore-missing", "--all-concurrent"];
        let mut command = opengl::command(server, self.driver, self.options)?;
        // By default, piglit skips tests because of the version that a tool reports, which Debian does not install.
        command.env("PIGLIT_NO_FAST_SKIP", "1");
        command.args(["nice", "-n", "19", "piglit"]).args(line);
        command.args(["--timeout", "120", "--log-level", "quiet", "--overwrite"]);
        command.arg("--test-list").arg(list).arg(&folder);
        run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let text = output(&mut program(
            "piglit",
            [OsString::from("summary"), "console".into(), folder.into()],
        ))?;
        Ok(Results::read(&text, &names(&read(&lists().join("all.list"))?)))
    }

    /// Runs expected tests that did not pass once more, because tests time out on a busy machine.
    fn run_again(
        &self,
        server: &Server,
        expected: &BTreeSet<String>,
        passed: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, String> {
        let lost = expected - passed;
        if lost.is_empty() {
            return Ok(BTreeSet::new());
        }
        let list = listed(&lost, &format!("{}-again", self.name))?;
        Ok(self.run(server, &list, "again")?.passed())
    }
}

fn lists() -> PathBuf {
    workspace().join("crates/layer/tests/piglit")
}

/// Writes a list of the wanted tests with the names that piglit uses, and returns its path.
fn listed(wanted: &BTreeSet<String>, name: &str) -> Result<PathBuf, String> {
    let all = read(&lists().join("all.list"))?;
    let lines = all.lines().filter(|line| names(line).iter().any(|name| wanted.contains(name)));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let list = target().join("piglit").join(format!("{name}.list"));
    write(&list, text)?;
    Ok(list)
}

/// Returns messages about the tests that pass or fail unexpectedly.
fn differences(case: &str, expected: &BTreeSet<String>, passed: &BTreeSet<String>) -> Vec<String> {
    let lost = expected.difference(passed).map(|name| format!("{case}: {name} does not pass"));
    let new = passed
        .difference(expected)
        .map(|name| format!("{case}: {name} passes, and is not expected to"));
    lost.chain(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_reported() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(differences("c", &set(&["a", "b"]), &set(&["a", "b"])), [""; 0]);
        assert_eq!(
            differences("c", &set(&["a", "b"]), &set(&["b", "d"])),
            ["c: a does not pass", "c: d passes, and is not expected to"]
        );
    }

    #[test]
    fn every_gate_is_a_part_of_the_whole_list() {
        let list = |name| names(&read(&lists().join(name)).expect("the list is committed"));
        let all = list("all.list");
        for name in ["swiftshader.list", "lavapipe-hidden.list"] {
            let gate = list(name);
            assert_eq!(gate.len(), 235);
            assert!(gate.is_subset(&all), "{:?}", gate.difference(&all).next());
        }
        for name in ["geometry.list", "distances.list"] {
            assert!(list(name).is_subset(&all), "{name}");
        }
    }
}
