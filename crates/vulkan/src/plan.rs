//! Executes plans, with exactly the draws, bindings and waits that the planner states.
//!
//! [`Device::run`] waits for everything after every draw. A [`Sequence`] waits only where a plan or the application
//! waits, so the validation layer can find missing dependencies in plans.

mod capabilities;
mod encoders;
mod jobs;
mod lower;
mod record;

pub use encoders::execute_in_encoders;

use crate::capture::Variants;
use crate::device::Device;
use crate::error::Error;
use crate::run::Objects;
use crate::work::{Captured, Draw, Outcome, Place, Range, Work};
use polyshade::transform_feedback;
use polyshade_planner::{Barrier, PassScope, Plan, Query, Variant};

/// The commands of an application in one submission.
#[derive(Debug, Clone, Default)]
pub struct Sequence<'a> {
    /// The buffers, textures and targets. It must not contain draws.
    pub work: Work<'a>,
    /// The commands, in order.
    pub items: Vec<Item<'a>>,
    /// How render passes begin: the [`pass_scope`](polyshade_planner::Device::pass_scope) of the planned device.
    pub scope: PassScope,
    /// The number of times that the commands are submitted again, each after the previous submission has finished.
    /// Buffers keep their contents; textures and targets are filled again.
    pub again: u32,
}

/// One command of an application.
#[derive(Debug, Clone)]
pub enum Item<'a> {
    /// Begins a render pass, with this target or none.
    BeginPass(Option<usize>),
    /// Ends the render pass.
    EndPass,
    /// Waits for a [`barrier`](polyshade_planner::barrier) outside of a pass.
    Wait(Barrier),
    /// Copies a range of a buffer to a place, outside of a pass.
    Copy(Range, Place),
    /// Draws as planned.
    Draw(Box<PlannedDraw<'a>>),
}

/// A draw, and the plan for it in the application's state at that point.
#[derive(Debug, Clone)]
pub struct PlannedDraw<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The draw, with the original shaders and the application's target, if any. `numbers` overrides its topology,
    /// provoking vertex, vertices and instances.
    pub draw: Draw<'a>,
    /// The topology, provoking vertex, vertices and instances.
    pub numbers: transform_feedback::Draw,
    /// The variants of the last stage before rasterization that the plan binds.
    pub variants: Vec<(Variant, &'a [u32])>,
    /// The variants that compute the counts, if the host keeps the counters.
    pub capture: Option<&'a Variants<'a>>,
    /// For each feedback buffer, the index of its buffer.
    pub feedback: Vec<usize>,
    /// The arguments of an indirect draw.
    pub arguments: Option<IndirectArguments>,
    /// The place that conditional rendering reads, and whether the value 0 enables the draw; only the counter pass
    /// uses it.
    pub predicate: Option<(Place, bool)>,
}

/// The arguments of an indirect draw or multi-draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndirectArguments {
    /// The place of the first draw's arguments.
    pub place: Place,
    /// The number of draws, or the maximum if `count` is given.
    pub draws: u32,
    /// The distance in bytes between the arguments of two draws.
    pub stride: u32,
    /// The place of the draw count, if the device reads it.
    pub count: Option<Place>,
}

impl From<Place> for IndirectArguments {
    /// The arguments of one draw.
    fn from(place: Place) -> Self {
        Self { place, draws: 1, stride: 0, count: None }
    }
}

impl IndirectArguments {
    /// The range of the arguments of all draws, `size` bytes each.
    pub(crate) fn range(&self, size: u64) -> Range {
        let before = u64::from(self.draws.saturating_sub(1)) * u64::from(self.stride);
        self.place.with_size(before + size)
    }
}

/// The results of a [`Sequence`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The contents of buffers, textures and targets.
    pub outcome: Outcome,
    /// The query results, in the order of the draws and of their plans.
    pub queries: Vec<Counted>,
}

/// The result of a query around one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The query.
    pub query: Query,
    /// The counts. For a query of generated primitives, the two counts are equal.
    pub counts: Captured,
}

impl Device {
    /// Executes a sequence in one submission, without adding anything that the plans lack.
    ///
    /// A wrong plan therefore fails, at best with a message of the validation layer. Otherwise, this works like
    /// [`run`](Device::run).
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Device::run); `Missing` and `Unsupported` if a plan is for another device; `Work` if a
    /// plan begins its passes differently than the sequence.
    pub fn execute(&self, sequence: &Sequence<'_>) -> Result<Executed, Error> {
        let buffers = sequence.work.buffers.len();
        let targets = sequence.work.targets.len();
        let lowered = lower::lower(self.capabilities(), sequence)?;
        lowered.work.check(self)?;
        let objects = Objects::new(self, &lowered.work, lowered.scope)?;
        let extra = record::Extra::new(&objects, &lowered)?;
        objects.record_with(|| record::record(&objects, &extra, &lowered))?;
        let mut objects = objects.submit()?;
        for _ in 0..sequence.again {
            objects = objects.submit_again()?;
        }
        let mut outcome = objects.read_back(&lowered.work)?;
        let queries = extra.read_queries(self, &lowered, &outcome.buffers)?;
        outcome.buffers.truncate(buffers);
        outcome.targets.truncate(targets);
        Ok(Executed { outcome, queries })
    }
}
