//! The host parameters: the selectors of equations, and the blend constants.

use super::Options;
use crate::host::{HostParam, HostParams};
use crate::rewrite::ParamReader;
use polyshade_spv::{Cursor, Id};

const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// Returns the name of the parameter that selects the equation of the target at `location`.
fn selecting(location: u32) -> String {
    format!("equation_{location}")
}

/// Returns the name of the parameter for a channel of the blend constants.
fn constant(channel: &str) -> String {
    format!("blend_constant_{channel}")
}

/// Returns the host parameters, grouped by source. If selectors and constants have the same source, the constants
/// come last. `selected` has the locations of the targets with equations. `constants` is whether a factor uses the
/// blend constants.
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

/// Emits a load of the selector of the target at `location`, if the host fills it in.
pub(super) fn select(
    words: &ParamReader<'_>,
    code: &mut Cursor<'_, '_, '_>,
    location: u32,
) -> Option<Id> {
    words.find(code, &selecting(location))
}

/// Emits the blend constants as four floats, if the host fills them in.
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
