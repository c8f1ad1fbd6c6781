//! Any module, any options as structs and as broken JSON, saved layouts and states of plans: each call of the C
//! library returns a status, a call that fails leaves no handle, and no call catches a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::seed;
use polyshade_fuzz::{border, texts};
use polyshade_trials::Choices;

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::seeded(seed(bytes));
    border::read(bytes, &mut choices);
    texts::texts(&mut choices);
});
