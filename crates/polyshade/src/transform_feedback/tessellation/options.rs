//! The options of tessellation.

use crate::host::{Binding, ParamSource, Set};
use crate::placement::{ParamsAt, Wanted};

/// The options of the stages that provide tessellation. All stages of a pipeline take the same options, except that
/// the specialization constants are those of the shader.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Options {
    patch_control_points: u32,
    #[cfg_attr(feature = "serde", serde(default))]
    lower_left: bool,
    #[cfg_attr(feature = "serde", serde(default))]
    set: Option<Set>,
    #[cfg_attr(feature = "serde", serde(default))]
    binding: Option<Binding>,
    #[cfg_attr(feature = "serde", serde(default))]
    params: ParamsAt,
    #[cfg_attr(feature = "serde", serde(default))]
    constants: Vec<(u32, u64)>,
}

impl Options {
    /// Returns options for patches of this many vertices (`patchControlPoints`, 1 to 32), with the origin of the
    /// domain at the upper left. The buffers are at consecutive bindings of the highest of sets 0 to 3 that the shader
    /// does not use.
    pub fn new(patch_control_points: u32) -> Self {
        Self {
            patch_control_points: patch_control_points.clamp(1, 32),
            lower_left: false,
            set: None,
            binding: None,
            params: ParamsAt::default(),
            constants: Vec::new(),
        }
    }

    /// Puts the origin of the domain at the lower left, as in OpenGL (`VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT`).
    /// This reverses the triangles.
    #[must_use]
    pub fn lower_left_origin(mut self) -> Self {
        self.lower_left = true;
        self
    }

    /// Puts the buffers at five bindings of `set` from `binding` on: outputs of the vertex stage, patches, table,
    /// points, indices. The host parameters follow by default.
    #[must_use]
    pub fn into_storage(self, set: Set, binding: Binding) -> Self {
        self.into_set(set).at_binding(binding)
    }

    /// Puts the buffers into `set`, at free bindings unless [`at_binding`](Self::at_binding) sets one.
    #[must_use]
    pub fn into_set(mut self, set: Set) -> Self {
        self.set = Some(set);
        self
    }

    /// Puts the buffers at the bindings from `binding` on. Without [`into_set`](Self::into_set), their set is the
    /// highest of sets 0 to 3 in which these bindings are free.
    #[must_use]
    pub fn at_binding(mut self, binding: Binding) -> Self {
        self.binding = Some(binding);
        self
    }

    /// Sets the source of the host parameters.
    #[must_use]
    pub fn params(mut self, source: ParamSource) -> Self {
        self.params = ParamsAt::Source(source);
        self
    }

    /// Gives the specialization constant `id` the value `bits`; for a boolean, 0 is false.
    #[must_use]
    pub fn specialize(mut self, id: u32, bits: u64) -> Self {
        self.constants.push((id, bits));
        self
    }

    pub(super) fn input_vertices(&self) -> u32 {
        self.patch_control_points
    }

    pub(super) fn has_lower_left_origin(&self) -> bool {
        self.lower_left
    }

    pub(super) fn constants(&self) -> &[(u32, u64)] {
        &self.constants
    }

    pub(super) fn wanted(&self) -> Wanted {
        Wanted { first: (self.set, self.binding), params: self.params, buffer: "buffer" }
    }
}
