//! Errors, and the ways to show them to the user.

use crate::code;
use crate::printable::printable;
use crate::settings::{self, ErrorFormat};
use clap::builder::styling::{AnsiColor, Style};
use polyshade::spv::{Code, Id, Inst, Op, Step};
use polyshade::{Error, ErrorKind, Module};
use serde_json::{Value, json};
use std::fmt::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// The exit codes that `--help` lists. The code of an error determines the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Failed = 1,
    Usage = 2,
    Unsupported = 3,
    /// The module has no entry point in a stage to which the verb applies.
    OtherStage = 4,
    /// The user interrupted the run. As in shells, the code is 128 plus the number of the signal.
    Interrupted = 130,
}

impl Exit {
    pub(crate) const ALL: [Self; 5] =
        [Self::Failed, Self::Usage, Self::Unsupported, Self::OtherStage, Self::Interrupted];

    pub(crate) fn of(code: &Code) -> Self {
        if *code == code::CLI_OTHER_STAGE {
            return Self::OtherStage;
        }
        if *code == code::CLI_INTERRUPTED {
            return Self::Interrupted;
        }
        match code.kind() {
            ErrorKind::Malformed | ErrorKind::Limit | ErrorKind::NotFound | ErrorKind::Failed => {
                Self::Failed
            }
            ErrorKind::Options => Self::Usage,
            ErrorKind::Unsupported => Self::Unsupported,
        }
    }

    /// Returns the name of the exit code in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Unsupported => "unsupported",
            Self::OtherStage => "other stage",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Version of the JSON form of errors, which increases when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// An error with its code, and with the instruction that it refers to, if any.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static Code,
    message: String,
    instruction: Option<String>,
    help: Option<String>,
    /// The step of a recipe that failed.
    step: Option<Step>,
}

impl Failure {
    pub(crate) fn new(code: &'static Code, message: impl Into<String>) -> Self {
        let message = printable(&message.into());
        Self { code, message, instruction: None, help: None, step: None }
    }

    /// Makes the failure for a command line that is not valid.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(&code::CLI_USAGE, message)
    }

    /// Makes the failure for a file or folder that cannot be read or written.
    pub(crate) fn file(path: &Path, why: impl fmt::Display) -> Self {
        Self::at(&code::CLI_FILE, path, why)
    }

    /// Converts an error that clap found in the command line.
    pub(crate) fn of_words(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        // The paragraphs that clap adds after the first one are help.
        let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.trim_start_matches("error:").trim();
        Self::usage(message).help(help.trim())
    }

    /// Returns the error for an operation on a file or folder that failed.
    pub(crate) fn at(code: &'static Code, path: &Path, why: impl fmt::Display) -> Self {
        Self::new(code, format!("{}: {why}", path.display()))
    }

    /// Fails and names the first given option that has no effect, because the user expects an effect.
    pub(crate) fn of_unused(options: &[(&str, bool)], why: &str) -> Result<(), Self> {
        match options.iter().find(|(_, is_unused)| *is_unused) {
            Some((name, _)) => Err(Self::usage(format!("{name} has no meaning {why}"))),
            None => Ok(()),
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the error for a build without the feature that the operation `doing` needs.
    pub(crate) fn left_out(doing: &str, feature: &str) -> Self {
        let message = format!("{doing} needs the feature `{feature}`");
        let help = format!(
            "this build lacks it: build polyshade-cli with `--features {feature}`, or `--features full` for all"
        );
        Self::new(&code::CLI_FEATURE_MISSING, message).help(help)
    }

    /// Converts an error of the operation `doing`, which reads or writes a shader at `place`.
    pub(crate) fn of_format(error: polyshade_formats::Error, place: &str, doing: &str) -> Self {
        use polyshade_formats::Error::{Crashed, Faulty, LeftOut, Options, PointSize, Unsupported};
        use polyshade_formats::Feature;
        let code = error.code();
        match error {
            LeftOut(feature) => {
                let failure = Self::left_out(&format!("{place}: {doing}"), feature.name());
                if feature == Feature::Tools { failure.help(WITHOUT_TOOLS) } else { failure }
            }
            // Compilers put the place, with the line number, into the message themselves.
            Faulty(text) if text.starts_with(&format!("{place}:")) => Self::new(code, text),
            Faulty(text) | Options(text) => Self::new(code, format!("{place}: {text}")),
            Unsupported(text) | PointSize(text) | Crashed(text) => {
                Self::new(code, format!("{place}: {doing}: {text}"))
            }
        }
    }

    /// Converts an error of the library about `module`; `module` is `None` if it could not be parsed.
    pub(crate) fn of(error: &Error, module: Option<&Module<'_>>) -> Self {
        let instruction = module.and_then(|module| {
            let at =
                error.word_offset().or_else(|| module.definition(error.id()?).map(Inst::at))?;
            let inst = module.instructions().find(|inst| inst.at() == at)?;
            Some(print(module, inst))
        });
        let help = error.suggestion().map(printable);
        let instruction = instruction.map(|instruction| printable(&instruction));
        let step = error.step();
        Self { instruction, help, step, ..Self::new(error.code(), error.to_string()) }
    }

    /// Adds the name of the shader to the message.
    pub(crate) fn named(self, shader: &str) -> Self {
        Self { message: printable(&format!("{shader}: {}", self.message)), ..self }
    }

    pub(crate) fn code(&self) -> &'static Code {
        self.code
    }

    pub(crate) fn exit(&self) -> Exit {
        Exit::of(self.code)
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the advice for the user.
    pub(crate) fn suggestion(&self) -> Option<&str> {
        self.help.as_deref()
    }

    pub(crate) fn step(&self) -> Option<Step> {
        self.step
    }

    pub(crate) fn instruction(&self) -> Option<&str> {
        self.instruction.as_deref()
    }

    /// Prints the error, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match settings::errors() {
            ErrorFormat::Text => self.print_text(),
            ErrorFormat::Json => eprintln!("{}", self.to_json()),
        }
        ExitCode::from(self.exit() as u8)
    }

    /// Returns the failure as `--error-format json` prints it.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "version": VERSION,
            "severity": "error",
            "code": self.code.name(),
            "exit_code": self.exit() as u8,
            "kind": self.exit().name(),
            "message": self.message,
            "instruction": self.instruction,
            "help": self.help,
        })
    }

    fn print_text(&self) {
        let is_coloured = settings::is_coloured();
        let style = |color: AnsiColor| match is_coloured {
            true => color.on_default().bold(),
            false => Style::new(),
        };
        let (error, help) = (style(AnsiColor::Red), style(AnsiColor::Cyan));
        let mut text = format!("{error}error[{}]:{error:#} {self}\n", self.code);
        if let Some(suggestion) = &self.help {
            let _ = writeln!(text, "{help}help:{help:#} {suggestion}");
        }
        eprint!("{text}");
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.instruction {
            Some(instruction) => write!(f, "\n{instruction}"),
            None => Ok(()),
        }
    }
}

/// Formats an instruction as assembly, with its literals as numbers.
fn print(module: &Module<'_>, inst: Inst<'_>) -> String {
    let mut text = format!("{:#x}: ", inst.at());
    if let Some(result) = inst.result() {
        let _ = write!(text, "{} = ", name(module, result));
    }
    match spirv::Op::from_u32(u32::from(inst.op().0)) {
        Some(op) => {
            let _ = write!(text, "Op{op:?}");
        }
        None => {
            let Op(number) = inst.op();
            let _ = write!(text, "unknown opcode {number}");
        }
    }
    // Print the operands. Ids get their names, except the result, which is printed already.
    let mut ids = Vec::new();
    module.for_each_operand(inst, |operand, id, _| ids.push((operand.at(), id)));
    let result_word = inst.result().map(|_| if inst.result_type().is_some() { 2 } else { 1 });
    for (i, word) in inst
        .words()
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(i, _)| Some(*i) != result_word)
        .take(MOST_WORDS)
    {
        let at = inst.at() + i as u32;
        let _ = match ids.iter().find(|(other, _)| *other == at) {
            Some((_, id)) => write!(text, " {}", name(module, *id)),
            None => write!(text, " {word}"),
        };
    }
    if inst.words().len() > MOST_WORDS + 1 {
        text.push_str(" …");
    }
    text
}

/// The advice when SPIRV-Tools is neither built in nor installed.
const WITHOUT_TOOLS: &str = "this build lacks it: build polyshade-cli with `--features tools`, or install the \
    programs of SPIRV-Tools (Debian's `spirv-tools`), which are used instead";

/// The number of words after which a printed instruction is truncated.
const MOST_WORDS: usize = 16;

fn name(module: &Module<'_>, id: Id) -> String {
    match module.name(id) {
        Some(name) => format!("%{name}"),
        None => id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polyshade_formats::{Error::LeftOut, Feature};

    #[test]
    fn what_a_build_lacks_is_unsupported_and_told_by_the_name_of_its_feature() {
        let failure = Failure::of_format(LeftOut(Feature::Tools), "a.spvasm", "reading assembly");
        assert_eq!(failure.exit(), Exit::Unsupported);
        assert_eq!(failure.message(), "a.spvasm: reading assembly needs the feature `tools`");
        assert!(failure.help.is_some_and(|help| help.contains("--features tools")));
    }
}
