//! Dependency files: a Make rule that lists the outputs of the program and the files that were read to make them.

use crate::code;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Outputs;
use clap::Args;
use std::path::{Path, PathBuf};

/// The help heading of the options in this file and in `writing`.
pub(crate) const WRITING: &str = "Writing";

/// The arguments of every verb that writes files.
#[derive(Args)]
pub(crate) struct Build {
    /// Write a Make rule to this file: the outputs depend on the files that were read to make them
    #[arg(help_heading = WRITING, long, value_name = "FILE")]
    depfile: Option<PathBuf>,

    /// Keep an output file and its modification time if its contents would not change (for ninja's restat)
    #[arg(help_heading = WRITING, long)]
    keep_unchanged: bool,
}

impl Build {
    /// Whether the options suggest that a build system runs the program.
    pub(crate) fn is_asked(&self) -> bool {
        self.depfile.is_some() || self.keep_unchanged
    }

    /// Adds the depfile to `outputs`, which must contain all outputs made from `input`.
    pub(crate) fn apply(&self, input: &Input, outputs: &mut Outputs) -> Result<(), Failure> {
        if self.keep_unchanged {
            outputs.keep_unchanged();
        }
        let Some(file) = &self.depfile else { return Ok(()) };
        let inputs = input.files();
        let rule = rule(outputs.names(), inputs.iter().map(PathBuf::as_path))?;
        outputs.add(file, rule.into_bytes())
    }
}

/// Returns the rule `targets: inputs`, as compilers write it for `-MF`.
///
/// # Errors
///
/// Fails for names that Make or ninja would parse differently, because the build would then depend on another file.
pub(crate) fn rule<'a>(
    targets: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<String, Failure> {
    let names = |paths: &mut dyn Iterator<Item = &'a Path>| {
        paths.map(escape).collect::<Result<Vec<_>, _>>().map(|names| names.join(" \\\n  "))
    };
    let targets = names(&mut targets.into_iter())?;
    let inputs = names(&mut inputs.into_iter())?;
    if targets.is_empty() {
        let failure = Failure::usage("cannot write the depfile: no output is a file");
        return Err(failure.help("name an output that is a file"));
    }
    if inputs.is_empty() {
        return Ok(format!("{targets}:\n"));
    }
    Ok(format!("{targets}: \\\n  {inputs}\n"))
}

/// Characters that have a meaning in rules and cannot be escaped in a way that Make and ninja both accept.
const NOT_IN_RULES: [char; 7] = [';', '|', '=', '%', '*', '?', '['];

fn escape(path: &Path) -> Result<String, Failure> {
    let refused = || {
        let message = format!("{}: a depfile cannot name this file", path.display());
        Failure::new(&code::CLI_FILE_NAME, message)
            .help("Make gives line feeds, ; | = % * ? [ and a leading tilde a special meaning; names must be UTF-8")
    };
    // Make expands a leading tilde to a home folder.
    let name = path.to_str().filter(|name| !name.starts_with('~')).ok_or_else(refused)?;
    let mut escaped = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '#' | ':' => escaped.extend(['\\', letter]),
            '$' => escaped.push_str("$$"),
            '\\' if matches!(letters.peek(), None | Some(' ' | '#' | ':' | '\\')) => {
                return Err(refused());
            }
            _ if letter.is_control() || NOT_IN_RULES.contains(&letter) => return Err(refused()),
            _ => escaped.push(letter),
        }
    }
    Ok(escaped)
}

#[cfg(test)]
mod tests {
    use super::rule;
    use std::path::Path;

    #[test]
    fn names_that_make_takes_for_something_else_are_refused() {
        for name in ["a\nb", "a;b", "a=b", "a%", "a*", "a\tb", "a\\ b", "a\\", "~a"] {
            assert!(rule([Path::new("out")], [Path::new(name)]).is_err(), "{name:?}");
        }
        assert!(rule([], [Path::new("a")]).is_err());
    }
}
