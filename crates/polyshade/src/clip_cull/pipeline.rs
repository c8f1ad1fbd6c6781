//! All stages of a pipeline at once: where two meet, both must number the distances alike.

use super::arrays::ANY;
use super::marks::Linkage;
use super::normalize::{Normalized, Options, normalize_in, own_linkages};
use crate::host::{Lowered, Target};
use crate::moves::{Frame, Stages};
use polyshade_spv::{Error, Module};

/// [`normalize`](super::normalize()) for the stages of one pipeline, which are in the pipeline's order. Where two
/// stages meet, what either marks is a distance on both sides, and numbered for both.
///
/// # Errors
///
/// Those of [`normalize`](super::normalize()); `Options` where the stages are out of order.
pub fn normalize_pipeline<'m>(
    stages: &[(&'m Module<'_>, Target, Options)],
) -> Result<Vec<Lowered<'m, Normalized>>, Error> {
    let frames: Vec<Frame<'m>> = stages
        .iter()
        .map(|(module, target, _)| Frame::new(module, target, &ANY))
        .collect::<Result<_, _>>()?;
    Stages::check_order(frames.iter().map(Frame::model))?;

    let mut linked: Vec<Options> = stages.iter().map(|(_, _, options)| options.clone()).collect();
    let own: Vec<[Linkage; 2]> = frames
        .iter()
        .zip(&linked)
        .map(|(frame, options)| own_linkages(frame, options))
        .collect::<Result<_, _>>()?;
    for (before, pair) in own.windows(2).enumerate() {
        let [[_, outputs], [inputs, _]] = pair else { continue };
        let mut together = outputs.clone();
        together.join(inputs);
        together.check()?;
        linked[before] = linked[before].clone().linked_outputs(together.clone());
        linked[before + 1] = linked[before + 1].clone().linked_inputs(together);
    }
    frames.iter().zip(&linked).map(|(frame, options)| normalize_in(frame, options)).collect()
}
