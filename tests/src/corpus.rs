//! Tries every lowering on every module of a supported stage. The lowering must succeed, or be refused with a reason.
//! Modules that `spirv-val` accepts must stay valid, and nothing may panic. [`cost`](crate::cost) counts
//! instructions.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use polyshade::host::{SideEffects, Target};
use polyshade::transform_feedback::{self, Options, Variant, Varying};
use polyshade::{Error, Module};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{ExecutionMode, ExecutionModel};

use polyshade_testing::{Choices, LOWERINGS};

use crate::{assembly, shader};

/// The prefix of an outcome without a lowered module.
const REFUSED: &str = "refused: ";

/// The number of entry points, by verb and outcome.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub struct Tally(BTreeMap<(&'static str, String), usize>);

impl Tally {
    /// Adds 1 to the count of an outcome.
    pub fn add(&mut self, verb: &'static str, outcome: impl Into<String>) {
        *self.0.entry((verb, outcome.into())).or_default() += 1;
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Tally) {
        for (key, count) in &other.0 {
            *self.0.entry(key.clone()).or_default() += count;
        }
    }

    /// Formats a Markdown table, with one row for each verb.
    pub fn table(&self) -> String {
        let mut verbs: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for ((verb, outcome), count) in &self.0 {
            let is_refused = outcome.starts_with(REFUSED);
            verbs.entry(verb).or_default()[usize::from(is_refused)] += count;
        }
        let mut table = "| Verb | Entry points lowered | refused |\n|---|---|---|\n".to_owned();
        for (verb, [lowered, refused]) in verbs {
            let _ = writeln!(table, "| `{verb}` | {lowered} | {refused} |");
        }
        table
    }

    /// Formats a Markdown table, with one row for each outcome.
    pub fn outcomes(&self) -> String {
        let mut table = "| Verb | Outcome | Entry points |\n|---|---|---|\n".to_owned();
        for ((verb, outcome), count) in &self.0 {
            let _ = writeln!(table, "| `{verb}` | {outcome} | {count} |");
        }
        table
    }
}

/// Tries all lowerings on the module at `path`, counts the outcomes, and returns the faults: panics, and modules
/// that were valid and are invalid after lowering.
pub fn check(path: &Path, tally: &mut Tally) -> Vec<String> {
    let faults = match shader::read(path) {
        Ok(words) => check_words(&words, tally),
        Err(error) => vec![error],
    };
    faults.into_iter().map(|fault| format!("{}: {fault}", path.display())).collect()
}

/// Tries all lowerings on a module's words, counts the outcomes, and returns the faults.
pub fn check_words(words: &[u32], tally: &mut Tally) -> Vec<String> {
    let checked = catch_unwind(AssertUnwindSafe(|| {
        let mut tally = Tally::default();
        let faults = check_module(words, &mut tally);
        (tally, faults)
    }));
    match checked {
        Ok((own, faults)) => {
            tally.merge(&own);
            faults
        }
        Err(_) => vec!["it panics".to_owned()],
    }
}

fn check_module(words: &[u32], tally: &mut Tally) -> Vec<String> {
    let module = match Module::parse(words) {
        Ok(module) => module,
        Err(error) => return vec![error.to_string()],
    };
    let was_valid = shader::validate(words).is_ok();
    let mut faults = assembly::check(words);
    for entry in module.entry_points() {
        for (verb, attempt) in attempts(&module, entry) {
            match attempt() {
                Ok((outcome, variants)) => {
                    tally.add(verb, outcome);
                    let checked = variants.iter().map(|words| shader::validate(words));
                    let fault = checked.filter_map(Result::err).find(|_| was_valid);
                    faults.extend(fault.map(|fault| format!("{verb}: invalid: {fault}")));
                }
                Err(error) => tally.add(verb, format!("{REFUSED}`{}`", error.code())),
            }
        }
    }
    faults
}

/// The outcome with the resulting variants, or the reason for the refusal.
type Attempt = Result<(&'static str, Vec<Vec<u32>>), Error>;

/// A function that makes an attempt.
type Try<'m> = Box<dyn Fn() -> Attempt + 'm>;

/// Returns the attempts for `entry`, by the verb's name.
pub(crate) fn attempts<'m>(
    module: &'m Module<'_>,
    entry: EntryPoint<'m>,
) -> Vec<(&'static str, Try<'m>)> {
    let mut attempts: Vec<(&'static str, Try<'m>)> = Vec::new();
    let has = |mode: ExecutionMode| module.mode(entry.function(), mode).is_some();
    if entry.model() == ExecutionModel::VERTEX {
        attempts.push(("capture, every output", Box::new(move || capture_all(module, entry))));
        if has(ExecutionMode::XFB) {
            let options = Options::new().decorated();
            let attempt = move || capture(module, entry, &options);
            attempts.push(("capture, as decorated", Box::new(attempt)));
        }
    }
    let others = LOWERINGS.iter().filter(|one| one.name != "capture" && one.takes(entry.model()));
    attempts.extend(others.map(|trial| {
        let attempt: Try<'_> = Box::new(move || {
            let variants = trial.attempt(module, entry, &mut Choices::plain());
            let words = variants?.into_iter().map(|(_, variant)| variant.into_words());
            Ok(("lowered", words.collect()))
        });
        (trial.name, attempt)
    }));
    attempts
}

/// Captures all outputs of `entry` that can be captured.
fn capture_all(module: &Module<'_>, entry: EntryPoint<'_>) -> Attempt {
    let outputs = transform_feedback::capturable(module, entry);
    if outputs.is_empty() {
        return Ok(("no outputs", Vec::new()));
    }
    if let Some(refused) = outputs.iter().find_map(|(_, components)| components.as_ref().err()) {
        return Err(refused.clone());
    }
    let varyings: Vec<Varying> = outputs.into_iter().map(|(varying, _)| varying).collect();
    capture(module, entry, &Options::new().interleaved(varyings))
}

/// Captures with these options. If that is refused, captures with side effects in the capture pass.
fn capture(module: &Module<'_>, entry: EntryPoint<'_>, options: &Options) -> Attempt {
    let target = Target::new(entry.name());
    let variants = |options: &Options| -> Result<Vec<Vec<u32>>, Error> {
        let capture = transform_feedback::prepare(module, &target, options)?;
        let variants = [Variant::CaptureOnly, Variant::RasterOnly, Variant::Both].into_iter();
        variants.map(|variant| Ok(capture.variant(variant)?.module.words().to_vec())).collect()
    };
    if let Ok(variants) = variants(options) {
        return Ok(("captured", variants));
    }
    let variants = variants(&options.clone().side_effects(SideEffects::InFirstPass))?;
    Ok(("captured, side effects in the capture pass", variants))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::{ShaderStage, compile};

    #[test]
    fn what_happens_is_counted() {
        let source =
            "#version 450\nlayout(location = 0) out vec2 v;\nvoid main() { v = vec2(1); }\n";
        let words = compile(source, ShaderStage::Vertex).unwrap();
        let mut tally = Tally::default();
        assert_eq!(check_module(&words, &mut tally), Vec::<String>::new());
        assert!(tally.table().contains("| `capture, every output` | 1 | 0 |"));
        assert!(tally.outcomes().contains("| `capture, every output` | captured | 1 |"));
    }
}
