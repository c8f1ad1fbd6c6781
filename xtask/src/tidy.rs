//! `cargo xtask tidy`: checks the rules of CONTRIBUTING.md that a program can check.
//!
//! Cargo checks formatting, clippy's lints and links in the documentation. This program checks the project's own
//! rules: [`text`] (each file alone), [`layout`] (several files together) and [`circles`] (imports). Complaints name
//! the place of each fault.

mod circles;
mod layout;
mod prose;
mod text;

use std::fs;

pub(crate) use prose::prose;

use crate::api::run_api;
use crate::codegen::run_codegen;
use crate::command::{TESTED, cargo, output, program, run, with_fuzz_and_playground, workspace};

/// A text file of the project: its path relative to the workspace, and its contents.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Fails with all complaints of this program. Without any, runs the tools from fast to slow, and fails at
/// the first failure.
pub(crate) fn run_tidy() -> Result<(), String> {
    let files = tracked_files()?;
    let mut complaints: Vec<String> = files.iter().flat_map(text::complaints).collect();
    complaints.extend(layout::complaints(&files));
    complaints.extend(circles::complaints(&files));
    complaints.extend(prose::complaints(&files)?);
    if !complaints.is_empty() {
        return Err(format!("not tidy:\n  {}", complaints.join("\n  ")));
    }
    println!("tidy: {} text files keep to the rules", files.len());

    run(&mut cargo(["fmt", "--all", "--check"]))?;
    run_codegen(true)?;
    run_api(true)?;

    let strict = ["--", "-D", "warnings", "-D", "clippy::too_many_lines"];
    let clippy = ["clippy", "--all-targets"];
    run(cargo(clippy).args(with_fuzz_and_playground()).args(strict))?;
    let alone = ["xtask", "polyshade-codegen"];
    let alone = alone.iter().flat_map(|name| ["--package", name]);
    run(cargo(clippy).args(["--release", "--all-features"]).args(alone).args(strict))?;
    // Builds without features must also have no warnings.
    let bare =
        ["--package", "polyshade-formats", "--package", "polyshade-cli", "--no-default-features"];
    run(cargo(clippy).arg("--release").args(bare).args(strict))?;

    let doc = ["doc", "--lib", "--no-deps", "--document-private-items"];
    run(cargo(doc).args(TESTED).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Returns the text files that git tracks or would add, except deleted files.
pub(crate) fn tracked_files() -> Result<Vec<File>, String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    let paths = output(&mut program("git", list))?;
    let paths = paths.split('\0').filter(|path| !path.is_empty());
    let read = |path: &str| {
        let text = String::from_utf8(fs::read(workspace().join(path)).ok()?).ok()?;
        Some(File { path: path.to_owned(), text })
    };
    Ok(paths.filter_map(read).collect())
}
