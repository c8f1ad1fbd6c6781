//! Vertex stages: what a lowered one hands on is made of what the original does, and a scene of its primitives, each by
//! itself, is drawn as the original draws it.

use super::host;
use super::model::{Model, Setting, Vertex, components, recorded};
use super::outputs::Outputs;
use super::scene::{Drawable, Scene, Shader};
use crate::leaves::Leaf;
use crate::pictures::{self, Pictures, Primitive};
use crate::recording::Recording;
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
        let model = Model::new(task.original, interface, &steps.outputs, None, steps);
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

/// The outputs that a stage has, and what it hands on.
type Recorded = (Vec<Leaf>, Vec<Recording>);

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
            let found = self.record(&module, &setting)?;
            self.compare_outputs(&vertices, &found, &setting)?;
            task.check_messages(Part::Lowered, is_not_about_points)?;
            equal.words += found.1.iter().map(|one| one.words.len() as u64).sum::<u64>();
            equal.pixels += self.compare_pictures(&module, &vertices, &setting)?;
        }
        Ok(equal)
    }

    /// What the lowered stage hands on, for each placement.
    fn record(&self, module: &Module<'_>, setting: &Setting) -> Result<Recorded, Stop> {
        let original = &self.original;
        let Original { inputs, leaves: wanted, .. } = original;
        let variant = Variant { part: Part::Lowered, module, inputs, wanted };
        let mut drawn = (Vec::new(), Vec::new());
        for placement in original.placements {
            let bind = |draw: &mut Draw<'_>, work: &mut Work<'_>| {
                host::bind(self.steps, setting, draw, work);
                Ok(())
            };
            let (leaves, recording) =
                original.record_variant(variant, placement, |_| Ok(()), bind)?;
            drawn.0 = leaves;
            drawn.1.push(recording);
        }
        Ok(drawn)
    }

    fn compare_outputs(
        &self,
        vertices: &[Vec<Vertex>],
        (leaves, found): &Recorded,
        setting: &Setting,
    ) -> Result<(), Stop> {
        let outputs = Outputs::new((&self.model, setting), &self.original.leaves, leaves)?;
        for (right, found) in vertices.iter().zip(found) {
            for (slot, right) in (0..).zip(right) {
                outputs.check(right, found.vertex(slot as usize)).map_err(|difference| {
                    Difference { vertex: Some(found.placement.vertex(slot)), ..*difference }
                })?;
            }
        }
        Ok(())
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
        let (mut primitives, mut drawables) = (Vec::new(), Vec::new());
        for (placement, vertices) in placements.iter().zip(vertices) {
            for primitive in pictures::primitives(*placement) {
                let Primitive { topology, placement: own } = primitive;
                let slots = primitive.vertices().map(|(number, of)| placement.slot(number, of));
                let drawable = Drawable {
                    title: format!("{topology:?}, {own:?}, {setting:?}"),
                    topology,
                    primitives: vec![slots.map(|slot| vertices[slot as usize].clone()).collect()],
                };
                if scene.is_defined(&drawable) {
                    primitives.push(primitive);
                    drawables.push(drawable);
                }
            }
        }
        scene.compare(&drawables, (leaves, module), |shader, fragment, chosen| {
            let primitives = chosen.iter().map(|at| primitives[*at]);
            match shader {
                Shader::Original => self.draw(&self.original.plain, fragment, primitives, None),
                Shader::Lowered => self.draw(module, fragment, primitives, Some(setting)),
            }
        })
    }

    /// One of the stages, for each primitive by itself.
    fn draw(
        &self,
        module: &Module<'_>,
        fragment: &[u32],
        primitives: impl Iterator<Item = Primitive>,
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
