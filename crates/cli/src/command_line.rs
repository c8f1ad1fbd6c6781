//! The words of the command line before clap reads them.
//!
//! Response files are put in, and `batch`'s own options, which may stand behind the verb that it runs, are moved in
//! front of it.

use crate::Arguments;
use crate::code;
use crate::failure::Failure;
use clap::{Command, CommandFactory};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// The words that clap is to read.
pub(crate) fn words(raw: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, Failure> {
    let mut words = Vec::new();
    let mut raw = raw;
    words.extend(raw.next());
    for word in raw {
        expand(word, 0, &mut words)?;
    }
    // Reports that are joined are many values of one option, and there is no verb behind them.
    let joins =
        |word: &OsString| word == "--merge" || word.to_string_lossy().starts_with("--merge=");
    // The options of the program take long to list.
    if !words.iter().any(|word| word == "batch") || words.iter().any(joins) {
        return Ok(words);
    }
    let verb = verb_at(&words);
    Ok(if words.get(verb).is_some_and(|verb| verb == "batch") {
        own_options_first(words, verb)
    } else {
        words
    })
}

/// The number of the word that is the verb: options of the whole program may stand before it.
fn verb_at(words: &[OsString]) -> usize {
    let command = Arguments::command();
    let mut at = 1;
    while let Some(found) = words.get(at).and_then(|word| option(&command, word)) {
        at += if found.takes_next { 2 } else { 1 };
    }
    at
}

/// A response file names others this deep at most.
const MOST_NESTED: usize = 8;

/// Adds `word`, or what the response file holds that it names: words as a shell splits and quotes them. Of two `@` at
/// the start, the second stands for itself.
fn expand(word: OsString, depth: usize, words: &mut Vec<OsString>) -> Result<(), Failure> {
    let Some(file) = word.to_str().and_then(|word| word.strip_prefix('@')) else {
        words.push(word);
        return Ok(());
    };
    // HLSL's outputs have names that begin so.
    if file.starts_with('@') {
        words.push(file.into());
        return Ok(());
    }
    let failed = |message: &str| {
        let failure = Failure::new(&code::CLI_USAGE, format!("@{file}: {message}"));
        failure.help("a word that begins with @ names a response file; @@ stands for @ itself")
    };
    if depth == MOST_NESTED {
        return Err(failed("response files name each other too deeply"));
    }
    let text = fs::read_to_string(Path::new(file)).map_err(|error| failed(&error.to_string()))?;
    let inner = shlex::split(&text).ok_or_else(|| failed("a quotation mark is not closed"))?;
    for word in inner {
        expand(word.into(), depth + 1, words)?;
    }
    Ok(())
}

/// Options that belong to `batch` wherever they stand: one file cannot be every shader's, and errors of shaders are in
/// the report.
const OWN: [&str; 7] = ["output", "variant", "report", "depfile", "error-format", "color", "quiet"];

/// `program … batch OWN… DIR VERB -- OPTIONS…`, of words in which the own options stand anywhere behind `batch`, which
/// is word number `batch_at`.
fn own_options_first(words: Vec<OsString>, batch_at: usize) -> Vec<OsString> {
    let mut command = Arguments::command();
    // Puts options that all verbs have among those of each.
    command.build();
    let batch = command.find_subcommand("batch").expect("batch is a verb");
    let mut words = words.into_iter();
    let mut own: Vec<OsString> = words.by_ref().take(batch_at + 1).collect();
    let mut positional: Vec<OsString> = Vec::new();
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        let verb = positional.get(1).and_then(|verb| command.find_subcommand(verb));
        let in_front = positional.len() < 2;
        let of_batch = option(batch, &word);
        let of_verb = verb.and_then(|verb| option(verb, &word));
        let (to, found) = match (of_batch, of_verb) {
            (Some(found), None) => (&mut own, found),
            (Some(found), Some(_)) if OWN.contains(&found.name.as_str()) => (&mut own, found),
            (_, Some(found)) => (&mut options, found),
            (None, None) if in_front && (word == "-" || !is_option(&word)) => {
                positional.push(word);
                continue;
            }
            (None, None) => (if in_front { &mut own } else { &mut options }, Found::default()),
        };
        let last = word == "--";
        to.push(word);
        if found.takes_next {
            to.extend(words.next());
        }
        if last {
            options.extend(words.by_ref());
        }
    }
    let behind = positional.len() == 2;
    own.extend(positional);
    if behind {
        own.push("--".into());
    }
    own.extend(options);
    own
}

/// An option of a command, and whether its value is the next word.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) takes_next: bool,
}

fn is_option(word: &OsStr) -> bool {
    word.to_string_lossy().starts_with('-')
}

/// The option of a command that a word names.
pub(crate) fn option(command: &Command, word: &OsStr) -> Option<Found> {
    let word = word.to_string_lossy();
    let (argument, has_value) = if let Some(long) = word.strip_prefix("--") {
        let (name, value) =
            long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let argument = command.get_arguments().find(|one| one.get_long() == Some(name))?;
        (argument, value.is_some())
    } else {
        let mut letters = word.strip_prefix('-')?.chars();
        let letter = letters.next()?;
        let argument = command.get_arguments().find(|one| one.get_short() == Some(letter))?;
        (argument, letters.next().is_some())
    };
    let takes_next = argument.get_action().takes_values() && !has_value;
    Some(Found { name: argument.get_long().unwrap_or_default().to_owned(), takes_next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(line: &str) -> String {
        let words = line.split(' ').map(OsString::from);
        let words = super::words(words).expect("there is no response file");
        let words: Vec<String> =
            words.into_iter().map(|word| word.into_string().expect("it was text")).collect();
        words.join(" ")
    }

    #[test]
    fn options_of_batch_may_stand_behind_the_verb() {
        assert_eq!(
            ordered(
                "polyshade batch -j 2 in capture --varyings a --force --set 1 -o out --report=r"
            ),
            "polyshade batch -j 2 --force -o out --report=r in capture -- --varyings a --set 1"
        );
    }

    #[test]
    fn options_of_the_program_may_stand_before_batch() {
        assert_eq!(
            ordered(
                "polyshade -q --color never --error-format=json batch in capture --set 1 -o out"
            ),
            "polyshade -q --color never --error-format=json batch -o out in capture -- --set 1"
        );
        assert_eq!(
            ordered("polyshade batch -q in --color never capture --error-format json -o out"),
            "polyshade batch -q --color never --error-format json -o out in capture --"
        );
    }

    #[test]
    fn a_value_is_no_option_and_other_verbs_are_left_alone() {
        assert_eq!(
            ordered("polyshade batch in capture --varyings -o -o out"),
            "polyshade batch -o out in capture -- --varyings -o"
        );
        let other = "polyshade capture a --varyings x -o out --report r";
        assert_eq!(ordered(other), other);
    }

    #[test]
    fn what_stands_behind_two_dashes_is_the_verbs() {
        assert_eq!(
            ordered("polyshade batch -o out in capture -- -o x"),
            "polyshade batch -o out in capture -- -- -o x"
        );
    }
}
