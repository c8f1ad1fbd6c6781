//! Processor time, for what is measured on machines that others use too.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The time that all threads of this process have taken of the processors: both drivers here are programs.
pub fn time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// The least that `work` takes of it in `runs` runs.
pub fn least<E>(runs: u32, mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut least = Duration::MAX;
    for _ in 0..runs {
        let before = time();
        work()?;
        least = least.min(time() - before);
    }
    Ok(least)
}
