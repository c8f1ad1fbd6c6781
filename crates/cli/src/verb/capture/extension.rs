//! `polyshade capture --path extension`.

use super::{Arguments, report};
use crate::Done;
use crate::failure::Failure;
use crate::lowering::Lowering;
use crate::report::Report;
use crate::stage::before_rasterization;
use crate::verb::plan::named_device;
use polyshade::host::TransformFeedback;
use polyshade::transform_feedback;

/// Returns the transform feedback properties of the named device.
pub(super) fn device(name: &str) -> Result<TransformFeedback, Failure> {
    named_device(name, None)?.transform_feedback.ok_or_else(|| {
        let message = format!("the device `{name}` has no VK_EXT_transform_feedback");
        Failure::new(&polyshade_planner::code::PLAN_MISSING_FEATURE, message)
            .help("capture with --path storage")
    })
}

pub(super) fn run(arguments: &Arguments) -> Done {
    if !arguments.variants.is_empty() {
        return Err(Failure::usage("--variant has no meaning with --path extension"));
    }
    let Arguments { input, rewrite, writing, .. } = arguments;
    let module = input.module()?;
    let (entry, stage) = before_rasterization(input, &module)?;
    let target = rewrite.target(&entry, stage)?;
    let decorated = transform_feedback::decorate(&module, target, &rewrite.options())
        .map_err(|error| input.refused(&error, &module))?;
    let text = report::decorated(&decorated.result);
    let report = Report::new(Lowering::CaptureExtension, (&entry, stage), &decorated.result, text)
        .needs(&decorated.params, &decorated.requirements)
        .drawn("as the original, between vkCmdBeginTransformFeedbackEXT and vkCmdEndTransformFeedbackEXT");
    writing.finish(input, &report, (module.words(), decorated.module.words()), &[])
}
