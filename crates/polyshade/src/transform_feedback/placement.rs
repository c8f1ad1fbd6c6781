//! Where what is added is bound.

use super::options::{Host, HostWords, Options};
use crate::moves::{Binding, Set, bindings};
use crate::reserved::Reserved;
use polyshade_spv::{Error, ErrorKind, Module};

/// The sets that every Vulkan device has (Vulkan specification, `maxBoundDescriptorSets`).
const SETS: u32 = 4;

/// Where the feedback buffers and the host words are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    set: Set,
    first: Binding,
    pub(super) host: HostWords,
}

impl Placement {
    /// Finds room for `buffers` feedback buffers and the host words, or takes what the options say.
    pub(super) fn new(m: &Module<'_>, options: &Options, buffers: u32) -> Result<Self, Error> {
        let reserved = options.reservations();
        let beside = match options.host_wanted() {
            Host::StorageBuffer { set: None, binding: None }
            | Host::Uniform { set: None, binding: None } => 1,
            _ => 0,
        };
        let (set, first) = match options.storage() {
            Some(storage) => storage,
            None => {
                let mut used = bindings(m);
                used.extend(place_of(options.host_wanted()));
                find_room(&used, reserved, buffers + beside)?
            }
        };
        let Some(behind) = first.0.checked_add(buffers).map(Binding) else {
            let message = format!("there are no {buffers} bindings from {} on", first.0);
            return Err(Error::new(ErrorKind::Options, message));
        };
        let host = match options.host_wanted() {
            Host::StorageBuffer { set: its, binding } => HostWords::StorageBuffer {
                set: its.unwrap_or(set),
                binding: binding.unwrap_or(behind),
            },
            Host::Uniform { set: its, binding } => {
                HostWords::Uniform { set: its.unwrap_or(set), binding: binding.unwrap_or(behind) }
            }
            Host::PushConstant { offset } => HostWords::PushConstant { offset },
            Host::Specialization { first_id } => HostWords::Specialization { first_id },
        };
        let placement = Self { set, first, host };
        (0..buffers).try_for_each(|i| reserved.check(set, placement.buffer(i)))?;
        placement.check_host(reserved, behind)?;
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
    fn check_host(&self, reserved: &Reserved, behind: Binding) -> Result<(), Error> {
        let (HostWords::StorageBuffer { set, binding } | HostWords::Uniform { set, binding }) =
            self.host
        else {
            return Ok(());
        };
        if set == self.set && (self.first..behind).contains(&binding) {
            let message = format!(
                "binding {} of set {} would hold the host words and feedback buffer {}",
                binding.0,
                set.0,
                binding.0 - self.first.0
            );
            return Err(Error::new(ErrorKind::Options, message));
        }
        reserved.check(set, binding)
    }
}

/// The binding that the options give the host words.
fn place_of(host: Host) -> Option<(Set, Binding)> {
    match host {
        Host::StorageBuffer { set, binding } | Host::Uniform { set, binding } => {
            Some((set?, binding?))
        }
        Host::PushConstant { .. } | Host::Specialization { .. } => None,
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
