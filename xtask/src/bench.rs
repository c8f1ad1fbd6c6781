//! `cargo xtask bench`: counts the benchmarks' instructions and compares them with the limits.

use crate::command::{Incremental, built, run, workspace};
use crate::setup::run_setup;

/// Fails if a benchmark takes more instructions for each input word than `benches/limits.txt` allows, or if a
/// lowering takes more on a shader of the cases or the corpus than its size explains.
pub(crate) fn run_benches() -> Result<(), String> {
    run_setup()?;
    println!("counting instructions under valgrind");
    let mut instructions = built("instructions", Incremental::Never)?;
    let mut corpus = built("corpus-cost", Incremental::Never)?;
    // The corpus, if it exists, takes minutes more, and is counted by hand.
    if std::env::var_os("CI").is_some() {
        corpus.arg(workspace().join("tests/cases"));
    }
    run(&mut instructions).and(run(&mut corpus))
}
