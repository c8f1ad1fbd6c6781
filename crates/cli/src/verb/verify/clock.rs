//! Measures the time of a step: processor time while the process computes, and wall-clock time while it waits.
//!
//! On a busy machine, a limit on wall-clock time would stop a process that merely waits for a processor. A limit on
//! processor time would never stop a process that waits for a device, because it uses no processor time.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// A clock for a process and its descendants.
pub(super) struct Clock {
    process: u32,
    last: Instant,
    /// The processor time of each thread at the last call of `look`.
    threads: BTreeMap<u32, Duration>,
    spent: Duration,
}

impl Clock {
    pub(super) fn new(process: u32) -> Self {
        let (threads, _) = threads(process);
        Self { process, last: Instant::now(), threads, spent: Duration::ZERO }
    }

    /// Begins a step.
    pub(super) fn restart(&mut self) {
        self.look();
        self.spent = Duration::ZERO;
    }

    /// Reads the state of the threads, and returns the time of the step so far. Frequent calls make the
    /// time more exact.
    pub(super) fn look(&mut self) -> Duration {
        let (now, (threads, computes)) = (Instant::now(), threads(self.process));
        let before = |thread| self.threads.get(thread).copied().unwrap_or_default();
        // Parallel threads belong to the same step, so only the time of the busiest thread counts.
        let busiest =
            threads.iter().map(|(thread, time)| time.saturating_sub(before(thread))).max();
        self.spent += match busiest {
            Some(busiest) if computes => busiest,
            _ => now - self.last,
        };
        (self.last, self.threads) = (now, threads);
        self.spent
    }
}

/// Returns the threads of a process and its descendants with their processor times, and whether any thread is
/// computing or is ready to compute. Without `/proc`, there are none.
fn threads(process: u32) -> (BTreeMap<u32, Duration>, bool) {
    let mut found = BTreeMap::new();
    let mut computes = false;
    let mut processes = vec![process];
    while let Some(process) = processes.pop() {
        let tasks = fs::read_dir(format!("/proc/{process}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let read = |file| fs::read_to_string(task.path().join(file)).unwrap_or_default();
            let (stat, children) = (read("stat"), read("children"));
            let name = task.file_name();
            let Some(thread) = name.to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            // The process name in parentheses may itself contain spaces and parentheses.
            let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            computes |= matches!(state, Some('R' | 'D'));
            let nanoseconds =
                read("schedstat").split(' ').next().and_then(|time| time.parse().ok());
            found.insert(thread, Duration::from_nanos(nanoseconds.unwrap_or(0)));
            processes
                .extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    (found, computes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::thread;

    /// Runs a shell script, and returns as soon as time has passed on the clock of its process.
    fn passes(script: &str) {
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).stdout(Stdio::null()).spawn();
        let mut child = child.expect("every system has a shell");
        let mut clock = Clock::new(child.id());
        while clock.look() == Duration::ZERO {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it runs until it is killed");
        child.wait().expect("it was killed");
    }

    /// The test does not check the amount of time, which depends on the load of the machine.
    #[test]
    fn time_passes_while_a_process_waits_and_while_it_computes() {
        passes("exec sleep 100000");
        passes("while :; do :; done");
    }
}
