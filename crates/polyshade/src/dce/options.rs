//! What a caller does not need of a module.

use polyshade_spv::view::EntryPoint;
use polyshade_spv::{ExecutionModel, Id};
use std::collections::BTreeMap;

/// What is not needed, beside what is dead in any case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DceOptions {
    only: Option<(String, ExecutionModel)>,
    pub(super) outputs: BTreeMap<Id, Dead>,
    pub(super) effects: Effects,
    pub(super) keeps_interface: bool,
}

/// What becomes of stores to buffers and images, and of atomics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Effects {
    #[default]
    Stay,
    Go,
    Refused,
}

/// What nobody needs of an output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dead {
    Whole,
    /// These members of a block, in order.
    Members(Vec<u32>),
}

impl DceOptions {
    /// Nothing is dead that somebody sees.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reduces this entry point only; what others have stays as it is.
    #[must_use]
    pub fn only(mut self, name: impl Into<String>, model: ExecutionModel) -> Self {
        self.only = Some((name.into(), model));
        self
    }

    /// Reduces no entry point: only code and declarations that none of them reaches go.
    pub(crate) fn of_unreached() -> Self {
        // No entry point is of a stage that does not exist.
        Self::new().only("", ExecutionModel(u32::MAX))
    }

    /// Nobody needs the output variable `id`. Where the shader itself reads it, what it reads stays.
    #[must_use]
    pub fn without_output(mut self, id: Id) -> Self {
        self.outputs.insert(id, Dead::Whole);
        self
    }

    /// Nobody needs member `member` of the output block `id`.
    #[must_use]
    pub fn without_member(mut self, id: Id, member: u32) -> Self {
        if let Dead::Members(members) =
            self.outputs.entry(id).or_insert_with(|| Dead::Members(Vec::new()))
            && let Err(place) = members.binary_search(&member)
        {
            members.insert(place, member);
        }
        self
    }

    /// Stores to buffers and images, and atomics, are not needed either.
    #[must_use]
    pub fn without_effects(mut self) -> Self {
        self.effects = Effects::Go;
        self
    }

    /// A shader that stores to buffers or images itself, or has atomics, is refused.
    #[must_use]
    pub fn refuse_effects(mut self) -> Self {
        self.effects = Effects::Refused;
        self
    }

    /// Inputs and resources stay declared, whether or not something needs them.
    #[must_use]
    pub fn keep_interface(mut self) -> Self {
        self.keeps_interface = true;
        self
    }

    pub(super) fn reduces(&self, entry: EntryPoint<'_>) -> bool {
        let is_it = |(name, model): &(String, ExecutionModel)| {
            entry.model() == *model && entry.name() == name.as_str()
        };
        self.only.as_ref().is_none_or(is_it)
    }

    pub(super) fn dead(&self, id: Id) -> Option<&Dead> {
        self.outputs.get(&id)
    }
}
