//! The program `polyshade`, built so that tests never run an old one.

use std::path::PathBuf;
use std::process::Command;

/// Builds the program and gives its path.
pub fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    // With the features of the tests, as `built` of xtask has it: any others compile the program and half of what it
    // depends on once more.
    let build = ["build", "--release", "--quiet", "--workspace", "--all-features"];
    let build = build.into_iter().chain(["--examples", "--bin", "polyshade"]);
    let status = Command::new(cargo).args(build).status().expect("cargo starts");
    assert!(status.success(), "the program does not build: run `cargo build --release`");
    let this = std::env::current_exe().expect("the system knows which program runs");
    let target = this.ancestors().nth(3).expect("cargo puts tests three folders deep");
    target.join("release/polyshade")
}
