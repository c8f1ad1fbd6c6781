//! The words that the host fills in: what selects equations, and the blend constants.

use super::Options;
use crate::host::{HostParam, HostParams};
use crate::rewrite::ParamReader;
use polyshade_spv::{Cursor, Id};

const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// What the word is called that selects for the target at `location`.
fn selecting(location: u32) -> String {
    format!("equation_{location}")
}

/// What the word is called that is a channel of the blend constants.
fn constant(channel: &str) -> String {
    format!("blend_constant_{channel}")
}

/// The words that are asked for, by place: where both are at one place, the constants stand behind what selects.
/// `selected` are the locations of the targets with equations; `constants` says whether a factor needs the constants.
pub(super) fn words(options: &Options, selected: &[u32], constants: bool) -> Vec<HostParams> {
    let mut words = Vec::new();
    if let (Some(place), false) = (options.select, selected.is_empty()) {
        let names = selected.iter().map(|location| {
            let meaning = format!("the equation of the target at location {location}");
            HostParam::new(selecting(*location), meaning)
        });
        HostParams::add(&mut words, place, names);
    }
    if let (Some(place), true) = (options.constants.place(), constants) {
        let names = CHANNELS.map(|channel| {
            HostParam::new(constant(channel), format!("{channel} of the blend constants, a float"))
        });
        HostParams::add(&mut words, place, names);
    }
    words
}

/// Emits the word that selects for the target at `location`.
pub(super) fn select(
    words: &ParamReader<'_>,
    code: &mut Cursor<'_, '_, '_>,
    location: u32,
) -> Option<Id> {
    words.find(code, &selecting(location))
}

/// Emits the blend constants, four floats.
pub(super) fn constants(words: &ParamReader<'_>, code: &mut Cursor<'_, '_, '_>) -> Option<Id> {
    let float = code.p.float();
    let vec4 = code.p.vector(float, 4);
    let mut components = Vec::new();
    for channel in CHANNELS {
        let word = words.find(code, &constant(channel))?;
        components.push(code.bitcast(float, word));
    }
    Some(code.construct(vec4, &components))
}
