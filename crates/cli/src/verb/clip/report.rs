//! The report of `clip`.

use crate::lowering::CLIP_CULL;
use crate::report::Report;
use polyshade::clip_cull::{Clipped, DistanceSemantic, Distances, StageDistances};
use polyshade::host::{Lowered, Requirements};
use polyshade::spv::ExecutionModel;
use serde::Serialize;
use std::fmt::Write;

#[derive(Serialize)]
struct Taken<'l> {
    /// The steps, in their order.
    steps: &'l [&'static str],
    #[serde(flatten)]
    distances: &'l StageDistances,
}

/// The report on the entry point.
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
    Report::new(CLIP_CULL, entry, &Taken { steps, distances }, text).needs(&lowered.words, &needs)
}
