//! polyshade as a C library: opaque handles, structs of options that begin with their size, and no panic that escapes.
//!
//! The header, `include/polyshade.h`, is generated from these modules, so the types have their C names.
//! `docs/c-api.md` is the guide, and ADR 0008 explains the design.

// The names are those of the header.
#![allow(non_camel_case_types)]
// The header states the conditions on pointers once, for all functions.
#![allow(clippy::missing_safety_doc)]
// Members and constants with names that explain them have no comment.
#![allow(missing_docs)]

pub mod allocator;
pub mod counter_pass;
pub mod draw;
pub mod emitted;
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
pub mod steps;
pub mod target;
pub mod version;

mod code;
mod ffi;
