//! The words that the host fills in: what selects equations, and the blend constants.

use super::Options;
use super::options::{Constants, Select};
use crate::moves::{self, HostBlock};
use crate::transform_feedback::HostWords;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Cursor, Decoration, Error, Id, Module, Patch};
use std::ops::Range;

/// How many words blend constants are: red, green, blue, alpha, a float each.
pub(super) const CONSTANTS: u32 = 4;

/// What the words of one place are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    pub(super) place: HostWords,
    /// Their names, in their order.
    pub(super) names: Vec<String>,
    /// Which of them select equations, one a target that has any.
    pub(super) selecting: Range<u32>,
    /// Which of them are the blend constants.
    pub(super) constants: Range<u32>,
}

/// The words that are asked for, by place: where both are at one place, the constants stand behind what selects.
/// `selected` are the locations of the targets with equations; `constants` says whether a factor needs the constants.
pub(super) fn groups(options: &Options, selected: &[u32], constants: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    if let (Select::Words(place), false) = (options.select, selected.is_empty()) {
        groups.push(Group {
            place,
            names: selected.iter().map(|location| format!("equation_{location}")).collect(),
            selecting: 0..selected.len() as u32,
            constants: 0..0,
        });
    }
    if let (Constants::Words(place), true) = (options.constants, constants) {
        let names = ["red", "green", "blue", "alpha"].map(|name| format!("blend_constant_{name}"));
        match groups.iter_mut().find(|group| group.place == place) {
            Some(group) => {
                let first = group.names.len() as u32;
                group.names.extend(names);
                group.constants = first..first + CONSTANTS;
            }
            None => groups.push(Group {
                place,
                names: names.into(),
                selecting: 0..0,
                constants: 0..CONSTANTS,
            }),
        }
    }
    groups
}

/// Where the words are read.
#[derive(Default)]
pub(super) struct Words {
    places: Vec<(Group, Place)>,
}

enum Place {
    Block(HostBlock),
    Constants(Vec<Id>),
}

impl Words {
    /// Adds them, if there are any.
    pub(super) fn add<'m>(
        m: &'m Module<'_>,
        p: &mut Patch<'m, '_>,
        entry: EntryPoint<'m>,
        options: &Options,
        groups: &[Group],
    ) -> Result<Self, Error> {
        let mut words = Self::default();
        for group in groups {
            words.places.push((group.clone(), place(m, p, entry, options, group)?));
        }
        Ok(words)
    }

    /// Emits the word that selects for the target that is the `number`th of those with equations.
    pub(super) fn select(&self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Option<Id> {
        let selects = |(group, _): &&(Group, Place)| group.selecting.contains(&number);
        self.places.iter().find(selects).map(|(_, place)| place.load(code, number))
    }

    /// Emits the blend constants, four floats.
    pub(super) fn constants(&self, code: &mut Cursor<'_, '_, '_>) -> Option<Id> {
        let has = |(group, _): &&(Group, Place)| !group.constants.is_empty();
        let (group, place) = self.places.iter().find(has)?;
        let float = code.p.float();
        let vec4 = code.p.vector(float, 4);
        let components: Vec<Id> = group
            .constants
            .clone()
            .map(|number| {
                let word = place.load(code, number);
                code.bitcast(float, word)
            })
            .collect();
        Some(code.construct(vec4, &components))
    }
}

impl Place {
    fn load(&self, code: &mut Cursor<'_, '_, '_>, number: u32) -> Id {
        match self {
            Self::Block(block) => block.load(code, number),
            Self::Constants(constants) => constants[number as usize],
        }
    }
}

fn place<'m>(
    m: &'m Module<'_>,
    p: &mut Patch<'m, '_>,
    entry: EntryPoint<'m>,
    options: &Options,
    group: &Group,
) -> Result<Place, Error> {
    const NAME: &str = "polyshade_blend";
    let names: Vec<&str> = group.names.iter().map(String::as_str).collect();
    Ok(match group.place {
        HostWords::StorageBuffer { set, binding } => {
            options.reserved.check(set, binding)?;
            let words = moves::word_array(m, p);
            let block = moves::storage_buffer(m, p, entry, words, (set, binding), NAME)?;
            p.decorate(block.variable, Decoration::NON_WRITABLE, &[]);
            Place::Block(block)
        }
        HostWords::Uniform { set, binding } => {
            options.reserved.check(set, binding)?;
            Place::Block(moves::uniform_block(m, p, entry, (set, binding), NAME, &names)?)
        }
        HostWords::PushConstant { offset } => {
            Place::Block(moves::push_constants(m, p, entry, offset, NAME, &names)?)
        }
        HostWords::Specialization { first_id } => {
            let numbers = first_id..first_id.saturating_add(names.len() as u32);
            options.reserved.check_constants(numbers)?;
            Place::Constants(moves::spec_constants(m, p, first_id, &names)?)
        }
    })
}
