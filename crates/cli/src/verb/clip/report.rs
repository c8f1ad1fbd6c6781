//! The report of `clip`.

use crate::lowering::CLIP_CULL;
use crate::report::Report;
use polyshade::clip_cull::{KINDS, Linkage, Mark, Normalized, Repair, StageDistances};
use polyshade::host::{Lowered, Requirements, Words};
use polyshade::spv::ExecutionModel;
use serde::Serialize;
use std::fmt::Write;

/// One side of the stage.
#[derive(Default, Serialize)]
struct Side {
    clip: u32,
    cull: u32,
    /// The registers of the distances, by number, before or after the lowering.
    registers: Vec<String>,
}

impl Side {
    fn new([clip, cull]: [u32; 2], registers: Vec<String>) -> Self {
        Self { clip, cull, registers }
    }
}

/// The steps that were taken with a stage, and their results.
#[derive(Serialize)]
pub(crate) struct Taken {
    #[serde(skip)]
    model: ExecutionModel,
    /// In their order.
    pub(super) steps: Vec<&'static str>,
    /// The repairs that there were to make.
    pub(super) repairs: Vec<Repair>,
    inputs: Side,
    outputs: Side,
    #[serde(skip)]
    words: Vec<Words>,
    #[serde(skip)]
    requirements: Requirements,
}

impl Taken {
    pub(crate) fn new(model: ExecutionModel) -> Self {
        Self {
            model,
            steps: Vec::new(),
            repairs: Vec::new(),
            inputs: Side::default(),
            outputs: Side::default(),
            words: Vec::new(),
            requirements: Requirements::default(),
        }
    }

    pub(super) fn outputs(
        &mut self,
        step: &'static str,
        [clip, cull]: [u32; 2],
        requirements: &Requirements,
    ) {
        self.steps.push(step);
        (self.outputs.clip, self.outputs.cull) = (clip, cull);
        self.requirements = requirements.clone();
    }

    /// A step with words of the host.
    pub(super) fn clipped(&mut self, step: &'static str, done: &Lowered<'_, StageDistances>) {
        self.outputs(step, done.result.outputs, &done.requirements);
        self.words.extend(done.words.iter().cloned());
    }

    /// The inputs of a stage that is the last before rasterization.
    pub(super) fn read(&mut self, done: &StageDistances) {
        let [inputs, _] = registers(done);
        if !inputs.is_empty() {
            self.inputs = Side::new(done.inputs, inputs);
        }
    }

    pub(super) fn emulated(&mut self, done: &Lowered<'_, StageDistances>) {
        self.steps.push("emulate");
        if self.model == ExecutionModel::FRAGMENT {
            [self.inputs.clip, self.inputs.cull] = done.result.inputs;
        } else {
            [self.outputs.clip, self.outputs.cull] = done.result.outputs;
            self.read(&done.result);
        }
        self.requirements = done.requirements.clone();
    }

    pub(super) fn normalized(&mut self, done: &Lowered<'_, Normalized>) {
        self.steps.push("arrays");
        let [inputs, outputs] = done.result.counts;
        self.inputs = of_linkage(&done.result.inputs, inputs);
        self.outputs = of_linkage(&done.result.outputs, outputs);
        self.requirements = done.requirements.clone();
    }

    pub(super) fn rearranged(&mut self, step: &'static str, done: &Lowered<'_, StageDistances>) {
        self.steps.push(step);
        let [inputs, outputs] = registers(&done.result);
        self.inputs = Side::new(done.result.inputs, inputs);
        self.outputs = Side::new(done.result.outputs, outputs);
        self.requirements = done.requirements.clone();
    }

    /// The report on the entry point.
    pub(super) fn report(&self, entry: &str) -> Report {
        let mut text = format!("  {}\n", self.steps.join(", "));
        for repair in &self.repairs {
            let _ = writeln!(text, "  repaired: {repair}");
        }
        for (name, side) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            let Side { clip, cull, registers } = side;
            let _ = writeln!(text, "  {name}: {clip} clip and {cull} cull distances");
            if !registers.is_empty() {
                let _ = writeln!(text, "    {}", registers.join(" "));
            }
        }
        Report::new(CLIP_CULL, (entry, self.model), self, text)
            .needs(&self.words, &self.requirements)
    }
}

/// The registers of both sides, as text.
fn registers(done: &StageDistances) -> [Vec<String>; 2] {
    let texts = |marks: &[Mark]| marks.iter().map(Mark::to_string).collect();
    let [inputs, outputs] = &done.marks;
    [texts(inputs), texts(outputs)]
}

/// The components of both kinds, by their numbers.
fn of_linkage(linkage: &Linkage, counts: [u32; 2]) -> Side {
    let letters = ["x", "y", "z", "w"];
    let registers = KINDS.into_iter().flat_map(|kind| {
        linkage.of(kind).map(move |place| {
            format!("{kind}={}.{}", place.location, letters[place.component as usize % 4])
        })
    });
    Side::new(counts, registers.collect())
}
