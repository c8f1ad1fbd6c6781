//! Binds the buffers and host parameters that a lowering requires.

use crate::work::{
    Address, AddressAt, Attribute, Constant, Descriptor, Draw, Place as At, Range, Resource, Stage,
    VertexBuffer, VertexLayout, Work,
};
use ash::vk;
use polyshade::host::{AddressSource, HostParams, ParamSource, Purpose, Requirements, Target};
use polyshade::transform_feedback::{self, BufferRange, Layout, Options, Variant};
use polyshade::{Error, Module};

/// All variants of a vertex shader that captures into storage buffers, and the data for the host.
#[derive(Clone, Debug)]
pub struct Variants<'m> {
    /// [`Variant::CaptureOnly`].
    pub capture_only: Module<'m>,
    /// [`Variant::RasterOnly`].
    pub raster_only: Module<'m>,
    /// [`Variant::Both`], if draws may have a topology that this variant can capture.
    pub both: Option<Module<'m>>,
    /// [`Variant::SpillOutputs`] and [`Variant::ReloadOutputs`], if the options request them.
    pub spilled: Option<[Module<'m>; 2]>,
    /// The layout of the captured outputs.
    pub layout: Layout,
    /// The host parameters of each draw.
    pub words: HostParams,
    /// The requirements for the device and the bindings.
    pub requirements: Requirements,
}

impl<'m> Variants<'m> {
    /// Creates the variants of `module` that capture the outputs selected by `options`.
    ///
    /// # Errors
    ///
    /// The errors of [`transform_feedback::prepare`] and of creating the variants.
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

/// The buffers of a draw with a variant that stores outputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureBuffers<'a> {
    /// The feedback buffers, by number.
    pub feedback: &'a [Range],
    /// The index buffer of an indexed draw.
    pub indices: Option<Range>,
    /// The [table](transform_feedback::Segments::table) of segments, if indices may restart primitives.
    pub segments: Option<Range>,
    /// The buffer of spilled outputs.
    pub outputs: Option<Range>,
}

impl<'a> From<&'a [Range]> for CaptureBuffers<'a> {
    fn from(feedback: &'a [Range]) -> Self {
        Self { feedback, ..Self::default() }
    }
}

impl CaptureBuffers<'_> {
    /// Returns the range to bind to a descriptor with this purpose.
    fn bound(&self, purpose: Purpose) -> Option<Range> {
        match purpose {
            Purpose::Feedback(number) => self.feedback.get(number as usize).copied(),
            Purpose::Indices => self.indices,
            Purpose::Segments => self.segments,
            Purpose::Outputs => self.outputs,
            _ => None,
        }
    }

    /// Returns the ranges that the shader finds by address, each with the names of the parameters for the address
    /// halves.
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

/// Returns the capture pass of `draw`: a draw of its vertices and instances as points without rasterization, or a
/// dispatch.
///
/// The pass captures into `ranges`, one for each feedback buffer, and spills outputs if there is a buffer for them.
/// The caller adds vertex buffers and the shader's own resources.
///
/// # Errors
///
/// The errors of [`Layout::host_params`](transform_feedback::Layout::host_params).
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

/// Turns `pass`, the capture pass of `draw`, into a dispatch if a compute stage captures.
///
/// # Errors
///
/// The errors of [`Layout::work_groups`](transform_feedback::Layout::work_groups).
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

/// Binds the buffers and the host parameters of a capture to a draw. Its first stage must be a variant that stores.
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
        // So far, the parameter is the offset of the data from the start of the range.
        let offset = range.offset + (half(high) << 32 | half(low));
        let of = At { buffer: range.buffer, offset };
        let to = AddressAt::Buffer(At { buffer: block, offset: u64::from(low) * 4 });
        draw.addresses.push(Address { of, to });
    }
}

/// Stores host parameters in the source from which the stage `draw.stages[stage]` reads them.
///
/// If the source is a descriptor or an address, adds a buffer to `work` and returns its index.
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
                // A uniform block consists of vectors, and the last vector must be bound completely.
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

/// Stores the address `of` in the source from which the stage `draw.stages[stage]` reads it.
pub(crate) fn point_at(
    pointer: AddressSource,
    of: At,
    stage: usize,
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    // The device address overwrites these zeros.
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
