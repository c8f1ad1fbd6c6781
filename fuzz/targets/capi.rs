//! Calls the C library with any module, any options as structs and as broken JSON, saved layouts, steps of geometry
//! stages and tessellation, and states of plans. Each call must return a status, a failing call must leave no handle,
//! and no call may catch a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::seed;
use polyshade_fuzz::{ffi, steps, texts};
use polyshade_testing::Choices;

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::seeded(seed(bytes));
    ffi::read(bytes, &mut choices);
    texts::texts(&mut choices);
    steps::steps(&mut choices);
});
