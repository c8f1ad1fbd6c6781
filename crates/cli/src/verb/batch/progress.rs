//! Shows the progress of a batch on standard error: a bar on a terminal, and otherwise a line from time to time.

use super::entry::{Entry, Source};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) struct Progress {
    shown: Shown,
    all: usize,
    done: AtomicUsize,
    reused: AtomicUsize,
    refused: AtomicUsize,
}

enum Shown {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    pub(super) fn new(all: usize, quiet: bool) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if std::io::stderr().is_terminal() {
            let form = "{bar:32} {pos} of {len} shaders, {eta} to go{msg}";
            let style = ProgressStyle::with_template(form).expect("the form is right");
            Shown::Bar(ProgressBar::new(all as u64).with_style(style))
        } else {
            Shown::Lines
        };
        let none = || AtomicUsize::new(0);
        Self { shown, all, done: none(), reused: none(), refused: none() }
    }

    pub(super) fn done(&self, entry: &Entry, source: Source) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        match source {
            Source::Made => {}
            Source::Folder => drop(self.reused.fetch_add(1, Ordering::Relaxed)),
        }
        let failed = entry.status.is_failure();
        let refused = self.refused.fetch_add(usize::from(failed), Ordering::Relaxed);
        match &self.shown {
            Shown::Bar(bar) => {
                bar.inc(1);
                if failed {
                    bar.set_message(format!(", {} failed", refused + 1));
                }
            }
            Shown::Lines if is_step(done, self.all) => {
                eprintln!("polyshade: {done} of {} shaders", self.all);
            }
            Shown::Lines | Shown::Nothing => {}
        }
    }

    /// Prints at the end how many results were reused.
    pub(super) fn finish(&self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
        let reused = self.reused.load(Ordering::Relaxed);
        if reused > 0 && !matches!(self.shown, Shown::Nothing) {
            eprintln!("polyshade: {reused} of {} shaders were done already", self.all);
        }
    }
}

/// The number of progress lines that a batch prints.
const STEPS: usize = 10;

/// Whether another tenth of the shaders has been finished.
fn is_step(done: usize, all: usize) -> bool {
    all >= STEPS && done * STEPS / all != (done - 1) * STEPS / all
}
