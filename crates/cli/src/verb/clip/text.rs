//! What the options of `clip` say, as text and as JSON.

use crate::failure::{Exit, Failure};
use polyshade::clip_cull::{Enabled, Mark, Space};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A number, or a place.
pub(super) fn mask(text: &str) -> Result<Enabled, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match number {
        Some(mask) => Ok(Enabled::Constant(mask)),
        None => {
            text.parse().map(Enabled::Word).map_err(|error: polyshade::Error| error.to_string())
        }
    }
}

/// `clip`, or `location=N`.
pub(super) fn space(text: &str) -> Result<Space, String> {
    if text == "clip" {
        return Ok(Space::Clip);
    }
    let location = text.strip_prefix("location=").and_then(|number| number.parse().ok());
    location
        .map(|location| Space::Output { location })
        .ok_or_else(|| "a space is clip or location=N".to_owned())
}

/// `CLIP,CULL`.
pub(super) fn counts(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once(',').and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
    parsed.ok_or_else(|| "the numbers of distances are given as CLIP,CULL".to_owned())
}

/// What a file of marks lists.
#[derive(Default)]
pub(crate) struct Marks {
    pub(super) inputs: Vec<Mark>,
    pub(super) outputs: Vec<Mark>,
    pub(super) linked_inputs: Vec<Mark>,
    pub(super) linked_outputs: Vec<Mark>,
}

/// Reads a file of marks.
pub(super) fn read_marks(file: &Path) -> Result<Marks, Failure> {
    let failed = |what: String| Failure::new(Exit::Failed, format!("{}: {what}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let Value::Object(lists) = value else { return Err(failed("not an object".to_owned())) };
    let mut marks = Marks::default();
    for (name, list) in &lists {
        let place = match name.as_str() {
            "inputs" => &mut marks.inputs,
            "outputs" => &mut marks.outputs,
            "linked_inputs" => &mut marks.linked_inputs,
            "linked_outputs" => &mut marks.linked_outputs,
            _ => return Err(failed(format!("there is no list `{name}`"))),
        };
        let Value::Array(list) = list else { return Err(failed(format!("`{name}` is no list"))) };
        for mark in list {
            let text = mark.as_str().ok_or_else(|| failed(format!("{mark} is no mark")))?;
            place.push(text.parse().map_err(|error: polyshade::Error| failed(error.to_string()))?);
        }
    }
    Ok(marks)
}
