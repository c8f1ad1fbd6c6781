//! What a batch says when it is done: a table, the report, and the times.

use super::command::Command;
use super::index::{Entry, Status};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Version of the report's shape: it grows when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// `message` without numbers and names, which differ from shader to shader.
pub(super) fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    // A process has put the lines of its message behind each other.
    let line = line.split(" | ").next().unwrap_or(line);
    let line = match line.rfind(" (") {
        Some(at) if line.ends_with(')') && line[at..].contains("at word") => &line[..at],
        Some(at) if line.ends_with(')') && line[at..].starts_with(" (id ") => &line[..at],
        _ => line,
    };
    let mut reason = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        let in_word = last.is_alphanumeric() || last == '_';
        if letter == '`'
            || letter == '%' && letters.peek().is_some_and(|next| next.is_alphanumeric())
        {
            skip_name(letter, &mut letters);
            reason.push('…');
            last = '…';
            continue;
        }
        if letter.is_ascii_digit() && !in_word {
            while letters.next_if(|next| next.is_ascii_alphanumeric()).is_some() {}
            reason.push('N');
            last = 'N';
            continue;
        }
        reason.push(letter);
        last = letter;
    }
    reason
}

/// Skips what stands behind a quotation mark up to the next one, or a name behind a `%`.
fn skip_name(first: char, letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if first == '`' {
        letters.by_ref().find(|letter| *letter == '`');
    } else {
        while letters.next_if(|next| next.is_alphanumeric() || *next == '_').is_some() {}
    }
}

/// How many shaders ended for each reason, the most frequent first.
fn counts(entries: &[Entry]) -> Vec<(usize, Status, String, String)> {
    let mut counts: BTreeMap<(Status, &str), (usize, &str)> = BTreeMap::new();
    for entry in entries {
        let key = (entry.status, entry.reason.as_deref().unwrap_or_default());
        counts.entry(key).or_insert((0, &entry.shader)).0 += 1;
    }
    let mut counts: Vec<_> = counts
        .into_iter()
        .map(|((status, reason), (count, first))| {
            (count, status, reason.to_owned(), first.to_owned())
        })
        .collect();
    counts.sort_by_key(|(count, status, ..)| (*status, std::cmp::Reverse(*count)));
    counts
}

/// The table for standard output.
pub(super) fn text(entries: &[Entry]) -> String {
    let mut text = String::new();
    let counts = counts(entries);
    if counts.is_empty() {
        return "there are no shaders".to_owned();
    }
    let _ = writeln!(text, "{:>7}  {:<11}  reason, and the first such shader", "shaders", "status");
    for (count, status, reason, first) in &counts {
        let _ = match status {
            Status::Ok | Status::NotRun => writeln!(text, "{count:>7}  {}", status.name()),
            Status::Unsupported | Status::Failed | Status::Usage => {
                writeln!(text, "{count:>7}  {:<11}  {reason} ({first})", status.name())
            }
        };
    }
    let _ = write!(text, "{:>7}  in all", entries.len());
    text
}

/// The report: the same for the same shaders, options and program.
pub(super) fn report(command: &Command, entries: &[Entry]) -> Vec<u8> {
    let mut statuses: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        *statuses.entry(entry.status.name()).or_default() += 1;
    }
    let reasons: Vec<Value> = counts(entries)
        .into_iter()
        .filter(|(_, status, ..)| !matches!(status, Status::Ok | Status::NotRun))
        .map(|(count, status, reason, first)| {
            json!({ "shaders": count, "status": status.name(), "reason": reason, "first": first })
        })
        .collect();
    let options: Vec<_> = command.options.iter().map(|option| option.to_string_lossy()).collect();
    let shaders: Vec<Value> = entries
        .iter()
        .map(|entry| serde_json::to_value(entry.coded()).expect("an entry has no keys but strings"))
        .collect();
    let report = json!({
        "version": VERSION,
        "program": {
            "version": env!("CARGO_PKG_VERSION"),
            "lowering_version": polyshade::LOWERING_VERSION,
            "features": env!("POLYSHADE_FEATURES").split_terminator(',').collect::<Vec<_>>(),
        },
        "verb": command.verb,
        "options": options,
        "statuses": statuses,
        "reasons": reasons,
        "shaders": shaders,
    });
    pretty(&report)
}

/// How long all took, and each shader.
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
    let mut text = serde_json::to_vec_pretty(value).expect("a report has no keys but strings");
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_reason_has_nothing_of_one_shader() {
        let one = "output 12 of `v_a` is not a float array (id %7, at word 0x1f3)";
        assert_eq!(reason(one), "output N of … is not a float array");
        assert_eq!(reason("vec4 at 0x10 is 64-bit\nmore"), "vec4 at N is N-bit");
    }
}
