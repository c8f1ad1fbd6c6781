//! Tests the output of `--help`: the verb's own options come first, and the examples run.

use crate::files::verbs;
use crate::work::{Work, stderr};

/// Returns a folder with the files that the examples name.
fn work() -> Work {
    let particles = include_str!("../../../examples/particles.vert");
    let fragment = "#version 450\nlayout(location = 0) in vec4 a;\n\
                    layout(location = 0) out vec4 c;\nvoid main() { c = a; }\n";
    Work::with(&[
        ("particles.vert", particles),
        ("shader.frag", fragment),
        ("a.vert", include_str!("../../../examples/hill.vert")),
        ("a.tesc", include_str!("../../../examples/hill.tesc")),
        ("a.tese", include_str!("../../../examples/hill.tese")),
        ("shaders/particles.vert", particles),
        ("shaders/shader.frag", fragment),
        ("state.json", include_str!("../../../examples/plans/resumed-strip.json")),
    ])
}

/// Verbs whose examples are not run. Commands of the layer depend on the installation and on other programs
/// (`tests/layer.rs` covers them).
const NOT_RUN: [&str; 1] = ["layer"];

#[test]
fn every_verb_has_three_examples_that_do_something() {
    let work = work();
    for verb in verbs(&work) {
        let help = work.succeeds(&format!("{verb} --help"));
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        let lines: Vec<&str> = examples.lines().filter(|line| !line.is_empty()).collect();
        assert!(lines.len() >= 3, "{verb}: {help}");
        for line in lines {
            let line = line.strip_prefix("  ").unwrap_or_else(|| panic!("{verb}: {line}"));
            assert!(line.starts_with("polyshade "), "{verb}: {line} is the rest of another");
            if NOT_RUN.contains(&verb.as_str()) {
                continue;
            }
            std::fs::create_dir_all(work.path(".local/share/man")).expect("there is room");
            let output = work.shell(line);
            // Without a driver, nothing is compared.
            let is_done = output.status.success()
                || verb == "verify" && [Some(1), Some(3)].contains(&output.status.code());
            assert!(is_done, "{line}: {}", stderr(&output));
        }
    }
}

#[test]
fn a_verbs_own_options_stand_before_those_that_many_have() {
    let work = Work::new();
    for verb in [
        "capture",
        "blend",
        "clip",
        "clip-space",
        "rasterizer-discard",
        "position-only",
        "vertex-pulling",
        "convert",
    ] {
        let help = work.succeeds(&format!("{verb} --help"));
        let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("{verb} {text}: {help}"));
        let parts = ["\nOptions:\n", "\nReading:\n", "\nOutput formats:\n", "\nMessages:\n"];
        assert!(parts.map(at).is_sorted(), "{verb}: {help}");
        let options = &help[at(parts[0])..at(parts[1])];
        assert!(!options.contains("--entry") && !options.contains("--color"), "{verb}: {options}");
        assert!(at("--entry") > at(parts[1]) && at("--help") < at(parts[1]), "{verb}");
        let own = match verb {
            "capture" => "--varyings",
            "rasterizer-discard" => "--when",
            "convert" => "--output",
            _ => "-h, --help",
        };
        assert!(options.contains(own), "{verb}: {options}");
        assert!(at("<SHADER>\n") < at(parts[0]), "{verb}");
    }
}

#[test]
fn the_old_names_of_verbs_and_options_are_hidden_aliases() {
    let verbs = [
        ("depth", "clip-space"),
        ("discard", "rasterizer-discard"),
        ("lower", "pipeline"),
        ("position", "position-only"),
        ("pull", "vertex-pulling"),
    ];
    let options = [
        ("capture", "pass-through", "spill-outputs"),
        ("capture", "one-limit", "limit-in-vertices"),
        ("capture", "repeats", "allow-duplicates"),
        ("capture", "words", "params"),
        ("capture", "pull-words", "pull-params"),
        ("vertex-pulling", "words", "params"),
        ("clip", "marks", "semantics"),
        ("clip", "linked", "signature"),
        ("clip", "as-written", "keep-original-at"),
    ];
    let work = Work::new();
    let all = work.succeeds("--help");
    for (old, new) in verbs {
        assert_eq!(
            work.succeeds(&format!("{old} --help")),
            work.succeeds(&format!("{new} --help"))
        );
        assert!(
            !all.contains(&format!("\n  {old} ")) && all.contains(&format!("\n  {new} ")),
            "{all}"
        );
    }
    for (verb, old, new) in options {
        let help = work.succeeds(&format!("{verb} --help"));
        assert!(
            !help.contains(&format!("--{old} ")) && help.contains(&format!("--{new}")),
            "{help}"
        );
        // The error must be about the missing value or shader, and not about an unknown option.
        let refused = stderr(&work.run(&format!("{verb} --{old}")));
        assert!(!refused.contains("unexpected argument"), "{verb} --{old}: {refused}");
    }
}

#[test]
fn values_that_are_unknown_are_told_with_those_that_are_known() {
    let work = work();
    work.fails("blend shader.frag --equations multipy", 2, "tip: known names: zero, src,");
}

#[test]
fn completions_know_presets_and_what_a_batch_can_run() {
    let work = Work::new();
    let bash = work.succeeds("completions bash");
    let after = |option: &str, of: &str| {
        let verb =
            bash.split(&format!("polyshade__subcmd__{of})")).last().expect("the verb is there");
        let values = verb.split(&format!("{option})")).nth(1).unwrap_or_default();
        values.split("compgen -W \"").nth(1).unwrap_or_default().to_owned()
    };
    assert!(after("--device", "plan").starts_with("vulkan vulkan-mobile metal"));
    let zsh = work.succeeds("completions zsh");
    assert!(
        zsh.contains(":PRESET|FILE:(vulkan vulkan-mobile metal webgpu webgpu-native)"),
        "{zsh}"
    );
    let verbs = zsh.lines().find(|line| line.contains(":verb -- ")).expect("batch takes a verb");
    assert!(
        verbs.contains("blend capture clip clip-space convert") && !verbs.contains("completions"),
        "{verbs}"
    );
    // A file may be given instead of a preset.
    work.write("d.json", "{");
    work.write("s.json", "{}");
    work.fails("plan s.json --device d.json", 1, "d.json: EOF");
}
