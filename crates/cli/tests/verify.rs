//! Tests `polyshade verify` as a user runs it, including shaders that crash or hang.

use crate::work::{Work, json};
use std::fs;
use std::path::Path;

const DRIVERS: [&str; 2] = ["llvmpipe", "SwiftShader"];

/// Reads a buffer like the shaders below, so that their rewritten modules can replace the rewritten module
/// of this shader.
const GOOD: &str = "#version 450
    layout(set = 0, binding = 0) buffer Table { uint table[]; };
    layout(location = 0) in vec4 a;
    layout(location = 1) in uint b;
    layout(location = 0) out vec4 v_out;
    void main() { v_out = a + vec4(table[0]); gl_Position = a; }";

/// Writes far beyond the buffer.
const CRASHES: &str = "#version 450
    layout(set = 0, binding = 0) buffer Table { uint table[]; };
    layout(location = 0) in vec4 a;
    layout(location = 1) in uint b;
    layout(location = 0) out vec4 v_out;
    void main() { table[gl_VertexIndex + 0x10000000] = b; v_out = a; gl_Position = a; }";

/// Waits for an even number to become odd.
const HANGS: &str = "#version 450
    layout(set = 0, binding = 0) buffer Table { uint table[]; };
    layout(location = 0) in vec4 a;
    layout(location = 1) in uint b;
    layout(location = 0) out vec4 v_out;
    void main() {
        uint n = b * 2u;
        while (n != table[0] * 2u + 7u) { n = n * 2u + 2u; }
        v_out = a * float(n);
        gl_Position = a;
    }";

const OPTIONS: &str = "--varyings v_out --set 3 --side-effects in-capture";

/// Returns a folder with the shaders and their captures.
fn work() -> Work {
    let work = Work::new();
    for (name, source) in [("good", GOOD), ("crashes", CRASHES), ("hangs", HANGS)] {
        work.write(&format!("{name}.vert"), source);
        work.succeeds(&format!("capture {name}.vert {OPTIONS} -o {name}.spv"));
    }
    work
}

/// Verifies the capture of a shader, which must make the program exit with `code`. Returns the printed messages.
#[track_caller]
fn verify(work: &Work, code: i32, shader: &str, options: &str) -> String {
    work.says(code, &format!("verify capture {shader}.vert {OPTIONS} {options}"))
}

/// Verifies the capture of a shader, which must make the program exit with `code` and print these parts of messages.
#[track_caller]
fn tells(work: &Work, code: i32, shader: &str, options: &str, parts: &[&str]) {
    work.tells(code, &format!("verify capture {shader}.vert {OPTIONS} {options}"), parts);
}

#[test]
fn what_is_equal_exits_with_0_and_says_what_was_compared() {
    let work = work();
    for driver in DRIVERS {
        let text = verify(&work, 0, "good", &format!("--device {driver} --runs 2"));
        assert!(text.starts_with("equal on ") && text.contains("captured vertices"), "{text}");

        let options = format!("--device {driver} --rewritten capture-only=good.spv --validation");
        verify(&work, 0, "good", &options);
    }
}

#[test]
fn what_differs_exits_with_1_and_the_first_difference() {
    let work = work();
    let other = GOOD.replace("a + vec4", "a.yxzw + vec4");
    work.write("other.vert", &other);
    work.succeeds("capture other.vert --varyings v_out --set 3 -o other.spv");
    for driver in DRIVERS {
        let options = format!("--device {driver} --rewritten other.spv --json --report r.json");
        let text = verify(&work, 1, "good", &options);
        let report = json(&text);
        assert_eq!(report["result"], "different");
        let difference = &report["difference"];
        assert_eq!(difference["variant"], "capture-only");
        assert_eq!(difference["varying"], "v_out");
        assert!(difference["component"].as_u64().is_some_and(|number| number < 2), "{text}");
        assert!(difference["draw"].as_str().unwrap().contains("PointList"), "{text}");
        assert_ne!(difference["expected"]["bits"], difference["found"]["bits"]);
        assert_eq!(work.json("r.json"), report);
    }
}

#[test]
fn a_crash_is_the_originals_or_the_rewritten_shaders() {
    let work = work();
    let device = "--device SwiftShader";
    tells(&work, 3, "crashes", device, &["crashed", "while the original ran"]);
    let rewritten = format!("{device} --rewritten crashes.spv");
    tells(&work, 1, "good", &rewritten, &["crashed", "while the rewritten shader ran"]);
}

#[test]
fn a_hang_is_ended_and_nothing_is_left_behind() {
    let work = work();
    let why = "after 2 seconds while the original ran";
    tells(&work, 3, "hangs", "--device SwiftShader --timeout 2", &[why]);

    let options = "--device SwiftShader --timeout 4 --rewritten hangs.spv --report r.json";
    tells(&work, 1, "good", options, &["after 4 seconds while the rewritten shader ran"]);
    let report = work.text("r.json");
    assert!(report.contains("\"different\""), "{report}");

    assert_eq!(processes_in(work.folder()), 0);
}

/// Returns the number of processes whose current folder is this one, if the system has `/proc`.
fn processes_in(folder: &Path) -> usize {
    let folder = folder.canonicalize().unwrap();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let there = |process: &fs::DirEntry| fs::read_link(process.path().join("cwd")).ok();
    processes.filter_map(|process| there(&process)).filter(|cwd| *cwd == folder).count()
}

#[test]
fn what_cannot_be_compared_exits_with_3_and_the_reason() {
    let work = work();
    let doubles = "#version 450
        layout(location = 0) flat out double v_out;
        void main() { v_out = double(gl_VertexIndex); gl_Position = vec4(1); }";
    work.write("doubles.vert", doubles);
    let text = verify(&work, 3, "doubles", "--device SwiftShader");
    assert!(text.starts_with("not comparable on ") && text.contains("shaderFloat64"), "{text}");
    verify(&work, 0, "doubles", "--device llvmpipe");

    let refused = "verify capture crashes.vert --varyings v_out";
    work.fails(refused, 3, "cannot rewrite the shader");

    tells(&work, 3, "good", "--device none-such", &["no Vulkan device named `none-such`"]);
}

/// Verifies any verb, which must make the program exit with `code`. Returns the printed messages.
#[track_caller]
fn verified(work: &Work, code: i32, arguments: &str) -> String {
    work.says(code, &format!("verify {arguments}"))
}

/// Writes the position, distances in a register, and another output.
const PLANES: &str = "#version 450
    layout(location = 0) in vec4 a;
    layout(location = 1) in vec4 b;
    layout(location = 0) out vec4 v_out;
    layout(location = 3) out vec2 v_distances;
    void main() { v_out = a + b; v_distances = b.xy + vec2(3.0); gl_Position = vec4(a.xyz * 0.2, 1.5); }";

const SPRITE: &str = "#version 450
    layout(location = 0) in vec4 v_colour;
    layout(location = 0) out vec4 colour;
    void main() { colour = vec4(v_colour.rgb * v_colour.a, v_colour.a); }";

/// Reads distances from a register.
const READ: &str = "#version 450
    layout(location = 3) in vec3 distances;
    layout(location = 0) out vec4 colour;
    void main() { colour = vec4(distances, 1.0); }";

/// For each kind of stage after the vertex stage, a command with its expected result.
const LATER: [(&str, &str, &str); 3] = [
    (
        "planes.geom",
        "#version 450
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 3) in vec4 distances[];
        layout(location = 3) out vec4 v_distances;
        void main() {
            for (int i = 0; i < 3; ++i) {
                gl_Position = gl_in[i].gl_Position;
                v_distances = distances[i] + 0.5;
                EmitVertex();
            }
        }",
        "--inputs clip=3.xy --outputs clip=3.xy,cull=3.z",
    ),
    (
        "planes.tese",
        "#version 450
        layout(triangles) in;
        layout(location = 3) in vec4 distances[];
        layout(location = 3) out vec4 v_distances;
        void main() {
            gl_Position = gl_TessCoord.x * gl_in[0].gl_Position
                + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
            v_distances = distances[1] * gl_TessCoord.x + 0.25;
        }",
        "--outputs clip=3.xy,cull=3.z",
    ),
    (
        "planes.tesc",
        "#version 450
        layout(vertices = 4) out;
        in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_out[];
        void main() {
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            for (int i = 0; i < 2; ++i)
                gl_out[gl_InvocationID].gl_ClipDistance[i] = gl_in[i].gl_ClipDistance[1 - i];
            for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = 1.0;
        }",
        "--to registers --location 2",
    ),
];

#[test]
fn every_verb_is_verified() {
    let work = Work::with(&[("planes.vert", PLANES), ("sprite.frag", SPRITE), ("read.frag", READ)]);
    for driver in DRIVERS {
        for (arguments, compared) in [
            ("position-only planes.vert --vertices 24 --validation", "pixels"),
            ("clip planes.vert --outputs clip=3.x,cull=3.y --vertices 24 --validation", "pixels"),
            (
                "--seed 3 blend sprite.frag --equations khr --select push-constant=0 --validation",
                "pixels",
            ),
            ("clip read.frag --inputs clip=3.xy,cull=3.z --validation", "pixels"),
            ("clip read.frag --emulate 4 --signature 2,1 --validation", "pixels"),
        ] {
            let text = verified(&work, 0, &format!("{arguments} --device {driver}"));
            assert!(text.starts_with("equal on ") && text.contains(compared), "{text}");
        }
    }
    for (name, source, arguments) in LATER {
        work.write(name, source);
        for more in ["--device llvmpipe", "--device llvmpipe --validation"] {
            let text = verified(&work, 0, &format!("clip {name} {arguments} {more}"));
            assert!(text.starts_with("equal on "), "{text}");
        }
        verified(&work, 3, &format!("clip {name} {arguments} --device SwiftShader"));
    }
    // The shader may also come before the verb.
    let extension = "planes.vert capture --path extension --varyings v_out,v_distances --device";
    verified(&work, 0, &format!("{extension} llvmpipe --validation"));
    let lacking = format!("verify {extension} SwiftShader");
    work.tells(3, &lacking, &["lacks VK_EXT_transform_feedback"]);
}

#[test]
fn every_verb_tells_what_differs() {
    let work = Work::with(&[("planes.vert", PLANES), ("sprite.frag", SPRITE)]);
    for line in [
        "capture planes.vert --path extension --varyings v_distances,v_out -o swapped.spv",
        "position-only planes.vert --keep position,v_out -o more.spv",
        "clip planes.vert --outputs clip=3.xy -o both.spv",
        "blend sprite.frag --equations screen -o screen.spv",
    ] {
        work.succeeds(line);
    }
    for (verb, arguments) in [
        (
            "capture",
            "capture planes.vert --path extension --varyings v_out,v_distances --rewritten swapped.spv",
        ),
        ("position-only", "position-only planes.vert --rewritten position-only=more.spv"),
        ("clip", "clip planes.vert --outputs clip=3.x,cull=3.y --rewritten lowered=both.spv"),
        ("blend", "blend sprite.frag --equations multiply --rewritten screen.spv"),
    ] {
        let text = verified(&work, 1, &format!("{arguments} --device llvmpipe --json"));
        let report = json(&text);
        assert_eq!((&report["result"], &report["verified"]), (&"different".into(), &verb.into()));
        assert!(report["difference"]["message"].is_string(), "{text}");
    }
    // The last two errors are the same as for `clip`.
    for (arguments, why) in [
        ("planes.vert --outputs clip=3 --rewritten both=both.spv", "clip makes no variant `both`"),
        ("sprite.frag --emulate 4", "--emulate in a fragment stage needs --signature"),
        ("planes.vert --native clip", "--native needs --emulate or --exact"),
    ] {
        work.tells(2, &format!("verify clip {arguments}"), &[why]);
    }
}

#[test]
fn what_the_validation_layer_says_is_a_difference() {
    let work = work();
    for driver in DRIVERS {
        let options = format!("--device {driver} --no-point-size --validation");
        tells(&work, 1, "good", &options, &["the validation layer reports", "PointSize"]);
    }
}

#[test]
fn what_is_printed_for_metal_is_verified_without_a_driver() {
    let work = work();
    let text = verify(&work, 0, "good", "--on metal");
    assert!(text.starts_with("equal on Metal, read as C++: "), "{text}");
    for verb in ["position-only", "vertex-pulling", "clip --planes 3 --planes-at uniform=3:0"] {
        work.tells(0, &format!("verify {verb} good.vert --on metal"), &["words of outputs"]);
    }

    let why = "capture-only: it does not run: memory that is not bound";
    tells(&work, 1, "good", "--on metal --rewritten capture-only=crashes.spv", &[why]);
    let why = ["not comparable", "cannot run the original: "];
    tells(&work, 3, "crashes", "--on metal", &why);
    let extension = "capture --path extension --varyings v_out";
    work.tells(3, &format!("verify {extension} good.vert --on metal"), &["not comparable"]);
    tells(&work, 2, "good", "--on metal --device llvmpipe", &["--device needs --on vulkan"]);
}

#[test]
fn what_is_captured_for_metal_is_held_to_what_a_driver_captures() {
    let work = work();
    let text = verify(&work, 0, "good", "--on metal --against llvmpipe");
    assert!(text.starts_with("equal on Metal, read as C++: "), "{text}");
    let why = "--against: no Vulkan device named `nothing`";
    tells(&work, 3, "good", "--on metal --against nothing", &[why]);
}

#[test]
fn wrong_usage_and_failures_exit_as_everywhere() {
    let work = work();
    for (code, arguments) in [
        (2, "good.vert"),
        (2, "info good.vert"),
        (4, "blend good.vert --equations multiply"),
        (2, "capture good.vert --varyings v_out --runs 0"),
        (2, "capture good.vert --varyings v_out --rewritten all=x.spv"),
        (1, "capture good.vert --varyings v_out --rewritten no.spv"),
        (1, "capture good.vert --varyings v_none"),
        (1, "capture no.vert --varyings v_out"),
    ] {
        verified(&work, code, arguments);
    }
}

#[test]
fn verbs_that_cannot_be_verified_are_told_with_those_that_can() {
    let tip = "`clip-space` cannot be verified: the verbs are capture, position-only, vertex-pulling, clip, blend";
    work().tells(2, "verify clip-space good.vert", &[tip]);
}

#[test]
fn colours_that_are_not_premultiplied_are_told_how_to_be_compared() {
    let work = Work::new();
    let glass = "#version 450\nlayout(location = 0) out vec4 o;
        void main() { o = vec4(0.5, 1.0, 0.75, 0.25); }";
    work.write("glass.frag", glass);
    let line = "glass.frag blend --equations multiply --device SwiftShader";
    work.tells(3, &format!("verify {line}"), &["try --source-alpha straight"]);
    verified(&work, 0, &format!("{line} --source-alpha straight"));
}

#[test]
fn a_geometry_stage_that_is_made_to_be_compared_needs_no_file() {
    let cut = "#version 450\nlayout(location = 0) in vec4 p;\nvoid main() { gl_Position = p;
        gl_ClipDistance[0] = p.x; }";
    let work = Work::with(&[("cut.vert", cut)]);
    for primitive in ["", "--primitive lines"] {
        let line = format!("cut.vert clip --exact --location 8 --device llvmpipe {primitive}");
        verified(&work, 0, &line);
    }
}

#[test]
fn devices_are_listed() {
    Work::new().tells(0, "verify --list-devices", &DRIVERS);
}
