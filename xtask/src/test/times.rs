//! Writes the table of test times in docs/testing.md.

use std::fmt::Write;

use super::programs::Results;
use crate::command::workspace;
use crate::files;

/// The number of slowest tests that the table lists.
const SLOWEST: usize = 20;

/// The lines in docs/testing.md before and after the table.
const BEGIN: &str = "<!-- times: written by `cargo xtask test --times` -->\n";
const END: &str = "<!-- end of times -->\n";

/// Writes the table, which lists all programs and the slowest tests.
pub(crate) fn write(results: &[(String, Results)]) -> Result<(), String> {
    let path = workspace().join("docs/testing.md");
    let text = files::read(&path)?;
    let around = text.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = around.ok_or("docs/testing.md has no place for the times")?;
    files::write(&path, format!("{before}{BEGIN}\n{}\n{END}{after}", table(results)))
}

fn table(results: &[(String, Results)]) -> String {
    let mut table = String::from("| Program | Tests | Seconds |\n|---|---|---|\n");
    let mut programs: Vec<_> = results.iter().collect();
    programs.sort_by_key(|(name, result)| (std::cmp::Reverse(result.seconds), name));
    for (name, result) in programs {
        let _ = writeln!(table, "| {name} | {} | {} |", result.passed, result.seconds);
    }
    table += "\n| Test | Program | Seconds |\n|---|---|---|\n";
    let tests = results.iter().flat_map(|(name, result)| {
        result.times.iter().map(move |(seconds, test)| (seconds, test, name))
    });
    let mut tests: Vec<_> = tests.collect();
    tests.sort_by(|a, b| b.0.total_cmp(a.0).then(a.1.cmp(b.1)));
    for (seconds, test, name) in tests.into_iter().take(SLOWEST) {
        let _ = writeln!(table, "| `{test}` | {name} | {seconds:.1} |");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_tests_are_listed_by_time() {
        let result = |seconds, times: &[(f64, &str)]| Results {
            seconds,
            times: times.iter().map(|(time, name)| (*time, (*name).to_owned())).collect(),
            ..Results::default()
        };
        let results = [
            ("quick".to_owned(), result(1, &[(0.5, "a")])),
            ("slow".to_owned(), result(9, &[(8.25, "b"), (0.25, "c")])),
        ];
        let table = table(&results);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[2..4], ["| slow | 0 | 9 |", "| quick | 0 | 1 |"]);
        assert_eq!(lines[7..9], ["| `b` | slow | 8.2 |", "| `a` | quick | 0.5 |"]);
    }
}
