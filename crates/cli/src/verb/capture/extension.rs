//! `polyshade capture --path extension`.

use super::Arguments;
use super::report::{Path, Report};
use crate::Done;
use crate::failure::{Exit, Failure};
use crate::stage::before_rasterization;
use crate::verb::plan::named_device;
use polyshade::transform_feedback::{self, Decorated};
use polyshade_planner::TransformFeedback;

/// What the device that is named offers of the extension.
pub(super) fn device(name: &str) -> Result<TransformFeedback, Failure> {
    named_device(name, None)?.transform_feedback.ok_or_else(|| {
        let message = format!("the device `{name}` has no VK_EXT_transform_feedback");
        Failure::new(Exit::Unsupported, message).help("capture with --path storage")
    })
}

/// Runs the verb.
pub(super) fn run(arguments: &Arguments) -> Done {
    if !arguments.variants.is_empty() {
        let message = "--variant has no meaning with --path extension";
        return Err(Failure::new(Exit::Usage, message));
    }
    let rewrite = &arguments.rewrite;
    let words = arguments.input.words()?;
    let module = arguments.input.parse(&words)?;
    let (entry, stage) = before_rasterization(&arguments.input, &module)?;
    let options = rewrite.options(&entry, stage)?;
    let decorated = transform_feedback::decorate(&module, &options)
        .map_err(|error| Failure::of(&error, Some(&module)))?;
    let Decorated { layout, streams, locations, requirements, .. } = &decorated;
    let path = Path::Extension { streams, locations };
    let report = Report { entry: &entry, layout, path, requirements, msl: None };
    if arguments.dry_run {
        return arguments.preview(&report);
    }
    let outputs = arguments.outputs(&entry, stage);
    arguments.write(outputs, report, module.words(), decorated.module.words())
}
