//! Runs the shaders in a child process, because a driver may crash or hang and polyshade must report it.
//!
//! The program runs itself with the same arguments. The child writes a line to its standard output before each phase,
//! and its report at the end; the parent enforces the time limit.

use super::clock::Clock;
use super::{Arguments, Verified, compare, report};
use crate::advice;
use crate::code;
use crate::failure::Failure;
use polyshade_verify::Phase;
use serde_json::Value;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The environment variable that is set for the child.
const VARIABLE: &str = "POLYSHADE_VERIFY_CHILD";
/// The prefix of the child's lines, which distinguishes them from text that a driver prints.
const PREFIX: &str = "polyshade-verify ";
/// The interval at which the parent checks the time limit.
const LOOK: Duration = Duration::from_millis(20);

/// Whether this process is the child that runs the shaders.
pub(super) fn is_one() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// Runs the comparison, and writes the report to standard output.
pub(super) fn run(arguments: &Arguments, verb: &Verified) -> ExitCode {
    end_with_parent();
    let done = compare(arguments, verb, |phase| say(&format!("phase {}", name(phase))));
    match done {
        Ok(report) => {
            say(&format!("report {report}"));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let failure = advice::add(failure, verb.name());
            let code = failure.report();
            say(&format!("failed {}", failure.exit() as u8));
            code
        }
    }
}

/// Ends this process after its parent has ended, because only the parent enforces the time limit.
fn end_with_parent() {
    #[cfg(unix)]
    thread::spawn(|| {
        let parent = rustix::process::getppid();
        while rustix::process::getppid() == parent {
            thread::sleep(Duration::from_secs(1));
        }
        // Abort, because an ordinary exit would wait for a driver that hangs.
        std::process::abort();
    });
}

fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Preparing => "preparing",
        Phase::Original => "original",
        Phase::Rewritten => "rewritten",
    }
}

/// Sends a line to the parent. Errors are ignored, because the parent may have ended.
fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{PREFIX}{line}").and_then(|()| stdout.flush());
}

/// How the child process ended.
pub(super) enum End {
    /// The child finished the comparison or was stopped; the parent shows this report.
    Reported(Value),
    /// The child failed before the comparison and has printed the error; this is the child's exit code.
    Failed(u8),
}

/// Runs the child with the arguments of this process, and limits each step to `limit` as measured by a [`Clock`].
/// When this function returns, the child has ended.
pub(super) fn watch(limit: Duration) -> Result<End, Failure> {
    let failed =
        |error: std::io::Error| Failure::new(&code::CLI_PROCESS, format!("verify: {error}"));
    let program = env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(env::args_os().skip(1)).env(VARIABLE, "1").stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let lines = read_lines(&mut child);
    let (phase, slow, end) = listen(&lines, limit, &mut Clock::new(child.id()));

    // Stop a child that has reported instead of waiting for its exit, at which its driver may hang.
    let status = match end {
        Some(Heard::Nothing) => child.wait().map_err(failed)?,
        _ => stop(&mut child).map_err(failed)?,
    };
    Ok(match end {
        Some(Heard::Report(report)) => End::Reported(report),
        Some(Heard::Failed(code)) => End::Failed(code),
        Some(Heard::Nothing) => End::Reported(report::of_end(&crashed(status), phase)),
        None => {
            let how = format!("was stopped after {} seconds", limit.as_secs());
            End::Reported(match phase {
                Phase::Rewritten if slow => report::of_slow(&how),
                _ => report::of_end(&how, phase),
            })
        }
    })
}

fn stop(child: &mut Child) -> std::io::Result<ExitStatus> {
    // Errors are ignored, because the child may have ended already.
    let _ = child.kill();
    child.wait()
}

fn crashed(status: ExitStatus) -> String {
    format!("crashed ({status})")
}

/// Returns the child's messages without their prefix. All other lines come from the driver and are printed.
fn read_lines(child: &mut Child) -> Receiver<String> {
    let stdout = child.stdout.take().expect("stdout is piped");
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            match line.strip_prefix(PREFIX) {
                Some(own) if sender.send(own.to_owned()).is_err() => return,
                Some(_) => {}
                None => eprintln!("{line}"),
            }
        }
    });
    lines
}

/// The last message from the child.
enum Heard {
    Report(Value),
    Failed(u8),
    /// The child ended without a message.
    Nothing,
}

/// A timeout is blamed on the rewritten shader only if the original could run this many times within the limit. The
/// factor allows for the rewritten shader being compiled for more draws.
const TIMES: u32 = 4;

/// Reads the child's lines until its last message, and returns the message with its phase, or `None` if a step
/// exceeded `limit`. The flag is set if the original took so long that the limit is too short to blame the rewritten
/// shader.
fn listen(
    lines: &Receiver<String>,
    limit: Duration,
    clock: &mut Clock,
) -> (Phase, bool, Option<Heard>) {
    let (mut slow, mut phase) = (false, Phase::Preparing);
    loop {
        let line = match lines.recv_timeout(LOOK) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) if clock.look() < limit => continue,
            Err(RecvTimeoutError::Timeout) => return (phase, slow, None),
            Err(RecvTimeoutError::Disconnected) => return (phase, slow, Some(Heard::Nothing)),
        };
        // Each line starts a phase or is the last message.
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let next = match (word, rest) {
            ("phase", "original") => Phase::Original,
            ("phase", "rewritten") => Phase::Rewritten,
            ("phase", _) => Phase::Preparing,
            ("report", json) => {
                let report = serde_json::from_str(json).map_or(Heard::Nothing, Heard::Report);
                return (phase, slow, Some(report));
            }
            ("failed", code) => {
                return (phase, slow, Some(Heard::Failed(code.parse().unwrap_or(1))));
            }
            _ => continue,
        };
        slow |= phase == Phase::Original && clock.look() * TIMES > limit;
        clock.restart();
        phase = next;
    }
}
