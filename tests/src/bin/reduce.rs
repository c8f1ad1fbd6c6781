//! Shrinks a shader as long as a lowering still panics, makes an invalid module or executes too many instructions.

use std::path::PathBuf;
use std::process::ExitCode;

use polyshade_tests::corpus::{Tally, check_words};
use polyshade_tests::cost::{self, Cost, is_counted, measure};
use polyshade_tests::program::exit;
use polyshade_tests::reduce::reduce;
use polyshade_tests::shader;

fn main() -> ExitCode {
    exit(
        "reduce",
        is_counted(&[cost::LOWERINGS]).and_then(|counted| if counted { Ok(()) } else { run() }),
    )
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args_os().skip(1);
    let case: PathBuf = arguments.next().ok_or("usage: reduce CASE [OUTPUT]")?.into();
    let output = arguments.next().map_or_else(|| case.with_extension("reduced.spv"), PathBuf::from);
    let words = shader::read(&case)?;
    std::panic::set_hook(Box::new(|_| {}));
    let (look, fault) = fault(&words)?.ok_or("this shader causes no fault")?;
    println!("{fault}");
    let is_fault = |one: Option<String>| one.is_some_and(|one| is_same(&one, &fault));
    let least = reduce(&words, &mut |words| look(words).is_ok_and(is_fault));
    std::fs::write(&output, shader::bytes(&least))
        .map_err(|error| format!("{}: {error}", output.display()))?;
    println!("{}: {} of {} words", output.display(), least.len(), words.len());
    Ok(())
}

/// A function that looks for one kind of fault.
type Look = fn(&[u32]) -> Result<Option<String>, String>;

/// Returns the first fault, with the function that finds it.
fn fault(words: &[u32]) -> Result<Option<(Look, String)>, String> {
    for look in [wrong, slow] {
        if let Some(fault) = look(words)? {
            return Ok(Some((look, fault)));
        }
    }
    Ok(None)
}

/// Finds a panic or an invalid module.
fn wrong(words: &[u32]) -> Result<Option<String>, String> {
    Ok(check_words(words, &mut Tally::default()).into_iter().next())
}

/// Finds a lowering that executes too many instructions.
fn slow(words: &[u32]) -> Result<Option<String>, String> {
    Ok(measure(&[words.to_vec()], cost::LOWERINGS)?.iter().find_map(Cost::fault))
}

/// Returns whether two faults have the same verb and kind, which the beginnings of their texts without digits show.
fn is_same(one: &str, other: &str) -> bool {
    let kind = |fault: &str| {
        let letters = fault.chars().filter(|letter| !letter.is_ascii_digit());
        letters.take(40).collect::<String>()
    };
    kind(one) == kind(other)
}
