//! Commands that run side by side. A fuzzer has one thread; a program with tests has as many as the machine, but waits
//! a third of the time, for a driver or for the last of its tests.

use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use crate::command::shell_line;

/// How many run at a time.
const LANES: usize = 2;

/// A command that is to run, and what it is called.
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) command: Command,
}

/// Runs them all in this order, and fails where one does.
pub(crate) fn run_all(jobs: Vec<Job>) -> Result<(), String> {
    let queue = Mutex::new(jobs.into_iter());
    let faults = Mutex::new(Vec::new());
    let lane = || {
        let next = || queue.lock().expect("nothing panics").next();
        while let Some(mut job) = next() {
            if let Err(fault) = job.run() {
                faults.lock().expect("nothing panics").push(fault);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(lane);
        }
    });
    let faults = faults.into_inner().expect("nothing panics");
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

impl Job {
    /// Runs it, and prints what it said in one piece.
    fn run(&mut self) -> Result<(), String> {
        let Self { name, command } = self;
        let line = shell_line(command);
        let begin = Instant::now();
        let output =
            command.output().map_err(|error| format!("`{line}` did not start: {error}"))?;
        let seconds = begin.elapsed().as_secs();
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        println!("\n--- {name}, {seconds} s: {line}\n{out}{err}");
        let status = output.status;
        if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_run_and_those_that_fail_are_named() {
        let job = |name: &str, text: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", text]);
            Job { name: name.to_owned(), command }
        };
        let jobs = [("one", "exit 1"), ("two", "exit 0"), ("three", "exit 0"), ("four", "exit 2")];
        let jobs = jobs.map(|(name, text)| job(name, text));
        let faults = run_all(jobs.into()).unwrap_err();
        assert!(["one", "four"].iter().all(|name| faults.contains(name)), "{faults}");
        assert!(!faults.contains("two") && !faults.contains("three"), "{faults}");
        assert_eq!(run_all(vec![job("two", "exit 0")]), Ok(()));
    }
}
