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
mod pass_through;
mod pipeline;
mod prepare;
mod primitives;
mod registers;
mod relocate;
mod repair;
mod varyings;

pub use arrays::{Rearranged, Registers, combine, separate, to_registers};
pub use emulate::{EMULATED_LOCATIONS, Emulated, Emulation, emulate_fragment, emulate_last};
pub use geometry::{Cut, Exact, cut};
pub use last::{Clipping, Enabled, Planes, Space, enable, user_planes};
pub use marks::{Component, KINDS, Kind, Linkage, Mark};
pub use normalize::{Normalized, Options, normalize};
pub use pass_through::{Generated, generate};
pub use pipeline::normalize_pipeline;
pub use primitives::{GeometryLimits, Primitive, Provoking};
pub use repair::{REPAIRS, Repair, repair};
pub use varyings::Interpolation;
