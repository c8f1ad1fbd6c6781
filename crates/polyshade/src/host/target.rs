//! Which entry point is lowered, and for what device.

use super::{Reserved, TransformFeedback};
use crate::unsupported;
use polyshade_spv::view::EntryPoint;
use polyshade_spv::{Error, ErrorKind, ExecutionModel, Module};

/// Which entry point is lowered, what has to stay free, and for what device: what every lowering is told first.
///
/// A name alone is a target: of the stage that has an entry point of this name, for any device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Target {
    entry: String,
    stage: Option<ExecutionModel>,
    reserved: Reserved,
    names: bool,
    device: Device,
}

/// What a device offers that lowerings look at, of one stage. The default is what every Vulkan device has that has the
/// feature at all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
pub struct Device {
    /// `maxVertexOutputComponents` or its like of the stage: outputs that are added take locations below a quarter of
    /// it.
    pub output_components: u32,
    /// How many clip and cull distances a stage may have.
    pub distances: Distances,
    /// What the device offers of `VK_EXT_transform_feedback`. Where it is not said nothing is refused for it, and the
    /// requirements say what the device must have.
    pub transform_feedback: Option<TransformFeedback>,
}

/// How many distances a device takes in one stage, by Vulkan's names. Each is 8 unless said otherwise: what every
/// device has that has the feature at all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distances {
    /// `maxClipDistances`.
    pub clip: u32,
    /// `maxCullDistances`.
    pub cull: u32,
    /// `maxCombinedClipAndCullDistances`.
    pub combined: u32,
}

impl Default for Distances {
    fn default() -> Self {
        Self { clip: 8, cull: 8, combined: 8 }
    }
}

/// `maxVertexOutputComponents` and its like that every device has (Vulkan specification, "Required limits").
const LEAST_OUTPUT_COMPONENTS: u32 = 64;

impl Default for Device {
    fn default() -> Self {
        Self {
            output_components: LEAST_OUTPUT_COMPONENTS,
            distances: Distances::default(),
            transform_feedback: None,
        }
    }
}

impl Target {
    /// The entry point `entry`, for a device that has what every device has.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            stage: None,
            reserved: Reserved::default(),
            names: true,
            device: Device::default(),
        }
    }

    /// The stage of the entry point. Unless it is said, it is the one stage of those that the lowering takes that has
    /// an entry point of this name.
    #[must_use]
    pub fn stage(mut self, stage: ExecutionModel) -> Self {
        self.stage = Some(stage);
        self
    }

    /// Keeps what is added clear of what others use.
    #[must_use]
    pub fn reserved(mut self, reserved: Reserved) -> Self {
        self.reserved = reserved;
        self
    }

    /// Whether what is added gets debug names. It does unless told otherwise.
    #[must_use]
    pub fn names(mut self, names: bool) -> Self {
        self.names = names;
        self
    }

    /// What the device offers.
    #[must_use]
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// The name of the entry point.
    pub fn entry_name(&self) -> &str {
        &self.entry
    }

    /// What has to stay free.
    pub fn reservations(&self) -> &Reserved {
        &self.reserved
    }

    /// What the device offers.
    pub fn device_limits(&self) -> &Device {
        &self.device
    }

    /// Whether what is added gets debug names.
    pub fn has_names(&self) -> bool {
        self.names
    }

    /// The entry point, of the stage that is asked for or else of the only one of `stages` that has it.
    ///
    /// # Errors
    ///
    /// `NotFound` where there is none, `Options` where several stages have it, `Unsupported` for a stage that is not
    /// among `stages`.
    pub(crate) fn entry_point<'m>(
        &self,
        m: &'m Module<'_>,
        stages: &Stages,
    ) -> Result<EntryPoint<'m>, Error> {
        if let Some(stage) = self.stage {
            let entry = m.entry_point(&self.entry, stage)?;
            return if stages.models.contains(&stage) {
                Ok(entry)
            } else {
                Err(stages.refuse(entry))
            };
        }
        let named = || m.entry_points().filter(|entry| entry.name() == self.entry);
        let mut lowered = named().filter(|entry| stages.models.contains(&entry.model()));
        match (lowered.next(), lowered.next(), named().next()) {
            (Some(entry), None, _) => Ok(entry),
            (Some(one), Some(other), _) => {
                let message = format!(
                    "`{}` is an entry point of the {} and of the {} stage",
                    self.entry,
                    one.model(),
                    other.model()
                );
                Err(Error::new(ErrorKind::Options, message).help("say which stage"))
            }
            (None, _, Some(entry)) => Err(stages.refuse(entry)),
            // The error lists what there is.
            (None, _, None) => m.entry_point(&self.entry, stages.models[0]),
        }
    }
}

/// The stages that a lowering takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages {
    /// At least one.
    pub(crate) models: &'static [ExecutionModel],
    /// What is said of any other stage, behind "a … stage".
    pub(crate) otherwise: &'static str,
}

impl Stages {
    fn refuse(&self, entry: EntryPoint<'_>) -> Error {
        unsupported(format!("a {} stage {}", entry.model(), self.otherwise), entry.function())
    }
}

impl From<&str> for Target {
    fn from(entry: &str) -> Self {
        Self::new(entry)
    }
}

impl From<&Target> for Target {
    fn from(target: &Target) -> Self {
        target.clone()
    }
}
