//! Checks a submission before Vulkan gets it, because drivers do not check it.

mod blend;
mod limits;
mod texture;

use crate::descriptors::Binding;
use crate::device::Device;
use crate::error::Error;
use crate::format;
use crate::interface;
use crate::pipeline::TargetFormat;
use crate::work::{
    Address, AddressAt, Draw, Indices, Place, Range, Resource, Target, TransformFeedback, Work,
};
use ash::vk;
use polyshade::spv::{ExecutionModel, Module};
use std::ops;

impl Work<'_> {
    /// Rejects missing buffers, ranges, textures or targets, invalid draws, and work beyond the limits of a device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), Error> {
        for draw in &self.draws {
            self.check_places(draw)?;
            check_stages(draw)?;
            self.check_vertices(draw)?;
            if draw.push_constants.len() % 4 != 0 {
                return Err(Error::work(
                    "the size of the push constants is not a multiple of 4 bytes",
                ));
            }
            self.check_addresses(draw)?;
            let Draw { vertices, instances, .. } = draw;
            if vertices.start > vertices.end || instances.start > instances.end {
                return Err(Error::Work(format!(
                    "a draw has an inverted range: vertices {vertices:?}, instances {instances:?}"
                )));
            }
            draw.check_limits(device)?;
        }
        for (of, to) in &self.addresses {
            self.check_range(of.with_size(0))?;
            self.check_range(to.with_size(8))?;
        }
        for target in &self.targets {
            target.check_limits(device)?;
        }
        self.check_pixels()?;
        for (index, texture) in self.textures.iter().enumerate() {
            texture.check(device, self.samples_texture(index))?;
        }
        Ok(())
    }

    /// Rejects addresses of missing places, and addresses with missing destinations.
    fn check_addresses(&self, draw: &Draw<'_>) -> Result<(), Error> {
        for Address { of, to } in &draw.addresses {
            self.check_range(of.with_size(0))?;
            let is_there = match *to {
                AddressAt::Buffer(place) => {
                    self.check_range(place.with_size(8))?;
                    true
                }
                AddressAt::PushConstants(offset) => {
                    offset.checked_add(8).is_some_and(|end| end <= draw.push_constants.len())
                }
                AddressAt::Specialization { stage, first_id } => {
                    stage < draw.stages.len() && first_id < u32::MAX
                }
            };
            if !is_there {
                return Err(Error::Work(format!(
                    "cannot write an address to {to:?}: it does not exist"
                )));
            }
        }
        Ok(())
    }

    /// Whether a draw samples or fetches from the texture.
    pub(crate) fn samples_texture(&self, texture: usize) -> bool {
        self.draws.iter().flat_map(|draw| &draw.descriptors).any(|d| match d.resource {
            Resource::Image(named) | Resource::ImageWithSampler(named) => named == texture,
            _ => false,
        })
    }

    /// Rejects references to missing buffers, ranges, textures and targets.
    fn check_places(&self, draw: &Draw<'_>) -> Result<(), Error> {
        let resources = draw.descriptors.iter().filter_map(|d| d.resource.range());
        let feedback = draw.transform_feedback.iter().flat_map(TransformFeedback::ranges);
        let vertices = draw.vertex_buffers.iter().map(|buffer| buffer.place.with_size(0));
        for range in resources.chain(feedback).chain(vertices) {
            self.check_range(range)?;
        }
        if draw.descriptors.iter().any(|d| d.resource.range().is_some_and(|range| range.size == 0))
        {
            return Err(Error::work("an empty range is bound"));
        }
        for texture in draw.descriptors.iter().filter_map(|d| d.resource.texture()) {
            if texture >= self.textures.len() {
                return Err(Error::Work(format!("texture {texture} is bound but does not exist")));
            }
        }
        for descriptor in &draw.descriptors {
            if let Resource::StorageImage(texture) = descriptor.resource
                && !self.textures[texture].storage
            {
                return Err(Error::Work(format!("texture {texture} is not a storage image")));
            }
        }
        self.check_targets(draw)
    }

    /// Rejects targets that are missing, do not match each other, or are bound as the wrong kind of resource.
    fn check_targets(&self, draw: &Draw<'_>) -> Result<(), Error> {
        let named = draw.descriptors.iter().filter_map(|d| d.resource.target());
        if let Some(target) = draw.attachments().chain(named).find(|at| *at >= self.targets.len()) {
            return Err(Error::Work(format!("a draw uses target {target}, which does not exist")));
        }
        if draw.target.is_none() && !draw.other_targets.is_empty() {
            return Err(Error::work("a draw has a second target but no first"));
        }
        let mut shapes = draw.attachments().map(|target| {
            let Target { width, height, samples, .. } = self.targets[target];
            (width, height, samples)
        });
        let first = shapes.next();
        if shapes.any(|shape| Some(shape) != first) {
            return Err(Error::work("the targets of a draw differ in size or samples"));
        }
        let is_depth = |target: usize| format::is_depth(self.targets[target].format);
        let read = draw.descriptors.iter().filter_map(|d| d.resource.target());
        if let Some(target) = draw.targets().chain(read).find(|target| is_depth(*target)) {
            return Err(Error::Work(format!("target {target} holds depths, not colours")));
        }
        if let Some(test) = draw.depth.filter(|test| !is_depth(test.target)) {
            return Err(Error::Work(format!("target {} holds colours, not depths", test.target)));
        }
        for descriptor in &draw.descriptors {
            let drawn_to = |target| draw.targets().any(|other| other == target);
            let wrong = match descriptor.resource {
                Resource::InputAttachment(target) => !drawn_to(target),
                Resource::TargetImage(target) => drawn_to(target),
                _ => false,
            };
            if wrong {
                let resource = descriptor.resource;
                return Err(Error::Work(format!("{resource:?} does not fit the draw's targets")));
            }
        }
        Ok(())
    }

    fn check_pixels(&self) -> Result<(), Error> {
        for (target, pixels) in &self.pixels {
            let size = self.targets.get(*target).map(Target::size).transpose()?;
            let multisampled = self.targets.get(*target).is_some_and(Target::is_multisampled);
            if size != Some(pixels.len() as u64) || multisampled {
                let given = pixels.len();
                return Err(Error::Work(format!(
                    "cannot initialize target {target} with {given} bytes"
                )));
            }
        }
        Ok(())
    }

    pub(crate) fn check_range(&self, range: Range) -> Result<(), Error> {
        let size = self.buffers.get(range.buffer).map(|buffer| buffer.len() as u64);
        let end = range.offset.checked_add(range.size);
        match (end, size) {
            (Some(end), Some(size)) if end <= size => Ok(()),
            _ => Err(Error::Work(format!("{range:?} is not in a buffer of {size:?} bytes"))),
        }
    }

    /// Rejects vertices and instances outside of their buffers. Reads indices from the contents before the first draw.
    fn check_vertices(&self, draw: &Draw<'_>) -> Result<(), Error> {
        let vertices = match &draw.indices {
            Some(indices) => self.indexed_vertices(indices)?,
            None => draw.vertices.clone(),
        };
        if vertices.is_empty() || draw.instances.is_empty() {
            return Ok(());
        }
        for buffer in &draw.vertex_buffers {
            let layout = &buffer.layout;
            let elements = match layout.rate {
                vk::VertexInputRate::INSTANCE => &draw.instances,
                _ => &vertices,
            };
            let last = u64::from(elements.end - 1) * u64::from(layout.stride);
            for attribute in &layout.attributes {
                let Some(size) = format::size(attribute.format) else {
                    let format = attribute.format;
                    return Err(Error::Unsupported(format!("attributes of format {format:?}")));
                };
                let size = last.saturating_add(u64::from(attribute.offset) + size);
                self.check_range(buffer.place.with_size(size))?;
            }
        }
        Ok(())
    }

    /// The range of vertices that the indices refer to.
    fn indexed_vertices(&self, indices: &Indices) -> Result<ops::Range<u32>, Error> {
        let width: u64 = match indices.index_type {
            vk::IndexType::UINT8_EXT => 1,
            vk::IndexType::UINT16 => 2,
            vk::IndexType::UINT32 => 4,
            other => {
                return Err(Error::Work(format!("indices of type {other:?} are not supported")));
            }
        };
        let end = (u64::from(indices.first) + u64::from(indices.count)) * width;
        self.check_range(indices.place.with_size(end))?;
        if !indices.place.offset.is_multiple_of(width) {
            return Err(Error::work("indices are not aligned"));
        }

        let buffer = &self.buffers[indices.place.buffer][indices.place.offset as usize..];
        let bytes = &buffer[(u64::from(indices.first) * width) as usize..end as usize];
        let most = u64::MAX >> (64 - 8 * width);
        // The smallest and the largest vertex.
        let (mut first, mut last) = (None::<i64>, None::<i64>);
        for index in bytes.chunks_exact(width as usize) {
            let index = match *index {
                [a] => u64::from(a),
                [a, b] => u64::from(u16::from_ne_bytes([a, b])),
                [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
                _ => return Err(Error::work("an index is not 8, 16 or 32 bits wide")),
            };
            if indices.restart && index == most {
                continue;
            }
            let vertex = index as i64 + i64::from(indices.vertex_offset);
            first = Some(first.map_or(vertex, |first| first.min(vertex)));
            last = Some(last.map_or(vertex, |last| last.max(vertex)));
        }
        let (Some(first), Some(last)) = (first, last) else { return Ok(0..0) };
        match (u32::try_from(first), u32::try_from(last + 1)) {
            (Ok(first), Ok(end)) => Ok(first..end),
            _ => Err(Error::Work(format!(
                "indices address vertices from {first} to {last}, which is out of range"
            ))),
        }
    }
}

/// Rejects shaders that cannot form a pipeline.
fn check_stages(draw: &Draw<'_>) -> Result<(), Error> {
    use vk::ShaderStageFlags as Stage;
    let bindings = Binding::of_draw(&draw.descriptors)?;
    let mut stages = Stage::empty();
    for stage in &draw.stages {
        let model = match stage.stage {
            Stage::VERTEX => ExecutionModel::VERTEX,
            Stage::TESSELLATION_CONTROL => ExecutionModel::TESSELLATION_CONTROL,
            Stage::TESSELLATION_EVALUATION => ExecutionModel::TESSELLATION_EVALUATION,
            Stage::GEOMETRY => ExecutionModel::GEOMETRY,
            Stage::FRAGMENT => ExecutionModel::FRAGMENT,
            Stage::COMPUTE => ExecutionModel::GL_COMPUTE,
            other => {
                return Err(Error::Work(format!("a draw has the unsupported stage {other:?}")));
            }
        };
        if stages.contains(stage.stage) {
            return Err(Error::Work(format!("a draw has the stage {:?} twice", stage.stage)));
        }
        stages |= stage.stage;

        let m = Module::parse(stage.words)?;
        let entry = m.entry_point(stage.entry_point, model)?;
        interface::check(&m, entry, draw, &bindings)?;
        let mut numbers = stage.specialization.iter().map(|value| value.0).collect::<Vec<_>>();
        numbers.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::work("a specialization constant has two values"));
        }
    }
    // The set of stages must be complete.
    if draw.dispatch.is_some() || stages.contains(Stage::COMPUTE) {
        return match draw.dispatch.is_some() && stages == Stage::COMPUTE {
            true => Ok(()),
            false => Err(Error::work("only a single compute stage can be dispatched")),
        };
    }
    if !stages.contains(Stage::VERTEX) {
        return Err(Error::work("a draw has no vertex stage"));
    }
    let both = Stage::TESSELLATION_CONTROL | Stage::TESSELLATION_EVALUATION;
    let patches = draw.topology == vk::PrimitiveTopology::PATCH_LIST;
    if stages.intersects(both) != patches || stages.contains(both) != patches {
        return Err(Error::work(
            "patch lists and both tessellation stages require each other, and one is missing",
        ));
    }
    Ok(())
}

impl Target {
    /// The format and sample count for a render pass.
    pub(crate) fn attached(&self) -> TargetFormat {
        (self.format, self.samples)
    }

    /// Returns the size of a pixel in a copy in bytes.
    pub(crate) fn texel_size(&self) -> Result<u64, Error> {
        format::size(self.format).ok_or_else(|| {
            Error::Work(format!("a target of format {:?} is not supported", self.format))
        })
    }

    /// Returns the size of all pixels in bytes, with one sample per pixel.
    pub(crate) fn size(&self) -> Result<u64, Error> {
        Ok(u64::from(self.width) * u64::from(self.height) * self.texel_size()?)
    }
}

impl Draw<'_> {
    /// The targets, in the order of their locations.
    pub(crate) fn targets(&self) -> impl Iterator<Item = usize> {
        self.target.iter().chain(&self.other_targets).copied()
    }

    /// The targets, then the target of the depth test.
    pub(crate) fn attachments(&self) -> impl Iterator<Item = usize> {
        self.targets().chain(self.depth.map(|test| test.target))
    }

    /// Whether each target is also an input attachment.
    pub(crate) fn reads_targets(&self) -> Vec<bool> {
        let read = |target| {
            let mut resources = self.descriptors.iter().map(|descriptor| descriptor.resource);
            resources.any(|resource| resource == Resource::InputAttachment(target))
        };
        self.targets().map(read).collect()
    }
}

impl Resource {
    /// The bound range of a buffer, if the resource is a buffer.
    pub(crate) fn range(&self) -> Option<Range> {
        match *self {
            Resource::StorageBuffer(range)
            | Resource::UniformBuffer(range)
            | Resource::UniformTexels { range, .. }
            | Resource::StorageTexels { range, .. } => Some(range),
            _ => None,
        }
    }

    fn target(&self) -> Option<usize> {
        match *self {
            Resource::InputAttachment(target) | Resource::TargetImage(target) => Some(target),
            _ => None,
        }
    }

    fn texture(&self) -> Option<usize> {
        match *self {
            Resource::Image(texture)
            | Resource::StorageImage(texture)
            | Resource::ImageWithSampler(texture) => Some(texture),
            _ => None,
        }
    }
}

impl Place {
    pub(crate) fn with_size(self, size: u64) -> Range {
        Range { buffer: self.buffer, offset: self.offset, size }
    }
}

impl TransformFeedback {
    fn ranges(&self) -> impl Iterator<Item = Range> {
        let counters = [self.resume, self.pause].into_iter().flatten();
        let size = 4 * self.buffers.len() as u64;
        self.buffers.iter().copied().chain(counters.map(move |place| place.with_size(size)))
    }
}
