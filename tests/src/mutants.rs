//! Measures how many faults `polyshade verify` detects: lowered modules are mutated, and the program verifies each
//! mutant.
//!
//! `tests/mutants/LIST.txt` names the shaders, records the result of the last run of `cargo xtask mutants`, and
//! lists the mutants that are found equal, each with the reason.

use crate::dead_code::normalize;
use crate::drivers::Driver;
use crate::mutate::{Mutant, Text};
use crate::shader;
use crate::tree::tests;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;
use std::vec;

/// The lists with the variants to mutate: one list for each verb, and for `capture` one for each path.
pub const LISTS: [(&str, &[&str]); 5] = [
    ("capture", &["capture-only", "raster-only", "both"]),
    ("extension", &["lowered"]),
    ("position-only", &["position-only", "complement", "full"]),
    ("clip", &["lowered"]),
    ("blend", &["lowered"]),
];

/// A list of shaders and surviving mutants.
#[derive(Debug)]
pub struct List {
    name: &'static str,
    parts: &'static [&'static str],
    path: PathBuf,
    comments: Vec<String>,
    /// The shaders, each followed by the options for the verb.
    shaders: Vec<String>,
    /// The mutants that are found equal, each with the reason.
    survivors: BTreeMap<String, String>,
}

/// The results of verifying mutants.
#[derive(Debug, Default, Clone)]
pub struct Score {
    /// The number of mutants that are found different.
    pub noticed: u32,
    /// The number of mutants that SPIRV-Tools' optimizer reduces to the same module as the original.
    pub same: u32,
    /// The number of mutants that cannot be compared, or from which the device cannot create a pipeline.
    pub refused: u32,
    /// The names of all mutants.
    names: BTreeSet<String>,
    /// The mutants that are found equal, each with the shaders in which it occurs.
    pub equal: BTreeMap<String, Vec<String>>,
}

/// A variant of a shader.
struct Subject<'l> {
    /// The shader and the options, as in the list.
    line: &'l str,
    part: &'static str,
    text: Text,
    /// The optimizer's output for the unmutated module.
    normal: Option<Vec<u32>>,
}

/// The result of `verify`.
#[derive(Debug, PartialEq, Eq)]
enum Comparison {
    Different,
    Equal,
    /// The mutant cannot be compared, or the device cannot create a pipeline from it.
    NotCompared,
}

/// The reason for a survivor that nobody has explained yet.
const UNKNOWN: &str = "?";
/// The prefix of the reason for a mutant that computes the same results as the original.
const EQUIVALENT: &str = "equivalent: ";
/// After these seconds, a mutant is assumed to loop forever.
const SECONDS: &str = "20";

impl List {
    /// Reads a list.
    ///
    /// # Errors
    ///
    /// If the list does not exist or cannot be read.
    pub fn read(name: &str) -> Result<List, String> {
        let found = LISTS.into_iter().find(|(other, _)| *other == name);
        let (name, parts) = found.ok_or_else(|| format!("the list `{name}` does not exist"))?;
        let path = tests().join(format!("mutants/{name}.txt"));
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let (mut comments, mut shaders) = (Vec::new(), Vec::new());
        let mut survivors = BTreeMap::new();
        let mut reason = UNKNOWN.to_owned();
        for line in text.lines() {
            if let Some(shader) = line.strip_prefix("> ") {
                shaders.push(shader.to_owned());
            } else if let Some(comment) = line.strip_prefix("# ") {
                comments.push(comment.to_owned());
            } else if let Some(mutant) = line.strip_prefix("  ") {
                survivors.insert(mutant.to_owned(), reason.clone());
            } else if !line.is_empty() && !line.starts_with("= ") {
                reason = line.to_owned();
            }
        }
        Ok(List { name, parts, path, comments, shaders, survivors })
    }

    /// Verifies the first `count` valid mutants on `threads` threads.
    ///
    /// # Errors
    ///
    /// If a shader cannot be lowered, or an unmutated variant is not equal.
    pub fn run(&self, program: &Path, count: usize, threads: usize) -> Result<Score, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        // Lower the shaders. The unmutated variants must be equal.
        let mut subjects = Vec::new();
        for (number, line) in self.shaders.iter().enumerate() {
            let runner = Runner { program, list: self, line };
            for part in self.parts {
                let file = folder.path().join(format!("{number}-{part}.spv"));
                let words = runner.lower(part, &file)?;
                if runner.verify(part, &words, &file)? != Comparison::Equal {
                    return Err(format!("{line}: verify does not find the original variant equal"));
                }
                let text = Text::of(&words)?;
                let normal = normalize(&text.words()?);
                subjects.push(Subject { line, part, text, normal });
            }
        }
        // Verify mutants on all threads.
        let mutants = Mutex::new(Mutants::new(&subjects, count));
        let scores = thread::scope(|scope| {
            let each: Vec<_> = (0..threads)
                .map(|number| {
                    let file = folder.path().join(format!("mutant-{number}.spv"));
                    let (mutants, subjects) = (&mutants, &subjects);
                    scope.spawn(move || self.score(program, subjects, mutants, &file))
                })
                .collect();
            let each = each.into_iter().map(|one| one.join().expect("no thread panics"));
            each.collect::<Result<Vec<Score>, String>>()
        })?;
        // Add up the scores.
        let mut sum = Score::default();
        for score in scores {
            sum.noticed += score.noticed;
            sum.same += score.same;
            sum.refused += score.refused;
            sum.names.extend(score.names);
            for (name, lines) in score.equal {
                sum.equal.entry(name).or_default().extend(lines);
            }
        }
        Ok(sum)
    }

    /// Verifies mutants one after another until none is left.
    fn score(
        &self,
        program: &Path,
        subjects: &[Subject<'_>],
        mutants: &Mutex<Mutants>,
        file: &Path,
    ) -> Result<Score, String> {
        let mut score = Score::default();
        let next = || mutants.lock().expect("no thread panics").next(subjects);
        while let Some((number, mutant, words)) = next() {
            let Subject { line, part, normal, .. } = &subjects[number];
            let name = format!("{part} {}", mutant.name);
            score.names.insert(name.clone());
            match (Runner { program, list: self, line }).verify(part, &words, file)? {
                Comparison::NotCompared => score.refused += 1,
                Comparison::Different => score.noticed += 1,
                Comparison::Equal if normalize(&words) == *normal => score.same += 1,
                Comparison::Equal => score.equal.entry(name).or_default().push((*line).to_owned()),
            }
        }
        Ok(score)
    }

    /// Returns the mutants that are found equal and have no reason.
    pub fn unknown(&self, score: &Score) -> Vec<String> {
        let all = score.equal.iter().filter(|(one, _)| self.reason(one) == UNKNOWN);
        all.map(|(one, lines)| format!("{one}\n      of {}", lines.join("\n      of "))).collect()
    }

    fn reason(&self, mutant: &str) -> &str {
        self.survivors.get(mutant).map_or(UNKNOWN, String::as_str)
    }

    /// Rewrites the list with these results. Explained survivors that were not verified in this run stay.
    ///
    /// # Errors
    ///
    /// If the list cannot be written.
    pub fn write(&self, score: &Score) -> Result<(), String> {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let is_other = |one: &&String| !score.names.contains(*one) && self.reason(one) != UNKNOWN;
        let others = self.survivors.keys().filter(is_other);
        for one in score.equal.keys().chain(others) {
            reasons.entry(self.reason(one)).or_default().push(one);
        }
        let mut lines: Vec<String> = self.comments.iter().map(|one| format!("# {one}")).collect();
        lines.extend(self.shaders.iter().map(|one| format!("> {one}")));
        lines.push(format!("= {}", self.summary(score)));
        for (reason, mutants) in reasons {
            lines.push(format!("\n{reason}"));
            lines.extend(mutants.iter().map(|one| format!("  {one}")));
        }
        fs::write(&self.path, lines.join("\n") + "\n").map_err(|error| error.to_string())
    }

    /// Formats a score as a sentence.
    pub fn summary(&self, score: &Score) -> String {
        let Score { noticed, same, refused, equal, .. } = score;
        let (mut equivalent, mut missed) = (0, 0);
        for (name, lines) in equal {
            let is_equivalent = self.reason(name).starts_with(EQUIVALENT);
            *(if is_equivalent { &mut equivalent } else { &mut missed }) += lines.len();
        }
        let share = f64::from(*noticed) / (f64::from(*noticed) + missed as f64) * 100.0;
        format!(
            "{noticed} noticed, {missed} missed: {share:.1} %; {equivalent} equivalent, \
             {same} the same to the optimizer, {refused} without a pipeline"
        )
    }
}

/// Runs the program on one line of a list.
struct Runner<'r> {
    program: &'r Path,
    list: &'r List,
    line: &'r str,
}

impl Runner<'_> {
    fn command(&self, before: &[&str]) -> Command {
        let mut words = self.line.split(' ');
        let shader = tests().join("..").join(words.next().unwrap_or_default());
        let mut command = Command::new(self.program);
        let verb = if self.list.name == "extension" { "capture" } else { self.list.name };
        command.args(before).arg(verb).arg(shader);
        if self.list.name == "extension" {
            command.args(["--path", "extension"]);
        }
        command.args(words);
        command
    }

    /// Lowers a shader and returns the SPIR-V words of a variant.
    fn lower(&self, part: &str, file: &Path) -> Result<Vec<u32>, String> {
        let mut command = self.command(&[]);
        match (part, self.list.name) {
            ("raster-only" | "both", _) => {
                command.arg("--variant").arg(format!("{part}={}", file.display()));
                command.arg("-o").arg(file.with_extension("other.spv"))
            }
            ("complement" | "full", _) => {
                command.arg(format!("--{part}")).arg(file);
                command.arg("-o").arg(file.with_extension("other.spv"))
            }
            _ => command.arg("-o").arg(file),
        };
        let output = output(&mut command)?;
        if !output.status.success() {
            return Err(format!("{}: {}", self.line, String::from_utf8_lossy(&output.stderr)));
        }
        shader::words(&fs::read(file).map_err(|error| error.to_string())?)
    }

    /// Verifies these words in place of the program's own variant.
    fn verify(&self, part: &str, words: &[u32], file: &Path) -> Result<Comparison, String> {
        fs::write(file, shader::bytes(words)).map_err(|error| error.to_string())?;
        let mut command = self.command(&["verify"]);
        command.args(["--device", Driver::Lavapipe.name(), "--timeout", SECONDS]);
        command.arg("--rewritten").arg(format!("{part}={}", file.display()));
        let output = output(&mut command)?;
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(match output.status.code() {
            Some(0) => Comparison::Equal,
            Some(1) if message.contains(": it does not run") => Comparison::NotCompared,
            Some(1) if message.starts_with("different") => Comparison::Different,
            Some(3) => Comparison::NotCompared,
            _ => return Err(format!("{}: {message}", self.line)),
        })
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| error.to_string())
}

/// The remaining mutants, in an order that does not depend on how many there are.
struct Mutants {
    left: vec::IntoIter<(usize, Mutant)>,
    /// The number of mutants still to verify.
    count: usize,
}

impl Mutants {
    fn new(subjects: &[Subject<'_>], count: usize) -> Mutants {
        let each = subjects.iter().enumerate();
        let mutants = each.flat_map(|(number, subject)| {
            let mutants = subject.text.mutants().into_iter();
            mutants.map(move |mutant| {
                let name = format!("{} {} {}", subject.line, subject.part, mutant.name);
                (Sha256::digest(name.as_bytes()), (number, mutant))
            })
        });
        let mut mutants: Vec<_> = mutants.collect();
        mutants.sort_by_key(|one| one.0);
        let mutants: Vec<_> = mutants.into_iter().map(|(_, mutant)| mutant).collect();
        Mutants { left: mutants.into_iter(), count }
    }

    /// Returns the next valid mutant: the index of its subject, the mutation and its words.
    fn next(&mut self, subjects: &[Subject<'_>]) -> Option<(usize, Mutant, Vec<u32>)> {
        self.count = self.count.checked_sub(1)?;
        self.left.find_map(|(number, mutant)| {
            let words = subjects[number].text.apply(&mutant)?;
            Some((number, mutant, words))
        })
    }
}
