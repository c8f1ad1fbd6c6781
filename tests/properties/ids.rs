//! If ids run out at any point, lowerings and rewrite tools return an error and do not panic.

use polyshade::{ErrorKind, Module};
use polyshade_testing::{Choices, trials};
use polyshade_tests::shader;
use polyshade_tests::tree::{files, tests};

/// The largest valid id bound (SPIR-V specification, 2.17).
const LIMIT: u32 = 4_194_304;

#[test]
fn running_out_of_ids_is_refused() {
    let mut refused = 0;
    for path in files(&tests().join("cases")) {
        let Ok(mut words) = shader::read(&path) else { continue };
        for left in [1, 2, 3, 5, 8, 13, 21, 34, 55] {
            words[3] = LIMIT - left;
            let Ok(module) = Module::parse(&words) else { continue };
            let Some(entry) = module.entry_points().next() else { continue };
            for trial in trials(entry.model()) {
                for mut choices in [Choices::plain(), Choices::seeded(left.into())] {
                    let made = trial.attempt(&module, entry, &mut choices);
                    refused += u32::from(made.is_err_and(|error| error.kind() == ErrorKind::Limit));
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}
