//! Tests features for build systems: reproducible outputs, depfiles, unchanged modification times, response files.

use super::{is_old, make_old, shader, work};
use crate::work::{exits, stderr};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

const CAPTURE: &str = "--varyings gl_Position";

#[test]
fn where_a_shader_lies_does_not_show_in_its_outputs() {
    let work = work();
    for folder in ["one", "another/deeper"] {
        work.write(&format!("{folder}/a.vert"), &shader(1));
        let files = format!("-o {folder}/a.spv --report {folder}/a.json");
        exits(&work.run(&format!("capture {folder}/a.vert {CAPTURE} {files}")), 0);
    }
    for name in ["a.spv", "a.json"] {
        let read = |folder: &str| work.read(&format!("{folder}/{name}"));
        assert_eq!(read("one"), read("another/deeper"), "{name}");
        assert!(!String::from_utf8_lossy(&read("one")).contains("one/"), "{name}");
    }
}

#[test]
fn a_depfile_names_the_outputs_and_what_was_read() {
    let work = work();
    work.write("a.vert", &shader(1));
    let files = "-o a.spv --variant both=b.spv --report a.json --depfile a.d";
    exits(&work.run(&format!("capture a.vert {CAPTURE} {files}")), 0);
    let rule = work.text("a.d");
    let words: Vec<&str> = rule.split_whitespace().filter(|word| *word != "\\").collect();
    assert_eq!(words, ["b.spv", "a.spv", "a.json:", "a.vert"]);

    work.write("a=b.vert", &shader(1));
    exits(&work.run(&format!("capture a=b.vert {CAPTURE} -o c.spv --depfile c.d")), 3);
    assert!(!work.has("c.spv"));
    exits(&work.run(&format!("capture a.vert {CAPTURE} --depfile c.d")), 2);
}

#[test]
fn make_reads_depfiles_of_any_name_that_it_can_know() {
    let work = work();
    let names =
        ["plain", "with space", "a#b", "a$b", "a:b", "größe", "back\\slash", "a&'(b)~{}!@,"];
    for name in names {
        let input = format!("{name}.vert");
        work.write(&input, &shader(1));
        let output = format!("{name}.spv");
        let mut command = work.command("capture --depfile d");
        command.args([&format!("./{input}"), "--varyings", "gl_Position", "-o", &output]);
        exits(&command.output().unwrap(), 0);
        // Make knows only from this rule how to build the output.
        let rule = work.text("d");
        work.write("Makefile", &format!("{}\n\techo done again\n", rule.trim_end()));
        let make = || Command::new("make").current_dir(work.folder()).output().unwrap();
        let printed = make();
        assert!(String::from_utf8_lossy(&printed.stdout).contains("is up to date"), "{printed:?}");
        make_old(&work.path(&output));
        let printed = make();
        assert!(String::from_utf8_lossy(&printed.stdout).contains("done again"), "{printed:?}");
    }
}

#[test]
fn an_unchanged_output_keeps_its_time_if_it_is_asked_to() {
    let work = work();
    work.write("a.vert", &shader(1));
    let (line, file) = (format!("capture a.vert {CAPTURE} -o a.spv"), work.path("a.spv"));
    exits(&work.run(&line), 0);
    for (options, is_kept) in
        [("--keep-unchanged", true), ("", false), ("--keep-unchanged --set 9", false)]
    {
        make_old(&file);
        exits(&work.run(&format!("{line} {options}")), 0);
        assert_eq!(is_old(&file), is_kept, "{options}");
    }
}

#[test]
fn a_response_file_holds_words_as_a_shell_quotes_them() {
    let work = work();
    work.write("with space.vert", &shader(1));
    work.write("inner", "-o 'out file.spv'\n--set\n4");
    work.write("words", "\"with space.vert\" --varyings gl_Position @inner");
    exits(&work.run("capture @words"), 0);
    assert!(work.has("out file.spv"));

    work.write("round", "@round");
    work.write("open", "'a");
    for wrong in ["round", "open", "nowhere"] {
        work.fails(&format!("capture @{wrong}"), 2, &format!("@{wrong}: "));
    }
}

#[test]
fn make_builds_the_example_and_then_only_what_changed() {
    let work = work();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/build");
    for name in ["Makefile", "capture.options", "shaders/fall.vert", "shaders/turn.vert"] {
        work.write(&format!("in/{name}"), &fs::read_to_string(example.join(name)).unwrap());
    }
    let make = || {
        let mut command = Command::new("make");
        command.current_dir(work.path("in")).env("POLYSHADE", env!("CARGO_BIN_EXE_polyshade"));
        let output = command.args(["-j", "2"]).output().expect("make starts");
        assert!(output.status.success(), "{}", stderr(&output));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        printed.lines().filter(|line| line.contains("capture shaders/")).count()
    };
    assert_eq!(make(), 2);
    assert_eq!(work.outputs("in/build").len(), 6);
    assert_eq!(make(), 0);

    let source = work.text("in/shaders/fall.vert");
    work.write("in/shaders/fall.vert", &source.replace("0.5", "0.25"));
    let later = SystemTime::now() + Duration::from_secs(60);
    let file = File::options().write(true).open(work.path("in/shaders/fall.vert")).unwrap();
    let turned = work.read("in/build/turn.vert.spv");
    let fallen = work.read("in/build/fall.vert.spv");
    file.set_modified(later).unwrap();
    assert_eq!(make(), 1);
    assert_eq!(turned, work.read("in/build/turn.vert.spv"));
    assert_ne!(fallen, work.read("in/build/fall.vert.spv"));
}

#[test]
fn a_batch_is_one_target_of_a_build_too() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/x/b.vert", &shader(2));
    exits(&work.batch("-o out --report r.json --depfile r.d"), 0);
    let rule = work.text("r.d");
    let words: Vec<&str> = rule.split_whitespace().filter(|word| *word != "\\").collect();
    assert_eq!(words, ["r.json:", "in/a.vert", "in/x/b.vert"]);
    exits(&work.batch("-o out --depfile r.d"), 2);
}

/// The tests do not install ninja, so this test itself does the work of ninja.
#[test]
fn the_command_of_the_ninja_example_does_what_ninja_expects() {
    let work = work();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/build");
    let read = |name: &str| fs::read_to_string(example.join(name)).unwrap();
    for name in ["capture.options", "shaders/fall.vert"] {
        work.write(name, &read(name));
    }
    let file = read("build.ninja");
    let command = file.lines().find_map(|line| line.trim().strip_prefix("command = polyshade "));
    let command = command.unwrap().replace("$in", "shaders/fall.vert");
    let command = command.replace("$out", "build/fall.vert.spv");
    fs::create_dir(work.path("build")).unwrap();
    exits(&work.run(&command), 0);
    let rule = work.text("build/fall.vert.spv.d");
    assert_eq!(rule, "build/fall.vert.spv: \\\n  shaders/fall.vert\n");
    assert_eq!(file.matches("build/fall.vert.spv: capture shaders/fall.vert").count(), 1);
}
