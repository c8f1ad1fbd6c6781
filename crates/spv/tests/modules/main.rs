//! Tests of reading and editing arbitrary words: errors, results of queries, and results of patches.

mod build;
mod declare;
mod malformed;
mod patch;
mod patch_limits;
mod pointers;
mod random;
mod reading;
