//! Tests every verb in a batch, with shaders of other stages, additional outputs, and unsupported shaders.

use super::work;
use crate::files::verbs;
use crate::work::{Work, exits, stderr, stdout};
use std::collections::BTreeSet;

/// A verb with options, in a batch.
struct Line {
    options: &'static str,
    /// The expected statuses of the vertex, fragment, compute and mesh shaders.
    statuses: [&'static str; 4],
    /// Options of the batch that add outputs, with the extensions of these outputs.
    seconds: &'static [(&'static str, &'static str)],
    /// The extension of the first output.
    ending: &'static str,
}

const SHADERS: [(&str, &str); 4] = [
    (
        "a.vert",
        "#version 450\nlayout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 v;\n\
         void main() { v = a; gl_Position = a; gl_ClipDistance[0] = a.x; }\n",
    ),
    (
        "b.frag",
        "#version 450\nlayout(location = 0) out vec4 colour;\nvoid main() { colour = vec4(0.5); }\n",
    ),
    ("c.comp", "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n"),
    (
        "d.mesh",
        "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 1) in;\n\
         layout(triangles, max_vertices = 3, max_primitives = 1) out;\n\
         void main() { SetMeshOutputsEXT(0, 0); }\n",
    ),
];

const OK: &str = "ok";
/// The verb does not apply to the stage.
const SKIPPED: &str = "skipped";
/// The verb applies to the stage, but cannot rewrite the shader.
const UNSUPPORTED: &str = "unsupported";

const REPORTS: (&str, &str) = ("--reports", "json");

const fn line(
    options: &'static str,
    statuses: [&'static str; 4],
    seconds: &'static [(&'static str, &'static str)],
) -> Line {
    Line { options, statuses, seconds, ending: "spv" }
}

const LINES: [Line; 16] = [
    line("blend --equations multiply", [SKIPPED, OK, SKIPPED, SKIPPED], &[REPORTS]),
    line(
        "capture --varyings v",
        [OK, SKIPPED, SKIPPED, SKIPPED],
        &[REPORTS, ("--variant both", "both.spv"), ("--variant raster-only", "raster-only.spv")],
    ),
    line(
        "capture --varyings v --path compute --pull --attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4",
        [OK, SKIPPED, SKIPPED, SKIPPED],
        &[REPORTS, ("--variant raster-only", "raster-only.spv")],
    ),
    line("capture --path extension --varyings v", [OK, SKIPPED, SKIPPED, UNSUPPORTED], &[REPORTS]),
    line("clip --enable 1", [OK, UNSUPPORTED, SKIPPED, UNSUPPORTED], &[REPORTS]),
    line(
        "clip --exact --location 5",
        [OK, UNSUPPORTED, SKIPPED, UNSUPPORTED],
        &[("--variant geometry", "geometry.spv"), REPORTS],
    ),
    line("convert", [OK; 4], &[]),
    line("clip-space --flip-y on", [OK, SKIPPED, SKIPPED, UNSUPPORTED], &[REPORTS]),
    line("rasterizer-discard", [OK, SKIPPED, SKIPPED, UNSUPPORTED], &[REPORTS]),
    Line { ending: "txt", ..line("info", [OK; 4], &[]) },
    Line { ending: "json", ..line("info --json", [OK; 4], &[]) },
    line(
        "position-only",
        [OK, SKIPPED, SKIPPED, OK],
        &[REPORTS, ("--variant complement", "complement.spv"), ("--variant full", "full.spv")],
    ),
    line(
        "vertex-pulling --attribute 0=0:0:r8g8b8a8_unorm --buffer 0=4",
        [OK, SKIPPED, SKIPPED, SKIPPED],
        &[REPORTS],
    ),
    Line {
        ending: "txt",
        ..line("position-only --dry-run", [OK, SKIPPED, SKIPPED, OK], &[REPORTS])
    },
    Line {
        ending: "txt",
        ..line(
            "verify --device llvmpipe position-only",
            [OK, SKIPPED, SKIPPED, UNSUPPORTED],
            &[REPORTS],
        )
    },
    Line {
        ending: "txt",
        ..line(
            "verify --device llvmpipe blend --equations multiply",
            [SKIPPED, OK, SKIPPED, SKIPPED],
            &[REPORTS],
        )
    },
];

/// Verbs that a batch rejects, with the error messages.
const REFUSED: [(&str, &str); 8] = [
    ("batch", "a batch cannot run batches"),
    ("completions", "`completions` reads no shader"),
    ("layer", "`layer` reads no shader"),
    ("pipeline", "`pipeline` takes all stages of a pipeline"),
    ("tessellation", "`tessellation` takes all stages of a pipeline"),
    ("man", "`man` reads no shader"),
    ("plan", "`plan` reads no shader"),
    ("help", "unknown verb `help`"),
];

/// Returns a folder with one shader of each stage.
fn stages() -> Work {
    let work = work();
    for (name, text) in SHADERS {
        work.write(&format!("in/{name}"), text);
    }
    work
}

impl Line {
    /// Returns the command line for this verb. SPIR-V 1.4 is needed because of the mesh shader.
    fn of(&self, batch: &str) -> String {
        // Use one thread, because each thread starts glslang, which takes longer than compiling the shaders.
        format!("batch in -j 1 --report r.json {batch} {} --spirv-version 1.4", self.options)
    }

    /// Returns the names of the outputs of all shaders except the first `without` shaders, including
    /// these further outputs.
    fn outputs(&self, without: usize, seconds: &[(&str, &str)]) -> Vec<String> {
        let done =
            SHADERS.iter().zip(self.statuses).skip(without).filter(|(_, status)| *status == OK);
        let endings = || seconds.iter().map(|(_, ending)| *ending).chain([self.ending]);
        let names =
            done.flat_map(|((name, _), _)| endings().map(move |end| format!("{name}.{end}")));
        BTreeSet::from_iter(names).into_iter().collect()
    }

    fn exit_code(&self) -> i32 {
        if self.statuses.contains(&UNSUPPORTED) { 3 } else { 0 }
    }
}

fn statuses(work: &Work) -> Vec<(String, Option<u64>)> {
    let report = work.json("r.json");
    let shaders = report["shaders"].as_array().expect("there are shaders").iter();
    let status = |one: &serde_json::Value| one["status"].as_str().expect("a status").to_owned();
    shaders.map(|one| (status(one), one["exit_code"].as_u64())).collect()
}

fn code(status: &str) -> Option<u64> {
    match status {
        OK => Some(0),
        "failed" => Some(1),
        UNSUPPORTED => Some(3),
        SKIPPED => Some(4),
        _ => None,
    }
}

#[test]
fn every_verb_is_in_the_table_or_refused() {
    let work = stages();
    let verbs = verbs(&work);
    let listed: BTreeSet<&str> = verbs.iter().map(String::as_str).chain(["help"]).collect();
    let taken = LINES.iter().map(|line| line.options.split(' ').next().expect("a verb"));
    let known: BTreeSet<&str> = taken.chain(REFUSED.map(|(verb, _)| verb)).collect();
    assert_eq!(listed, known);
    for (verb, why) in REFUSED {
        work.fails(&format!("batch in {verb} -o out"), 2, why);
    }
    assert!(!work.has("out"));
}

#[test]
fn stages_are_skipped_or_unsupported_and_have_no_outputs() {
    let work = stages();
    for line in &LINES {
        // Try the required outputs, then all outputs: `--exact` always has to write a geometry stage.
        let least = if line.options.contains("--exact") { &line.seconds[..1] } else { &[] };
        let all = [least, line.seconds];
        for (number, seconds) in all.into_iter().enumerate() {
            let options: Vec<&str> = seconds.iter().map(|(option, _)| *option).collect();
            let out = format!("out{number}");
            let words = line.of(&format!("-o {out} {}", options.join(" ")));
            let output = work.run(&words);
            exits(&output, line.exit_code());
            let expected = line.statuses.map(|status| (status.to_owned(), code(status)));
            assert_eq!(statuses(&work), expected, "{words}");
            assert_eq!(work.outputs(&out), line.outputs(0, seconds), "{words}");
            let count = line.statuses.iter().filter(|status| **status == SKIPPED).count();
            assert!(
                count == 0 || stdout(&output).contains(SKIPPED),
                "{words}: {}",
                stdout(&output)
            );
            exits(
                &work.run(&line.of(&format!("-o {out} {} --allow-unsupported", options.join(" ")))),
                0,
            );
        }

        // A broken vertex shader has no outputs any more, regardless of its earlier status.
        work.write("in/a.vert", "#version 450\nnonsense\n");
        let options: Vec<&str> = line.seconds.iter().map(|(option, _)| *option).collect();
        let output = work.run(&line.of(&format!("-o out1 {}", options.join(" "))));
        exits(&output, 1);
        assert_eq!(statuses(&work)[0], ("failed".to_owned(), Some(1)), "{}", line.options);
        assert_eq!(work.outputs("out1"), line.outputs(1, line.seconds), "{}", line.options);
        work.write("in/a.vert", SHADERS[0].1);
        for out in ["out0", "out1"] {
            std::fs::remove_dir_all(work.path(out)).unwrap();
        }
    }
}

#[test]
fn a_second_output_that_the_verb_has_not_is_wrong_usage() {
    let work = stages();
    for line in &LINES {
        for (option, _) in [
            REPORTS,
            ("--variant both", ""),
            ("--variant complement", ""),
            ("--variant geometry", ""),
        ] {
            if line.seconds.iter().any(|(one, _)| *one == option) {
                continue;
            }
            let is_capture = line.options.starts_with("capture --varyings");
            if is_capture && option == "--variant both" {
                continue;
            }
            let output = work.run(&line.of(&format!("-o out {option}")));
            exits(&output, 2);
            assert!(!work.has("out"), "{} {option}: {}", line.options, stderr(&output));
        }
    }
}

#[test]
fn what_a_device_did_not_compare_is_tried_again() {
    let work = work();
    // This shader waits for an even number to become odd.
    work.write(
        "in/hangs.vert",
        "#version 450\nlayout(set = 0, binding = 0) buffer Table { uint table[]; };\n\
         layout(location = 0) in vec4 a;\nlayout(location = 1) in uint b;\nlayout(location = 0) out vec4 v;\n\
         void main() { uint n = b * 2u; while (n != table[0] * 2u + 7u) { n = n * 2u + 2u; }\n\
         v = a * float(n); gl_Position = a; }\n",
    );
    work.write("in/quick.vert", SHADERS[0].1);
    let line = "batch in verify --device SwiftShader --timeout 2 capture --varyings v --set 3 \
        --side-effects in-capture -o out --report r.json --reports";
    for run in ["all were done", "1 of 2 shaders were done already"] {
        let output = work.run(line);
        exits(&output, 3);
        let expected = [(UNSUPPORTED.to_owned(), Some(3)), (OK.to_owned(), Some(0))];
        assert_eq!(statuses(&work), expected);
        let message = work.json("r.json")["shaders"][0]["message"].to_string();
        assert!(message.contains("after 2 seconds while the original ran"), "{message}");
        assert_eq!(work.outputs("out"), ["quick.vert.json", "quick.vert.txt"]);
        assert!(
            run.starts_with("all") || stderr(&output).contains("1 of 2 shaders were done already")
        );
    }
    work.fails(
        "batch in verify --rewritten a.spv capture --varyings v -o no",
        2,
        "every shader needs its own",
    );
}
