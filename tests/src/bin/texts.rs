//! Prints which texts of what the lowerings make of the shaders below some folders read back, and which do not.

use std::collections::BTreeMap;
use std::process::ExitCode;

use polyshade_tests::texts::{Tally, check};
use polyshade_tests::{shader, tree};

fn main() -> ExitCode {
    let (mut tally, mut faults) = (Tally::default(), BTreeMap::<String, (usize, String)>::new());
    for path in tree::named().iter().flat_map(|folder| tree::files(folder)) {
        let Ok(words) = shader::read(&path) else { continue };
        for fault in check(&words, &mut tally) {
            let one = faults.entry(fault).or_insert_with(|| (0, path.display().to_string()));
            one.0 += 1;
        }
    }
    println!("{}", tally.table());
    faults.iter().for_each(|(fault, (count, path))| eprintln!("{count} {path}: {fault}"));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
