//! Runs jobs in parallel.

use std::sync::Mutex;
use std::thread;

/// The number of jobs that run at the same time. A fuzzer has one thread. A test program has one thread for each core,
/// but spends a third of the time waiting for a driver or for the last of its tests.
const WIDTH: usize = 2;

/// Starts the jobs in this order, `WIDTH` at a time, and fails with the errors of all failed jobs. The second
/// argument of `run` returns the next job that will start.
pub(crate) fn run_all<J: Clone + Send>(
    jobs: Vec<J>,
    run: impl Fn(J, &dyn Fn() -> Option<J>) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let queue = Mutex::new(jobs.into_iter().peekable());
    let faults = Mutex::new(Vec::new());
    let worker = || {
        let take = || queue.lock().expect("no job panics").next();
        let next = || queue.lock().expect("no job panics").peek().cloned();
        while let Some(job) = take() {
            if let Err(fault) = run(job, &next) {
                faults.lock().expect("no job panics").push(fault);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..WIDTH {
            scope.spawn(worker);
        }
    });
    let faults = faults.into_inner().expect("no job panics");
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_and_each_failure_is_named() {
        let started = Mutex::new(Vec::new());
        let run = |job: u32, next: &dyn Fn() -> Option<u32>| {
            assert!(next().is_none_or(|next| next > job));
            started.lock().unwrap().push(job);
            if job % 2 == 1 { Err(format!("job {job}")) } else { Ok(()) }
        };
        let faults = run_all(vec![1, 2, 3, 4], run).unwrap_err();
        assert!(faults.contains("job 1") && faults.contains("job 3"), "{faults}");
        assert!(!faults.contains("job 2") && !faults.contains("job 4"), "{faults}");
        let mut started = started.into_inner().unwrap();
        started.sort_unstable();
        assert_eq!(started, [1, 2, 3, 4]);
        assert_eq!(run_all(vec![2], |_, _| Ok(())), Ok(()));
    }
}
