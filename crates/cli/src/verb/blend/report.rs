//! Formats the result of `blend` as JSON and as text.

use polyshade::advanced_blend::{
    Alpha, BlendComponent, Blending, ColorBlend, Destination, Overlap,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the blended targets as JSON.
pub(super) fn targets(targets: &BTreeMap<u32, ColorBlend>) -> Vec<Value> {
    targets.iter().map(|(location, blend)| target(*location, blend)).collect()
}

/// Formats the blended targets and the pipeline state as text.
pub(super) fn text(targets: &BTreeMap<u32, ColorBlend>, state: &[&str]) -> String {
    let mut text = "\nblended\n".to_owned();
    if targets.is_empty() {
        text.push_str("  nothing\n");
    }
    for (location, blended) in targets {
        let how = match blended.blending() {
            Blending::Equations(equations) => {
                let names: Vec<&str> = equations.iter().map(|one| one.name()).collect();
                names.join(", ")
            }
            Blending::FixedFunction(fixed_function) => fixed_function.to_string(),
            Blending::Logic(operation) => {
                format!("logic operation {operation}, {}", blended.attachment_format())
            }
        };
        let _ = writeln!(text, "  location {location}: {how}");
    }
    let _ = writeln!(text, "\nstate");
    for line in state {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// Returns the pipeline state that the shader relies on. `is_multisampled` means that attachments
/// have several samples.
pub(super) fn state(
    destination: Destination,
    targets: &BTreeMap<u32, ColorBlend>,
    is_multisampled: bool,
) -> Vec<&'static str> {
    let mut state = match destination {
        Destination::StorageImage { .. } => vec![
            "stores are not masked: the write mask and blending do not apply",
            "alpha to coverage is off, and every fragment is shaded at a rate of 1x1",
            "the image is in the layout GENERAL, and contains the earlier draws",
        ],
        _ => vec![
            "fixed-function blending is off for targets that the shader blends; the write mask applies",
            if targets.contains_key(&0) {
                "alpha to coverage and alpha to one are off: they would see the blended alpha"
            } else {
                "alpha to coverage and alpha to one stay as they are: they see location 0 alone"
            },
            "every fragment is shaded at a rate of 1x1: a coarser one reads one pixel and writes several",
            "the attachment is loaded, and kept in a layout in which it is read and written",
        ],
    };
    state.extend(
        is_multisampled
            .then_some("the shader runs for each sample, and gl_FragCoord is that of the sample"),
    );
    state
}

fn target(location: u32, blended: &ColorBlend) -> Value {
    let equations: Vec<Value> = blended
        .equations()
        .iter()
        .map(|one| json!({ "name": one.name(), "word": one.word(), "blend_op": one.blend_op() }))
        .collect();
    let alpha = |alpha| match alpha {
        Alpha::Premultiplied => "premultiplied",
        Alpha::Straight => "straight",
    };
    json!({
        "location": location,
        "equations": equations,
        "overlap": match blended.overlap_mode() {
            Overlap::Uncorrelated => "uncorrelated",
            Overlap::Disjoint => "disjoint",
            Overlap::Conjoint => "conjoint",
        },
        "source_alpha": alpha(blended.source_alpha()),
        "destination_alpha": alpha(blended.destination_alpha()),
        "fixed_function": match blended.blending() {
            Blending::FixedFunction(fixed_function) => {
                json!({ "color": term(fixed_function.color), "alpha": term(fixed_function.alpha) })
            }
            Blending::Equations(_) | Blending::Logic(_) => Value::Null,
        },
        "logic_operation": match blended.blending() {
            Blending::Logic(operation) => json!(operation.name()),
            Blending::Equations(_) | Blending::FixedFunction(_) => Value::Null,
        },
        "format_class": blended.format_class().name(),
        "format_bits": blended.attachment_format().bits(),
    })
}

fn term(term: BlendComponent) -> Value {
    json!({
        "source": term.source.name(),
        "destination": term.destination.name(),
        "operation": term.operation.name(),
    })
}
