//! Runs `polyshade verify` on shaders until a given number of runs are equal, and prints the differences.

use polyshade_tests::program::exit;
use polyshade_tests::runs::{self, Asked, On};
use std::path::PathBuf;
use std::process::ExitCode;

/// The default folders of shaders; missing ones are skipped.
const FOLDERS: [&str; 4] =
    ["tests/cases", "tests/mutants", "../shared/corpus", "../shared/findings"];

fn main() -> ExitCode {
    exit("corpus-runs", run())
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1).peekable();
    let usage = "usage: corpus-runs [--on-metal [--against-lavapipe]] [--with OPTIONS] RUNS SEED [FOLDER...]";
    let mut is_given = |option: &str| arguments.next_if(|one| one == option).is_some();
    let on = match (is_given("--on-metal"), is_given("--against-lavapipe")) {
        (true, true) => On::MetalAgainstLavapipe,
        (true, false) => On::Metal,
        (false, false) => On::Lavapipe,
        (false, true) => return Err("--against-lavapipe requires --on-metal".to_owned()),
    };
    let with = if is_given("--with") { Some(arguments.next().ok_or(usage)?) } else { None };
    let mut number = || arguments.next().and_then(|number| number.parse().ok());
    let (Some(wanted), Some(seed)) = (number(), number()) else {
        return Err(usage.to_owned());
    };
    let mut folders: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    if folders.is_empty() {
        folders = FOLDERS.map(PathBuf::from).into();
    }
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    // `cargo xtask corpus-runs` builds the program.
    let program = this.with_file_name("polyshade");
    let asked = Asked { on, with };
    let tally = runs::run(&program, &folders, (wanted, seed), &asked);
    println!("{tally}");
    match tally.different {
        0 if tally.runs >= wanted || asked.is_once() => Ok(()),
        0 => Err(format!("only {} runs can be compared", tally.runs)),
        different => Err(format!("{different} comparisons differ")),
    }
}
