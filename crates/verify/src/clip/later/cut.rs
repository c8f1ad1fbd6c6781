//! Geometry stages that cut: they emit other primitives than the original, so pictures alone are compared.

use super::{Recorded, Run, broken};
use crate::clip::expected::{Interface, components, expected};
use crate::clip::handed::declared;
use crate::clip::scene::{Drawable, Places, Scene};
use crate::initialise::without_feedback;
use crate::library;
use crate::pictures::{self, Exactness};
use crate::position::chooses_a_layer;
use crate::record::emits::Emit;
use crate::run::{
    Report, Stop, cannot_run, check_device, check_messages, check_original, not_comparable, parse,
    variant,
};
use crate::verdict::{Difference, Equal, Part};
use crate::{Form, Phase, Steps};
use polyshade::Module;

impl Run<'_> {
    /// Pictures of what the device cuts behind the original, and of what the lowered stage cuts itself.
    pub(super) fn compare_cut(
        &self,
        lowered: &Module<'_>,
        report: &mut Report<'_>,
    ) -> Result<Equal, Stop> {
        let Steps { planes: None, enable: None, repairs: false, .. } = self.steps else {
            return Err(not_comparable("what is cut is compared without other steps before"));
        };
        let [clip, cull] = declared(&self.leaves);
        if self.device.capabilities().culls_wrongly([clip, cull]) {
            let why = format!("the driver culls wrongly by {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        if self.leaves.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer)) {
            return Err(not_comparable("a stage that chooses layers is not drawn"));
        }
        report(Phase::Original);
        let drawn = self.defined(&self.record_original()?)?;
        let side = self.original_side()?;
        let right = self.draw_each(self.original, &library::DEPTH, &side, &drawn, None);
        let right = right.map_err(|error| not_comparable(format!("the original: {error}")))?;
        check_original(self.device, |_| true)?;

        let words = variant(self.job, Part::Lowered, lowered.words())?;
        let module = without_feedback(&parse(Part::Lowered, &words)?).map_err(broken)?;
        check_device(self.device, &module)?;
        self.check_modes(&module)?;
        let side = self.lowered_side(&module)?;
        report(Phase::Rewritten);
        let found = self.draw_each(&module, &library::DEPTH, &side, &drawn, None);
        let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        check_messages(self.device, Part::Lowered, |_| true)?;
        // Points go or stay as they are; of others, edges are a matter of precision.
        let exactness = match self.shape.makes_points() {
            true => Exactness::Exact,
            false => Exactness::AwayFromEdges,
        };
        let mut equal = Equal::default();
        for (number, (right, found)) in drawn.iter().zip(right.targets.iter().zip(&found.targets)) {
            if let Some(difference) = pictures::difference(Part::Lowered, right, found, exactness) {
                let draw = Some(format!("primitive {number}"));
                return Err(Difference { draw, ..difference }.into());
            }
            equal.pixels += pictures::covered(right);
        }
        match equal.pixels {
            0 => Err(not_comparable("the shader draws nothing of the scene")),
            _ => Ok(equal),
        }
    }

    /// The primitives of which all that is emitted is defined.
    fn defined(&self, right: &Recorded) -> Result<Vec<usize>, Stop> {
        let interface = Interface {
            leaves: &self.leaves,
            words: components(&self.leaves),
            counts: None,
            marked: &self.steps.outputs,
        };
        let steps = Steps { form: Form::Kept, ..Steps::default() };
        let expected = &expected(self.original, &interface, &steps).map_err(not_comparable)?;
        let scene = Scene { device: self.device, steps: &steps, expected, has_same_order: false };
        let places = Places::new(expected, &self.leaves, &self.leaves);
        let drawable = |emits: &Vec<Emit>| Drawable {
            title: String::new(),
            topology: self.shape.takes(),
            primitives: vec![
                emits.iter().map(|one| places.vertex(&one.words, &one.words)).collect(),
            ],
        };
        let all = right.emits.iter().enumerate();
        let defined = all.filter(|(_, emits)| scene.is_defined(&drawable(emits)));
        Ok(defined.map(|(number, _)| number).collect())
    }
}
