//! Executes WebGPU work with wgpu on lavapipe. A Python script does it, because wgpu's Python package is available as
//! a binary.

use super::Answer;
use std::io::Write;
use std::process::{Command, Stdio};

/// The script that executes the work and prints the result.
const SCRIPT: &str = include_str!("wgpu.py");

/// The environment variable with the path of a Python interpreter that has wgpu.
const PYTHON: &str = "POLYSHADE_WGPU";

/// Returns the script's result for this work.
#[track_caller]
pub(super) fn answer(work: &str) -> Answer {
    let python = std::env::var_os(PYTHON);
    let python =
        python.expect("`cargo xtask test` installs wgpu, and says in POLYSHADE_WGPU where");
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut script = command.spawn().expect("the interpreter starts");
    let mut input = script.stdin.take().expect("it is piped");
    input.write_all(work.as_bytes()).expect("the script reads it");
    drop(input);
    let output = script.wait_with_output().expect("the script ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the script ended with {}: {message}", output.status);
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}
