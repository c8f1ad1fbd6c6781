//! Advanced blend equations: compares overlapping triangles with a model in double precision.
//!
//! The triangles are drawn over a random background. Draws of the original without blending provide the source
//! colours. After each triangle, covered pixels must have the model's result, and other pixels must be unchanged.

mod colours;
mod doubled;
mod draws;

use crate::inputs::Inputs;
use crate::leaves::{Leaf, ScalarKind};
use crate::random::{Random, Values};
use crate::run::Task;
use crate::synthetic_vertex;
use crate::targets::{self, Colour, Image, SIDE};
use crate::verdict::{Difference, Equal, Part, Stop, Value, Verdict, not_comparable};
use crate::{BlendedAs, Blends, NO_DEFINED_COLOUR, Phase};
use colours::Meeting;
use draws::CORNERS;
use polyshade::advanced_blend::{
    self, ArrayLayerSource, Blending, ColorBlend, Destination, Equation,
};
use polyshade::host::Lowered;
use polyshade::spv::{BuiltIn, StorageClass};
use polyshade::{Error, Module};
use std::collections::BTreeMap;

pub(crate) fn verify(task: &Task<'_>, blends: &Blends<'_>) -> Result<Verdict, Error> {
    let lowered = advanced_blend::lower(task.original, blends.target, blends.options)?;
    if let Some(why) = is_not_drawn(blends, &lowered) {
        return Ok(Verdict::NotComparable(why));
    }
    Ok(task.each_seed(|seed| BlendRun::new(task, blends, &lowered, seed)?.compare()))
}

/// The result of a lowering, with the blending of each lowered target by location.
type Blended<'m> = Lowered<'m, BTreeMap<u32, ColorBlend>>;

/// Returns why the requested blending cannot be drawn; `None` if it can.
fn is_not_drawn(blends: &Blends<'_>, lowered: &Blended<'_>) -> Option<String> {
    if let Some(extension) = lowered.requirements.extensions.first() {
        return Some(format!("the device lacks {extension}, or the extension is not enabled"));
    }
    let is_fixed = |target: &ColorBlend| !matches!(target.blending(), Blending::Equations(_));
    if lowered.result.values().any(is_fixed) {
        return Some(
            "the model supports only advanced equations, and a target uses other blending"
                .to_owned(),
        );
    }
    match blends.destination {
        _ if blends.alpha_to_coverage => {
            Some("the model does not support alpha to coverage".to_owned())
        }
        _ if blends.multisampled => {
            Some("the model does not support multisampled targets".to_owned())
        }
        Destination::InputAttachment { index, .. } if index != 0 => {
            Some("the model supports input attachments only from index 0".to_owned())
        }
        Destination::Texture {
            layer: ArrayLayerSource::Layer | ArrayLayerSource::View, ..
        } => Some("the model does not support layered targets".to_owned()),
        _ => None,
    }
}

struct BlendRun<'r> {
    task: &'r Task<'r>,
    blends: &'r Blends<'r>,
    lowered: &'r Blended<'r>,
    inputs: Inputs,
    /// The vertex stage that writes the inputs of the fragment stage.
    synthetic_vertex: Vec<u32>,
    targets: Vec<BlendTarget>,
    seed: u64,
}

/// A colour attachment; its index is its location.
struct BlendTarget {
    drawn: targets::ColourTarget,
    how: Option<BlendedAs>,
    /// Whether the source alpha is always 1, regardless of the shader's output.
    alpha_to_one: bool,
}

impl BlendTarget {
    /// Returns the source colour to blend, given the colour that the shader writes.
    fn blended(&self, mut source: Colour) -> Colour {
        if self.alpha_to_one {
            source.0[3] = 1.0_f32.to_bits();
        }
        source
    }
}

/// The selection for a target: a parameter value, and the equation that it selects. With `None`, the source colour
/// passes through.
type Selected = (u32, Option<Equation>);

/// Bits that no number of an equation has.
const BITS: [u32; 4] = [8, 12, 16, 31];

/// Returns the parameter values that select a target's equations.
fn declared(how: &BlendedAs) -> impl Iterator<Item = u32> {
    how.equations.iter().copied().map(Equation::word)
}

/// The colours that a shader writes to the pixels of a target.
type SourceColours = Vec<Pixel>;

/// The colour that a shader writes to a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pixel {
    Covered(Colour),
    Uncovered,
    /// The coverage or the colour is undefined.
    Undefined,
}

impl<'r> BlendRun<'r> {
    fn new(
        task: &'r Task<'r>,
        blends: &'r Blends<'r>,
        lowered: &'r Blended<'r>,
        seed: u64,
    ) -> Result<BlendRun<'r>, Stop> {
        task.check_device(task.original)?;
        let leaves = |class| task.leaves(task.original, class).map_err(not_comparable);
        let read = leaves(StorageClass::INPUT)?;
        // The synthetic vertex stage does not write distances.
        let distances = [BuiltIn::CLIP_DISTANCE, BuiltIn::CULL_DISTANCE].map(Some);
        if let Some(leaf) = read.iter().find(|leaf| distances.contains(&leaf.builtin)) {
            return Err(not_comparable(format!(
                "the generated vertex stage cannot write the input {}",
                leaf.title()
            )));
        }
        let inputs = task.inputs((Values::Colours, seed), CORNERS)?;
        let synthetic_vertex =
            synthetic_vertex::stage(None, &synthetic_vertex::varyings(&read)?, &[])?;
        let targets = targets(leaves(StorageClass::OUTPUT)?, blends)?;
        Ok(BlendRun { task, blends, lowered, inputs, synthetic_vertex, targets, seed })
    }

    fn compare(&self) -> Result<Equal, Stop> {
        let task = self.task;
        (task.report)(Phase::Original);
        let mut sources = self.draw_sources()?;
        task.check_original(|_| true)?;

        let module = task.variant(Part::Lowered, &self.lowered.module)?;
        task.check_device(&module)?;
        match self.compare_draws(&module, &sources) {
            Err(different @ Stop::Different(_)) => {
                // The driver may round a colour differently if the shader computes more. That must not count as a
                // difference.
                (task.report)(Phase::Original);
                match self.leave_out_unsteady(&mut sources)? {
                    true => self.compare_draws(&module, &sources),
                    false => Err(different),
                }
            }
            other => other,
        }
    }

    /// Compares the result of each draw with the model's result for the source colours.
    fn compare_draws(
        &self,
        module: &Module<'_>,
        sources: &[Vec<SourceColours>],
    ) -> Result<Equal, Stop> {
        let (task, mut equal) = (self.task, Equal::default());
        let selections = self.selections();
        let background = vec![self.background(); selections.len()];
        let mut images = background.clone();
        // Compare triangle by triangle, each drawn over the previous result.
        for (triangle, sources) in sources.iter().enumerate() {
            (task.report)(Phase::Rewritten);
            let drawn = (triangle..triangle + 1, images.as_slice());
            let found = self.draw_blended(module.words(), &selections, drawn)?;
            for (selection, (before, after)) in selections.iter().zip(images.iter().zip(&found)) {
                for (number, target) in self.targets.iter().enumerate() {
                    let pair = (&before[number], &after[number]);
                    equal.pixels += compare(target, selection[number], &sources[number], pair)
                        .map_err(|difference| with_draw(*difference, triangle, selection))?;
                }
                equal.draws += 1;
            }
            images = found;
        }
        self.compare_undeclared(module, &sources[0])?;
        // A single draw of all triangles must give the same images.
        if self.is_in_order() {
            (task.report)(Phase::Rewritten);
            let drawn = (0..sources.len(), background.as_slice());
            let found = self.draw_blended(module.words(), &selections, drawn)?;
            let mut all = selections.iter().zip(found.iter().zip(&images));
            if let Some((selection, _)) = all.find(|(_, (one, other))| !self.are_same(one, other)) {
                let message = "consecutive draws give a different result than separate draws";
                let difference = Difference::new(Part::Lowered, message);
                return Err(with_draw(difference, sources.len(), selection).into());
            }
        }
        task.check_messages(Part::Lowered, |_| true)?;
        match equal.pixels {
            0 => Err(not_comparable(NO_DEFINED_COLOUR)),
            _ => Ok(equal),
        }
    }

    /// Checks that the source passes through if a parameter selects none of a target's equations, with the first
    /// triangle.
    fn compare_undeclared(
        &self,
        module: &Module<'_>,
        sources: &[SourceColours],
    ) -> Result<(), Stop> {
        let selections = self.undeclared();
        let background = vec![self.background(); selections.len()];
        let found = self.draw_blended(module.words(), &selections, (0..1, &background))?;
        for (selection, (before, after)) in selections.iter().zip(background.iter().zip(&found)) {
            for (number, target) in self.targets.iter().enumerate() {
                let pair = (&before[number], &after[number]);
                compare(target, selection[number], &sources[number], pair)
                    .map_err(|difference| with_draw(*difference, 0, selection))?;
            }
        }
        Ok(())
    }

    /// Whether images are equal in the components that the shader writes.
    fn are_same(&self, one: &[Image], other: &[Image]) -> bool {
        let mut targets = self.targets.iter().zip(one.iter().zip(other));
        targets.all(|(target, (one, other))| {
            one.iter().zip(other).all(|(one, other)| target.drawn.is_same(*one, *other))
        })
    }

    /// Whether the triangles can be drawn in one draw: no copy of the target is needed in between, and no undefined
    /// result is read.
    fn is_in_order(&self) -> bool {
        let is_whole =
            |target: &BlendTarget| target.how.is_none() || target.drawn.written() == [true; 4];
        !matches!(self.blends.destination, Destination::Texture { .. })
            && self.targets.iter().all(is_whole)
    }

    /// Returns selections that contain every equation of every target, and a selection that passes the source
    /// through.
    fn selections(&self) -> Vec<Vec<Selected>> {
        let equations = |target: &BlendTarget| {
            target.how.iter().flat_map(|how| how.equations.clone()).collect::<Vec<Equation>>()
        };
        let most = self.targets.iter().map(|target| equations(target).len()).max().unwrap_or(0);
        let nth = |number: usize| {
            let word = |(at, target): (usize, &BlendTarget)| {
                let equations = equations(target);
                let one = equations.get((number + at) % equations.len().max(1)).copied();
                (one.map_or(0, Equation::word), one)
            };
            self.targets.iter().enumerate().map(word).collect()
        };
        let mut selections: Vec<Vec<Selected>> = (0..most.max(1)).map(nth).collect();
        if self.blends.select.is_some() {
            selections.push(vec![(0, None); self.targets.len()]);
        }
        selections
    }

    /// Returns parameters that select none of a target's equations: numbers of other equations, and its own numbers
    /// with an extra bit.
    fn undeclared(&self) -> Vec<Vec<Selected>> {
        if self.blends.select.is_none() {
            return Vec::new();
        }
        let of_target = |target: &BlendTarget| -> Vec<u32> {
            let own: Vec<u32> = target.how.iter().flat_map(declared).collect();
            let words = 1..=Equation::ALL.len() as u32 + 1;
            let others = words.filter(|word| !own.contains(word));
            let wide = own.iter().flat_map(|word| BITS.map(|bit| word | 1 << bit)).take(BITS.len());
            others.chain(wide).chain([u32::MAX]).collect()
        };
        let words: Vec<Vec<u32>> = self.targets.iter().map(of_target).collect();
        let most = words.iter().map(Vec::len).max().unwrap_or(0);
        let nth = |number: usize| words.iter().map(|of| (of[number % of.len()], None)).collect();
        (0..most).map(nth).collect()
    }

    /// Returns random colours for which blending is defined, including extreme colours.
    fn background(&self) -> Vec<Image> {
        let of = |(number, target): (u64, &BlendTarget)| {
            let mut random = Random::new(self.seed, 1 << 42 | number);
            let mut colour = || colours::random(&mut random, target.how.as_ref());
            (0..SIDE * SIDE).map(|_| colour()).collect()
        };
        (0..).zip(&self.targets).map(of).collect()
    }
}

fn with_draw(difference: Difference, triangle: usize, selection: &[Selected]) -> Difference {
    let draw = format!("triangle {triangle}, {selection:?}");
    Difference { draw: Some(draw), ..difference }
}

/// Returns the targets. Targets with float colours are blended.
fn targets(leaves: Vec<Leaf>, blends: &Blends<'_>) -> Result<Vec<BlendTarget>, Stop> {
    let how = |location: u32, drawn: &targets::ColourTarget| {
        let is_colour = drawn.kind() == Some(ScalarKind::Float);
        blends.at(location).filter(|_| is_colour).cloned()
    };
    let targets = (0..).zip(targets::targets(leaves)?);
    let target = |(at, drawn)| {
        let how = how(at, &drawn);
        // Vulkan 1.3, 28.8: "All alpha values in this section" refers to the alpha of location 0 and index 0.
        let alpha_to_one = blends.alpha_to_one && at == 0 && how.is_some();
        BlendTarget { drawn, how, alpha_to_one }
    };
    Ok(targets.map(target).collect())
}

impl Blends<'_> {
    fn at(&self, location: u32) -> Option<&BlendedAs> {
        match self.targets.get(&location) {
            Some(target) => target.as_ref(),
            None => self.every_target.as_ref(),
        }
    }
}

/// Compares a target before and after a draw. Returns the number of its pixels that were blended correctly.
fn compare(
    target: &BlendTarget,
    (_, equation): Selected,
    sources: &SourceColours,
    (before, after): (&Image, &Image),
) -> Result<u64, Box<Difference>> {
    // The value of a location without an output is undefined.
    if target.drawn.leaves.is_empty() {
        return Ok(0);
    }
    let written = target.drawn.written();
    let mut pixels = 0;
    let all = (0..).zip(sources.iter().zip(before.iter().zip(after)));
    for (number, (source, (before, after))) in all {
        let wrong = |message: &str, expected: Value| {
            Box::new(Difference {
                pixel: Some((number % SIDE, number / SIDE)),
                expected: Some(expected),
                found: Some(after.value()),
                ..Difference::new(Part::Lowered, message)
            })
        };
        let source = match source {
            Pixel::Covered(source) => target.blended(*source),
            Pixel::Uncovered if before != after => {
                return Err(wrong("a pixel that is not covered is written", before.value()));
            }
            Pixel::Uncovered | Pixel::Undefined => continue,
        };
        let (Some(how), Some(equation)) = (&target.how, equation) else {
            // Components that are not written are undefined.
            let (source, after) = match &target.how {
                Some(how) => {
                    let passed = colours::passed(how, source);
                    (colours::without_signs(how, passed), colours::without_signs(how, *after))
                }
                None => (source, *after),
            };
            if !target.drawn.is_same(source, after) {
                return Err(wrong("the written colour is not the source colour", source.value()));
            }
            continue;
        };
        // Check blended pixels, unless the equation is undefined for these colours.
        let before = *before;
        let meeting = Meeting { how, equation, source, before, written };
        if !meeting.is_defined() {
            continue;
        }
        if !meeting.is_right(*after) {
            return Err(wrong(&format!("{equation} gives a different result"), meeting.right()));
        }
        pixels += 1;
    }
    Ok(pixels)
}
