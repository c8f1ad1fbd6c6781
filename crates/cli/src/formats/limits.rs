//! What a call of a library may take: on a broken module naga may have no end, and SPIRV-Cross no end of memory.

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Seconds of the processor's that a call takes at most, unless the variable says another number.
const SECONDS: u64 = 60;
const VARIABLE: &str = "POLYSHADE_FORMATS_SECONDS";

/// Bytes of addresses that a process has at most.
const BYTES: u64 = 8 << 30;

/// Seconds of the processor's that a call takes at most.
pub(super) fn seconds() -> u64 {
    let wanted = env::var(VARIABLE).ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(SECONDS)
}

/// Limits the memory of this process.
pub(super) fn limit_memory() {
    limit(Resource::As, BYTES);
}

/// Limits the time that this process has from now on.
pub(super) fn limit_time() {
    let spent = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    // A second that has begun counts.
    limit(Resource::Cpu, spent.cast_unsigned().saturating_add(seconds()).saturating_add(1));
}

fn limit(resource: Resource, most: u64) {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    // Where the system refuses, the call goes without a limit.
    let _ = setrlimit(resource, Rlimit { current, maximum });
}

/// Whether a process ended as its time was over.
pub(super) fn ran_out_of_time(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::XCPU.as_raw())
}
