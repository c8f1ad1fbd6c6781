//! A lowering has the same effect on a shader and on its transformed forms.

use polyshade::Module;
use polyshade_testing::{Choices, Transformations, check_transformed, trials};
use polyshade_tests::sample::sample;
use polyshade_tests::{shader, tree};
use std::path::PathBuf;

/// A valid committed case.
pub(crate) struct Case {
    pub(crate) name: String,
    /// The seed of random choices. It depends only on the name, so a new case does not change the choices of other
    /// cases.
    pub(crate) seed: u64,
    pub(crate) words: Vec<u32>,
}

/// Returns all valid cases.
pub(crate) fn cases() -> Vec<Case> {
    let folder = tree::tests().join("cases");
    let case = |path: &PathBuf| {
        let words = shader::read(path).ok().filter(|words| shader::validate(words).is_ok())?;
        let name = path.strip_prefix(&folder).expect("it lies there").display().to_string();
        // FNV-1a, which is the same in every release of every library.
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Some(Case { name, seed, words })
    };
    tree::files(&folder).iter().filter_map(case).collect()
}

#[test]
fn transformed_shaders_have_the_same_lowering() {
    let mut compared = 0;
    for Case { name, seed, words } in sample(cases(), 3) {
        let module = Module::parse(&words).expect("a valid module can be read");
        for entry in module.entry_points() {
            for trial in trials(entry.model()) {
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
