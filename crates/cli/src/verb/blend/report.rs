//! What blending comes to, as JSON and as text.

use polyshade::advanced_blend::{
    Alpha, BlendedTarget, Blending, Descriptor, Ordering, Overlap, Preview, Purpose, Requirements,
    Select, Term, WordsAt,
};
use polyshade::transform_feedback::HostWords;
use serde_json::{Value, json};
use std::fmt::Write;

/// Version of the report's shape: it grows when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// What the report is about.
pub(super) struct Report<'r> {
    pub(super) entry: &'r str,
    pub(super) select: Select,
    pub(super) preview: &'r Preview,
}

impl Report<'_> {
    /// As JSON.
    pub(super) fn to_json(&self) -> String {
        let needs = &self.preview.requirements;
        let targets: Vec<Value> = self.preview.targets.iter().map(target).collect();
        let descriptors: Vec<Value> =
            needs.descriptors.iter().map(|one| descriptor(one, needs)).collect();
        let push_constants = needs
            .push_constants
            .as_ref()
            .map(|range| json!({ "offset": range.start, "size": range.len() }));
        let constants = needs
            .specialization
            .as_ref()
            .map(|range| json!({ "first_id": range.start, "count": range.len() }));
        let report = json!({
            "version": VERSION,
            "lowering": "advanced_blend",
            "lowering_version": polyshade::LOWERING_VERSION,
            "entry_point": self.entry,
            "targets": targets,
            "select": select(self.select),
            "requirements": {
                "features": needs.features,
                "extensions": needs.extensions,
                "descriptors": descriptors,
                "push_constants": push_constants,
                "specialization_constants": constants,
                "words": needs.words.iter().map(words).collect::<Vec<Value>>(),
                "ordering": ordering(needs.ordering),
                "state": STATE,
            },
        });
        serde_json::to_string_pretty(&report).expect("a report has no keys but strings")
    }

    /// As text.
    pub(super) fn to_text(&self) -> String {
        let needs = &self.preview.requirements;
        let mut text = format!("fragment entry point `{}`\n\nblended\n", self.entry);
        if self.preview.targets.is_empty() {
            text.push_str("  nothing\n");
        }
        for blended in &self.preview.targets {
            let how = match blended.target.blending() {
                Blending::Equations(equations) => {
                    let names: Vec<&str> = equations.iter().map(|one| one.name()).collect();
                    names.join(", ")
                }
                Blending::Ordinary(ordinary) => ordinary.to_string(),
                Blending::Logic(operation) => {
                    format!("logic operation {operation}, {}", blended.target.attachment_format())
                }
            };
            let _ = writeln!(text, "  location {}: {how}", blended.location);
        }
        let _ = writeln!(text, "\nselected by {}", select(self.select));
        for one in needs.words.iter().filter(|one| !one.constants.is_empty()) {
            let place = place(one.place);
            let _ = writeln!(text, "blend constants: {place}, words {:?}", one.constants);
        }
        let _ = writeln!(text, "\nbind");
        for one in &needs.descriptors {
            let (set, binding) = (one.set.0, one.binding.0);
            let _ = writeln!(
                text,
                "  set {set} binding {binding}: {}, {}",
                one.kind,
                purpose(one, needs)
            );
        }
        let _ = writeln!(text, "\nneed");
        for name in needs.extensions.iter().chain(&needs.features) {
            let _ = writeln!(text, "  {name}");
        }
        let _ = writeln!(text, "\norder\n  {}", ordering(needs.ordering));
        let _ = writeln!(text, "\nstate");
        for line in STATE {
            let _ = writeln!(text, "  {line}");
        }
        text
    }
}

/// The state of the pipeline in which the shader is right.
const STATE: [&str; 3] = [
    "blending is off for targets that are blended here; the write mask applies",
    "alpha to coverage and alpha to one are off: they would see the blended alpha",
    "the attachment is loaded, and kept in a layout in which it is read and written",
];

fn target(blended: &BlendedTarget) -> Value {
    let equations: Vec<Value> = blended
        .target
        .equations()
        .iter()
        .map(|one| json!({ "name": one.name(), "word": one.word(), "blend_op": one.blend_op() }))
        .collect();
    let alpha = |alpha| match alpha {
        Alpha::Premultiplied => "premultiplied",
        Alpha::Straight => "straight",
    };
    json!({
        "location": blended.location,
        "equations": equations,
        "overlap": match blended.target.overlap_mode() {
            Overlap::Uncorrelated => "uncorrelated",
            Overlap::Disjoint => "disjoint",
            Overlap::Conjoint => "conjoint",
        },
        "source_alpha": alpha(blended.target.source_alpha()),
        "destination_alpha": alpha(blended.target.destination_alpha()),
        "ordinary": match blended.target.blending() {
            Blending::Ordinary(ordinary) => {
                json!({ "color": term(ordinary.color), "alpha": term(ordinary.alpha) })
            }
            Blending::Equations(_) | Blending::Logic(_) => Value::Null,
        },
        "logic_operation": match blended.target.blending() {
            Blending::Logic(operation) => json!(operation.name()),
            Blending::Equations(_) | Blending::Ordinary(_) => Value::Null,
        },
        "format_class": blended.target.format_class().name(),
        "format_bits": blended.target.attachment_format().bits(),
    })
}

fn term(term: Term) -> Value {
    json!({
        "source": term.source.name(),
        "destination": term.destination.name(),
        "operation": term.operation.name(),
    })
}

fn words(one: &WordsAt) -> Value {
    json!({
        "place": place(one.place),
        "selecting": { "first": one.selecting.start, "count": one.selecting.len() },
        "blend_constants": { "first": one.constants.start, "count": one.constants.len() },
    })
}

fn descriptor(one: &Descriptor, needs: &Requirements) -> Value {
    json!({ "set": one.set.0, "binding": one.binding.0, "type": one.kind, "purpose": purpose(one, needs),
            "stages": ["fragment"] })
}

fn purpose(one: &Descriptor, needs: &Requirements) -> String {
    match one.purpose {
        Purpose::Destination { location, index: Some(index) } => {
            format!("destination of location {location}, input attachment {index}")
        }
        Purpose::Destination { location, index: None } => {
            format!("destination of location {location}")
        }
        Purpose::Words => {
            let is_here = |words: &&WordsAt| match words.place {
                HostWords::StorageBuffer { set, binding } | HostWords::Uniform { set, binding } => {
                    (set, binding) == (one.set, one.binding)
                }
                HostWords::PushConstant { .. } | HostWords::Specialization { .. } => false,
            };
            let here = needs.words.iter().find(is_here);
            let are = |range: fn(&WordsAt) -> bool| here.is_some_and(range);
            match (are(|one| !one.selecting.is_empty()), are(|one| !one.constants.is_empty())) {
                (_, false) => "words that select equations".to_owned(),
                (false, true) => "blend constants".to_owned(),
                (true, true) => "words that select equations, blend constants".to_owned(),
            }
        }
    }
}

fn select(select: Select) -> String {
    match select {
        Select::Constant => "nothing: one equation each".to_owned(),
        Select::Words(at) => place(at),
    }
}

fn place(place: HostWords) -> String {
    match place {
        HostWords::StorageBuffer { set, binding } => {
            format!("words in a storage buffer, set {} binding {}", set.0, binding.0)
        }
        HostWords::Uniform { set, binding } => {
            format!("words in a uniform buffer, set {} binding {}", set.0, binding.0)
        }
        HostWords::PushConstant { offset } => {
            format!("words in push constants from byte {offset} on")
        }
        HostWords::Specialization { first_id } => {
            format!("specialization constants from {first_id} on")
        }
    }
}

fn ordering(ordering: Ordering) -> &'static str {
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
