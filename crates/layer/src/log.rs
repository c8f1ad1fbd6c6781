//! The layer's log: one line per message, to standard error (on Android, the system log) or to a file.

use crate::names::name_of;
use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The amount of logging. Each level includes the levels before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Nothing.
    Off,
    /// Operations that failed.
    Error,
    /// Operations that may not have the intended results.
    #[default]
    Warning,
    /// The layer's activity on each device.
    Info,
    /// The layer's changes to single objects.
    Debug,
}

impl Level {
    /// All levels, with their names in settings.
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

/// The destination of log lines, and the most detailed level that is logged.
#[derive(Debug)]
pub(crate) struct Log {
    level: Level,
    file: Option<Mutex<File>>,
    /// The errors that were logged, because an application may cause the same error in every frame.
    errors: Mutex<HashSet<String>>,
}

/// The maximum number of remembered errors; further errors are logged each time.
const MOST_ERRORS: usize = 1000;

impl Log {
    /// Creates a log that appends to the file. If the file cannot be opened, logs the reason and uses standard error.
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

    /// Writes a message if its level is enabled, but the same error only once.
    pub(crate) fn say(&self, level: Level, what: fmt::Arguments<'_>) {
        if level > self.level {
            return;
        }
        // One system call per line, because other processes may append to the same file.
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
        // An error of the log itself cannot be logged.
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
