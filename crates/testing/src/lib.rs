//! Trials: every lowering and every rewrite tool, with random options, on any module. The fuzz targets, the table of
//! results on real shaders, the generated shapes and the metamorphic tests share these trials.
//!
//! [`shapes`] are modules that are large in one way, and [`transformations`] keep the effect of a module.
//! [`allocations`] counts calls to the allocator, and [`calls`] are the library calls whose cost is limited.

pub mod allocations;
pub mod calls;
pub mod hazards;
pub mod planner;
pub mod shapes;
pub mod transformations;

mod choices;
mod distances;
mod lowerings;
mod place;
mod rewrite;
mod tessellation;

pub use choices::Choices;
pub use place::check_place;
pub use shapes::{SHAPES, Shape};
pub use transformations::{Transformations, check_transformed};

use polyshade::spv::ExecutionModel;
use polyshade::spv::view::EntryPoint;
use polyshade::{Error, Module};

/// The modules that a trial makes, by name.
pub type Variants = Vec<(&'static str, Module<'static>)>;

/// The result of a trial.
pub type Made = Result<Variants, Error>;

/// A function that applies a lowering or rewrite tool to an entry point, with options drawn from the choices.
pub type Attempt = fn(&Module<'_>, EntryPoint<'_>, &mut Choices) -> Made;

/// A lowering or rewrite tool that makes new modules from a module.
#[derive(Clone, Copy)]
pub struct Trial {
    /// The name of the trial. If the program has a verb for it, the name is the verb.
    pub name: &'static str,
    stages: &'static [ExecutionModel],
    attempt: Attempt,
}

impl Trial {
    /// Creates a trial of code outside this crate.
    pub const fn new(
        name: &'static str,
        stages: &'static [ExecutionModel],
        attempt: Attempt,
    ) -> Self {
        Self { name, stages, attempt }
    }

    /// Whether the trial accepts entry points of this stage.
    pub fn takes(&self, stage: ExecutionModel) -> bool {
        self.stages.contains(&stage)
    }

    /// Whether the trial removes dead code. In a module with unknown instructions, no code counts as dead.
    pub(crate) fn eliminates(&self) -> bool {
        ["position-only", "dce", "clip --reverse"].contains(&self.name)
    }

    /// Whether the trial replaces a store by several instructions.
    pub(crate) fn splits(&self) -> bool {
        self.name == "scalarize"
    }

    /// Returns the modules that the trial makes from an entry point of `module`, with options drawn from `choices`.
    ///
    /// # Errors
    ///
    /// The errors of the lowering or rewrite tool.
    pub fn attempt(
        &self,
        module: &Module<'_>,
        entry: EntryPoint<'_>,
        choices: &mut Choices,
    ) -> Made {
        (self.attempt)(module, entry, choices)
    }
}

/// The stages before rasterization whose outputs are private to an invocation.
const LAST: [ExecutionModel; 3] =
    [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION, ExecutionModel::GEOMETRY];

/// All stages that pass values to the next stage or read them.
const GRAPHICS: [ExecutionModel; 6] = [
    ExecutionModel::VERTEX,
    ExecutionModel::TESSELLATION_CONTROL,
    ExecutionModel::TESSELLATION_EVALUATION,
    ExecutionModel::GEOMETRY,
    ExecutionModel::MESH_EXT,
    ExecutionModel::FRAGMENT,
];

/// The lowerings.
pub const LOWERINGS: [Trial; 20] = [
    Trial { name: "capture", stages: &[ExecutionModel::VERTEX], attempt: lowerings::capture },
    Trial {
        name: "capture --path compute",
        stages: &[ExecutionModel::VERTEX],
        attempt: lowerings::dispatch,
    },
    Trial {
        name: "capture --after",
        stages: &[ExecutionModel::GEOMETRY],
        attempt: lowerings::geometry,
    },
    Trial {
        name: "tessellation",
        stages: &[ExecutionModel::TESSELLATION_CONTROL, ExecutionModel::TESSELLATION_EVALUATION],
        attempt: tessellation::provide,
    },
    Trial { name: "capture --path extension", stages: &LAST, attempt: lowerings::decorate },
    Trial {
        name: "position-only",
        stages: polyshade::position_only::STAGES,
        attempt: lowerings::position,
    },
    Trial { name: "clip-space", stages: &LAST, attempt: lowerings::depth },
    Trial { name: "rasterizer-discard", stages: &LAST, attempt: lowerings::discard },
    Trial { name: "vertex-pulling", stages: &[ExecutionModel::VERTEX], attempt: lowerings::pull },
    Trial { name: "blend", stages: &[ExecutionModel::FRAGMENT], attempt: lowerings::blend },
    Trial { name: "clip", stages: &GRAPHICS, attempt: distances::normalize },
    Trial { name: "clip --reverse", stages: &GRAPHICS, attempt: distances::to_registers },
    Trial { name: "clip --combine", stages: &GRAPHICS, attempt: distances::combine },
    Trial { name: "clip --separate", stages: &GRAPHICS, attempt: distances::separate },
    Trial { name: "clip --enable", stages: &LAST, attempt: distances::mask },
    Trial { name: "clip --planes", stages: &LAST, attempt: distances::user_planes },
    Trial { name: "clip --emulate", stages: &LAST, attempt: distances::emulate },
    Trial {
        name: "clip --emulate",
        stages: &[ExecutionModel::FRAGMENT],
        attempt: distances::emulate,
    },
    Trial { name: "clip --exact", stages: &[ExecutionModel::GEOMETRY], attempt: distances::cut },
    Trial {
        name: "clip --exact",
        stages: &[ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION],
        attempt: distances::generate,
    },
];

/// The rewrite tools.
pub const TOOLS: [Trial; 10] = [
    Trial { name: "isolate", stages: &GRAPHICS, attempt: rewrite::isolate },
    Trial { name: "wrap", stages: &GRAPHICS, attempt: rewrite::wrap },
    Trial { name: "demote_to_private", stages: &GRAPHICS, attempt: rewrite::demote_to_private },
    Trial { name: "replace_uses", stages: &GRAPHICS, attempt: rewrite::replace_uses },
    Trial { name: "scalarize", stages: &GRAPHICS, attempt: rewrite::scalarize },
    Trial { name: "split_block", stages: &GRAPHICS, attempt: rewrite::split_block },
    Trial { name: "specialize", stages: &GRAPHICS, attempt: rewrite::specialize },
    Trial { name: "dce", stages: &GRAPHICS, attempt: rewrite::dce },
    Trial { name: "resources", stages: &GRAPHICS, attempt: rewrite::resources },
    Trial { name: "export_points", stages: &LAST, attempt: rewrite::export_points },
];

/// Returns the lowerings and the rewrite tools that accept entry points of this stage.
pub fn trials(stage: ExecutionModel) -> impl Iterator<Item = &'static Trial> {
    LOWERINGS.iter().chain(&TOOLS).filter(move |one| one.takes(stage))
}
