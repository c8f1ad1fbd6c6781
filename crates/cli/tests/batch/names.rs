//! Tests the selection of shaders and the names of their outputs.

use super::{shader, work};
use crate::work::{exits, fails};
use std::io::Write;
use std::process::Stdio;

#[test]
fn two_outputs_of_one_name_are_refused_before_anything_is_written() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/a.vert.spv", "");
    fails(&work.batch("-o out"), 2, "a.vert.spv: the outputs of a.vert and a.vert.spv");
    assert!(!work.has("out"));

    exits(&work.batch("-o out --name {path}.spv"), 1);
    assert_eq!(work.outputs("out"), ["a.vert.spv"]);
}

#[test]
fn a_file_is_not_a_folder_too() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/a/b.vert", &shader(2));
    exits(&work.batch("-o out --name {stem}"), 2);
    assert!(!work.has("out"));
    exits(&work.batch("-o out --name {stem}.spv --variant both=both/{stem}.spv"), 0);
    assert_eq!(work.outputs("out"), ["a/b.spv", "a.spv", "both/a/b.spv", "both/a.spv"]);
    exits(&work.batch("-o out --name {stem}.spv --report out/a.spv"), 2);
    exits(&work.batch("-o new --name .polyshade-batch/{stem}"), 2);
    assert!(!work.has("new"));
}

#[test]
fn globs_and_lists_say_which() {
    let work = work();
    for name in ["a.vert", "b.vert", "x/a.vert", "x/y/c.vert", "x/d.vs", "x/note.txt"] {
        work.write(&format!("in/{name}"), &shader(name.len()));
    }
    let cases = [
        ("", "a.vert b.vert x/a.vert x/y/c.vert"),
        ("--include a.vert", "a.vert x/a.vert"),
        ("--include x/*.vert", "x/a.vert"),
        ("--include x/**/*.vert --exclude a.vert", "x/y/c.vert"),
        ("--include *.vs --stage vert", "x/d.vs"),
        ("--exclude x/**", "a.vert b.vert"),
    ];
    for (at, (options, expected)) in cases.iter().enumerate() {
        exits(&work.batch(&format!("-o out{at} {options} --name {{path}}.spv")), 0);
        let outputs = work.outputs(&format!("out{at}")).join(" ").replace(".spv", "");
        assert_eq!(outputs, *expected, "{options}");
    }
    work.fails(
        "batch in info --include *.{vert,vs} -o braces",
        2,
        "a pattern must not contain braces",
    );

    work.write("list", "in/x/a.vert\n./in/b.vert\n\nin/b.vert\n");
    exits(&work.batch("-o listed --list list"), 0);
    assert_eq!(work.outputs("listed"), ["b.vert.spv", "x/a.vert.spv"]);
    work.write("list", "x/a.vert\nb.vert\n");
    exits(&work.batch("-o inside --list list"), 0);
    assert_eq!(work.outputs("inside"), ["b.vert.spv", "x/a.vert.spv"]);
    let whole = work.path("in").display().to_string();
    let line = format!("batch {whole} capture --varyings gl_Position -o whole --list list");
    exits(&work.run(&line), 0);
    work.write("list", "in/x/a.vert\n");
    exits(&work.run(&line), 0);
    assert_eq!(work.outputs("whole"), ["b.vert.spv", "x/a.vert.spv"]);
    for wrong in ["list\n", "in/../list\n", "in\n", "../in/b.vert\n"] {
        work.write("list", wrong);
        exits(&work.batch("-o wrong --list list"), 2);
    }
    assert!(!work.has("wrong"));
}

#[test]
fn any_name_is_a_shaders() {
    let work = work();
    let names = [
        "with space.vert",
        "größe 大.vert",
        "line\nfeed.vert",
        "-o.vert",
        "{base}.vert",
        "@a.vert",
    ];
    for (at, name) in names.iter().enumerate() {
        work.write(&format!("in/{name}"), &shader(at));
    }
    exits(&work.batch("-o out --report r.json"), 0);
    let mut expected: Vec<String> = names.iter().map(|name| format!("{name}.spv")).collect();
    expected.sort();
    assert_eq!(work.outputs("out"), expected);
    assert_eq!(work.json("r.json")["statuses"]["ok"], names.len());

    let mut command =
        work.command("batch in capture --varyings gl_Position -o listed --list - --null");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let list = names.map(|name| format!("in/{name}\0")).concat();
    child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(work.outputs("listed"), expected);
}

#[test]
fn a_name_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let work = work();
    let name = std::ffi::OsStr::from_bytes(b"in/\xff.vert");
    std::fs::write(work.folder().join(name), shader(1)).unwrap();
    exits(&work.batch("-o out --report r.json"), 3);
    assert_eq!(work.json("r.json")["shaders"][0]["status"], "unsupported");
}

#[test]
fn outputs_are_not_read_as_shaders() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    for _ in 0..2 {
        exits(&work.batch("-o in/out"), 0);
        assert_eq!(work.outputs("in/out"), ["a.vert.spv"]);
    }
    exits(&work.batch("-o in/second"), 0);
    assert_eq!(work.outputs("in/second"), ["a.vert.spv"]);
    // A folder of outputs may also be used as the folder of shaders if the user names it.
    exits(&work.run("batch in/out info -o told"), 0);
    assert_eq!(work.outputs("told"), ["a.vert.txt"]);
}
