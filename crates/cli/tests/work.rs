//! A temporary folder in which the tests run the program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

pub(crate) struct Work(TempDir);

impl Work {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room"))
    }

    /// Creates a folder that contains files with these names and contents.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let work = Self::new();
        for (name, text) in files {
            work.write(name, text);
        }
        work
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("it is text")
    }

    #[track_caller]
    pub(crate) fn json(&self, name: &str) -> Value {
        json(&self.text(name))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
        command.current_dir(self.folder()).args(line.split_whitespace());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("the program starts")
    }

    /// Runs a command line that must exit with this code, and returns standard output and standard error.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
        stdout(&output) + &stderr(&output)
    }

    /// Runs a command line that must exit with this code and print all these parts of messages.
    #[track_caller]
    pub(crate) fn tells(&self, code: i32, line: &str, parts: &[&str]) {
        let text = self.says(code, line);
        let missing = parts.iter().find(|part| !text.contains(**part));
        assert!(missing.is_none(), "{line}: {missing:?} is not in {text}");
    }

    /// Runs a command line in bash, which finds the program as `polyshade`.
    #[cfg(all(feature = "glsl", feature = "wgsl", feature = "cross"))]
    pub(crate) fn shell(&self, line: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_polyshade"));
        let folder = program.parent().expect("it is in a folder").display();
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        command.current_dir(self.folder()).args(["-o", "pipefail", "-c", line]);
        command.env("PATH", &path).env("HOME", self.folder()).stdin(std::process::Stdio::null());
        command.output().expect("bash starts")
    }

    /// Runs a command line that must succeed, and returns its standard output.
    #[track_caller]
    pub(crate) fn succeeds(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        stdout(&output)
    }

    /// Runs a command line that must fail with this code and this reason.
    #[track_caller]
    pub(crate) fn fails(&self, line: &str, code: i32, why: &str) {
        fails(&self.run(line), code, why);
    }
}

#[track_caller]
pub(crate) fn exits(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
}

#[track_caller]
pub(crate) fn fails(output: &Output, code: i32, why: &str) {
    exits(output, code);
    // Messages are wrapped, so this comparison ignores line breaks.
    let error = stderr(output);
    let words: Vec<&str> = error.split_whitespace().filter(|word| *word != "|").collect();
    assert!(words.join(" ").contains(why), "{why}: {error}");
}

#[track_caller]
pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
