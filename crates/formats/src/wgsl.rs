//! WGSL in and out, through naga.
//!
//! Positions are what the shader writes, in both directions: nothing is flipped, though WebGPU's y points up and
//! Vulkan's down, because captures must equal the values of the source.

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
    /// The places of resources that are not to get the next free one.
    pub places: Vec<(WgslResource, Place)>,
    /// What becomes of the point size, which WebGPU does not have. A size of 1, which all its points are of, is
    /// dropped always.
    pub point_size: PointSize,
}

/// What needs a binding of its own in WGSL and has none in Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum WgslResource {
    /// An element of the array of descriptors here, but the first one, which stays here.
    Element {
        /// Where the array is.
        array: Place,
        /// The number of the element, from 1 on.
        index: u32,
    },
    /// The sampler of the combined image sampler here, whose texture stays here.
    Sampler(Place),
    /// The push constants.
    PushConstants,
}

/// A place in descriptor sets, WebGPU's bind groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Place {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
}

/// What a resource became.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum BoundKind {
    /// What the array is of that it is an element of.
    Element,
    /// A sampler, or one that compares.
    Sampler,
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is read only, where the layout is none of uniform buffers.
    ReadOnlyStorage,
}

/// A resource that WGSL has otherwise than Vulkan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Bound {
    /// Which.
    pub resource: WgslResource,
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub kind: BoundKind,
}

/// A module in WGSL.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Text {
    /// The source.
    pub source: String,
    /// What the host binds otherwise, in the order of [`WgslResource`].
    pub bound: Vec<Bound>,
}

/// Compiles WGSL, with all its entry points. `name` is what messages call the source.
///
/// # Errors
///
/// The message of naga, as `NAME:LINE:COLUMN: what`.
pub fn read(source: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    #[cfg(feature = "wgsl")]
    return translate::read(source, name, version);
    #[cfg(not(feature = "wgsl"))]
    left_out((source, name, version))
}

/// The module as WGSL, with all its entry points.
///
/// A combined image sampler becomes a texture and a sampler, push constants become a uniform buffer, arrays of
/// descriptors a variable for each element that is used, and inputs and outputs one for each scalar and vector in them.
///
/// # Errors
///
/// What naga or WGSL cannot express; a place that another resource has is [`Error::Options`].
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
