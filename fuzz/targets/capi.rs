//! Any module, any options as structs and as JSON that somebody has broken, saved layouts and states of plans: the C
//! library answers by a status, leaves no handle where it fails, and no panic is caught at its border.

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
