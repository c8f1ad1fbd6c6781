//! A plan in a pass that cannot end: what cannot be done in it is recorded ahead of it and behind it.

use super::super::steps::{Attachments, Pass, Side, Step};
use crate::code;
use polyshade_spv::Error;

/// The steps of a plan that ends the application's pass and goes on with it, around the pass instead.
pub(super) fn around(steps: Vec<Step>) -> Result<Vec<Step>, Error> {
    // Its steps inside of the pass and outside, taking turns.
    let mut parts = vec![Vec::new()];
    for step in steps {
        match step {
            Step::EndPass(Attachments::Application)
            | Step::BeginPass(Pass { attachments: Attachments::Application, .. }) => {
                parts.push(Vec::new());
            }
            step => parts.last_mut().expect("there is one from the start").push(step),
        }
    }
    let mut around: Vec<Step> = Vec::new();
    let mut side = Side::Inside;
    for (number, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let next = match (number % 2 == 0, side) {
            (true, Side::Ahead | Side::Inside) => Side::Inside,
            (false, Side::Inside) if around.is_empty() => Side::Ahead,
            (false, Side::Ahead) => Side::Ahead,
            (false, Side::Inside | Side::Behind) => Side::Behind,
            (true, Side::Behind) => {
                return Err(Error::new(
                    &code::PLAN_PASS_MUST_END,
                    "the pass that is open would have to end between draws",
                ));
            }
        };
        if next != side {
            around.push(Step::Record(next));
        }
        side = next;
        around.extend(part);
    }
    Ok(around)
}
