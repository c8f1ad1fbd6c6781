//! Any module and any move: words that can be read again, or an error whose place, if any, is in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::attempt_any;
use polyshade_trials::TOOLS;

fuzz_target!(|bytes: &[u8]| attempt_any(bytes, &TOOLS));
