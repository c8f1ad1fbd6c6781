//! The values of `clip`'s options, as text and as JSON.

use crate::code;
use crate::failure::Failure;
use polyshade::clip_cull::Mark;
use polyshade::host;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A number, or a place.
pub(super) fn mask(text: &str) -> Result<host::Value<u32>, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match number {
        Some(mask) => Ok(host::Value::Fixed(mask)),
        None => {
            text.parse().map(host::Value::Word).map_err(|error: polyshade::Error| error.to_string())
        }
    }
}

/// The space of planes: that of an output, or clip space.
#[derive(Clone, Copy)]
pub(super) struct Space(pub(super) Option<u32>);

/// `clip`, or `location=N`.
pub(super) fn space(text: &str) -> Result<Space, String> {
    let location = text.strip_prefix("location=").and_then(|number| number.parse().ok());
    match location {
        None if text != "clip" => Err("a space is clip or location=N".to_owned()),
        location => Ok(Space(location)),
    }
}

/// `CLIP,CULL`.
pub(super) fn counts(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once(',').and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
    parsed.ok_or_else(|| "the numbers of distances are given as CLIP,CULL".to_owned())
}

/// The contents of a file of marks.
#[derive(Default)]
pub(crate) struct Marks {
    pub(super) inputs: Vec<Mark>,
    pub(super) outputs: Vec<Mark>,
    pub(super) linked_inputs: Vec<Mark>,
    pub(super) linked_outputs: Vec<Mark>,
}

/// Reads a file of marks.
pub(super) fn read_marks(file: &Path) -> Result<Marks, Failure> {
    let failed = |what: String| Failure::at(&code::CLI_INVALID_INPUT, file, what);
    let text =
        fs::read_to_string(file).map_err(|error| Failure::at(&code::CLI_FILE, file, error))?;
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
