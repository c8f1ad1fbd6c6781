//! Selects the comparison for a lowering.

use crate::initialise::{Filler, initialise};
use crate::run::Task;
use crate::verdict::{Part, Verdict};
use crate::{Job, Lowering, Phase, blend, clip, extension, position, pull, stores};
use polyshade::Error;
use polyshade_vulkan::Runner;
use std::cell::RefCell;

/// Compares with the zero filler for everything that the shader leaves undefined, and then with the other filler.
pub(crate) fn verify(
    job: &Job<'_>,
    (device, reference): (&dyn Runner, Option<&dyn Runner>),
    report: impl FnMut(Phase),
) -> Result<Verdict, Error> {
    let is_captured = matches!(job.lowering, Lowering::Stores(_))
        && job.given.iter().all(|(part, _)| *part != Part::RasterOnly);
    if reference.is_some() && !is_captured {
        let why = "only captures with buffer stores can be compared with another device";
        return Ok(Verdict::NotComparable(why.to_owned()));
    }
    let report = RefCell::new(report);
    let report = |phase| (report.borrow_mut())(phase);
    report(Phase::Preparing);
    let zeroed = initialise(job.module, Filler::Zero)?;
    let task = Task {
        job,
        device,
        reference,
        original: &zeroed,
        zeroed: &zeroed,
        filler: Filler::Zero,
        report: &report,
    };
    let verdict = compare(&task)?;
    // Only a single device, whose results are equal bit for bit, can detect undefined values.
    if reference.is_some() || !matches!(verdict, Verdict::Equal(_)) {
        return Ok(verdict);
    }
    let poisoned = initialise(job.module, Filler::Poison)?;
    let task = Task { original: &poisoned, filler: Filler::Poison, ..task };
    Ok(match compare(&task)? {
        different @ Verdict::Different(_) => different,
        // If the second comparison is impossible, the result of the comparison with zero counts.
        Verdict::Equal(_) | Verdict::NotComparable(_) => verdict,
    })
}

fn compare(task: &Task<'_>) -> Result<Verdict, Error> {
    match &task.job.lowering {
        Lowering::Stores(captured) => stores::verify(task, captured),
        Lowering::Extension(captured) => extension::verify(task, captured),
        Lowering::Pull(pulls) => pull::verify(task, pulls),
        Lowering::Position(reduced) => position::verify(task, reduced),
        Lowering::Clip(distances) => clip::verify(task, distances),
        Lowering::Blend(blends) => blend::verify(task, blends),
    }
}
