//! Checks the rules for prose that a program can count, in comments, documents and commit subjects. See
//! "Prose" in CONTRIBUTING.md.

use std::collections::BTreeMap;

use super::File;
use crate::command::{output, program};

/// In each folder, at most one word in this many may be "what", because a free relative clause hides the name
/// of a thing.
const WORDS_FOR_A_WHAT: usize = 1_000;

/// Phrases that only this project used, in lower case. They are split because this file is also checked.
const PHRASES: &[&str] = &[
    concat!("hands ", "on"),
    concat!("handed ", "on"),
    concat!("gone on ", "with"),
    concat!("comes ", "of"),
    concat!("of one's ", "own"),
    concat!("is ", "said"),
    concat!("are ", "said"),
    concat!("is ", "told"),
    concat!("are ", "told"),
    concat!("has ", "room"),
];

/// The maximum number of the project's own terms that a reader has to learn.
const MAX_TERMS: usize = 20;

/// The maximum number of characters in a commit's subject.
const MAX_SUBJECT: usize = 72;

/// The date after which commit subjects are checked. Older commits cannot change.
const SUBJECTS_SINCE: &str = "--since=2026-11-29T17:00:00Z";

pub(super) fn complaints(files: &[File]) -> Result<Vec<String>, String> {
    let mut complaints: Vec<String> = files.iter().flat_map(phrase_complaints).collect();
    complaints.extend(what_complaints(files));
    complaints.extend(files.iter().filter_map(glossary_complaint));
    let log = output(&mut program("git", ["log", "--no-merges", SUBJECTS_SINCE, "--format=%s"]))?;
    complaints.extend(log.lines().filter_map(subject_complaint));
    Ok(complaints)
}

fn phrase_complaints(file: &File) -> Vec<String> {
    let found = prose(file).into_iter().flat_map(|(number, line)| {
        let line = format!(" {} ", words(line).collect::<Vec<_>>().join(" ").to_lowercase());
        let used = PHRASES.iter().filter(move |phrase| line.contains(&format!(" {phrase} ")));
        used.map(move |phrase| format!("{}:{number}: say \"{phrase}\" in plain English", file.path))
    });
    found.collect()
}

fn what_complaints(files: &[File]) -> Vec<String> {
    let mut folders: BTreeMap<&str, (usize, Vec<String>)> = BTreeMap::new();
    for file in files {
        let (count, places) = folders.entry(folder(&file.path)).or_default();
        for (number, line) in prose(file) {
            *count += words(line).count();
            let whats = words(line).filter(|word| word.eq_ignore_ascii_case("what")).count();
            places.extend(vec![format!("{}:{number}", file.path); whats]);
        }
    }
    let over = folders
        .into_iter()
        .filter(|(_, (count, places))| places.len() > count.div_ceil(WORDS_FOR_A_WHAT));
    over.map(|(folder, (count, places))| {
        let number = places.len();
        format!("{folder}: {number} times \"what\" in {count} words: {}", places.join(" "))
    })
    .collect()
}

/// Returns the folder whose words are counted together: `crates/spv`, `tests` or `docs`, or a file name at
/// the top level.
fn folder(path: &str) -> &str {
    let parts = if path.starts_with("crates/") { 2 } else { 1 };
    path.match_indices('/').nth(parts - 1).map_or(path, |(end, _)| &path[..end])
}

fn glossary_complaint(file: &File) -> Option<String> {
    let terms = file.text.lines().filter(|line| line.starts_with("| *")).count();
    (file.path == "docs/glossary.md" && terms > MAX_TERMS).then(|| {
        format!(
            "{}: {terms} terms, more than {MAX_TERMS}: use those of the specifications",
            file.path
        )
    })
}

fn subject_complaint(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    (length > MAX_SUBJECT)
        .then(|| format!("{length} characters, more than {MAX_SUBJECT}, in the commit `{subject}`"))
}

/// Returns the numbered lines of prose: comments in code outside tests/cases, and documents without their code blocks.
pub(crate) fn prose(file: &File) -> Vec<(usize, &str)> {
    let lines = (1..).zip(file.text.lines());
    let code = [".rs", ".glsl", ".comp", ".vert", ".frag", ".h", ".hpp", ".c", ".cpp", ".js"];
    if file.path.starts_with("tests/cases/") {
        Vec::new()
    } else if file.path.ends_with(".md") {
        let mut in_code = false;
        let outside = |(_, line): &(usize, &str)| {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            !fence && !in_code
        };
        lines.filter(outside).collect()
    } else if code.iter().any(|end| file.path.ends_with(end)) {
        let begins = ["//", "/*", "* "];
        let is_comment =
            |line: &str| begins.iter().any(|begin| line.trim_start().starts_with(begin));
        lines.filter(|(_, line)| is_comment(line)).collect()
    } else {
        Vec::new()
    }
}

/// Returns the words of a line, without code in backticks.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let text = line.split('`').step_by(2);
    text.flat_map(|text| text.split(|c: char| !c.is_alphabetic() && c != '\''))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn coined_phrases_are_named_in_comments_and_documents() {
        let phrase = PHRASES[0];
        let code = format!("let text = \"it {phrase}\";\n/// It {phrase} an output.\n");
        assert_eq!(phrase_complaints(&file("a.rs", &code)).len(), 1);
        let page = format!("It {phrase}.\n`it_{phrase}`\n```\nit {phrase}\n```\n");
        let complaints = phrase_complaints(&file("a.md", &page));
        assert_eq!(complaints, [format!("a.md:1: say \"{phrase}\" in plain English")]);
    }

    #[test]
    fn a_what_takes_a_thousand_words_of_its_folder() {
        let whats = |count| format!("// {}\n", "what ".repeat(count));
        let one = [file("crates/a/x.rs", &whats(1)), file("crates/b/x.rs", &whats(1))];
        assert_eq!(what_complaints(&one), [""; 0]);
        let two = [file("crates/a/x.rs", &whats(1)), file("crates/a/y.rs", &whats(1))];
        let complaint = "crates/a: 2 times \"what\" in 2 words: crates/a/x.rs:1 crates/a/y.rs:1";
        assert_eq!(what_complaints(&two), [complaint]);
        let long = file("crates/a/z.rs", &format!("// {}\n", "word ".repeat(WORDS_FOR_A_WHAT)));
        let mut files = Vec::from(two);
        files.push(long);
        assert_eq!(what_complaints(&files), [""; 0]);
    }

    #[test]
    fn the_glossary_is_short() {
        let page = |terms| file("docs/glossary.md", &"| *term* | meaning |\n".repeat(terms));
        assert_eq!(glossary_complaint(&page(MAX_TERMS)), None);
        assert!(glossary_complaint(&page(MAX_TERMS + 1)).is_some());
    }

    #[test]
    fn subjects_of_commits_fit() {
        assert_eq!(subject_complaint(&"x".repeat(MAX_SUBJECT)), None);
        assert!(subject_complaint(&"x".repeat(MAX_SUBJECT + 1)).is_some());
    }
}
