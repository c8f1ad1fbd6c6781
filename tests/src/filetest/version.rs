//! The recorded results of each version of the lowerings on the cases.
//!
//! The folder has one file for each lowering. Each line of a file contains a case, a version, the hash of the
//! question (command line and input words) and the hash of the answer (the words of every module that the case
//! wrote). Lines are added and never changed or removed: a different output for the same question requires a new
//! version.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use polyshade::recipe;
use polyshade::transform_feedback::{self, tessellation};
use sha2::{Digest, Sha256};

/// The number of bytes of a hash that are kept: enough to avoid collisions.
const HASH_BYTES: usize = 8;

/// The file name of a lowering, and the lowering's version.
type Lowering = (&'static str, u32);

/// The result of a lowering on one case.
pub(super) struct Made {
    pub(super) lowering: Lowering,
    pub(super) case: String,
    pub(super) question: String,
    pub(super) answer: String,
}

/// The answers of one lowering by case, version and question.
type Answers = BTreeMap<(String, u32, String), String>;

macro_rules! rows {
    ($($Name:ident($kind:literal, $name:literal, $verb:literal, $version:expr)
        $Options:ty => $lower:expr, $page:literal;)*) => {
        /// The lowerings of a single stage, by their verbs.
        const ROWS: &[(&str, Lowering)] = &[$(($verb, ($name, $version))),*];
    };
}

polyshade::lowerings!(rows);

/// Returns the lowering that this command line runs; `None` if its verb is not a lowering.
pub(super) fn lowering(arguments: &[String]) -> Result<Option<Lowering>, String> {
    let has_extension = arguments.windows(2).any(|pair| pair == ["--path", "extension"]);
    let pulls = arguments.iter().any(|one| one == "--pull");
    Ok(match arguments.first().map_or("", String::as_str) {
        "capture" if pulls && !has_extension => Some(("recipe", recipe::VERSION)),
        "capture" if !has_extension => Some(("transform_feedback", transform_feedback::VERSION)),
        "pipeline" => Some(("recipe", recipe::VERSION)),
        "tessellation" => Some(("tessellation", tessellation::VERSION)),
        "convert" => None,
        verb => {
            let row = ROWS.iter().find(|(own, _)| *own == verb).map(|(_, lowering)| *lowering);
            Some(row.ok_or_else(|| format!("`{verb}` is not in the table of lowerings"))?)
        }
    })
}

/// Returns the hash of the question: the command line and the input words.
pub(super) fn question(arguments: &[String], input: &[u32]) -> String {
    hash(arguments.iter().map(|argument| (argument.as_str(), [].as_slice())).chain([("", input)]))
}

/// Returns the hash of the names and words of all modules.
pub(super) fn answer(modules: &[(String, Vec<u32>)]) -> String {
    hash(modules.iter().map(|(name, words)| (name.as_str(), words.as_slice())))
}

/// Returns the hash of pieces of text and words, with their lengths.
fn hash<'p>(pieces: impl Iterator<Item = (&'p str, &'p [u32])>) -> String {
    let mut hash = Sha256::new();
    for (text, words) in pieces {
        for length in [text.len(), words.len()] {
            hash.update((length as u64).to_le_bytes());
        }
        hash.update(text);
        for word in words {
            hash.update(word.to_le_bytes());
        }
    }
    hash.finalize()[..HASH_BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares a result with the lines in `folder`, and returns a fault if they differ. With `bless`, a missing line is
/// added.
pub(super) fn settle(bless: bool, folder: &Path, made: Made) -> Option<String> {
    // Cases run in parallel and share the files.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);

    let Made { lowering: (name, version), case, question, answer } = made;
    let path = folder.join(name).with_extension("txt");
    let fault = |fault: String| Some(format!("{}: {fault}", path.display()));
    let mut answers = match read(&path) {
        Ok(answers) => answers,
        Err(error) => return fault(error),
    };
    let key = (case, version, question);
    match answers.get(&key) {
        Some(known) if *known == answer => None,
        Some(_) => fault(format!(
            "version {version} of {name} gives different words for {}: raise the version in the library, then run \
             `cargo xtask bless`",
            key.0
        )),
        None if bless => {
            answers.insert(key, answer);
            let written =
                fs::create_dir_all(folder).and_then(|()| fs::write(&path, text(&answers)));
            written.err().and_then(|error| fault(error.to_string()))
        }
        None => fault(format!(
            "no line for {} by version {version}: run `cargo xtask bless`, which adds it",
            key.0
        )),
    }
}

fn read(path: &Path) -> Result<Answers, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Answers::new()),
        Err(error) => return Err(error.to_string()),
    };
    let mut answers = Answers::new();
    for line in text.lines() {
        let malformed = || format!("expected CASE VERSION QUESTION ANSWER, found: {line}");
        let [case, version, question, answer] =
            line.split(' ').collect::<Vec<_>>().try_into().map_err(|_| malformed())?;
        let version = version.parse().map_err(|_| malformed())?;
        let key = (case.to_owned(), version, question.to_owned());
        if answers.insert(key, answer.to_owned()).is_some() {
            return Err(format!("two lines for {case}, version {version} and {question}"));
        }
    }
    Ok(answers)
}

fn text(answers: &Answers) -> String {
    let line = |((case, version, question), answer): (&(String, u32, String), &String)| {
        format!("{case} {version} {question} {answer}\n")
    };
    answers.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(case: &str, version: u32, question: &str, answer: &str) -> Made {
        let [case, question, answer] = [case, question, answer].map(str::to_owned);
        Made { lowering: ("a_lowering", version), case, question, answer }
    }

    #[test]
    fn other_words_need_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let settle = |bless, made| settle(bless, folder.path(), made);
        let lines = || fs::read_to_string(folder.path().join("a_lowering.txt")).unwrap();

        // `filetest::tests` checks the first answer, other answers and other questions.
        assert_eq!(settle(true, made("b", 1, "q", "x")), None);
        assert_eq!(settle(true, made("a", 1, "q", "z")), None);
        for version in [10, 2] {
            assert!(settle(false, made("b", version, "q", "y")).is_some());
            assert_eq!(settle(true, made("b", version, "q", "y")), None);
        }
        assert_eq!(lines(), "a 1 q z\nb 1 q x\nb 2 q y\nb 10 q y\n");
        assert!(settle(true, made("b", 1, "q", "y")).is_some(), "going back is no way round");
    }

    #[test]
    fn a_file_that_was_damaged_is_not_blessed() {
        let folder = tempfile::tempdir().unwrap();
        for (text, why) in [
            ("a 1 q\n", "expected CASE VERSION QUESTION ANSWER"),
            ("a one q x\n", "expected CASE VERSION QUESTION ANSWER"),
            ("a 1 q x\na 1 q y\n", "two lines for a, version 1"),
        ] {
            let path = folder.path().join("a_lowering.txt");
            fs::write(&path, text).unwrap();
            let refused = settle(true, folder.path(), made("b", 1, "q", "x")).unwrap();
            assert!(refused.contains(why), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn hashes_tell_questions_and_answers_apart() {
        let arguments = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let plain = question(&arguments("depth %s --flip-y"), &[1, 2]);
        assert_eq!(plain, "0cc61f451535cb89", "the same on every machine");
        assert_ne!(plain, question(&arguments("depth %s"), &[1, 2]));
        assert_ne!(plain, question(&arguments("depth %s --flip-y"), &[1, 3]));

        let modules = |names: [&str; 2], words: [&[u32]; 2]| {
            let modules = names.into_iter().zip(words);
            answer(
                &modules.map(|(name, words)| (name.to_owned(), words.to_vec())).collect::<Vec<_>>(),
            )
        };
        let plain = modules(["a", "b"], [&[1], &[2, 3]]);
        assert_ne!(plain, modules(["a", "b"], [&[1, 2], &[3]]));
        assert_ne!(plain, modules(["a", "c"], [&[1], &[2, 3]]));
    }
}
