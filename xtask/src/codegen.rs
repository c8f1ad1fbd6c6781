//! Writes the files that are generated and committed: the grammar tables of `polyshade-spv`, from the official
//! grammar as `rspirv` carries it, and the SPIR-V of our own GLSL.
//!
//! `cargo xtask codegen` writes, `cargo xtask codegen --check` and the test below compare.

mod grammar;
mod library;

use std::fs;
use std::path::{Path, PathBuf};

/// One generated file: where it goes, relative to the workspace, and what it holds.
pub(crate) struct Generated {
    path: &'static str,
    bytes: Vec<u8>,
}

/// Writes every generated file, or with `check` fails where a committed one differs.
pub(crate) fn run(check: bool) -> Result<(), String> {
    let mut files = vec![grammar::generate()];
    files.extend(library::generate()?);

    for file in files {
        let path = workspace().join(file.path);
        let current = fs::read(&path).unwrap_or_default() == file.bytes;
        if check && !current {
            return Err(format!("{} is out of date: run `cargo xtask codegen`", file.path));
        }
        if !current {
            fs::write(&path, &file.bytes).map_err(|error| format!("{}: {error}", file.path))?;
        }
    }
    Ok(())
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_files_are_what_their_sources_generate() {
        super::run(true).unwrap();
    }
}
