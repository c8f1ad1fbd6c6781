//! Binds the buffers and words that a lowering requires of the host.

use crate::work::{
    Address, AddressAt, Attribute, Constant, Descriptor, Draw, Place as At, Range, Resource, Stage,
    VertexBuffer, VertexLayout, Work,
};
use ash::vk;
use polyshade::host::{AddressSource, HostParams, ParamSource, Purpose, Requirements, Target};
use polyshade::transform_feedback::{self, BufferRange, Layout, Options, Variant};
use polyshade::{Error, Module};

/// All variants of a vertex shader that is captured into storage buffers, and what the host has to know.
#[derive(Clone, Debug)]
pub struct Variants<'m> {
    /// [`Variant::CaptureOnly`].
    pub capture_only: Module<'m>,
    /// [`Variant::RasterOnly`].
    pub raster_only: Module<'m>,
    /// [`Variant::Both`], where the draws may have a topology that it captures.
    pub both: Option<Module<'m>>,
    /// [`Variant::SpillOutputs`] and [`Variant::ReloadOutputs`], where the options ask for them.
    pub spilled: Option<[Module<'m>; 2]>,
    /// What is captured where.
    pub layout: Layout,
    /// What the host fills in for each draw.
    pub words: HostParams,
    /// What the device must have and the host must bind.
    pub requirements: Requirements,
}

impl<'m> Variants<'m> {
    /// Those of `module` that capture what `options` name.
    ///
    /// # Errors
    ///
    /// Those of [`transform_feedback::prepare`] and of its variants.
    pub fn new(
        module: &'m Module<'_>,
        target: impl Into<Target>,
        options: &Options,
    ) -> Result<Self, Error> {
        let prepared = transform_feedback::prepare(module, target, options)?;
        let make = |variant| Ok(prepared.variant(variant)?.module);
        let is_drawn_at_once = prepared.layout().is_captured_at_once();
        let spilled = || Ok([make(Variant::SpillOutputs)?, make(Variant::ReloadOutputs)?]);
        let is_spilled = prepared.layout().outputs_stride() > 0;
        Ok(Self {
            capture_only: make(Variant::CaptureOnly)?,
            both: is_drawn_at_once.then(|| make(Variant::Both)).transpose()?,
            spilled: is_spilled.then(spilled).transpose()?,
            raster_only: make(Variant::RasterOnly)?,
            layout: prepared.layout().clone(),
            words: prepared.params().clone(),
            requirements: prepared.requirements().clone(),
        })
    }
}

/// The buffers that a draw of a variant that stores has.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureBuffers<'a> {
    /// The feedback buffers, by number.
    pub feedback: &'a [Range],
    /// The index buffer, where the draw has indices.
    pub indices: Option<Range>,
    /// The [table](transform_feedback::Segments::table), where they may restart primitives.
    pub segments: Option<Range>,
    /// The outputs of vertices, where they are spilled.
    pub outputs: Option<Range>,
}

impl<'a> From<&'a [Range]> for CaptureBuffers<'a> {
    fn from(feedback: &'a [Range]) -> Self {
        Self { feedback, ..Self::default() }
    }
}

impl CaptureBuffers<'_> {
    /// What is bound for a purpose.
    fn bound(&self, purpose: Purpose) -> Option<Range> {
        match purpose {
            Purpose::Feedback(number) => self.feedback.get(number as usize).copied(),
            Purpose::Indices => self.indices,
            Purpose::Segments => self.segments,
            Purpose::Outputs => self.outputs,
            _ => None,
        }
    }

    /// What is found by an address, and the names of the words that hold its halves.
    fn addressed(&self) -> impl Iterator<Item = (Range, [String; 2])> {
        let halves = |name: &str, behind: &str| {
            ["low", "high"].map(|half| format!("{name}address_{half}{behind}"))
        };
        let feedback = self.feedback.iter().enumerate();
        let feedback = feedback.map(move |(i, range)| (*range, halves("", &format!("_{i}"))));
        let indices = self.indices.map(|range| (range, halves("index_", "")));
        let segments = self.segments.map(|range| (range, halves("table_", "")));
        feedback.chain(indices).chain(segments)
    }
}

/// The capture pass of `draw`: a point list over its vertices and instances, without rasterization, or a dispatch,
/// that captures into `ranges` of the feedback buffers, one each, and, where there is a buffer for outputs, stores
/// those too. Vertex buffers and the shader's own resources are still to be added.
///
/// # Errors
///
/// Those of [`Layout::host_params`](transform_feedback::Layout::host_params).
pub fn capture_draw<'a>(
    capture: &'a Variants<'_>,
    draw: &transform_feedback::Draw,
    ranges: &[BufferRange],
    buffers: &CaptureBuffers<'_>,
    work: &mut Work<'a>,
) -> Result<Draw<'a>, Error> {
    let host_params = capture.layout.host_params(draw, ranges)?;
    let variant = match (&capture.spilled, buffers.outputs) {
        (Some([spill_outputs, _]), Some(_)) => spill_outputs,
        _ => &capture.capture_only,
    };
    let mut pass = Draw {
        stages: vec![Stage::vertex(variant.words())],
        vertices: draw.first_vertex..draw.first_vertex.saturating_add(draw.vertex_count),
        instances: draw.first_instance..draw.first_instance.saturating_add(draw.instance_count),
        ..Draw::default()
    };
    dispatch_capture(capture, draw, &mut pass)?;
    bind_capture(capture, &host_params, buffers, &mut pass, work);
    Ok(pass)
}

/// Makes `pass`, which captures `draw`, the dispatch that it is where a compute stage captures.
///
/// # Errors
///
/// Those of [`Layout::work_groups`](transform_feedback::Layout::work_groups).
pub fn dispatch_capture(
    capture: &Variants<'_>,
    draw: &transform_feedback::Draw,
    pass: &mut Draw<'_>,
) -> Result<(), Error> {
    if capture.layout.is_dispatched() {
        pass.dispatch = Some(capture.layout.work_groups(draw)?);
        pass.stages.iter_mut().for_each(|stage| stage.stage = vk::ShaderStageFlags::COMPUTE);
    }
    Ok(())
}

/// Binds the buffers and the host parameters to a draw of a variant that stores, whose first stage that is.
pub fn bind_capture(
    capture: &Variants<'_>,
    host_params: &[u32],
    buffers: &CaptureBuffers<'_>,
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    for descriptor in &capture.requirements.descriptors {
        let Some(range) = buffers.bound(descriptor.purpose) else { continue };
        let resource = Resource::StorageBuffer(range);
        let (set, binding) = (descriptor.set.0, descriptor.binding.0);
        draw.descriptors.push(Descriptor::new(set, binding, resource));
    }

    let block = place_words(capture.words.source, host_params, 0, draw, work);
    let Some(block) = block.filter(|_| capture.words.source.is_address()) else { return };
    for (range, halves) in buffers.addressed() {
        let [Some(low), Some(high)] = halves.map(|half| capture.words.number(&half)) else {
            continue;
        };
        let half = |word: u32| u64::from(host_params[word as usize]);
        // What the host has told is how far behind the start of the range what is meant begins.
        let offset = range.offset + (half(high) << 32 | half(low));
        let of = At { buffer: range.buffer, offset };
        let to = AddressAt::Buffer(At { buffer: block, offset: u64::from(low) * 4 });
        draw.addresses.push(Address { of, to });
    }
}

/// Puts the host's words where the stage `draw.stages[stage]` reads them. Those of a descriptor or of an address get a
/// buffer of their own in `work`, whose index is returned.
pub fn place_words(
    place: ParamSource,
    words: &[u32],
    stage: usize,
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) -> Option<usize> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    match place {
        ParamSource::StorageBuffer { set, binding } | ParamSource::Uniform { set, binding } => {
            if let ParamSource::Uniform { .. } = place {
                // A uniform block holds words as the components of vectors, and all of the last one is bound.
                bytes.resize(bytes.len().next_multiple_of(16), 0);
            }
            let range = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
            work.buffers.push(bytes);
            let resource = match place {
                ParamSource::Uniform { .. } => Resource::UniformBuffer(range),
                _ => Resource::StorageBuffer(range),
            };
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
            Some(range.buffer)
        }
        ParamSource::PushConstant { offset } => {
            let (start, end) = (offset as usize, offset as usize + bytes.len());
            draw.push_constants.resize(draw.push_constants.len().max(end), 0);
            draw.push_constants[start..end].copy_from_slice(&bytes);
            None
        }
        ParamSource::Specialization { first_id } => {
            let constants = (first_id..).zip(words.iter().copied().map(Constant::Bits32));
            draw.stages[stage].specialization.extend(constants);
            None
        }
        ParamSource::Address(pointer) => {
            let block = work.buffers.len();
            work.buffers.push(bytes);
            point_at(pointer, At { buffer: block, offset: 0 }, stage, draw, work);
            Some(block)
        }
    }
}

/// Tells the stage `draw.stages[stage]` where its words are.
pub(crate) fn point_at(
    pointer: AddressSource,
    of: At,
    stage: usize,
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    // What the address is overwrites these words.
    let place = pointer.place();
    let uniform = place.and_then(|place| place_words(place, &[0; 2], stage, draw, work));
    let to = match pointer {
        AddressSource::Uniform { .. } => {
            let buffer = uniform.expect("a uniform buffer has been added");
            AddressAt::Buffer(At { buffer, offset: 0 })
        }
        AddressSource::PushConstant { offset } => AddressAt::PushConstants(offset as usize),
        AddressSource::Specialization { first_id } => AddressAt::Specialization { stage, first_id },
        AddressSource::Attribute { location } => {
            let place = At { buffer: work.buffers.len(), offset: 0 };
            work.buffers.push(vec![0; 8]);
            let format = vk::Format::R32G32_UINT;
            let attributes = vec![Attribute { location, format, offset: 0 }];
            let layout = VertexLayout { stride: 0, rate: vk::VertexInputRate::VERTEX, attributes };
            draw.vertex_buffers.push(VertexBuffer { place, layout });
            AddressAt::Buffer(place)
        }
    };
    draw.addresses.push(Address { of, to });
}
