//! Vertex pulling: compares a shader that fetches its attributes with the original, which has vertex input.

use crate::inputs::Inputs;
use crate::inputs::attributes::Stream;
use crate::random::Values;
use crate::run::{Original, Task, Variant, is_not_about_points};
use crate::verdict::{Equal, Part, Verdict, broken, not_comparable};
use crate::{Phase, Pulls};
use polyshade::Error;
use polyshade::host::Lowered;
use polyshade::vertex_pulling::{self, Attribute, Buffer, Options, Pulled, Rate};
use polyshade_vulkan::{Draw, Range, Work, bind_pulled, vk};
use std::collections::BTreeMap;

/// Compares the shader twice: with attributes and strides as constants, and with host parameters instead.
pub(crate) fn verify(task: &Task<'_>, pulls: &Pulls<'_>) -> Result<Verdict, Error> {
    // If the shader cannot be lowered with these attributes, that is not a difference.
    let streams = task.inputs((Values::Any, task.job.seed), 1).map(Inputs::without_streams);
    let options =
        streams.ok().and_then(|(streams, _)| with_attributes(pulls.options, &streams).ok());
    let options = options.as_ref().unwrap_or(pulls.options);
    vertex_pulling::lower(task.original, pulls.target, options)?;
    if let Some(why) = task.is_not_recorded() {
        return Ok(Verdict::NotComparable(why));
    }
    Ok(task.each_seed(|seed| {
        let original = Original::new(task, seed)?;
        let mut equal = Equal::default();
        (task.report)(Phase::Original);
        let recordings = original.record(&mut equal)?;
        (task.report)(Phase::Rewritten);
        let (streams, rest) = original.inputs.clone().without_streams();
        let known = with_attributes(pulls.options, &streams).map_err(not_comparable)?;
        // A variant in the job has its attributes as constants.
        let unknown = task.job.given.is_empty().then(|| unknown(&known));
        for options in [known.clone()].into_iter().chain(unknown) {
            let made = vertex_pulling::lower(task.original, pulls.target, &options);
            let made = made.map_err(|error| broken(Part::Lowered, error))?;
            let fetching = Fetching { made: &made, streams: &streams, options: &known };
            let bind = |_, draw: &mut Draw<'_>, work: &mut Work<'_>| fetching.bind(draw, work);
            let (part, module, wanted) =
                (Part::Lowered, &task.lowered(&made.module)?, original.leaves.as_slice());
            let variant = Variant { part, module, inputs: &rest, wanted };
            equal.words += original.compare_outputs(variant, &recordings, |_| Ok(()), bind)?;
            task.check_messages(Part::Lowered, is_not_about_points)?;
        }
        Ok(equal)
    }))
}

/// Returns the options with the attributes of the streams. Each stream is a buffer.
pub(crate) fn with_attributes(options: &Options, streams: &[Stream]) -> Result<Options, String> {
    let mut options = options.clone();
    for (number, stream) in (0..).zip(streams) {
        let rate = match stream.layout.rate {
            vk::VertexInputRate::INSTANCE => Rate::Instance { divisor: 1 },
            _ => Rate::Vertex,
        };
        let stride = Some(stream.layout.stride);
        options = options.buffer(number, Buffer { stride, rate: Some(rate) });
        for attribute in &stream.layout.attributes {
            let format =
                format!("{:?}", attribute.format).parse().map_err(|why: Error| why.to_string())?;
            let (offset, format) = (Some(attribute.offset), Some(format));
            options =
                options.attribute(attribute.location, Attribute { buffer: number, offset, format });
        }
    }
    Ok(options)
}

/// Returns the options with host parameters instead of all constants.
fn unknown(known: &Options) -> Options {
    let mut unknown = known.clone();
    for number in known.buffers().keys() {
        unknown = unknown.buffer(*number, Buffer { stride: None, rate: None });
    }
    for (location, attribute) in known.attributes() {
        let attribute = Attribute { offset: None, format: None, ..*attribute };
        unknown = unknown.attribute(*location, attribute);
    }
    unknown
}

/// A shader that fetches its attributes, and the contents of the buffers.
pub(crate) struct Fetching<'f> {
    pub(crate) made: &'f Lowered<'f, Pulled>,
    pub(crate) streams: &'f [Stream],
    pub(crate) options: &'f Options,
}

impl Fetching<'_> {
    /// Binds the attributes, and writes the host parameters.
    pub(crate) fn bind(&self, draw: &mut Draw<'_>, work: &mut Work<'_>) {
        let mut ranges = BTreeMap::new();
        for (number, stream) in (0..).zip(self.streams) {
            let size = stream.bytes.len() as u64;
            ranges.insert(number, Range { buffer: work.buffers.len(), offset: 0, size });
            work.buffers.push(stream.bytes.clone());
        }
        bind_pulled(self.made, self.options, &ranges, 0, draw, work);
    }
}
