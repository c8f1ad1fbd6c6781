//! The verbs.

pub(crate) mod batch;
pub(crate) mod blend;
pub(crate) mod capture;
pub(crate) mod clip;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod depth;
pub(crate) mod discard;
pub(crate) mod info;
pub(crate) mod plan;
pub(crate) mod position;
pub(crate) mod verify;
