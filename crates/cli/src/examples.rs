//! Examples for each verb, which `--help` shows and a test runs (`tests/help.rs`).

/// The examples of each verb, without the name of the program.
const EXAMPLES: &[(&str, [&str; 3])] = &[
    (
        "batch",
        [
            "batch shaders capture --varyings v_position -o out --report report.json",
            "batch shaders position-only -o out --rank rank.json -j 2",
            "batch shaders convert --include '*.frag' -o out --extension metal",
        ],
    ),
    (
        "blend",
        [
            "blend shader.frag --equations multiply -o blend.spv",
            "blend shader.frag --equations multiply,screen --select push-constant=0 -o blend.spv",
            "blend shader.frag --logic-op xor --attachment-format R8G8B8A8_UNORM -o blend.spv",
        ],
    ),
    (
        "capture",
        [
            "capture particles.vert --varyings v_position,v_velocity -o capture.spv",
            "capture particles.vert --varyings v_position --path extension --dry-run",
            "capture particles.vert --varyings v_age --path compute --pull --dry-run",
        ],
    ),
    (
        "clip",
        [
            "clip particles.vert --planes 2 --planes-at push-constant=0 -o clip.spv",
            "clip particles.vert --to registers --location 4 -o clip.spv",
            "clip particles.vert --enable 1 --dry-run",
        ],
    ),
    (
        "clip-space",
        [
            "clip-space particles.vert -o depth.spv",
            "clip-space particles.vert --range off --flip-y on --rotate 90 -o depth.spv",
            "clip-space particles.vert --rotate push-constant=16 -o depth.spv --report report.json",
        ],
    ),
    (
        "completions",
        [
            "completions bash > polyshade.bash",
            "completions zsh > _polyshade",
            "completions fish > polyshade.fish",
        ],
    ),
    (
        "convert",
        [
            "convert particles.vert -o particles.spv",
            "convert particles.vert -o particles.metal --msl-version 2.3",
            "convert particles.vert --format glsl --glsl-vulkan",
        ],
    ),
    (
        "info",
        [
            "info particles.vert",
            "info particles.vert shader.frag",
            "convert particles.vert | polyshade info - --json",
        ],
    ),
    ("man", ["man man1", "man ~/.local/share/man/man1", "man man1 && ls man1"]),
    (
        "pipeline",
        [
            "pipeline '{\"clip_space\": {\"flip_y\": {\"fixed\": true}}}' particles.vert -o flipped.spv",
            "pipeline '{\"normalize\": {}}' particles.vert shader.frag -o vert.spv -o frag.spv",
            "pipeline '{\"normalize\": {}}' particles.vert -o vert.spv --report report.json",
        ],
    ),
    (
        "plan",
        [
            "plan state.json",
            "plan state.json --device metal -o plan.svg",
            "plan state.json --device vulkan-mobile --json",
        ],
    ),
    (
        "position-only",
        [
            "position-only particles.vert -o position.spv",
            "position-only particles.vert -o position.spv --complement rest.spv",
            "position-only particles.vert --dry-run",
        ],
    ),
    (
        "rasterizer-discard",
        [
            "rasterizer-discard particles.vert -o discard.spv",
            "rasterizer-discard particles.vert --when specialization=5 -o discard.spv",
            "rasterizer-discard particles.vert --when push-constant=0 --dry-run",
        ],
    ),
    (
        "tessellation",
        [
            "tessellation a.tese --control a.tesc --vertex a.vert --patch-vertices 4 -o e.spv",
            "tessellation a.tese --control a.tesc --vertex a.vert --patch-vertices 4 --dry-run",
            "tessellation a.tese --control a.tesc --vertex a.vert --patch-vertices 4 -o a.metal",
        ],
    ),
    (
        "verify",
        [
            "verify capture particles.vert --varyings v_position,v_velocity",
            "verify capture particles.vert --on metal --varyings v_position,v_velocity",
            "verify --list-devices",
        ],
    ),
    (
        "vertex-pulling",
        [
            "vertex-pulling particles.vert --attribute 0=0:0:r32g32_sfloat --buffer 0=8 -o pull.spv",
            "vertex-pulling particles.vert --attribute 0=0:0:r8g8b8a8_snorm --buffer 0=4 --dry-run",
            "vertex-pulling particles.vert --attribute 0=0:word:word --buffer 0=word -o pull.spv",
        ],
    ),
];

pub(crate) fn of(verb: &str) -> String {
    let found = EXAMPLES.iter().find(|(name, _)| *name == verb);
    let (_, lines) = found.expect("a verb has examples");
    lines.iter().fold("Examples:".to_owned(), |text, line| text + "\n  polyshade " + line)
}

/// Returns `text`, followed by the examples of a verb.
pub(crate) fn behind(text: &str, verb: &str) -> String {
    format!("{text}\n\n{}", of(verb))
}
