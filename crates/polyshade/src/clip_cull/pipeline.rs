//! Normalizes all stages of a pipeline together, because linked stages must give each distance the same number.

use super::arrays::ANY;
use super::normalize::{normalize_in, own_linkages};
use super::options::{Normalize, StageDistances};
use super::semantics::Linkage;
use crate::host::{Lowered, Target};
use crate::rewrite::{Frame, Stages};
use polyshade_spv::{Error, Module};

/// Applies [`Step::Normalize`](super::Step::Normalize) to the stages of one pipeline, in the pipeline's order. If one
/// of two linked stages marks a component, it is a distance in both stages, with the same number.
///
/// # Errors
///
/// The errors of the step; `Options` if the stages are out of order.
pub(crate) fn normalize_pipeline<'m>(
    stages: &[(&'m Module<'_>, Target, Normalize)],
) -> Result<Vec<Lowered<'m, StageDistances>>, Error> {
    let frames: Vec<Frame<'m>> = stages
        .iter()
        .map(|(module, target, _)| Frame::new(module, target, &ANY))
        .collect::<Result<_, _>>()?;
    Stages::check_order(frames.iter().map(Frame::model))?;

    // Join the distances of each pair of linked stages.
    let mut linked: Vec<Normalize> = stages.iter().map(|(_, _, options)| options.clone()).collect();
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
        linked[before].linked_outputs = Some(together.semantics());
        linked[before + 1].linked_inputs = Some(together.semantics());
    }
    frames.iter().zip(&linked).map(|(frame, options)| normalize_in(frame, options)).collect()
}
