//! Clip and cull distances: compares each output component of a stage, and the images of a scene of planes.

mod fragment;
mod host;
mod later_stages;
mod model;
mod outputs;
mod probe;
mod scene;
mod stage_inputs;
mod stage_shape;
mod vertex;

use crate::Distances;
use crate::initialise::initialise;
use crate::run::Task;
use crate::verdict::Verdict;
use polyshade::Error;
use polyshade::spv::ExecutionModel;

/// The maximum number of distances of a kind that are drawn. Every device with the feature supports this many.
const MOST: u32 = 8;

pub(crate) fn verify(task: &Task<'_>, wanted: &Distances<'_>) -> Result<Verdict, Error> {
    // Initialisation follows the lowering, because blocks with an initializer cannot be split.
    let lowered = initialise(&(wanted.lower)(task.job.module)?, task.filler)?;
    let steps = wanted.steps;
    if let Some(most) = steps.counts.into_iter().flatten().max().filter(|most| *most > MOST) {
        let why = format!("{most} clip or cull distances are more than the supported {MOST}");
        return Ok(Verdict::NotComparable(why));
    }
    Ok(match task.job.stage {
        ExecutionModel::VERTEX => vertex::verify(task, steps, &lowered),
        ExecutionModel::FRAGMENT => fragment::verify(task, steps, &lowered),
        ExecutionModel::GEOMETRY
        | ExecutionModel::TESSELLATION_CONTROL
        | ExecutionModel::TESSELLATION_EVALUATION => later_stages::verify(task, steps, &lowered),
        stage => {
            Verdict::NotComparable(format!("the outputs of a {stage} stage cannot be recorded"))
        }
    })
}
