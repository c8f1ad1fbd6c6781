//! `cargo xtask bench`: counts the benchmarks' instructions and compares them with the limits.

use crate::command::{Incremental, built, run, workspace};
use crate::setup::run_setup;

/// Fails if a benchmark takes more instructions per input word than `benches/limits.txt` allows, or if a lowering
/// takes more on a shader of the cases or the corpus than the shader's size explains.
pub(crate) fn run_benches() -> Result<(), String> {
    run_setup()?;
    println!("counting instructions under valgrind");
    let mut instructions = built("instructions", Incremental::Never)?;
    let mut corpus = built("corpus-cost", Incremental::Never)?;
    // The corpus, if it exists, takes some minutes longer, so it is counted only outside of continuous integration.
    if std::env::var_os("CI").is_some() {
        corpus.arg(workspace().join("tests/cases"));
    }
    run(&mut instructions).and(run(&mut corpus))
}
