//! The texts of lowered committed shaders read back if the texts of the originals do.

use polyshade_tests::runs::on_all_threads;
use polyshade_tests::sample::sample;
use polyshade_tests::shader::{self, ShaderStage, compile};
use polyshade_tests::texts::{Format, Tally, check};
use polyshade_tests::tree::{files, tests};
use std::path::PathBuf;

/// The minimum number of texts in each format, so that the test is not empty.
const LEAST: usize = 1000;

#[test]
fn texts_of_variants_read_back_where_those_of_originals_do() {
    let folders = [tests().join("cases"), tests().join("mutants"), tests().join("../examples")];
    let all: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    let paths: Vec<&PathBuf> = sample(&all, 4).collect();
    let checked = on_all_threads(&paths, |path| {
        let mut tally = Tally::default();
        let Ok(words) = shader::read(path) else { return (tally, Vec::new()) };
        let found = check(&words, &Format::ALL, &mut tally).into_iter();
        (tally, found.map(|fault| format!("{}: {fault}", path.display())).collect())
    });
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    for (own, found) in checked {
        tally.merge(&own);
        faults.extend(found);
    }
    // All variants read back, and enough of them in each format.
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for format in Format::ALL {
        let read = tally.read(format);
        assert!(read * all.len() >= LEAST * paths.len(), "{format:?}: {read}");
    }
}

/// The control: a variant from another shader with a type that the language lacks.
#[test]
fn a_text_that_does_not_read_back_is_found() {
    let double = "#version 450\nlayout(location = 0) flat out double v;\nvoid main() { v = 1; }\n";
    let plain = "#version 450\nlayout(location = 0) flat out float v;\nvoid main() { v = 1; }\n";
    let [double, plain] =
        [double, plain].map(|text| compile(text, ShaderStage::Vertex).expect("it compiles"));
    let faults = polyshade_tests::texts::compare(&plain, &double);
    assert!(faults.iter().any(|fault| fault.contains("MSL has no 64-bit floats")), "{faults:?}");
    assert_eq!(polyshade_tests::texts::compare(&plain, &plain), Vec::<String>::new());
}
