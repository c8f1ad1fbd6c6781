//! Calls the SPIRV-Tools command-line programs, if they are on the path.

use crate::{Error, Feature};
use std::io::{self, Write};
use std::process::{Command, Output, Stdio};
use std::thread;

pub(super) fn assemble(text: &str, name: &str, environment: &str) -> Result<Vec<u32>, Error> {
    let options = ["--preserve-numeric-ids", "--target-env", environment, "-o", "-", "-"];
    let bytes = ask("spirv-as", &options, text.as_bytes()).map_err(|error| match error {
        Error::Faulty(message) => Error::Faulty(located(&message, name)),
        other => other,
    })?;
    let words =
        bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    Ok(words.collect())
}

pub(super) fn validate(words: &[u32], environment: &str) -> Result<(), Error> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let known = super::ENVIRONMENTS.contains(&environment);
    let answer = ask("spirv-val", &["--target-env", environment, "-"], &bytes).map(|_| ());
    answer.map_err(|error| match error {
        Error::Faulty(message) if message.starts_with("Unrecognized target env") => match known {
            true => Error::Unsupported(format!(
                "this machine's `spirv-val` does not support {environment}"
            )),
            false => Error::Options(format!("unknown environment `{environment}`")),
        },
        other => other,
    })
}

/// Runs `program` with `input`, and returns its output.
fn ask(program: &str, options: &[&str], input: &[u8]) -> Result<Vec<u8>, Error> {
    let output = run(program, options, input).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::LeftOut(Feature::Tools),
        _ => Error::Crashed(format!("{program}: {error}")),
    })?;
    match output.status.code() {
        Some(0) => Ok(output.stdout),
        Some(_) => Err(Error::Faulty(message(&output.stderr))),
        None => Err(Error::Crashed(format!("{program} crashed ({})", output.status))),
    }
}

fn run(program: &str, options: &[&str], input: &[u8]) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    thread::scope(|scope| {
        // The program may end before it has read all of its input. Its message then states the reason.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output()
    })
}

/// Returns the message without the prefix `error: `.
fn message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    text.strip_prefix("error: ").unwrap_or(text).to_owned()
}

/// Converts `2: 3: MESSAGE` to `NAME:2:3: MESSAGE`.
fn located(message: &str, name: &str) -> String {
    let mut parts = message.splitn(3, ": ");
    match (parts.next(), parts.next(), parts.next()) {
        (Some(line), Some(column), Some(what)) if line.parse::<u32>().is_ok() => {
            format!("{name}:{line}:{column}: {what}")
        }
        _ => message.to_owned(),
    }
}
