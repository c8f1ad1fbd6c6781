//! What polyshade says that the host must bind, bound.

use crate::work::{Constant, Descriptor, Draw, Range, Resource, Stage, Work};
use polyshade::Error;
use polyshade::host::{Place, Purpose};
use polyshade::transform_feedback::{self, BufferRange, Capture};

/// The capture pass of `draw`: a point list over its vertices and instances, without rasterization, that captures into
/// `ranges` of the `feedback` buffers, one each. Vertex buffers and the shader's own resources are still to be added.
///
/// # Errors
///
/// Those of [`Layout::host_words`](transform_feedback::Layout::host_words).
pub fn capture_draw<'a>(
    capture: &'a Capture<'_>,
    draw: &transform_feedback::Draw,
    ranges: &[BufferRange],
    feedback: &[Range],
    work: &mut Work<'a>,
) -> Result<Draw<'a>, Error> {
    let host_words = capture.layout.host_words(draw, ranges)?;
    let mut pass = Draw {
        stages: vec![Stage::vertex(capture.capture_only.words())],
        vertices: draw.first_vertex..draw.first_vertex.saturating_add(draw.vertex_count),
        instances: draw.first_instance..draw.first_instance.saturating_add(draw.instance_count),
        ..Draw::default()
    };
    bind_capture(capture, &host_words, feedback, &mut pass, work);
    Ok(pass)
}

/// Binds the `feedback` buffers and the host words to a draw of a variant that stores, whose first stage that is. A
/// buffer for the host words is added to `work`, whether or not they are in one.
pub fn bind_capture(
    capture: &Capture<'_>,
    host_words: &[u32],
    feedback: &[Range],
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    for descriptor in &capture.requirements.descriptors {
        let Purpose::Feedback(number) = descriptor.purpose else { continue };
        let Some(range) = feedback.get(number as usize) else { continue };
        let resource = Resource::StorageBuffer(*range);
        let (set, binding) = (descriptor.set.0, descriptor.binding.0);
        draw.descriptors.push(Descriptor::new(set, binding, resource));
    }

    place_host_words(capture.words.place, host_words, draw, work);
}

/// Puts the host words where the first stage reads them. A buffer for them is added to `work`, whether or not they are
/// in one.
pub(crate) fn place_host_words(
    place: Place,
    host_words: &[u32],
    draw: &mut Draw<'_>,
    work: &mut Work<'_>,
) {
    let bytes: Vec<u8> = host_words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let range = Range { buffer: work.buffers.len(), offset: 0, size: bytes.len() as u64 };
    match place {
        Place::StorageBuffer { set, binding } => {
            let resource = Resource::StorageBuffer(range);
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
        }
        Place::Uniform { set, binding } => {
            let resource = Resource::UniformBuffer(range);
            draw.descriptors.push(Descriptor::new(set.0, binding.0, resource));
        }
        Place::PushConstant { offset } => {
            let end = offset as usize + bytes.len();
            draw.push_constants.resize(draw.push_constants.len().max(end), 0);
            draw.push_constants[offset as usize..end].copy_from_slice(&bytes);
        }
        Place::Specialization { first_id } => {
            let constants = (first_id..).zip(host_words.iter().copied().map(Constant::Bits32));
            draw.stages[0].specialization.extend(constants);
        }
    }
    work.buffers.push(bytes);
}
