//! Formats the results of a batch: a table, the report, and the run times.

use super::command::Command;
use super::entry::{Entry, Status};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Version of the report's structure, which increases when a field is removed or changes its meaning.
const VERSION: u32 = 3;

struct Group<'e> {
    shaders: usize,
    first: &'e Entry,
}

/// Groups the shaders by status and code, the most frequent code first.
fn groups(entries: &[Entry]) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<(Status, Option<&str>), Group<'_>> = BTreeMap::new();
    for entry in entries {
        let key = (entry.status, entry.code.as_deref());
        groups.entry(key).or_insert(Group { shaders: 0, first: entry }).shaders += 1;
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|group| (group.first.status, std::cmp::Reverse(group.shaders)));
    groups
}

pub(super) fn text(entries: &[Entry]) -> String {
    let mut text = String::new();
    let groups = groups(entries);
    if groups.is_empty() {
        return "the batch has no shaders".to_owned();
    }
    let _ = writeln!(text, "{:>7}  {:<11}  code, and the first such shader", "shaders", "status");
    for Group { shaders, first } in &groups {
        let status = first.status.name();
        let _ = match (&first.code, &first.message) {
            (Some(code), Some(message)) => {
                let line = message.lines().next().unwrap_or_default();
                writeln!(text, "{shaders:>7}  {status:<11}  {code} ({}: {line})", first.shader)
            }
            _ => writeln!(text, "{shaders:>7}  {status}"),
        };
    }
    let _ = write!(text, "{:>7}  in all", entries.len());
    text
}

/// Formats the report, which depends only on the shaders, the options and the program.
pub(super) fn report(command: &Command, entries: &[Entry]) -> Vec<u8> {
    let options = command.options.iter().map(|option| option.to_string_lossy());
    let lowerings = command.lowerings.iter();
    let lowerings: Vec<Value> =
        lowerings.map(|one| json!({ "lowering": one.name, "version": one.version })).collect();
    let program = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "lowerings": lowerings,
        "features": env!("POLYSHADE_FEATURES").split_terminator(',').collect::<Vec<_>>(),
    });
    let mut statuses: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        *statuses.entry(entry.status.name()).or_default() += 1;
    }
    let reasons: Vec<Value> = groups(entries)
        .into_iter()
        .filter(|group| group.first.code.is_some())
        .map(|Group { shaders, first }| {
            let Entry { shader, status, code, message, .. } = first;
            json!({
                "shaders": shaders,
                "status": status.name(),
                "code": code,
                "first": shader,
                "message": message,
            })
        })
        .collect();
    let shaders: Vec<Value> = entries
        .iter()
        .map(|entry| serde_json::to_value(entry.coded()).expect("all keys are strings"))
        .collect();
    pretty(&json!({
        "version": VERSION,
        "program": program,
        "verb": command.verb,
        "options": options.collect::<Vec<_>>(),
        "statuses": statuses,
        "reasons": reasons,
        "shaders": shaders,
    }))
}

/// Formats the times of the whole run and of each shader.
pub(super) fn timings(results: &[(Entry, Duration)], elapsed: Duration, threads: usize) -> Vec<u8> {
    let milliseconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
    let shaders: Vec<Value> = results
        .iter()
        .map(|(entry, time)| json!({ "shader": entry.shader, "milliseconds": milliseconds(*time) }))
        .collect();
    let sum = results.iter().map(|(_, time)| *time).sum();
    pretty(&json!({
        "version": VERSION,
        "threads": threads,
        "milliseconds": milliseconds(elapsed),
        "milliseconds_of_shaders": milliseconds(sum),
        "shaders": shaders,
    }))
}

pub(super) fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("all keys are strings");
    text.push(b'\n');
    text
}
