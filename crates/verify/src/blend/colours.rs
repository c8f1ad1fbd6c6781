//! Blends source and destination colours with the model, and decides whether the API defines the result.

use crate::BlendedAs;
use crate::random::Random;
use crate::targets::Colour;
use crate::verdict::Value;
use polyshade::advanced_blend::Equation;
use polyshade_vulkan::blend_model::{self, Clamping};
use polyshade_vulkan::vk;

/// Returns a colour that a target may contain.
pub(super) fn random(random: &mut Random, how: Option<&BlendedAs>) -> Colour {
    const CORNERS: [f32; 5] = [0.0, 1.0, 0.5, 0.25, 29.0 / 255.0];
    let part = |random: &mut Random| match random.below(3) {
        0 => random.one_of(&CORNERS),
        _ => random.below(256) as f32 / 255.0,
    };
    let [mut r, mut g, b, alpha] = [(); 4].map(|()| part(random));
    // The hue and saturation equations treat greys differently.
    if random.below(4) == 0 {
        (r, g) = (b, b);
    }
    let is_premultiplied = how.is_none_or(|how| how.how.destination_premultiplied);
    let factor = if is_premultiplied { alpha } else { 1.0 };
    Colour::of([r * factor, g * factor, b * factor, alpha])
}

/// Removes the signs of zeros from a clamped colour, because the maximum of 0 and −0 may be either of them.
pub(super) fn without_signs(how: &BlendedAs, colour: Colour) -> Colour {
    match how.clamping {
        Clamping::Unorm => {
            Colour::of(colour.floats().map(|part| if part == 0.0 { 0.0 } else { part }))
        }
        Clamping::Snorm | Clamping::Float => colour,
    }
}

/// Returns the stored colour of a source that is not blended.
pub(super) fn passed(how: &BlendedAs, source: Colour) -> Colour {
    Colour::of(clamped(how.clamping, source.floats()))
}

fn clamped(clamping: Clamping, colour: [f32; 4]) -> [f32; 4] {
    match clamping {
        Clamping::Unorm => colour.map(|part| part.clamp(0.0, 1.0)),
        Clamping::Snorm => colour.map(|part| part.clamp(-1.0, 1.0)),
        Clamping::Float => colour,
    }
}

/// A source colour and the destination colour.
pub(super) struct Meeting<'m> {
    pub(super) how: &'m BlendedAs,
    pub(super) equation: Equation,
    pub(super) source: Colour,
    pub(super) before: Colour,
    /// Which components the shader writes. The other components are undefined.
    pub(super) written: [bool; 4],
}

impl Meeting<'_> {
    /// The source and destination as inputs of the equation.
    fn colours(&self) -> ([f32; 4], [f32; 4]) {
        let (source, mut before) = (self.source.floats(), self.before.floats());
        if self.how.without_alpha {
            before[3] = 1.0;
        }
        (source, before)
    }

    /// Whether the API defines the result: all components are in [0, 1], and no premultiplied component exceeds its
    /// alpha.
    pub(super) fn is_defined(&self) -> bool {
        let (source, before) = self.colours();
        let clamped = clamped(self.how.clamping, source);
        let is_colour = |[r, g, b, alpha]: [f32; 4], is_premultiplied: bool| {
            let most = if is_premultiplied { alpha } else { 1.0 };
            let are_parts = [r, g, b].into_iter().all(|part| (0.0..=most).contains(&part));
            (0.0..=1.0).contains(&alpha) && are_parts
        };
        is_colour(clamped, self.how.how.source_premultiplied)
            && is_colour(before, self.how.how.destination_premultiplied)
    }

    /// Whether `after` is the model's colour, within its tolerance.
    pub(super) fn is_right(&self, after: Colour) -> bool {
        let operation = vk::BlendOp::from_raw(self.equation.blend_op());
        let (how, clamping) = (self.how.how, self.how.clamping);
        let (source, before) = self.colours();
        let mut after = after.floats();
        let range = || blend_model::range(operation, how, clamping, source, before);
        let [r, g, b, alpha] = self.written;
        // A target without alpha does not store the alpha.
        let stored = [r, g, b, alpha && !self.how.without_alpha];
        if stored != [true; 4]
            && let Some(range) = range()
        {
            for (at, _) in stored.iter().enumerate().filter(|(_, stored)| !**stored) {
                after[at] = ((range[at][0] + range[at][1]) / 2.0) as f32;
            }
        }
        let near = blend_model::is_near(operation, how, clamping, (source, before), after);
        if near == Some(true) || !self.how.clamp_results {
            return near == Some(true);
        }
        // A clamped result is at a bound, and the model's result is at or beyond that bound.
        range().is_some_and(|range| {
            after.iter().zip(range).all(|(value, [least, greatest])| {
                (least.clamp(0.0, 1.0)..=greatest.clamp(0.0, 1.0)).contains(&f64::from(*value))
            })
        })
    }

    pub(super) fn right(&self) -> Value {
        let operation = vk::BlendOp::from_raw(self.equation.blend_op());
        let (source, before) = self.colours();
        let [s, d] = [source, before].map(|colour| colour.map(f64::from));
        let right = blend_model::blend(operation, self.how.how, self.how.clamping, s, d);
        let right = right.unwrap_or_default().map(|part| part as f32);
        let number = format!("{right:?} for source {source:?} and destination {before:?}");
        Value { bits: right.map(f32::to_bits).to_vec(), number }
    }
}
