//! The bindings of resources in languages that number them differently from Vulkan.

use super::{MslBuffer, MslTexture, MslTextureKind};
use crate::Error;
use spirv_cross2::reflect::{ArrayDimension, DecorationValue, ResourceType, TypeInner};
use spirv_cross2::{Compiler, SpirvCrossError};

/// The kind of a resource, which determines its numbering.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ResourceKind {
    Uniform,
    Storage,
    /// A combined image sampler.
    CombinedTexture,
    Texture,
    /// An input attachment.
    Attachment,
    Image,
    Sampler,
    PushConstants,
}

/// The kinds that are sampled or read as textures.
pub(super) const TEXTURES: [ResourceKind; 3] =
    [ResourceKind::CombinedTexture, ResourceKind::Texture, ResourceKind::Attachment];

/// A resource that the module declares.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Resource {
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) kind: ResourceKind,
    /// The number of elements of an array, else 1.
    pub(super) count: u32,
}

impl Resource {
    /// Returns the MSL buffer argument for this resource.
    pub(super) fn buffer(&self) -> MslBuffer {
        match self.kind {
            ResourceKind::PushConstants => MslBuffer::PushConstants,
            _ => MslBuffer::Descriptor { set: self.set, binding: self.binding },
        }
    }
}

const TYPES: [(ResourceType, ResourceKind); 8] = [
    (ResourceType::UniformBuffer, ResourceKind::Uniform),
    (ResourceType::StorageBuffer, ResourceKind::Storage),
    (ResourceType::SampledImage, ResourceKind::CombinedTexture),
    (ResourceType::SeparateImage, ResourceKind::Texture),
    (ResourceType::SubpassInput, ResourceKind::Attachment),
    (ResourceType::StorageImage, ResourceKind::Image),
    (ResourceType::SeparateSamplers, ResourceKind::Sampler),
    (ResourceType::PushConstant, ResourceKind::PushConstants),
];

/// Returns all declared resources, sorted by set and binding. Unused resources are included, so that all variants
/// have equal numbers.
pub(super) fn resources<T>(compiler: &Compiler<T>) -> Result<Vec<Resource>, SpirvCrossError> {
    let declared = compiler.shader_resources()?;
    let mut resources = Vec::new();
    for (ty, kind) in TYPES {
        for resource in declared.resources_for_type(ty)? {
            let number = |decoration| match compiler.decoration(resource.id, decoration)? {
                Some(DecorationValue::Literal(number)) => Ok::<u32, SpirvCrossError>(number),
                _ => Ok(0),
            };
            let count = match compiler.type_description(resource.type_id)?.inner {
                TypeInner::Array { dimensions, .. } => dimensions.iter().fold(1, elements),
                _ => 1,
            };
            let set = number(spirv::Decoration::DescriptorSet)?;
            resources.push(Resource {
                set,
                binding: number(spirv::Decoration::Binding)?,
                kind,
                count,
            });
        }
    }
    resources.sort();
    Ok(resources)
}

fn elements(before: u32, dimension: &ArrayDimension) -> u32 {
    match dimension {
        ArrayDimension::Literal(length) => before.saturating_mul((*length).max(1)),
        ArrayDimension::Constant(_) => before,
    }
}

/// The maximum number of buffers of a Metal function.
const MSL_BUFFERS: u32 = 31;

/// Buffers that SPIRV-Cross adds, with their default indices and their names in messages.
const OWN: [(MslBuffer, u32, &str); 6] = [
    (MslBuffer::Sizes, 25, "the sizes of the buffers"),
    (MslBuffer::Vertices, 22, "the vertices of patches"),
    (MslBuffer::Factors, 26, "the tessellation levels"),
    (MslBuffer::Patches, 27, "the outputs of patches"),
    (MslBuffer::ControlPoints, 28, "the outputs of vertices of patches"),
    (MslBuffer::Counts, 29, "the numbers of patches and their vertices"),
];

/// The indices of the buffers that SPIRV-Cross adds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OwnBuffers(Vec<(MslBuffer, u32)>);

impl OwnBuffers {
    /// Returns the buffers that the stage may have. Stages other than tessellation control only have the buffer of
    /// sizes.
    pub(super) fn new(model: spirv::ExecutionModel, given: &[(MslBuffer, u32)]) -> Self {
        let is_control = model == spirv::ExecutionModel::TessellationControl;
        let there = OWN.iter().filter(|(own, ..)| is_control || *own == MslBuffer::Sizes);
        let index = |(own, index, _): &(MslBuffer, u32, &str)| {
            let listed = given.iter().find(|(buffer, _)| buffer == own);
            (*own, listed.map_or(*index, |(_, index)| *index))
        };
        OwnBuffers(there.map(index).collect())
    }

    /// Returns the index of a buffer, if the stage has it.
    pub(super) fn index(&self, wanted: MslBuffer) -> Option<u32> {
        self.0.iter().find(|(own, _)| *own == wanted).map(|(_, index)| *index)
    }
}

/// Returns the buffers with their indices in `given`. Buffers without an entry get the lowest free indices, in order.
pub(super) fn metal_indices(
    resources: &[Resource],
    given: &[(MslBuffer, u32)],
    own: &OwnBuffers,
) -> Result<Vec<(Resource, u32)>, Error> {
    let is_buffer = |one: &&Resource| {
        matches!(
            one.kind,
            ResourceKind::Uniform | ResourceKind::Storage | ResourceKind::PushConstants
        )
    };
    let (mut buffers, mut push_constants): (Vec<_>, Vec<_>) =
        resources.iter().filter(is_buffer).partition(|one| one.kind != ResourceKind::PushConstants);
    // Push constants come last, because lowerings add descriptors after the shader's own.
    buffers.append(&mut push_constants);

    let mut taken = Vec::new();
    for (buffer, index) in &own.0 {
        take(&mut taken, *index, own_name(*buffer).to_owned())?;
    }
    // Given indices come first, because they are not free for other buffers.
    let mut indices = Vec::new();
    for one in &buffers {
        let wanted = given.iter().find(|(buffer, _)| *buffer == one.buffer());
        let Some(&(_, index)) = wanted else { continue };
        for element in index..index.saturating_add(one.count).min(MSL_BUFFERS + 1) {
            take(&mut taken, element, name(one))?;
        }
        indices.push(((*one).clone(), index));
    }
    for one in buffers {
        if indices.iter().any(|(other, _)| other.buffer() == one.buffer()) {
            continue;
        }
        let free = |first: &u32| {
            taken
                .iter()
                .all(|(taken, _)| !(*first..first.saturating_add(one.count)).contains(taken))
        };
        let index = (0..MSL_BUFFERS).find(free);
        let index = index.filter(|index| index.saturating_add(one.count) <= MSL_BUFFERS);
        let Some(index) = index else {
            let message =
                format!("Metal has {MSL_BUFFERS} buffers, and none is free for {}", name(one));
            return Err(Error::Unsupported(message));
        };
        taken.extend((index..index + one.count).map(|element| (element, name(one))));
        indices.push((one.clone(), index));
    }
    indices.sort_by_key(|(one, _)| one.buffer());
    Ok(indices)
}

/// Reserves an index, which must be free.
fn take(taken: &mut Vec<(u32, String)>, index: u32, to: String) -> Result<(), Error> {
    if let Some((_, other)) = taken.iter().find(|(taken, _)| *taken == index) {
        let message = format!("buffer index {index} is assigned to {to} and to {other}");
        return Err(Error::Options(message));
    }
    taken.push((index, to));
    Ok(())
}

/// Returns the indices of textures and samplers, which are the lowest free indices, in order. Therefore descriptors
/// that a lowering adds in a later set do not change the indices of the shader's own descriptors.
pub(super) fn metal_textures(resources: &[Resource], attachments: Attachments) -> Vec<MslTexture> {
    let mut textures = Vec::new();
    for kind in [MslTextureKind::Texture, MslTextureKind::Sampler] {
        let has_index = |one: &&Resource| match (one.kind, kind) {
            (ResourceKind::CombinedTexture, _) => true,
            (ResourceKind::Texture | ResourceKind::Image, MslTextureKind::Texture) => true,
            (ResourceKind::Attachment, MslTextureKind::Texture) => {
                attachments == Attachments::Textures
            }
            (ResourceKind::Sampler, MslTextureKind::Sampler) => true,
            _ => false,
        };
        let mut next: u32 = 0;
        for &Resource { set, binding, count, .. } in resources.iter().filter(has_index) {
            textures.push(MslTexture { set, binding, kind, index: next });
            next = next.saturating_add(count);
        }
    }
    textures
}

/// How input attachments are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attachments {
    Textures,
    Colours,
}

fn own_name(buffer: MslBuffer) -> &'static str {
    let found = OWN.iter().find(|(own, ..)| *own == buffer);
    found.map_or("a resource", |(.., name)| name)
}

fn name(resource: &Resource) -> String {
    match resource.kind {
        ResourceKind::PushConstants => "the push constants".to_owned(),
        _ => format!("set {} binding {}", resource.set, resource.binding),
    }
}

/// Fails if two resources with a common numbering differ only in their set.
pub(super) fn without_sets(
    resources: &[Resource],
    together: &[&[ResourceKind]],
    why: &str,
) -> Result<(), Error> {
    for kinds in together {
        let numbered: Vec<_> = resources.iter().filter(|one| kinds.contains(&one.kind)).collect();
        for (i, one) in numbered.iter().enumerate() {
            let clash = numbered[..i]
                .iter()
                .find(|other| other.binding == one.binding && other.set != one.set);
            if let Some(other) = clash {
                let message = format!(
                    "{why}, so {} and {} would be the same resource",
                    name(other),
                    name(one)
                );
                return Err(Error::Unsupported(message));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(set: u32, binding: u32, count: u32) -> Resource {
        Resource { set, binding, kind: ResourceKind::Storage, count }
    }

    fn indices(resources: &[Resource], given: &[(MslBuffer, u32)]) -> Result<Vec<u32>, Error> {
        let own = OwnBuffers::new(spirv::ExecutionModel::Vertex, given);
        Ok(metal_indices(resources, given, &own)?.into_iter().map(|(_, index)| index).collect())
    }

    #[test]
    fn buffers_get_the_lowest_free_indices_in_order() {
        let push = Resource { kind: ResourceKind::PushConstants, ..buffer(0, 0, 1) };
        let texture = Resource { kind: ResourceKind::Texture, ..buffer(0, 1, 1) };
        let all = [push, texture, buffer(0, 2, 3), buffer(3, 0, 1)];
        assert_eq!(indices(&all, &[]), Ok(vec![0, 3, 4]));
        let first = MslBuffer::Descriptor { set: 3, binding: 0 };
        assert_eq!(indices(&all, &[(first, 0)]), Ok(vec![1, 0, 4]));
        assert_eq!(
            indices(&all, &[(first, 1), (MslBuffer::PushConstants, 30)]),
            Ok(vec![2, 1, 30])
        );
        assert_eq!(indices(&all, &[(MslBuffer::Sizes, 1)]), Ok(vec![2, 0, 5]));
    }

    #[test]
    fn control_stages_have_buffers_of_their_own() {
        let indices = |given: &[(MslBuffer, u32)], count| {
            let own = OwnBuffers::new(spirv::ExecutionModel::TessellationControl, given);
            let found = metal_indices(&[buffer(0, 0, count)], given, &own)?;
            Ok::<_, Error>((found[0].1, own.index(MslBuffer::Counts)))
        };
        assert_eq!(indices(&[], 22), Ok((0, Some(29))));
        assert!(matches!(indices(&[], 23), Err(Error::Unsupported(_))));
        assert_eq!(indices(&[(MslBuffer::Counts, 0)], 1), Ok((1, Some(0))));
        let twice = indices(&[(MslBuffer::Factors, 25)], 1).map_err(|error| error.to_string());
        let message = "buffer index 25 is assigned to the tessellation levels and to the sizes of the buffers";
        assert_eq!(twice, Err(message.to_owned()));
        let vertex = OwnBuffers::new(spirv::ExecutionModel::Vertex, &[(MslBuffer::Sizes, 1)]);
        assert_eq!(
            (vertex.index(MslBuffer::Sizes), vertex.index(MslBuffer::Counts)),
            (Some(1), None)
        );
    }

    #[test]
    fn an_index_is_given_once_and_there_are_only_so_many() {
        let all = [buffer(0, 0, 2), buffer(0, 1, 1)];
        let [first, second] = [0, 1].map(|binding| MslBuffer::Descriptor { set: 0, binding });
        assert!(matches!(indices(&all, &[(first, 4), (second, 5)]), Err(Error::Options(_))));
        assert!(matches!(indices(&all, &[(first, 25)]), Err(Error::Options(_))));
        assert!(matches!(indices(&[buffer(0, 0, 31)], &[]), Err(Error::Unsupported(_))));
        assert!(indices(&[buffer(0, 0, 25)], &[]).is_ok());
        assert!(matches!(indices(&[buffer(0, 0, u32::MAX)], &[]), Err(Error::Unsupported(_))));
    }

    #[test]
    fn textures_and_samplers_are_numbered_apart_and_colours_are_neither() {
        let of = |set, kind, count| Resource { kind, ..buffer(set, 0, count) };
        let all = [
            of(0, ResourceKind::Storage, 1),
            of(1, ResourceKind::CombinedTexture, 2),
            of(2, ResourceKind::Attachment, 1),
            of(3, ResourceKind::Sampler, 1),
            of(4, ResourceKind::Texture, 1),
        ];
        let found = |attachments| -> Vec<(u32, MslTextureKind, u32)> {
            let textures = metal_textures(&all, attachments);
            textures.into_iter().map(|one| (one.set, one.kind, one.index)).collect()
        };
        use MslTextureKind::{Sampler, Texture};
        let samplers = [(1, Sampler, 0), (3, Sampler, 2)];
        let [first, last] = [(1, Texture, 0), (4, Texture, 2)];
        assert_eq!(found(Attachments::Colours), [&[first, last][..], &samplers].concat());
        let [attachment, last] = [(2, Texture, 2), (4, Texture, 3)];
        let textures = [first, attachment, last];
        assert_eq!(found(Attachments::Textures), [&textures[..], &samplers].concat());
    }

    #[test]
    fn bindings_differ_without_their_sets() {
        let kinds = [&[ResourceKind::Storage][..], &[ResourceKind::Uniform]];
        let check = |all: &[Resource]| without_sets(all, &kinds, "there are no sets");
        assert_eq!(check(&[buffer(0, 0, 1), buffer(3, 1, 1)]), Ok(()));
        let uniform = Resource { kind: ResourceKind::Uniform, ..buffer(0, 0, 1) };
        assert_eq!(check(&[uniform, buffer(3, 0, 1)]), Ok(()));
        let error = check(&[buffer(0, 0, 1), buffer(3, 0, 1)]).unwrap_err().to_string();
        assert_eq!(
            error,
            "there are no sets, so set 0 binding 0 and set 3 binding 0 would be the same resource"
        );
    }
}
