//! Shrinks a shader on which a lowering panics, makes something invalid or takes too long, while it still does.

use std::path::PathBuf;
use std::process::ExitCode;

use polyshade_tests::corpus::{Tally, check_words};
use polyshade_tests::reduce::reduce;
use polyshade_tests::shader;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reduce: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args_os().skip(1);
    let case: PathBuf = arguments.next().ok_or("usage: reduce CASE [OUTPUT]")?.into();
    let output = arguments.next().map_or_else(|| case.with_extension("reduced.spv"), PathBuf::from);
    let words = shader::read(&case)?;
    std::panic::set_hook(Box::new(|_| {}));
    let fault = fault(&words).ok_or("nothing goes wrong with this shader")?;
    println!("{fault}");
    let least =
        reduce(&words, &mut |words| self::fault(words).is_some_and(|one| is_same(&one, &fault)));
    std::fs::write(&output, shader::bytes(&least))
        .map_err(|error| format!("{}: {error}", output.display()))?;
    println!("{}: {} of {} words", output.display(), least.len(), words.len());
    Ok(())
}

/// The first thing that goes wrong.
fn fault(words: &[u32]) -> Option<String> {
    check_words(words, &mut Tally::default()).into_iter().next()
}

/// Whether two faults are of the same verb and kind, as far as the text says before names and numbers.
fn is_same(one: &str, other: &str) -> bool {
    let kind = |fault: &str| {
        let letters = fault.chars().filter(|letter| !letter.is_ascii_digit());
        letters.take(40).collect::<String>()
    };
    kind(one) == kind(other)
}
