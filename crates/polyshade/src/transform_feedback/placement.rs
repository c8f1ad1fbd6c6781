//! Where what is added is bound.

use super::options::{Options, WordsAt};
use crate::host::{Binding, Place, Reserved, Set};
use crate::moves::bindings;
use polyshade_spv::{Error, ErrorKind, Module};

/// The sets that every Vulkan device has (Vulkan specification, `maxBoundDescriptorSets`).
const SETS: u32 = 4;

/// Where the feedback buffers and the host words are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    set: Set,
    first: Binding,
    pub(super) words: Place,
}

impl Placement {
    /// Finds room for `buffers` feedback buffers and the host words, or takes what the options say.
    pub(super) fn new(
        m: &Module<'_>,
        options: &Options,
        reserved: &Reserved,
        buffers: u32,
    ) -> Result<Self, Error> {
        let given = match options.words_wanted() {
            WordsAt::Place(place) => Some(place),
            WordsAt::StorageBuffer | WordsAt::Uniform => None,
        };
        let (set, first) = match options.storage() {
            Some(storage) => storage,
            None => {
                let mut used = bindings(m);
                used.extend(given.and_then(Place::descriptor));
                find_room(&used, reserved, buffers + u32::from(given.is_none()))?
            }
        };
        let Some(behind) = first.0.checked_add(buffers).map(Binding) else {
            let message = format!("there are no {buffers} bindings from {} on", first.0);
            return Err(Error::new(ErrorKind::Options, message));
        };
        let words = match options.words_wanted() {
            WordsAt::StorageBuffer => Place::StorageBuffer { set, binding: behind },
            WordsAt::Uniform => Place::Uniform { set, binding: behind },
            WordsAt::Place(place) => place,
        };
        let placement = Self { set, first, words };
        (0..buffers).try_for_each(|i| reserved.check(set, placement.buffer(i)))?;
        placement.check_words(behind)?;
        Ok(placement)
    }

    /// The set of the feedback buffers.
    pub(super) fn set(&self) -> Set {
        self.set
    }

    /// The binding of feedback buffer `number`.
    pub(super) fn buffer(&self, number: u32) -> Binding {
        Binding(self.first.0.saturating_add(number))
    }

    /// The host words have a binding of their own.
    fn check_words(&self, behind: Binding) -> Result<(), Error> {
        let Some((set, binding)) = self.words.descriptor() else { return Ok(()) };
        if set == self.set && (self.first..behind).contains(&binding) {
            let message = format!(
                "binding {} of set {} would hold the host words and feedback buffer {}",
                binding.0,
                set.0,
                binding.0 - self.first.0
            );
            return Err(Error::new(ErrorKind::Options, message));
        }
        Ok(())
    }
}

/// The first of `count` bindings in a row that are free: of the last set that is not used at all, else behind what is
/// used of a set.
fn find_room(
    used: &[(Set, Binding)],
    reserved: &Reserved,
    count: u32,
) -> Result<(Set, Binding), Error> {
    let free = |set, first: u32| {
        (first..first.saturating_add(count)).all(|binding| reserved.is_free(set, Binding(binding)))
    };
    let sets = || (0..SETS).rev().map(Set);
    let unused = sets().find(|set| !used.iter().any(|(other, _)| other == set) && free(*set, 0));
    if let Some(set) = unused {
        return Ok((set, Binding(0)));
    }
    let behind = |set: Set| {
        let last =
            used.iter().filter(|(other, _)| *other == set).map(|(_, binding)| binding.0).max();
        let first = last.map_or(0, |last| last.saturating_add(1));
        // As far as a caller may reserve bindings one by one.
        (first..first.saturating_add(MOST_SEARCHED)).find(|first| free(set, *first))
    };
    sets().find_map(|set| Some((set, Binding(behind(set)?)))).ok_or_else(|| {
        let message = "there is no room for feedback buffers in sets 0 to 3: all are reserved";
        Error::new(ErrorKind::Options, message).help("say where they go")
    })
}

/// How many bindings of a set are tried.
const MOST_SEARCHED: u32 = 1024;
