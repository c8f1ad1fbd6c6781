//! Shaders through files, pipes and compilers: what is read again is what was written.

#![cfg(all(feature = "glsl", feature = "wgsl", feature = "cross"))]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const VERTEX: &str = "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out vec3 v;\n\
    layout(set = 1, binding = 2) uniform Scene { mat4 view; } scene;\n\
    void main() { v = p.xyz * 2.0; gl_Position = scene.view * p; }\n";

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    command.current_dir(folder).args(line.split_whitespace());
    command
}

fn polyshade(folder: &Path, line: &str) -> Output {
    command(folder, line).output().expect("the program starts")
}

/// Runs the program on what another printed.
fn piped(folder: &Path, line: &str, input: &[u8]) -> Output {
    let mut command = command(folder, line);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("it is piped").write_all(input).expect("it reads all");
    child.wait_with_output().expect("it ends")
}

fn succeeds(output: Output, line: &str) -> Vec<u8> {
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn fails(output: &Output, exit: i32, why: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{why}: {error}");
    // Lines are wrapped.
    let error = error.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    assert!(error.contains(why), "{why}: {error}");
}

/// A folder with the shader in it, as `a.vert`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.vert"), VERTEX).expect("a file");
    folder
}

#[test]
fn verbs_pipe() {
    let folder = folder();
    let convert = "convert - --stage vert";
    let words = succeeds(piped(folder.path(), convert, VERTEX.as_bytes()), convert);
    assert_eq!(words[..4], 0x0723_0203_u32.to_le_bytes());
    // One captures the position and passes on what is drawn, for the next to capture the other output of.
    let first = "capture - --varyings gl_Position -o a.spv --variant raster-only=-";
    let raster = succeeds(piped(folder.path(), first, &words), first);
    let second = "capture - --varyings v -o - --format msl";
    let text = succeeds(piped(folder.path(), second, &raster), second);
    assert!(String::from_utf8(text).expect("text").contains("vertex void main0("));
    fails(&piped(folder.path(), second, &words[..words.len() - 2]), 1, "the file is cut off");
}

#[test]
fn glsl_hlsl_and_wgsl_are_read_again() {
    let folder = folder();
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
        succeeds(polyshade(folder.path(), write), write);
        succeeds(polyshade(folder.path(), read), read);
    }
}

#[test]
fn spvasm_gives_the_same_words_again() {
    let folder = folder();
    let spv = "convert a.vert -o a.spv --spirv-version 1.5";
    succeeds(polyshade(folder.path(), spv), spv);
    if !has_tools(folder.path()) {
        return;
    }
    for line in ["convert a.spv -o a.spvasm", "convert a.spvasm -o b.spv"] {
        succeeds(polyshade(folder.path(), line), line);
    }
    let read = |name| fs::read(folder.path().join(name)).expect("it is written");
    assert!(read("a.spv") == read("b.spv"), "the words differ");
    let line = "convert - -o - --language spvasm";
    assert!(succeeds(piped(folder.path(), line, &read("a.spvasm")), line) == read("a.spv"));
}

/// Whether the tests were built with the feature `tools`. Without it, what needs it must be refused by its name.
fn has_tools(folder: &Path) -> bool {
    let tools = cfg!(feature = "tools");
    if !tools {
        for line in ["convert a.spv -o x.spvasm", "info a.spv --validate"] {
            fails(&polyshade(folder, line), 3, "needs the feature `tools`");
        }
    }
    tools
}

#[test]
fn a_diff_goes_to_standard_output_and_the_module_to_a_file() {
    let folder = folder();
    let line = "capture a.vert --varyings v -o b.spv --diff";
    if cfg!(feature = "tools") {
        let diff = succeeds(polyshade(folder.path(), line), line);
        let diff = String::from_utf8(diff).expect("text");
        assert!(diff.starts_with("--- before\n+++ after\n@@ "), "{diff}");
        assert!(diff.lines().any(|line| line.starts_with('+') && line.contains("OpStore")));
        assert!(folder.path().join("b.spv").exists());
    }
    for wrong in ["--diff", "--diff -o -", "--diff -o b.spv --json"] {
        let line = format!("capture a.vert --varyings v {wrong}");
        let output = polyshade(folder.path(), &line);
        let expected = if cfg!(feature = "tools") || wrong != "--diff -o -" { 2 } else { 3 };
        assert_eq!(output.status.code(), Some(expected), "{line}: {output:?}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

#[test]
fn faults_are_reported_by_file_and_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("a.vert", "#version 450\n#include \"b.glsl\"\nvoid main() { gl_Position = f(); }\n");
    write("b.glsl", "\nvec4 f() { return x; }\n");
    fails(&polyshade(folder.path(), "info a.vert"), 1, "b.glsl:2: 'x' : undeclared identifier");
    write("b.glsl", "vec4 f() { return vec4(N); }\n");
    fails(&polyshade(folder.path(), "info a.vert"), 1, "b.glsl:1: 'N' : undeclared identifier");
    succeeds(polyshade(folder.path(), "info a.vert -D N=4"), "N");
    let line = "capture a.vert -D N=4 --varyings gl_Position -o a.spv --depfile a.d";
    succeeds(polyshade(folder.path(), line), line);
    let rule = fs::read_to_string(folder.path().join("a.d")).expect("a depfile");
    assert!(rule.contains("a.vert") && rule.contains("b.glsl"), "{rule}");
    fs::create_dir(folder.path().join("deep")).expect("a folder");
    fs::rename(folder.path().join("b.glsl"), folder.path().join("deep/b.glsl")).expect("a file");
    fails(&polyshade(folder.path(), "info a.vert -D N"), 1, "a.vert:2: ");
    succeeds(polyshade(folder.path(), "info a.vert -D N -I deep"), "I");
    write("a.vert.hlsl", "float4 main() : SV_Position\n{ return x; }\n");
    fails(&polyshade(folder.path(), "info a.vert.hlsl"), 1, "a.vert.hlsl:2: ");
    write("a.wgsl", "@vertex fn f()\n  nonsense");
    fails(&polyshade(folder.path(), "info a.wgsl"), 1, "a.wgsl:2:3: ");
    if cfg!(feature = "tools") {
        write("a.spvasm", "OpCapability Shader\nOpFoo\n");
        fails(&polyshade(folder.path(), "info a.spvasm"), 1, "a.spvasm:2:1: ");
    }
}

#[test]
fn options_that_nothing_reads_are_refused() {
    let folder = folder();
    let spv = "convert a.vert -o a.spv";
    succeeds(polyshade(folder.path(), spv), spv);
    for (line, why) in [
        ("info a.spv --stage vert", "--stage has no meaning for SPIR-V"),
        ("info a.spv -D N", "--define has no meaning for SPIR-V"),
        ("info a.spv --language glsl", "--language has no meaning for SPIR-V"),
        ("info a.vert --target-env vulkan1.1", "--validate"),
        ("convert a.vert -o x.spv --msl-version 2.1", "--msl-version has no meaning"),
        ("convert a.vert -o x.metal --format glsl", "--format has no meaning"),
        ("convert a.vert -o x.metal --glsl-vulkan", "--glsl-vulkan has no meaning"),
        ("convert a.vert -o x.vert --hlsl-shader-model 50", "--hlsl-shader-model has no meaning"),
        ("convert a.vert -o x.mtl", ".mtl is the ending of no format"),
        ("capture a.vert --varyings v --dry-run --format msl", "--format has no meaning"),
    ] {
        fails(&polyshade(folder.path(), line), 2, why);
    }
    let none = |name| !folder.path().join(name).exists();
    assert!(["x.spv", "x.metal", "x.vert", "x.mtl"].into_iter().all(none));
    fails(&piped(folder.path(), "info -", VERTEX.as_bytes()), 2, "does not say its language");
}

#[test]
fn every_shell_has_completions() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let line = format!("completions {shell}");
        let script = String::from_utf8(succeeds(polyshade(folder.path(), &line), &line));
        let script = script.expect("text");
        assert!(script.contains("polyshade") && script.contains("msl-version"), "{shell}");
    }
}

#[test]
fn the_version_lists_the_features() {
    let folder = folder();
    let version = String::from_utf8(succeeds(polyshade(folder.path(), "--version"), "--version"));
    let version = version.expect("text");
    let lines: Vec<&str> = version.lines().collect();
    let tools = if cfg!(feature = "tools") { lines[1] } else { lines[2] };
    assert!(tools.contains("tools"), "{version}");
    assert!(lines[1].starts_with("features: ") && lines[2].starts_with("left out: "), "{version}");
}
