//! Joins the reports of all shards into the report of a single machine.

use super::entry::Entry;
use super::shard::{Part, Shard, names_hash};
use super::summary::{self, Head};
use crate::code;
use crate::failure::Failure;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    shaders: Vec<Entry>,
    shard: Option<Part>,
}

/// A report that has been checked to belong to a shard.
struct Read<'a> {
    file: &'a Path,
    head: Head,
    entries: Vec<Entry>,
    part: Part,
}

/// Returns the header and the shaders of the joined report, sorted by name. Rejects reports of different batches.
pub(super) fn joined(files: &[PathBuf]) -> Result<(Head, Vec<Entry>), Failure> {
    // All reports must belong to the same batch.
    let mut reports: BTreeMap<u32, Read<'_>> = BTreeMap::new();
    for file in files {
        let report = read(file)?;
        if let Some(first) = reports.values().next() {
            refuse_other(&report, first)?;
        }
        if let Some(other) = reports.get(&report.part.index()) {
            let message = format!(
                "this is the report of {}, as is {}",
                report.part.shard,
                other.file.display()
            );
            return Err(refused(file, message));
        }
        reports.insert(report.part.index(), report);
    }
    // Every shard must have a report.
    let Some(part) = reports.values().next().map(|report| report.part.clone()) else {
        return Err(Failure::usage("no report to merge is named"));
    };
    if let Some(index) = (1..=part.of()).find(|index| !reports.contains_key(index)) {
        let missing = part.of() as usize - reports.len();
        let more = if missing > 1 { format!(", and {} more", missing - 1) } else { String::new() };
        let message = format!("the report of shard {index} of {} is missing{more}", part.of());
        return Err(Failure::usage(message));
    }

    // The reports together must contain exactly the shaders of the batch.
    let mut reports: Vec<Read<'_>> = reports.into_values().collect();
    let mut entries: Vec<Entry> =
        reports.iter_mut().flat_map(|report| std::mem::take(&mut report.entries)).collect();
    entries.sort_by(|a, b| a.shader.cmp(&b.shader));
    let names = entries.iter().map(|entry| entry.shader.as_str());
    if entries.len() != part.whole.shaders || names_hash(names) != part.whole.names {
        return Err(Failure::usage(format!(
            "the reports cover {} of {} shaders: a report was edited, or the machines had \
             different shaders",
            entries.len(),
            part.whole.shaders
        )));
    }
    Ok((reports.swap_remove(0).head, entries))
}

fn refused(file: &Path, message: impl std::fmt::Display) -> Failure {
    Failure::at(&code::CLI_USAGE, file, message)
}

fn read(file: &Path) -> Result<Read<'_>, Failure> {
    let not_ours = |error| refused(file, format!("this is not a batch report: {error}"));
    let bytes = fs::read(file).map_err(|error| refused(file, error))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(not_ours)?;
    let (version, ours) = (&value["version"], summary::VERSION);
    if version.is_u64() && *version != ours {
        let message =
            format!("this report has version {version}, but only version {ours} can be merged");
        return Err(refused(file, message));
    }
    let report: Report = serde_json::from_value(value).map_err(not_ours)?;
    let whole = || refused(file, "this is the report of a whole batch, not of a shard");
    let part = report.shard.ok_or_else(whole)?;
    Ok(Read { file, head: report.head, entries: report.shaders, part })
}

/// Rejects a report if it does not belong to the same batch as the first report.
fn refuse_other(report: &Read<'_>, first: &Read<'_>) -> Result<(), Failure> {
    let (own, other) = (&report.part, &first.part);
    let file = first.file.display();
    let message = if own.of() != other.of() {
        let count = |shard: Shard| shard.to_string();
        format!("this is {}, and {file} is {}", count(own.shard), count(other.shard))
    } else if report.head.program != first.head.program {
        format!("another version of the program or of a lowering wrote {file}")
    } else if report.head.verb != first.head.verb {
        format!("the verb is `{}`, but that of {file} is `{}`", report.head.verb, first.head.verb)
    } else if report.head.options != first.head.options {
        format!("the options differ from those of {file}")
    } else if own.whole.command != other.whole.command {
        format!("the files that the options name, or the devices, differ from those of {file}")
    } else if own.whole != other.whole {
        format!("the shaders in the folder differ from those of {file}")
    } else {
        return Ok(());
    };
    Err(refused(report.file, message))
}
