//! Describes the resources that all stages of a pipeline use together: a common pipeline layout.

use super::resources::{dimension, listed, text_of};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Describes the resources of these entry points as a pipeline layout with specialization constants.
pub(super) fn of(reports: &[Value]) -> Value {
    let entries: Vec<&Value> =
        reports.iter().flat_map(|report| listed(report, "entry_points")).collect();
    let mut descriptors = BTreeMap::<_, Vec<(&Value, &Value)>>::new();
    // Find the end of the push constants; `None` if the size of a block is unknown until run time.
    let (mut push_constants, mut end) = (Vec::new(), Some(0));
    for entry in &entries {
        let stage = &entry["stage"];
        for one in listed(entry, "descriptors") {
            let place = (one["set"].as_u64(), one["binding"].as_u64());
            descriptors.entry(place).or_default().push((stage, one));
        }
        for block in listed(entry, "push_constants") {
            end = end.zip(block["end"].as_u64()).map(|(one, other)| one.max(other));
            let (offset, end) = (&block["offset"], &block["end"]);
            push_constants.push(json!({ "stage": stage, "offset": offset, "end": end }));
        }
    }
    let used: BTreeSet<Option<u64>> = descriptors.keys().map(|(set, _)| *set).collect();
    let free = (0..).find(|set| !used.contains(&Some(*set)));
    // Collect the specialization constants by id, each with the stages whose modules declare it.
    let mut constants = BTreeMap::<_, (&Value, Vec<&Value>)>::new();
    for report in reports {
        let stages = listed(report, "entry_points").map(|entry| &entry["stage"]);
        for one in listed(report, "specialization_constants") {
            let of_number = constants.entry(one["id"].as_u64());
            of_number.or_insert((one, Vec::new())).1.extend(stages.clone());
        }
    }
    let constant = |(one, stages): &(&Value, Vec<&Value>)| {
        let [id, name, ty] = ["id", "name", "type"].map(|key| &one[key]);
        json!({ "id": id, "name": name, "type": ty, "stages": stages })
    };
    json!({
        "stages": entries.iter().map(|entry| &entry["stage"]).collect::<Vec<_>>(),
        "descriptors": descriptors.values().map(|uses| descriptor(uses)).collect::<Vec<_>>(),
        "push_constants": push_constants,
        "push_constants_end": end,
        "specialization_constants": constants.values().map(constant).collect::<Vec<_>>(),
        "free_set": free,
    })
}

/// Describes a binding, from the descriptors of the stages that use it.
fn descriptor(uses: &[(&Value, &Value)]) -> Value {
    let (_, first) = uses[0];
    // The longest array determines the count. If any length is unknown, the count is unknown.
    let counts: Option<Vec<u64>> = uses.iter().map(|(_, one)| one["count"].as_u64()).collect();
    let kinds: BTreeSet<&str> = uses.iter().filter_map(|(_, one)| one["kind"].as_str()).collect();
    json!({
        "set": first["set"],
        "binding": first["binding"],
        // The stages conflict if there are several kinds, which cannot share a binding.
        "kinds": kinds,
        "count": counts.and_then(|counts| counts.into_iter().max()),
        "name": first["name"],
        "stages": uses.iter().map(|(stage, _)| stage).collect::<Vec<_>>(),
    })
}

/// Formats the description as lines of text.
pub(super) fn as_text(together: &Value) -> String {
    let all = |one: &Value, key: &str| listed(one, key).map(text_of).collect::<Vec<_>>();
    let mut text = format!("together ({})\n", all(together, "stages").join(", "));
    for one in listed(together, "descriptors") {
        let [set, binding, name] = ["set", "binding", "name"].map(|key| text_of(&one[key]));
        let (kinds, stages) = (all(one, "kinds"), all(one, "stages").join(", "));
        let count = dimension(&one["count"]);
        let kinds = match kinds.len() {
            1 => kinds.concat(),
            _ => format!("cannot be {} at once", kinds.join(" and ")),
        };
        let _ = writeln!(text, "  set {set} binding {binding}: {kinds}{count} {name}, {stages}");
    }
    for one in listed(together, "push_constants") {
        let [stage, start, end] = ["stage", "offset", "end"].map(|key| text_of(&one[key]));
        let _ = writeln!(text, "  push constants: bytes {start} to {end}, {stage}");
    }
    for one in listed(together, "specialization_constants") {
        let [id, ty, name] = ["id", "type", "name"].map(|key| text_of(&one[key]));
        let stages = all(one, "stages").join(", ");
        let _ = writeln!(text, "  specialization constant {id}: {ty} {name}, {stages}");
    }
    let [end, free] = ["push_constants_end", "free_set"].map(|key| text_of(&together[key]));
    let _ = writeln!(text, "  free: push constants from byte {end} on, set {free}");
    text
}
