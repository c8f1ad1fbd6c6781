//! polyshade as a C library: opaque modules, results and layouts, options as structs that begin with their size, and no
//! panic that leaves a call.
//!
//! The header, `include/polyshade.h`, is generated from these modules, whose types have C's names therefore.
//! `docs/c-api.md` is its guide; ADR 0008 says why it is as it is.

// The names are those of the header.
#![allow(non_camel_case_types)]
// The header says once, for all functions, what pointers have to be.
#![allow(clippy::missing_safety_doc)]
// Members and constants whose names say all are not described.
#![allow(missing_docs)]

pub mod allocator;
pub mod counter_pass;
pub mod draw;
pub mod error;
pub mod failure;
pub mod hash;
pub mod interface;
pub mod layout;
pub mod lower;
pub mod module;
pub mod options;
pub mod place;
pub mod plan;
pub mod reflection;
pub mod result;
pub mod target;
pub mod version;

mod border;
mod code;
