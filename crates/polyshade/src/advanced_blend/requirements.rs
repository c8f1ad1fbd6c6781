//! What the lowered shader needs of the device and the host.

use super::options::{Destination, Layer, Options, Select};
use super::{Plan, fetch};
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
    /// The words that select equations.
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
                extensions.push("VK_EXT_shader_tile_image");
                features.push("shaderTileImageColorReadAccess");
                if options.multisampled {
                    features.push("shaderTileImageReadSampleFromPixelRateInvocation");
                }
                ("tile image", Ordering::TileImage)
            }
            Destination::StorageImage { .. } => {
                extensions.push("VK_EXT_fragment_shader_interlock");
                features.extend([
                    "fragmentStoresAndAtomics",
                    "shaderStorageImageReadWithoutFormat",
                    "shaderStorageImageWriteWithoutFormat",
                ]);
                features.extend(if options.multisampled {
                    ["fragmentShaderSampleInterlock", "shaderStorageImageMultisample"].as_slice()
                } else {
                    &["fragmentShaderPixelInterlock"]
                });
                ("storage image", Ordering::Interlock)
            }
        };
        let mut requirements = Self {
            features,
            extensions,
            descriptors: Vec::new(),
            push_constants: None,
            specialization: None,
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
        if let Select::Words(place) = options.select {
            requirements.add_words(place, plan.words.len() as u32);
        }
        requirements
    }

    fn add_words(&mut self, place: HostWords, count: u32) {
        let mut add = |set, binding, kind| {
            self.descriptors.push(Descriptor { set, binding, kind, purpose: Purpose::Words });
        };
        match place {
            HostWords::StorageBuffer { set, binding } => add(set, binding, "storage buffer"),
            HostWords::Uniform { set, binding } => add(set, binding, "uniform buffer"),
            HostWords::PushConstant { offset } => {
                self.push_constants = Some(offset..offset.saturating_add(count * 4));
            }
            HostWords::Specialization { first_id } => {
                self.specialization = Some(first_id..first_id.saturating_add(count));
            }
        }
    }
}
