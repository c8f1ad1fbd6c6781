//! Writes the generated files that are committed: the grammar tables of `polyshade-spv`, from the official grammar in
//! `rspirv`; the header of the C library; and the page of error codes.
//!
//! `cargo xtask codegen` runs it.

mod errors;
mod grammar;
mod header;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A generated file, with its path relative to the workspace and its contents.
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

/// Writes every generated file. With `check`, fails instead if a committed file differs.
fn run(check: bool) -> Result<(), String> {
    for file in [grammar::generate(), header::generate()?, errors::generate()?] {
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
