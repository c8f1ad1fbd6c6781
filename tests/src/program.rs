//! The program `polyshade`: the path from `cargo xtask test`, or a fresh build, so tests never run an old one.

use std::path::PathBuf;
use std::process::Command;

/// Returns the path of the program, which is built unless `POLYSHADE_PROGRAM` names it.
pub fn build() -> PathBuf {
    if let Some(built) = std::env::var_os("POLYSHADE_PROGRAM") {
        return built.into();
    }
    let this = std::env::current_exe().expect("the system knows which program runs");
    let target = this.ancestors().nth(3).expect("cargo puts tests three folders deep");
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    // With the packages and features of `TESTED` in xtask; others would compile the program again.
    let build = "build --release --quiet --workspace --exclude=xtask --exclude=polyshade-codegen \
        --exclude=polyshade-benches --all-features --examples --bin polyshade";
    command.args(build.split_whitespace());
    // Use the installed SPIRV-Tools, which take minutes to compile.
    let installed = target.join("spirv-tools/cargo.toml");
    if installed.exists() {
        command.arg("--config").arg(installed);
    }
    let status = command.status().expect("cargo starts");
    assert!(status.success(), "the program does not build: run `cargo build --release`");
    target.join("release/polyshade")
}
