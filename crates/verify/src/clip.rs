//! Clip and cull distances: what the steps make of a stage, component by component, and a scene of planes that it is
//! drawn in.

mod expected;
mod fragment;
mod handed;
mod host;
mod later;
mod outputs;
mod scene;
mod shape;
mod vertex;

use crate::initialise::initialise;
use crate::run::Report;
use crate::verdict::Verdict;
use crate::{Distances, Job, Steps};
use polyshade::spv::ExecutionModel;
use polyshade::{Error, Module};
use polyshade_vulkan::Device;

/// The most distances of a kind that are drawn: what every device has that has the feature at all.
const MOST: u32 = 8;

/// Why stages that hand so many distances on are not compared.
fn too_many(steps: &Steps) -> Option<String> {
    let most = steps.counts.into_iter().flatten().max().filter(|most| *most > MOST)?;
    Some(format!("{most} distances of a kind are more than {MOST}"))
}

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
        ExecutionModel::GEOMETRY
        | ExecutionModel::TESSELLATION_CONTROL
        | ExecutionModel::TESSELLATION_EVALUATION => {
            later::verify(job, steps, device, modules, report)
        }
        stage => Verdict::NotComparable(format!("what a {stage} stage hands on is not recorded")),
    })
}
