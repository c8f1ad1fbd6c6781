//! Vertex stages: what a lowered one hands on is made of what the original does, and a scene of its primitives, each by
//! itself, is drawn as the original draws it.

use super::host;
use super::model::{Model, Setting, Vertex, components, recorded};
use super::outputs::Outputs;
use super::scene::{Drawable, Scene, Shader};
use crate::pictures::{self, Pictures, Primitive};
use crate::run::{Original, Task, Variant, is_not_about_points};
use crate::verdict::{Difference, Equal, Part, Stop, Verdict, not_comparable};
use crate::{Phase, Steps};
use polyshade::Module;
use polyshade_vulkan::{Draw, Error, Work};

/// Compares a lowered stage with the original.
pub(super) fn verify(task: &Task<'_>, steps: &Steps, lowered: &Module<'_>) -> Verdict {
    task.each_seed(|seed| {
        let original = Original::new(task, seed)?;
        let keys = components(&original.leaves).into_keys().collect();
        let interface = (original.leaves.as_slice(), &keys);
        let model = Model::new(task.job.module, interface, &steps.outputs, None, steps);
        let model = model.map_err(not_comparable)?;
        Run { original, steps, lowered, model, seed }.compare()
    })
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    original: Original<'r>,
    steps: &'r Steps,
    lowered: &'r Module<'r>,
    model: Model,
    seed: u64,
}

impl Run<'_> {
    fn compare(&self) -> Result<Equal, Stop> {
        let (task, mut equal) = (self.original.task, Equal::default());
        (task.report)(Phase::Original);
        let recordings = self.original.record(&mut equal)?;
        let keys = components(&self.original.leaves);
        // The vertices of each placement, as the original hands them on.
        let vertices: Vec<Vec<Vertex>> = recordings
            .iter()
            .map(|one| {
                let words = one.words.chunks_exact(one.stride());
                let all = words.zip(one.undefined.chunks_exact(one.stride()));
                all.map(|(words, undefined)| recorded(&keys, words, undefined)).collect()
            })
            .collect();

        let module = task.lowered(self.lowered)?;
        for setting in host::settings(self.steps, self.seed) {
            (task.report)(Phase::Rewritten);
            equal.words += self.compare_outputs(&module, &vertices, &setting)?;
            task.check_messages(Part::Lowered, is_not_about_points)?;
            if task.device.rasterizes() {
                equal.pixels += self.compare_pictures(&module, &vertices, &setting)?;
            }
        }
        Ok(equal)
    }

    /// Returns how many words the lowered stage hands on.
    fn compare_outputs(
        &self,
        module: &Module<'_>,
        vertices: &[Vec<Vertex>],
        setting: &Setting,
    ) -> Result<u64, Stop> {
        let original = &self.original;
        let Original { inputs, leaves: wanted, .. } = original;
        let variant = Variant { part: Part::Lowered, module, inputs, wanted };
        let mut words = 0;
        for (placement, vertices) in original.placements.into_iter().zip(vertices) {
            let bind = |draw: &mut Draw<'_>, work: &mut Work<'_>| {
                host::bind(self.steps, setting, draw, work);
                Ok(())
            };
            let (leaves, found) = original.record_variant(variant, placement, bind)?;
            let outputs = Outputs::new((&self.model, setting), wanted, &leaves)?;
            for (slot, right) in (0..).zip(vertices) {
                outputs.check(right, found.vertex(slot as usize)).map_err(|difference| {
                    Difference { vertex: Some(placement.vertex(slot)), ..*difference }
                })?;
            }
            words += found.words.len() as u64;
        }
        Ok(words)
    }

    /// Returns how many pixels are covered.
    fn compare_pictures(
        &self,
        module: &Module<'_>,
        vertices: &[Vec<Vertex>],
        setting: &Setting,
    ) -> Result<u64, Stop> {
        let Original { task, placements, leaves, .. } = &self.original;
        let scene = Scene::new(task, self.steps, (&self.model, setting), None);
        if !scene.is_drawn(leaves, module) {
            return Ok(0);
        }
        let mut drawables = Vec::new();
        for (placement, vertices) in placements.iter().zip(vertices) {
            for primitive in pictures::primitives(*placement) {
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
        scene.compare(drawables, (leaves, module), |shader, fragment, primitives| match shader {
            Shader::Original => self.draw(&self.original.plain, fragment, primitives, None),
            Shader::Lowered => self.draw(module, fragment, primitives, Some(setting)),
        })
    }

    /// One of the stages, for each primitive by itself.
    fn draw(
        &self,
        module: &Module<'_>,
        fragment: &[u32],
        primitives: Vec<Primitive>,
        setting: Option<&Setting>,
    ) -> Result<Pictures, Error> {
        let original = &self.original;
        let work = original.inputs.work(primitives, |primitive, given, work| {
            let mut draw = original.draw(module.words(), primitive.placement);
            if let Some(setting) = setting {
                host::bind(self.steps, setting, &mut draw, work);
            }
            given.give(&mut draw);
            pictures::rasterize(&mut draw, primitive.topology, fragment, work);
            draw
        });
        original.task.device.count(&work)
    }
}
