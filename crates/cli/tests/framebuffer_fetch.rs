//! Tests blended shaders in MSL and GLSL that fetch attachments from the framebuffer.

use crate::work::Work;

const FRAGMENT: &str = "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 colour;\n\
    layout(location = 2) out vec4 other;\n\
    void main() { colour = c; other = c.bgra; if (c.a < 0.5) return; colour.r = 1.0; }\n";

/// Blends both targets, and returns the text of the written shader.
#[track_caller]
fn written(options: &str, file: &str) -> String {
    let work = Work::with(&[("a.frag", FRAGMENT)]);
    work.succeeds(&format!("blend a.frag --equations multiply -o {file} {options}"));
    work.text(file)
}

#[track_caller]
fn refused(options: &str, file: &str, exit: i32, why: &str) {
    let work = Work::with(&[("a.frag", FRAGMENT)]);
    work.fails(&format!("blend a.frag --equations multiply -o {file} {options}"), exit, why);
    assert!(!work.has(file));
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
            // In MSL, outputs are members of a structure and not parameters.
            assert_eq!(entry.contains(part), !texture, "{options}: {entry}");
        }
        assert_eq!(entry.contains("texture2d<float>"), texture, "{options}: {entry}");
    }
    refused("--msl-version 2.1", "a.metal", 3, "MSL 2.1 for macOS has no framebuffer fetch");
    refused(
        "--input-attachments fetch-non-coherent",
        "a.metal",
        3,
        "no non-coherent framebuffer fetch",
    );
}

/// The index of an input attachment may differ from the index of its color attachment.
#[test]
fn attachments_are_the_colors_that_they_are_said_to_be() {
    let why = "pass --attachment-color 1=0";
    refused("--index 1", "a.metal", 2, why);
    refused("--index 1", "a.glsl", 2, why);
    let colors = "--index 1 --attachment-color 1=0 --attachment-color 3=2";
    let text = written(colors, "a.metal");
    let entry = text.lines().find(|line| line.starts_with("fragment ")).expect("a function");
    assert!(entry.contains("[[color(0)]]") && entry.contains("[[color(2)]]"), "{entry}");
    let text = written(colors, "a.glsl");
    assert!(text.contains("location = 0) inout ") && text.contains("location = 2) inout "));
    written("--index 1 --input-attachments texture", "a.metal");
    refused("--attachment-color 5=0", "a.metal", 2, "the shader has no input attachment 5");
    let both = "--index 1 --attachment-color 1=0 --attachment-color 3=0 --target 2=none";
    refused(both, "a.metal", 2, "the shader has no input attachment 3");
    let work = Work::with(&[("own.frag", OWN)]);
    let own = "convert own.frag -o a.metal --attachment-color";
    work.fails(&format!("{own} 1=0"), 2, "input attachments 0 and 1 would both be color 0");
    work.succeeds(&format!("{own} 0=2"));
    assert!(work.text("a.metal").contains("[[color(2)]]"));
    work.fails("convert own.frag -o a.spv --attachment-color 0=2", 2, "--attachment-color");
}

const OWN: &str = "#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput a;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput b;
layout(location = 0) out vec4 c;
void main() { c = subpassLoad(a) + subpassLoad(b); }
";

#[test]
fn glsl_reads_outputs() {
    const FETCH: &str = "GL_EXT_shader_framebuffer_fetch";
    const NON_COHERENT: &str = "GL_EXT_shader_framebuffer_fetch_non_coherent";
    for (version, extension, options) in [
        ("450", FETCH, ""),
        ("300es", FETCH, "--input-attachments fetch"),
        ("310es", NON_COHERENT, "--input-attachments fetch-non-coherent"),
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
    let old = "--glsl-version 100es --input-attachments fetch";
    refused(old, "a.glsl", 3, "this version of GLSL cannot read outputs");
}

/// Compiles the shader without the extension, which glslang does not support. Outputs are then declared `out`
/// instead of `inout`, and may still be read.
fn compiles(text: &str, version: &str) {
    if version != "450" {
        return;
    }
    let plain: String = text
        .lines()
        .filter(|line| !line.contains("_framebuffer_fetch"))
        .map(|line| line.replace(") inout ", ") out ") + "\n")
        .collect();
    Work::with(&[("b.frag", &plain)]).succeeds("convert b.frag -o b.spv");
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

/// Outputs with fewer than four components cannot be fetched.
#[test]
fn narrow_outputs_are_refused_or_read_from_textures() {
    let narrow = FRAGMENT.replace("out vec4 other", "out vec3 other").replace("c.bgra", "c.bgr");
    let work = Work::with(&[("a.frag", &narrow)]);
    let blend = "blend a.frag --equations multiply -o a.glsl";
    work.says(3, &format!("{blend} --input-attachments fetch"));
    work.succeeds(blend);
    let text = work.text("a.glsl");
    assert!(text.contains("layout(location = 0) inout vec4"), "{text}");
    assert!(text.contains("layout(location = 2) out vec3"), "{text}");
    assert!(text.contains("texelFetch"), "{text}");
}
