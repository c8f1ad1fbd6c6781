//! Tests missing files, and files that must not remain after an error. Filetests cannot cover these cases.

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
    let printed = stderr(&output);
    assert_eq!(
        printed.trim(),
        format!("error[cli.file]: {name}: No such file or directory (os error 2)")
    );
}

#[test]
fn a_module_of_another_major_version_is_refused() {
    let work = Work::with(&[("a.vert", "#version 450\nvoid main() {}\n")]);
    work.succeeds("convert a.vert -o a.spv");
    let mut bytes = work.read("a.spv");
    bytes[6] = 2;
    fs::write(work.path("a.spv"), bytes).expect("there is room");
    work.fails("info a.spv", 3, "a.spv: SPIR-V 2.3 is not supported");
}

/// A vertex shader that writes `v` and the position.
const VERTEX: &str = "#version 450\nlayout(location = 0) out vec4 v;\n\
                      void main() { v = vec4(2.0); gl_Position = vec4(1.0); }\n";

#[test]
fn an_output_takes_the_place_of_what_was_read_only_where_that_is_said() {
    let including = format!("{}#include \"part.glsl\"\n", VERTEX);
    let including =
        including.replacen("450\n", "450\n#extension GL_GOOGLE_include_directive : require\n", 1);
    let files = [
        ("a.vert", VERTEX),
        ("b.frag", "#version 450\nvoid main() {}\n"),
        ("i.vert", including.as_str()),
        ("part.glsl", "// nothing\n"),
        ("recipe.json", "{}"),
    ];
    let work = Work::with(&files);
    std::os::unix::fs::symlink("a.vert", work.path("link.vert")).expect("there is room");
    let capture = "capture a.vert --varyings v";
    for line in [
        "convert a.vert -o a.vert",
        "convert a.vert -o ./link.vert",
        "convert link.vert -o a.vert",
        "capture a.vert --varyings v -o a.vert",
        "capture a.vert --varyings v -o o.spv --report a.vert",
        "capture a.vert --varyings v -o o.spv --variant both=a.vert",
        "capture a.vert --varyings v -o o.spv --depfile a.vert",
        "capture a.vert --varyings v --dry-run --report a.vert",
        "convert i.vert -o part.glsl",
        "pipeline recipe.json a.vert b.frag -o o.spv -o a.vert",
        "pipeline recipe.json a.vert b.frag -o o.spv -o p.spv --report recipe.json",
    ] {
        work.fails(line, 2, "this file was read, and the output would take its place");
        assert!(!work.has("o.spv") && !work.has("p.spv"), "{line}");
        for (name, text) in files {
            assert_eq!(work.text(name), text, "{line}");
        }
    }
    work.succeeds(&format!("{capture} -o a.vert --glsl-vulkan --in-place"));
    assert_ne!(work.text("a.vert"), VERTEX);
    work.succeeds("info a.vert");
}

#[test]
fn errors_of_lowerings_name_the_shader() {
    let work = Work::with(&[("a.vert", VERTEX)]);
    for (line, code) in [
        ("capture a.vert --varyings w -o o.spv", "capture.output-not-found"),
        ("capture a.vert --path extension --varyings w -o o.spv", "capture.output-not-found"),
        ("position-only a.vert --keep w -o o.spv", "position-only.output-not-found"),
        ("info a.vert --entry other", "entry-point.not-found"),
    ] {
        let printed = stderr(&work.run(line));
        let start = format!("error[{code}]: a.vert: ");
        assert!(printed.trim_start().starts_with(&start), "{line}: {printed}");
    }
}

#[test]
fn errors_are_lines_of_json_for_programs() {
    let work = Work::with(&[("a.vert", VERTEX), ("b.frag", "#version 450\nvoid main() {}\n")]);
    let error = |line: &str| {
        let output = work.run(line);
        let printed = stderr(&output);
        assert_eq!(printed.trim_end().lines().count(), 1, "{line}: {printed}");
        let error = crate::work::json(&printed);
        assert_eq!(error["exit_code"].as_i64(), output.status.code().map(i64::from), "{line}");
        assert_eq!((&error["version"], &error["severity"]), (&1.into(), &"error".into()));
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"), text("help"))
    };
    let (code, message, _) = error("capture b.frag --varyings v -o o.spv --error-format json");
    assert_eq!(code, "cli.other-stage");
    assert!(message.starts_with("b.frag: "), "{message}");
    let (code, message, _) = error("--error-format=json info no.vert");
    assert_eq!(code, "cli.file");
    assert!(message.starts_with("no.vert: No such file"), "{message}");
    let (code, message, help) = error("info a.vert --nonsense --error-format json");
    assert_eq!(code, "cli.usage");
    assert!(message.contains("unexpected argument '--nonsense'") && help.contains("Usage:"));
    let line = "batch . capture --varyings v --error-format json --include b.frag,c -o out -j 0";
    assert_eq!(error(line).0, "cli.usage");
    // `--error-format` belongs to the batch, not to the verb.
    let output = work.run("batch . info --error-format json -o out --report r.json -q");
    exits(&output, 0);
    assert_eq!(work.json("r.json")["options"].as_array().map(Vec::len), Some(0));
    // Help is not an error.
    assert!(work.succeeds("info --help --error-format json").contains("Usage:"));
}

/// Returns the verbs that `--help` lists.
pub(crate) fn verbs(work: &Work) -> Vec<String> {
    let help = work.succeeds("--help");
    let verbs = help.split("Commands:").nth(1).expect("verbs are listed").lines().skip(1);
    let verbs = verbs.map_while(|line| line.strip_prefix("  ")?.split(' ').next());
    let verbs = verbs.filter(|verb| !verb.is_empty() && *verb != "help").map(str::to_owned);
    let verbs: Vec<String> = verbs.collect();
    assert!(verbs.len() > 10);
    verbs
}

#[test]
fn every_verb_has_a_manual_page() {
    let work = Work::new();
    work.succeeds("man pages/man1");
    for verb in verbs(&work) {
        let page = work.text(&format!("pages/man1/polyshade-{verb}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{verb}");
    }
    assert!(work.text("pages/man1/polyshade.1").contains("polyshade\\-capture(1)"));
    let page = work.text("pages/man1/polyshade-capture.1");
    assert!(page.contains("\\-\\-varyings") && page.contains("\\-\\-error\\-format"), "{page}");
    assert!(work.has("pages/man1/polyshade-verify-capture.1"));
    work.write("file", "");
    work.fails("man file", 1, "file: ");
}

#[test]
fn what_was_written_and_what_the_host_does_is_said_to_people_only() {
    let work = Work::with(&[("a.vert", VERTEX)]);
    let capture = "capture a.vert --varyings v -o o.spv";
    let printed = work.run(capture);
    assert!(printed.status.success() && printed.stdout.is_empty());
    let printed = stderr(&printed);
    for line in [
        "wrote o.spv: transform_feedback of main (vertex)",
        "  bind     storage buffer at set 3 binding 0: feedback buffer 0",
        "  bind     storage buffer at set 3 binding 1: host parameters",
        "  fill in  at storage=3:1: topology, flags, first_vertex, ",
        "  draw     a point list without indices, ",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    // The commands that the message suggests work.
    for words in ["capture a.vert --varyings v --dry-run", "info o.spv"] {
        assert!(printed.contains(&format!("polyshade {words}\n")), "{printed}");
        work.succeeds(words);
    }
    assert!(printed.contains("polyshade verify capture a.vert --varyings v\n"), "{printed}");
    assert!(stderr(&work.run("clip-space a.vert -o o.spv")).starts_with("wrote o.spv: clip_space"));
    let lower = r#"pipeline {"clip_space":{}} a.vert -o o.spv"#;
    assert!(stderr(&work.run(lower)).starts_with("wrote o.spv: recipe of main (vertex)"));

    for other in [
        "-q",
        "--quiet",
        "--report r.json",
        "--json",
        "--depfile d",
        "--keep-unchanged",
        "--error-format json",
    ] {
        let output = work.run(&format!("{capture} {other}"));
        assert!(output.status.success() && output.stderr.is_empty(), "{other}: {output:?}");
    }
    for line in [
        "-q capture a.vert --varyings v -o o.spv",
        "capture a.vert --varyings v --dry-run",
        "capture a.vert --varyings v",
        "batch . capture --include a.vert --varyings v -o out -q",
        "batch . capture --include a.vert --varyings v -o out --force --isolate -q",
        &format!("{lower} --quiet"),
        &format!("{lower} --report r.json"),
        "convert a.vert -o b.spv",
    ] {
        let output = work.run(line);
        assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
    }
}

#[test]
fn messages_are_coloured_where_that_is_said_whatever_the_verb() {
    let work = Work::with(&[("a.vert", VERTEX)]);
    // This applies to errors of the program and to errors in the command line.
    for wrong in ["info no.vert", "info a.vert --nonsense", "capture a.vert --varyings w -o o.spv"]
    {
        let colours = |line: &str| stderr(&work.run(line)).contains('\u{1b}');
        assert!(!colours(wrong) && !colours(&format!("{wrong} --color auto")), "{wrong}");
        assert!(colours(&format!("{wrong} --color always")), "{wrong}");
        assert!(colours(&format!("--color=always {wrong}")), "{wrong}");
        assert!(!colours(&format!("{wrong} --color=never")), "{wrong}");
    }
    assert!(work.succeeds("--help --color always").contains('\u{1b}'));
    for verb in verbs(&work) {
        for options in ["-q --help", "--quiet --help", "--color always --help"] {
            work.succeeds(&format!("{verb} {options}"));
        }
    }
    work.fails("info a.vert --color nonsense", 2, "invalid value 'nonsense' for '--color");
}

#[test]
fn errors_of_the_library_name_the_option_of_the_program() {
    let storing = "#version 450\nlayout(set = 0, binding = 0) buffer B { uint n; };\n\
                   layout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 v;\n\
                   void main() { atomicAdd(n, 1); v = a; gl_Position = a; }\n";
    let colour = "#version 450\nlayout(location = 0) in vec4 a;\n\
                  layout(location = 0) out vec4 c;\nvoid main() { c = a; }\n";
    let work = Work::with(&[("a.vert", storing), ("b.vert", VERTEX), ("c.frag", colour)]);
    for (line, option) in [
        ("capture a.vert --varyings v", "(--side-effects)"),
        ("capture b.vert", "(--varyings, --stream-output)"),
        ("capture b.vert --varyings v,v", "see --allow-duplicates"),
        ("capture b.vert --stream-output location=0.xyzw --strides 4", "see --strides"),
        ("capture b.vert --varyings v --set 1 --reserve 1", "(--set, --binding, --reserve)"),
        (
            "capture a.vert --varyings v --side-effects in-capture --set 0 --binding 0",
            "see --set, --binding, --params",
        ),
        (
            "rasterizer-discard b.vert --when specialization=5 --reserve-constant 5",
            "see --reserve-constant",
        ),
        ("clip-space b.vert --flip-y push-constant=3", "see --range, --flip-y, --rotate"),
        ("blend c.frag --equations multiply,screen", "(--select, --equations)"),
        ("vertex-pulling a.vert --attribute 0=0:0:r32g32b32a32_sfloat", "see --buffer"),
        ("capture a.vert --varyings v --side-effects in-capture --path compute", "see --pull"),
        (
            "capture a.vert --varyings v --side-effects in-capture --path compute --pull \
             --pull-params address:attribute=3 --attribute 0=0:0:r32g32b32a32_sfloat --buffer 0=16",
            "see --pull-params",
        ),
        (
            "capture a.vert --varyings v --side-effects in-capture --pull --pull-set 0 --pull-binding 0 \
             --attribute 0=0:0:r32g32b32a32_sfloat --buffer 0=16",
            "see --pull-set, --pull-binding, --pull-params",
        ),
        (
            "vertex-pulling a.vert --attribute 0=0:0:r32g32b32a32_sfloat --buffer 0=4",
            "(--access-beyond-stride)",
        ),
    ] {
        let printed = stderr(&work.run(&format!("{line} -o o.spv")));
        assert!(printed.contains(option), "{line}: {printed}");
    }
}
