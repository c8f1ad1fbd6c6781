//! What a lowering makes of a shader does the same, however the shader says it.

use polyshade::Module;
use polyshade_tests::sample::sample;
use polyshade_tests::{shader, tree};
use polyshade_trials::{Choices, LOWERINGS, TOOLS, Transformations, check_transformed};
use std::path::PathBuf;

/// A committed case that is valid.
pub(crate) struct Case {
    pub(crate) name: String,
    /// One for each name, so that a new case leaves the choices of all others as they are.
    pub(crate) seed: u64,
    pub(crate) words: Vec<u32>,
}

/// All of them.
pub(crate) fn cases() -> Vec<Case> {
    let folder = tree::tests().join("cases");
    let case = |path: &PathBuf| {
        let words = shader::read(path).ok().filter(|words| shader::validate(words).is_ok())?;
        let name = path.strip_prefix(&folder).expect("it lies there").display().to_string();
        // FNV-1a, which no release of a library changes.
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Some(Case { name, seed, words })
    };
    tree::files(&folder).iter().filter_map(case).collect()
}

#[test]
fn shaders_in_disguise_are_lowered_to_the_same() {
    let mut compared = 0;
    for Case { name, seed, words } in sample(cases(), 3) {
        let module = Module::parse(&words).expect("a valid module can be read");
        for entry in module.entry_points() {
            for trial in LOWERINGS.iter().chain(&TOOLS).filter(|one| one.takes(entry.model())) {
                let mut choices = Choices::seeded(seed);
                for _ in 0..8 {
                    let transformations = Transformations::any(&mut choices);
                    let checked =
                        check_transformed(trial, &module, entry, transformations, &mut choices);
                    checked.unwrap_or_else(|fault| panic!("{name}: {}: {fault}", trial.name));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 3_000, "{compared} comparisons");
}
