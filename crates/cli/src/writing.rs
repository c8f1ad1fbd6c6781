//! Writes a verb's results: modules, a report, or a difference.

use crate::Done;
use crate::bound::Bound;
use crate::depfile::{Build, WRITING};
use crate::format::Formats;
use crate::input::Input;
use crate::note;
use crate::output::{Modules, Outputs, print_text};
use crate::report::Report;
use clap::Args;
use std::path::{Path, PathBuf};

/// Options for the destinations of results.
#[derive(Args)]
pub(crate) struct Writing {
    /// Output file of the shader; `-` is standard output [default: standard output]
    #[arg(help_heading = WRITING, short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write a report to this file, as JSON: the result, the host parameters and the requirements
    #[arg(help_heading = WRITING, long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print the report to standard output; the module must be written to a file (-o)
    #[arg(help_heading = WRITING, long)]
    json: bool,

    /// Write no module; print the report as text
    #[arg(help_heading = WRITING, long, conflicts_with_all = ["output", "depfile"])]
    dry_run: bool,

    #[command(flatten)]
    build: Build,

    /// Print the difference of the disassembled modules to standard output; the module must be written to a file (-o)
    #[arg(help_heading = WRITING)]
    #[arg(long, requires = "output", conflicts_with_all = ["json", "dry_run"])]
    diff: bool,

    #[command(flatten)]
    formats: Formats,
}

/// An additional module that a verb writes, with its file.
pub(crate) type Beside<'w> = (&'w Path, &'w [u32]);

impl Writing {
    /// Rejects options for formats in which neither this output nor any file of `beside` is written.
    pub(crate) fn check<'p>(&'p self, beside: impl Iterator<Item = &'p Path>) -> Done {
        let output = (!self.dry_run).then(|| self.output());
        self.formats.check(beside.chain(output))
    }

    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    pub(crate) fn wants_report(&self) -> bool {
        self.dry_run || self.json || self.report.is_some()
    }

    fn output(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new("-"))
    }

    /// Prints or writes only the report.
    pub(crate) fn preview(&self, input: &Input, report: &Report) -> Done {
        let json = report.to_json(&Bound::default());
        if let Some(file) = &self.report {
            let mut outputs =
                Outputs::of(Modules { formats: self.formats.clone(), ..Modules::default() });
            outputs.made_of(input.files());
            outputs.add(file, json.clone().into_bytes())?;
            outputs.write()?;
        }
        print_text(&if self.json { json } else { report.to_text() })
    }

    /// Writes the module `words`, which was rewritten from `before`, with the additional modules and the report, or
    /// only prints.
    pub(crate) fn finish(
        &self,
        input: &Input,
        report: &Report,
        (before, words): (&[u32], &[u32]),
        beside: &[Beside<'_>],
    ) -> Done {
        if self.dry_run {
            return self.preview(input, report);
        }
        self.formats.check_destinations(self.output(), report.requirements())?;
        let mut outputs = Outputs::of(Modules {
            formats: self.formats.clone(),
            entry: Some(report.entry()),
            validate: input.validate,
            target_env: input.target_env.clone(),
        });
        outputs.made_of(input.files());
        for (file, words) in beside {
            outputs.add_module(file, words)?;
        }
        outputs.add_module(self.output(), words)?;
        if self.diff {
            outputs.add_diff(before, words)?;
        }
        let json = report.to_json(outputs.bound());
        if let Some(file) = &self.report {
            outputs.add(file, json.clone().into_bytes())?;
        }
        if self.json {
            outputs.add(Path::new("-"), format!("{json}\n").into_bytes())?;
        }
        self.build.apply(input, &mut outputs)?;
        outputs.write()?;
        // Print no note if a report was requested or a build system runs the program: no person would read it.
        if !(self.wants_report() || self.build.is_asked() || self.output() == Path::new("-")) {
            let files = beside.iter().map(|(file, _)| *file);
            let files: Vec<&Path> = std::iter::once(self.output()).chain(files).collect();
            note::tell(&files, report);
        }
        Ok(())
    }
}
