//! What a result needs of the device and the host, as JSON and as text.

use polyshade::transform_feedback::{Descriptor, Purpose, Requirements};
use serde_json::{Value, json};
use std::fmt::Write;

/// As JSON.
pub(crate) fn to_json(needs: &Requirements) -> Value {
    let descriptor = |one: &Descriptor| {
        json!({ "set": one.set.0, "binding": one.binding.0, "type": one.kind, "purpose": purpose(one.purpose),
                "stages": [one.stage.to_string()] })
    };
    let descriptors: Vec<Value> = needs.descriptors.iter().map(descriptor).collect();
    let limits: Vec<Value> = needs
        .limits
        .iter()
        .map(|limit| json!({ "name": limit.name, "at_least": limit.at_least }))
        .collect();
    let push_constants = needs
        .push_constants
        .as_ref()
        .map(|range| json!({ "offset": range.start, "size": range.len() }));
    let constants = needs
        .specialization
        .as_ref()
        .map(|range| json!({ "first_id": range.start, "count": range.len() }));
    json!({
        "extensions": needs.extensions,
        "features": needs.features,
        "limits": limits,
        "descriptors": descriptors,
        "push_constants": push_constants,
        "specialization_constants": constants,
    })
}

/// As text, for a person; nothing where nothing is needed.
pub(crate) fn to_text(needs: &Requirements) -> String {
    let mut text = String::new();
    for feature in needs.extensions.iter().chain(&needs.features) {
        let _ = writeln!(text, "  {feature}");
    }
    for limit in &needs.limits {
        let _ = writeln!(text, "  {} of at least {}", limit.name, limit.at_least);
    }
    if text.is_empty() { text } else { format!("\nneed\n{text}") }
}

/// What is bound to a descriptor.
pub(crate) fn purpose(purpose: Purpose) -> String {
    match purpose {
        Purpose::Feedback(number) => format!("feedback buffer {number}"),
        Purpose::HostWords => "host words".to_owned(),
    }
}
