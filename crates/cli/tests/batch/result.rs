//! Tests that a batch gives the same result for each shader as running the verb on that shader alone, in any order.

use super::{shader, with_side_effect, work};
use crate::work::{Work, exits, stderr, stdout};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn threads_do_not_show_in_what_is_written() {
    let work = Work::with_shaders(500);
    let mut printed = Vec::new();
    for threads in [1, 2, 8] {
        let line = format!("-o out{threads} --reports --report {threads}.json -j {threads}");
        let output = work.batch(&line);
        exits(&output, 1);
        printed.push(stdout(&output));
    }
    assert_eq!(work.outputs("out1").len(), 2 * 400);
    let (tree, report) = (work.tree("out1"), work.read("1.json"));
    for threads in [2, 8] {
        assert!(work.tree(&format!("out{threads}")) == tree, "the tree of -j {threads} differs");
        assert!(work.read(&format!("{threads}.json")) == report);
    }
    assert!(printed.iter().all(|table| *table == printed[0]), "{printed:?}");

    // As a control, the comparison detects a single changed file.
    fs::write(work.path("out8/0/000.vert.json"), "").unwrap();
    assert!(work.tree("out8") != tree);
}

#[test]
fn a_quiet_run_prints_errors_only_and_times_go_to_a_file_of_their_own() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    let loud = work.batch("-o loud");
    exits(&loud, 0);
    assert!(!stdout(&loud).is_empty());
    let quiet = work.batch("-o quiet --quiet --timings times.json");
    exits(&quiet, 0);
    assert_eq!((stdout(&quiet).as_str(), stderr(&quiet).as_str()), ("", ""));
    assert!(String::from_utf8(work.read("times.json")).unwrap().contains("a.vert"));
    assert!(work.tree("loud") == work.tree("quiet"));
}

#[test]
fn an_output_is_that_of_the_verb_alone() {
    let work = work();
    work.write("in/a/b.vert", &shader(5));
    exits(&work.batch("--set 7 --variant both -o out --reports"), 0);
    let alone = "capture in/a/b.vert --varyings gl_Position --set 7 -o alone.spv";
    exits(&work.run(&format!("{alone} --variant both=both.spv --report alone.json")), 0);
    let same = [("alone.spv", "spv"), ("both.spv", "both.spv"), ("alone.json", "json")];
    for (alone, ending) in same {
        let batch = work.read(&format!("out/a/b.vert.{ending}"));
        assert!(fs::read(work.path(alone)).unwrap() == batch, "{ending}");
    }
    assert_ne!(work.read("alone.spv"), work.read("both.spv"));
}

#[test]
fn the_report_says_what_became_of_each_shader_and_why() {
    let work = work();
    work.write("in/d/good.vert", &shader(1));
    work.write("in/effect.vert", &with_side_effect());
    work.write("in/broken.vert", "#version 450\nnonsense\n");
    work.write("in/where.hlsl", "");
    exits(&work.batch("-o out --report r.json"), 1);
    let report = work.json("r.json");
    let shaders = report["shaders"].as_array().unwrap();
    let names: Vec<_> = shaders.iter().map(|one| one["shader"].as_str().unwrap()).collect();
    assert_eq!(names, ["broken.vert", "d/good.vert", "effect.vert", "where.hlsl"]);
    let codes: Vec<_> = shaders.iter().map(|one| one["exit_code"].as_u64().unwrap()).collect();
    assert_eq!(codes[..3], [1, 0, 3]);
    assert_ne!(codes[3], 0);
    let (good, effect) = (&shaders[1], &shaders[2]);
    let words = work.read("out/d/good.vert.spv").len() / 4;
    assert_eq!(good["outputs"][0]["words"], words);
    assert_eq!(good["outputs"][0]["path"], "d/good.vert.spv");
    assert_eq!(good["input"]["bytes"], shader(1).len());
    assert!(effect["message"].as_str().unwrap().contains("stores to memory"), "{effect}");
    assert_eq!(effect["outputs"].as_array().unwrap().len(), 0);
    assert_eq!(report["statuses"]["ok"], 1);
    let text = work.text("r.json");
    assert!(!text.contains(work.folder().to_str().unwrap()), "{text}");
}

#[test]
fn the_report_does_not_say_where_the_folders_are() {
    let work = Work::with_shaders(10);
    exits(&work.batch("-o out --report r.json"), 1);
    let (folder, out) = (work.path("in"), work.path("elsewhere"));
    let line = format!(
        "batch {} capture --varyings gl_Position -o {} --report s.json",
        folder.display(),
        out.display()
    );
    exits(&work.run(&line), 1);
    assert_eq!(work.read("r.json"), work.read("s.json"));
    assert!(work.tree("out") == work.tree("elsewhere"));
}

#[test]
fn the_exit_code_is_that_of_the_worst_shader() {
    let work = work();
    let output = work.batch("-o out --report r.json");
    exits(&output, 0);
    assert!(stdout(&output).contains("no shaders"), "{output:?}");
    work.write("in/a.vert", &shader(1));
    exits(&work.batch("-o out"), 0);
    work.write("in/b.vert", &with_side_effect());
    exits(&work.batch("-o out"), 3);
    exits(&work.batch("-o out --allow-unsupported"), 0);
    work.write("in/c.vert", "nonsense");
    exits(&work.batch("-o out --allow-unsupported"), 1);
}

#[test]
fn shaders_of_another_stage_are_skipped() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/b.frag", "#version 450\nvoid main() {}\n");
    for isolate in ["", "--isolate"] {
        let output = work.batch(&format!("-o out --force --report r.json {isolate}"));
        exits(&output, 0);
        let entry = &work.json("r.json")["shaders"][1];
        assert_eq!((&entry["status"], &entry["exit_code"]), (&"skipped".into(), &4.into()));
        assert!(stdout(&output).contains("      1  skipped      cli.other-stage ("), "{output:?}");
    }
    // A module without the requested entry point is an error. It does not count as a shader of another stage.
    exits(&work.run("batch in position-only --entry other -o out"), 1);
}

#[test]
fn every_variant_of_a_verb_is_written_for_each_shader() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    work.write("in/b.vert", &shader(2));
    let position =
        "batch in position-only --variant complement --variant full={stem}.all.spv -o out";
    exits(&work.run(position), 0);
    let names =
        ["complement.spv", "spv"].map(|end| [format!("a.vert.{end}"), format!("b.vert.{end}")]);
    let mut expected: Vec<String> = names.concat();
    expected.extend(["a.all.spv".to_owned(), "b.all.spv".to_owned()]);
    expected.sort();
    assert_eq!(work.outputs("out"), expected);
    let cut = "batch in clip --exact --location 5 --variant geometry -o cut";
    exits(&work.run(cut), 0);
    for (line, why) in [
        ("position-only --complement c.spv", "--complement names one file"),
        ("position-only --full f.spv", "--variant full writes one for each shader"),
        ("clip --exact --location 5 --geometry g.spv", "--geometry names one file"),
        (
            "position-only --variant both",
            "`position-only` has no variant `both`: its variants are complement, full",
        ),
        ("clip-space --variant both", "`clip-space` has no variants"),
        ("capture --varyings gl_Position --variant all", "unknown variant `all`"),
    ] {
        work.fails(&format!("batch in {line} -o no"), 2, why);
    }
    assert!(!work.has("no"));
}

#[test]
fn shaders_are_counted_by_the_code_of_their_errors() {
    let work = work();
    let doubles = "#version 450\nlayout(location = 0) flat out double v;\nvoid main() { v = 1; }\n";
    work.write("in/a.vert", doubles);
    work.write("in/b.vert", &doubles.replace("= 1", "= 2"));
    for isolate in ["", "--isolate"] {
        exits(
            &work.run(&format!(
                "batch in convert --extension metal -o out --report r.json {isolate}"
            )),
            3,
        );
        let report = work.json("r.json");
        assert_eq!(report["reasons"].as_array().map(Vec::len), Some(1), "{report}");
        let group = &report["reasons"][0];
        assert_eq!(group["code"], "format.not-expressible");
        assert_eq!((&group["shaders"], &group["first"]), (&2.into(), &"a.vert".into()));
        assert_eq!(group["message"], report["shaders"][0]["message"]);
        exits(&work.run("batch in convert --extension metal -o out --force -q"), 3);
    }
}

#[test]
fn what_cannot_be_read_fails_by_its_name_and_stops_nothing() {
    let work = work();
    work.write("in/good.vert", &shader(1));
    symlink("nowhere", work.path("in/dangling.vert")).unwrap();
    symlink("circle.vert", work.path("in/circle.vert")).unwrap();
    symlink("..", work.path("in/up")).unwrap();
    symlink("good.vert", work.path("in/link.vert")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(work.path("in/pipe.vert")).status();
    assert!(pipe.unwrap().success());
    exits(&work.batch("-o out --report r.json"), 1);
    let report = work.json("r.json");
    let status = |at: usize| {
        let one = &report["shaders"][at];
        format!("{} {}", one["shader"].as_str().unwrap(), one["status"].as_str().unwrap())
    };
    let expected = [
        "circle.vert failed",
        "dangling.vert failed",
        "good.vert ok",
        "link.vert ok",
        "pipe.vert failed",
    ];
    assert_eq!((0..5).map(status).collect::<Vec<_>>(), expected);
    assert_eq!(report["shaders"].as_array().unwrap().len(), 5);
}

#[test]
fn the_first_failure_is_the_last_shader_that_counts() {
    let work = Work::with_shaders(200);
    for threads in [1, 8] {
        let line = format!("-o out{threads} --fail-fast -j {threads} --report {threads}.json");
        exits(&work.batch(&line), 1);
    }
    let report = work.json("1.json");
    let statuses: Vec<_> = report["shaders"].as_array().unwrap().iter().collect();
    let failed = statuses.iter().position(|one| one["status"] == "failed").unwrap();
    assert!(statuses[failed + 1..].iter().all(|one| one["status"] == "not run"));
    assert!(statuses[..failed].iter().all(|one| one["status"] != "not run"));
    assert_eq!(work.read("1.json"), work.read("8.json"));
}

#[test]
fn wrong_usage_is_noticed_before_anything_is_done() {
    let work = Work::with_shaders(3);
    let wrong = [
        "batch in capture --varyings a --nonsense -o out",
        "batch in capture --varyings a --json -o out",
        "batch in capture --varyings a --name ../{path} -o out",
        "batch in capture --varyings a --include [ -o out",
        "batch in capture --varyings a -j 0 -o out",
        "batch in batch in info -o out",
        "batch in nonsense -o out",
        "batch in info --reports -o out",
        "batch in info --rank rank.json -o out",
        "batch in position-only --rank out/0/000.vert.spv -o out",
        "batch nowhere capture --varyings a -o out",
        "batch in capture --varyings a",
        "batch in capture --varyings a -o in",
        "batch in capture --varyings a -o .",
        "batch in @nowhere -o out",
    ];
    for line in wrong {
        exits(&work.run(line), 2);
        assert!(!work.has("out"), "{line}");
    }
    exits(&work.batch("-o out"), 0);
}

#[test]
fn what_a_verb_prints_is_its_output() {
    let work = Work::with_shaders(8);
    let output = work.run("batch in info --json -o out --report r.json");
    exits(&output, 1);
    let report = work.json("r.json");
    assert_eq!(report["statuses"]["failed"], 1, "{}", stderr(&output));
    assert_eq!(report["statuses"]["ok"], 7);
    let text = work.text("out/0/000.vert.json");
    assert!(text.contains("\"entry_points\""), "{text}");

    exits(&work.batch("--dry-run --json -o dry"), 1);
    let text = work.text("dry/0/000.vert.json");
    assert!(text.contains("\"buffers\""), "{text}");
}

#[test]
fn a_process_for_each_shader_gives_the_same() {
    let work = Work::with_shaders(10);
    exits(&work.batch("-o here"), 1);
    exits(&work.batch("-o there --isolate --report r.json"), 1);
    assert_eq!(work.outputs("here").len(), 8);
    assert!(work.made("here") == work.made("there"));
    let statuses = &work.json("r.json")["statuses"];
    assert_eq!((&statuses["failed"], &statuses["unsupported"]), (&1.into(), &1.into()));
}

#[test]
fn shaders_are_ranked_by_what_a_position_only_pass_saves() {
    let work = work();
    let declared = "#version 450\nlayout(location = 0) in vec4 a; layout(location = 1) in vec4 b;\n\
        layout(location = 0) out vec4 v;\n";
    let write = |name: &str, body: &str| {
        work.write(&format!("in/{name}.vert"), &format!("{declared}void main() {{ {body} }}\n"));
    };
    write("all", "gl_Position = a; v = vec4(0.0);");
    write("most", "gl_Position = a; v = normalize(b) * sin(b.x) + cos(b.y) * b;");
    write("little", "gl_Position = normalize(a) * sin(a.x) + cos(a.y) * a; v = b;");
    work.write("in/effect.vert", &with_side_effect());

    let line = "batch in position-only --dry-run -o out --rank rank.json";
    let output = work.run(line);
    exits(&output, 3);
    let ranking = work.json("rank.json");
    let shaders = ranking["shaders"].as_array().unwrap();
    let names: Vec<&str> = shaders.iter().map(|one| one["shader"].as_str().unwrap()).collect();
    assert_eq!(names, ["most.vert", "all.vert", "little.vert"]);
    let [most, little] = [&shaders[0], &shaders[2]];
    assert!(most["saved"].as_f64() > Some(0.5) && little["saved"].as_f64() < Some(0.25));
    assert_eq!([&most["gains_little"], &little["gains_little"]], [false, true]);
    assert_eq!(most["input_bytes"], serde_json::json!({ "original": 32, "position_only": 16 }));
    let text = stdout(&output);
    let at = |name: &str| text.find(name).unwrap_or_else(|| panic!("{text}"));
    assert!(at("most.vert") < at("all.vert") && at("all.vert") < at("little.vert"), "{text}");

    // Shaders that an earlier run finished are also ranked.
    fs::remove_file(work.path("rank.json")).unwrap();
    exits(&work.run(line), 3);
    assert_eq!(work.json("rank.json"), ranking);
}

#[test]
fn a_shader_with_several_entry_points_is_unsupported() {
    let work = work();
    work.write("in/a.vert", &shader(1));
    let entry = |name: &str| {
        format!("@vertex fn {name}() -> @builtin(position) vec4f {{ return vec4f(1); }}")
    };
    work.write("in/two.wgsl", &(entry("one") + &entry("other")));
    for options in ["", "--isolate "] {
        let output = work.batch(&format!("{options}-o out --force"));
        exits(&output, 3);
        assert!(stdout(&output).contains("cli.ambiguous-entry-point"), "{output:?}");
        exits(&work.batch(&format!("{options}-o out --force --allow-unsupported")), 0);
    }
}
