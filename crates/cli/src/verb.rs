//! The verbs.

pub(crate) mod capture;
pub(crate) mod info;
