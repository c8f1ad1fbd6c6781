//! Executes plans: what the planner says is drawn, bound and waited for, and nothing else.
//!
//! Unlike [`Device::run`], which waits for everything after every draw, a [`Sequence`] waits only where a plan, or the
//! application, says so. That is what shows whether plans are right: the validation layer knows who waits for whom.

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

/// What an application does between the start and the end of a submission.
#[derive(Debug, Clone, Default)]
pub struct Sequence<'a> {
    /// The buffers, textures and targets. It has no draws of its own.
    pub work: Work<'a>,
    /// What is done, in this order.
    pub items: Vec<Item<'a>>,
    /// How passes are begun, the application's and those of plans: that of the device that was planned for
    /// ([`planner::Device::pass_scope`](polyshade_planner::Device::pass_scope)).
    pub scope: PassScope,
    /// How often the commands are submitted beyond once, each time when the time before is over. Buffers stay as they
    /// are; textures and targets begin anew.
    pub again: u32,
}

/// One thing that an application does.
#[derive(Debug, Clone)]
pub enum Item<'a> {
    /// It begins its render pass, with this target, or with none.
    BeginPass(Option<usize>),
    /// It ends it.
    EndPass,
    /// It waits, as [`barrier`](polyshade_planner::barrier) says, outside of a pass.
    Wait(Barrier),
    /// It copies from a range to a place, outside of a pass.
    Copy(Range, Place),
    /// It draws, as planned.
    Draw(Box<PlannedDraw<'a>>),
}

/// A draw and its plan, which was made for it in the state that it finds.
#[derive(Debug, Clone)]
pub struct PlannedDraw<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The draw, with the original shaders, and the application's target if it has one. Topology, provoking vertex,
    /// vertices and instances are those of `numbers`.
    pub draw: Draw<'a>,
    /// Topology, vertices and instances.
    pub numbers: transform_feedback::Draw,
    /// The variants of the last stage before rasterization that the plan binds.
    pub variants: Vec<(Variant, &'a [u32])>,
    /// What makes the counts where the host keeps them.
    pub capture: Option<&'a Variants<'a>>,
    /// The buffer of each feedback buffer.
    pub feedback: Vec<usize>,
    /// The arguments of an indirect draw.
    pub arguments: Option<IndirectArguments>,
    /// What conditional rendering looks at, and whether it draws where that is 0; only the counter pass is told of it.
    pub predicate: Option<(Place, bool)>,
}

/// The arguments of an indirect draw, or of a multi-draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndirectArguments {
    /// Where those of the first draw are.
    pub place: Place,
    /// How many draws there are, or may be.
    pub draws: u32,
    /// The bytes from one draw to the next.
    pub stride: u32,
    /// Where it stands how many there are, if it does.
    pub count: Option<Place>,
}

impl From<Place> for IndirectArguments {
    /// Those of one draw.
    fn from(place: Place) -> Self {
        Self { place, draws: 1, stride: 0, count: None }
    }
}

impl IndirectArguments {
    /// The range of all draws, each of so many bytes.
    pub(crate) fn range(&self, size: u64) -> Range {
        let before = u64::from(self.draws.saturating_sub(1)) * u64::from(self.stride);
        self.place.with_size(before + size)
    }
}

/// What came out of a [`Sequence`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The buffers, textures and targets.
    pub outcome: Outcome,
    /// The results of the queries of each draw, in the order of the draws and of their plans.
    pub queries: Vec<Counted>,
}

/// The result of a query around one draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The query.
    pub query: Query,
    /// What it counted; where it counts the primitives that were generated, both are that.
    pub counts: Captured,
}

impl Device {
    /// Executes a sequence in one submission.
    ///
    /// What the plans leave out is not made up for, so that a wrong plan goes wrong: at best with a message of the
    /// validation layer. Otherwise as [`run`](Device::run).
    ///
    /// # Errors
    ///
    /// Those of [`run`](Device::run); `Missing` and `Unsupported` where a plan is for another device; `Work` where a
    /// plan begins its passes in another way than the sequence.
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
