//! `cargo xtask sentences`: draws sentences from documents, comments, messages and commits for a reader to grade.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::command::{output, program};
use crate::tidy::{File, prose, tracked_files};

/// The minimum number of words. Shorter sentences are headings, labels and fragments.
const LEAST_WORDS: usize = 5;

/// Prints `count` different sentences, which `seed` selects, each with its file.
pub(crate) fn run_sentences(seed: u64, count: usize) -> Result<(), String> {
    let mut all = BTreeSet::new();
    for file in tracked_files()? {
        let text = paragraphs(&file);
        all.extend(sentences(&text).map(|sentence| (file.path.clone(), sentence)));
        all.extend(messages(&file).map(|message| (file.path.clone(), message)));
    }
    let log =
        output(&mut program("git", ["log", "--max-count=300", "--no-merges", "--format=%s"]))?;
    all.extend(log.lines().map(|subject| ("a commit".to_owned(), subject.to_owned())));

    // A hash of the seed and the sentence orders the sentences.
    let mut all: Vec<_> = all.into_iter().collect();
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    all.sort_by_cached_key(|sentence| hasher.hash_one((seed, sentence)));
    for (number, (path, sentence)) in (1..).zip(all.iter().take(count)) {
        println!("{number}. {path}: {sentence}");
    }
    Ok(())
}

/// Returns the prose of a file, with an empty line between blocks that are not adjacent.
fn paragraphs(file: &File) -> String {
    let mut text = String::new();
    let mut next = 0;
    for (number, line) in prose(file) {
        let line = line.trim_start().trim_start_matches(['/', '!']).trim();
        let begins = line.is_empty() || line.starts_with(['#', '|', '-', '*', '>']);
        text.push_str(if number == next && !begins { " " } else { "\n" });
        text.push_str(line);
        next = number + 1;
    }
    text
}

fn sentences(text: &str) -> impl Iterator<Item = String> {
    text.lines()
        .flat_map(|paragraph| paragraph.split_inclusive(". "))
        .map(|sentence| sentence.trim().to_owned())
        .filter(|sentence| is_sentence(sentence))
}

fn is_sentence(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().all(|c| c.is_alphabetic()));
    words.count() >= LEAST_WORDS
}

/// Returns the string literals of a Rust file that look like sentences.
fn messages(file: &File) -> impl Iterator<Item = String> {
    let code = file.path.ends_with(".rs") && file.path.contains("/src/");
    let lines = file.text.lines().filter(move |line| code && !line.trim_start().starts_with("//"));
    lines
        .filter_map(|line| line.split('"').nth(1))
        .filter(|text| is_sentence(text))
        .map(str::to_owned)
}
