//! `cargo xtask bench`: counts the benchmarks' instructions and holds them against the limits.

use std::fs::{self, File};
use std::process::Stdio;
use std::thread;

use crate::command::{Incremental, built, built_alone, cargo, output, run, target, workspace};
use crate::setup::run_setup;
use crate::tools::{ensure, locked_version};

/// The package of the benchmarks, which no other package asks for the features of.
const PACKAGE: &str = "polyshade-benches";

/// Fails where a benchmark takes more instructions per input word than `benches/limits.txt` says, or a lowering more on
/// a shader of the cases or the corpus than its size explains.
pub(crate) fn run_benches() -> Result<(), String> {
    run_setup()?;
    // The runner speaks to the benchmark in a format that changes with every version.
    ensure("gungraun-runner", &locked_version("gungraun")?)?;

    // Side by side: what else runs does not change what is counted.
    thread::scope(|scope| {
        let corpus = scope.spawn(count_corpus);
        let measured = ["instructions", "shapes"].map(measure);
        let counted = corpus.join().expect("counting does not panic");
        let results = measured.into_iter().chain([counted.map(|table| print!("{table}"))]);
        let errors: Vec<String> = results.filter_map(Result::err).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
    })
}

/// What every lowering takes on every shader, as a table.
fn count_corpus() -> Result<String, String> {
    println!("counting instructions under valgrind: every lowering on every shader");
    let mut command = built("corpus-cost", Incremental::Never)?;
    // The corpus, where there is one, takes minutes more, and is counted by hand.
    if std::env::var_os("CI").is_some() {
        command.arg(workspace().join("tests/cases"));
    }
    output(&mut command)
}

/// Runs one benchmark program and reports what it counted.
fn measure(name: &str) -> Result<(), String> {
    let mut bench = cargo(["bench", "--quiet", "--locked", "--package", PACKAGE, "--bench", name]);
    Incremental::Never.apply(bench.args(["--profile", "release", "--", "--output-format=json"]));
    println!("counting instructions under valgrind: {name}");
    let summaries = output(bench.stderr(Stdio::inherit()))?;

    let path = target().join(format!("benchmarks-{name}.json"));
    let fault = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::write(&path, summaries).map_err(fault)?;
    let mut report = built_alone(PACKAGE, "report", Incremental::Never)?;
    run(report.arg(name).stdin(File::open(&path).map_err(fault)?))
}
