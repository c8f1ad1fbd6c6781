//! Runs any lowering or rewrite tool with any options on a valid module, which must give a valid module or an error.
//! The input is a seed for several cases, and the modules are the committed test cases. `spirv-val` checks one in 256
//! results, which a hash of the words selects, because starting it takes longer than hundreds of lowerings.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::{CASES, VALID, any, assert_identity, hash, seed, validate};
use polyshade_spv::Module;
use polyshade_testing::{Choices, LOWERINGS, TOOLS};

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::seeded(seed(bytes));
    (0..CASES).for_each(|_| case(&mut choices));
});

fn case(choices: &mut Choices) {
    let words = &VALID[choices.below(VALID.len() as u32) as usize];
    let module = Module::parse(words).expect("a valid module can be read");
    let trials = [LOWERINGS.as_slice(), &TOOLS].concat();
    let Some((trial, entry)) = any(&module, &trials, choices) else { return };
    let Ok(variants) = trial.attempt(&module, entry, choices) else { return };
    for (name, variant) in variants {
        assert_identity(&Module::parse(variant.words()).expect("what is written can be read"));
        let is_chosen = hash(variant.words()).is_multiple_of(256);
        if let Some(error) = is_chosen.then(|| validate(variant.words())).and_then(Result::err) {
            panic!("{}: {name} of a valid module is invalid: {error}", trial.name);
        }
    }
}
