//! Runs a lowering or rewrite tool on a valid module and on an equivalent transformation of it. Both results must
//! behave in the same way. Each input provides several cases.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polyshade_fuzz::{CASES, VALID, any, seed};
use polyshade_spv::Module;
use polyshade_testing::{Choices, LOWERINGS, TOOLS, Transformations, check_transformed};

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::seeded(seed(bytes));
    (0..CASES).for_each(|_| case(&mut choices));
});

fn case(choices: &mut Choices) {
    let words = &VALID[choices.below(VALID.len() as u32) as usize];
    let module = Module::parse(words).expect("a valid module can be read");
    let trials = [LOWERINGS.as_slice(), &TOOLS].concat();
    let Some((trial, entry)) = any(&module, &trials, choices) else { return };
    let transformations = Transformations::any(choices);
    if let Err(fault) = check_transformed(&trial, &module, entry, transformations, choices) {
        panic!("{}: {fault}", trial.name);
    }
}
