//! Vertex stages: compares the lowered stage's outputs with the model's results for the original's outputs, and
//! compares images.

use super::host;
use super::model::{Model, Vertex, components, recorded};
use super::outputs::Outputs;
use super::scene::{Drawable, Scene};
use crate::images::{self, Images, Primitive};
use crate::random::Values;
use crate::recording::Recording;
use crate::run::{Original, Task, Variant, is_not_about_points};
use crate::verdict::{Equal, Part, Stop, Verdict};
use crate::{ClipSteps, Phase};
use polyshade::Module;
use polyshade_vulkan::{Draw, Error, Work};

pub(super) fn verify(task: &Task<'_>, steps: &ClipSteps, lowered: &Module<'_>) -> Verdict {
    task.each_seed(|seed| {
        let original = &Original::of(task, (Values::Distances, seed))?;
        let model = Model::new(task, &original.leaves, &steps.outputs, None, steps)?;
        let mut equal = Equal::default();
        (task.report)(Phase::Original);
        let recordings = original.record(&mut equal)?;
        let keys = components(&original.leaves);
        let vertices = |one: &Recording| -> Vec<Vertex> {
            let words = one.words.chunks_exact(one.stride());
            let all = words.zip(one.undefined.chunks_exact(one.stride()));
            all.map(|(words, undefined)| recorded(&keys, words, |word| undefined[word])).collect()
        };
        let vertices = &recordings.iter().map(vertices).collect::<Vec<_>>();

        // Compare the lowered stage with each set of host parameters.
        let module = &task.lowered(lowered)?;
        for setting in host::settings(steps, seed) {
            let model = Model { setting, ..model.clone() };
            let scene = Scene::new(task, &model, None);
            let run = ClipVertexRun { original, vertices, module, scene };
            (task.report)(Phase::Rewritten);
            equal.words += run.compare_outputs()?;
            task.check_messages(Part::Lowered, is_not_about_points)?;
            if task.device.rasterizes() && scene.is_drawn(&original.leaves, module) {
                equal.pixels += run.compare_images()?;
            }
        }
        Ok(equal)
    })
}

/// One comparison, with one set of inputs and host parameters.
struct ClipVertexRun<'r> {
    original: &'r Original<'r>,
    /// The vertices of each placement, as the original writes them.
    vertices: &'r [Vec<Vertex>],
    module: &'r Module<'r>,
    scene: Scene<'r>,
}

impl ClipVertexRun<'_> {
    /// Compares all outputs, and returns the number of words that the lowered stage writes.
    fn compare_outputs(&self) -> Result<u64, Stop> {
        let ClipVertexRun { original, module, scene: Scene { model, .. }, .. } = *self;
        let Original { inputs, leaves: wanted, .. } = original;
        let variant = Variant { part: Part::Lowered, module, inputs, wanted };
        let mut words = 0;
        for (placement, vertices) in original.placements.into_iter().zip(self.vertices) {
            let bind = |draw: &mut Draw<'_>, work: &mut Work<'_>| {
                host::bind(Some(model), draw, work);
                Ok(())
            };
            let (leaves, found) = original.record_variant(variant, placement, bind)?;
            let outputs = Outputs::new(model, wanted, &leaves)?;
            for (slot, right) in (0..).zip(vertices) {
                let at = (format!("{:?}", model.setting), placement.vertex(slot));
                outputs.check(right, found.vertex(slot as usize), at)?;
            }
            words += found.words.len() as u64;
        }
        Ok(words)
    }

    /// Compares the images of all primitives, and returns the number of covered pixels.
    fn compare_images(&self) -> Result<u64, Stop> {
        let Original { plain, placements, leaves, .. } = self.original;
        let Model { setting, .. } = self.scene.model;
        let mut drawables = Vec::new();
        for (placement, vertices) in placements.iter().zip(self.vertices) {
            for primitive in images::primitives(*placement) {
                let Primitive { topology, placement: own } = primitive;
                let slots = primitive.vertices().map(|(number, of)| placement.slot(number, of));
                drawables.push(Drawable {
                    of: primitive,
                    title: format!("{topology:?}, {own:?}, {setting:?}"),
                    topology,
                    primitives: vec![slots.map(|slot| vertices[slot as usize].clone()).collect()],
                });
            }
        }
        let shaders = [(plain, None), (self.module, Some(self.scene.model))];
        self.scene.compare(drawables, (leaves, self.module), shaders, |shader, fragment, all| {
            self.draw(shader, fragment, all)
        })
    }

    /// Draws each primitive in a separate draw with one of the stages.
    fn draw(
        &self,
        (module, model): (&Module<'_>, Option<&Model>),
        fragment: &[u32],
        primitives: Vec<Primitive>,
    ) -> Result<Images, Error> {
        let original = self.original;
        let work = original.inputs.work(primitives, |primitive, given, work| {
            let mut draw = original.draw(module.words(), primitive.placement);
            host::bind(model, &mut draw, work);
            given.give(&mut draw);
            images::rasterize(&mut draw, primitive.topology, fragment, work);
            draw
        });
        original.task.device.count(&work)
    }
}
