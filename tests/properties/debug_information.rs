//! Applies every lowering and every rewrite tool to shaders with full non-semantic debug information, as `glslang
//! -gVS` writes it, and to all cases with added non-semantic instructions.
//!
//! The tests' front end writes no debug information, so these shaders were compiled elsewhere. Their debug
//! instructions refer to variables, functions, types and lines, and must not refer to removed instructions.

use crate::transformations::{Case, cases};
use polyshade::Module;
use polyshade_testing::{Choices, Transformations, trials};
use polyshade_tests::sample::sample;
use polyshade_tests::{shader, tree};

/// The number of option sets for each lowering.
const OPTIONS: u64 = 24;

const IMPORT: &str = "NonSemantic.Shader.DebugInfo.100";

fn has_information(words: &[u32]) -> bool {
    let name: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    name.windows(IMPORT.len()).any(|bytes| bytes == IMPORT.as_bytes())
}

#[test]
fn what_names_variables_for_debuggers_stays_valid() {
    let folder = tree::tests().join("properties/debug-information");
    let (mut made, mut kept) = (0, 0);
    for path in tree::files(&folder) {
        let words = shader::read(&path).expect("it can be read");
        assert!(has_information(&words), "{}", path.display());
        assert_eq!(shader::validate(&words), Ok(()), "{}", path.display());
        let any = (0..OPTIONS).map(Choices::seeded);
        let choices: Vec<Choices> = [Choices::plain()].into_iter().chain(any).collect();
        for (name, variant) in variants(&words, &choices) {
            assert_eq!(shader::validate(&variant), Ok(()), "{}: {name}", path.display());
            made += 1;
            kept += u32::from(has_information(&variant));
        }
    }
    assert!(made > 1000 && kept > made / 2, "{made} modules, {kept} with debug information");
}

/// Lowers every case after adding non-semantic instructions that refer to its variables and values.
#[test]
fn what_names_anything_for_tools_stays_valid() {
    let transformations = Transformations { annotated: true, ..Transformations::NONE };
    let mut made = 0;
    for Case { name: case, seed, words } in sample(cases(), 3) {
        let module = Module::parse(&words).expect("a valid module can be read");
        let mut choices = Choices::seeded(seed);
        let Some(transformed) = transformations.words(&module, &mut choices) else { continue };
        assert_eq!(shader::validate(&transformed), Ok(()), "{case}, transformed");
        let all = [Choices::plain(), choices];
        for (name, variant) in variants(&transformed, &all) {
            assert_eq!(shader::validate(&variant), Ok(()), "{case}: {name}");
            made += 1;
        }
    }
    assert!(made > 300, "{made} modules");
}

/// Returns the results of all lowerings and rewrite tools on a module, with each of these option sets.
fn variants(words: &[u32], options: &[Choices]) -> Vec<(String, Vec<u32>)> {
    let module = Module::parse(words).expect("a valid module can be read");
    let mut made = Vec::new();
    for entry in module.entry_points() {
        for trial in trials(entry.model()) {
            for mut choices in options.iter().copied() {
                let variants = trial.attempt(&module, entry, &mut choices).unwrap_or_default();
                made.extend(variants.into_iter().map(|(name, variant)| {
                    (format!("{} {name}", trial.name), variant.into_words())
                }));
            }
        }
    }
    made
}
