//! Settings for the whole run, independent of the verb: how errors and notes are printed to standard error.

use clap::{ColorChoice, ValueEnum};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// The format of errors on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ErrorFormat {
    Text,
    Json,
}

/// The user's options for the output to standard error.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) errors: ErrorFormat,
    pub(crate) color: ColorChoice,
    pub(crate) quiet: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

impl Settings {
    /// Reads the settings from the arguments before clap parses the arguments, because errors in the arguments are
    /// printed with these settings. Response files are not read.
    pub(crate) fn of_words(words: impl Iterator<Item = OsString>) -> Self {
        let words: Vec<OsString> = words.take_while(|word| word != "--").collect();
        Self {
            errors: value(&words, "--error-format").unwrap_or(ErrorFormat::Text),
            color: value(&words, "--color").unwrap_or(ColorChoice::Auto),
            quiet: false,
        }
    }

    /// Makes these settings the settings of the process.
    pub(crate) fn hold(self) {
        // A batch runs each shader through this function too, but the settings of the batch apply.
        let _ = SETTINGS.set(self);
    }
}

/// Returns the value of the last occurrence of an option that has a valid value.
fn value<T: ValueEnum>(words: &[OsString], option: &str) -> Option<T> {
    let mut values = words.iter().enumerate().filter_map(|(at, word)| {
        let rest = word.to_str()?.strip_prefix(option)?;
        let value =
            if rest.is_empty() { words.get(at + 1)?.to_str() } else { rest.strip_prefix('=') };
        T::from_str(value?, false).ok()
    });
    values.next_back()
}

pub(crate) fn errors() -> ErrorFormat {
    SETTINGS.get().map_or(ErrorFormat::Text, |settings| settings.errors)
}

/// Whether only errors and requested output are printed.
pub(crate) fn is_quiet() -> bool {
    SETTINGS.get().is_some_and(|settings| settings.quiet)
}

/// Whether the options suggest that a person reads standard error.
pub(crate) fn is_for_people() -> bool {
    SETTINGS.get().is_some() && !is_quiet() && errors() == ErrorFormat::Text
}

/// Whether standard error is coloured.
pub(crate) fn is_coloured() -> bool {
    let asked = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match SETTINGS.get().map_or(ColorChoice::Auto, |settings| settings.color) {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            std::io::stderr().is_terminal() && !is_dumb && !asked("NO_COLOR")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Settings {
        Settings::of_words(line.split(' ').map(OsString::from))
    }

    #[test]
    fn the_last_value_counts_and_none_behind_two_dashes() {
        let settings = of("polyshade --color=always info a --color never --error-format json");
        assert_eq!(settings.color, ColorChoice::Never);
        assert_eq!(settings.errors, ErrorFormat::Json);
        let settings = of("polyshade info --color nonsense -- --color always");
        assert_eq!((settings.color, settings.errors), (ColorChoice::Auto, ErrorFormat::Text));
    }
}
