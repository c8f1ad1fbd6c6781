//! A spilled vector or scalar, for the stage that loads it.

use polyshade_spv::BuiltIn;

/// A spilled vector or scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SpilledOutput {
    /// Its place in the interface between the stages.
    pub(super) place: OutputPlace,
    /// The offset in bytes from the start of the vertex.
    pub(super) offset: u32,
    /// The number of 32-bit components; a 64-bit component counts as two.
    pub(super) components: u32,
}

/// The place of a vector or scalar in the interface between two stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(super) enum OutputPlace {
    /// A location, and the 32-bit component at which the output begins there.
    Location { location: u32, component: u32 },
    /// A built-in, or an element of a built-in array.
    BuiltIn { builtin: BuiltIn, element: u32 },
    /// The location at which a vertex stage that is drawn passes `InstanceIndex` to the geometry stage.
    Instance { location: u32 },
}
