//! Reports of lowerings, as JSON and as text. The structure is the same for every verb.

use crate::bound::Bound;
use crate::lowering::Lowering;
use polyshade::host::{Descriptor, HostParams, Ordering, Requirements};
use polyshade::spv::ExecutionModel;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// Version of the report's structure, which increases when a field is removed or changes its meaning.
const VERSION: u32 = 4;

pub(crate) struct Report {
    lowering: Lowering,
    entry: String,
    stage: ExecutionModel,
    /// The result, in a structure that depends on the lowering.
    result: Value,
    /// The result as text.
    text: String,
    params: Vec<HostParams>,
    requirements: Requirements,
    /// How the host draws with the rewritten shader, if the draw changes.
    draw: Option<&'static str>,
}

impl Report {
    /// Creates the report of a lowering of the entry point `entry`, with its `result` as data and as `text`.
    pub(crate) fn new(
        lowering: Lowering,
        (entry, stage): (&str, ExecutionModel),
        result: &impl Serialize,
        text: String,
    ) -> Self {
        Self {
            lowering,
            entry: entry.to_owned(),
            stage,
            result: serde_json::to_value(result).expect("all keys are strings"),
            text,
            params: Vec::new(),
            requirements: Requirements::default(),
            draw: None,
        }
    }

    pub(crate) fn needs(mut self, params: &[HostParams], requirements: &Requirements) -> Self {
        self.params = params.to_vec();
        self.requirements = requirements.clone();
        self
    }

    pub(crate) fn drawn(mut self, how: &'static str) -> Self {
        self.draw = Some(how);
        self
    }

    /// Returns the requirements on the device and the host.
    pub(crate) fn requirements(&self) -> &Requirements {
        &self.requirements
    }

    pub(crate) fn entry(&self) -> (String, ExecutionModel) {
        (self.entry.clone(), self.stage)
    }

    /// Formats the report as JSON. It includes the bindings of resources in MSL and WGSL if such files were written.
    pub(crate) fn to_json(&self, bound: &Bound) -> String {
        print(self.to_value(), bound)
    }

    fn to_value(&self) -> Value {
        json!({
            "lowering": self.lowering.name,
            "lowering_version": self.lowering.version,
            "entry_point": self.entry,
            "stage": self.stage,
            "result": self.result,
            "params": self.params,
            "requirements": self.requirements,
        })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{} of {} ({})\n", self.lowering.name, self.entry, self.stage);
        text.push_str(&self.text);
        self.bind(&mut text);
        self.fill_in(&mut text);
        if let Some(draw) = self.draw {
            let _ = writeln!(text, "\ndraw\n  {draw}");
        }
        self.need(&mut text);
        text
    }

    /// Summarizes the lowering and the duties of the host in a few lines.
    pub(crate) fn for_host(&self) -> String {
        let mut text = format!("{} of {} ({})\n", self.lowering.name, self.entry, self.stage);
        for one in self.bound() {
            let (set, binding) = (one.set.0, one.binding.0);
            let _ = writeln!(
                text,
                "  bind     {} at set {set} binding {binding}: {}",
                one.kind, one.purpose
            );
        }
        for group in &self.params {
            let names: Vec<&str> = group.params.iter().map(|word| &*word.name).collect();
            let _ = writeln!(text, "  fill in  at {}: {}", group.source, names.join(", "));
        }
        if let Some(draw) = self.draw {
            let _ = writeln!(text, "  draw     {draw}");
        }
        text
    }

    /// Returns the descriptors. A descriptor that several stages use is returned once.
    fn bound(&self) -> impl Iterator<Item = &Descriptor> {
        let all = &self.requirements.descriptors;
        let is_first = move |(number, one): &(usize, &Descriptor)| {
            let mut before = all[..*number].iter();
            before.all(|other| (other.set, other.binding) != (one.set, one.binding))
        };
        all.iter().enumerate().filter(is_first).map(|(_, one)| one)
    }

    fn bind(&self, text: &mut String) {
        if !self.requirements.descriptors.is_empty() {
            text.push_str("\nbind\n");
        }
        for one in self.bound() {
            let (set, binding) = (one.set.0, one.binding.0);
            let _ = writeln!(text, "  set {set} binding {binding}: {}, {}", one.kind, one.purpose);
        }
    }

    fn fill_in(&self, text: &mut String) {
        for group in &self.params {
            let _ = writeln!(text, "\nfill in at {}, 32 bits each", group.source);
            let width = group.params.iter().map(|word| word.name.len()).max().unwrap_or(0).max(15);
            for (number, word) in group.params.iter().enumerate() {
                let _ = writeln!(text, "  {number:>3} {:<width$} {}", word.name, word.meaning);
            }
        }
    }

    fn need(&self, text: &mut String) {
        let Requirements { extensions, features, limits, ordering, .. } = &self.requirements;
        if !(extensions.is_empty() && features.is_empty() && limits.is_empty()) {
            text.push_str("\nneed\n");
        }
        for extension in extensions {
            let _ = writeln!(text, "  {extension}");
        }
        for feature in features {
            let _ = writeln!(text, "  {feature}");
        }
        for (name, at_least) in limits {
            let _ = writeln!(text, "  {name} of at least {at_least}");
        }
        if let Some(ordering) = ordering {
            let _ = writeln!(text, "\norder\n  {}", order(*ordering));
        }
    }
}

/// Formats the reports of all stages of a pipeline as JSON.
pub(crate) fn of_pipeline(stages: &[Report], bound: &Bound) -> String {
    let stages: Vec<Value> = stages.iter().map(Report::to_value).collect();
    print(json!({ "stages": stages }), bound)
}

fn print(mut report: Value, bound: &Bound) -> String {
    report["version"] = VERSION.into();
    for (format, files) in bound.report() {
        report[format] = files;
    }
    serde_json::to_string_pretty(&report).expect("all keys are strings")
}

fn order(ordering: Ordering) -> &'static str {
    match ordering {
        Ordering::AttachmentAccess => {
            "VK_EXT_rasterization_order_attachment_access, or a barrier between draws that overlap; with barriers \
             alone, primitives of one draw must not overlap"
        }
        Ordering::TileImage => "coherent reads of VK_EXT_shader_tile_image",
        Ordering::Interlock => "by the interlock in the shader",
        Ordering::Copy => {
            "a copy of the attachment before each draw that overlaps an earlier one; primitives of one draw must not \
             overlap"
        }
    }
}
