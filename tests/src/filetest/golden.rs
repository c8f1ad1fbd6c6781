//! The committed diff between the input and the output of the program, both disassembled.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::shader;

/// Returns the diff file of a case: `no-op.spvasm.diff` for `no-op.spvasm`.
fn path(case: &Path) -> PathBuf {
    let mut name = case.as_os_str().to_owned();
    name.push(".diff");
    name.into()
}

/// Returns the diff between the disassembled input and output; empty if they are equal.
pub(super) fn diff(input: &[u32], output: &[u32]) -> Result<String, String> {
    let (before, after) = (shader::disassemble(input)?, shader::disassemble(output)?);
    let diff = TextDiff::from_lines(&before, &after);
    Ok(diff.unified_diff().header("input", "output").to_string())
}

/// Compares the diff with the committed diff, or with `bless` replaces the committed diff. A case without an output
/// has no diff, and a case without a change has an empty diff.
pub(super) fn settle(bless: bool, case: &Path, diff: Option<&str>) -> Option<String> {
    let path = path(case);
    let committed = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Some(format!("{}: {error}", path.display())),
    };
    let wanted = diff.map(|diff| if diff.is_empty() { "no change\n" } else { diff });
    if committed.as_deref() == wanted {
        return None;
    }
    if bless {
        let written = match wanted {
            Some(diff) => fs::write(&path, diff),
            None => fs::remove_file(&path),
        };
        return written.err().map(|error| format!("{}: {error}", path.display()));
    }
    Some(difference(&path, committed.as_deref(), wanted))
}

fn difference(path: &Path, committed: Option<&str>, wanted: Option<&str>) -> String {
    let what = match (committed, wanted) {
        (None, _) => "is missing".to_owned(),
        (_, None) => "belongs to a case that writes no module".to_owned(),
        (Some(committed), Some(now)) => {
            let diff = TextDiff::from_lines(committed, now);
            format!(
                "differs from the current result:\n{}",
                diff.unified_diff().header("committed", "now")
            )
        }
    };
    format!(
        "{} {what}\nif the current result is right, run `cargo xtask bless`, and read the diff",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_committed_diff_passes_and_blessing_commits_it() {
        let folder = tempfile::tempdir().unwrap();
        let case = folder.path().join("a.spvasm");
        let faulty = |diff| settle(false, &case, diff).is_some();

        assert!(faulty(Some("-x\n")), "nothing is committed yet");
        assert!(!faulty(None));
        assert_eq!(settle(true, &case, Some("-x\n")), None);
        assert!(!faulty(Some("-x\n")));
        assert!(faulty(Some("-y\n")));
        assert!(faulty(Some("")));
        assert!(faulty(None), "a diff that no run makes");
        assert!(settle(false, &case, Some("-y\n")).unwrap().contains("cargo xtask bless"));

        assert_eq!(settle(true, &case, Some("")), None);
        assert_eq!(fs::read_to_string(path(&case)).unwrap(), "no change\n");
        assert_eq!(settle(true, &case, None), None);
        assert!(!path(&case).exists());
    }
}
