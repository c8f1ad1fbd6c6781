//! What the crate promises of any words: what it refuses and where, what it finds, and what a patch makes of them.

mod build;
mod declare;
mod malformed;
mod patch;
mod patch_limits;
mod pointers;
mod random;
mod reading;
