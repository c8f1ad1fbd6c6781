//! Vertex stages: what a lowered one hands on is made of what the original does, and a scene of its primitives, each by
//! itself, is cut as the device's own clip distances cut it.

use super::expected::{Expected, Interface, Setting, expected};
use super::host;
use super::outputs::Outputs;
use super::scene::{Drawable, Places, Scene};
use crate::leaves::Leaf;
use crate::pictures::{self, Primitive};
use crate::recording::Recording;
use crate::run::{Original, Task, Variant, is_not_about_points};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, not_comparable};
use crate::{Phase, Steps};
use polyshade::Module;
use polyshade_vulkan::{Draw, Outcome, Work};

/// Compares a lowered stage with the original.
pub(super) fn verify(task: &Task<'_>, steps: &Steps, lowered: &Module<'_>) -> Verdict {
    task.each_seed(|seed| {
        let original = Original::new(task, seed)?;
        let interface = Interface::of(&original.leaves, &steps.outputs);
        let expected = expected(task.original, &interface, steps).map_err(not_comparable)?;
        Run { original, steps, lowered, expected, seed }.compare()
    })
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    original: Original<'r>,
    steps: &'r Steps,
    lowered: &'r Module<'r>,
    expected: Expected,
    seed: u64,
}

/// What a lowered stage hands on, with what the host fills in.
struct Drawn {
    setting: Setting,
    leaves: Vec<Leaf>,
    /// For each placement.
    recordings: Vec<Recording>,
}

impl Run<'_> {
    fn compare(&self) -> Result<Equal, Stop> {
        let (task, mut equal) = (self.original.task, Equal::default());
        (task.report)(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let module = task.lowered(self.lowered)?;
        for setting in host::settings(self.steps, self.seed) {
            (task.report)(Phase::Rewritten);
            let drawn = self.record(&module, setting)?;
            self.compare_outputs(&recordings, &drawn)?;
            task.check_messages(Part::Lowered, is_not_about_points)?;
            equal.words += drawn.recordings.iter().map(|one| one.words.len() as u64).sum::<u64>();
            (task.report)(Phase::Rewritten);
            equal.pixels += self.compare_pictures(&module, &recordings, &drawn)?;
            task.check_messages(Part::Lowered, is_not_about_points)?;
        }
        Ok(equal)
    }

    fn record(&self, module: &Module<'_>, setting: Setting) -> Result<Drawn, Stop> {
        let original = &self.original;
        let Original { inputs, leaves: wanted, .. } = original;
        let variant = Variant { part: Part::Lowered, module, inputs, wanted };
        let mut drawn = Drawn { setting, leaves: Vec::new(), recordings: Vec::new() };
        for placement in original.placements {
            let bind = |draw: &mut Draw<'_>, work: &mut Work<'_>| {
                host::bind(self.steps, &drawn.setting, draw, work);
                Ok(())
            };
            let (leaves, recording) =
                original.record_variant(variant, placement, |_| Ok(()), bind)?;
            drawn.recordings.push(recording);
            drawn.leaves = leaves;
        }
        Ok(drawn)
    }

    fn compare_outputs(&self, recordings: &[Recording], drawn: &Drawn) -> Result<(), Stop> {
        let outputs = Outputs::new(&self.expected, &drawn.leaves)?;
        for (right, found) in recordings.iter().zip(&drawn.recordings) {
            for slot in 0..right.placement.slots() {
                let [original, vertex] = [right, found].map(|one| one.vertex(slot as usize));
                outputs.check(original, vertex, &drawn.setting).map_err(|difference| {
                    Difference { vertex: Some(right.placement.vertex(slot)), ..*difference }
                })?;
            }
        }
        Ok(())
    }

    /// Returns how many pixels are covered.
    fn compare_pictures(
        &self,
        module: &Module<'_>,
        recordings: &[Recording],
        drawn: &Drawn,
    ) -> Result<u64, Stop> {
        let (device, expected) = (self.original.task.device, &self.expected);
        let scene = Scene { device, steps: self.steps, expected, has_same_order: true };
        if !scene.is_drawn(&self.original.leaves, module) {
            return Ok(0);
        }
        let places = Places::new(expected, &self.original.leaves, &drawn.leaves);
        let (mut primitives, mut drawables) = (Vec::new(), Vec::new());
        for (right, found) in recordings.iter().zip(&drawn.recordings) {
            for primitive in pictures::primitives(right.placement) {
                let drawable = drawable(&places, right, found, primitive, &drawn.setting);
                if scene.is_defined(&drawable) {
                    primitives.push(primitive);
                    drawables.push(drawable);
                }
            }
        }
        scene.compare(&drawables, |fragment| {
            self.draw(module, fragment, &primitives, &drawn.setting)
        })
    }

    /// The lowered stage, for each primitive by itself.
    fn draw(
        &self,
        module: &Module<'_>,
        fragment: &[u32],
        primitives: &[Primitive],
        setting: &Setting,
    ) -> Result<Outcome, Stop> {
        let original = &self.original;
        let work = original.inputs.work(primitives, |primitive: &Primitive, given, work| {
            let mut draw = original.draw(module.words(), primitive.placement);
            host::bind(self.steps, setting, &mut draw, work);
            given.give(&mut draw);
            pictures::rasterize(&mut draw, primitive.topology, fragment, work);
            draw
        });
        original.task.run(Part::Lowered, &work)
    }
}

fn drawable(
    places: &Places<'_>,
    right: &Recording,
    found: &Recording,
    primitive: Primitive,
    setting: &Setting,
) -> Drawable {
    let Primitive { topology, placement } = primitive;
    let vertices = primitive.vertices().map(|(number, instance)| {
        let slot = right.placement.slot(number, instance) as usize;
        places.vertex(right.vertex(slot), found.vertex(slot))
    });
    let primitives = vec![vertices.collect()];
    Drawable { title: format!("{topology:?}, {placement:?}, {setting:?}"), topology, primitives }
}
