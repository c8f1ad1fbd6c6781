//! Resources that the caller reserves for other stages, other lowerings or later edits.

use super::{Binding, HostParams, Set};
use crate::code;
use polyshade_spv::Error;
use std::collections::BTreeSet;
use std::ops::Range;

/// Sets, bindings, locations, constants and ids that a lowering must not use for the things that it adds. A lowering
/// sees only one stage, so the caller lists the resources of the pipeline's other stages here.
///
/// If the options do not specify a resource, the lowering chooses a free one. If they specify a reserved one, the
/// lowering fails with an `Options` error.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reserved {
    sets: BTreeSet<Set>,
    bindings: BTreeSet<(Set, Binding)>,
    locations: BTreeSet<u32>,
    constants: BTreeSet<u32>,
    push_constants: Vec<Range<u32>>,
    ids_below: u32,
}

impl Reserved {
    /// Creates an empty reservation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reserves a descriptor set.
    #[must_use]
    pub fn set(mut self, set: Set) -> Self {
        self.sets.insert(set);
        self
    }

    /// Reserves one binding of a descriptor set.
    #[must_use]
    pub fn binding(mut self, set: Set, binding: Binding) -> Self {
        self.bindings.insert((set, binding));
        self
    }

    /// Reserves a location in the interface between stages.
    #[must_use]
    pub fn location(mut self, location: u32) -> Self {
        self.locations.insert(location);
        self
    }

    /// Reserves the id of a specialization constant.
    #[must_use]
    pub fn specialization(mut self, id: u32) -> Self {
        self.constants.insert(id);
        self
    }

    /// Reserves a range of push constants, in bytes.
    #[must_use]
    pub fn push_constants(mut self, bytes: Range<u32>) -> Self {
        self.push_constants.push(bytes);
        self
    }

    /// Reserves all SPIR-V ids below `bound`. New ids start at `bound`, or at the module's bound if that is higher.
    #[must_use]
    pub fn ids_below(mut self, bound: u32) -> Self {
        self.ids_below = bound;
        self
    }

    /// Combines both reservations. Reserved ids are those of `self` alone, because each module has its own ids.
    pub(crate) fn join(mut self, other: &Self) -> Self {
        self.sets.extend(&other.sets);
        self.bindings.extend(&other.bindings);
        self.locations.extend(&other.locations);
        self.constants.extend(&other.constants);
        self.push_constants.extend_from_slice(&other.push_constants);
        self
    }

    /// Returns the first SPIR-V id that is not reserved.
    pub fn first_id(&self) -> u32 {
        self.ids_below
    }

    /// Whether a resource may be added at this binding.
    pub fn is_free(&self, set: Set, binding: Binding) -> bool {
        !self.sets.contains(&set) && !self.bindings.contains(&(set, binding))
    }

    /// Whether neither the set nor one of its bindings is reserved.
    pub(crate) fn is_unused(&self, set: Set) -> bool {
        !self.sets.contains(&set) && !self.bindings.iter().any(|(other, _)| *other == set)
    }

    /// Whether a variable may be added at this location.
    pub fn is_free_location(&self, location: u32) -> bool {
        !self.locations.contains(&location)
    }

    /// Fails if `binding` of `set` is reserved.
    pub(crate) fn check(&self, set: Set, binding: Binding) -> Result<(), Error> {
        if self.is_free(set, binding) {
            return Ok(());
        }
        let message =
            format!("binding {} of set {} is reserved or used by another stage", binding.0, set.0);
        Err(Error::new(&code::BINDING_RESERVED, message))
    }

    /// Fails if the source of these host parameters is reserved.
    pub(crate) fn check_params(&self, words: &HostParams) -> Result<(), Error> {
        if let Some((set, binding)) = words.source.descriptor() {
            self.check(set, binding)?;
        }
        if let Some(bytes) = words.push_constants() {
            let overlaps = |other: &&Range<u32>| bytes.start < other.end && other.start < bytes.end;
            if let Some(other) = self.push_constants.iter().find(overlaps) {
                let message = format!(
                    "bytes {other:?} of the push constants are reserved or used by another stage"
                );
                return Err(Error::new(&code::PARAMS_PUSH_CONSTANTS_RESERVED, message));
            }
        }
        words.specialization().map_or(Ok(()), |ids| self.check_constants(ids))
    }

    /// Fails if one of these specialization constants is reserved.
    pub(crate) fn check_constants(&self, ids: Range<u32>) -> Result<(), Error> {
        match self.constants.range(ids).next() {
            Some(id) => {
                let message =
                    format!("specialization constant {id} is reserved or used by another stage");
                Err(Error::new(&code::PARAMS_SPECIALIZATION_RESERVED, message))
            }
            None => Ok(()),
        }
    }
}
