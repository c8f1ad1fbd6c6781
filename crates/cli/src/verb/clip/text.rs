//! Parses the values of `clip`'s options, from text and from JSON.

use crate::code;
use crate::failure::Failure;
use crate::named::pair;
use polyshade::clip_cull::{DistanceCounts, DistanceSemantic};
use polyshade::host;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// Parses a number, or a source of host parameters.
pub(super) fn mask(text: &str) -> Result<host::Value<u32>, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match number {
        Some(mask) => Ok(host::Value::Fixed(mask)),
        None => text
            .parse()
            .map(host::Value::Param)
            .map_err(|error: polyshade::Error| error.to_string()),
    }
}

/// The space of clip planes: the space of the output at this location, or clip space for `None`.
#[derive(Clone, Copy)]
pub(super) struct Space(pub(super) Option<u32>);

/// Parses `clip` or `location=N`.
pub(super) fn space(text: &str) -> Result<Space, String> {
    let location = text.strip_prefix("location=").and_then(|number| number.parse().ok());
    match location {
        None if text != "clip" => Err("a space is clip or location=N".to_owned()),
        location => Ok(Space(location)),
    }
}

/// Parses `CLIP,CULL`.
pub(super) fn counts(text: &str) -> Result<DistanceCounts, String> {
    let parsed = pair(text, ',').map(|(clip, cull)| DistanceCounts::new(clip, cull));
    parsed.ok_or_else(|| "the numbers of distances are given as CLIP,CULL".to_owned())
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Semantics {
    pub(super) inputs: Vec<DistanceSemantic>,
    pub(super) outputs: Vec<DistanceSemantic>,
    pub(super) linked_inputs: Vec<DistanceSemantic>,
    pub(super) linked_outputs: Vec<DistanceSemantic>,
}

pub(super) fn read_semantics(file: &Path) -> Result<Semantics, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::file(file, error))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::at(&code::CLI_INVALID_INPUT, file, error.to_string()))
}
