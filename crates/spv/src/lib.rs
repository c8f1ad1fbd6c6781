//! SPIR-V modules as immutable words, analyses of modules, and patches that create the next version.
//!
//! A [`Module`] *is* its words: they are not converted to another representation, so words that are not edited stay
//! identical. An edit function [reads](Module) the module `m` and queues its changes in a [`Patch`] `p`;
//! [`Module::rewrite`] merges the queue in one linear pass and returns the next version:
//!
//! ```
//! use polyshade_spv::{Capability, Error, Module};
//!
//! fn require_clip_distance(words: &[u32]) -> Result<Vec<u32>, Error> {
//!     let module = Module::parse(words)?;
//!     let next = module.rewrite(|_m, p| {
//!         p.capability(Capability::CLIP_DISTANCE);
//!         Ok(())
//!     })?;
//!     Ok(next.module.into_words())
//! }
//! # let empty = [0x0723_0203, 0x0001_0000, 0, 1, 0];
//! # let words = require_clip_distance(&empty).expect("an empty module is valid");
//! # assert_eq!(words[5..], [2 << 16 | 17, 32]);
//! ```
//!
//! The crate knows the grammar of SPIR-V, but no lowerings and nothing about Vulkan. It does no I/O and prints no
//! text.

#![forbid(unsafe_code)]

pub mod code;

mod decorations;
mod empty;
mod error;
mod grammar;
mod id;
mod inst;
mod module;
mod names;
mod operands;
mod patch;
mod pointers;
mod scan;
mod text;
mod types;
mod uses;

pub use decorations::{Applied, Decorations};
pub use error::{Code, Error, ErrorKind, Step};
pub use grammar::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, GlslOp, Op, StorageClass,
    is_known,
};
pub use id::Id;
pub use inst::Operand;
pub use module::{Definitions, FunctionBody, Instructions, Module};
pub use names::Names;
pub use patch::{Cursor, Patch, Position, Progress, Rewritten, is_debug_set};
pub use pointers::{Reach, Roots};
pub use scan::{Section, Workspace};
pub use text::decode as decode_text;
pub use types::Type;
pub use uses::Uses;

/// Instructions, and views with named operands.
pub mod view {
    pub use crate::inst::*;
}

pub use inst::Inst;
