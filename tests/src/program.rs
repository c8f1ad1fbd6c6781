//! The program `polyshade`: the path from `cargo xtask test`, or a fresh build, so that tests never run an old build.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Returns the path of the program, and builds the program unless `POLYSHADE_PROGRAM` contains its path.
pub fn build() -> PathBuf {
    if let Some(built) = std::env::var_os("POLYSHADE_PROGRAM") {
        return built.into();
    }
    let this = std::env::current_exe().expect("the path of this executable is known");
    let target = this.ancestors().nth(3).expect("cargo puts test executables three folders deep");
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    // Use the packages and features of `TESTED` in xtask, because others would compile the program again.
    let build = "build --release --quiet --workspace --exclude=xtask --exclude=polyshade-codegen \
        --exclude=polyshade-benches --all-features --examples --bin polyshade";
    command.args(build.split_whitespace());
    // Use the installed SPIRV-Tools, because compiling them takes minutes.
    let installed = target.join("spirv-tools/cargo.toml");
    if installed.exists() {
        command.arg("--config").arg(installed);
    }
    let status = command.status().expect("cargo starts");
    assert!(status.success(), "the program does not build: run `cargo build --release`");
    target.join("release/polyshade")
}

/// Prints the error of a program, if there is one, and returns the program's exit code.
pub fn exit(name: &str, result: Result<(), String>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("{name}: {error}");
    ExitCode::FAILURE
}
