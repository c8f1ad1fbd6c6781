//! Prints tables with the outcomes of every lowering, for the shaders of each folder and of all folders, and the
//! reasons for refusals.

use std::process::ExitCode;

use polyshade_tests::corpus::{Tally, check};
use polyshade_tests::tree;

fn main() -> ExitCode {
    // A panic is counted, and reported with the shader.
    std::panic::set_hook(Box::new(|_| {}));
    let (mut all, mut faults) = (Tally::default(), Vec::new());
    for folder in tree::named() {
        let mut tally = Tally::default();
        let shaders = tree::files(&folder);
        faults.extend(shaders.iter().flat_map(|path| check(path, &mut tally)));
        let name = folder.file_name().unwrap_or_default().display();
        println!("## {name}: {} modules\n\n{}", shaders.len(), tally.table());
        all.merge(&tally);
    }
    println!("## All\n\n{}", all.table());
    println!("Invalid or panicking: {}\n", faults.len());
    println!("## All, by outcome\n\n{}", all.outcomes());
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
