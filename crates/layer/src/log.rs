//! The layer's log: one line a message, to the standard error (on Android, the system's log) or to a file.

use crate::names::name_of;
use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Nothing.
    Off,
    /// What does not work.
    Error,
    /// And what may not be as it was meant.
    #[default]
    Warning,
    /// And what the layer does on which device.
    Info,
    /// And what it makes of single objects.
    Debug,
}

impl Level {
    /// All of them, by their names in settings.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("off", Self::Off),
        ("error", Self::Error),
        ("warning", Self::Warning),
        ("info", Self::Info),
        ("debug", Self::Debug),
    ];

    fn name(self) -> &'static str {
        name_of(&Self::NAMES, &self)
    }
}

/// The destination of log lines, and the level.
#[derive(Debug)]
pub(crate) struct Log {
    level: Level,
    file: Option<Mutex<File>>,
    /// Errors that were logged: an application makes the same one with each frame.
    errors: Mutex<HashSet<String>>,
}

/// The most errors that are remembered; further ones are logged each time.
const MOST_ERRORS: usize = 1000;

impl Log {
    /// A log that appends to the file, or where it cannot be opened writes to the standard error and says why.
    pub(crate) fn new(level: Level, path: Option<&Path>) -> Self {
        let open = |path: &Path| OpenOptions::new().create(true).append(true).open(path);
        match path.map(|path| (path, open(path))) {
            Some((_, Ok(file))) => {
                Self { level, file: Some(Mutex::new(file)), errors: Mutex::default() }
            }
            Some((path, Err(why))) => {
                let log = Self { level, file: None, errors: Mutex::default() };
                log.say(Level::Error, format_args!("setting log_file: {}: {why}", path.display()));
                log
            }
            None => Self { level, file: None, errors: Mutex::default() },
        }
    }

    /// Writes a message if its level is enabled; the same error only once.
    pub(crate) fn say(&self, level: Level, what: fmt::Arguments<'_>) {
        if level > self.level {
            return;
        }
        // One call of the system a line: other processes may append to the same file.
        let line = format!("polyshade-layer: {}: {what}\n", level.name());
        if level == Level::Error {
            let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
            if errors.contains(&line) {
                return;
            }
            if errors.len() < MOST_ERRORS {
                errors.insert(line.clone());
            }
        }
        let written = match &self.file {
            Some(file) => {
                file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
            }
            #[cfg(target_os = "android")]
            None => {
                // `android_LogPriority`.
                let priority = match level {
                    Level::Off | Level::Error => 6,
                    Level::Warning => 5,
                    Level::Info => 4,
                    Level::Debug => 3,
                };
                crate::system::say(priority, &line);
                Ok(())
            }
            #[cfg(not(target_os = "android"))]
            None => std::io::stderr().write_all(line.as_bytes()),
        };
        // There is nowhere else to log.
        drop(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_to_the_file_as_far_as_the_level_goes() {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let path = folder.path().join("log");
        let log = Log::new(Level::Warning, Some(&path));
        log.say(Level::Error, format_args!("{}", 1));
        log.say(Level::Error, format_args!("1"));
        log.say(Level::Warning, format_args!("two"));
        log.say(Level::Info, format_args!("three"));
        let text = std::fs::read_to_string(path).expect("the log was made");
        assert_eq!(text, "polyshade-layer: error: 1\npolyshade-layer: warning: two\n");
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_no_reason_to_fail() {
        let log = Log::new(Level::Off, Some(Path::new("/nowhere/at/all")));
        assert!(log.file.is_none());
    }
}
