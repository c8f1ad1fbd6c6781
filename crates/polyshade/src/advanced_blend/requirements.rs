//! What the lowered shader needs of the device and the host.

use super::options::{Destination, Layer, Options};
use super::{Plan, fetch, words};
use crate::moves::{Binding, Set};
use crate::transform_feedback::HostWords;
use polyshade_spv::{Capability, Module};
use std::ops::Range;

/// What the device must have and the host must bind and order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirements {
    /// Vulkan features by their names.
    pub features: Vec<&'static str>,
    /// Vulkan extensions by their names.
    pub extensions: Vec<&'static str>,
    /// Descriptors that are added, for the fragment stage.
    pub descriptors: Vec<Descriptor>,
    /// Push constants that are added, in bytes.
    pub push_constants: Option<Range<u32>>,
    /// Numbers of the specialization constants that are added.
    pub specialization: Option<Range<u32>>,
    /// The words that the host fills in, by place.
    pub words: Vec<WordsAt>,
    /// What makes overlapping primitives blend in order.
    pub ordering: Ordering,
}

/// A descriptor that is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Its set.
    pub set: Set,
    /// Its binding.
    pub binding: Binding,
    /// As Vulkan calls it: `input attachment`, `sampled image`, …
    pub kind: &'static str,
    /// What is bound there.
    pub purpose: Purpose,
}

/// Words that the host fills in at one place: those that select equations, one a target that has any, and behind them
/// the blend constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordsAt {
    /// Where.
    pub place: HostWords,
    /// Which of them, counted from 0, select equations.
    pub selecting: Range<u32>,
    /// Which of them are red, green, blue and alpha of the blend constants, as floats.
    pub constants: Range<u32>,
}

/// What a descriptor is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The colour attachment at this location, or what stands for it.
    Destination {
        /// The location.
        location: u32,
        /// `InputAttachmentIndex`, where it is an input attachment.
        index: Option<u32>,
    },
    /// The words that the host fills in: see [`Requirements::words`].
    Words,
}

/// What makes overlapping primitives blend in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ordering {
    /// `VK_EXT_rasterization_order_attachment_access`, or a barrier (by region, from colour attachment writes to input
    /// attachment reads) between draws that overlap. Between primitives of one draw a barrier does nothing.
    AttachmentAccess,
    /// The flag `coherent_read` of `VK_EXT_shader_tile_image`: reads are ordered by themselves.
    TileImage,
    /// Fragment shader interlock: in order by itself.
    Interlock,
    /// A copy of the attachment into the texture before each draw that overlaps an earlier one. Primitives of one draw
    /// must not overlap.
    Copy,
}

impl Requirements {
    pub(super) fn new(m: &Module<'_>, options: &Options, plan: &Plan<'_>) -> Self {
        let mut features = Vec::new();
        let mut extensions = Vec::new();
        if options.multisampled {
            features.push("sampleRateShading");
        }
        let (kind, ordering) = match options.destination {
            Destination::InputAttachment { .. } => ("input attachment", Ordering::AttachmentAccess),
            Destination::Texture { layer, .. } => {
                match layer {
                    Layer::One => {}
                    Layer::Layer if m.has_capability(Capability::SHADER_LAYER) => {
                        features.push("shaderOutputLayer");
                    }
                    Layer::Layer => features.push("geometryShader"),
                    Layer::View => features.push("multiview"),
                }
                ("sampled image", Ordering::Copy)
            }
            Destination::TileImage => {
                extensions.push(TILE_IMAGE);
                features.push(TILE_IMAGE_FEATURE);
                ("tile image", Ordering::TileImage)
            }
            Destination::StorageImage { .. } => {
                extensions.push(INTERLOCK);
                features.extend(interlock_features(options.multisampled));
                ("storage image", Ordering::Interlock)
            }
        };
        let mut requirements = Self {
            features,
            extensions,
            descriptors: Vec::new(),
            push_constants: None,
            specialization: None,
            words: Vec::new(),
            ordering,
        };
        for blended in &plan.blended {
            let location = blended.location;
            let index = match options.destination {
                Destination::InputAttachment { index, .. } => Some(index.saturating_add(location)),
                _ => None,
            };
            let purpose = Purpose::Destination { location, index };
            let place = fetch::place(options.destination, location);
            requirements.descriptors.extend(place.map(|(set, binding)| Descriptor {
                set,
                binding,
                kind,
                purpose,
            }));
        }
        for group in &plan.words {
            requirements.add_words(group);
        }
        requirements
    }

    fn add_words(&mut self, group: &words::Group) {
        let count = group.names.len() as u32;
        let mut add = |set, binding, kind| {
            self.descriptors.push(Descriptor { set, binding, kind, purpose: Purpose::Words });
        };
        match group.place {
            HostWords::StorageBuffer { set, binding } => add(set, binding, "storage buffer"),
            HostWords::Uniform { set, binding } => add(set, binding, "uniform buffer"),
            HostWords::PushConstant { offset } => {
                self.push_constants = Some(offset..offset.saturating_add(count * 4));
            }
            HostWords::Specialization { first_id } => {
                self.specialization = Some(first_id..first_id.saturating_add(count));
            }
        }
        self.words.push(WordsAt {
            place: group.place,
            selecting: group.selecting.clone(),
            constants: group.constants.clone(),
        });
    }
}

/// The extension that [`Destination::TileImage`] takes.
pub const TILE_IMAGE: &str = "VK_EXT_shader_tile_image";
/// The feature that [`Destination::TileImage`] takes. Samples by their number are read by invocations of their own, so
/// that `shaderTileImageReadSampleFromPixelRateInvocation` does not matter.
pub const TILE_IMAGE_FEATURE: &str = "shaderTileImageColorReadAccess";
/// The extension that [`Destination::StorageImage`] takes.
pub const INTERLOCK: &str = "VK_EXT_fragment_shader_interlock";

/// The features that [`Destination::StorageImage`] takes, by whether attachments have several samples.
pub fn interlock_features(multisampled: bool) -> impl Iterator<Item = &'static str> {
    let always = [
        "fragmentStoresAndAtomics",
        "shaderStorageImageReadWithoutFormat",
        "shaderStorageImageWriteWithoutFormat",
    ];
    let by_samples: &[&str] = match multisampled {
        true => &["fragmentShaderSampleInterlock", "shaderStorageImageMultisample"],
        false => &["fragmentShaderPixelInterlock"],
    };
    always.into_iter().chain(by_samples.iter().copied())
}
