//! Reads and writes WGSL with naga.
//!
//! Neither direction changes the positions that a shader writes. The y axis points up in WebGPU and down in Vulkan,
//! but flipping would make captures differ from the values of the source.

pub use crate::cross::PointSize;
use crate::{Error, SpirvVersion};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

#[cfg(feature = "wgsl")]
mod arrays;
#[cfg(feature = "wgsl")]
mod comparing;
#[cfg(feature = "wgsl")]
mod copy_logical;
#[cfg(feature = "wgsl")]
mod dropped_operands;
#[cfg(feature = "wgsl")]
mod interface;
#[cfg(feature = "wgsl")]
mod known;
#[cfg(feature = "wgsl")]
mod layers;
#[cfg(feature = "wgsl")]
mod layout;
#[cfg(feature = "wgsl")]
mod modulo;
#[cfg(feature = "wgsl")]
mod packed;
#[cfg(feature = "wgsl")]
mod places;
#[cfg(feature = "wgsl")]
mod point_size;
#[cfg(feature = "wgsl")]
mod private;
#[cfg(feature = "wgsl")]
mod push_constants;
#[cfg(feature = "wgsl")]
mod row_major;
#[cfg(feature = "wgsl")]
mod samplers;
#[cfg(feature = "wgsl")]
mod signedness;
#[cfg(feature = "wgsl")]
mod specified;
#[cfg(feature = "wgsl")]
mod strides;
#[cfg(feature = "wgsl")]
mod texel_offsets;
#[cfg(feature = "wgsl")]
mod translate;

/// Options for WGSL.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Wgsl {
    /// Bindings of resources. Resources without an entry get the next free bindings.
    pub places: Vec<(WgslResource, Place)>,
    /// How writes to `PointSize` are handled. WebGPU only has points of size 1, so writes of 1 are always dropped.
    pub point_size: PointSize,
}

/// A resource that needs its own binding in WGSL, but not in Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum WgslResource {
    /// An element of an array of descriptors, except for the first, which keeps the binding of the array.
    Element {
        /// The binding of the array.
        array: Place,
        /// The index of the element, at least 1.
        index: u32,
    },
    /// The sampler of the combined image sampler at this binding. The texture keeps the binding.
    Sampler(Place),
    /// The push constants.
    PushConstants,
}

/// A binding in a descriptor set, or in a bind group of WebGPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Place {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
}

/// The kind of a resource in WGSL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum BoundKind {
    /// The kind of the array that contains the element.
    Element,
    /// A sampler or a comparison sampler.
    Sampler,
    /// A uniform buffer.
    Uniform,
    /// A read-only storage buffer, for layouts that uniform buffers cannot have.
    ReadOnlyStorage,
}

/// A resource that WGSL binds differently from Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Bound {
    /// The resource.
    pub resource: WgslResource,
    /// The binding.
    pub place: Place,
    /// The kind of binding.
    pub kind: BoundKind,
}

/// A module in WGSL.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Text {
    /// The source.
    pub source: String,
    /// The resources that the host binds differently, in the order of [`WgslResource`].
    pub bound: Vec<Bound>,
}

/// Compiles WGSL, with all its entry points. Messages refer to the source by `name`.
///
/// # Errors
///
/// The message of naga, as `NAME:LINE:COLUMN: MESSAGE`.
pub fn read(source: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    #[cfg(feature = "wgsl")]
    return translate::read(source, name, version);
    #[cfg(not(feature = "wgsl"))]
    left_out((source, name, version))
}

/// Translates the module to WGSL, with all its entry points.
///
/// A combined image sampler becomes a texture and a sampler, and push constants become a uniform buffer. An array of
/// descriptors becomes one variable per used element, and an input or output becomes one variable per scalar or
/// vector in it.
///
/// # Errors
///
/// Features that naga or WGSL cannot express. A binding in the options that another resource has is
/// [`Error::Options`].
pub fn write(words: &[u32], options: &Wgsl) -> Result<Text, Error> {
    #[cfg(feature = "wgsl")]
    return translate::write(words, options);
    #[cfg(not(feature = "wgsl"))]
    left_out((words, options))
}

#[cfg(not(feature = "wgsl"))]
fn left_out<A, T>(_: A) -> Result<T, Error> {
    Err(Error::LeftOut(crate::Feature::Wgsl))
}
