//! Any module and any rewrite tool: the result can be parsed, or the tool fails with an offset in the module or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::attempt_any;
use polyshade_trials::TOOLS;

fuzz_target!(|bytes: &[u8]| attempt_any(bytes, &TOOLS));
