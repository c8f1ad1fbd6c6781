//! What the results need of the device and the host.

use super::Plan;
use super::options::HostWords;
use crate::moves::{Binding, Set, buffers_of};
use polyshade_spv::{ExecutionModel, Module};
use std::ops::Range;

/// What a result needs of the device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Requirements {
    /// Vulkan device extensions by their names.
    pub extensions: Vec<&'static str>,
    /// Vulkan features by their names.
    pub features: Vec<&'static str>,
    /// Vulkan limits that the pipeline needs, of this shader's stage alone.
    pub limits: Vec<Limit>,
    /// Descriptors that are added.
    pub descriptors: Vec<Descriptor>,
    /// Push constants that are added, in bytes.
    pub push_constants: Option<Range<u32>>,
    /// Numbers of the specialization constants that are added.
    pub specialization: Option<Range<u32>>,
}

/// A limit of the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Its name in `VkPhysicalDeviceLimits` or the properties of the extension. One that is a boolean is to be 1.
    pub name: &'static str,
    /// What it has to be.
    pub at_least: u32,
}

impl Limit {
    /// The limit of the outputs of a stage that take the locations before `end`.
    pub(crate) fn output_components(stage: ExecutionModel, end: u32) -> Self {
        let name = match stage {
            ExecutionModel::GEOMETRY => "maxGeometryOutputComponents",
            ExecutionModel::TESSELLATION_EVALUATION => "maxTessellationEvaluationOutputComponents",
            _ => "maxVertexOutputComponents",
        };
        Self { name, at_least: end.saturating_mul(4) }
    }
}

/// A descriptor that is added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Its set.
    pub set: Set,
    /// Its binding.
    pub binding: Binding,
    /// `storage buffer` or `uniform buffer`.
    pub kind: &'static str,
    /// What is bound there.
    pub purpose: Purpose,
    /// The stage that uses it.
    pub stage: ExecutionModel,
}

/// What a descriptor is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The feedback buffer with this number.
    Feedback(u32),
    /// The words that the host fills in for each draw.
    HostWords,
}

const STORAGE: &str = "storage buffer";
const UNIFORM: &str = "uniform buffer";

impl Requirements {
    pub(super) fn new(m: &Module<'_>, plan: &Plan) -> Self {
        let stage = ExecutionModel::VERTEX;
        let feedback = (0..).zip(&plan.stores).filter(|(_, stores)| !stores.is_empty());
        let mut descriptors: Vec<Descriptor> = feedback
            .map(|(i, _)| Descriptor {
                set: plan.placement.set(),
                binding: plan.placement.buffer(i),
                kind: STORAGE,
                purpose: Purpose::Feedback(i),
                stage,
            })
            .collect();
        let words = plan.host.words.len() as u32;
        let (mut push_constants, mut specialization) = (None, None);
        let mut add = |set, binding, kind| {
            let purpose = Purpose::HostWords;
            descriptors.push(Descriptor { set, binding, kind, purpose, stage });
        };
        match plan.host.place {
            HostWords::StorageBuffer { set, binding } => add(set, binding, STORAGE),
            HostWords::Uniform { set, binding } => add(set, binding, UNIFORM),
            HostWords::PushConstant { offset } => {
                push_constants = Some(offset..offset.saturating_add(words * 4));
            }
            HostWords::Specialization { first_id } => {
                specialization = Some(first_id..first_id.saturating_add(words));
            }
        }
        let limits = limits(m, &descriptors, push_constants.as_ref());
        let features = vec!["vertexPipelineStoresAndAtomics"];
        let extensions = Vec::new();
        Self { extensions, features, limits, descriptors, push_constants, specialization }
    }
}

fn limits(
    m: &Module<'_>,
    descriptors: &[Descriptor],
    push_constants: Option<&Range<u32>>,
) -> Vec<Limit> {
    let added = |kind| descriptors.iter().filter(|one| one.kind == kind).count() as u32;
    let (storage, uniform) = buffers_of(m);
    let last_set = descriptors.iter().map(|one| one.set.0).max().unwrap_or(0);
    let mut limits = vec![
        Limit { name: "maxBoundDescriptorSets", at_least: last_set.saturating_add(1) },
        Limit {
            name: "maxPerStageDescriptorStorageBuffers",
            at_least: storage.saturating_add(added(STORAGE)),
        },
    ];
    if added(UNIFORM) > 0 {
        let at_least = uniform.saturating_add(added(UNIFORM));
        limits.push(Limit { name: "maxPerStageDescriptorUniformBuffers", at_least });
    }
    if let Some(range) = push_constants {
        limits.push(Limit { name: "maxPushConstantsSize", at_least: range.end });
    }
    limits
}
