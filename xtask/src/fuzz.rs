//! `cargo xtask fuzz`: every fuzz target for a while, starting from the committed cases.

use std::fs;

use crate::command::{cargo, run, workspace};
use crate::setup::run_setup;
use crate::tools::ensure;

/// The version of cargo-fuzz that continuous integration runs.
const CARGO_FUZZ: &str = "0.13.2";

const TARGETS: [&str; 6] = ["parse", "moves", "lowerings", "valid", "metamorphic", "planner"];

/// What cargo-fuzz starts from: the committed cases as words.
const SEEDS: &str = "fuzz/corpus/seeds";

/// Runs each target for its share of the time, and fails where one finds a fault.
pub(crate) fn run_fuzzers(seconds: u32) -> Result<(), String> {
    run_setup()?;
    ensure("cargo-fuzz", CARGO_FUZZ)?;
    let seeds = ["run", "--release", "--quiet", "--package", "polyshade-tests", "--bin", "seeds"];
    run(cargo(seeds).args(["--", SEEDS]))?;

    let share = (seconds / TARGETS.len() as u32).max(1);
    for name in TARGETS {
        fuzz(name, share)?;
    }
    Ok(())
}

/// Fuzzes one target. Its finds go to the first folder, so that the next run starts further on.
fn fuzz(name: &str, seconds: u32) -> Result<(), String> {
    let finds = format!("fuzz/corpus/{name}");
    let folder = workspace().join(&finds);
    fs::create_dir_all(folder).map_err(|error| format!("{finds}: {error}"))?;
    // The stable compiler has no sanitizers; but there is next to no unsafe code to sanitize.
    run(cargo(["fuzz", "run", "--sanitizer", "none", name, &finds, SEEDS, "--"]).args([
        format!("-max_total_time={seconds}"),
        // Seconds and MiB: more than any input may need on a slow machine.
        "-timeout=10".to_owned(),
        "-rss_limit_mb=1024".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]))
}
