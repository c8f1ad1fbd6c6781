//! Tests shaders through files, pipes and compilers. A shader that is written and read again does not change.

use crate::work::{Work, exits, fails};
use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

const VERTEX: &str = "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out vec3 v;\n\
    layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;\n\
    void main() { v = p.xyz * 2.0; gl_Position = scene.view * p; }\n";

impl Work {
    /// Runs the program with `input` as its standard input.
    fn run_on(&self, line: &str, input: &[u8]) -> Output {
        let mut command = self.command(line);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        child.stdin.take().expect("it is piped").write_all(input).expect("it reads all");
        child.wait_with_output().expect("it ends")
    }

    #[track_caller]
    fn piped(&self, line: &str, input: &[u8]) -> Vec<u8> {
        let output = self.run_on(line, input);
        exits(&output, 0);
        output.stdout
    }
}

/// Returns a folder with the shader as `a.vert`.
fn work() -> Work {
    Work::with(&[("a.vert", VERTEX)])
}

#[test]
fn verbs_pipe() {
    let work = work();
    let convert = "convert - --stage vert";
    let words = work.piped(convert, VERTEX.as_bytes());
    assert_eq!(words[..4], 0x0723_0203_u32.to_le_bytes());
    // The first command captures the position and passes its raster-only variant to the second, which captures `v`.
    let first = "capture - --varyings gl_Position -o a.spv --variant raster-only=-";
    let raster = work.piped(first, &words);
    let second = "capture - --varyings v -o - --format msl";
    let text = String::from_utf8(work.piped(second, &raster)).expect("it is text");
    assert!(text.contains("vertex void main0("), "{text}");
    fails(&work.run_on(second, &words[..words.len() - 2]), 1, "the file is cut off");
}

#[test]
fn glsl_hlsl_and_wgsl_are_read_again() {
    let work = work();
    for (write, read) in [
        ("convert a.vert -o b.vert --glsl-vulkan", "capture b.vert --varyings v -o c.spv"),
        (
            "convert a.vert -o b.vert.glsl --glsl-vulkan",
            "capture b.vert.glsl --varyings v -o c.spv",
        ),
        ("convert a.vert -o b.vert.hlsl", "info b.vert.hlsl"),
        ("convert a.vert -o b.wgsl", "capture b.wgsl --varyings gl_Position -o c.spv"),
        ("capture a.vert --varyings v -o d.vert --glsl-vulkan", "info d.vert"),
        ("capture a.vert --varyings v -o d.vert.hlsl --no-point-size", "info d.vert.hlsl"),
        ("capture a.vert --varyings v -o c.spv --variant raster-only=e.wgsl", "info e.wgsl"),
    ] {
        work.succeeds(write);
        work.succeeds(read);
    }
}

#[test]
fn spvasm_gives_the_same_words_again() {
    let work = work();
    work.succeeds("convert a.vert -o a.spv --spirv-version 1.5");
    work.succeeds("convert a.spv -o a.spvasm");
    work.succeeds("convert a.spvasm -o b.spv");
    assert!(work.read("a.spv") == work.read("b.spv"), "the words differ");
    let piped = work.piped("convert - -o - --language spvasm", &work.read("a.spvasm"));
    assert!(piped == work.read("a.spv"));
}

/// Without the feature `tools`, the program can still write assembly. To read assembly and to validate, it runs the
/// programs of SPIRV-Tools. If they are not installed, the error names the feature.
#[test]
fn without_spirv_tools_its_programs_are_asked() {
    let work = work();
    work.succeeds("convert a.vert -o a.spv");
    work.succeeds("convert a.vert -o a.spvasm");
    let run = |line: &str| work.command(line).env("PATH", "").output().expect("the program starts");
    for line in ["convert a.spv -o b.spvasm", "capture a.spv --varyings v -o c.spv --diff"] {
        exits(&run(line), 0);
    }
    assert_eq!(work.text("a.spvasm"), work.text("b.spvasm"));
    for line in ["convert a.spvasm -o b.spv", "info a.spv --validate"] {
        match cfg!(feature = "tools") {
            true => exits(&run(line), 0),
            false => {
                let output = run(line);
                fails(&output, 3, "needs the feature `tools`");
                fails(&output, 3, "install the programs of SPIRV-Tools");
            }
        }
    }
}

#[test]
fn a_diff_goes_to_standard_output_and_the_module_to_a_file() {
    let work = work();
    let diff = work.succeeds("capture a.vert --varyings v -o b.spv --diff");
    assert!(diff.starts_with("--- before\n+++ after\n@@ "), "{diff}");
    assert!(diff.lines().any(|line| line.starts_with('+') && line.contains("OpStore")));
    assert!(work.has("b.spv"));
    for wrong in ["--diff", "--diff -o -", "--diff -o b.spv --json"] {
        let line = format!("capture a.vert --varyings v {wrong}");
        let output = work.run(&line);
        exits(&output, 2);
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn faults_are_reported_by_file_line_and_column() {
    let work = Work::new();
    work.write("a.vert", "#version 450\n#include \"b.glsl\"\nvoid main() { gl_Position = f(); }\n");
    work.write("b.glsl", "\nvec4 f() { return x; }\n");
    work.fails("info a.vert", 1, "b.glsl:2:19: 'x' : undeclared identifier");
    work.write("b.glsl", "vec4 f() { return vec4(N); }\n");
    work.fails("info a.vert", 1, "b.glsl:1:24: 'N' : undeclared identifier");
    work.succeeds("info a.vert -D N=4");
    work.succeeds("capture a.vert -D N=4 --varyings gl_Position -o a.spv --depfile a.d");
    let rule = work.text("a.d");
    assert!(rule.contains("a.vert") && rule.contains("b.glsl"), "{rule}");
    work.write("deep/b.glsl", &work.text("b.glsl"));
    fs::remove_file(work.path("b.glsl")).expect("it is there");
    work.fails("info a.vert -D N", 1, "a.vert:2:2: ");
    work.succeeds("info a.vert -D N -I deep");
    work.write("a.vert.hlsl", "float4 main() : SV_Position\n{ return x; }\n");
    work.fails("info a.vert.hlsl", 1, "a.vert.hlsl:2:10: ");
    work.write("a.wgsl", "@vertex fn f()\n  nonsense");
    work.fails("info a.wgsl", 1, "a.wgsl:2:3: ");
    work.write("a.spvasm", "OpCapability Shader\nOpFoo\n");
    work.fails("info a.spvasm", 1, "a.spvasm:2:1: ");
}

#[test]
fn options_that_nothing_reads_are_refused() {
    let work = work();
    work.succeeds("convert a.vert -o a.spv");
    for (line, why) in [
        ("info a.spv -D N", "--define has no meaning for an input in SPIR-V"),
        ("info a.spv --language glsl", "--language has no meaning for an input in SPIR-V"),
        ("info a.vert --target-env vulkan1.1", "--validate"),
        ("convert a.vert -o x.spv --msl-version 2.1", "--msl-version has no meaning"),
        ("convert a.vert -o x.metal --format glsl", "--format has no meaning"),
        ("convert a.vert -o x.metal --glsl-vulkan", "--glsl-vulkan has no meaning"),
        ("convert a.vert -o x.vert --hlsl-shader-model 50", "--hlsl-shader-model has no meaning"),
        ("convert a.vert -o x.mtl", "unknown extension .mtl"),
        ("capture a.vert --varyings v --dry-run --format msl", "--format has no meaning"),
    ] {
        work.fails(line, 2, why);
    }
    let none = |name| !work.has(name);
    assert!(["x.spv", "x.metal", "x.vert", "x.mtl"].into_iter().all(none));
    fails(
        &work.run_on("info -", VERTEX.as_bytes()),
        2,
        "its language is not known from the file name",
    );
}

#[test]
fn what_the_help_lists_as_a_path_is_one() {
    let work = work();
    let help = work.succeeds("capture --help");
    let paths = help.split("--path <PATH>").nth(1).expect("there is the option");
    let paths = paths.split("\n      --").next().unwrap_or(paths);
    let values = paths.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split(':').next());
    let values: Vec<&str> = values.collect();
    assert_eq!(values, ["storage", "compute", "extension"], "{paths}");
    // A compute stage has no vertex attributes.
    work.fails("capture a.vert --varyings v --dry-run --path compute", 3, "its vertex attribute");
    for value in ["storage", "extension"] {
        work.succeeds(&format!("capture a.vert --varyings v --dry-run --path {value}"));
    }
    work.fails("capture a.vert --varyings v --dry-run --path kernel", 2, "invalid value 'kernel'");
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Work::new().succeeds(&format!("completions {shell}"));
        assert!(script.contains("polyshade") && script.contains("msl-version"), "{shell}");
    }
}

#[test]
fn the_version_lists_the_features() {
    let version = Work::new().succeeds("--version");
    let lines: Vec<&str> = version.lines().collect();
    let tools = if cfg!(feature = "tools") { lines[1] } else { lines[2] };
    assert!(tools.contains("tools"), "{version}");
    assert!(lines[1].starts_with("features: ") && lines[2].starts_with("left out: "), "{version}");
}

/// Direct3D has no point larger than a pixel, so the point coordinate is rejected. SPIRV-Cross would write a constant.
#[test]
fn hlsl_has_no_place_in_a_point() {
    let shader =
        "#version 450\nlayout(location = 0) out vec2 c;\nvoid main() { c = gl_PointCoord; }";
    let work = Work::with(&[("a.frag", shader)]);
    work.fails("convert a.frag -o a.hlsl", 3, "PointCoord, which Direct3D does not have");
    work.succeeds("convert a.frag -o a.metal");
}

#[test]
fn empty_standard_input_is_called_empty() {
    let work = work();
    for line in ["info -", "convert - --stage vert", "capture - --varyings v --dry-run"] {
        fails(&work.run_on(line, b""), 1, "standard input: the input is empty");
    }
}
