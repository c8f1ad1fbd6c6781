//! Position-only variants: what they hand on is what the full shader does, and where they are drawn too.

use crate::compare::{Recording, Shape, select};
use crate::initialise::without_feedback;
use crate::inputs::Inputs;
use crate::leaves::Leaf;
use crate::library;
use crate::pictures::{self, Exactness, Primitive};
use crate::run::{
    Original, Report, Stop, cannot_run, check_messages, each_seed, is_about_points, parse, variant,
};
use crate::verdict::{Difference, Equal, Part, Verdict};
use crate::{Job, Phase, Reduced};
use polyshade::position_only::{self, Keep};
use polyshade::spv::{BuiltIn, Capability, ExecutionModel, Id, Type};
use polyshade::{Error, Module};
use polyshade_vulkan::{Device, Message, Work};

/// Compares the variants with the original.
pub(crate) fn verify(
    job: &Job<'_>,
    reduced: &Reduced<'_>,
    device: &Device,
    original: &Module<'_>,
    report: &mut Report<'_>,
) -> Result<Verdict, Error> {
    let made = Made {
        position_only: position_only::derive(original, reduced.target, reduced.options)?.module,
        complement: position_only::complement(original, reduced.target, reduced.options)?.module,
        full: position_only::full(original, reduced.target, reduced.options)?.module,
    };
    if job.stage != ExecutionModel::VERTEX {
        let why = format!("what a {} stage hands on is not recorded: vertex stages are", job.stage);
        return Ok(Verdict::NotComparable(why));
    }
    Ok(each_seed(job, |seed| {
        let module = original;
        let original = Original::new(job, device, module, seed)?;
        let leaves = &original.leaves;
        let lists = |leaf: &Leaf| reduced.lists(module, leaves, leaf);
        let captures = |leaf: &Leaf| reduced.captures && leaf.feedback.is_some();
        let kept = leaves.iter().filter(|leaf| lists(leaf) || captures(leaf)).cloned().collect();
        // What is kept to be captured is handed on to the next stage by the other run.
        let others = leaves.iter().filter(|leaf| !lists(leaf)).cloned().collect();
        Run { original, made: &made, kept, others }.compare(report)
    }))
}

/// The variants that polyshade makes.
struct Made<'m> {
    position_only: Module<'m>,
    complement: Module<'m>,
    full: Module<'m>,
}

impl Reduced<'_> {
    /// Whether the keep-list names an output.
    fn lists(&self, m: &Module<'_>, leaves: &[Leaf], leaf: &Leaf) -> bool {
        match self.keep.as_slice() {
            [] => leaf.builtin.is_some_and(is_the_rasterizers),
            keep => keep.iter().any(|keep| is(m, leaves, keep, leaf)),
        }
    }
}

const POSITION: [BuiltIn; 3] =
    [BuiltIn::POSITION, BuiltIn::POSITION_PER_VIEW_NV, BuiltIn::SECONDARY_POSITION_NV];
const CLIP_DISTANCE: [BuiltIn; 2] = [BuiltIn::CLIP_DISTANCE, BuiltIn::CLIP_DISTANCE_PER_VIEW_NV];
const CULL_DISTANCE: [BuiltIn; 2] = [BuiltIn::CULL_DISTANCE, BuiltIn::CULL_DISTANCE_PER_VIEW_NV];
const LAYER: [BuiltIn; 2] = [BuiltIn::LAYER, BuiltIn::LAYER_PER_VIEW_NV];
const VIEWPORT: [BuiltIn; 4] = [
    BuiltIn::VIEWPORT_INDEX,
    BuiltIn::VIEWPORT_MASK_NV,
    BuiltIn::VIEWPORT_MASK_PER_VIEW_NV,
    BuiltIn::SECONDARY_VIEWPORT_MASK_NV,
];

/// Whether the rasterizer needs a built-in.
fn is_the_rasterizers(builtin: BuiltIn) -> bool {
    let alone = [BuiltIn::POINT_SIZE, BuiltIn::PRIMITIVE_SHADING_RATE_KHR];
    [&POSITION[..], &CLIP_DISTANCE, &CULL_DISTANCE, &LAYER, &VIEWPORT, &alone]
        .concat()
        .contains(&builtin)
}

/// Whether `keep` means the output that `leaf`, one of `leaves`, is a part of.
fn is(m: &Module<'_>, leaves: &[Leaf], keep: &Keep, leaf: &Leaf) -> bool {
    let builtin = |wanted: &[BuiltIn]| leaf.builtin.is_some_and(|one| wanted.contains(&one));
    match keep {
        Keep::Position => builtin(&POSITION),
        Keep::PointSize => builtin(&[BuiltIn::POINT_SIZE]),
        Keep::ClipDistance => builtin(&CLIP_DISTANCE),
        Keep::CullDistance => builtin(&CULL_DISTANCE),
        Keep::Layer => builtin(&LAYER),
        Keep::ViewportIndex => builtin(&VIEWPORT),
        Keep::PrimitiveShadingRate => builtin(&[BuiltIn::PRIMITIVE_SHADING_RATE_KHR]),
        Keep::BuiltIn(wanted) => leaf.builtin == Some(*wanted),
        Keep::Location(location) => {
            let of_variable = leaves.iter().filter(|one| one.variable == leaf.variable);
            of_variable.filter_map(|one| one.register).any(|(first, _)| first == *location)
        }
        Keep::Name(name) => {
            let called = |id: Id| m.name(id).as_deref() == Some(name.as_str());
            let pointee = m.type_of(leaf.variable).and_then(|ty| m.pointer(ty));
            let block = pointee.map(|(_, ty)| m.innermost_element(ty));
            let block = block.filter(|ty| matches!(m.ty(*ty), Some(Type::Struct { .. })));
            let is_member =
                leaf.builtin.is_some() && (leaf.name == *name || leaf.whole.as_ref() == Some(name));
            called(leaf.variable) || block.is_some_and(called) || is_member
        }
    }
}

/// One comparison, with one set of inputs.
struct Run<'r> {
    original: Original<'r>,
    made: &'r Made<'r>,
    /// The outputs that the position-only variant is to have, and those of the complement.
    kept: Vec<Leaf>,
    others: Vec<Leaf>,
}

impl Run<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Equal, Stop> {
        let mut equal = Equal::default();
        report(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let all = &self.original.leaves;
        let parts = [
            (Part::Full, &self.made.full, all),
            (Part::PositionOnly, &self.made.position_only, &self.kept),
            (Part::Complement, &self.made.complement, &self.others),
        ];
        for (part, made, wanted) in parts {
            report(Phase::Rewritten);
            let words = variant(self.original.job, part, made.words())?;
            self.compare_outputs(part, &words, wanted, &recordings, &mut equal)?;
            check_messages(self.original.device, part, counts)?;
        }
        if all.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer))
            || self.loses_coverage(&recordings)
            // A draw of one primitive has another first vertex.
            || self.made.full.has_capability(Capability::DRAW_PARAMETERS)
        {
            return Ok(equal);
        }
        report(Phase::Rewritten);
        self.compare_pictures(&recordings, &mut equal)?;
        check_messages(self.original.device, Part::PositionOnly, counts)?;
        Ok(equal)
    }

    /// Whether something goes that decides coverage. Distances that are never written are 0, and cut nothing.
    fn loses_coverage(&self, recordings: &[Recording]) -> bool {
        let decides = |leaf: &&Leaf| {
            let coverage = [&POSITION[..], &CLIP_DISTANCE, &CULL_DISTANCE].concat();
            leaf.builtin.is_some_and(|builtin| coverage.contains(&builtin))
        };
        let lost: Vec<Leaf> = self.others.iter().filter(decides).cloned().collect();
        recordings.iter().any(|recording| {
            let lost = select(recording, &self.original.leaves, &lost);
            lost.is_ok_and(|lost| lost.words.iter().any(|word| *word != 0))
        })
    }

    /// What a variant hands on is what the original does, and no more.
    fn compare_outputs(
        &self,
        part: Part,
        words: &[u32],
        wanted: &[Leaf],
        recordings: &[Recording],
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        let broken = |why: String| Stop::from(Difference::new(part, why));
        let (module, inputs) = self.prepare(part, words)?;
        let (original, shape) = (&self.original, Shape::of(wanted));
        for right in recordings {
            let recorder = original.recorder(&module, right.placement).map_err(broken)?;
            let is_wanted = |leaf: &&Leaf| wanted.iter().any(|one| one.is_same_output(leaf));
            if let Some(leaf) = recorder.leaves.iter().find(|leaf| !is_wanted(leaf)) {
                return Err(broken(format!("it has the output {}, and should not", leaf.title())));
            }
            let found = original
                .run_recorder(&recorder, right.placement, &inputs, |_, _| Ok(()))
                .map_err(|error| cannot_run(part, &error))?;
            let found = select(&found, &recorder.leaves, wanted)
                .map_err(|leaf| broken(format!("it lacks the output {}", leaf.title())))?;
            let right =
                select(right, &original.leaves, wanted).expect("what is wanted is of the original");
            if let Some(difference) =
                original.comparison(part, &[], &shape).recordings(&right, &found)
            {
                return Err(difference.into());
            }
            equal.words += found.words.len() as u64;
        }
        Ok(())
    }

    /// A variant to be drawn, with those of the inputs that it has.
    fn prepare<'w>(&self, part: Part, words: &'w [u32]) -> Result<(Module<'static>, Inputs), Stop> {
        let broken = |error: Error| Stop::from(Difference::new(part, error.to_string()));
        let module: Module<'w> = parse(part, words)?;
        let module = without_feedback(&module).map_err(broken)?;
        let job = self.original.job;
        let entry = module.entry_point(job.entry, ExecutionModel::VERTEX).map_err(broken)?;
        let inputs = self.original.inputs.of_variant(&module, entry, &job.specialization);
        let inputs = inputs.map_err(|why| Stop::from(Difference::new(part, why)))?;
        Ok((module, inputs))
    }

    /// The variant covers the pixels that the full shader does, as deep.
    fn compare_pictures(&self, recordings: &[Recording], equal: &mut Equal) -> Result<(), Stop> {
        let primitives = self.primitives(recordings);
        let parts = [(Part::Full, &self.made.full), (Part::PositionOnly, &self.made.position_only)];
        let mut drawn = Vec::new();
        for (part, made) in parts {
            let words = variant(self.original.job, part, made.words())?;
            let (module, inputs) = self.prepare(part, &words)?;
            let mut work = Work::default();
            let mut installed = None;
            for Primitive { topology, placement } in &primitives {
                let given = inputs.next(installed.take(), &mut work);
                let mut draw = self.original.draw(module.words(), *placement);
                given.give(&mut draw);
                pictures::rasterize(&mut draw, *topology, &library::DEPTH, &mut work);
                work.draws.push(draw);
                installed = Some(given);
            }
            let outcome = self.original.device.run(&work);
            drawn.push(outcome.map_err(|error| cannot_run(part, &error))?.targets);
        }
        let [right, found] = [0, 1].map(|part: usize| &drawn[part]);
        for ((right, found), primitive) in right.iter().zip(found).zip(&primitives) {
            let part = Part::PositionOnly;
            if let Some(difference) = pictures::difference(part, right, found, Exactness::Exact) {
                let draw = format!("{:?}, {:?}", primitive.topology, primitive.placement);
                return Err(Difference { draw: Some(draw), ..difference }.into());
            }
            equal.pixels += pictures::covered(right);
        }
        Ok(())
    }

    /// The primitives that can be drawn; none where the shader has no position.
    fn primitives(&self, recordings: &[Recording]) -> Vec<Primitive> {
        let leaves = &self.original.leaves;
        let is_position = |leaf: &Leaf| leaf.builtin == Some(BuiltIn::POSITION) && leaf.count == 4;
        let Some(position) = leaves.iter().position(is_position) else { return Vec::new() };
        let shape = Shape::of(leaves);
        let mut primitives = Vec::new();
        for recording in recordings {
            let is_drawable = |(vertex, instance)| {
                let words = shape.words(recording, vertex, instance, position);
                pictures::is_drawable([0, 1, 2, 3].map(|axis| f32::from_bits(words[axis])))
            };
            let all = pictures::primitives(recording.placement).into_iter();
            primitives.extend(all.filter(|one| one.vertices().all(is_drawable)));
        }
        primitives
    }
}

fn counts(message: &Message) -> bool {
    !is_about_points(message)
}

/// Whether a built-in says where a primitive is drawn: pictures have one layer, and one viewport.
pub(crate) fn chooses_a_layer(builtin: BuiltIn) -> bool {
    LAYER.contains(&builtin)
        || VIEWPORT.contains(&builtin)
        || builtin == BuiltIn::PRIMITIVE_SHADING_RATE_KHR
}
