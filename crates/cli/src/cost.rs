//! Computes the costs of a shader and its position-only variants, and formats them as JSON and as text.

use polyshade::host::Target;
use polyshade::position_only::{self, Cost, Options};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use serde_json::{Value, json};
use std::fmt::Write;

/// The share of a shader's work above which the position is reported as most of the work.
const MOST: f64 = 0.75;

/// Returns the costs of the entry point `target` of `module`, and of its variants with `options`.
pub(crate) fn costs(
    module: &Module<'_>,
    (target, model): (&Target, ExecutionModel),
    options: &Options,
) -> Result<Value, Error> {
    let of = |m: &Module<'_>| {
        let mut entries = m.entry_points().filter(|entry| entry.model() == model);
        let entry = entries.find(|entry| entry.name() == target.entry_name());
        entry.map(|entry| position_only::cost(m, entry)).unwrap_or_default()
    };
    let original = of(module);
    let position_only = of(&position_only::lower(module, target, options)?.module);
    let options = options.clone().variant(position_only::Variant::Complement);
    let complement = of(&position_only::lower(module, target, &options)?.module);
    let repeated = position_only.share_of(&original);
    Ok(json!({
        "original": cost(&original),
        "position_only": cost(&position_only),
        "complement": cost(&complement),
        "repeated": repeated,
        "gains_little": repeated > MOST,
    }))
}

fn cost(cost: &Cost) -> Value {
    let mut value = serde_json::to_value(cost).expect("all keys are strings");
    value["instructions"] = cost.instructions().into();
    value
}

/// The rows of the table, each with its text and its JSON key.
const ROWS: [(&str, &str); 7] = [
    ("instructions", "instructions"),
    ("  arithmetic", "arithmetic"),
    ("  memory", "memory"),
    ("  texture", "texture"),
    ("  control", "control"),
    ("input, bytes a vertex", "input_bytes"),
    ("output, bytes a vertex", "output_bytes"),
];

pub(crate) fn table(costs: &Value) -> String {
    let mut text =
        format!("{:<24} {:>10} {:>14} {:>12}\n", "", "original", "position only", "complement");
    for (name, key) in ROWS {
        let of = |variant: &str| costs[variant][key].as_u64().unwrap_or_default();
        let [original, position, complement] = ["original", "position_only", "complement"].map(of);
        let _ = writeln!(text, "{name:<24} {original:>10} {position:>14} {complement:>12}");
    }
    let repeated = (costs["repeated"].as_f64().unwrap_or_default() * 100.0).round();
    let _ = writeln!(
        text,
        "the position-only variant has {repeated} % of the instructions of the original"
    );
    if costs["gains_little"] == true {
        text.push_str(
            "the position needs most of the shader's work: a position-only pass gains little\n",
        );
    }
    text
}
