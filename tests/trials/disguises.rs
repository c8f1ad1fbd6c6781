//! What a lowering makes of a shader does the same, however the shader says it.

use polyshade::Module;
use polyshade_tests::{shader, tree};
use polyshade_trials::{Choices, Disguise, LOWERINGS, MOVES, check_disguised};

/// The committed cases that are valid.
pub(crate) fn cases() -> Vec<Vec<u32>> {
    let cases = tree::files(&tree::tests().join("cases"));
    let words = cases.iter().filter_map(|case| shader::read(case).ok());
    words.filter(|words| shader::validate(words).is_ok()).collect()
}

#[test]
fn shaders_in_disguise_are_lowered_to_the_same() {
    let mut compared = 0;
    for (seed, words) in (0..).zip(cases()) {
        let module = Module::parse(&words).expect("a valid module can be read");
        for entry in module.entry_points() {
            for trial in LOWERINGS.iter().chain(&MOVES).filter(|one| one.takes(entry.model())) {
                let mut choices = Choices::seeded(seed);
                for _ in 0..8 {
                    let disguise = Disguise::any(&mut choices);
                    let checked = check_disguised(trial, &module, entry, disguise, &mut choices);
                    checked.unwrap_or_else(|fault| panic!("{}: {fault}", trial.name));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared} comparisons");
}
