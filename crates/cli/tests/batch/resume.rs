//! Tests that a batch continues from the point at which an earlier batch ended.

use super::{is_old, make_old, shader, work};
use crate::work::{Work, exits, fails, stderr};
use std::fs::{self, File};
use std::process::{Child, Output, Stdio};

/// Returns the number of shaders that the run reports as finished by an earlier run.
fn reused(output: &Output) -> usize {
    let printed = stderr(output);
    let line = printed.lines().find(|line| line.ends_with("were done already"));
    line.map_or(0, |line| line.split(' ').nth(1).unwrap().parse().unwrap())
}

const LINE: &str = "batch in capture --varyings gl_Position -o out --report r.json --reports -j 1";

/// Returns a folder with a batch that is not done with `out`. A whole batch has written to `whole`.
fn begun() -> (Work, Child) {
    let work = Work::with_shaders(500);
    exits(&work.batch("-o whole --report whole.json --reports"), 1);
    let mut command = work.command(LINE);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    work.wait_for("out", &mut child);
    (work, child)
}

/// Runs the batch again, which must give the same as the whole batch.
fn continued(work: &Work) -> Output {
    assert!(!work.has("r.json"));
    let output = work.run(LINE);
    exits(&output, 1);
    assert!(work.tree("out") == work.tree("whole"));
    assert_eq!(work.read("r.json"), work.read("whole.json"));
    output
}

#[test]
fn a_run_that_was_killed_is_continued() {
    let (work, mut child) = begun();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(work.tree("out") != work.tree("whole"));
    let output = continued(&work);
    assert!((9..450).contains(&reused(&output)), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn a_run_that_the_user_ends_says_how_far_it_came() {
    let (work, child) = begun();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    exits(&output, 130);
    let printed = stderr(&output);
    let done =
        printed.split_once(" of 500 shaders are done; run again to continue").map(|(all, _)| all);
    let done: usize = done.unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    // Every reported shader is in the index, whose first line is a header.
    assert_eq!(done + 1, work.lines("out"));

    let output = continued(&work);
    assert_eq!(reused(&output), done);
    assert!(!stderr(&output).contains("the previous run ended"), "{}", stderr(&output));
}

#[test]
fn the_shaders_that_a_run_ended_at_are_told_once() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    exits(&work.batch("-o out"), 0);
    // These are the files that a crash leaves in the folder.
    work.write("out/.polyshade-batch/stage/0.shader", "a.vert");
    work.write("out/.polyshade-batch/stage/1.shader", "x/b.vert");
    let printed = "the previous run ended while processing a.vert, x/b.vert";
    assert!(stderr(&work.batch("-o out")).contains(printed));
    assert!(!stderr(&work.batch("-o out --force")).contains("the previous run"));
}

#[test]
fn only_what_changed_is_done_again() {
    let work = work();
    for name in ["a", "b", "c", "d"] {
        work.write(&format!("in/{name}.vert"), &shader(name.as_bytes()[0].into()));
    }
    exits(&work.batch("-o out --report r.json"), 0);
    let output = work.batch("-o out --report s.json");
    assert_eq!(reused(&output), 4);
    assert_eq!(work.read("r.json"), work.read("s.json"));

    // Change one shader, remove one output and modify another output.
    work.write("in/a.vert", &shader(1));
    fs::remove_file(work.path("out/b.vert.spv")).unwrap();
    fs::write(work.path("out/c.vert.spv"), "no module").unwrap();
    assert_eq!(reused(&work.batch("-o out")), 1);
    exits(&work.batch("-o new"), 0);
    assert!(work.tree("out") == work.tree("new"));

    // Use another option, then repeat the run with the same option.
    assert_eq!(reused(&work.batch("-o out --set 5")), 0);
    assert!(work.tree("out") != work.tree("new"));
    assert_eq!(reused(&work.batch("-o out --set 5")), 4);
    assert_eq!(reused(&work.batch("-o out --set 5 --force")), 0);
}

#[test]
fn an_output_that_does_not_change_keeps_its_time() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/b.vert", &shader(2));
    exits(&work.batch("-o out"), 0);
    let (a, b) = (work.path("out/a.vert.spv"), work.path("out/b.vert.spv"));
    make_old(&a);
    make_old(&b);
    work.write("in/a.vert", &format!("{}// a remark\n", shader(1)));
    work.write("in/b.vert", &shader(3));
    assert_eq!(reused(&work.batch("-o out")), 0);
    assert!(is_old(&a) && !is_old(&b));
}

#[test]
fn outputs_that_no_shader_has_any_more_are_taken_away() {
    let work = work();
    for name in ["gone/a", "b", "c", "d", "mine"] {
        work.write(&format!("in/{name}.vert"), &shader(name.len()));
    }
    exits(&work.batch("-o out"), 0);
    work.write("out/other.spv", "not of a batch");
    work.write("out/mine.vert.spv", "edited by hand");
    fs::remove_dir_all(work.path("in/gone")).unwrap();
    fs::remove_file(work.path("in/mine.vert")).unwrap();
    work.write("in/b.vert", "broken");
    // A run for only some of the shaders keeps the outputs of the other shaders.
    exits(&work.batch("-o out --include b.vert"), 1);
    let kept = ["c.vert.spv", "d.vert.spv", "mine.vert.spv", "other.spv"];
    assert_eq!(work.outputs("out"), kept);
    assert!(!work.has("out/gone"));
    assert_eq!(reused(&work.batch("-o out")), 2);

    // Outputs with new names replace the outputs with the old names.
    exits(&work.batch("-o out --name {stem}.spv"), 1);
    assert_eq!(work.outputs("out"), ["c.spv", "d.spv", "mine.vert.spv", "other.spv"]);
}

#[test]
fn what_failed_is_tried_again_and_what_is_unsupported_is_not() {
    let work = Work::with_shaders(10);
    exits(&work.batch("-o out"), 1);
    assert_eq!(reused(&work.batch("-o out")), 9);
}

#[test]
fn one_batch_at_a_time_writes_to_a_folder() {
    let work = Work::with_shaders(3);
    exits(&work.batch("-o out"), 0);
    let before = work.tree("out");
    let lock = File::options().write(true).open(work.path("out/.polyshade-batch/lock")).unwrap();
    fs4::FileExt::lock(&lock).unwrap();
    fails(&work.batch("-o out --force --set 4"), 1, "another batch writes to this folder");
    assert!(work.tree("out") == before);
    drop(lock);
    exits(&work.batch("-o out --force --set 4"), 0);
    assert!(work.tree("out") != before);
}
