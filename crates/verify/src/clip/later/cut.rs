//! Geometry stages that cut: they emit other primitives than the original, so pictures alone are compared.

use super::{Recorded, Run};
use crate::clip::expected::{Interface, expected};
use crate::clip::handed::{Side, declared};
use crate::clip::scene::{Drawable, Places, Scene};
use crate::library;
use crate::pictures::{self, Exactness};
use crate::position::chooses_a_layer;
use crate::probe::{probe, shown};
use crate::record::emits::Emit;
use crate::run::{cannot_run, cannot_run_original};
use crate::verdict::{Equal, Part, Stop, not_comparable};
use crate::{Form, Phase, Steps};
use polyshade::Module;

/// What is drawn.
struct Drawn<'d> {
    /// The numbers of the primitives.
    numbers: &'d [usize],
    /// The lowered stage, and what it reads.
    lowered: &'d (Module<'static>, Side),
}

impl Run<'_> {
    /// Pictures of what the device cuts behind the original, and of what the lowered stage cuts itself.
    pub(super) fn compare_cut(&self, lowered: &Module<'_>) -> Result<Equal, Stop> {
        let task = self.task;
        let Steps { planes: None, enable: None, repairs: false, .. } = self.steps else {
            return Err(not_comparable("what is cut is compared without other steps before"));
        };
        let [clip, cull] = declared(&self.leaves);
        if task.device.capabilities().culls_wrongly([clip, cull]) {
            let why = format!("the driver culls wrongly by {clip} clip and {cull} cull distances");
            return Err(not_comparable(why));
        }
        if self.leaves.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer)) {
            return Err(not_comparable("a stage that chooses layers is not drawn"));
        }
        (task.report)(Phase::Original);
        let drawn = self.defined(&self.record_original()?)?;
        let module = self.prepare(lowered)?;
        // Points go or stay as they are; of others, edges are a matter of precision, and so is what is interpolated.
        let exact =
            |otherwise| if self.shape.makes_points() { Exactness::Exact } else { otherwise };
        let titles = |what: &str| -> Vec<String> {
            drawn.iter().map(|number| format!("primitive {number}, {what}")).collect()
        };
        let drawn = Drawn { numbers: &drawn, lowered: &module };
        let exactness = exact(Exactness::AwayFromEdges);
        let pixels = self.compare_behind(&library::DEPTH, &drawn, exactness, titles("depth"))?;
        if pixels == 0 {
            return Err(not_comparable("the shader draws nothing of the scene"));
        }
        for leaf in shown(&self.leaves) {
            let fragment = probe(task.original, leaf)?;
            let exactness = exact(Exactness::Near);
            self.compare_behind(&fragment, &drawn, exactness, titles(&leaf.title()))?;
        }
        Ok(Equal { pixels, ..Equal::default() })
    }

    /// Draws both stages with a fragment stage of ours.
    fn compare_behind(
        &self,
        fragment: &[u32],
        drawn: &Drawn<'_>,
        exactness: Exactness,
        titles: Vec<String>,
    ) -> Result<u64, Stop> {
        let task = self.task;
        (task.report)(Phase::Original);
        let side = self.original_side()?;
        let right = self.draw_each(task.original, fragment, &side, drawn.numbers, None);
        let right = right.map_err(cannot_run_original)?;
        task.check_original(|_| true)?;
        (task.report)(Phase::Rewritten);
        let (module, side) = drawn.lowered;
        let found = self.draw_each(module, fragment, side, drawn.numbers, None);
        let found = found.map_err(|error| cannot_run(Part::Lowered, &error))?;
        task.check_messages(Part::Lowered, |_| true)?;
        pictures::compare(Part::Lowered, [&right, &found], exactness, titles)
    }

    /// The primitives of which all that is emitted is defined.
    fn defined(&self, right: &Recorded) -> Result<Vec<usize>, Stop> {
        let interface = Interface::of(&self.leaves, &self.steps.outputs);
        let steps = Steps { form: Form::Kept, ..Steps::default() };
        let expected = &expected(self.task.original, &interface, &steps).map_err(not_comparable)?;
        let scene =
            Scene { device: self.task.device, steps: &steps, expected, has_same_order: false };
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
