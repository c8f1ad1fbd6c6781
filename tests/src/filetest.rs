//! Runs one case: a shader file with a `RUN:` line for the program and `CHECK:` lines for its output.
//!
//! Checks the expectations of the case and the rules for all cases, and reports all faults together.

mod case;
mod check;
mod golden;
mod rewrite;
mod sprinkle;
mod version;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::case::{Case, OUTPUT, Runs};
use crate::shader::Rules;
use crate::{identity, shader};

/// How the cases are run.
pub struct Harness {
    /// The program `polyshade`.
    pub program: PathBuf,
    /// The folder of the cases.
    pub cases: PathBuf,
    /// The folder with the recorded results of each version of the lowerings.
    pub versions: PathBuf,
    /// Whether diffs are written instead of compared.
    pub bless: bool,
}

/// The results of one run of the program.
struct Outcome {
    exit: Option<i32>,
    stdout: String,
    stderr: String,
    /// The modules that it wrote, by their names in the `RUN:` line.
    modules: Vec<(String, Vec<u32>)>,
    /// The texts that it wrote, by their names in the `RUN:` line.
    texts: Vec<(String, String)>,
}

/// Runs the case in the file at `path`; an error lists all faults.
pub fn run(harness: &Harness, path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let case = Case::parse(&text)?;
    let input = shader::read(path)?;

    let mut faults = Vec::new();
    faults.extend(module_faults(case.input, "the input", &input));
    let outcome = execute(harness, &case, path, &input)?;
    faults.extend(outcome_faults(&case, &outcome));
    for (name, words) in &outcome.modules {
        faults.extend(module_faults(case.output, name, words));
        faults.extend(unchanged_fault(name, &input, words));
    }
    if case.takes_unknown() {
        let sprinkled = sprinkle::sprinkle(&input, path);
        let with_unknown = execute(harness, &case, path, &sprinkled)?;
        faults.extend(identity::check(&sprinkled).err());
        faults.extend(sprinkled_faults(&case, &outcome, &with_unknown));
    }
    // The recorded result of a version is permanent, so only a correct one is added.
    let other_words = match faults.is_empty() {
        true => version_fault(harness, &case, path, &input, &outcome),
        false => None,
    };
    let diff = match outcome.module(OUTPUT) {
        Some(output) => Some(golden::diff(&input, output)?),
        None => None,
    };
    let bless = harness.bless && other_words.is_none();
    faults.extend(golden::settle(bless, path, diff.as_deref()));
    faults.extend(other_words);

    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Returns a fault if this version of the lowering made different modules from the same input before.
fn version_fault(
    harness: &Harness,
    case: &Case,
    path: &Path,
    input: &[u32],
    outcome: &Outcome,
) -> Option<String> {
    if outcome.modules.is_empty() || matches!(case.runs, Runs::Rewrite) {
        return None;
    }
    let lowering = match version::lowering(&case.arguments) {
        Ok(lowering) => lowering?,
        Err(fault) => return Some(fault),
    };
    let name = path.strip_prefix(&harness.cases).expect("a case lies in the folder of the cases");
    let made = version::Made {
        lowering,
        case: name.display().to_string(),
        question: version::question(&case.arguments, input),
        answer: version::answer(&outcome.modules),
    };
    version::settle(harness.bless, &harness.versions, made)
}

/// Executes the case's command on `input`.
fn execute(harness: &Harness, case: &Case, path: &Path, input: &[u32]) -> Result<Outcome, String> {
    match case.runs {
        Runs::Program => run_program(harness, case, path, input),
        Runs::Rewrite => Ok(Outcome::of_rewrite(rewrite::run(&case.arguments, input))),
    }
}

/// Runs the program in a temporary folder, with `input` as `%s` and the case itself as `%f`.
fn run_program(
    harness: &Harness,
    case: &Case,
    path: &Path,
    input: &[u32],
) -> Result<Outcome, String> {
    // Write the input and the case, and create the output folder.
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let name = path.file_name().expect("a case is a file").display();
    let source = folder.path().join(format!("{name}.spv"));
    fs::write(&source, shader::bytes(input)).map_err(|error| format!("the input: {error}"))?;
    let itself = folder.path().join(path.file_name().expect("a case is a file"));
    fs::copy(path, &itself).map_err(|error| format!("the case: {error}"))?;
    let outputs = folder.path().join("output");
    fs::create_dir(&outputs).map_err(|error| format!("the output's folder: {error}"))?;

    let arguments = case.arguments.iter().map(|argument| -> OsString {
        let argument = argument.replace("%s", &source.to_string_lossy());
        let argument = argument.replace("%f", &itself.to_string_lossy());
        argument.replace("%t", &outputs.join("t").to_string_lossy()).into()
    });
    let run = Command::new(&harness.program)
        .args(arguments)
        .output()
        .map_err(|error| format!("{} does not start: {error}", harness.program.display()))?;
    let (modules, texts) = files_in(&outputs)?;
    Ok(Outcome {
        exit: run.status.code(),
        stdout: String::from_utf8_lossy(&run.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&run.stderr).into_owned(),
        modules,
        texts,
    })
}

/// Files by their names in the `RUN:` line.
type Named<T> = Vec<(String, T)>;

/// Returns the modules and the texts in the output folder, sorted by name.
fn files_in(folder: &Path) -> Result<(Named<Vec<u32>>, Named<String>), String> {
    let (mut modules, mut texts) = (Vec::new(), Vec::new());
    let entries = fs::read_dir(folder).map_err(|error| format!("the outputs: {error}"))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("the outputs: {error}"))?;
        let name = format!("%{}", entry.file_name().display());
        if name.ends_with(".spv") {
            modules.push((name, shader::read(&entry.path())?));
        } else {
            let text = fs::read_to_string(entry.path());
            texts.push((name, text.map_err(|error| format!("the outputs: {error}"))?));
        }
    }
    modules.sort();
    texts.sort();
    Ok((modules, texts))
}

impl Outcome {
    /// Returns the outcome that the program would have if it had a verb for this rewrite tool.
    fn of_rewrite(result: Result<Vec<u32>, rewrite::Refusal>) -> Self {
        let (exit, stderr, modules) = match result {
            Ok(words) => (0, String::new(), vec![(OUTPUT.to_owned(), words)]),
            Err(refusal) => (refusal.exit, refusal.text, Vec::new()),
        };
        Self { exit: Some(exit), stdout: String::new(), stderr, modules, texts: Vec::new() }
    }

    fn module(&self, name: &str) -> Option<&[u32]> {
        let (_, words) = self.modules.iter().find(|(there, _)| there == name)?;
        Some(words)
    }

    /// Returns whether the run wrote a file of this name.
    fn has(&self, name: &str) -> bool {
        self.module(name).is_some() || self.texts.iter().any(|(there, _)| there == name)
    }

    fn first_file(&self) -> Option<&str> {
        let modules = self.modules.iter().map(|(name, _)| name.as_str());
        modules.chain(self.texts.iter().map(|(name, _)| name.as_str())).next()
    }

    /// Returns the text to which the `CHECK:` lines apply.
    fn text(&self, case: &Case) -> Result<String, String> {
        if case.exit != 0 {
            return Ok(self.stderr.clone());
        }
        match self.module(OUTPUT) {
            Some(words) => shader::disassemble(words),
            None if self.texts.is_empty() => Ok(self.stdout.clone()),
            None => Ok(self.texts.iter().map(|(_, text)| text.as_str()).collect()),
        }
    }
}

/// Checks the exit code, the files and the `CHECK:` lines.
fn outcome_faults(case: &Case, outcome: &Outcome) -> Vec<String> {
    if outcome.exit != Some(case.exit) {
        let ended = outcome.exit.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
        return vec![format!(
            "ended with {ended}, not {}; it printed:\n{}",
            case.exit,
            outcome.stderr.trim_end()
        )];
    }
    if let Some(name) = outcome.first_file().filter(|_| case.exit != 0) {
        return vec![format!("failed, and left {name} behind")];
    }
    let lost = case.outputs().into_iter().find(|name| !outcome.has(name));
    if let Some(name) = lost.filter(|_| case.exit == 0) {
        return vec![format!("did not write {name}")];
    }
    match outcome.text(case) {
        Ok(text) => check::fault(&case.checks, &text).into_iter().collect(),
        Err(error) => vec![error],
    }
}

/// Checks the rules for every module: it round-trips, and is valid according to `rules`.
fn module_faults(rules: Rules, name: &str, words: &[u32]) -> Vec<String> {
    let identity = identity::check(words).err();
    let invalid = shader::validate_by(rules, words).err();
    let faults = identity.into_iter().chain(invalid.map(|error| format!("spirv-val: {error}")));
    faults.map(|fault| format!("{name}: {fault}")).collect()
}

/// Checks that modules with equal disassembly have equal words, so no change is invisible in the diff.
fn unchanged_fault(name: &str, input: &[u32], output: &[u32]) -> Option<String> {
    let same_text = match (shader::disassemble(input), shader::disassemble(output)) {
        (Ok(before), Ok(after)) => before == after,
        (Err(error), _) | (_, Err(error)) => return Some(format!("{name}: {error}")),
    };
    (same_text && input != output)
        .then(|| format!("{name} has the same disassembly as the input, but other words"))
}

/// Checks that unknown instructions in the input change the result only by these instructions.
fn sprinkled_faults(case: &Case, plain: &Outcome, sprinkled: &Outcome) -> Vec<String> {
    let mut faults = Vec::new();
    if sprinkled.exit != plain.exit {
        faults.push(format!("ended with {:?}, not {:?}", sprinkled.exit, plain.exit));
    } else if plain.modules.is_empty() {
        match sprinkled.text(case) {
            Ok(text) => faults.extend(check::fault(&case.checks, &text)),
            Err(error) => faults.push(error),
        }
    }
    for (name, words) in &plain.modules {
        let other = sprinkled.module(name).map(sprinkle::strip);
        if sprinkled.exit == plain.exit && other.as_ref() != Some(words) {
            faults.push(format!("{name} differs in more than the unknown instructions"));
        }
    }
    let place = |fault| format!("with unknown instructions in the input: {fault}");
    faults.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests;
