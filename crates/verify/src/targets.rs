//! Colour attachments of 32-bit components: one for each location that a fragment stage may write.

use crate::inputs::attributes;
use crate::leaves::{Leaf, ScalarKind};
use crate::recording::u32s;
use crate::verdict::{Stop, Value, not_comparable};
use polyshade_vulkan::{Draw, Outcome, Stage, Work, vk};
use std::ops::Range;

/// The width and height of a target.
pub(crate) const SIDE: u32 = 32;
/// Two backgrounds that differ in every pixel. A pixel that is equal over both backgrounds was drawn.
pub(crate) const BEFORE: [Colour; 2] = [Colour([0x7e55_aa33; 4]), Colour([0x1357_9bdf; 4])];
/// The maximum number of targets that any device supports.
const MOST: u32 = 8;

/// A colour, as the bits of its components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u32; 4]);

/// The colours of a target, row by row.
pub(crate) type Image = Vec<Colour>;

impl Colour {
    pub(crate) fn of(floats: [f32; 4]) -> Colour {
        Colour(floats.map(f32::to_bits))
    }

    pub(crate) fn value(self) -> Value {
        Value { bits: self.0.to_vec(), number: format!("{:?}", self.floats()) }
    }

    pub(crate) fn floats(self) -> [f32; 4] {
        self.0.map(f32::from_bits)
    }
}

/// A target. Its index in the list is its location.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColourTarget {
    /// The outputs at this location, one per range of components; empty if there is no output.
    pub(crate) leaves: Vec<Leaf>,
}

/// Makes the targets up to the last location that has an output.
pub(crate) fn targets(leaves: Vec<Leaf>) -> Result<Vec<ColourTarget>, Stop> {
    let mut targets: Vec<ColourTarget> = Vec::new();
    for leaf in leaves.into_iter().filter(|leaf| leaf.builtin.is_none()) {
        let is_colour = |(_, component): &(u32, u32)| {
            leaf.words() > 0 && leaf.bits == 32 && component.saturating_add(leaf.count) <= 4
        };
        let Some((location, _)) = leaf.register.filter(is_colour) else {
            return Err(not_comparable(format!("output {} is not a 32-bit colour", leaf.title())));
        };
        if location >= MOST {
            return Err(not_comparable(format!(
                "an output has the unsupported location {location}"
            )));
        }
        let count = targets.len().max(location as usize + 1);
        targets.resize(count, ColourTarget::default());
        targets[location as usize].leaves.push(leaf);
    }
    match targets.is_empty() {
        true => Err(not_comparable("the shader has no colour outputs")),
        false => Ok(targets),
    }
}

impl ColourTarget {
    /// Returns the type of the target's components.
    pub(crate) fn kind(&self) -> Option<ScalarKind> {
        self.leaves.first().map(|leaf| leaf.kind)
    }

    /// The components that the shader writes.
    pub(crate) fn written(&self) -> [bool; 4] {
        [0, 1, 2, 3].map(|component| {
            self.leaves.iter().any(|leaf| {
                let (_, first) = leaf.register.unwrap_or((0, 0));
                (first..first + leaf.count).contains(&component)
            })
        })
    }

    /// Whether the original covers a pixel, given its colours over each background. If a colour is undefined, it may
    /// be leftover memory and differ in the next draw, and then nothing is comparable.
    pub(crate) fn is_covered(&self, drawn: [Colour; 2]) -> Result<bool, Stop> {
        let is_left = |(pixel, before)| self.is_same(pixel, before);
        match self.is_same(drawn[0], drawn[1]) {
            true => Ok(true),
            false if drawn.into_iter().zip(BEFORE).all(is_left) => Ok(false),
            false => {
                Err(not_comparable("the original gives different colours when it is drawn again"))
            }
        }
    }

    /// Whether two colours are equal in the components that the shader writes.
    pub(crate) fn is_same(&self, one: Colour, other: Colour) -> bool {
        let is_float = self.kind() == Some(ScalarKind::Float);
        let is_none = |bits: u32| is_float && f32::from_bits(bits).is_nan();
        let components = self.written().into_iter().zip(one.0.into_iter().zip(other.0));
        components
            .filter(|(written, _)| *written)
            .all(|(_, (one, other))| one == other || is_none(one) && is_none(other))
    }
}

/// Adds targets with these images as contents. Returns the index of the first target.
pub(crate) fn add<'t>(
    targets: impl IntoIterator<Item = &'t ColourTarget>,
    images: &[Image],
    work: &mut Work<'_>,
) -> usize {
    let first = work.targets.len();
    for (target, image) in targets.into_iter().zip(images) {
        work.pixels.push((work.targets.len(), bytes(image)));
        let format = attributes::format(target.kind().unwrap_or(ScalarKind::Float), 32, 4);
        work.targets.push(polyshade_vulkan::Target::new(format, SIDE, SIDE));
    }
    first
}

/// Builds a draw of triangles to `count` targets from `first` on, with a synthetic vertex stage and a fragment stage.
pub(crate) fn draw<'w>(
    synthetic_vertex: &'w [u32],
    fragment: Stage<'w>,
    (first, count): (usize, usize),
    vertices: Range<u32>,
) -> Draw<'w> {
    Draw {
        stages: vec![Stage::vertex(synthetic_vertex), fragment],
        topology: vk::PrimitiveTopology::TRIANGLE_LIST,
        target: Some(first),
        other_targets: (first + 1..first + count).collect(),
        vertices,
        instances: 0..1,
        ..Draw::default()
    }
}

/// Copies the components that differ between the fillers from `right` to `found`, because they are undefined.
pub(crate) fn leave_out(found: &mut [Image], right: &[Image], other: &[Image]) {
    let words = |images| <[Image]>::iter(images).flatten().flat_map(|colour| colour.0);
    let found = found.iter_mut().flatten().flat_map(|colour| &mut colour.0);
    for (found, (right, other)) in found.zip(words(right).zip(words(other))) {
        if right != other {
            *found = right;
        }
    }
}

pub(crate) fn images(outcome: &Outcome) -> Vec<Image> {
    outcome.targets.iter().map(|bytes| image(bytes)).collect()
}

pub(crate) fn bytes(image: &Image) -> Vec<u8> {
    image.iter().flat_map(|colour| colour.0).flat_map(u32::to_ne_bytes).collect()
}

fn image(bytes: &[u8]) -> Image {
    u32s(bytes).chunks_exact(4).map(|one| Colour([one[0], one[1], one[2], one[3]])).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::leaves::tests::leaf;

    pub(crate) fn target(kind: ScalarKind, count: u32) -> ColourTarget {
        let leaf = Leaf { kind, ..leaf("", count, (0, 0)) };
        targets(vec![leaf]).expect("it is a colour").remove(0)
    }

    #[test]
    fn not_a_number_is_any_other_where_there_are_numbers_and_integers_differ() {
        let [quiet, loud] = [Colour([0x7fc0_0000; 4]), Colour([0xff80_0001; 4])];
        assert!(target(ScalarKind::Float, 4).is_same(quiet, loud));
        assert!(!target(ScalarKind::Float, 4).is_same(quiet, Colour([0; 4])));
        for kind in [ScalarKind::Int, ScalarKind::Uint] {
            assert!(!target(kind, 4).is_same(quiet, loud));
            assert!(target(kind, 4).is_same(loud, loud));
        }
    }

    #[test]
    fn what_is_not_written_may_differ() {
        let one = target(ScalarKind::Float, 2);
        assert_eq!(one.written(), [true, true, false, false]);
        assert!(one.is_same(Colour([1, 2, 3, 4]), Colour([1, 2, 5, 6])));
        assert!(!one.is_same(Colour([1, 2, 3, 4]), Colour([1, 5, 3, 4])));
    }
}
