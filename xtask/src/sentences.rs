//! `cargo xtask sentences`: draws sentences from documents, comments, messages and commits for a reader to grade.

use std::collections::BTreeSet;

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

    let all: Vec<_> = all.into_iter().collect();
    let mut drawn = BTreeSet::new();
    let mut state = seed;
    while drawn.len() < count.min(all.len()) {
        state = splitmix(state);
        drawn.insert((state % all.len() as u64) as usize);
    }
    for (number, index) in (1..).zip(drawn) {
        let (path, sentence) = &all[index];
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

/// Returns the next number of the splitmix64 generator.
fn splitmix(state: u64) -> u64 {
    let mut bits = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
