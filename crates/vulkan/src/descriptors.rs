//! Descriptor bindings and the resources that are bound to them.

use crate::device::Device;
use crate::error::{Context, Error};
use crate::image::Image;
use crate::memory::{Buffer, Owned};
use crate::work::{Descriptor, Draw, Range, Resource, Work};
use ash::vk;
use std::collections::BTreeMap;

/// A binding of a descriptor set layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Binding {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    pub(crate) descriptor_type: vk::DescriptorType,
    /// The number of array elements.
    pub(crate) count: u32,
}

impl Binding {
    /// Returns the bindings that a draw's descriptors fill, in order. Rejects missing, duplicate or mixed elements.
    pub(crate) fn of_draw(descriptors: &[Descriptor]) -> Result<Vec<Binding>, Error> {
        let mut found: BTreeMap<(u32, u32), Vec<&Descriptor>> = BTreeMap::new();
        for descriptor in descriptors {
            found.entry((descriptor.set, descriptor.binding)).or_default().push(descriptor);
        }
        let binding = |((set, binding), mut elements): ((u32, u32), Vec<&Descriptor>)| {
            elements.sort_by_key(|descriptor| descriptor.element);
            let descriptor_type = elements[0].resource.descriptor_type();
            for (element, descriptor) in (0..).zip(&elements) {
                if descriptor.element != element {
                    return Err(Error::Work(format!(
                        "set {set}, binding {binding}: found element {}, expected element {element}",
                        descriptor.element
                    )));
                }
                if descriptor.resource.descriptor_type() != descriptor_type {
                    return Err(Error::Work(format!(
                        "set {set}, binding {binding}: elements of different types"
                    )));
                }
            }
            Ok(Binding { set, binding, descriptor_type, count: elements.len() as u32 })
        };
        found.into_iter().map(binding).collect()
    }
}

impl Resource {
    pub(crate) fn descriptor_type(&self) -> vk::DescriptorType {
        match self {
            Resource::StorageBuffer(_) => vk::DescriptorType::STORAGE_BUFFER,
            Resource::UniformBuffer(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Resource::UniformTexels { .. } => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Resource::StorageTexels { .. } => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Resource::Sampler { .. } => vk::DescriptorType::SAMPLER,
            Resource::Image(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Resource::StorageImage(_) => vk::DescriptorType::STORAGE_IMAGE,
            Resource::ImageWithSampler(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            Resource::InputAttachment(_) => vk::DescriptorType::INPUT_ATTACHMENT,
            Resource::TargetImage(_) => vk::DescriptorType::SAMPLED_IMAGE,
        }
    }
}

/// The samplers: one without a comparison, and one with a comparison.
pub(crate) struct Samplers<'d>([Owned<'d, vk::Sampler>; 2]);

impl<'d> Samplers<'d> {
    pub(crate) fn new(device: &'d Device) -> Result<Samplers<'d>, Error> {
        let sampler = |compare| {
            let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
            let info = vk::SamplerCreateInfo::default()
                .address_mode_u(edge)
                .address_mode_v(edge)
                .address_mode_w(edge)
                .max_lod(vk::LOD_CLAMP_NONE)
                .compare_enable(compare)
                .compare_op(vk::CompareOp::LESS_OR_EQUAL);
            // SAFETY: `info` contains no pointers and needs no feature.
            let sampler = unsafe { device.handle.create_sampler(&info, None) };
            Owned::new(device, sampler, "vkCreateSampler")
        };
        Ok(Samplers([sampler(false)?, sampler(true)?]))
    }

    fn handle(&self, compare: bool) -> vk::Sampler {
        *self.0[usize::from(compare)]
    }
}

/// The objects that descriptors refer to.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a, 'd> {
    pub(crate) work: &'a Work<'a>,
    pub(crate) buffers: &'a [Buffer<'d>],
    pub(crate) textures: &'a [Image<'d>],
    pub(crate) images: &'a [Image<'d>],
    pub(crate) samplers: &'a Samplers<'d>,
}

/// The descriptor sets of a draw, and the objects that only these sets use.
#[derive(Default)]
pub(crate) struct Sets<'d> {
    pub(crate) handles: Vec<vk::DescriptorSet>,
    _pool: Option<Owned<'d, vk::DescriptorPool>>,
    _texels: Vec<Owned<'d, vk::BufferView>>,
}

impl<'d> Sets<'d> {
    /// Creates descriptor sets of these layouts with all of the draw's descriptors.
    pub(crate) fn new(
        device: &'d Device,
        draw: &Draw<'_>,
        layouts: &[vk::DescriptorSetLayout],
        sources: Sources<'_, 'd>,
    ) -> Result<Sets<'d>, Error> {
        if draw.descriptors.is_empty() {
            return Ok(Sets::default());
        }
        let pool = create_pool(device, draw, layouts.len())?;
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(*pool).set_layouts(layouts);
        // SAFETY: the pool was created for exactly these sets.
        let handles = unsafe { device.handle.allocate_descriptor_sets(&info) }
            .call("vkAllocateDescriptorSets")?;

        let mut texels = Vec::new();
        for descriptor in &draw.descriptors {
            let set = handles[descriptor.set as usize];
            texels.extend(write(device, set, descriptor, sources)?);
        }
        Ok(Sets { handles, _pool: Some(pool), _texels: texels })
    }
}

/// Creates a pool for exactly the descriptors of one draw.
fn create_pool<'d>(
    device: &'d Device,
    draw: &Draw<'_>,
    sets: usize,
) -> Result<Owned<'d, vk::DescriptorPool>, Error> {
    let mut counts: BTreeMap<vk::DescriptorType, u32> = BTreeMap::new();
    for descriptor in &draw.descriptors {
        *counts.entry(descriptor.resource.descriptor_type()).or_default() += 1;
    }
    let sizes = counts
        .into_iter()
        .map(|(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count })
        .collect::<Vec<_>>();
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets as u32).pool_sizes(&sizes);
    // SAFETY: `info` points to `sizes` only.
    let pool = unsafe { device.handle.create_descriptor_pool(&info, None) };
    Owned::new(device, pool, "vkCreateDescriptorPool")
}

/// Writes a descriptor. Returns the buffer view that it needs, if any.
fn write<'d>(
    device: &'d Device,
    set: vk::DescriptorSet,
    descriptor: &Descriptor,
    sources: Sources<'_, 'd>,
) -> Result<Option<Owned<'d, vk::BufferView>>, Error> {
    let view = |image_view| vk::DescriptorImageInfo {
        image_view,
        image_layout: vk::ImageLayout::GENERAL,
        ..vk::DescriptorImageInfo::default()
    };
    let image = |texture: usize| view(*sources.textures[texture].view);
    let sampler = |compare| vk::DescriptorImageInfo {
        sampler: sources.samplers.handle(compare),
        ..vk::DescriptorImageInfo::default()
    };
    let to = vk::WriteDescriptorSet::default()
        .dst_set(set)
        .dst_binding(descriptor.binding)
        .dst_array_element(descriptor.element)
        .descriptor_type(descriptor.resource.descriptor_type());
    let (mut buffers, mut images, mut views) = (None, None, None);
    match descriptor.resource {
        Resource::StorageBuffer(range) | Resource::UniformBuffer(range) => {
            buffers = Some(vk::DescriptorBufferInfo {
                buffer: *sources.buffers[range.buffer].handle,
                offset: range.offset,
                range: range.size,
            });
        }
        Resource::UniformTexels { range, format } | Resource::StorageTexels { range, format } => {
            views = Some(create_texels(device, range, format, sources.buffers)?);
        }
        Resource::Sampler { compare } => images = Some(sampler(compare)),
        Resource::Image(texture) | Resource::StorageImage(texture) => {
            images = Some(image(texture));
        }
        Resource::InputAttachment(target) | Resource::TargetImage(target) => {
            images = Some(view(*sources.images[target].view));
        }
        Resource::ImageWithSampler(texture) => {
            let compare = sources.work.textures[texture].compare;
            images = Some(vk::DescriptorImageInfo {
                sampler: sources.samplers.handle(compare),
                ..image(texture)
            });
        }
    }

    let handles = views.as_ref().map(|view| **view);
    let mut to = vk::WriteDescriptorSet { descriptor_count: 1, ..to };
    if buffers.is_some() {
        to = to.buffer_info(buffers.as_slice());
    } else if images.is_some() {
        to = to.image_info(images.as_slice());
    } else {
        to = to.texel_buffer_view(handles.as_slice());
    }
    // SAFETY: the resources are alive, of the descriptor's type and within their buffers, as `Work::check` found.
    unsafe { device.handle.update_descriptor_sets(&[to], &[]) };
    Ok(views)
}

fn create_texels<'d>(
    device: &'d Device,
    range: Range,
    format: vk::Format,
    buffers: &[Buffer<'d>],
) -> Result<Owned<'d, vk::BufferView>, Error> {
    let info = vk::BufferViewCreateInfo::default()
        .buffer(*buffers[range.buffer].handle)
        .format(format)
        .offset(range.offset)
        .range(range.size);
    // SAFETY: `Work::check` found the range inside the buffer, and that the device has texel buffers of this format.
    let view = unsafe { device.handle.create_buffer_view(&info, None) };
    Owned::new(device, view, "vkCreateBufferView")
}
