//! The outputs and effects that the caller of dead code elimination does not need.

use polyshade_spv::view::EntryPoint;
use polyshade_spv::{ExecutionModel, Id};
use std::collections::BTreeMap;

/// The outputs and effects of a module that are not needed, in addition to its dead code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DceOptions {
    only: Option<(String, ExecutionModel)>,
    pub(super) outputs: BTreeMap<Id, Dead>,
    pub(super) effects: Effects,
    pub(super) keeps_interface: bool,
}

/// How atomics and stores to buffers and images are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Effects {
    #[default]
    Stay,
    Go,
    Refused,
}

/// The parts of an output that are not needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dead {
    Whole,
    /// These members of a block, in order.
    Members(Vec<u32>),
}

impl DceOptions {
    /// Creates options under which every observed effect is needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reduces only this entry point. Code and declarations that other entry points use do not change.
    #[must_use]
    pub fn only(mut self, name: impl Into<String>, model: ExecutionModel) -> Self {
        self.only = Some((name.into(), model));
        self
    }

    /// Reduces no entry point: only code and declarations that no entry point reaches are removed.
    pub(crate) fn of_unreached() -> Self {
        // No entry point has this execution model.
        Self::new().only("", ExecutionModel(u32::MAX))
    }

    /// Drops the output variable `id`. If the shader itself reads it, the parts that it reads stay.
    #[must_use]
    pub fn without_output(mut self, id: Id) -> Self {
        self.outputs.insert(id, Dead::Whole);
        self
    }

    /// Drops member `member` of the output block `id`.
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

    /// Drops atomics and stores to buffers and images.
    #[must_use]
    pub fn without_effects(mut self) -> Self {
        self.effects = Effects::Go;
        self
    }

    /// Makes dead code elimination fail for a shader that has atomics or stores to buffers or images.
    #[must_use]
    pub fn refuse_effects(mut self) -> Self {
        self.effects = Effects::Refused;
        self
    }

    /// Keeps the declarations of inputs and resources, even if they are not needed.
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
