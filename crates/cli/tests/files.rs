//! Files that are not there, and files that must not be left behind: what the filetests cannot say.

use crate::work::{Work, exits, stderr};
use std::fs;

#[test]
fn a_shader_that_is_not_there_fails_by_its_name_and_leaves_nothing() {
    let work = Work::new();
    work.fails("capture no.vert --varyings v -o out.spv", 1, "no.vert: ");
    assert_eq!(fs::read_dir(work.folder()).unwrap().count(), 0);
}

#[test]
fn an_output_that_cannot_be_written_leaves_the_others_out_too() {
    let source = "#version 450\nvoid main() { gl_Position = vec4(1.0); }\n";
    let work = Work::with(&[("a.vert", source)]);
    let line = "capture a.vert --varyings gl_Position -o out.spv";
    work.fails(&format!("{line} --variant both=no/both.spv"), 1, "no/both.spv: No such file");
    assert!(!work.has("out.spv"));

    work.succeeds(line);
    assert!(work.has("out.spv"));
}

#[test]
fn messages_are_not_wrapped_where_programs_read_them() {
    let name = format!("{}.vert", "a/".repeat(70));
    let output = Work::new().run(&format!("info {name}"));
    exits(&output, 1);
    let said = stderr(&output);
    assert_eq!(said.trim(), format!("error: {name}: No such file or directory (os error 2)"));
}

#[test]
fn a_module_of_another_major_version_is_refused() {
    let work = Work::with(&[("a.vert", "#version 450\nvoid main() {}\n")]);
    work.succeeds("convert a.vert -o a.spv");
    let mut bytes = work.read("a.spv");
    bytes[6] = 2;
    fs::write(work.path("a.spv"), bytes).expect("there is room");
    work.fails("info a.spv", 3, "a.spv: this is SPIR-V 2.");
}
