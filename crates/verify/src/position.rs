//! Position-only variants: compares their outputs and images with the full shader's.

use crate::images::{self, Exactness, Primitive};
use crate::initialise::without_feedback;
use crate::inputs::Inputs;
use crate::leaves::Leaf;
use crate::library;
use crate::recording::{RecordShape, Recording, select};
use crate::run::{Original, Task, Variant, cannot_run, cannot_run_original, is_not_about_points};
use crate::verdict::{Equal, Part, Stop, Verdict, broken};
use crate::{Phase, Reduced};
use polyshade::position_only::{self, Keep};
use polyshade::spv::{BuiltIn, Capability, Id, StorageClass, Type};
use polyshade::{Error, Module};

pub(crate) fn verify(task: &Task<'_>, reduced: &Reduced<'_>) -> Result<Verdict, Error> {
    let (module, Reduced { target, options, .. }) = (task.original, reduced);
    let make = |variant| {
        let options = (*options).clone().variant(variant);
        Ok::<_, Error>(position_only::lower(module, *target, &options)?.module)
    };
    let made = [
        make(position_only::Variant::PositionOnly)?,
        make(position_only::Variant::Complement)?,
        make(position_only::Variant::Full)?,
    ];
    if let Some(why) = task.is_not_recorded() {
        return Ok(Verdict::NotComparable(why));
    }
    let keep = if reduced.keep.is_empty() { &RASTERIZERS[..] } else { &reduced.keep };
    Ok(task.each_seed(|seed| {
        let original = Original::new(task, seed)?;
        let leaves = &original.leaves;
        let lists = |leaf: &Leaf| keep.iter().any(|keep| is(module, leaves, keep, leaf));
        let captures = |leaf: &Leaf| reduced.captures && leaf.feedback.is_some();
        let kept = leaves.iter().filter(|leaf| lists(leaf) || captures(leaf)).cloned().collect();
        // The complement also writes outputs that are kept only for a capture, because the next stage reads them.
        let others = leaves.iter().filter(|leaf| !lists(leaf)).cloned().collect();
        PositionRun { original, made: &made, kept, others }.compare()
    }))
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

/// The outputs that the rasterizer needs.
static RASTERIZERS: [Keep; 7] = [
    Keep::Position,
    Keep::PointSize,
    Keep::ClipDistance,
    Keep::CullDistance,
    Keep::Layer,
    Keep::ViewportIndex,
    Keep::PrimitiveShadingRate,
];

/// Whether `keep` means the output that contains `leaf`, which is one of `leaves`.
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
            let block = m.pointee(leaf.variable).map(|ty| m.innermost_element(ty));
            let block = block.filter(|ty| matches!(m.ty(*ty), Some(Type::Struct { .. })));
            let is_member =
                leaf.builtin.is_some() && (leaf.name == *name || leaf.whole.as_ref() == Some(name));
            called(leaf.variable) || block.is_some_and(called) || is_member
        }
    }
}

struct PositionRun<'r> {
    original: Original<'r>,
    /// The position-only variant, the complement and the full shader, as polyshade makes them.
    made: &'r [Module<'r>; 3],
    /// The outputs that the position-only variant must have, and the outputs that the complement must have.
    kept: Vec<Leaf>,
    others: Vec<Leaf>,
}

impl PositionRun<'_> {
    fn compare(&self) -> Result<Equal, Stop> {
        let (task, mut equal) = (self.original.task, Equal::default());
        (task.report)(Phase::Original);
        let recordings = self.original.record(&mut equal)?;

        let (all, [position_only, complement, full]) = (&self.original.leaves, self.made);
        let parts = [
            (Part::Full, full, all),
            (Part::PositionOnly, position_only, &self.kept),
            (Part::Complement, complement, &self.others),
        ];
        for (part, made, wanted) in parts.into_iter().filter(|one| task.is_judged(one.0)) {
            (task.report)(Phase::Rewritten);
            equal.words += self.compare_outputs((part, made), wanted, &recordings)?;
            task.check_messages(part, is_not_about_points)?;
        }
        // Compare images, if removed outputs cannot change them.
        if !task.device.rasterizes()
            || !task.is_judged(Part::PositionOnly)
            || all.iter().any(|leaf| leaf.builtin.is_some_and(chooses_a_layer))
            || self.loses_coverage(&recordings)
            // Each primitive is a separate draw with a different base vertex.
            || task.original.has_capability(Capability::DRAW_PARAMETERS)
        {
            return Ok(equal);
        }
        equal.pixels += self.compare_images(&recordings)?;
        Ok(equal)
    }

    /// Whether a removed output decides coverage. Distances that are never written are 0 and clip nothing.
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

    /// Checks that a variant has the wanted outputs of the original, and no others.
    fn compare_outputs(
        &self,
        (part, made): (Part, &Module<'_>),
        wanted: &[Leaf],
        recordings: &[Recording],
    ) -> Result<u64, Stop> {
        let (module, inputs) = self.prepare(part, made)?;
        let variant = Variant { part, module: &module, inputs: &inputs, wanted };
        let check = |leaves: &[Leaf]| {
            let is_wanted = |leaf: &&Leaf| wanted.iter().any(|one| one.is_same_output(leaf));
            leaves.iter().find(|leaf| !is_wanted(leaf)).map_or(Ok(()), |leaf| {
                Err(format!("it has the unexpected output {}", leaf.title()))
            })
        };
        self.original.compare_outputs(variant, recordings, check, |_, _, _| {})
    }

    /// Returns a variant for drawing, with the inputs that it reads.
    fn prepare(&self, part: Part, made: &Module<'_>) -> Result<(Module<'static>, Inputs), Stop> {
        let Original { task, inputs, .. } = &self.original;
        let module = task.variant(part, made)?;
        let module = without_feedback(&module).map_err(|error| broken(part, error))?;
        let read = task.leaves(&module, StorageClass::INPUT);
        let inputs = read.and_then(|read| inputs.of_variant(&module, &read));
        Ok((module, inputs.map_err(|why| broken(part, why))?))
    }

    /// Checks that the position-only variant covers the same pixels as the original, at the same depth.
    fn compare_images(&self, recordings: &[Recording]) -> Result<u64, Stop> {
        let primitives = self.primitives(recordings);
        let draw = |module: &Module<'_>, inputs: &Inputs| {
            let work = inputs.work(&primitives, |primitive: &Primitive, given, work| {
                let mut draw = self.original.draw(module.words(), primitive.placement);
                given.give(&mut draw);
                images::rasterize(&mut draw, primitive.topology, &library::DEPTH, work);
                draw
            });
            self.original.task.device.count(&work)
        };
        let (part, task) = (Part::PositionOnly, self.original.task);
        (task.report)(Phase::Original);
        let right = draw(&self.original.plain, &self.original.inputs);
        let right = right.map_err(cannot_run_original)?;
        task.check_original(|_| true)?;
        (task.report)(Phase::Rewritten);
        let (module, inputs) = self.prepare(part, &self.made[0])?;
        let found = draw(&module, &inputs).map_err(|error| cannot_run(part, &error))?;
        task.check_messages(part, |_| true)?;
        let titles =
            primitives.iter().map(|one| format!("{:?}, {:?}", one.topology, one.placement));
        images::compare(part, [&right, &found], Exactness::Exact, titles)
    }

    /// Returns the primitives that can be drawn; none if the shader has no position.
    fn primitives(&self, recordings: &[Recording]) -> Vec<Primitive> {
        let leaves = &self.original.leaves;
        let is_position = |leaf: &Leaf| leaf.builtin == Some(BuiltIn::POSITION) && leaf.count == 4;
        let Some(position) = leaves.iter().position(is_position) else { return Vec::new() };
        let shape = RecordShape::of(leaves);
        let mut primitives = Vec::new();
        for recording in recordings {
            let is_drawable = |vertex| {
                let words = &recording.words[shape.range(recording.placement, vertex, position)];
                images::is_drawable([0, 1, 2, 3].map(|axis| f32::from_bits(words[axis])))
            };
            let all = images::primitives(recording.placement).into_iter();
            primitives.extend(all.filter(|one| one.vertices().all(is_drawable)));
        }
        primitives
    }
}

/// Whether a built-in selects the layer or viewport of a primitive. Images have only one layer and one viewport.
pub(crate) fn chooses_a_layer(builtin: BuiltIn) -> bool {
    LAYER.contains(&builtin)
        || VIEWPORT.contains(&builtin)
        || builtin == BuiltIn::PRIMITIVE_SHADING_RATE_KHR
}
