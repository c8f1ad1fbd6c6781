//! Rewrites the command line before clap reads it.
//!
//! Response files are expanded. The options of `batch` may follow the verb that it runs; they are moved before the
//! verb.

use crate::Arguments;
use crate::failure::Failure;
use clap::{Command, CommandFactory};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

pub(crate) fn words(raw: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, Failure> {
    let mut words = Vec::new();
    let mut raw = raw;
    words.extend(raw.next());
    for word in raw {
        expand(word, 0, &mut words)?;
    }
    // Return early for most command lines, because listing the options of the program is slow.
    if !words.iter().any(|word| word == "batch" || word == "verify") {
        return Ok(words);
    }
    let verb = verb_at(&words);
    Ok(match words.get(verb).and_then(|verb| verb.to_str()) {
        Some("batch") => own_options_first(words, verb),
        Some("verify") => verified_verb_first(words, verb),
        _ => words,
    })
}

/// Moves the verb of `verify SHADER VERB`, the only order up to version 0.1, before the shader and the options.
/// `verify_at` is the index of `verify`.
pub(crate) fn verified_verb_first(mut words: Vec<OsString>, verify_at: usize) -> Vec<OsString> {
    let mut command = Arguments::command();
    command.build();
    let verify = command.find_subcommand("verify").expect("verify is a verb");
    // All verbs of `verify` have the same options for reading a shader.
    let known = verify.find_subcommand("capture").expect("verify has the verb capture");

    // Find the first two arguments that are neither options nor values of options.
    let mut positional = Vec::new();
    let mut at = verify_at + 1;
    while positional.len() < 2
        && let Some(word) = words.get(at)
    {
        let found = option(known, word);
        if found.is_none() && (word == "-" || !is_option(word)) {
            positional.push(at);
        }
        at += if found.is_some_and(|found| found.takes_next) { 2 } else { 1 };
    }
    // The verb comes first, as the options of the shader belong to it.
    let is_verb = |at: &usize| verify.find_subcommand(&words[*at]).is_some();
    if let Some(at) = positional.into_iter().find(is_verb) {
        let verb = words.remove(at);
        words.insert(verify_at + 1, verb);
    }
    words
}

/// Returns the index of the verb, which global options may precede.
fn verb_at(words: &[OsString]) -> usize {
    let command = Arguments::command();
    let mut at = 1;
    while let Some(found) = words.get(at).and_then(|word| option(&command, word)) {
        at += if found.takes_next { 2 } else { 1 };
    }
    at
}

/// The maximum nesting depth of response files.
const MOST_NESTED: usize = 8;

/// Adds `word`, or the contents of the response file that it names, split and quoted as in a shell. A leading `@@`
/// stands for a literal `@`.
fn expand(word: OsString, depth: usize, words: &mut Vec<OsString>) -> Result<(), Failure> {
    let Some(file) = word.to_str().and_then(|word| word.strip_prefix('@')) else {
        words.push(word);
        return Ok(());
    };
    // This escape is needed because the names of HLSL's outputs begin with `@`.
    if file.starts_with('@') {
        words.push(file.into());
        return Ok(());
    }
    let failed = |message: &str| {
        let failure = Failure::usage(format!("@{file}: {message}"));
        failure
            .help("an argument that begins with @ names a response file; write @@ for a literal @")
    };
    if depth == MOST_NESTED {
        return Err(failed("response files are nested too deeply"));
    }
    let text = fs::read_to_string(Path::new(file)).map_err(|error| failed(&error.to_string()))?;
    let inner = shlex::split(&text).ok_or_else(|| failed("a quotation mark is not closed"))?;
    for word in inner {
        expand(word.into(), depth + 1, words)?;
    }
    Ok(())
}

/// Options that always belong to `batch`: one file cannot belong to every shader, and reports contain the errors.
const OWN: [&str; 7] = ["output", "variant", "report", "depfile", "error-format", "color", "quiet"];

/// Reorders the arguments to `program … batch OWN… DIR VERB -- OPTIONS…`. The batch's own options may stand anywhere
/// after `batch`, which has the index `batch_at`.
fn own_options_first(words: Vec<OsString>, batch_at: usize) -> Vec<OsString> {
    let mut command = Arguments::command();
    // This adds the global options to each verb.
    command.build();
    let batch = command.find_subcommand("batch").expect("batch is a verb");
    let mut words = words.into_iter();
    let mut own: Vec<OsString> = words.by_ref().take(batch_at + 1).collect();
    let mut positional: Vec<OsString> = Vec::new();
    let mut options = Vec::new();
    // Classify each argument as an option of the batch, an option of the verb, or one of the two positional
    // arguments.
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

/// An option that was found on a command line, and whether its value is the next argument.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) takes_next: bool,
}

fn is_option(word: &OsStr) -> bool {
    word.to_string_lossy().starts_with('-')
}

/// Returns the option of `command` that an argument names.
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
    fn the_verb_to_verify_may_follow_the_shader() {
        let new = "polyshade -q verify capture a.vert --varyings x --device y";
        assert_eq!(ordered(new), new);
        assert_eq!(ordered("polyshade -q verify a.vert capture --varyings x --device y"), new);
        assert_eq!(
            ordered("polyshade verify --runs 2 --stage vert - --json clip --set 1"),
            "polyshade verify clip --runs 2 --stage vert - --json --set 1"
        );
        assert_eq!(
            ordered("polyshade verify --stage vert capture -"),
            "polyshade verify capture --stage vert -"
        );
        for same in ["polyshade verify --list-devices", "polyshade verify a.vert blur"] {
            assert_eq!(ordered(same), same);
        }
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
