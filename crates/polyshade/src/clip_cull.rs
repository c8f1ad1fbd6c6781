//! Clip and cull distances, in any form to any form: front ends, APIs and devices disagree on how they are held,
//! enabled and supported.
//!
//! Direct3D has up to two registers of four components, marked by a semantic; Vulkan and OpenGL have two built-in
//! arrays of scalars. [`normalize`](fn@normalize) makes arrays of registers.

mod arrays;
mod cut;
mod emulate;
mod geometry;
mod last;
mod limits;
mod marks;
mod normalize;
mod options;
mod pass_through;
mod pipeline;
mod prepare;
mod primitives;
mod registers;
mod relocate;
mod repair;
mod varyings;

pub use arrays::{Rearranged, combine, separate, to_registers};
pub use emulate::{EMULATED_LOCATIONS, Emulated, Emulation, emulate_fragment, emulate_last};
pub use geometry::{Cut, Exact, cut};
pub use last::{Clipping, Enabled, Planes, Space, Words, enable, user_planes};
pub use limits::{Limits, Requirements};
pub use marks::{Component, KINDS, Kind, Linkage, Mark};
pub use normalize::{Normalized, Options, normalize};
pub use options::Target;
pub use pass_through::{Generated, generate};
pub use pipeline::normalize_pipeline;
pub use primitives::{GeometryLimits, Primitive, Provoking};
pub use repair::{REPAIRS, Repair, Repaired, repair};
pub use varyings::Interpolation;
