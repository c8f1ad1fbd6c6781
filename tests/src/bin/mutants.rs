//! Breaks lowered modules in many places, has `polyshade verify` judge them, and writes what came of it into the lists
//! of `tests/mutants`.

use polyshade_tests::mutants::{LISTS, List};
use std::process::ExitCode;

/// How many mutants a list is measured with.
const FULL: usize = 2000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (numbers, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|one| one.parse::<usize>().is_ok());
    let count = numbers.first().and_then(|one| one.parse().ok()).unwrap_or(FULL);
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    // `cargo xtask mutants` builds it.
    let program = this.with_file_name("polyshade");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let is_named = |name: &&str| names.is_empty() || names.iter().any(|one| one == *name);
    for name in LISTS.map(|(name, _)| name).into_iter().filter(is_named) {
        let list = List::read(name)?;
        let score = list.run(&program, count, threads)?;
        println!("{name}: {}", list.told(&score));
        list.unknown(&score).iter().for_each(|one| println!("  {one}"));
        list.write(&score)?;
    }
    Ok(())
}
