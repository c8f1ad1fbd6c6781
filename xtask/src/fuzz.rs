//! `cargo xtask fuzz`: runs every fuzz target, beginning with the committed cases as inputs.

use std::process::Command;
use std::time::Instant;

use crate::command::{Incremental, built, cargo, run, shell_line, workspace};
use crate::files;
use crate::parallel_jobs;
use crate::setup::run_setup;
use crate::tools::ensure;

/// The version of cargo-fuzz that continuous integration runs.
const CARGO_FUZZ: &str = "0.13.2";

/// The targets, and the number of inputs for each target in continuous integration. They take a few seconds, which is
/// enough to show that the targets run and to detect gross errors. `valid` and `metamorphic` draw 64 cases from each
/// input; `capi` lowers each input several times.
const TARGETS: [(&str, u32); 7] = [
    ("parse", 200_000),
    ("rewrite", 100_000),
    ("lowerings", 50_000),
    ("valid", 500),
    ("metamorphic", 250),
    ("planner", 15_000),
    ("capi", 500),
];

/// Targets that use their input only as a seed. For them, measuring the coverage of an input is useless and slow.
const SEEDED: [&str; 4] = ["valid", "metamorphic", "planner", "capi"];

/// The seed of the inputs in continuous integration, so that it fails because of a change and not by chance. After any
/// code change, inputs have different effects, so a long run would find old faults. To find old faults, run the
/// targets by hand for a long time: each of these runs uses another seed.
const SEED: &str = "-seed=20261121";

/// Options that shorten compilation. The targets run for seconds, but compile for minutes with cargo-fuzz's defaults.
const QUICKLY_BUILT: [&str; 2] = ["--codegen-units=16", "--no-trace-compares"];

/// The initial inputs for cargo-fuzz: the committed cases as SPIR-V words.
const SEEDS: &str = "fuzz/corpus/seeds";

/// Runs each target for `seconds` or, without it, on the same inputs each time. Fails if a target finds a fault.
pub(crate) fn run_fuzzers(seconds: Option<u32>) -> Result<(), String> {
    run_setup()?;
    ensure("cargo-fuzz", CARGO_FUZZ)?;
    run(built("seeds", Incremental::ByHand)?.arg(SEEDS))?;

    if let Some(seconds) = seconds {
        let length = [format!("-max_total_time={seconds}")];
        return TARGETS.into_iter().try_for_each(|(name, _)| run(&mut fuzz(name, &[], &length)?));
    }
    parallel_jobs::run_all(TARGETS.to_vec(), |(name, runs), _| {
        let mut command = fuzz(name, &QUICKLY_BUILT, &[SEED.to_owned(), format!("-runs={runs}")])?;
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        let line = shell_line(&command);
        let begin = Instant::now();
        let output = command.output().map_err(|error| format!("`{line}`: {error}"))?;
        let seconds = begin.elapsed().as_secs();
        println!("\n--- fuzzing of {name}, {seconds} s: {line}");
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        println!("{out}{err}");
        let status = output.status;
        if status.success() { Ok(()) } else { Err(format!("fuzzing of {name} failed ({status})")) }
    })
}

/// Returns the command that fuzzes one target. The first of its folders stores new inputs for the next run.
fn fuzz(name: &str, build: &[&str], length: &[String]) -> Result<Command, String> {
    let finds = format!("fuzz/corpus/{name}");
    files::make(&workspace().join(&finds))?;
    // The stable compiler has no sanitizers, and almost none of the tested code is unsafe.
    let mut command = cargo(["fuzz", "run", "--sanitizer", "none"]);
    command.args(build).args([name, &finds, SEEDS, "--"]);
    let counters = format!("-use_counters={}", u8::from(!SEEDED.contains(&name)));
    command.args(length).args([
        &counters,
        // A limit in seconds and a limit in MiB, both more than any input may need on a slow machine.
        "-timeout=60",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
    ]);
    Ok(command)
}
