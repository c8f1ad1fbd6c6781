//! The requirements that a lowered shader places on the device and the host.

use super::{Binding, Extension, Feature, HostParams, LimitName, ParamSource, Set};
use polyshade_spv::ExecutionModel;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// The features that the device must have, and the bindings and synchronization that the host must provide.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Requirements {
    /// Device extensions.
    pub extensions: Vec<Extension>,
    /// Features.
    pub features: Vec<Feature>,
    /// Minimum limits of the device, for the stage of this shader alone. A boolean limit must be 1.
    pub limits: BTreeMap<LimitName, u32>,
    /// Added descriptors.
    pub descriptors: Vec<Descriptor>,
    /// The range of the added push constants, in bytes.
    pub push_constants: Option<Range<u32>>,
    /// The ids of the added specialization constants.
    pub specialization: Vec<Range<u32>>,
    /// The mechanism that makes overlapping primitives blend in order, if the shader emulates blending.
    pub ordering: Option<Ordering>,
}

/// An added descriptor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Descriptor {
    /// Descriptor set.
    pub set: Set,
    /// Binding.
    pub binding: Binding,
    /// Descriptor type.
    pub kind: DescriptorKind,
    /// The resource to bind.
    pub purpose: Purpose,
    /// The stage that uses the descriptor.
    pub stage: ExecutionModel,
}

/// The type of a descriptor: `VkDescriptorType`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DescriptorKind {
    /// `VK_DESCRIPTOR_TYPE_STORAGE_BUFFER`.
    StorageBuffer,
    /// `VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER`.
    UniformBuffer,
    /// `VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT`.
    InputAttachment,
    /// `VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE`.
    SampledImage,
    /// `VK_DESCRIPTOR_TYPE_STORAGE_IMAGE`.
    StorageImage,
}

impl fmt::Display for DescriptorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StorageBuffer => "storage buffer",
            Self::UniformBuffer => "uniform buffer",
            Self::InputAttachment => "input attachment",
            Self::SampledImage => "sampled image",
            Self::StorageImage => "storage image",
        })
    }
}

/// The resource that a descriptor refers to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Purpose {
    /// The feedback buffer with this number.
    Feedback(u32),
    /// The vertex buffer with this number (`VkVertexInputBindingDescription::binding`).
    VertexBuffer(u32),
    /// The index buffer.
    Indices,
    /// The table of [segments](crate::transform_feedback::Segments) for the index buffer.
    Segments,
    /// The vertex outputs that the capture pass [stores](crate::transform_feedback::Options::spill_outputs) and the
    /// raster pass reads.
    Outputs,
    /// The outputs of the stage before a [geometry stage](crate::transform_feedback::geometry) or a [control
    /// stage](crate::transform_feedback::tessellation::control).
    Inputs,
    /// The table of a [geometry stage](crate::transform_feedback::geometry) or of a
    /// [tessellation](crate::transform_feedback::tessellation).
    Counts,
    /// The patches of a [tessellation](crate::transform_feedback::tessellation).
    Patches,
    /// The points of a [tessellation](crate::transform_feedback::tessellation).
    Points,
    /// [`HostParams`] that the host fills in, or the address of these.
    HostParams,
    /// The colour attachment at a location, or the image that replaces it.
    Destination {
        /// The location.
        location: u32,
        /// The `InputAttachmentIndex`, if the descriptor is an input attachment.
        index: Option<u32>,
    },
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feedback(number) => write!(f, "feedback buffer {number}"),
            Self::VertexBuffer(number) => write!(f, "vertex buffer {number}"),
            Self::Indices => f.write_str("index buffer"),
            Self::Segments => f.write_str("segment table of the index buffer"),
            Self::Outputs => f.write_str("spilled outputs"),
            Self::Inputs => f.write_str("outputs of the stage before"),
            Self::Counts => f.write_str("table of counts"),
            Self::Patches => f.write_str("patches"),
            Self::Points => f.write_str("points of patches"),
            Self::HostParams => f.write_str("host parameters"),
            Self::Destination { location, index } => {
                write!(f, "destination of location {location}")?;
                index.map_or(Ok(()), |index| write!(f, ", input attachment {index}"))
            }
        }
    }
}

/// The mechanism that makes overlapping primitives blend in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Ordering {
    /// `VK_EXT_rasterization_order_attachment_access`, or a barrier between overlapping draws (by region, from colour
    /// attachment writes to input attachment reads). The barrier does not order the primitives within one draw.
    AttachmentAccess,
    /// The flag `coherent_read` of `VK_EXT_shader_tile_image`, which orders all reads.
    TileImage,
    /// Fragment shader interlock, which orders all accesses.
    Interlock,
    /// A copy of the attachment into the texture before each draw that overlaps an earlier draw. Primitives within
    /// one draw must not overlap.
    Copy,
}

impl Requirements {
    /// Raises the limit `name` to at least `at_least`.
    pub(crate) fn need(&mut self, name: LimitName, at_least: u32) {
        let needed = self.limits.entry(name).or_default();
        *needed = at_least.max(*needed);
    }

    /// Raises the limit on output components of a stage whose outputs use the locations below `end`.
    pub(crate) fn need_outputs(&mut self, stage: ExecutionModel, end: u32) {
        let name = match stage {
            ExecutionModel::GEOMETRY => LimitName::MaxGeometryOutputComponents,
            ExecutionModel::TESSELLATION_EVALUATION => {
                LimitName::MaxTessellationEvaluationOutputComponents
            }
            _ => LimitName::MaxVertexOutputComponents,
        };
        self.need(name, end.saturating_mul(4));
    }

    /// Raises the limit on push constants to the end of the added ones.
    pub(crate) fn need_push_constants(&mut self) {
        if let Some(end) = self.push_constants.as_ref().map(|range| range.end) {
            self.need(LimitName::MaxPushConstantsSize, end);
        }
    }

    /// Adds the requirements for reading `words` in `stage`: descriptors, push constants, specialization constants.
    pub(crate) fn read(&mut self, words: &[HostParams], stage: ExecutionModel) {
        for group in words {
            if group.source.is_address() && !self.features.contains(&Feature::BufferDeviceAddress) {
                self.features.push(Feature::BufferDeviceAddress);
            }
            let kind = match group.source {
                ParamSource::StorageBuffer { .. } => DescriptorKind::StorageBuffer,
                _ => DescriptorKind::UniformBuffer,
            };
            self.descriptors.extend(group.source.descriptor().map(|(set, binding)| Descriptor {
                set,
                binding,
                kind,
                purpose: Purpose::HostParams,
                stage,
            }));
            if let Some(location) = group.location() {
                self.need(LimitName::MaxVertexInputAttributes, location.saturating_add(1));
            }
            self.push(group.push_constants());
            self.specialization.extend(group.specialization());
        }
    }

    /// Extends the range of push constants by `bytes`. There is one range per stage, as in Vulkan.
    fn push(&mut self, bytes: Option<Range<u32>>) {
        self.push_constants = match (self.push_constants.take(), bytes) {
            (Some(one), Some(other)) => Some(one.start.min(other.start)..one.end.max(other.end)),
            (one, other) => one.or(other),
        };
    }

    /// Combines the requirements of successive steps, or of variants of a stage, without duplicates. If both have an
    /// ordering, the ordering of `self` stays.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        fn add<T: PartialEq>(own: &mut Vec<T>, others: Vec<T>) {
            for other in others {
                if !own.contains(&other) {
                    own.push(other);
                }
            }
        }
        add(&mut self.extensions, other.extensions);
        add(&mut self.features, other.features);
        add(&mut self.descriptors, other.descriptors);
        add(&mut self.specialization, other.specialization);
        self.push(other.push_constants);
        self.ordering = self.ordering.or(other.ordering);
        for (name, at_least) in other.limits {
            self.need(name, at_least);
        }
        self
    }
}
