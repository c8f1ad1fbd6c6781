//! Vertex stages: what a lowered one hands on is made of what the original does, and a scene of its primitives, each by
//! itself, is cut as the device's own clip distances cut it.

use super::expected::{Expected, Interface, Setting, components, expected};
use super::outputs::Outputs;
use super::scene::{Drawable, Places, Scene};
use super::{host, too_many};
use crate::compare::Recording;
use crate::initialise::without_feedback;
use crate::leaves::Leaf;
use crate::pictures::{self, Primitive};
use crate::run::{
    Original, Report, Stop, cannot_run, check_device, check_messages, each_seed, is_about_points,
    not_comparable, parse, variant,
};
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Job, Phase, Steps};
use polyshade::Module;
use polyshade_vulkan::{Device, Error, Outcome, Work};

/// Compares a lowered stage with the original.
pub(super) fn verify(
    job: &Job<'_>,
    steps: &Steps,
    device: &Device,
    (module, lowered): (&Module<'_>, &Module<'_>),
    report: &mut Report<'_>,
) -> Verdict {
    if let Some(why) = too_many(steps) {
        return Verdict::NotComparable(why);
    }
    each_seed(job, |seed| {
        let original = Original::new(job, device, module, seed)?;
        let interface = Interface {
            words: components(&original.leaves),
            leaves: &original.leaves,
            counts: None,
            marked: &steps.outputs,
        };
        let expected = expected(module, &interface, steps).map_err(not_comparable)?;
        let run = Run { original, steps, lowered, expected, seed };
        run.compare(report)
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
    fn compare(&self, report: &mut Report<'_>) -> Result<Equal, Stop> {
        let mut equal = Equal::default();
        report(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let device = self.original.device;
        let words = variant(self.original.job, Part::Lowered, self.lowered.words())?;
        let module = without_feedback(&parse(Part::Lowered, &words)?)
            .map_err(|error| Stop::from(Difference::new(Part::Lowered, error.to_string())))?;
        check_device(device, &module)?;
        for setting in host::settings(self.steps, self.seed) {
            report(Phase::Rewritten);
            let drawn = self.record(&module, setting)?;
            self.compare_outputs(&recordings, &drawn)?;
            check_messages(device, Part::Lowered, |message| !is_about_points(message))?;
            equal.words += drawn.recordings.iter().map(|one| one.words.len() as u64).sum::<u64>();
            report(Phase::Rewritten);
            equal.pixels += self.compare_pictures(&module, &recordings, &drawn)?;
            check_messages(device, Part::Lowered, |message| !is_about_points(message))?;
        }
        Ok(equal)
    }

    fn record(&self, module: &Module<'_>, setting: Setting) -> Result<Drawn, Stop> {
        let broken = |why: String| Stop::from(Difference::new(Part::Lowered, why));
        let (original, mut recordings) = (&self.original, Vec::new());
        let mut leaves = Vec::new();
        for placement in original.placements {
            let recorder = original.recorder(module, placement).map_err(broken)?;
            let recording =
                original.run_recorder(&recorder, placement, &original.inputs, |draw, work| {
                    host::bind(self.steps, &setting, draw, work);
                    Ok(())
                });
            recordings.push(recording.map_err(|error| cannot_run(Part::Lowered, &error))?);
            leaves = recorder.leaves;
        }
        Ok(Drawn { setting, leaves, recordings })
    }

    fn compare_outputs(&self, recordings: &[Recording], drawn: &Drawn) -> Result<(), Stop> {
        let outputs = Outputs::new(&self.expected, &drawn.leaves)?;
        for (right, found) in recordings.iter().zip(&drawn.recordings) {
            let placement = right.placement;
            for slot in 0..placement.slots() {
                let [original, vertex] = [right, found].map(|one| one.vertex(slot as usize));
                outputs.check(original, vertex, &drawn.setting).map_err(|difference| {
                    let vertex = placement.first_vertex + slot % placement.vertices;
                    let instance = placement.first_instance + slot / placement.vertices;
                    Difference { vertex: Some((vertex, instance)), ..*difference }
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
        let (device, expected) = (self.original.device, &self.expected);
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
            let outcome = self.draw(module, fragment, &primitives, &drawn.setting);
            outcome.map_err(|error| cannot_run(Part::Lowered, &error))
        })
    }

    /// The lowered stage, for each primitive by itself.
    fn draw(
        &self,
        module: &Module<'_>,
        fragment: &[u32],
        primitives: &[Primitive],
        setting: &Setting,
    ) -> Result<Outcome, Error> {
        let (original, mut work) = (&self.original, Work::default());
        let mut installed = None;
        for Primitive { topology, placement } in primitives {
            let given = original.inputs.next(installed.take(), &mut work);
            let mut draw = original.draw(module.words(), *placement);
            host::bind(self.steps, setting, &mut draw, &mut work);
            given.give(&mut draw);
            pictures::rasterize(&mut draw, *topology, fragment, &mut work);
            work.draws.push(draw);
            installed = Some(given);
        }
        original.device.run(&work)
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
