//! Finds the entry point that a verb rewrites, by its stage and by the options `--entry` and `--stage`.

use crate::code;
use crate::failure::Failure;
use crate::input::Input;
use polyshade::Module;
use polyshade::position_only::STAGES;
use polyshade::spv::view::EntryPoint;
use polyshade::spv::{self, ExecutionModel};

/// Returns the requested entry point, or the only one, in a stage that can pass vertices to the rasterizer. Most
/// lowerings reject mesh stages and give the reason.
pub(crate) fn before_rasterization(
    input: &Input,
    module: &Module<'_>,
) -> Result<(String, ExecutionModel), Failure> {
    only_entry(input, module, STAGES)
}

/// Returns the requested entry point, or the only one, in one of these stages.
///
/// If a module has no entry point in these stages, the error says that it is a shader of another stage. A missing
/// requested entry point is a different error.
pub(crate) fn only_entry(
    input: &Input,
    module: &Module<'_>,
    stages: &[ExecutionModel],
) -> Result<(String, ExecutionModel), Failure> {
    let all: Vec<EntryPoint<'_>> = module.entry_points().collect();
    let of_stages = all.iter().filter(|entry| stages.contains(&entry.model()));
    let found: Vec<_> = of_stages.clone().filter(|entry| input.wants(entry)).collect();
    if let [only] = found.as_slice() {
        return Ok((only.name().into_owned(), only.model()));
    }
    let shown = |entries: &mut dyn Iterator<Item = &EntryPoint<'_>>| {
        let entries = entries.map(|entry| format!("`{}` ({})", entry.name(), entry.model()));
        entries.collect::<Vec<_>>().join(", ")
    };
    let kinds = named(stages.iter().copied(), " or ");
    if !found.is_empty() {
        let message = format!(
            "{}: the module has {} {kinds} entry points: select one with --entry or --stage",
            input.name(),
            found.len()
        );
        let help = format!("they are: {}", shown(&mut found.into_iter()));
        return Err(Failure::new(&code::CLI_AMBIGUOUS_ENTRY_POINT, message).help(help));
    }
    if of_stages.count() > 0 {
        let asked = input.entry.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
        let message = format!("the module has no entry point{asked} of the {kinds} stage");
        let help = format!("the module's entry points: {}", shown(&mut all.iter()));
        return Err(input.failed(&spv::code::ENTRY_POINT_NOT_FOUND, message).help(help));
    }
    let others = match named(all.iter().map(|entry| entry.model()), ", ") {
        none if none.is_empty() => "none".to_owned(),
        others => others,
    };
    let message =
        format!("{}: the module has no {kinds} entry point; its stages: {others}", input.name());
    Err(Failure::new(&code::CLI_OTHER_STAGE, message))
}

/// Joins the names of stages without repetitions, with `last` before the last name.
fn named(stages: impl Iterator<Item = ExecutionModel>, last: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in stages.map(|stage| stage.to_string()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.split_last() {
        Some((end, front)) if !front.is_empty() => format!("{}{last}{end}", front.join(", ")),
        _ => names.concat(),
    }
}
