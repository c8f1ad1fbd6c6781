//! Tests `polyshade clip` with semantics from a file and with distances that Metal does not support.

use crate::work::Work;

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

fn work() -> Work {
    Work::with(&[("a.vert", REGISTERS), ("b.vert", ARRAYS), ("b.frag", FRAGMENT)])
}

/// Runs a command line that must succeed, and returns the file that it writes.
#[track_caller]
fn written(work: &Work, line: &str) -> Vec<u8> {
    work.succeeds(&format!("{line} -o written"));
    work.read("written")
}

#[test]
fn a_file_lists_semantics_as_options_do() {
    let work = work();
    for (json, options) in [
        (r#"{ "outputs": ["clip=3", "cull=4.xy"] }"#, "--outputs clip=3,cull=4.xy"),
        (
            r#"{ "outputs": ["clip=3.xy"], "linked_outputs": ["clip=3", "cull=4.x"] }"#,
            "--outputs clip=3.xy --linked-outputs clip=3,cull=4.x",
        ),
        // Inputs of a vertex stage are attributes, so they cannot be distances.
        (r#"{ "inputs": [], "linked_inputs": [], "outputs": ["cull=3-4"] }"#, "--outputs cull=3-4"),
    ] {
        work.write("semantics.json", json);
        let listed = written(&work, "clip a.vert --semantics semantics.json");
        let given = written(&work, &format!("clip a.vert {options}"));
        assert!(listed == given, "{json} is not {options}");
        let unmarked = written(&work, "clip a.vert");
        assert!(listed != unmarked, "{json} says nothing");
    }

    // Semantics from a file and from options can be combined.
    work.write("semantics.json", r#"{ "outputs": ["clip=3"] }"#);
    let both = written(&work, "clip a.vert --semantics semantics.json --outputs cull=4.xy");
    assert!(both == written(&work, "clip a.vert --outputs clip=3,cull=4.xy"));
}

#[test]
fn a_file_that_is_no_list_of_semantics_is_refused_by_its_place() {
    let work = work();
    for (json, why) in [
        ("{", "EOF while parsing"),
        ("3", "invalid type: integer `3`, expected struct Semantics"),
        (r#"{ "registers": [] }"#, "unknown field `registers`"),
        (r#"{ "outputs": "clip=3" }"#, "expected a sequence"),
        (r#"{ "outputs": [3] }"#, "invalid type: integer `3`, expected a string"),
        (r#"{ "outputs": ["clop=3"] }"#, "clop=3"),
    ] {
        work.write("semantics.json", json);
        let error = work.says(1, "clip a.vert --semantics semantics.json -o l.spv");
        assert!(error.contains("semantics.json") && error.contains(why), "{json}: {error}");
        assert!(!work.has("l.spv"), "{json}");
    }
    work.fails("clip a.vert --semantics none.json -o l.spv", 1, "none.json");
}

/// Returns the attributes of structure members and parameters in MSL, such as `position` for `[[position]]`,
/// without interpolation qualifiers.
fn attributes(text: &str) -> Vec<&str> {
    let inside = text.split("[[").skip(1).filter_map(|rest| rest.split("]]").next());
    inside.filter_map(|one| one.split(", ").next()).collect()
}

#[test]
fn metal_gets_a_pair_without_distances_it_does_not_have() {
    let work = work();
    for (options, native) in [("", false), ("--native clip", true)] {
        let [vertex, fragment] = ["b.vert", "b.frag --signature 2,3"].map(|shader| {
            let line = format!("clip {shader} --emulate 4 {options} --format msl");
            String::from_utf8(written(&work, &line)).expect("it is text")
        });
        let [handed_on, read] = [&vertex, &fragment].map(|text| attributes(text));
        assert_eq!(handed_on.contains(&"clip_distance"), native, "{vertex}");
        for one in handed_on.iter().chain(&read) {
            let known = ["position", "clip_distance", "stage_in", "attribute(0)", "color(0)"];
            let is_users = one.starts_with("user(");
            assert!(is_users || known.contains(one), "[[{one}]]: {vertex}{fragment}");
        }
        // The vertex stage writes every input of the fragment stage.
        let mut users = read.iter().filter(|one| one.starts_with("user("));
        assert!(users.clone().count() > 2, "{fragment}");
        assert!(users.all(|one| handed_on.contains(one)), "{vertex}{fragment}");
    }
}
