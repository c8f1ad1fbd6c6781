//! Removes dead code from every shader of the corpus, if it exists next to the project.

use polyshade::Module;
use polyshade::rewrite::{DceOptions, dce};
use polyshade_tests::shader;
use polyshade_tests::tree::{self, files};
use std::path::PathBuf;

/// Returns the modules of the corpus that `spirv-val` accepts.
pub(crate) fn corpus() -> impl Iterator<Item = (PathBuf, Vec<u32>)> {
    let paths = files(&tree::corpus()).into_iter();
    let modules = paths.filter(|path| path.extension().is_some_and(|extension| extension == "spv"));
    modules.filter_map(|path| {
        let words = shader::read(&path).ok()?;
        shader::validate(&words).ok()?;
        Some((path, words))
    })
}

#[test]
fn corpus_stays_valid_and_nothing_dead_is_left() {
    let mut faults = Vec::new();
    for (path, words) in corpus() {
        let m = Module::parse(&words).expect("it is valid");
        let once = dce(&m, &DceOptions::new()).expect("nothing is refused").module;
        if let Err(error) = shader::validate(once.words()) {
            faults.push(format!("{}: {error}", path.display()));
            continue;
        }
        let again = Module::parse(once.words()).expect("it is valid");
        let again = dce(&again, &DceOptions::new()).expect("nothing is refused");
        if again.is_changed() {
            faults.push(format!("{}: something dead is left", path.display()));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
