//! The interface between a lowered shader and its host, common to all lowerings.
//!
//! A [`Target`] selects the entry point and describes the device; [`Reserved`] lists resources that are used
//! elsewhere. A lowering returns [`Lowered`]: the module, the [`HostParams`] that the host fills in, and the
//! [`Requirements`] of device and host. Everything in it except the module is plain data. It can be compared, hashed
//! and, with the feature `serde`, stored next to the SPIR-V.

mod device;
mod names;
mod place;
mod requirements;
mod reserved;
mod target;

pub use device::{Device, TransformFeedback};
pub use names::{Extension, Feature, LimitName};
pub(crate) use names::{as_text, named};
pub use place::{AddressSource, Binding, HostParam, HostParams, ParamSource, Set, Value};
pub use requirements::{Descriptor, DescriptorKind, Ordering, Purpose, Requirements};
pub use reserved::Reserved;
pub use target::Target;

use polyshade_spv::{ExecutionModel, Module, Progress};

/// The result of lowering a module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lowered<'m, T = ()> {
    /// The shader. If the lowering changed nothing, it borrows the original module.
    pub module: Module<'m>,
    /// Whether the module differs from the original.
    pub progress: Progress,
    /// The host parameters, grouped by source.
    pub params: Vec<HostParams>,
    /// The features that the device must have, and the bindings and synchronization that the host must provide.
    pub requirements: Requirements,
    /// Further information, specific to the lowering.
    pub result: T,
}

/// The draw pass that runs a shader's side effects (atomics, and stores to buffers and images), if the shader is
/// drawn in two passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SideEffects {
    /// Refuse a shader that has side effects.
    #[default]
    Refuse,
    /// The first pass, which draws the capture or position-only variant. The raster pass and the complement have no
    /// side effects, and the full shader must not be drawn.
    InFirstPass,
    /// The second pass, which draws the raster variant, the complement or the full shader. The first pass has no side
    /// effects.
    InSecondPass,
}

/// The result of a lowering that changes one output of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Changed {
    /// The location of an added output that `VK_EXT_transform_feedback` captures instead of the built-in.
    pub location: Option<u32>,
}

impl<'m, T> Lowered<'m, T> {
    /// Returns the result of a lowering that changes nothing.
    pub(crate) fn unchanged(module: &'m Module<'_>, result: T) -> Self {
        let (params, requirements) = (Vec::new(), Requirements::default());
        Self {
            module: module.borrowed(),
            progress: Progress::Unchanged,
            params,
            requirements,
            result,
        }
    }

    /// Whether the module differs from the original.
    pub fn is_changed(&self) -> bool {
        self.progress == Progress::Changed
    }

    /// Converts the result into one that owns its module.
    pub fn into_owned(self) -> Lowered<'static, T> {
        let Self { module, progress, params, requirements, result } = self;
        Lowered { module: module.into_owned(), progress, params, requirements, result }
    }

    /// Adds host parameters, and the requirements for reading them in `stage`: descriptors, push constants,
    /// specialization constants and limits.
    #[must_use]
    pub fn with_params(mut self, params: Vec<HostParams>, stage: ExecutionModel) -> Self {
        self.requirements.read(&params, stage);
        self.requirements.need_push_constants();
        self.params.extend(params);
        self
    }

    /// Replaces the `result` with `f(result)`.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Lowered<'m, U> {
        let Self { module, progress, params, requirements, result } = self;
        Lowered { module, progress, params, requirements, result: f(result) }
    }
}
