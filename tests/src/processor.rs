//! Processor time, for what is measured on machines that others use too; and that of devices that are no processors.

use polyshade_vulkan::{Device, DeviceName, Error, Validation, Work};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The devices that there are, to be measured: their buffers are in memory of their own.
pub fn devices() -> Result<Vec<(String, Device)>, Error> {
    let open = |name: &DeviceName| {
        let mut device = Device::open(&name.device, Validation::Off)?;
        device.keep_buffers_local();
        Ok((name.device.clone(), device))
    };
    Device::list()?.iter().map(open).collect()
}

/// The least that draws take in `runs` runs: of the processors, all else that running them takes included, where the
/// driver is a program; else of the device, them alone.
pub fn of_draws(device: &Device, work: &Work<'_>, runs: u32) -> Result<Duration, Error> {
    match device.is_processor() {
        true => least(runs, || device.run(work).map(drop)),
        false => device.time(work, runs),
    }
}

/// The time that all threads of this process have taken of the processors.
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
