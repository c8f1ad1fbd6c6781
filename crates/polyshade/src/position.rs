//! Definitions for all lowerings that change the position.

use crate::code::{self, refuse};
use crate::rewrite::{FoundBuiltin, Lowering, Stages};
use polyshade_spv::{BuiltIn, Error, ExecutionModel, Id, Module, Type};

/// The stages whose invocations export one position at a time.
pub(crate) const STAGES: Stages = Stages {
    models: &[
        ExecutionModel::VERTEX,
        ExecutionModel::TESSELLATION_EVALUATION,
        ExecutionModel::GEOMETRY,
    ],
    otherwise: "does not export one position at a time, as this change requires",
};

/// Returns the description of a lowering that changes the position.
pub(crate) const fn changed_by(name: &'static str) -> Lowering {
    Lowering { name, stages: STAGES, changes: Some(BuiltIn::POSITION) }
}

/// Refuses a position that is not a vector of four floats.
pub(crate) fn check(m: &Module<'_>, position: FoundBuiltin) -> Result<(), Error> {
    if is_vec4(m, position.ty) {
        return Ok(());
    }
    let message = "the position is not a vector of four floats";
    refuse(&code::INTERFACE_POSITION_TYPE, message, position.variable)
}

/// Whether a type is a vector of four 32-bit floats.
pub(crate) fn is_vec4(m: &Module<'_>, ty: Id) -> bool {
    let Some(Type::Vector { component, count: 4 }) = m.ty(ty) else { return false };
    m.ty(component) == Some(Type::Float { width: 32 })
}
