//! Builds and runs the test programs of the workspace, and reads their results.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use serde_json::Value;

#[cfg(test)]
use crate::command::target;
use crate::command::{cargo, output, program, shell_line};

/// The programs that take longest. They start first, so that none of them remains to run alone at the end.
const LONGEST: [&str; 4] = ["execution", "verify", "mutants", "cli"];

/// The processor time, in seconds, after which the kernel ends a test program. Waiting does not count.
const PROCESSOR_SECONDS: &str = "3600";

/// The programs that use the harness libtest-mimic, which prints no times.
const WITHOUT_TIMES: [&str; 3] = ["filetests", "mutants", "playground"];

/// The variable that makes the compiler's test harness accept the option for printing times.
pub(crate) const BOOTSTRAP: &str = "RUSTC_BOOTSTRAP";

pub(crate) type Variables = [(&'static str, OsString)];

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    executable: PathBuf,
    /// The folder of the program's package, in which cargo would run the program.
    package: PathBuf,
}

#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) passed: u32,
    pub(crate) skipped: u32,
    /// The names of the tests that failed in the first run and again when they ran alone.
    pub(crate) failed: Vec<String>,
    /// The names of the tests that failed when other tests ran at the same time, but passed when they ran alone.
    pub(crate) unsteady: Vec<String>,
    /// The times of tests, in seconds, with the tests' names. Empty unless the program was asked to print times.
    pub(crate) times: Vec<(f64, String)>,
    /// The wall-clock time in seconds.
    pub(crate) seconds: u64,
}

/// Builds all test programs that `cargo test` would run with these arguments.
pub(crate) fn build(mut command: Command) -> Result<Vec<Program>, String> {
    command.args(["--no-run", "--message-format=json-render-diagnostics"]);
    println!("$ {}", shell_line(&command));
    let messages = output(command.stderr(Stdio::inherit()))?;
    let mut programs: Vec<Program> = messages.lines().filter_map(from_message).collect();
    let place = |one: &Program| LONGEST.iter().position(|name| *name == one.name);
    programs.sort_by_key(|one| place(one).unwrap_or(LONGEST.len()));
    if programs.is_empty() { Err("cargo has built no tests".to_owned()) } else { Ok(programs) }
}

/// Returns the test program that a line of cargo's JSON describes.
fn from_message(message: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(message).ok()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let package = Path::new(message["manifest_path"].as_str()?).parent()?;
    let target = &message["target"];
    // The unit tests of a crate get the name of its package.
    let name = match target["kind"][0].as_str()? {
        "test" => target["name"].as_str()?.to_owned(),
        _ => format!("{} (unit)", package.file_name()?.to_str()?),
    };
    Some(Program {
        name,
        executable: message["executable"].as_str()?.into(),
        package: package.to_owned(),
    })
}

impl Results {
    /// Formats the counts and the time in columns.
    pub(crate) fn line(&self) -> String {
        let Self { passed, skipped, failed, unsteady, seconds, .. } = self;
        let unsteady = match unsteady.len() {
            0 => String::new(),
            count => format!("   {count} unsteady"),
        };
        let failed = failed.len();
        format!(
            "{passed:>5} passed {failed:>3} failed {skipped:>3} skipped {seconds:>5} s{unsteady}"
        )
    }
}

impl Program {
    /// Returns the names of the tests that these arguments select.
    pub(crate) fn list(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let list = output(self.command(&[]).args(["--list", "--format=terse"]).args(arguments))?;
        Ok(list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }

    /// Runs the selected tests, then reruns each failed test alone. Appends the printed text to the log file.
    pub(crate) fn run(
        &self,
        arguments: &[&str],
        variables: &Variables,
        log: &Path,
    ) -> Result<Results, String> {
        let begin = Instant::now();
        let selected = self.list(arguments)?;
        // The compiler's test harness prints times only if unstable options are allowed.
        let prints_times = variables.iter().any(|(name, _)| *name == BOOTSTRAP)
            && !WITHOUT_TIMES.contains(&self.name.as_str());
        let times = ["-Zunstable-options", "--report-time"];
        let times = if prints_times { &times[..] } else { &[] };
        let (status, text) = self.start(&[arguments, times].concat(), variables, log)?;
        let summary = Summary::read(&text);
        let failed = summary.failed(&selected);
        if failed.is_empty() && !status.success() {
            return Err(format!("{} ended with {status}: see {}", self.name, log.display()));
        }
        let mut results = Results { skipped: summary.skipped, ..Results::default() };
        // Run each failed test alone. A test that now passes is unsteady.
        for name in failed {
            let alone = ["--exact", &name, "--include-ignored"];
            let (status, _) = self.start(&alone, variables, log)?;
            let list = if status.success() { &mut results.unsteady } else { &mut results.failed };
            list.push(name);
        }
        // A program that crashed has printed no counts, so count the tests that finished.
        let passed = summary.passed.unwrap_or(summary.finished.len() as u32);
        results.passed = passed + results.unsteady.len() as u32;
        results.times = summary.times;
        results.seconds = begin.elapsed().as_secs();
        Ok(results)
    }

    /// Runs the program, and returns the text that it printed.
    fn start(
        &self,
        arguments: &[&str],
        variables: &Variables,
        log: &Path,
    ) -> Result<(ExitStatus, String), String> {
        let fault = |error: std::io::Error| format!("{}: {error}", log.display());
        let mut command = self.command(variables);
        command.args(arguments);
        let file = File::options().create(true).append(true).open(log).map_err(fault)?;
        let begin = file.metadata().map_err(fault)?.len() as usize;
        command.stdout(file.try_clone().map_err(fault)?).stderr(file);
        let status = command.stdin(Stdio::null()).status();
        let status = status.map_err(|error| format!("`{}`: {error}", shell_line(&command)))?;
        let text = fs::read(log).map_err(fault)?;
        Ok((status, String::from_utf8_lossy(&text[begin..]).into_owned()))
    }

    fn command(&self, variables: &Variables) -> Command {
        let limit = format!("--cpu={PROCESSOR_SECONDS}");
        let mut command =
            program("prlimit", [limit.into(), self.executable.clone().into_os_string()]);
        // Many tests provoke panics, and printing a backtrace takes seconds.
        command.env("RUST_BACKTRACE", "0").envs(variables.iter().cloned());
        command.current_dir(&self.package).env("CARGO_MANIFEST_DIR", &self.package);
        command
    }
}

/// Runs the examples in the documentation, which cargo itself compiles.
pub(crate) fn run_doctests(
    mut command: Command,
    filter: Option<&str>,
    variables: &Variables,
    log: &Path,
) -> Result<Results, String> {
    let begin = Instant::now();
    let output = command.args(filter).envs(variables.iter().cloned()).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    let text = [output.stdout, output.stderr].concat();
    fs::write(log, &text).map_err(|error| format!("{}: {error}", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    let summary = Summary::read(&text);
    if !output.status.success() && summary.listed.is_empty() {
        return Err(format!("the documentation's examples did not run: see {}", log.display()));
    }
    Ok(Results {
        passed: summary.passed.unwrap_or(0),
        skipped: summary.skipped,
        failed: summary.listed,
        seconds: begin.elapsed().as_secs(),
        ..Results::default()
    })
}

/// The results that libtest or libtest-mimic printed.
#[derive(Debug, Default)]
struct Summary {
    /// `None` if the program ended before it printed a result.
    passed: Option<u32>,
    skipped: u32,
    /// The tests that passed or were skipped, from the lines that are printed as tests end.
    finished: Vec<String>,
    /// The failed tests, from the list at the end of the output.
    listed: Vec<String>,
    times: Vec<(f64, String)>,
}

impl Summary {
    fn read(text: &str) -> Self {
        let mut summary = Self::default();
        let mut in_list = false;
        for line in text.lines() {
            if line == "failures:" {
                // The outputs of the failed tests have the same heading as the list. The list is the
                // last such section.
                in_list = true;
                summary.listed.clear();
            } else if let Some(counts) = line.strip_prefix("test result: ") {
                let [passed, skipped] = ["passed", "ignored"].map(|kind| count(counts, kind));
                summary.passed = Some(summary.passed.unwrap_or(0) + passed);
                summary.skipped += skipped;
                in_list = false;
            } else if let Some(name) = line.strip_prefix("    ").filter(|_| in_list) {
                summary.listed.push(name.to_owned());
            } else if let Some((name, result)) = result(line) {
                if ["ok", "ignored"].iter().any(|word| result.starts_with(word)) {
                    summary.finished.push(name.to_owned());
                }
                if let Some(seconds) = seconds(result) {
                    summary.times.push((seconds, name.to_owned()));
                }
            }
        }
        summary
    }

    /// Returns the names of the failed tests: the listed tests or, after a crash, all tests that did not finish.
    fn failed(&self, selected: &[String]) -> Vec<String> {
        match self.passed {
            Some(_) => self.listed.clone(),
            None => selected.iter().filter(|name| !self.finished.contains(name)).cloned().collect(),
        }
    }
}

/// Returns the number before the word `kind` in `ok. 3 passed; 0 failed; 1 ignored; …`.
fn count(counts: &str, kind: &str) -> u32 {
    let words = counts.split([' ', ';']).filter(|word| !word.is_empty());
    let mut number = 0;
    for word in words {
        if word == kind {
            return number;
        }
        number = word.parse().unwrap_or(0);
    }
    0
}

/// Returns the name and the result in `test NAME ... RESULT`; libtest-mimic pads the name.
fn result(line: &str) -> Option<(&str, &str)> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some((name.trim_end().trim_end_matches(" - should panic"), result))
}

/// Returns the seconds in `ok <0.012s>`.
fn seconds(result: &str) -> Option<f64> {
    result.rsplit_once('<')?.1.strip_suffix("s>")?.parse().ok()
}

/// Returns the command `cargo test` for these packages.
pub(crate) fn cargo_test(selection: &[&str]) -> Command {
    let mut command = cargo(["test"]);
    command.args(selection);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_in_the_output_of_cargo() {
        let built = |kind: &str, test: bool, executable: &str| {
            let target = format!(r#""target":{{"name":"execution","kind":["{kind}"]}}"#);
            let rest = format!(r#""profile":{{"test":{test}}},"executable":{executable}"#);
            format!(r#"{{{target},"manifest_path":"/w/tests/Cargo.toml",{rest}}}"#)
        };
        let name = |message: &str| from_message(message).map(|found| found.name);
        assert_eq!(name(&built("test", true, r#""/w/e""#)).as_deref(), Some("execution"));
        assert_eq!(name(&built("lib", true, r#""/w/e""#)).as_deref(), Some("tests (unit)"));
        assert_eq!(name(&built("bin", false, r#""/w/e""#)), None);
        assert_eq!(name(&built("lib", true, "null")), None, "a library is no program");
        assert_eq!(name("warning: something else"), None);
    }

    #[test]
    fn results_are_read_from_what_a_program_prints() {
        let text = "running 4 tests\ntest a::ok ... ok <0.250s>\ntest a::bad ... FAILED\n\
            test a::slow ... ignored, needs wgpu\ntest a::stops - should panic ... ok\n\
            \nfailures:\n\n---- a::bad stdout ----\n    indented\n\nfailures:\n    a::bad\n\
            \ntest result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 9 filtered out\n";
        let summary = Summary::read(text);
        assert_eq!((summary.passed, summary.skipped), (Some(2), 1));
        assert_eq!(summary.failed(&[]), ["a::bad"]);
        assert_eq!(summary.finished, ["a::ok", "a::slow", "a::stops"]);
        assert_eq!(summary.times, [(0.25, "a::ok".to_owned())]);
    }

    #[test]
    fn tests_that_did_not_finish_before_a_crash_have_failed() {
        let summary = Summary::read("running 3 tests\ntest one ... ok\n");
        let selected = ["one", "two", "three"].map(str::to_owned);
        assert_eq!(summary.failed(&selected), ["two", "three"]);
    }

    #[test]
    fn a_test_that_passes_only_alone_is_unsteady() {
        let folder = target().join("test-of-programs");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let script = folder.join("program");
        let text = "#!/bin/sh\ncase \"$*\" in\n*--list*) echo 'a: test'; echo 'b: test';;\n\
            '--exact a'*) exit 0;;\n'--exact b'*) exit 1;;\n*) echo 'test c ... ok'; kill -SEGV $$;;\nesac\n";
        fs::write(&script, text).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&script).status().unwrap().success());
        let program = Program { name: "p".to_owned(), executable: script, package: folder.clone() };
        let results = program.run(&[], &[], &folder.join("log")).unwrap();
        assert_eq!(
            (results.failed, results.unsteady),
            (vec!["b".to_owned()], vec!["a".to_owned()])
        );
        assert_eq!(results.passed, 2);
    }
}
