//! Runs `polyshade verify` on mutants of lowered modules, and writes the results to the lists of `tests/mutants`.

use polyshade_tests::mutants::{LISTS, List};
use polyshade_tests::program::exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    exit("mutants", run())
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().and_then(|count| count.parse().ok());
    let count = count.ok_or("usage: mutants COUNT [LIST...]")?;
    let mut names: Vec<String> = arguments.collect();
    if names.is_empty() {
        names = LISTS.map(|(name, _)| name.to_owned()).into();
    }
    let lists = names.iter().map(|name| List::read(name)).collect::<Result<Vec<_>, _>>()?;
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    // `cargo xtask mutants` builds the program.
    let program = this.with_file_name("polyshade");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for (name, list) in names.iter().zip(lists) {
        let score = list.run(&program, count, threads)?;
        println!("{name}: {}", list.summary(&score));
        list.unknown(&score).iter().for_each(|one| println!("  {one}"));
        list.write(&score)?;
    }
    Ok(())
}
