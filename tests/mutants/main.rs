//! Checks, for a sample, that each mutant that `polyshade verify` finds equal has a reason in its list.

use libtest_mimic::{Arguments, Failed, Trial};
use polyshade_tests::mutants::{LISTS, List};
use polyshade_tests::program;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

/// The number of mutants from each list in the sample.
const SAMPLE: usize = 30;

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(program::build);

fn main() -> ExitCode {
    let trials = LISTS.map(|(name, _)| {
        Trial::test(format!("mutants/{name}"), move || judge(name).map_err(Failed::from))
            .with_ignored_flag(true)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

fn judge(name: &str) -> Result<(), String> {
    let list = List::read(name)?;
    let score = list.run(&PROGRAM, SAMPLE, 1)?;
    println!("{name}: {}", list.summary(&score));
    match list.unknown(&score)[..] {
        [] => Ok(()),
        ref unknown => Err(format!(
            "`verify` calls these equal: say why in tests/mutants/{name}.txt, or have it notice them\n{}",
            unknown.join("\n")
        )),
    }
}
