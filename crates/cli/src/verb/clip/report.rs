//! Builds the report of `clip`.

use crate::lowering::Lowering;
use crate::report::Report;
use polyshade::clip_cull::{Clipped, DistanceSemantic, Distances, StageDistances, Step};
use polyshade::host::{Lowered, Requirements};
use polyshade::spv::ExecutionModel;
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Taken<'l> {
    steps: &'l [&'static str],
    #[serde(flatten)]
    distances: &'l StageDistances,
}

pub(super) fn name(step: &Step) -> &'static str {
    match step {
        Step::Normalize(_) => "arrays",
        Step::UserPlanes(_) => "planes",
        Step::Mask { .. } => "enable",
        Step::Combine { .. } => "combined",
        Step::Separate { .. } => "separate",
        Step::ToRegisters(_) => "registers",
        Step::Emulate { .. } => "emulate",
        Step::ClipInGeometry(clip) if clip.generate.is_some() => "generate",
        Step::ClipInGeometry(_) => "cut",
        _ => "another step",
    }
}

pub(super) fn report(
    entry: (&str, ExecutionModel),
    steps: &[&'static str],
    lowered: &Lowered<'_, Clipped>,
) -> Report {
    let Clipped { distances, geometry, .. } = &lowered.result;
    let mut text = format!("  {}\n", steps.join(", "));
    for (name, side) in [("inputs", &distances.inputs), ("outputs", &distances.outputs)] {
        let Distances { clip, cull, registers } = side;
        let _ = writeln!(text, "  {name}: {clip} clip and {cull} cull distances");
        if !registers.is_empty() {
            let registers: Vec<String> =
                registers.iter().map(DistanceSemantic::to_string).collect();
            let _ = writeln!(text, "    {}", registers.join(" "));
        }
    }
    let geometry = geometry.iter().map(|made| made.requirements.clone());
    let needs = geometry.fold(lowered.requirements.clone(), Requirements::join);
    Report::new(Lowering::ClipCull, entry, &Taken { steps, distances }, text)
        .needs(&lowered.params, &needs)
}
