//! Compares captured words with expected words.

use crate::cases::Case;
use crate::inputs::Inputs;
use crate::layout::{self, Buffer, Piece};
use crate::leaves::{Leaf, ScalarKind};
use crate::recording::{RecordShape, Recording, u32s};
use crate::verdict::{Difference, Equal, Part, Stop, Value};
use polyshade_vulkan::Captured;
use polyshade_vulkan::model;
use std::cell::RefCell;

/// The expected results of a case.
#[derive(Debug)]
pub(crate) struct Expected<'r> {
    pub(crate) case: &'r Case,
    recording: &'r Recording,
    pub(crate) buffers: Vec<model::Buffer>,
    pub(crate) counts: Captured,
    /// The captured vertices and instances, in order.
    captured: Vec<(u32, u32)>,
}

/// Returns the vertex strides of the buffers; 0 for a buffer that captures nothing.
pub(crate) fn strides(layout: &[Buffer]) -> Vec<u32> {
    let filling = |buffer: &Buffer| if buffer.pieces.is_empty() { 0 } else { buffer.stride };
    layout.iter().map(filling).collect()
}

/// Finds the first word that differs from the expected word.
#[derive(Debug, Clone)]
pub(crate) struct Comparison<'c> {
    pub(crate) part: Part,
    pub(crate) layout: &'c [Buffer],
    pub(crate) shape: RecordShape<'c>,
    pub(crate) inputs: &'c Inputs,
    pub(crate) rounding: Rounding,
}

/// Whether one or two devices computed the compared values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// One device, whose values must be equal bit for bit.
    Same,
    /// Two devices. They may round differently within the tolerance, flush denormals and lose the signs of zeros.
    Across,
}

impl Comparison<'_> {
    /// Returns the buffer contents that the specification requires after a case, given the outputs of the shader.
    pub(crate) fn expect<'r>(&self, case: &'r Case, recording: &'r Recording) -> Expected<'r> {
        let (draw, mut buffers) = (case.draw(), case.buffers(&strides(self.layout)));
        let captured = RefCell::new(Vec::new());
        let shader = |vertex, instance| {
            captured.borrow_mut().push((vertex, instance));
            let pieces = (0..).zip(self.layout).flat_map(|(number, buffer)| {
                buffer.pieces.iter().map(move |piece| (number, piece))
            });
            let value = |(buffer, piece): (usize, &Piece)| {
                let words = self.shape.range(recording.placement, (vertex, instance), piece.leaf);
                let words = &recording.words[words];
                let words = &words[piece.first as usize..(piece.first + piece.count) as usize];
                let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
                model::Value { buffer, offset: piece.offset as usize, bytes }
            };
            pieces.map(value).collect()
        };
        let counts = match case.segments() {
            Some(segments) => model::capture_indexed(&draw, &segments, &mut buffers, shader),
            None => model::capture(&draw, &mut buffers, shader),
        };
        Expected { case, recording, buffers, counts, captured: captured.into_inner() }
    }

    /// Returns the expected results of a case that captures nothing.
    pub(crate) fn expect_nothing<'r>(
        &self,
        case: &'r Case,
        recording: &'r Recording,
    ) -> Expected<'r> {
        let buffers = case.buffers(&strides(self.layout));
        let counts = Captured { written: 0, needed: 0 };
        Expected { case, recording, buffers, counts, captured: Vec::new() }
    }

    /// Compares all feedback buffers of a case, and counts the equal vertices.
    pub(crate) fn buffers<'f>(
        &self,
        expected: &Expected<'_>,
        found: impl Iterator<Item = &'f Vec<u8>>,
        equal: &mut Equal,
    ) -> Result<(), Stop> {
        for (number, found) in found.enumerate() {
            if let Some(difference) = self.buffer(expected, number, found) {
                return Err(difference.into());
            }
            if self.rounding == Rounding::Across {
                let right = expected.buffers[number].memory.chunks_exact(4);
                let others =
                    right.zip(found.chunks_exact(4)).filter(|(right, found)| right != found);
                equal.others += others.count() as u64;
            }
        }
        equal.draws += 1;
        equal.vertices += expected.captured.len() as u64;
        Ok(())
    }

    /// Compares the counts of a case, and the counters of the feedback buffers that capture something.
    pub(crate) fn counts(
        &self,
        expected: &Expected<'_>,
        found: Captured,
        counters: impl Iterator<Item = u32>,
    ) -> Result<(), Stop> {
        let (case, right) = (expected.case, expected.counts);
        if found != right {
            return Err(self.wrong(case, format!("the counts are {found:?}, not {right:?}")));
        }
        let buffers = expected.buffers.iter().zip(strides(self.layout));
        for (number, ((buffer, stride), found)) in buffers.zip(counters).enumerate() {
            let right = buffer.reached;
            if stride > 0 && found as usize != right {
                let counter = format!("the counter of feedback buffer {number}");
                return Err(
                    self.wrong(case, format!("{counter} continues at {found}, not {right}"))
                );
            }
        }
        Ok(())
    }

    /// Reports a difference that concerns `case` as a whole.
    pub(crate) fn wrong(&self, case: &Case, message: String) -> Stop {
        let draw = Some(case.to_string());
        Difference { draw, ..Difference::new(self.part, message) }.into()
    }

    /// Returns the first difference between the found and the expected contents of buffer `number`.
    fn buffer(&self, expected: &Expected<'_>, number: usize, found: &[u8]) -> Option<Difference> {
        let right = &expected.buffers[number].memory;
        let words = right.chunks_exact(4).zip(found.chunks_exact(4)).enumerate();
        let mut differing = words.filter(|(_, (right, found))| right != found);
        let difference = differing
            .find_map(|(index, _)| self.word(expected, number, 4 * index, (right, found)))?;
        Some(Difference { draw: Some(expected.case.to_string()), ..difference })
    }

    /// Describes a differing word at byte `at`. Returns `None` if the word is undefined or may be another NaN.
    fn word(
        &self,
        expected: &Expected<'_>,
        number: usize,
        at: usize,
        (right, found): (&[u8], &[u8]),
    ) -> Option<Difference> {
        let before = &expected.case.buffers(&strides(self.layout))[number];
        let stray = |what: &str| {
            let message = format!("feedback buffer {number} is written {what}");
            Some(Difference {
                expected: Some(plain(&right[at..at + 4])),
                found: Some(plain(&found[at..at + 4])),
                ..Difference::new(self.part, message)
            })
        };
        // First, words that nothing may write.
        let range = &before.range;
        if at < range.start {
            return stray(&format!("{} bytes before its range", range.start - at));
        }
        if at >= range.end {
            return stray(&format!("{} bytes past the end of its range", at - range.end));
        }
        let inside = at - range.start;
        if inside < before.reached {
            return stray("where earlier draws have captured");
        }
        let (slot, offset) =
            ((inside - before.reached) / before.stride, (inside - before.reached) % before.stride);
        let Some(&vertex) = expected.captured.get(slot) else {
            return stray(&format!("past its last vertex, at vertex {slot}"));
        };
        // Then find the captured component.
        let pieces = &self.layout[number].pieces;
        let around = |piece: &&Piece| {
            let start = piece.offset as usize;
            (start..start + 4 * piece.count as usize).contains(&offset)
        };
        let Some(piece) = pieces.iter().find(around) else {
            let gap = stray(&format!("in a gap, {offset} bytes into vertex {slot}"));
            return gap.map(|gap| Difference { vertex: Some(vertex), ..gap });
        };
        let word = piece.first as usize + (offset - piece.offset as usize) / 4;
        let Recording { placement, undefined, tolerance, .. } = expected.recording;
        let first = self.shape.range(*placement, vertex, piece.leaf).start;
        if undefined[first + word] {
            return None;
        }
        let tolerance = tolerance[first + word];
        // Take both words of a 64-bit component, if both are captured here.
        let leaf = &self.shape.leaves[piece.leaf];
        let width = leaf.bits.div_ceil(32) as usize;
        let behind = word % width;
        let start = if behind * 4 <= offset - piece.offset as usize { at - behind * 4 } else { at };
        let end = (start + 4 * width).min(range.end);
        let message =
            format!("feedback buffer {number} has a different value in its vertex {slot}");
        let (right, found) = (u32s(&right[start..end]), u32s(&found[start..end]));
        let difference =
            self.component(leaf, word / width, (right, found), (tolerance, message))?;
        Some(Difference { vertex: Some(vertex), ..difference })
    }

    /// Reports an output component with an unexpected value. Instead of a computed NaN, any NaN or infinity is
    /// accepted, but a NaN from the inputs must keep its bits.
    fn component(
        &self,
        leaf: &Leaf,
        component: usize,
        (right, found): (Vec<u32>, Vec<u32>),
        (tolerance, message): (f64, String),
    ) -> Option<Difference> {
        let [is, was] = [&found, &right].map(|bits| float(leaf, bits));
        if self.rounding == Rounding::Across && is_within(leaf, [is, was], tolerance) {
            return None;
        }
        let is_computed = right.len() > 1 || !was.is_nan() || !self.inputs.gives(right[0]);
        if is_computed && is_beyond_numbers([is, was]) {
            return None;
        }
        let value = |bits: Vec<u32>| Value { number: layout::number(leaf, &bits), bits };
        Some(Difference {
            varying: Some(leaf.title()),
            component: Some(component as u32),
            expected: Some(value(right)),
            found: Some(value(found)),
            ..Difference::new(self.part, message)
        })
    }

    /// Returns the first difference between the recordings of the original and of a variant.
    pub(crate) fn recordings(&self, right: &Recording, found: &Recording) -> Option<Difference> {
        let words = right.words.iter().zip(&found.words);
        let differing = words.enumerate().filter(|(_, (right, found))| right != found);
        let is_undefined = |index: usize| right.undefined[index] || found.undefined[index];
        let mut defined = differing.filter(|(index, _)| !is_undefined(*index));
        defined.find_map(|(index, _)| {
            let (slot, offset) = (index / self.shape.stride, index % self.shape.stride);
            let number = self.shape.first.partition_point(|first| *first <= offset) - 1;
            let leaf = &self.shape.leaves[number];
            let width = leaf.bits.div_ceil(32) as usize;
            let word = offset - self.shape.first[number];
            let start = index - word % width;
            let bits =
                [&right.words, &found.words].map(|words| words[start..start + width].to_vec());
            let message = "an output has a different value".to_owned();
            let tolerance = right.tolerance[index];
            let difference =
                self.component(leaf, word / width, bits.into(), (tolerance, message))?;
            let vertex = Some(right.placement.vertex(slot as u32));
            Some(Difference { vertex, ..difference })
        })
    }
}

fn plain(bytes: &[u8]) -> Value {
    let bits = u32s(bytes);
    Value { number: bits[0].to_string(), bits }
}

/// Returns the value of a 32- or 64-bit float component; 0 for components of other types.
fn float(leaf: &Leaf, bits: &[u32]) -> f64 {
    match (leaf.kind, bits) {
        (ScalarKind::Float, [word]) if leaf.bits == 32 => f64::from(f32::from_bits(*word)),
        (ScalarKind::Float, [low, high]) => {
            f64::from_bits(u64::from(*high) << 32 | u64::from(*low))
        }
        _ => 0.0,
    }
}

/// Whether two devices may have computed these values. Each device may flush denormals and lose the signs of zeros.
fn is_within(leaf: &Leaf, [is, was]: [f64; 2], tolerance: f64) -> bool {
    if tolerance == f64::INFINITY {
        return true;
    }
    let least = f64::from(f32::MIN_POSITIVE);
    let is_float = (leaf.kind, leaf.bits) == (ScalarKind::Float, 32);
    is_float && ((is - was).abs() <= tolerance || is.abs() < least && was.abs() < least)
}

/// Whether one of two floats is a NaN and the other is a NaN or infinite. llvmpipe (Mesa 22.3) folds a multiplication
/// by a constant 0 to 0, even if the other factor is infinite. SPIR-V allows this without `SignedZeroInfNanPreserve`.
fn is_beyond_numbers(both: [f64; 2]) -> bool {
    both.iter().all(|one| !one.is_finite()) && both.iter().any(|one| one.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaves::tests::leaf;

    #[test]
    fn infinite_and_not_a_number_are_one_and_numbers_differ() {
        let (infinite, none) = (f64::INFINITY, f64::NAN);
        assert!(is_beyond_numbers([infinite, none]) && is_beyond_numbers([none, none]));
        for both in [[infinite, -infinite], [1.0, none], [none, 0.0], [infinite, 1.0]] {
            assert!(!is_beyond_numbers(both), "{both:?}");
        }
    }

    #[test]
    fn two_devices_may_differ_as_far_as_they_are_let() {
        let float = leaf("v", 1, (0, 0));
        let whole = Leaf { kind: ScalarKind::Uint, ..float.clone() };
        let tiny = f64::from(f32::MIN_POSITIVE) / 2.0;
        assert!(is_within(&float, [1.0, 1.25], 0.25) && !is_within(&float, [1.0, 1.5], 0.25));
        assert!(is_within(&float, [tiny, 0.0], 0.0) && is_within(&float, [-0.0, 0.0], 0.0));
        assert!(!is_within(&float, [4.0 * tiny, 0.0], 0.0));
        assert!(!is_within(&float, [f64::NAN, 1.0], 1e30));
        assert!(
            !is_within(&whole, [0.0, 0.0], 0.25) && is_within(&whole, [0.0, 0.0], f64::INFINITY)
        );
    }
}
