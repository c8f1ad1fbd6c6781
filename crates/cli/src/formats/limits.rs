//! Limits the resources of a library call. On a broken module, naga may run forever and SPIRV-Cross may allocate
//! memory without end.

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The default time limit of a call, in seconds of processor time, and the variable that overrides it.
const SECONDS: u64 = 60;
const VARIABLE: &str = "POLYSHADE_FORMATS_SECONDS";

/// The limit of a process's address space, in bytes.
const BYTES: u64 = 8 << 30;

/// Returns the time limit of a call, in seconds of processor time.
pub(super) fn seconds() -> u64 {
    let wanted = env::var(VARIABLE).ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(SECONDS)
}

pub(super) fn limit_memory() {
    limit(Resource::As, BYTES);
}

/// Limits the additional processor time that this process may use.
pub(super) fn limit_time() {
    let spent = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    // Round up, because the limit is a whole number of seconds.
    limit(Resource::Cpu, spent.cast_unsigned().saturating_add(seconds()).saturating_add(1));
}

fn limit(resource: Resource, most: u64) {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    // If the system refuses the limit, the call runs without one.
    let _ = setrlimit(resource, Rlimit { current, maximum });
}

/// Whether a process ended because its time limit expired.
pub(super) fn ran_out_of_time(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::XCPU.as_raw())
}
