//! Clip and cull distances, in any form to any form: front ends, APIs and devices disagree on how they are held,
//! enabled and supported.
//!
//! Direct3D has up to two registers of four components, marked by a semantic; Vulkan and OpenGL have two built-in
//! arrays of scalars. [`normalize`](fn@normalize) makes arrays of registers.
//!
//! ```
//! # use polyshade::{Error, Module, clip_cull, host::{Place, Value}};
//! # fn enable(words: &[u32]) -> Result<(), Error> {
//! let vertex = Module::parse(words)?;
//! // Registers that a semantic marks as distances become arrays, and planes are turned on and off by a word.
//! let arrays = clip_cull::normalize(&vertex, "main", &clip_cull::Options::default())?.module;
//! let enabled = Value::Word(Place::PushConstant { offset: 0 });
//! let masked = clip_cull::enable(&arrays, "main", enabled, None)?;
//! println!("{} clip planes", masked.result.outputs[0]);
//! # Ok(())
//! # }
//! ```

mod arrays;
mod cut;
mod emulate;
mod geometry;
mod last;
mod limits;
mod marks;
mod normalize;
mod pass_through;
mod pipeline;
mod prepare;
mod primitives;
mod read;
mod registers;
mod relocate;
mod repair;
mod varyings;

pub use arrays::{Registers, StageDistances, combine, separate, to_registers};
pub use emulate::{EMULATED_LOCATIONS, emulate_fragment, emulate_last};
pub(crate) use emulate::{Runs, emulate_fragment_that};
pub use geometry::{Exact, cut};
pub use last::{Planes, enable, user_planes};
pub use limits::Lacking;
pub use marks::{Component, KINDS, Kind, Linkage, Mark};
pub use normalize::{Normalized, Options, normalize};
pub use pass_through::generate;
pub use pipeline::normalize_pipeline;
pub use primitives::Primitive;
pub use repair::{REPAIRS, Repair, repair};

/// The version of the words that the functions here make.
pub const VERSION: u32 = 7;
