//! Tests of the C library as C and C++ programs see it: its header, its symbols, its results, and its examples.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all pointers are to values of the same function"
)]

mod abi;
mod calls;
mod compiler;
mod plans;
mod programs;
mod ring;
mod steps;
