//! Keys for plan caches, and plans for other ranges. An application that cycles through a buffer captures each draw
//! into another range, and the plans differ only in binding offsets and host parameters. The [key](Draw::key) does
//! not contain these values. [`Plan::for_ranges`] replaces them in a cached plan.

use super::device::Device;
use super::shader_runs::threshold;
use super::state::{Bound, Capture, Draw, Feedback, Path, Pipeline};
use super::steps::{Plan, Step};
use super::storage::{Stored, strides};
use super::{check, extension};
use crate::code;
use polyshade_spv::Error;

/// The feedback range in all keys.
const ANYWHERE: Bound = Bound { buffer: None, buffer_size: 0, offset: 0, size: Some(0) };

impl Draw {
    /// Returns the part of the draw that its plan depends on, to be used as a cache key. It is the draw without the
    /// offsets and sizes of its feedback ranges, which [`for_ranges`](Plan::for_ranges) replaces, and without its
    /// vertex count unless a larger draw has another plan. A complete key also contains the device and the pipeline.
    #[must_use]
    pub fn key(&self, device: &Device, pipeline: &Pipeline) -> Self {
        let mut key = self.clone();
        if let Feedback::Active(active) = &mut key.feedback {
            active.buffers.iter_mut().flatten().for_each(|bound| *bound = ANYWHERE);
        }
        let is_small =
            |vertices: u32| threshold(device, pipeline).is_some_and(|from| vertices < from);
        key.vertices = self.vertices.filter(|vertices| is_small(*vertices)).map(|_| 0);
        key
    }
}

impl Plan {
    /// Returns the plan of `draw`, made from the plan of a draw with an equal [key](Draw::key). Pipelines, passes and
    /// barriers stay; bindings and host parameters change.
    ///
    /// # Errors
    ///
    /// The errors of [`plan`](crate::plan()); `Options` if this plan belongs to a draw with another key.
    pub fn for_ranges(
        &self,
        device: &Device,
        pipeline: &Pipeline,
        draw: &Draw,
    ) -> Result<Self, Error> {
        check::state(device, pipeline, draw)?;
        let mut plan = self.clone();
        let (Feedback::Active(active), Some(capture)) = (&draw.feedback, &pipeline.capture) else {
            return match self.path {
                None => Ok(plan),
                Some(_) => Err(of_another()),
            };
        };
        match self.path {
            None => return Err(of_another()),
            Some(Path::Extension) => {
                let ranges = extension::ranges(device, active)?;
                let bound = plan.steps.iter_mut().filter_map(|step| match step {
                    Step::BindFeedback(bound) => Some(bound),
                    _ => None,
                });
                bound.for_each(|bound| bound.clone_from(&ranges));
            }
            Some(path) => {
                let of = (capture, active);
                let stored = Stored::new(device, pipeline, draw, of, path)?;
                plan.steps.iter_mut().try_for_each(|step| put(step, &stored, capture))?;
            }
        }
        Ok(plan)
    }
}

/// Replaces the values of a step that depend on the feedback ranges.
fn put(step: &mut Step, stored: &Stored<'_>, capture: &Capture) -> Result<(), Error> {
    match step {
        Step::BindStorage(bound) => {
            let own = stored.bindings.iter().find(|one| one.buffer == bound.buffer);
            *bound = *own.ok_or_else(of_another)?;
        }
        Step::FillIn(words) => words.clone_from(&stored.words),
        Step::CounterPass(keep) => {
            if let Some(words) = &mut keep.params {
                words.clone_from(&stored.words);
                keep.strides = strides(&stored.words, capture);
            }
        }
        _ => {}
    }
    Ok(())
}

fn of_another() -> Error {
    Error::new(&code::PLAN_OTHER_DRAW, "the plan was made for another draw")
}
