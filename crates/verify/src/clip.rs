//! Clip and cull distances: what the steps make of a stage, component by component, and a scene of planes that it is
//! drawn in.

mod expected;
mod fragment;
mod handed;
mod scene;
mod vertex;

use crate::initialise::initialise;
use crate::run::Report;
use crate::verdict::Verdict;
use crate::{Distances, Job};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_vulkan::Device;

/// Compares a lowered stage with the original.
pub(crate) fn verify(
    job: &Job<'_>,
    wanted: &Distances<'_>,
    device: &Device,
    original: &Module<'_>,
    report: &mut Report<'_>,
) -> Result<Verdict, Error> {
    // Blocks that are initialised cannot be split: what is lowered is initialised afterwards.
    let lowered = initialise(&(wanted.lower)(job.module)?)?;
    let (steps, modules) = (wanted.steps, (original, &lowered));
    Ok(match job.stage {
        ExecutionModel::VERTEX => vertex::verify(job, steps, device, modules, report),
        ExecutionModel::FRAGMENT => fragment::verify(job, steps, device, modules, report),
        stage => Verdict::NotComparable(format!(
            "what a {stage} stage hands on is not recorded: vertex and fragment stages are"
        )),
    })
}
