//! What becomes of the distances, as JSON and as text.

use polyshade::clip_cull::{KINDS, Linkage, Mark, Normalized, Rearranged, Repair, Requirements};
use polyshade::spv::ExecutionModel;
use polyshade::transform_feedback::Limit;
use serde_json::{Value, json};
use std::fmt::Write;

/// Version of the report's shape: it grows when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// One side of the stage.
#[derive(Default)]
struct Side {
    counts: [u32; 2],
    /// Where the distances lie, or lay, by their numbers.
    registers: Vec<String>,
}

/// What the report is about.
pub(crate) struct Report {
    entry: String,
    model: ExecutionModel,
    /// What was done, in its order.
    pub(super) steps: Vec<&'static str>,
    /// The repairs that there were to make.
    pub(super) repairs: Vec<Repair>,
    inputs: Side,
    outputs: Side,
    requirements: Requirements,
}

impl Report {
    pub(crate) fn new(entry: &str, model: ExecutionModel) -> Self {
        Self {
            entry: entry.to_owned(),
            model,
            steps: Vec::new(),
            repairs: Vec::new(),
            inputs: Side::default(),
            outputs: Side::default(),
            requirements: Requirements::default(),
        }
    }

    pub(super) fn outputs(&mut self, counts: [u32; 2], requirements: &Requirements) {
        self.outputs.counts = counts;
        self.requirements = requirements.clone();
    }

    /// What a stage reads that hands on none any more.
    pub(super) fn read(&mut self, done: &Rearranged) {
        let registers = done.marks[0].iter().map(Mark::to_string).collect();
        self.inputs = Side { counts: done.inputs, registers };
    }

    pub(super) fn emulated(&mut self, counts: [u32; 2]) {
        let is_fragment = self.model == ExecutionModel::FRAGMENT;
        let side = if is_fragment { &mut self.inputs } else { &mut self.outputs };
        side.counts = counts;
        self.requirements = Requirements::default();
    }

    pub(super) fn normalized(&mut self, done: &Normalized<'_>) {
        self.inputs = of_linkage(&done.inputs);
        self.outputs = of_linkage(&done.outputs);
        self.requirements = done.requirements.clone();
    }

    pub(super) fn rearranged(&mut self, done: &Rearranged) {
        let [inputs, outputs] = &done.marks;
        let texts = |marks: &[Mark]| marks.iter().map(Mark::to_string).collect();
        self.inputs = Side { counts: done.inputs, registers: texts(inputs) };
        self.outputs = Side { counts: done.outputs, registers: texts(outputs) };
        self.requirements = done.requirements.clone();
    }

    /// As JSON.
    pub(super) fn to_json(&self) -> String {
        let side = |side: &Side| {
            let [clip, cull] = side.counts;
            json!({ "clip": clip, "cull": cull, "registers": side.registers })
        };
        let limit = |limit: &Limit| json!({ "name": limit.name, "at_least": limit.at_least });
        let limits: Vec<Value> = self.requirements.limits.iter().map(limit).collect();
        let repairs: Vec<String> = self.repairs.iter().map(Repair::to_string).collect();
        let report = json!({
            "version": VERSION,
            "lowering": "clip_cull",
            "lowering_version": polyshade::LOWERING_VERSION,
            "entry_point": self.entry,
            "stage": self.model.to_string(),
            "steps": self.steps,
            "repairs": repairs,
            "inputs": side(&self.inputs),
            "outputs": side(&self.outputs),
            "requirements": { "features": self.requirements.features, "limits": limits },
        });
        serde_json::to_string_pretty(&report).expect("a report has no keys but strings")
    }

    /// As text, for a person.
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{} ({}): {}\n", self.entry, self.model, self.steps.join(", "));
        for repair in &self.repairs {
            let _ = writeln!(text, "  repaired: {repair}");
        }
        for (name, side) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            let [clip, cull] = side.counts;
            let _ = writeln!(text, "  {name}: {clip} clip and {cull} cull distances");
            if !side.registers.is_empty() {
                let _ = writeln!(text, "    {}", side.registers.join(" "));
            }
        }
        for feature in &self.requirements.features {
            let _ = writeln!(text, "  needs {feature}");
        }
        for limit in &self.requirements.limits {
            let _ = writeln!(text, "  needs {} of at least {}", limit.name, limit.at_least);
        }
        text
    }
}

/// The components of both kinds, by their numbers.
fn of_linkage(linkage: &Linkage) -> Side {
    let letters = ["x", "y", "z", "w"];
    let registers = KINDS.into_iter().flat_map(|kind| {
        linkage.of(kind).map(move |place| {
            format!("{kind}={}.{}", place.location, letters[place.component as usize % 4])
        })
    });
    let counts = KINDS.map(|kind| linkage.count(kind));
    Side { counts, registers: registers.collect() }
}
