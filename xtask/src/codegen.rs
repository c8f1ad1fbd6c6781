//! `cargo xtask codegen`: writes the files that are generated and committed.
//!
//! A separate program writes the grammar tables and the header of the C library, so that xtask itself builds in
//! seconds. The program `polyshade` compiles GLSL to SPIR-V. Lowerings link the results, `verify` draws with them,
//! and examples read them.

use std::fs;

use crate::command::{Incremental, built, cargo, output, program, run, target, workspace};

/// The source and the result of each library, relative to the workspace. A `_bound` library accesses
/// memory through descriptors.
const LIBRARIES: &[(&str, &str)] = &[
    ("crates/polyshade/src/library/blend.glsl", "crates/polyshade/src/library/blend.spv"),
    ("crates/polyshade/src/library/capture.glsl", "crates/polyshade/src/library/capture.spv"),
    ("crates/polyshade/src/library/draws.glsl", "crates/polyshade/src/library/draws.spv"),
    ("crates/polyshade/src/library/fetch.glsl", "crates/polyshade/src/library/fetch.spv"),
    ("crates/polyshade/src/library/fixed.glsl", "crates/polyshade/src/library/fixed.spv"),
    ("crates/polyshade/src/library/cut.glsl", "crates/polyshade/src/library/cut.spv"),
    ("crates/polyshade/src/library/geometry.glsl", "crates/polyshade/src/library/geometry.spv"),
    (
        "crates/polyshade/src/library/tessellator.glsl",
        "crates/polyshade/src/library/tessellator.spv",
    ),
    ("crates/capi/examples/shaders/draw.frag", "crates/capi/examples/shaders/draw.frag.spv"),
    ("crates/capi/examples/shaders/draw.vert", "crates/capi/examples/shaders/draw.vert.spv"),
    ("crates/capi/examples/shaders/mesh.vert", "crates/capi/examples/shaders/mesh.vert.spv"),
    (
        "crates/layer/src/emulation/compaction/copy.comp",
        "crates/layer/src/emulation/compaction/copy.spv",
    ),
    (
        "crates/layer/src/emulation/compaction/sum.comp",
        "crates/layer/src/emulation/compaction/sum.spv",
    ),
    ("crates/layer/src/emulation/results.comp", "crates/layer/src/emulation/results.spv"),
    ("crates/planner/src/counter_pass/count.comp", "crates/planner/src/counter_pass/count.spv"),
    (
        "crates/planner/src/counter_pass/count.comp",
        "crates/planner/src/counter_pass/count_bound.spv",
    ),
    (
        "crates/planner/src/counter_pass/segments.comp",
        "crates/planner/src/counter_pass/segments.spv",
    ),
    (
        "crates/planner/src/counter_pass/segments.comp",
        "crates/planner/src/counter_pass/segments_bound.spv",
    ),
    ("crates/testing/src/before.vert", "crates/testing/src/before.spv"),
    ("crates/verify/src/library/cover.vert", "crates/verify/src/library/cover.spv"),
    ("crates/verify/src/library/depth.frag", "crates/verify/src/library/depth.spv"),
    ("crates/verify/src/library/finish.tese", "crates/verify/src/library/finish.spv"),
    ("crates/verify/src/library/pass_through.tesc", "crates/verify/src/library/pass_through.spv"),
    ("crates/verify/src/library/place.vert", "crates/verify/src/library/place.spv"),
];

/// The folder with the files that the libraries include.
const INCLUDED: &str = "crates/polyshade/src/library";

/// Writes every generated file. With `check`, fails instead if a committed file differs.
pub(crate) fn run_codegen(check: bool) -> Result<(), String> {
    let mut codegen = cargo(["run", "--quiet", "--release", "--locked", "--package"]);
    run(codegen.args(["polyshade-codegen", "--"]).args(check.then_some("--check")))?;

    // Build `polyshade` only now, because it contains the grammar.
    built("polyshade", Incremental::ByHand)?;
    LIBRARIES.iter().try_for_each(|(source, path)| settle(source, path, check))
}

/// Compiles a library to SPIR-V 1.0, which can be linked into a module of any version. The stage does not matter,
/// because libraries have no globals.
fn settle(source: &str, path: &str, check: bool) -> Result<(), String> {
    let compiled = target().join("codegen.spv");
    let mut convert = program(&target().join("release/polyshade").to_string_lossy(), ["convert"]);
    convert.args([source, "--spirv-version=1.0", "--include-dir", INCLUDED, "-o"]);
    convert.arg(&compiled);
    convert.args(source.ends_with(".glsl").then_some("--stage=vert"));
    convert.args(path.ends_with("_bound.spv").then_some("--define=BOUND"));
    output(&mut convert)?;
    let bytes = fs::read(&compiled).map_err(|error| format!("{}: {error}", compiled.display()))?;
    let committed = workspace().join(path);
    match fs::read(&committed).unwrap_or_default() == bytes {
        true => Ok(()),
        false if check => Err(format!("{path} is out of date: run `cargo xtask codegen`")),
        false => fs::write(committed, bytes).map_err(|error| format!("{path}: {error}")),
    }
}
