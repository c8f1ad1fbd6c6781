//! Tests of reading and editing any words: the errors, the results of queries, and the results of patches.

mod build;
mod declare;
mod malformed;
mod patch;
mod patch_limits;
mod pointers;
mod random;
mod reading;
