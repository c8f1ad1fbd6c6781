//! Any module, any lowering and any options: the result can be parsed, or an error has an offset in the module or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::attempt_any;
use polyshade_trials::LOWERINGS;

fuzz_target!(|bytes: &[u8]| attempt_any(bytes, &LOWERINGS));
