//! Geometry stages that cut: they emit other primitives than the original, so pictures alone are compared.

use super::{Run, broken};
use crate::Phase;
use crate::clip::handed::declared;
use crate::clip::host;
use crate::initialise::without_feedback;
use crate::library;
use crate::pictures::{self, Exactness};
use crate::run::{
    Report, Stop, cannot_run, check_device, check_messages, check_original, not_comparable, parse,
    variant,
};
use crate::verdict::{Difference, Equal, Part};
use polyshade::Module;

impl Run<'_> {
    /// Pictures of what the device cuts behind the original, and of what the lowered stage cuts itself.
    pub(super) fn compare_cut(
        &self,
        lowered: &Module<'_>,
        report: &mut Report<'_>,
    ) -> Result<Equal, Stop> {
        let counts = declared(&self.leaves);
        if self.device.capabilities().culls_wrongly(counts) {
            let [clip, cull] = counts;
            let why = format!("the driver misreads {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        report(Phase::Original);
        let all: Vec<usize> = (0..self.shape.primitives()).collect();
        let side = self.original_side()?;
        let right = self.draw_each(self.original, &library::DEPTH, &side, &all, None);
        let right = right.map_err(|error| not_comparable(format!("the original: {error}")))?;
        check_original(self.device, |_| true)?;

        let words = variant(self.job, Part::Lowered, lowered.words())?;
        let module = without_feedback(&parse(Part::Lowered, &words)?).map_err(broken)?;
        check_device(self.device, &module)?;
        let side = self.lowered_side(&module)?;
        let mut equal = Equal::default();
        for setting in host::settings(self.steps, self.seed) {
            report(Phase::Rewritten);
            let found = self.draw_each(&module, &library::DEPTH, &side, &all, Some(&setting));
            let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
            check_messages(self.device, Part::Lowered, |_| true)?;
            for (number, (right, found)) in right.targets.iter().zip(&found.targets).enumerate() {
                let exactness = Exactness::AwayFromEdges;
                let difference = pictures::difference(Part::Lowered, right, found, exactness);
                if let Some(difference) = difference {
                    let draw = Some(format!("primitive {number}"));
                    return Err(Difference { draw, ..difference }.into());
                }
                equal.pixels += pictures::covered(right);
            }
        }
        match equal.pixels {
            0 => Err(not_comparable("the shader draws nothing of the scene")),
            _ => Ok(equal),
        }
    }
}
