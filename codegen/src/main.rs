//! Writes the files that are generated and committed: the grammar tables of `polyshade-spv`, from the official
//! grammar as `rspirv` carries it, the SPIR-V of our own GLSL, and the header of the C library.
//!
//! `cargo xtask codegen` writes, `cargo xtask codegen --check` and the test below compare. This is a program of its own
//! since it compiles GLSL, and what sets a machine up must build without a C++ compiler.

mod grammar;
mod header;
mod library;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One generated file: where it goes, relative to the workspace, and what it holds.
struct Generated {
    path: &'static str,
    bytes: Vec<u8>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.as_slice() {
        [] => false,
        [only] if only == "--check" => true,
        _ => {
            eprintln!("usage: cargo xtask codegen [--check]");
            return ExitCode::from(2);
        }
    };
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("codegen: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes every generated file, or with `check` fails where a committed one differs.
fn run(check: bool) -> Result<(), String> {
    let mut files = vec![grammar::generate()];
    files.extend(library::generate()?);
    files.push(header::generate()?);

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
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("codegen lies in the workspace")
        .to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_files_are_what_their_sources_generate() {
        super::run(true).unwrap();
    }
}
