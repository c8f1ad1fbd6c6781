//! Parses any bytes, which gives a module or an error. An empty patch must not change a module, and no
//! query may panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::{assert_identity, look_around, words};
use polyshade_spv::Module;

fuzz_target!(|bytes: &[u8]| {
    let words = words(bytes);
    let Ok(module) = Module::parse(&words) else { return };

    let native = module.words()[0] == words[0];
    assert!(!native || module.words() == words, "parsing changed the words");
    assert_identity(&module);
    look_around(&module);
});
