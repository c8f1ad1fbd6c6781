//! Plans for a pass that cannot end. Steps that a pass cannot contain are recorded before and after the pass.

use super::super::steps::{Attachments, Pass, RecordAt, Step};
use crate::code;
use polyshade_spv::Error;

/// Moves the steps that would interrupt the application's pass to the places before and after the pass.
pub(super) fn around(steps: Vec<Step>) -> Result<Vec<Step>, Error> {
    // Split the steps into parts, alternately in the pass and outside of it.
    let mut parts = vec![Vec::new()];
    for step in steps {
        match step {
            Step::EndPass(Attachments::Application)
            | Step::BeginPass(Pass { attachments: Attachments::Application, .. }) => {
                parts.push(Vec::new());
            }
            step => parts.last_mut().expect("the list begins with one part").push(step),
        }
    }
    // Parts outside of the pass are recorded before the pass until it has steps, and after the pass from then on.
    let mut around: Vec<Step> = Vec::new();
    let mut place = RecordAt::InPass;
    for (number, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let next = match (number % 2 == 0, place) {
            (true, RecordAt::BeforePass | RecordAt::InPass) => RecordAt::InPass,
            (false, RecordAt::InPass) if around.is_empty() => RecordAt::BeforePass,
            (false, RecordAt::BeforePass) => RecordAt::BeforePass,
            (false, RecordAt::InPass | RecordAt::AfterPass) => RecordAt::AfterPass,
            (true, RecordAt::AfterPass) => {
                return Err(Error::new(
                    &code::PLAN_PASS_MUST_END,
                    "the active pass would have to end between draws",
                ));
            }
        };
        if next != place {
            around.push(Step::Record(next));
        }
        place = next;
        around.extend(part);
    }
    Ok(around)
}
