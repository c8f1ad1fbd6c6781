//! Checks the rules for single files: length, trailing blanks, and no names of specific machines or registries.

use super::File;

/// The largest number of lines of a source file.
const MAX_LINES: usize = 500;

/// The maximum number of columns. rustfmt limits code to 100 columns; comments and strings may be longer.
const MAX_COLUMNS: usize = 120;

/// Source files that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[
    ("crates/spv/src/grammar/generated.rs", "a table, written by `cargo xtask codegen`"),
    ("crates/capi/include/polyshade.h", "one header, written by `cargo xtask codegen`"),
];

/// Files whose format this project does not decide.
const FOREIGN: &[&str] = &["Cargo.lock", "LICENSE-APACHE"];

/// Folders that exist only on one person's or session's machine. The names are split because this file
/// is also checked.
const MACHINE_PATHS: &[&str] =
    &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/tm", "p/")];

/// Parts of the host names of package registries.
const REGISTRY_HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("debian", ".org"),
    concat!("pypi", ".org"),
    concat!("npmjs", "."),
];

pub(super) fn complaints(file: &File) -> Vec<String> {
    if file.path.rsplit('/').next().is_some_and(|name| FOREIGN.contains(&name)) {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    if let Some(fault) = length_fault(file).or_else(|| ending_fault(file)) {
        complaints.push(format!("{}: {fault}", file.path));
    }
    for (number, line) in (1..).zip(file.text.lines()) {
        for fault in line_faults(line, &file.path) {
            complaints.push(format!("{}:{number}: {fault}", file.path));
        }
    }
    complaints
}

fn length_fault(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    let over = is_source(&file.path) && lines > MAX_LINES && !is_generated(&file.path);
    over.then(|| format!("{lines} lines, more than {MAX_LINES}: split it into modules"))
}

fn ending_fault(file: &File) -> Option<String> {
    let text = &file.text;
    if text.contains('\r') {
        Some("carriage returns: end lines with a line feed alone".to_owned())
    } else if text.is_empty() || text.ends_with("\n\n") || !text.ends_with('\n') {
        Some("must end with one line feed".to_owned())
    } else {
        None
    }
}

fn line_faults(line: &str, path: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // In a diff, an empty context line consists of one blank.
    if line.ends_with([' ', '\t']) && !path.ends_with(".diff") {
        faults.push("trailing blank".to_owned());
    }
    let columns = line.chars().count();
    if columns > MAX_COLUMNS && path.ends_with(".rs") && !is_generated(path) {
        faults.push(format!("{columns} columns, more than {MAX_COLUMNS}"));
    }
    for part in MACHINE_PATHS.iter().filter(|part| line.contains(**part)) {
        faults.push(format!("a path of one machine: {part}"));
    }
    for part in REGISTRY_HOSTS.iter().filter(|part| line.contains(**part)) {
        faults.push(format!("the name of a registry: {part}"));
    }
    faults
}

fn is_source(path: &str) -> bool {
    [".rs", ".sh", ".vert", ".frag", ".glsl", ".h", ".c"].iter().any(|end| path.ends_with(end))
}

fn is_generated(path: &str) -> bool {
    LONG.iter().any(|(long, _)| *long == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        complaints(&File { path: path.to_owned(), text: text.to_owned() })
    }

    #[test]
    fn a_clean_file_has_no_complaints() {
        assert_eq!(faults("a.rs", "fn main() {}\n\n// done\n"), [""; 0]);
    }

    #[test]
    fn files_end_with_one_line_feed() {
        for text in ["", "x", "x\n\n", "x\r\n"] {
            assert_eq!(faults("a.md", text).len(), 1, "{text:?}");
        }
    }

    #[test]
    fn long_sources_are_named_unless_they_have_a_reason() {
        let long = "//\n".repeat(MAX_LINES + 1);
        assert_eq!(faults("a.rs", &long).len(), 1);
        assert_eq!(faults("a.rs", &long[3..]), [""; 0]);
        assert_eq!(faults("a.diff", &long), [""; 0]);
        assert_eq!(faults(LONG[0].0, &long), [""; 0]);
    }

    #[test]
    fn lines_are_complained_of_with_their_number() {
        let blank = faults("a.md", "one\ntwo \n");
        assert_eq!(blank, ["a.md:2: trailing blank"]);
        let wide = format!("// {}\n", "x".repeat(MAX_COLUMNS));
        assert_eq!(faults("a.rs", &wide).len(), 1);
        assert_eq!(faults("a.md", &wide), [""; 0]);
        assert_eq!(faults("a.diff", " \n"), [""; 0]);
    }

    #[test]
    fn machines_and_registries_are_not_named() {
        for part in MACHINE_PATHS.iter().chain(REGISTRY_HOSTS) {
            assert_eq!(faults("a.md", &format!("see {part}x\n")).len(), 1, "{part}");
            assert_eq!(faults("Cargo.lock", &format!("see {part}x\n")), [""; 0]);
        }
    }
}
