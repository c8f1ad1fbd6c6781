//! What a capture comes to, as JSON and as text.

use crate::requirements::{self, purpose};
use polyshade::transform_feedback::{HostLayout, HostWords, Layout, Requirements};
use serde_json::{Value, json};
use std::fmt::Write;

/// Version of the report's shape: it grows when a field changes its meaning or goes.
const VERSION: u32 = 2;

/// What the report is about.
pub(super) struct Report<'r> {
    pub(super) entry: &'r str,
    pub(super) layout: &'r Layout,
    pub(super) path: Path<'r>,
    pub(super) requirements: &'r Requirements,
    /// Where the buffers are in MSL, if that is written.
    pub(super) msl: Option<Value>,
}

/// How the outputs are captured.
#[derive(Clone, Copy)]
pub(super) enum Path<'r> {
    /// By stores, which take words of the host.
    Storage(&'r HostLayout),
    /// By the extension.
    Extension {
        /// The vertex stream of each buffer.
        streams: &'r [u32],
        /// The locations of outputs that were added.
        locations: &'r [u32],
    },
}

impl Report<'_> {
    /// As JSON.
    pub(super) fn to_json(&self) -> String {
        let buffers: Vec<Value> = self
            .layout
            .buffers
            .iter()
            .map(|buffer| {
                let captured: Vec<Value> = buffer
                    .captured
                    .iter()
                    .map(|one| json!({ "name": one.name, "offset": one.offset, "components": one.components }))
                    .collect();
                json!({ "stride": buffer.stride, "captured": captured })
            })
            .collect();
        let mut report = json!({
            "version": VERSION,
            "lowering": "transform_feedback",
            "lowering_version": polyshade::LOWERING_VERSION,
            "entry_point": self.entry,
            "layout": { "unit": "bytes", "buffers": buffers },
            "requirements": requirements::to_json(self.requirements),
        });
        if let Some(msl) = &self.msl {
            report["msl"] = msl.clone();
        }
        match self.path {
            Path::Storage(host) => {
                report["path"] = json!("storage");
                report["host_words"] = host_words(host);
            }
            Path::Extension { streams, locations } => {
                report["path"] = json!("extension");
                report["streams"] = json!(streams);
                report["added_locations"] = json!(locations);
            }
        }
        serde_json::to_string_pretty(&report).expect("a report has no keys but strings")
    }

    /// As text, for a person.
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("{} captures\n", self.entry);
        for (number, buffer) in self.layout.buffers.iter().enumerate() {
            let _ = writeln!(text, "  buffer {number}: {} bytes a vertex", buffer.stride);
            for one in &buffer.captured {
                let _ = writeln!(
                    text,
                    "    {:>6}  {} ({} components)",
                    one.offset, one.name, one.components
                );
            }
        }
        match self.path {
            Path::Storage(host) => self.bindings(host, &mut text),
            Path::Extension { streams, locations } => added(streams, locations, &mut text),
        }
        text.push_str(&requirements::to_text(self.requirements));
        text
    }

    fn bindings(&self, host: &HostLayout, text: &mut String) {
        let _ = writeln!(text, "\nbind");
        for one in &self.requirements.descriptors {
            let _ = writeln!(
                text,
                "  set {} binding {}: {}, {}",
                one.set.0,
                one.binding.0,
                one.kind,
                purpose(one.purpose)
            );
        }
        if let Some(range) = &self.requirements.push_constants {
            let _ =
                writeln!(text, "  push constants {} to {}: host words", range.start, range.end - 1);
        }
        if let Some(range) = &self.requirements.specialization {
            let _ = writeln!(
                text,
                "  specialization constants {} to {}: host words",
                range.start,
                range.end - 1
            );
        }
        let _ = writeln!(text, "\nfill in, 32 bits each");
        for (number, word) in host.words.iter().enumerate() {
            let _ = writeln!(text, "  {number:>3} {:<15} {}", word.name, word.meaning);
        }
    }
}

/// What the extension path adds, as text.
fn added(streams: &[u32], locations: &[u32], text: &mut String) {
    for (buffer, stream) in streams.iter().enumerate().filter(|(_, stream)| **stream > 0) {
        let _ = writeln!(text, "  buffer {buffer} captures vertex stream {stream}");
    }
    if !locations.is_empty() {
        let locations: Vec<String> = locations.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "\nadded outputs at locations {}", locations.join(", "));
    }
}

fn host_words(host: &HostLayout) -> Value {
    let words = host.words.iter().enumerate();
    let words: Vec<Value> = words
        .map(|(i, word)| json!({ "index": i, "name": word.name, "meaning": word.meaning }))
        .collect();
    json!({ "place": place(&host.place), "words": words })
}

fn place(place: &HostWords) -> Value {
    match place {
        HostWords::StorageBuffer { set, binding } => {
            json!({ "kind": "storage buffer", "set": set.0, "binding": binding.0 })
        }
        HostWords::Uniform { set, binding } => {
            json!({ "kind": "uniform buffer", "set": set.0, "binding": binding.0 })
        }
        HostWords::PushConstant { offset } => json!({ "kind": "push constants", "offset": offset }),
        HostWords::Specialization { first_id } => {
            json!({ "kind": "specialization constants", "first_id": first_id })
        }
    }
}
