//! What the lowerings of this family have in common to be told.

use super::limits::Limits;
use crate::reserved::Reserved;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ExecutionModel, Module, Patch};

/// Which entry point is lowered, for what device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    entry: String,
    model: ExecutionModel,
    limits: Limits,
    reserved: Reserved,
    names: bool,
}

impl Target {
    /// The entry point `entry` of the stage `model`, for a device with 8 distances.
    pub fn new(entry: impl Into<String>, model: ExecutionModel) -> Self {
        Self {
            entry: entry.into(),
            model,
            limits: Limits::default(),
            reserved: Reserved::default(),
            names: true,
        }
    }

    /// How many distances the device takes.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps what is added clear of what others use.
    #[must_use]
    pub fn reserved(mut self, reserved: Reserved) -> Self {
        self.reserved = reserved;
        self
    }

    /// Whether what is added gets debug names. It does unless told otherwise.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// The name of the entry point.
    pub fn entry_name(&self) -> &str {
        &self.entry
    }

    /// Its stage.
    pub fn model(&self) -> ExecutionModel {
        self.model
    }

    pub(super) fn device_limits(&self) -> Limits {
        self.limits
    }

    pub(super) fn reservations(&self) -> &Reserved {
        &self.reserved
    }

    pub(super) fn has_names(&self) -> bool {
        self.names
    }

    pub(super) fn entry<'m>(&self, m: &'m Module<'_>) -> Result<EntryPoint<'m>, Error> {
        m.entry_point(&self.entry, self.model)
    }

    /// What every patch begins with.
    pub(super) fn begin(&self, p: &mut Patch<'_, '_>) {
        p.set_names(self.names);
        if self.reserved.first_id() > 0 {
            p.set_first_id(self.reserved.first_id());
        }
    }
}
