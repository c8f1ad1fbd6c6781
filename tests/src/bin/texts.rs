//! Prints which texts of the lowered shaders in some folders read back, and which do not.
//!
//! Each shader is checked in a separate process, because a failed assertion in glslang aborts the process. After an
//! abort, each format is checked in a separate process. If the original aborts it, the format counts as not readable.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use polyshade_tests::texts::{Format, Tally, check, try_original};
use polyshade_tests::{shader, tree};
use serde::{Deserialize, Serialize};

/// The environment variable with the task of a shader's process.
const VARIABLE: &str = "POLYSHADE_TEXTS";

/// The task of a process.
#[derive(Serialize, Deserialize)]
enum Task {
    /// Checks the original and all variants in these formats.
    Check(Vec<Format>),
    /// Checks only the original.
    Original(Format),
}

#[derive(Default, Serialize, Deserialize)]
struct Report {
    tally: Tally,
    faults: Vec<String>,
}

fn main() -> ExitCode {
    if let Ok(task) = env::var(VARIABLE) {
        return serve(&task);
    }
    let (mut tally, mut faults) = (Tally::default(), BTreeMap::<String, (usize, String)>::new());
    for path in tree::named().iter().flat_map(|folder| tree::files(folder)) {
        let report = match report(&path) {
            Ok(report) => report,
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        };
        tally.merge(&report.tally);
        for fault in report.faults {
            let one = faults.entry(fault).or_insert_with(|| (0, path.display().to_string()));
            one.0 += 1;
        }
    }
    println!("{}", tally.table());
    faults.iter().for_each(|(fault, (count, path))| eprintln!("{count} {path}: {fault}"));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the reports of the processes for the shader at `path`.
fn report(path: &Path) -> io::Result<Report> {
    if let Some(report) = ask(path, &Task::Check(Format::ALL.into()))? {
        return Ok(report);
    }
    let mut all = Report::default();
    for format in Format::ALL {
        if ask(path, &Task::Original(format))?.is_none() {
            continue;
        }
        match ask(path, &Task::Check(vec![format]))? {
            Some(report) => {
                all.tally.merge(&report.tally);
                all.faults.extend(report.faults);
            }
            None => all
                .faults
                .push(format!("{format:?}: the process ended while it checked a variant's text")),
        }
    }
    Ok(all)
}

/// Returns the report of one process, or `None` if the process ends without a report.
fn ask(path: &Path, task: &Task) -> io::Result<Option<Report>> {
    let task = serde_json::to_string(task)?;
    let mut command = Command::new(env::current_exe()?);
    command.env(VARIABLE, task).arg(path).stderr(Stdio::null());
    let output = command.output()?;
    // Libraries may print other lines.
    let last = output.stdout.rsplit(|byte| *byte == b'\n').nth(1).unwrap_or_default();
    Ok(output.status.success().then(|| serde_json::from_slice(last)).transpose()?)
}

/// Executes the task on the shader that the arguments name, and prints its report as a line.
fn serve(task: &str) -> ExitCode {
    let (Ok(task), Some(path)) = (serde_json::from_str(task), env::args_os().nth(1)) else {
        return ExitCode::FAILURE;
    };
    let mut report = Report::default();
    // A file that is not a shader has no texts.
    if let Ok(words) = shader::read(Path::new(&path)) {
        match task {
            Task::Check(formats) => {
                report.faults = check(&words, &formats, &mut report.tally);
            }
            Task::Original(format) => try_original(&words, format),
        }
    }
    match serde_json::to_string(&report) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(_) => ExitCode::FAILURE,
    }
}
