//! The options for distances, and the distances that a stage has after the steps.

use super::limits::Emulated;
use super::primitives::Primitive;
use super::semantics::DistanceSemantic;
use super::varyings::Interpolation;
use crate::host::{Lowered, ParamSource, Value};
use crate::transform_feedback::ProvokingVertex;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, Module};
use std::collections::BTreeSet;

/// The changes to the distances of a stage, in order. Without steps, the stage stays unchanged.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Options {
    /// Each step reads the result of the previous one. All except [`Step::Normalize`] read built-in arrays.
    pub steps: Vec<Step>,
}

impl<const N: usize> From<[Step; N]> for Options {
    fn from(steps: [Step; N]) -> Self {
        Self { steps: steps.into() }
    }
}

impl From<Vec<Step>> for Options {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

/// A change to the clip and cull distances of a stage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Step {
    /// Converts the registers that hold distances to built-in arrays, in any stage.
    ///
    /// The components of one kind are numbered register by register, together with the linked ones. An element that the
    /// stage never writes is 0. A stage that writes no distance of a kind does not declare its array.
    ///
    /// Errors: `NotFound`: a semantic that no input or output has. `Options`: a component of both kinds; more than
    /// two registers; an output that is written and not linked. `Unsupported`: a distance that is not a 32-bit float
    /// or has no location; more distances than the device supports; a shader that also uses the built-in array;
    /// inputs with different interpolation.
    Normalize(Normalize),
    /// Adds clip distances for planes of the host, in the last stage before rasterization.
    ///
    /// Errors: `Options`: no planes; a descriptor that the shader uses or that is reserved. `NotFound`: the vertex.
    /// `Unsupported`: a stage that writes clip distances itself; more planes than the device supports; a stage whose
    /// outputs other invocations see.
    UserPlanes(UserPlanes),
    /// Disables planes, in the last stage before rasterization: Vulkan clips against all planes that are written,
    /// OpenGL only against the enabled ones. The distance to a disabled plane becomes 0. Cull distances stay.
    ///
    /// Errors: `Options`: a descriptor or constant that the shader uses or that is reserved. `Unsupported`: a stage
    /// whose outputs other invocations see (tessellation control and mesh stages).
    Mask {
        /// Bit `i` enables plane `i`.
        enabled: Value<u32>,
        /// The first of two locations at which the stage also writes the original distances: for a fragment stage
        /// that [`ToRegisters`](Self::ToRegisters) makes read these locations, and for native transform feedback.
        #[cfg_attr(feature = "serde", serde(default))]
        keep_original_at: Option<u32>,
    },
    /// Combines both arrays in a `ClipDistance` array, clip distances first, in any stage: for hardware with one.
    ///
    /// Errors: `Unsupported`: more distances than the device supports; an array whose length is not constant.
    Combine {
        /// The number of clip distances of the signature; by default that of the stage.
        #[cfg_attr(feature = "serde", serde(default))]
        clip: Option<u32>,
    },
    /// Separates one `ClipDistance` array into two arrays, in any stage.
    ///
    /// Errors: as for [`Combine`](Self::Combine); `Options`: the stage has cull distances already.
    Separate {
        /// The first elements are this many clip distances, the others are cull distances.
        clip: u32,
    },
    /// Converts the built-in arrays to ordinary vectors, clip distances first, in any stage. The module no longer
    /// needs the capabilities.
    ///
    /// Errors: `Options`: a location that is used or reserved. `Unsupported`: more than eight distances; an array
    /// whose length is not constant.
    ToRegisters(Registers),
    /// Emulates distances in the last stage before rasterization and the fragment stage; both need the step.
    ///
    /// The last stage writes its distances as ordinary outputs. Clip distances that the device has stay built-in too.
    /// The fragment stage discards by them: up to a pixel from the edge that clipping would make, and whole pixels
    /// with multisampling, unless the shader runs for each sample. A primitive is culled if a cull distance is
    /// negative at all vertices: a flag for it and both derivatives of the flag are 0. Discarded invocations do not
    /// contribute to the derivatives of their neighbours. Early fragment tests become late ones.
    ///
    /// Errors: `Options`: a location that is used or reserved; more distances than the signature has. `Unsupported`:
    /// a stage whose outputs other invocations see; more than eight distances; early fragment tests that cannot be
    /// made late because the shader discards, stores or writes its depth.
    Emulate {
        /// The kinds that the device lacks.
        #[cfg_attr(feature = "serde", serde(default))]
        emulated: Emulated,
        /// The first of [`EMULATED_LOCATIONS`] locations between both stages.
        location: u32,
        /// The first location at which a tessellation evaluation or geometry stage reads the distances that
        /// [`ToRegisters`](Self::ToRegisters) makes the stage before it write; by default `location`. Unused in a
        /// fragment stage.
        #[cfg_attr(feature = "serde", serde(default))]
        inputs: Option<u32>,
        /// In the fragment stage, where it is required: the distances of the last stage. In the last stage: those of
        /// the stage before it; by default its own.
        #[cfg_attr(feature = "serde", serde(default))]
        signature: Option<DistanceCounts>,
    },
    /// Clips and culls primitives in a geometry stage, exactly, for devices without distances.
    ///
    /// A primitive is culled if one cull distance is negative or NaN at all its vertices. Otherwise its parts with a
    /// negative clip distance are clipped. New vertices have all outputs of the stage, interpolated in clip space;
    /// flat outputs are those of the provoking vertex. A primitive with an infinite or NaN clip distance is dropped,
    /// and so is a point with a negative one. Each remaining primitive is one strip.
    ///
    /// Errors: `Options`: a location that is taken or missing; a primitive that the tessellation evaluation stage
    /// does not make. `Unsupported`: a stage that is captured or has several vertex streams, because primitives are
    /// counted before they are clipped; more vertices or components than the device supports; outputs that cannot be
    /// interpolated part by part; before a generated stage, built-in outputs that no geometry stage can read
    /// (`Layer`, `ViewportIndex`).
    ClipInGeometry(GeometryClip),
}

/// The registers that hold distances.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Normalize {
    /// Whether `UserSemantic` decorations (`SV_ClipDistance`, `SV_CullDistance`) count; `true` by default.
    pub user_semantics: bool,
    /// The inputs that are distances. Other components stay at their locations.
    pub inputs: Vec<DistanceSemantic>,
    /// The outputs that are distances. Other components stay at their locations.
    pub outputs: Vec<DistanceSemantic>,
    /// The distances that are linked with the stage before it, which number the inputs; by default its own.
    pub linked_inputs: Option<Vec<DistanceSemantic>>,
    /// The distances that are linked with the stage after it, which number the outputs; by default its own.
    pub linked_outputs: Option<Vec<DistanceSemantic>>,
}

impl Default for Normalize {
    fn default() -> Self {
        Self {
            user_semantics: true,
            inputs: Vec::new(),
            outputs: Vec::new(),
            linked_inputs: None,
            linked_outputs: None,
        }
    }
}

/// Clip planes of the host: four floats each, whose dot product with a vertex is a clip distance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct UserPlanes {
    /// The number of planes.
    pub count: u32,
    /// The source of their floats, 16 bytes for each plane.
    pub params: ParamSource,
    /// The location of a `vec4` output (OpenGL's `gl_ClipVertex`) in whose space the planes are; by default they are
    /// in clip space, that of `Position`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub vertex: Option<u32>,
}

/// The locations of ordinary vectors that hold distances, up to two of four components on each side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Registers {
    /// The location of the first input.
    pub inputs: u32,
    /// The location of the first output.
    pub outputs: u32,
    /// The distances of the signature, of which the stage may have fewer; by default its own.
    #[cfg_attr(feature = "serde", serde(default))]
    pub signature: Option<DistanceCounts>,
}

/// The number of locations that [`Step::Emulate`] uses: two for distances, and two for the flags that state whether
/// cull distances are at least 0.
pub const EMULATED_LOCATIONS: u32 = 4;

/// Clipping and culling in a geometry stage.
#[derive(Clone, PartialEq, Hash, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct GeometryClip {
    /// The kinds that the device lacks. If it lacks only cull distances, primitives are culled and not clipped.
    pub emulated: Emulated,
    /// The first of two locations at which the geometry stage also writes the distances, for a fragment stage that
    /// [`Step::ToRegisters`] makes read them there.
    pub keep_at: Option<u32>,
    /// The first of two locations at which the stage reads the distances that [`Step::ToRegisters`] makes the stage
    /// before it write. It is required if the stage reads distances that the device lacks; only a stage before a
    /// generated one reads them at the location of its outputs by default.
    pub read_at: Option<u32>,
    /// The distances of the stage before it, of which this one may read fewer.
    pub signature: Option<DistanceCounts>,
    /// The locations that the fragment stage reads from the provoking vertex; integers can be omitted.
    pub flat: BTreeSet<u32>,
    /// The locations that the fragment stage interpolates linearly in screen space.
    pub no_perspective: BTreeSet<u32>,
    /// The vertex with the flat values.
    pub provoking: ProvokingVertex,
    /// Generates a geometry stage for these primitives after a vertex or tessellation evaluation stage; by default
    /// the given stage is a geometry stage. The generated stage passes on all outputs and the primitive's number.
    pub generate: Option<Primitive>,
    /// The first of two locations at which the stage before a generated one writes its distances.
    pub location: u32,
}

impl GeometryClip {
    /// Sets the interpolation to that of the fragment stage `entry` of `module`. The decorations of the stage before
    /// it do not count.
    ///
    /// # Errors
    ///
    /// `Unsupported`: an input with too many array elements or members.
    pub fn interpolate_for(
        &mut self,
        module: &Module<'_>,
        entry: EntryPoint<'_>,
    ) -> Result<(), Error> {
        let found = Interpolation::of(module, entry)?;
        (self.flat, self.no_perspective) = (found.flat, found.no_perspective);
        Ok(())
    }

    /// Returns the registers that the stage reads.
    pub(super) fn read(&self) -> Option<Registers> {
        let Self { read_at, signature, .. } = *self;
        Some(Registers { inputs: read_at?, signature, ..Registers::default() })
    }
}

/// Numbers of clip and cull distances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DistanceCounts {
    /// The number of clip distances.
    pub clip: u32,
    /// The number of cull distances.
    pub cull: u32,
}

impl DistanceCounts {
    /// Returns these numbers.
    pub const fn new(clip: u32, cull: u32) -> Self {
        Self { clip, cull }
    }

    pub(super) fn to_array(self) -> [u32; 2] {
        [self.clip, self.cull]
    }
}

/// The distances of one side of a stage.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distances {
    /// The number of clip distances.
    pub clip: u32,
    /// The number of cull distances.
    pub cull: u32,
    /// The components of registers that hold distances, or held them before [`Step::Normalize`]: clip distances
    /// first, by their numbers.
    pub registers: Vec<DistanceSemantic>,
}

impl Distances {
    pub(super) fn new([clip, cull]: [u32; 2], registers: Vec<DistanceSemantic>) -> Self {
        Self { clip, cull, registers }
    }

    /// Returns the numbers of both kinds.
    pub fn counts(&self) -> DistanceCounts {
        DistanceCounts { clip: self.clip, cull: self.cull }
    }
}

impl From<[u32; 2]> for Distances {
    fn from(counts: [u32; 2]) -> Self {
        Self::new(counts, Vec::new())
    }
}

/// The distances of a stage after all steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StageDistances {
    /// The distances that the stage reads.
    pub inputs: Distances,
    /// The distances that the stage writes, or wrote before they were emulated.
    pub outputs: Distances,
}

/// The result of the steps.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Clipped {
    /// The distances of the stage.
    pub distances: StageDistances,
    /// The indices of the steps that left the module unchanged.
    pub unchanged: Vec<usize>,
    /// The geometry stage that [`Step::ClipInGeometry`] generated, with one entry point `main`; `None` if the stage
    /// before it has no distances that the device lacks.
    pub geometry: Option<Box<Lowered<'static, StageDistances>>>,
}
