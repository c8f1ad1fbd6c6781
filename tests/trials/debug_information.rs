//! Every lowering and every move on shaders with full non-semantic debug information, as `glslang -gVS` writes it.
//!
//! The front end that the tests have writes none, so these are cases that were compiled elsewhere. They name variables,
//! functions, types and lines, which instructions for debuggers must not do of what is gone.

use polyshade::Module;
use polyshade_tests::{shader, tree};
use polyshade_trials::{Choices, LOWERINGS, MOVES};

/// How many sets of options each lowering is tried with.
const OPTIONS: u64 = 24;

const IMPORT: &str = "NonSemantic.Shader.DebugInfo.100";

fn has_information(words: &[u32]) -> bool {
    let name: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    name.windows(IMPORT.len()).any(|bytes| bytes == IMPORT.as_bytes())
}

#[test]
fn what_names_variables_for_debuggers_stays_valid() {
    let folder = tree::tests().join("trials/debug-information");
    let (mut made, mut kept) = (0, 0);
    for path in tree::files(&folder) {
        let words = shader::read(&path).expect("it can be read");
        assert!(has_information(&words), "{}", path.display());
        assert_eq!(shader::validate(&words), Ok(()), "{}", path.display());
        let module = Module::parse(&words).expect("a valid module can be read");
        for entry in module.entry_points() {
            for trial in LOWERINGS.iter().chain(&MOVES).filter(|one| one.takes(entry.model())) {
                let any = (0..OPTIONS).map(Choices::seeded);
                for mut choices in [Choices::plain()].into_iter().chain(any) {
                    let variants = trial.attempt(&module, entry, &mut choices).unwrap_or_default();
                    for (name, variant) in variants {
                        let valid = shader::validate(variant.words());
                        assert_eq!(valid, Ok(()), "{}: {} {name}", path.display(), trial.name);
                        made += 1;
                        kept += u32::from(has_information(variant.words()));
                    }
                }
            }
        }
    }
    assert!(made > 1000 && kept > made / 2, "{made} modules, {kept} with debug information");
}
