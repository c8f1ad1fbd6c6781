//! Measures processor time if the driver runs on the processor, because the machine may be shared. Otherwise measures
//! the device's time.

use crate::Result;
use polyshade_vulkan::{Device, DeviceName, Error, Validation, Work};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The number of measurements. The shortest counts, because other processes share the machine.
pub(crate) const RUNS: u32 = 4;

/// Opens all devices, with buffers in device-local memory.
pub(crate) fn devices() -> std::result::Result<Vec<(String, Device)>, Error> {
    let open = |name: &DeviceName| {
        let mut device = Device::open(&name.device, Validation::Off)?;
        device.keep_buffers_local();
        Ok((name.device.clone(), device))
    };
    Device::list()?.iter().map(open).collect()
}

/// Returns the time per unit in nanoseconds. `many` has `units` more units than `few`.
pub(crate) fn per_unit(device: &Device, [few, many]: [&Work<'_>; 2], units: f64) -> Result<f64> {
    let shortest = |work| match device.is_processor() {
        true => of_processor(|| device.run(work).map(drop)),
        false => device.time(work, RUNS),
    };
    let (few, many) = (shortest(few)?, shortest(many)?);
    Ok(many.saturating_sub(few).as_nanos() as f64 / units)
}

/// Returns the shortest processor time of `work` in all threads of this process.
pub(crate) fn of_processor<E>(
    mut work: impl FnMut() -> std::result::Result<(), E>,
) -> std::result::Result<Duration, E> {
    let now = || {
        let now = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
    };
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let before = now();
        work()?;
        least = least.min(now() - before);
    }
    Ok(least)
}
