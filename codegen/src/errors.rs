//! Generates the page of error codes, from the tables that the crates declare with `codes!`.

use crate::{Generated, workspace};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The crates that have a table of error codes, with the headings of their sections.
const CRATES: [(&str, &str); 7] = [
    ("spv", "Modules"),
    ("polyshade", "Lowerings"),
    ("planner", "Plans of draws"),
    ("formats", "Formats"),
    ("vulkan", "Vulkan devices"),
    ("cli", "The program"),
    ("capi", "The C library"),
];

const HEAD: &str = "# Error codes

<!-- `cargo xtask codegen` writes this page from the `code.rs` of each crate. -->

Every error has a message and a code. Messages may be reworded; codes stay. A program should compare codes.

| Where | The code is |
|---|---|
| Rust | `error.code()`, to be compared with the statics of `polyshade::code`, `polyshade_spv::code` and so on |
| the program | between the brackets of `error[capture.duplicate-varying]: …`; `code` with `--error-format json` |
| `batch` | `code` of each shader and of each group of shaders in the report |
| C | `code` of `polyshade_error` |

The kind of an error decides the exit code of the program:

| Kind | Exit code |
|---|---|
| malformed, limit, not found, failed | 1; `cli.interrupted` 130 |
| options | 2 |
| unsupported | 3; `cli.other-stage` 4 |
";

struct Row<'t> {
    id: &'t str,
    kind: &'t str,
    name: &'t str,
    remedy: &'t str,
}

/// Generates the page of error codes.
pub(super) fn generate() -> Result<Generated, String> {
    let mut page = HEAD.to_owned();
    let mut names = BTreeSet::new();
    for (name, heading) in CRATES {
        let folder = workspace().join("crates").join(name).join("src");
        let table = read(&folder.join("code.rs"))?;
        let rows = rows(&table).map_err(|line| format!("{name}/src/code.rs: no row: {line}"))?;
        check(&rows, &sources(&folder)?, &mut names)?;

        let _ = write!(page, "\n## {heading}\n\n| Code | Kind | What to do |\n|---|---|---|\n");
        for Row { kind, name, remedy, .. } in rows {
            let kind = named(kind).ok_or_else(|| format!("`{name}`: no kind {kind}"))?;
            let _ = writeln!(page, "| `{name}` | {kind} | {remedy}. |");
        }
    }
    Ok(Generated { path: "docs/errors.md", bytes: page.into_bytes() })
}

/// Parses the rows of a table: `ID: Kind, "name",` and, on the next line, `"remedy";`. The error is the first line
/// that is not a row.
fn rows(table: &str) -> Result<Vec<Row<'_>>, String> {
    let mut lines = table.lines().map(str::trim);
    let mut rows = Vec::new();
    while let Some(line) = lines.next() {
        if line.ends_with("\",") {
            let remedy = lines.next().unwrap_or_default();
            rows.push(row(line, remedy).ok_or_else(|| format!("{line} {remedy}"))?);
        }
    }
    Ok(rows)
}

fn row<'t>(line: &'t str, remedy: &'t str) -> Option<Row<'t>> {
    let (id, rest) = line.split_once(": ")?;
    let (kind, name) = rest.split_once(", \"")?;
    let remedy = remedy.strip_prefix('"')?.strip_suffix(".\";")?;
    Some(Row { id, kind, name: name.strip_suffix("\",")?, remedy })
}

/// Fails for a code that no error uses, that is declared twice, or that has a static with a different name.
fn check(rows: &[Row<'_>], sources: &str, names: &mut BTreeSet<String>) -> Result<(), String> {
    let names_more = |rest: &str| rest.starts_with(|one: char| one == '_' || one.is_alphanumeric());
    for Row { id, name, .. } in rows {
        if name.to_uppercase().replace(['.', '-'], "_") != *id {
            return Err(format!("the static of `{name}` is {id}"));
        }
        if !names.insert((*name).to_owned()) {
            return Err(format!("`{name}` is declared twice"));
        }
        let path = format!("code::{id}");
        let mut uses = sources.match_indices(&path);
        if uses.all(|(at, found)| names_more(&sources[at + found.len()..])) {
            return Err(format!("`{name}` is the code of no error"));
        }
    }
    Ok(())
}

/// Returns the name of an error kind as the page prints it.
fn named(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "Malformed" => "malformed",
        "Limit" => "limit",
        "NotFound" => "not found",
        "Failed" => "failed",
        "Options" => "options",
        "Unsupported" => "unsupported",
        _ => return None,
    })
}

/// Reads the text of all sources in a folder.
fn sources(folder: &Path) -> Result<String, String> {
    let shown = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut text = String::new();
    for entry in fs::read_dir(folder).map_err(shown)? {
        let path = entry.map_err(shown)?.path();
        if path.is_dir() {
            text += &sources(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &read(&path)?;
        }
    }
    Ok(text)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "codes! {\n    // Any.\n    A_ONE: Options, \"a.one\",\n        \"Do it.\";\n}\n";

    #[test]
    fn a_code_is_unique_used_and_named_as_its_static() {
        let rows = rows(TABLE).expect("it is a table");
        assert_eq!((rows.len(), rows[0].remedy), (1, "Do it"));
        let check = |sources, names: &[&str]| {
            check(&rows, sources, &mut names.iter().map(|name| (*name).to_owned()).collect())
        };
        assert_eq!(check("new(&code::A_ONE, why)", &[]), Ok(()));
        assert!(check("new(&code::A_ONE_MORE, why)", &[]).is_err());
        assert!(check("new(&code::A_ONE, why)", &["a.one"]).is_err());
        let other = TABLE.replace("a.one", "a.two");
        let other = super::rows(&other).expect("it is a table");
        assert!(super::check(&other, "code::A_ONE", &mut BTreeSet::new()).is_err());
        assert!(super::rows(&TABLE.replace("Do it.\";", "Do it.")).is_err());
    }
}
