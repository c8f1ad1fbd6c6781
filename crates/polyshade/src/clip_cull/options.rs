//! The steps that change the distances of a stage, and their result.

use super::limits::Emulated;
use super::primitives::Primitive;
use super::semantics::DistanceSemantic;
use super::varyings::Interpolation;
use crate::host::{Lowered, ParamSource, Value};
use crate::transform_feedback::ProvokingVertex;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, Module};
use std::collections::BTreeSet;

/// The steps that change the distances of a stage, in order. With no steps, the stage stays unchanged.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Options {
    /// Each step reads the module that the previous step produced. All steps except [`Step::Normalize`] read the
    /// distances from built-in arrays.
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
    /// The components of one kind are numbered register by register, including the components that only the linked
    /// stage marks. An array element that the stage never writes is 0. A stage that writes no clip distance does not
    /// declare the array of clip distances. The rule for cull distances is the same.
    ///
    /// Errors: `NotFound`: a semantic that matches no input or output. `Options`: a component marked as both clip and
    /// cull distance; more than two registers; an output that is written but not linked. `Unsupported`: a distance
    /// that is not a 32-bit float or has no location; more distances than the device supports; a shader that also uses
    /// the built-in array; input registers with different interpolation.
    Normalize(Normalize),
    /// Adds clip distances for planes from the host, in the last stage before rasterization.
    ///
    /// Errors: `Options`: no planes; a descriptor that the shader uses or that is reserved. `NotFound`: the output
    /// that [`UserPlanes::vertex`] selects. `Unsupported`: a stage that writes clip distances itself; more planes than
    /// the device supports; a tessellation control or mesh stage, because other invocations can read its outputs.
    UserPlanes(UserPlanes),
    /// Disables clip planes, in the last stage before rasterization. Vulkan clips against every distance that the
    /// shader writes, OpenGL only against those of enabled planes. The distance to a disabled plane becomes 0. Cull
    /// distances do not change.
    ///
    /// Errors: `Options`: a descriptor or constant that the shader uses or that is reserved. `Unsupported`: a
    /// tessellation control or mesh stage, because other invocations can read its outputs.
    Mask {
        /// Bit `i` enables plane `i`.
        enabled: Value<u32>,
        /// The first of two locations at which the stage also writes the original distances. Native transform feedback
        /// can capture these outputs. A fragment stage that [`ToRegisters`](Self::ToRegisters) has converted can read
        /// them.
        #[cfg_attr(feature = "serde", serde(default))]
        keep_original_at: Option<u32>,
    },
    /// Combines both arrays in one `ClipDistance` array, clip distances first, in any stage. Some hardware has only
    /// one array.
    ///
    /// Errors: `Unsupported`: more distances than the device supports; an array whose length is not constant.
    Combine {
        /// The number of clip distances in the signature; by default, as many as the stage has.
        #[cfg_attr(feature = "serde", serde(default))]
        clip: Option<u32>,
    },
    /// Separates one `ClipDistance` array into two arrays, in any stage.
    ///
    /// Errors: as for [`Combine`](Self::Combine); `Options`: the stage already has cull distances.
    Separate {
        /// The number of clip distances at the start of the array; the remaining elements are cull distances.
        clip: u32,
    },
    /// Converts the built-in arrays to ordinary vectors, clip distances first, in any stage. The module then no longer
    /// needs the capabilities for distances.
    ///
    /// Errors: `Options`: a location that is already used or reserved. `Unsupported`: more than eight distances; an
    /// array whose length is not constant.
    ToRegisters(Registers),
    /// Emulates distances in the last stage before rasterization and in the fragment stage. Both stages need this
    /// step.
    ///
    /// The last stage writes its distances as ordinary outputs. If the device has clip distances, the stage also keeps
    /// its built-in `ClipDistance` array. The fragment stage discards fragments with negative distances. The resulting
    /// edge is up to a pixel away from the edge that clipping would make. With multisampling, whole pixels are
    /// discarded unless the shader runs per sample. A primitive is culled if one cull distance is negative at all its
    /// vertices: a flag for that distance and both derivatives of the flag are then 0. Discarded invocations do not
    /// contribute to the derivatives of their neighbours. Early fragment tests become late tests.
    ///
    /// Errors: `Options`: a location that is already used or reserved; more distances than the signature has.
    /// `Unsupported`: a tessellation control or mesh stage; more than eight distances; early fragment tests that
    /// cannot be made late because the shader discards, stores or writes its depth.
    Emulate {
        /// The kinds that the device lacks.
        #[cfg_attr(feature = "serde", serde(default))]
        emulated: Emulated,
        /// The first of the [`EMULATED_LOCATIONS`] locations that connect the two stages.
        location: u32,
        /// The first location at which a tessellation evaluation or geometry stage reads distances. The previous
        /// stage, converted by [`ToRegisters`](Self::ToRegisters), writes the distances to these locations. The
        /// default is `location`. Fragment stages ignore this field.
        #[cfg_attr(feature = "serde", serde(default))]
        inputs: Option<u32>,
        /// For a fragment stage, which requires this field: the distances of the last stage before rasterization. For
        /// that last stage: the distances of the previous stage; by default, the stage's own.
        #[cfg_attr(feature = "serde", serde(default))]
        signature: Option<DistanceCounts>,
    },
    /// Clips and culls primitives exactly in a geometry stage, for devices without distances.
    ///
    /// A primitive is culled if one cull distance is negative or NaN at all its vertices. Otherwise its parts with a
    /// negative clip distance are clipped. New vertices get all outputs of the stage, interpolated in clip space; flat
    /// outputs are copied from the provoking vertex. A primitive with an infinite or NaN clip distance is dropped, and
    /// so is a point with a negative clip distance. Each remaining primitive is emitted as its own strip.
    ///
    /// Errors: `Options`: a location that is already used or missing; a primitive type that the tessellation
    /// evaluation stage does not emit. `Unsupported`: a stage that is captured, because primitives must be counted
    /// before they are clipped; a stage with several vertex streams; more vertices or components than the device
    /// supports; outputs that cannot be divided into scalars and vectors for interpolation; before a generated stage,
    /// built-in outputs that no geometry stage can read (`Layer`, `ViewportIndex`).
    ClipInGeometry(GeometryClip),
}

/// The registers that hold distances.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Normalize {
    /// Whether `UserSemantic` decorations (`SV_ClipDistance`, `SV_CullDistance`) mark distances; `true` by default.
    pub user_semantics: bool,
    /// The inputs that are distances. Other components of the same registers keep their locations.
    pub inputs: Vec<DistanceSemantic>,
    /// The outputs that are distances. Other components of the same registers keep their locations.
    pub outputs: Vec<DistanceSemantic>,
    /// The distances that this stage or the previous stage marks. They determine the numbers of the inputs. The
    /// default is this stage's own distances.
    pub linked_inputs: Option<Vec<DistanceSemantic>>,
    /// The distances that this stage or the next stage marks. They determine the numbers of the outputs. The default
    /// is this stage's own distances.
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

/// Clip planes from the host. Each plane has four floats; their dot product with a vertex is the clip distance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct UserPlanes {
    /// The number of planes.
    pub count: u32,
    /// The source of the planes, 16 bytes each.
    pub params: ParamSource,
    /// The location of the `vec4` output (OpenGL's `gl_ClipVertex`) that is multiplied by the planes; by default, the
    /// planes are in clip space and apply to `Position`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub vertex: Option<u32>,
}

/// The locations of the ordinary vectors that hold distances: up to two inputs and two outputs with four components
/// each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Registers {
    /// The location of the first input.
    pub inputs: u32,
    /// The location of the first output.
    pub outputs: u32,
    /// The numbers of distances in the signature; the stage may have fewer. The default is the stage's own numbers.
    #[cfg_attr(feature = "serde", serde(default))]
    pub signature: Option<DistanceCounts>,
}

/// The number of locations that [`Step::Emulate`] uses: two for distances, and two for flags. A flag states whether a
/// cull distance is at least 0.
pub const EMULATED_LOCATIONS: u32 = 4;

/// Options for clipping and culling in a geometry stage.
#[derive(Clone, PartialEq, Hash, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct GeometryClip {
    /// The kinds of distances that the device lacks. If it lacks only cull distances, the stage culls primitives
    /// without clipping them.
    pub emulated: Emulated,
    /// The first of two locations at which the geometry stage also writes the distances. A fragment stage that
    /// [`Step::ToRegisters`] has converted can read these outputs.
    pub keep_at: Option<u32>,
    /// The first of two locations at which the stage reads distances. The previous stage, converted by
    /// [`Step::ToRegisters`], writes the distances to these locations. The field is required if the stage reads
    /// distances that the device lacks. If [`generate`](Self::generate) is set, the default is `location`.
    pub read_at: Option<u32>,
    /// The numbers of distances that the previous stage writes; this stage may read fewer.
    pub signature: Option<DistanceCounts>,
    /// The locations that the fragment stage reads from the provoking vertex. Integers are always flat and can be
    /// omitted.
    pub flat: BTreeSet<u32>,
    /// The locations that the fragment stage interpolates linearly in screen space.
    pub no_perspective: BTreeSet<u32>,
    /// The vertex that provides the flat values.
    pub provoking: ProvokingVertex,
    /// The primitives for which a geometry stage is generated after the given vertex or tessellation evaluation stage.
    /// With `None`, the given stage must be a geometry stage. The generated stage passes on all outputs and
    /// `PrimitiveId`.
    pub generate: Option<Primitive>,
    /// The first of two locations at which the given stage writes its distances for the generated stage.
    pub location: u32,
}

impl GeometryClip {
    /// Reads the interpolation from the inputs of the fragment stage `entry` of `module`. The decorations of the
    /// previous stage have no effect.
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

    /// Returns the registers from which the stage reads distances, or `None` without `read_at`.
    pub(super) fn read(&self) -> Option<Registers> {
        let Self { read_at, signature, .. } = *self;
        Some(Registers { inputs: read_at?, signature, ..Registers::default() })
    }
}

/// The numbers of clip and cull distances.
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
    /// Returns the counts `clip` and `cull` as one value.
    pub const fn new(clip: u32, cull: u32) -> Self {
        Self { clip, cull }
    }

    pub(super) fn to_array(self) -> [u32; 2] {
        [self.clip, self.cull]
    }
}

/// The distances among the inputs, or among the outputs, of a stage.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distances {
    /// The number of clip distances.
    pub clip: u32,
    /// The number of cull distances.
    pub cull: u32,
    /// The register components that hold distances, or held them before [`Step::Normalize`]. Clip distances come
    /// first; each kind is sorted by number.
    pub registers: Vec<DistanceSemantic>,
}

impl Distances {
    pub(super) fn new([clip, cull]: [u32; 2], registers: Vec<DistanceSemantic>) -> Self {
        Self { clip, cull, registers }
    }

    /// Returns the numbers of clip and cull distances.
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

/// The result of applying all steps.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Clipped {
    /// The distances of the stage.
    pub distances: StageDistances,
    /// The indices of the steps that left the module unchanged.
    pub unchanged: Vec<usize>,
    /// The geometry stage that [`Step::ClipInGeometry`] generated, with one entry point `main`; `None` if the given
    /// stage writes no distances that the device lacks.
    pub geometry: Option<Box<Lowered<'static, StageDistances>>>,
}
