//! The test programs, which run two at a time.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::cargo_test;
use crate::command::{output, shell_line};
use crate::lanes::Job;

/// Those that take minutes, which start first so that none is left for the end.
const LONGEST: [&str; 4] = ["execution", "verify", "mutants", "cli"];

/// A program with tests.
pub(crate) struct Program {
    pub(crate) name: String,
    executable: PathBuf,
    /// The folder of its package, in which cargo runs it.
    package: PathBuf,
}

/// Builds all test programs of the workspace.
pub(crate) fn build() -> Result<Vec<Program>, String> {
    let mut command = cargo_test(&["--no-run", "--message-format=json-render-diagnostics"], None);
    println!("$ {}", shell_line(&command));
    let messages = output(command.stderr(Stdio::inherit()))?;
    let mut programs: Vec<Program> = messages.lines().filter_map(program).collect();
    let place = |one: &Program| LONGEST.iter().position(|name| *name == one.name);
    programs.sort_by_key(|one| place(one).unwrap_or(LONGEST.len()));
    if programs.is_empty() { Err("cargo has built no tests".to_owned()) } else { Ok(programs) }
}

/// The names of a program's tests that contain this.
pub(crate) fn names(programs: &[Program], name: &str, part: &str) -> Result<Vec<String>, String> {
    let of_it = programs.iter().filter(|one| one.name == name);
    let lists: Result<Vec<String>, String> = of_it
        .map(|one| output(Command::new(&one.executable).args([part, "--list", "--format=terse"])))
        .collect();
    Ok(lists?.iter().flat_map(|list| listed(list)).map(str::to_owned).collect())
}

/// The tests in a list that a test program prints.
fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter_map(|line| line.strip_suffix(": test"))
}

/// The test program that a message of cargo's is of.
fn program(message: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(message).ok()?;
    if message["profile"]["test"] != true {
        return None;
    }
    Some(Program {
        name: message["target"]["name"].as_str()?.to_owned(),
        executable: message["executable"].as_str()?.into(),
        package: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
    })
}

impl Program {
    /// Its tests whose names contain one of the filters, or all, but for those with `skipped` in their names, with what
    /// cargo sets and these variables.
    pub(crate) fn job(
        &self,
        filters: &[&str],
        skipped: Option<&str>,
        variables: &[(&str, OsString)],
    ) -> Job {
        let mut command = Command::new(&self.executable);
        // Many tests have something panic, and to say where from takes seconds each time.
        command.env("RUST_BACKTRACE", "0").envs(variables.iter().cloned());
        command.args(skipped.into_iter().flat_map(|part| ["--skip", part]));
        command.args(filters).current_dir(&self.package).env("CARGO_MANIFEST_DIR", &self.package);
        Job { name: format!("tests of {}", self.name), command }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_among_what_cargo_says() {
        let built = |test: bool, executable: &str| {
            let name = r#""target":{"name":"execution"},"manifest_path":"/w/tests/Cargo.toml""#;
            format!(r#"{{{name},"profile":{{"test":{test}}},"executable":{executable}}}"#)
        };
        let found = program(&built(true, r#""/w/target/execution-1""#)).expect("it is one");
        assert_eq!(
            (found.name.as_str(), found.package.as_path()),
            ("execution", Path::new("/w/tests"))
        );
        assert!(program(&built(false, r#""/w/target/tool""#)).is_none());
        assert!(program(&built(true, "null")).is_none(), "a library that is no program");
        assert!(program("warning: of something else").is_none());
    }

    #[test]
    fn tests_are_found_in_a_list() {
        let list = "web::wgpu::draws: test\nnone: benchmark\nclip::wgpu::cuts: test\n";
        assert_eq!(listed(list).collect::<Vec<_>>(), ["web::wgpu::draws", "clip::wgpu::cuts"]);
    }

    #[test]
    fn what_is_skipped_is_said_to_the_program() {
        let [executable, package] = ["execution", "."].map(PathBuf::from);
        let program = Program { name: "execution".to_owned(), executable, package };
        let line = |skipped| shell_line(&program.job(&["strip"], skipped, &[]).command);
        assert!(line(Some("::wgpu::")).ends_with("--skip ::wgpu:: strip"), "{}", line(None));
        assert!(!line(None).contains("--skip"));
    }
}
