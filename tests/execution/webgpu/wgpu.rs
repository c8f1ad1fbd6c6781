//! Work for WebGPU, done by wgpu, over lavapipe: by a script, as its Python package is the one that is built already.

use super::Answer;
use std::io::Write;
use std::process::{Command, Stdio};

/// What does the work, and prints what it leaves.
const SCRIPT: &str = include_str!("wgpu.py");

/// Says where the interpreter is that has wgpu.
const PYTHON: &str = "POLYSHADE_WGPU";

/// What the script prints of this work.
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
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the script ended with {}: {said}", output.status);
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}
