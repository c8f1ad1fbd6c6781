//! A valid module, any lowering or move and any options: a valid module, or an error. The bytes choose; the modules are
//! the committed cases.

#![no_main]

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::{VALID, any, assert_identity, seed, validate};
use polyshade_spv::Module;
use polyshade_trials::{Choices, LOWERINGS, MOVES};

thread_local! {
    /// Hashes of words that are valid: many options come to the same words, and the validator takes longest.
    static SEEN: (RandomState, RefCell<HashSet<u64>>) = Default::default();
}

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::seeded(seed(bytes));
    let words = choices.of(&VALID[..].iter().collect::<Vec<_>>());
    let module = Module::parse(words).expect("a valid module can be read");
    let trials = [LOWERINGS.as_slice(), &MOVES].concat();
    let Some((trial, entry)) = any(&module, &trials, &mut choices) else { return };
    let Ok(variants) = trial.attempt(&module, entry, &mut choices) else { return };
    for (name, variant) in variants {
        let is_new = SEEN.with(|(state, seen)| {
            let mut seen = seen.borrow_mut();
            if seen.len() > 1 << 22 {
                seen.clear();
            }
            seen.insert(state.hash_one(variant.words()))
        });
        if !is_new {
            continue;
        }
        assert_identity(&Module::parse(variant.words()).expect("what is written can be read"));
        if let Err(error) = validate(variant.words()) {
            panic!("{}: {name} of a valid module is invalid: {error}", trial.name);
        }
    }
});
