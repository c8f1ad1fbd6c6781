//! Tests that the shards of a batch on several machines give the same result as a single machine.

use super::{shader, work};
use crate::work::{Work, exits, stderr, stdout};
use serde_json::Value;
use std::collections::BTreeMap;

const CAPTURE: &str = "batch in capture --varyings gl_Position";

/// Runs each of `of` shards of `in` with its own output folder. The report of shard 1 is `1.json`.
fn run_shards(work: &Work, of: usize, options: &str) {
    for shard in 1..=of {
        let line = format!("{CAPTURE} -o out{shard} --shard {shard}/{of} --report {shard}.json");
        work.run(&format!("{line} {options}"));
        assert!(work.has(&format!("{shard}.json")));
    }
}

#[test]
fn shards_make_what_one_machine_makes() {
    let work = Work::with_shaders(100);
    let whole = work.batch("-o whole --report whole.json --variant both");
    exits(&whole, 1);
    run_shards(&work, 3, "--variant both");
    let parts: Vec<_> = (1..=3).map(|shard| work.made(&format!("out{shard}"))).collect();
    assert!(parts.iter().all(|part| part.len() > 2 * 10));
    let count: usize = parts.iter().map(BTreeMap::len).sum();
    let all: BTreeMap<_, _> = parts.into_iter().flatten().collect();
    assert!(count == all.len() && all == work.made("whole"));

    let joined = work.run("batch --merge 3.json 1.json 2.json --report joined.json");
    exits(&joined, 1);
    assert_eq!(work.text("joined.json"), work.text("whole.json"));
    assert_eq!(stdout(&joined), stdout(&whole));
    assert!(stderr(&joined).contains("10 of 100 shaders failed"), "{}", stderr(&joined));
    exits(&work.run("batch --report - --merge=3.json --merge=1.json --merge=2.json -q"), 1);
    assert_ne!(work.read("1.json"), work.read("whole.json"));
}

#[test]
fn one_shard_of_one_is_the_whole_and_none_of_no_shaders_is_missing() {
    let work = work();
    run_shards(&work, 2, "");
    exits(&work.run("batch --merge 1.json 2.json"), 0);
    work.write("in/a.vert", &shader(1));
    exits(&work.batch("-o whole --report whole.json"), 0);
    run_shards(&work, 1, "");
    exits(&work.run("batch --merge 1.json --report joined.json"), 0);
    assert_eq!(work.read("joined.json"), work.read("whole.json"));
}

#[test]
fn neither_a_name_nor_other_shaders_change_the_shard_of_a_shader() {
    let work = Work::with_shaders(20);
    run_shards(&work, 2, "");
    let before = work.outputs("out1");
    work.write("in/new.vert", &shader(1000));
    let first = before[0].strip_suffix(".spv").expect("it has the name of its shader");
    let text = work.text(&format!("in/{first}"));
    work.write("in/again.vert", &text);
    run_shards(&work, 2, "");
    let mut after = work.outputs("out1");
    assert!(after.contains(&"again.vert.spv".to_owned()));
    after.retain(|name| name != "new.vert.spv" && name != "again.vert.spv");
    assert_eq!(after, before);
}

#[test]
fn shards_that_write_to_one_folder_one_after_another_leave_each_others_outputs() {
    let work = Work::with_shaders(20);
    exits(&work.batch("-o whole"), 1);
    for shard in 1..=3 {
        work.batch(&format!("-o out --shard {shard}/3"));
    }
    assert!(work.tree("out") == work.tree("whole"));
}

fn changed(work: &Work, from: &str, to: &str, change: impl FnOnce(&mut Value)) {
    let mut report = work.json(from);
    change(&mut report);
    work.write(to, &report.to_string());
}

#[test]
fn reports_that_are_not_all_shards_of_one_batch_are_refused() {
    let work = Work::with_shaders(20);
    work.batch("-o whole --report whole.json");
    run_shards(&work, 3, "");
    let other = |name: &str, line: &str| {
        work.run(&format!("{line} -o {name} --shard 2/3 --report {name}.json"));
    };
    other("options", "batch in capture --varyings gl_Position --set 5");
    other("verb", "batch in position-only");
    other("fewer", "batch in capture --varyings gl_Position --exclude 00*");
    work.run(&format!("{CAPTURE} -o four --shard 2/4 --report four.json"));
    let version = |report: &mut Value| report["program"]["version"] = "0.0.1".into();
    changed(&work, "2.json", "version.json", version);
    changed(&work, "2.json", "shape.json", |report| report["version"] = 1.into());
    let lost = |report: &mut Value| drop(report["shaders"].as_array_mut().unwrap().pop());
    changed(&work, "2.json", "lost.json", lost);
    let taken = work.json("1.json")["shaders"][0].clone();
    let strange = |report: &mut Value| report["shaders"].as_array_mut().unwrap().push(taken);
    changed(&work, "2.json", "strange.json", strange);
    let command = |report: &mut Value| report["shard"]["whole"]["command"] = "0".into();
    changed(&work, "2.json", "command.json", command);
    work.write("text.json", "no report");
    work.write("object.json", "{}");

    for (reports, why) in [
        ("1.json 3.json", "the report of shard 2 of 3 is missing"),
        ("2.json", "the report of shard 1 of 3 is missing, and 1 more"),
        ("1.json 2.json 2.json 3.json", "2.json: this is the report of shard 2 of 3, as is 2.json"),
        ("1.json four.json 3.json", "four.json: this is shard 2 of 4, and 1.json is shard 1 of 3"),
        ("1.json options.json 3.json", "options.json: the options differ from those of 1.json"),
        ("1.json verb.json 3.json", "verb.json: another version of the program or of a lowering"),
        (
            "1.json fewer.json 3.json",
            "fewer.json: the shaders in the folder differ from those of 1.json",
        ),
        ("1.json version.json 3.json", "version.json: another version of the program"),
        ("1.json shape.json 3.json", "shape.json: this report has version 1, but only version 3"),
        ("1.json lost.json 3.json", "of 20 shaders: a report was edited"),
        ("1.json strange.json 3.json", "21 of 20 shaders: a report was edited"),
        (
            "1.json command.json 3.json",
            "command.json: the files that the options name, or the devices",
        ),
        ("1.json whole.json", "whole.json: this is the report of a whole batch, not of a shard"),
        ("1.json text.json", "text.json: this is not a batch report"),
        ("1.json object.json", "object.json: this is not a batch report"),
        ("1.json nowhere.json", "nowhere.json: No such file"),
    ] {
        work.fails(&format!("batch --merge {reports} --report joined.json"), 2, why);
        assert!(!work.has("joined.json"), "{reports}");
    }
    let one = work.read("1.json");
    let same = "batch --merge 1.json 2.json 3.json --report 1.json";
    work.fails(same, 2, "1.json: this is one of the reports to join");
    assert_eq!(work.read("1.json"), one);
}

#[test]
fn shards_and_joining_have_their_own_options() {
    let work = Work::with_shaders(2);
    for (line, why) in [
        ("--shard 0/2", "a shard is I/N"),
        ("--shard 3/2", "a shard is I/N"),
        ("--shard 1/2 --fail-fast", "cannot be used with"),
    ] {
        work.fails(&format!("{CAPTURE} -o out {line}"), 2, why);
    }
    for line in ["-o out", "--force", "--timings t.json", "--list l", "--shard 1/2", "-j 2"] {
        work.fails(&format!("batch --merge 1.json {line}"), 2, "cannot be used with");
    }
    work.fails("batch in info --merge 1.json", 2, "cannot be used with");
    assert!(!work.has("out"));
}
