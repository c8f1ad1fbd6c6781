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
    let found: Vec<(String, ExecutionModel)> = module
        .entry_points()
        .map(|entry| (entry.name().into_owned(), entry.model()))
        .filter(|(name, stage)| {
            STAGES.contains(stage) && input.entry.as_ref().is_none_or(|wanted| wanted == name)
        })
        .collect();
    let shown = |(name, stage): &(String, ExecutionModel)| format!("`{name}` ({stage})");
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            let message = "there is no such entry point of a vertex, tessellation evaluation or geometry stage";
            let others: Vec<String> = module
                .entry_points()
                .map(|entry| shown(&(entry.name().into_owned(), entry.model())))
                .collect();
            let failure = Failure::new(Exit::Failed, message);
            Err(failure.help(format!("the module's entry points: {}", others.join(", "))))
        }
        several => {
            let message = "there are several entry points: say which with --entry";
            let several: Vec<String> = several.iter().map(shown).collect();
            Err(Failure::new(Exit::Usage, message)
                .help(format!("they are: {}", several.join(", "))))
        }
    }
}
