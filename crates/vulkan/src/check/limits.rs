//! Rejects work beyond the limits of a device, before the driver gets it.

use crate::descriptors::Binding;
use crate::device::Device;
use crate::error::Error;
use crate::format;
use crate::work::{Draw, ProvokingVertex, Range, Resource, Target};
use ash::vk;
use std::fmt;

/// Rejects a value that exceeds its limit.
fn at_most<T: PartialOrd + fmt::Display>(what: &str, wanted: T, most: T) -> Result<(), Error> {
    if wanted <= most {
        return Ok(());
    }
    Err(Error::Unsupported(format!("{wanted} {what}, only {most}")))
}

impl Draw<'_> {
    /// Rejects draws that need a missing feature or exceed a limit.
    pub(crate) fn check_limits(&self, device: &Device) -> Result<(), Error> {
        let has = device.capabilities();
        let limits = &has.limits;
        let last = has.provoking_vertex.is_some_and(|provoking| provoking.last);
        if self.provoking_vertex == ProvokingVertex::Last && !last {
            return Err(Error::Missing("the provoking vertex mode LAST"));
        }
        let push_constants = self.push_constants.len() as u64;
        let most = u64::from(limits.max_push_constants_size);
        at_most("bytes of push constants", push_constants, most)?;
        let targets = self.targets().count() as u32;
        at_most("targets", targets, limits.max_color_attachments)?;
        self.check_blending(device)?;
        has.target_reads.check(self.reads)?;
        for (groups, most) in
            self.dispatch.into_iter().flatten().zip(limits.max_compute_work_group_count)
        {
            at_most("workgroups in one dimension", groups, most)?;
        }
        self.check_primitives(has)?;
        self.check_attributes(device)?;
        check_bindings(&Binding::of_draw(&self.descriptors)?, limits)?;
        for descriptor in &self.descriptors {
            check_resource(&descriptor.resource, device)?;
        }
        Ok(())
    }

    fn check_primitives(&self, has: &crate::Capabilities) -> Result<(), Error> {
        use vk::PrimitiveTopology as Topology;
        use vk::ShaderStageFlags as Stage;
        let has_stage = |stage| self.stages.iter().any(|s| s.stage == stage);
        let adjacency = matches!(
            self.topology,
            Topology::LINE_LIST_WITH_ADJACENCY
                | Topology::LINE_STRIP_WITH_ADJACENCY
                | Topology::TRIANGLE_LIST_WITH_ADJACENCY
                | Topology::TRIANGLE_STRIP_WITH_ADJACENCY
        );
        if (adjacency || has_stage(Stage::GEOMETRY)) && has.features.geometry_shader == vk::FALSE {
            return Err(Error::Missing("geometry shaders"));
        }
        if self.topology == Topology::TRIANGLE_FAN && !has.triangle_fans() {
            return Err(Error::Missing("triangle fans"));
        }
        if self.topology == Topology::PATCH_LIST {
            if has.features.tessellation_shader == vk::FALSE {
                return Err(Error::Missing("tessellation shaders"));
            }
            let most = has.limits.max_tessellation_patch_size;
            at_most("vertices in a patch", self.patch_control_points, most)?;
            if self.patch_control_points == 0 {
                return Err(Error::work("a patch has no vertices"));
            }
        }
        let strips = matches!(
            self.topology,
            Topology::LINE_STRIP
                | Topology::TRIANGLE_STRIP
                | Topology::TRIANGLE_FAN
                | Topology::LINE_STRIP_WITH_ADJACENCY
                | Topology::TRIANGLE_STRIP_WITH_ADJACENCY
        );
        let Some(indices) = self.indices else { return Ok(()) };
        if indices.restart && !strips && !has.indexing.list_restart {
            return Err(Error::Missing("primitive restart of list topologies"));
        }
        if indices.index_type == vk::IndexType::UINT8_EXT && !has.indexing.uint8 {
            return Err(Error::Missing("8-bit indices"));
        }
        Ok(())
    }

    fn check_attributes(&self, device: &Device) -> Result<(), Error> {
        let limits = &device.capabilities().limits;
        let bindings = self.vertex_buffers.len() as u32;
        at_most("vertex buffers", bindings, limits.max_vertex_input_bindings)?;
        let mut locations = Vec::new();
        for layout in self.vertex_buffers.iter().map(|buffer| &buffer.layout) {
            at_most("bytes of stride", layout.stride, limits.max_vertex_input_binding_stride)?;
            for attribute in &layout.attributes {
                let (location, offset) = (attribute.location, attribute.offset);
                let most = limits.max_vertex_input_attributes.saturating_sub(1);
                at_most("as the location of an attribute", location, most)?;
                let most = limits.max_vertex_input_attribute_offset;
                at_most("bytes of attribute offset", offset, most)?;
                if !device.takes_vertex_format(attribute.format) {
                    let format = attribute.format;
                    return Err(Error::Unsupported(format!("attributes of format {format:?}")));
                }
                locations.push(location);
            }
        }
        locations.sort_unstable();
        if locations.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::work("two attributes have the same location"));
        }
        let attributes = locations.len() as u32;
        at_most("vertex attributes", attributes, limits.max_vertex_input_attributes)
    }
}

/// Rejects bindings that exceed the limits of a stage or of all stages. Every binding is visible to every stage.
fn check_bindings(bindings: &[Binding], limits: &vk::PhysicalDeviceLimits) -> Result<(), Error> {
    use vk::DescriptorType as Type;
    let sets = bindings.iter().map(|binding| u64::from(binding.set) + 1).max().unwrap_or(0);
    at_most("descriptor sets", sets, u64::from(limits.max_bound_descriptor_sets))?;

    let kinds: [(&str, &[Type], u32, u32); 6] = [
        (
            "samplers",
            &[Type::SAMPLER, Type::COMBINED_IMAGE_SAMPLER],
            limits.max_per_stage_descriptor_samplers,
            limits.max_descriptor_set_samplers,
        ),
        (
            "uniform buffers",
            &[Type::UNIFORM_BUFFER],
            limits.max_per_stage_descriptor_uniform_buffers,
            limits.max_descriptor_set_uniform_buffers,
        ),
        (
            "storage buffers",
            &[Type::STORAGE_BUFFER],
            limits.max_per_stage_descriptor_storage_buffers,
            limits.max_descriptor_set_storage_buffers,
        ),
        (
            "sampled images",
            &[Type::SAMPLED_IMAGE, Type::COMBINED_IMAGE_SAMPLER, Type::UNIFORM_TEXEL_BUFFER],
            limits.max_per_stage_descriptor_sampled_images,
            limits.max_descriptor_set_sampled_images,
        ),
        (
            "storage images",
            &[Type::STORAGE_IMAGE, Type::STORAGE_TEXEL_BUFFER],
            limits.max_per_stage_descriptor_storage_images,
            limits.max_descriptor_set_storage_images,
        ),
        (
            "input attachments",
            &[Type::INPUT_ATTACHMENT],
            limits.max_per_stage_descriptor_input_attachments,
            limits.max_descriptor_set_input_attachments,
        ),
    ];
    let count = |types: &[Type]| {
        let of_types = bindings.iter().filter(|binding| types.contains(&binding.descriptor_type));
        of_types.map(|binding| u64::from(binding.count)).sum::<u64>()
    };
    for (what, types, stage, all) in kinds {
        at_most(what, count(types), u64::from(stage.min(all)))?;
    }
    let all = bindings.iter().filter(|binding| binding.descriptor_type != Type::SAMPLER);
    let all = all.map(|binding| u64::from(binding.count)).sum::<u64>();
    at_most("resources", all, u64::from(limits.max_per_stage_resources))
}

fn check_resource(resource: &Resource, device: &Device) -> Result<(), Error> {
    use vk::FormatFeatureFlags as Features;
    let limits = &device.capabilities().limits;
    match *resource {
        Resource::StorageBuffer(range) => {
            let most = u64::from(limits.max_storage_buffer_range);
            at_most("bytes of a storage buffer", range.size, most)?;
            check_alignment(range, limits.min_storage_buffer_offset_alignment)
        }
        Resource::UniformBuffer(range) => {
            let most = u64::from(limits.max_uniform_buffer_range);
            at_most("bytes of a uniform buffer", range.size, most)?;
            check_alignment(range, limits.min_uniform_buffer_offset_alignment)
        }
        Resource::UniformTexels { range, format } => {
            check_texels(range, format, Features::UNIFORM_TEXEL_BUFFER, device)
        }
        Resource::StorageTexels { range, format } => {
            check_texels(range, format, Features::STORAGE_TEXEL_BUFFER, device)
        }
        Resource::Sampler { .. }
        | Resource::Image(_)
        | Resource::StorageImage(_)
        | Resource::ImageWithSampler(_)
        | Resource::InputAttachment(_)
        | Resource::TargetImage(_) => Ok(()),
    }
}

fn check_alignment(range: Range, alignment: u64) -> Result<(), Error> {
    if range.offset.is_multiple_of(alignment) {
        return Ok(());
    }
    Err(Error::Unsupported(format!("{range:?}: its offset must be a multiple of {alignment}")))
}

fn check_texels(
    range: Range,
    format: vk::Format,
    feature: vk::FormatFeatureFlags,
    device: &Device,
) -> Result<(), Error> {
    let limits = &device.capabilities().limits;
    let size = format::size(format);
    let Some(size) = size.filter(|_| device.format_features(format).1.contains(feature)) else {
        return Err(Error::Unsupported(format!("{feature:?} of format {format:?}")));
    };
    if !range.size.is_multiple_of(size) {
        return Err(Error::Work(format!(
            "the size of {range:?} is not a multiple of {size} bytes"
        )));
    }
    at_most("texels", range.size / size, u64::from(limits.max_texel_buffer_elements))?;
    check_alignment(range, limits.min_texel_buffer_offset_alignment)
}

impl Target {
    /// Rejects a target without pixels, or one that the device cannot draw to.
    pub(crate) fn check_limits(&self, device: &Device) -> Result<(), Error> {
        self.texel_size()?;
        let limits = &device.capabilities().limits;
        at_most("pixels of width", self.width, limits.max_framebuffer_width)?;
        at_most("pixels of height", self.height, limits.max_framebuffer_height)?;
        if self.width == 0 || self.height == 0 {
            return Err(Error::work("a target has no pixels"));
        }
        let is_depth = format::is_depth(self.format);
        let samples = match is_depth {
            true => limits.framebuffer_depth_sample_counts,
            false => limits.framebuffer_color_sample_counts,
        };
        if self.samples.as_raw().count_ones() != 1 || !samples.contains(self.samples) {
            return Err(Error::Unsupported(format!("targets of {:?} samples", self.samples)));
        }
        let wanted = match is_depth {
            true => vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
            false => vk::FormatFeatureFlags::COLOR_ATTACHMENT,
        };
        if !device.format_features(self.format).0.contains(wanted) {
            return Err(Error::Unsupported(format!("targets of format {:?}", self.format)));
        }
        Ok(())
    }
}
