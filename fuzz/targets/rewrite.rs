//! Runs any rewrite tool on any module. The result can be parsed, or the error has no offset or a valid one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::attempt_any;
use polyshade_testing::TOOLS;

fuzz_target!(|bytes: &[u8]| attempt_any(bytes, &TOOLS));
