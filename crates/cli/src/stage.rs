//! The entry point of a verb that is for several stages.

use crate::failure::{Exit, Failure};
use crate::input::Input;
use polyshade::Module;
use polyshade::spv::ExecutionModel;

/// The entry point that was asked for, or the only one, of a stage that can hand on vertices to the rasterizer.
pub(crate) fn before_rasterization(
    input: &Input,
    module: &Module<'_>,
) -> Result<(String, ExecutionModel), Failure> {
    const STAGES: [ExecutionModel; 3] =
        [ExecutionModel::VERTEX, ExecutionModel::TESSELLATION_EVALUATION, ExecutionModel::GEOMETRY];
    let lacking =
        "there is no such entry point of a vertex, tessellation evaluation or geometry stage";
    only_entry(input, module, |stage| STAGES.contains(&stage), lacking)
}

/// The entry point that was asked for, or the only one, of the stages that `takes` names; where there is none, the
/// failure says that it is `lacking`.
pub(crate) fn only_entry(
    input: &Input,
    module: &Module<'_>,
    takes: impl Fn(ExecutionModel) -> bool,
    lacking: &str,
) -> Result<(String, ExecutionModel), Failure> {
    let entries = module.entry_points().map(|entry| (entry.name().into_owned(), entry.model()));
    let all: Vec<(String, ExecutionModel)> = entries.collect();
    let is_named = |name: &String| input.entry.as_ref().is_none_or(|wanted| wanted == name);
    let found: Vec<_> =
        all.iter().filter(|(name, stage)| takes(*stage) && is_named(name)).cloned().collect();
    let shown = |entries: &[(String, ExecutionModel)]| {
        let entries = entries.iter().map(|(name, stage)| format!("`{name}` ({stage})"));
        entries.collect::<Vec<_>>().join(", ")
    };
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::new(Exit::Failed, lacking)
            .help(format!("the module's entry points: {}", shown(&all)))),
        several => {
            let message = "there are several entry points: say which with --entry";
            Err(Failure::new(Exit::Usage, message).help(format!("they are: {}", shown(several))))
        }
    }
}
