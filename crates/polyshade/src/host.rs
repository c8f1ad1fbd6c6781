//! What a lowered shader and its host have to agree on, said once for all lowerings.
//!
//! A [`Target`] says which entry point is lowered for which device; what others use is [`Reserved`]. What comes back is
//! [`Lowered`]: the module, the [`HostParams`] that the host fills in, and the [`Requirements`] of device and host. All
//! of it but the module is plain data, which can be compared, hashed and, with the feature `serde`, stored beside the
//! SPIR-V.

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

/// What a lowering makes of a module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lowered<'m, T = ()> {
    /// The shader; where nothing was to be done, the module that was given, which it borrows.
    pub module: Module<'m>,
    /// Whether the words are others than those that were given.
    pub progress: Progress,
    /// What the host fills in, by place.
    pub params: Vec<HostParams>,
    /// What the device must have and the host must bind and order.
    pub requirements: Requirements,
    /// What else there is to know of this lowering.
    pub result: T,
}

/// The pass that keeps the stores to buffers and images and the atomics of a shader that is drawn in two passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum SideEffects {
    /// A shader that has some is refused.
    #[default]
    Refuse,
    /// The capture pass, or the pass of the position-only variant. The raster pass and the complement have none, and
    /// the full shader is not drawn.
    InFirstPass,
    /// The raster pass, or the pass of the complement or of the full shader. The first pass has none.
    InSecondPass,
}

/// What is known of a shader with an output that was changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Changed {
    /// The location of an output that was added: the extension captures it instead of the built-in.
    pub location: Option<u32>,
}

impl<'m, T> Lowered<'m, T> {
    /// What is made of a module of which there is nothing to do.
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

    /// Whether the words are others than those that were given.
    pub fn is_changed(&self) -> bool {
        self.progress == Progress::Changed
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Lowered<'static, T> {
        let Self { module, progress, params, requirements, result } = self;
        Lowered { module: module.into_owned(), progress, params, requirements, result }
    }

    /// Adds parameters that the host fills in, and the descriptors, push constants, specialization constants and limits
    /// that `stage` needs to read them.
    #[must_use]
    pub fn with_params(mut self, params: Vec<HostParams>, stage: ExecutionModel) -> Self {
        self.requirements.read(&params, stage);
        self.requirements.need_push_constants();
        self.params.extend(params);
        self
    }

    /// The same with another result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Lowered<'m, U> {
        let Self { module, progress, params, requirements, result } = self;
        Lowered { module, progress, params, requirements, result: f(result) }
    }
}
