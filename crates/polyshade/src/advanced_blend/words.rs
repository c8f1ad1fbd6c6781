//! The words that the host fills in: what selects equations, and the blend constants.

use super::Options;
use super::options::{Constants, Select};
use crate::host::{Reserved, Word, Words};
use crate::moves::{self, HostWords};
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Error, Id, Module, Patch};

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
pub(super) fn words(options: &Options, selected: &[u32], constants: bool) -> Vec<Words> {
    let mut words = Vec::new();
    if let (Select::Words(place), false) = (options.select, selected.is_empty()) {
        let names = selected.iter().map(|location| {
            let meaning = format!("the equation of the target at location {location}");
            Word::new(selecting(*location), meaning)
        });
        Words::add(&mut words, place, names);
    }
    if let (Constants::Words(place), true) = (options.constants, constants) {
        let names = CHANNELS.map(|channel| {
            Word::new(constant(channel), format!("{channel} of the blend constants, a float"))
        });
        Words::add(&mut words, place, names);
    }
    words
}

/// Where the words are read.
pub(super) struct Added<'w>(Vec<(&'w Words, HostWords)>);

impl<'w> Added<'w> {
    /// Adds them, if there are any.
    pub(super) fn new<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        reserved: &Reserved,
        words: &'w [Words],
    ) -> Result<Self, Error> {
        let groups = words.iter().map(|group| {
            let added = moves::host_words(m, p, entry, reserved, (group, "polyshade_blend"), None)?;
            Ok((group, added))
        });
        groups.collect::<Result<_, _>>().map(Self)
    }

    fn load(&self, code: &mut Cursor<'_, '_, '_>, name: &str) -> Option<Id> {
        let mut found =
            self.0.iter().filter_map(|(group, added)| Some((added, group.number(name)?)));
        let (added, number) = found.next()?;
        Some(added.load(code, number))
    }

    /// Emits the word that selects for the target at `location`.
    pub(super) fn select(&self, code: &mut Cursor<'_, '_, '_>, location: u32) -> Option<Id> {
        self.load(code, &selecting(location))
    }

    /// Emits the blend constants, four floats.
    pub(super) fn constants(&self, code: &mut Cursor<'_, '_, '_>) -> Option<Id> {
        let float = code.p.float();
        let vec4 = code.p.vector(float, 4);
        let mut components = Vec::new();
        for channel in CHANNELS {
            let word = self.load(code, &constant(channel))?;
            components.push(code.bitcast(float, word));
        }
        Some(code.construct(vec4, &components))
    }
}
