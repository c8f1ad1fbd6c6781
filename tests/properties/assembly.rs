//! Checks the assembly of the committed shaders and of mutated lowerings.

use polyshade_tests::assembly::check;
use polyshade_tests::shader;
use polyshade_tests::tree::{files, tests};

/// The minimum number of shaders, so that the test is not empty.
const LEAST: usize = 300;

#[test]
fn shaders_are_printed_as_spirv_tools_prints_them() {
    let folders = [tests().join("cases"), tests().join("mutants"), tests().join("../examples")];
    let paths = folders.iter().flat_map(|folder| files(folder));
    let shaders: Vec<_> =
        paths.filter_map(|path| Some((shader::read(&path).ok()?, path))).collect();
    assert!(shaders.len() >= LEAST, "{}", shaders.len());
    let faults = shaders.iter().flat_map(|(words, path)| {
        check(words).into_iter().map(move |fault| format!("{}: {fault}", path.display()))
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
