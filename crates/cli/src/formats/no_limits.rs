//! Replaces `limits` on systems that cannot limit a process: calls run without limits.

use std::process::ExitStatus;

pub(super) fn seconds() -> u64 {
    u64::MAX
}

pub(super) fn limit_memory() {}

pub(super) fn limit_time() {}

pub(super) fn ran_out_of_time(_: ExitStatus) -> bool {
    false
}
