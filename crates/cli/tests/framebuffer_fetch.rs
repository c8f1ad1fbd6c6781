//! Blended shaders in MSL and GLSL: attachments are fetched from the framebuffer.

#![cfg(all(feature = "glsl", feature = "cross"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const FRAGMENT: &str = "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 colour;\n\
    layout(location = 2) out vec4 other;\n\
    void main() { colour = c; other = c.bgra; if (c.a < 0.5) return; colour.r = 1.0; }\n";

fn polyshade(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyshade"));
    command.current_dir(folder).args(line.split_whitespace()).output().expect("the program starts")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.frag"), FRAGMENT).expect("a file");
    folder
}

/// What is written by a blend of both targets.
fn written(options: &str, file: &str) -> String {
    let folder = folder();
    let line = format!("blend a.frag --equations multiply -o {file} {options}");
    let output = polyshade(folder.path(), &line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.path().join(file)).expect("it is written")
}

#[track_caller]
fn refused(options: &str, file: &str, exit: i32, why: &str) {
    let folder = folder();
    let output =
        polyshade(folder.path(), &format!("blend a.frag --equations multiply -o {file} {options}"));
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{error}");
    let error = error.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    assert!(error.contains(why), "{why}: {error}");
    assert!(!folder.path().join(file).exists());
}

#[test]
fn msl_reads_colours() {
    for (options, texture) in [
        ("", false),
        ("--input-attachments fetch", false),
        ("--msl-platform ios --msl-version 1.2", false),
        ("--input-attachments texture --msl-version 2.1", true),
    ] {
        let text = written(options, "a.metal");
        let entry =
            text.lines().find(|line| line.starts_with("fragment ")).expect("a fragment function");
        for part in ["[[color(0)]]", "[[color(2)]]"] {
            // Those of what is written are members of a structure.
            assert_eq!(entry.contains(part), !texture, "{options}: {entry}");
        }
        assert_eq!(entry.contains("texture2d<float>"), texture, "{options}: {entry}");
    }
    refused("--msl-version 2.1", "a.metal", 3, "MSL 2.1 for macOS does not fetch");
    refused("--input-attachments fetch-non-coherent", "a.metal", 3, "in order, or not at all");
}

#[test]
fn glsl_reads_outputs() {
    for (version, extension, options) in [
        ("450", "GL_EXT_shader_framebuffer_fetch", ""),
        ("300es", "GL_EXT_shader_framebuffer_fetch", "--input-attachments fetch"),
        (
            "310es",
            "GL_EXT_shader_framebuffer_fetch_non_coherent",
            "--input-attachments fetch-non-coherent",
        ),
    ] {
        let text = written(&format!("--glsl-version {version} {options}"), "a.glsl");
        assert!(text.contains(&format!("#extension {extension} : require")), "{text}");
        let layout = if options.ends_with("coherent") { ", noncoherent" } else { "" };
        for location in [0, 2] {
            let declared = format!("layout(location = {location}{layout}) inout ");
            assert_eq!(text.matches(&declared).count(), 1, "{declared}: {text}");
        }
        assert!(!text.contains("texelFetch") && !text.contains("subpass"), "{text}");
        compiles(&text, version);
    }
    refused(
        "--glsl-version 100es --input-attachments fetch",
        "a.glsl",
        3,
        "no outputs that are read",
    );
}

/// Without the extension, which glslang does not know, outputs that are read are GLSL all the same.
fn compiles(text: &str, version: &str) {
    if version != "450" {
        return;
    }
    let plain: String = text
        .lines()
        .filter(|line| !line.contains("_framebuffer_fetch"))
        .map(|line| line.replace(") inout ", ") out ") + "\n")
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("b.frag"), plain).expect("a file");
    let output = polyshade(folder.path(), "convert b.frag -o b.spv");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn attachments_are_textures_and_vulkans_own_where_they_are_to_be() {
    let text = written("--input-attachments texture", "a.glsl");
    assert!(text.contains("texelFetch") && !text.contains("inout "), "{text}");
    let text = written("--glsl-vulkan", "a.glsl");
    assert!(text.contains("subpassLoad") && !text.contains("framebuffer_fetch"), "{text}");
    refused("--glsl-vulkan --input-attachments fetch", "a.glsl", 2, "--input-attachments");
    refused("--input-attachments fetch", "a.spv", 2, "--input-attachments");
}

/// An output that is not all of a colour is not fetched.
#[test]
fn narrow_outputs_are_refused_or_read_from_textures() {
    let folder = folder();
    let narrow = FRAGMENT.replace("out vec4 other", "out vec3 other").replace("c.bgra", "c.bgr");
    fs::write(folder.path().join("a.frag"), narrow).expect("a file");
    let blend = "blend a.frag --equations multiply -o a.glsl";
    let output = polyshade(folder.path(), &format!("{blend} --input-attachments fetch"));
    assert_eq!(output.status.code(), Some(3));
    let output = polyshade(folder.path(), blend);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(folder.path().join("a.glsl")).expect("it is written");
    assert!(text.contains("layout(location = 0) inout vec4"), "{text}");
    assert!(
        text.contains("layout(location = 2) out vec3") && text.contains("texelFetch"),
        "{text}"
    );
}
