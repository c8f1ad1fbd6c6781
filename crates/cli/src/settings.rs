//! What holds for a whole run of the program, whatever the verb: what is written to standard error, and how.

use clap::{ColorChoice, ValueEnum};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// How errors are written to standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ErrorFormat {
    Text,
    Json,
}

/// What the user says of standard error.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) errors: ErrorFormat,
    pub(crate) color: ColorChoice,
    pub(crate) quiet: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

impl Settings {
    /// The settings that the words of the command line say, before anything else is known of them: errors in the words
    /// are told by them, too. Those of response files are not looked at.
    pub(crate) fn of_words(words: impl Iterator<Item = OsString>) -> Self {
        let words: Vec<OsString> = words.take_while(|word| word != "--").collect();
        Self {
            errors: value(&words, "--error-format").unwrap_or(ErrorFormat::Text),
            color: value(&words, "--color").unwrap_or(ColorChoice::Auto),
            quiet: false,
        }
    }

    /// Holds from now on.
    pub(crate) fn hold(self) {
        // Shaders of a batch have no settings of their own.
        let _ = SETTINGS.set(self);
    }
}

/// The last value of an option that is one of the known ones.
fn value<T: ValueEnum>(words: &[OsString], option: &str) -> Option<T> {
    let mut values = words.iter().enumerate().filter_map(|(at, word)| {
        let rest = word.to_str()?.strip_prefix(option)?;
        let value =
            if rest.is_empty() { words.get(at + 1)?.to_str() } else { rest.strip_prefix('=') };
        T::from_str(value?, false).ok()
    });
    values.next_back()
}

/// How errors are written.
pub(crate) fn errors() -> ErrorFormat {
    SETTINGS.get().map_or(ErrorFormat::Text, |settings| settings.errors)
}

/// Whether only errors, and what was asked for, are to be said.
pub(crate) fn is_quiet() -> bool {
    SETTINGS.get().is_some_and(|settings| settings.quiet)
}

/// Whether a person reads standard error, as far as the options say.
pub(crate) fn is_for_people() -> bool {
    SETTINGS.get().is_some() && !is_quiet() && errors() == ErrorFormat::Text
}

/// Whether standard error is written in colours.
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
