//! `polyshade clip`: marks from a file, and distances that Metal does not have.

#![cfg(all(feature = "glsl", feature = "cross"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const REGISTERS: &str = "#version 450
layout(location = 0) in vec4 p;
layout(location = 3) out vec4 a;
layout(location = 4) out vec2 b;
void main() { gl_Position = p; a = p.wzyx; b = p.xy; }
";

const ARRAYS: &str = "#version 450
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 colour;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[3]; };
void main() {
    gl_Position = p;
    colour = p;
    for (int i = 0; i < 2; ++i) gl_ClipDistance[i] = p[i];
    for (int i = 0; i < 3; ++i) gl_CullDistance[i] = p[i] - 0.5;
}
";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 drawn;
in float gl_CullDistance[3];
void main() { drawn = colour * gl_CullDistance[1]; }
";

fn polyshade(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    command.current_dir(folder).args(line.split_whitespace()).output().expect("the program starts")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("a.vert", REGISTERS), ("b.vert", ARRAYS), ("b.frag", FRAGMENT)] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// Runs a line that must go well, and reads what it writes.
fn written(folder: &Path, line: &str, file: &str) -> Vec<u8> {
    let output = polyshade(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    fs::read(folder.join(file)).expect("it is written")
}

#[test]
fn a_file_lists_marks_as_options_do() {
    let folder = folder();
    let folder = folder.path();
    for (json, options) in [
        (r#"{ "outputs": ["clip=3", "cull=4.xy"] }"#, "--outputs clip=3,cull=4.xy"),
        (
            r#"{ "outputs": ["clip=3.xy"], "linked_outputs": ["clip=3", "cull=4.x"] }"#,
            "--outputs clip=3.xy --linked-outputs clip=3,cull=4.x",
        ),
        // Inputs of a vertex stage are attributes.
        (r#"{ "inputs": [], "linked_inputs": [], "outputs": ["cull=3-4"] }"#, "--outputs cull=3-4"),
    ] {
        fs::write(folder.join("marks.json"), json).expect("a file");
        let listed = written(folder, "clip a.vert --marks marks.json -o l.spv", "l.spv");
        let given = written(folder, &format!("clip a.vert {options} -o g.spv"), "g.spv");
        assert!(listed == given, "{json} is not {options}");
        let unmarked = written(folder, "clip a.vert -o u.spv", "u.spv");
        assert!(listed != unmarked, "{json} says nothing");
    }

    // Beside what options mark.
    fs::write(folder.join("marks.json"), r#"{ "outputs": ["clip=3"] }"#).expect("a file");
    let both = "clip a.vert --marks marks.json --outputs cull=4.xy -o l.spv";
    let both = written(folder, both, "l.spv");
    assert!(both == written(folder, "clip a.vert --outputs clip=3,cull=4.xy -o g.spv", "g.spv"));
}

#[test]
fn a_file_that_is_no_list_of_marks_is_refused_by_its_place() {
    let folder = folder();
    for (json, why) in [
        ("{", "EOF while parsing"),
        ("[]", "not an object"),
        (r#"{ "registers": [] }"#, "there is no list `registers`"),
        (r#"{ "outputs": "clip=3" }"#, "`outputs` is no list"),
        (r#"{ "outputs": [3] }"#, "3 is no mark"),
        (r#"{ "outputs": ["clop=3"] }"#, "clop=3"),
    ] {
        fs::write(folder.path().join("marks.json"), json).expect("a file");
        let output = polyshade(folder.path(), "clip a.vert --marks marks.json -o l.spv");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{json}: {error}");
        assert!(error.contains("marks.json") && error.contains(why), "{json}: {error}");
        assert!(!folder.path().join("l.spv").exists(), "{json}");
    }
    let output = polyshade(folder.path(), "clip a.vert --marks none.json -o l.spv");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none.json"));
}

/// What members of structures and parameters are to Metal: `position` of `[[position]]`, without how they are
/// interpolated.
fn attributes(text: &str) -> Vec<&str> {
    let inside = text.split("[[").skip(1).filter_map(|rest| rest.split("]]").next());
    inside.filter_map(|one| one.split(", ").next()).collect()
}

#[test]
fn metal_gets_a_pair_without_distances_it_does_not_have() {
    let folder = folder();
    for (options, native) in [("", false), ("--native clip", true)] {
        let [vertex, fragment] = [("b.vert", ""), ("b.frag", "2,3")].map(|(shader, linked)| {
            let file = format!("{shader}.metal");
            let linked =
                if linked.is_empty() { String::new() } else { format!("--linked {linked}") };
            let line = format!("clip {shader} --emulate 4 {options} {linked} -o {file}");
            String::from_utf8(written(folder.path(), &line, &file)).expect("it is text")
        });
        let [handed_on, read] = [&vertex, &fragment].map(|text| attributes(text));
        assert_eq!(handed_on.contains(&"clip_distance"), native, "{vertex}");
        for one in handed_on.iter().chain(&read) {
            let known = ["position", "clip_distance", "stage_in", "attribute(0)", "color(0)"];
            let is_users = one.starts_with("user(");
            assert!(is_users || known.contains(one), "[[{one}]]: {vertex}{fragment}");
        }
        // What the fragment stage reads is handed on.
        let mut users = read.iter().filter(|one| one.starts_with("user("));
        assert!(users.clone().count() > 2, "{fragment}");
        assert!(users.all(|one| handed_on.contains(one)), "{vertex}{fragment}");
    }
}
