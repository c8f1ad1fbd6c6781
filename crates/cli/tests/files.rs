//! Files that are not there, and files that must not be left behind: what the filetests cannot say.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn polyshade(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    command.current_dir(folder).args(arguments).output().expect("the program starts")
}

#[test]
fn a_shader_that_is_not_there_fails_by_its_name_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        polyshade(folder.path(), &["capture", "no.vert", "--varyings", "v", "-o", "out.spv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no.vert: "), "{output:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_output_that_cannot_be_written_leaves_the_others_out_too() {
    let folder = tempfile::tempdir().unwrap();
    let source = "#version 450\nvoid main() { gl_Position = vec4(1.0); }\n";
    fs::write(folder.path().join("a.vert"), source).unwrap();
    let arguments = ["capture", "a.vert", "--varyings", "gl_Position", "-o", "out.spv"];
    let lost = [&arguments[..], &["--variant", "both=no/both.spv"]].concat();
    let output = polyshade(folder.path(), &lost);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no/both.spv: "), "{output:?}");
    assert!(!folder.path().join("out.spv").exists());

    assert_eq!(polyshade(folder.path(), &arguments).status.code(), Some(0));
    assert!(folder.path().join("out.spv").exists());
}
