//! What was captured against what must have been, word by word.

use crate::cases::Case;
use crate::inputs::Inputs;
use crate::layout::{self, Buffer, Piece};
use crate::leaves::{Kind, Leaf};
use crate::record::Placement;
use crate::verdict::{Difference, Part, Value};
use polyshade_vulkan::Captured;
use polyshade_vulkan::model;
use std::cell::RefCell;

/// What a shader computed for every vertex of a placement.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) placement: Placement,
    /// The words of all leaves, one behind the other, vertex by vertex.
    pub(crate) words: Vec<u32>,
}

impl Recording {
    /// The words of a vertex.
    pub(crate) fn vertex(&self, slot: usize) -> &[u32] {
        let stride = self.words.len() / self.placement.slots() as usize;
        &self.words[slot * stride..][..stride]
    }
}

/// The outputs and where their words are in a recording.
#[derive(Debug)]
pub(crate) struct Shape<'s> {
    pub(crate) leaves: &'s [Leaf],
    /// The first word of each leaf.
    first: Vec<usize>,
    pub(crate) stride: usize,
}

impl<'s> Shape<'s> {
    pub(crate) fn of(leaves: &'s [Leaf]) -> Self {
        let mut stride = 0;
        let first = leaves.iter().map(|leaf| {
            let first = stride;
            stride += leaf.words() as usize;
            first
        });
        let first = first.collect();
        Shape { leaves, first, stride }
    }

    /// Copies the words of the leaves that are `wanted`.
    pub(crate) fn copy(
        &self,
        from: &Recording,
        to: &mut Recording,
        wanted: impl Fn(&Leaf) -> bool,
    ) {
        for (leaf, first) in self.leaves.iter().zip(&self.first).filter(|(leaf, _)| wanted(leaf)) {
            for slot in 0..from.placement.slots() as usize {
                let start = slot * self.stride + first;
                let words = start..start + leaf.words() as usize;
                to.words[words.clone()].copy_from_slice(&from.words[words]);
            }
        }
    }

    /// The words of a leaf of a vertex.
    pub(crate) fn words<'r>(
        &self,
        recording: &'r Recording,
        vertex: u32,
        instance: u32,
        leaf: usize,
    ) -> &'r [u32] {
        let slot = recording.placement.slot(vertex, instance) as usize;
        let start = slot * self.stride + self.first[leaf];
        &recording.words[start..start + self.leaves[leaf].words() as usize]
    }
}

/// The words of the `wanted` outputs in what a variant records, whose outputs are `leaves`; or one that it does not
/// have.
pub(crate) fn select<'w>(
    recording: &Recording,
    leaves: &[Leaf],
    wanted: &'w [Leaf],
) -> Result<Recording, &'w Leaf> {
    let shape = Shape::of(leaves);
    let mut found = Vec::new();
    for leaf in wanted {
        found.push(leaves.iter().position(|one| one.is_same_output(leaf)).ok_or(leaf)?);
    }
    let slots = recording.words.chunks_exact(shape.stride.max(1));
    let words = slots.flat_map(|slot| {
        let of_leaf = |leaf: &usize| {
            let first = shape.first[*leaf];
            slot[first..first + leaves[*leaf].words() as usize].to_vec()
        };
        found.iter().flat_map(of_leaf).collect::<Vec<u32>>()
    });
    Ok(Recording { placement: recording.placement, words: words.collect() })
}

/// What a case must leave.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) buffers: Vec<model::Buffer>,
    pub(crate) counts: Captured,
    /// The vertices and instances that are captured, in order.
    captured: Vec<(u32, u32)>,
}

impl Expected {
    /// How many vertices were captured.
    pub(crate) fn captured_vertices(&self) -> u64 {
        self.captured.len() as u64
    }
}

/// The strides by which buffers fill: a buffer that captures nothing does not.
pub(crate) fn strides(layout: &[Buffer]) -> Vec<u32> {
    let filling = |buffer: &Buffer| if buffer.pieces.is_empty() { 0 } else { buffer.stride };
    layout.iter().map(filling).collect()
}

/// What the specification says that a case leaves, given what the shader computes.
pub(crate) fn expect(
    case: &Case,
    layout: &[Buffer],
    shape: &Shape<'_>,
    recording: &Recording,
) -> Expected {
    let mut buffers = case.buffers(&strides(layout));
    let captured = RefCell::new(Vec::new());
    let shader = |vertex, instance| {
        captured.borrow_mut().push((vertex, instance));
        let pieces = (0..)
            .zip(layout)
            .flat_map(|(number, buffer)| buffer.pieces.iter().map(move |piece| (number, piece)));
        let value = |(buffer, piece): (usize, &Piece)| {
            let words = shape.words(recording, vertex, instance, piece.leaf);
            let words = &words[piece.first as usize..(piece.first + piece.count) as usize];
            let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            model::Value { buffer, offset: piece.offset as usize, bytes }
        };
        pieces.map(value).collect()
    };
    let counts = model::capture(&case.draw, &mut buffers, shader);
    Expected { buffers, counts, captured: captured.into_inner() }
}

/// Looks for the first word that differs from what must be there.
#[derive(Debug)]
pub(crate) struct Comparison<'c> {
    pub(crate) part: Part,
    pub(crate) layout: &'c [Buffer],
    pub(crate) shape: &'c Shape<'c>,
    pub(crate) inputs: &'c Inputs,
}

impl Comparison<'_> {
    /// The first difference between what `case` left in buffer `number` and what it must have left.
    pub(crate) fn buffer(
        &self,
        case: &Case,
        expected: &Expected,
        number: usize,
        found: &[u8],
    ) -> Option<Difference> {
        let right = &expected.buffers[number].memory;
        let words = right.chunks_exact(4).zip(found.chunks_exact(4)).enumerate();
        let mut differing = words.filter(|(_, (right, found))| right != found);
        let difference = differing
            .find_map(|(index, _)| self.word(case, expected, number, 4 * index, (right, found)))?;
        Some(Difference { draw: Some(case.to_string()), ..difference })
    }

    /// What a differing word at byte `at` is about; `None` where it is a not-a-number that may be another.
    fn word(
        &self,
        case: &Case,
        expected: &Expected,
        number: usize,
        at: usize,
        (right, found): (&[u8], &[u8]),
    ) -> Option<Difference> {
        let before = &case.buffers(&strides(self.layout))[number];
        let stray = |what: &str| {
            let message = format!("feedback buffer {number} is written {what}");
            Some(Difference {
                expected: Some(plain(&right[at..at + 4])),
                found: Some(plain(&found[at..at + 4])),
                ..Difference::new(self.part, message)
            })
        };
        let range = &before.range;
        if at < range.start {
            return stray(&format!("{} bytes before its range", range.start - at));
        }
        if at >= range.end {
            return stray(&format!("{} bytes behind its range", at - range.end));
        }
        let inside = at - range.start;
        if inside < before.reached {
            return stray("where draws before have captured");
        }
        let (slot, offset) =
            ((inside - before.reached) / before.stride, (inside - before.reached) % before.stride);
        let Some(&(vertex, instance)) = expected.captured.get(slot) else {
            return stray(&format!("behind its last vertex, at vertex {slot}"));
        };
        let pieces = &self.layout[number].pieces;
        let around = |piece: &&Piece| {
            let start = piece.offset as usize;
            (start..start + 4 * piece.count as usize).contains(&offset)
        };
        let Some(piece) = pieces.iter().find(around) else {
            let gap = stray(&format!("in a gap, {offset} bytes into vertex {slot}"));
            return gap.map(|gap| Difference { vertex: Some((vertex, instance)), ..gap });
        };
        let word = piece.first as usize + (offset - piece.offset as usize) / 4;
        // Both words of a wide component, where both are captured here.
        let leaf = &self.shape.leaves[piece.leaf];
        let width = leaf.bits.div_ceil(32) as usize;
        let behind = word % width;
        let start = if behind * 4 <= offset - piece.offset as usize { at - behind * 4 } else { at };
        let end = (start + 4 * width).min(range.end);
        let (right, found) = (bits(&right[start..end]), bits(&found[start..end]));
        if self.is_same_not_a_number(leaf, &right, &found) {
            return None;
        }
        let message = format!("buffer {number}, vertex {slot} of the buffer holds another value");
        let value = |bits: Vec<u32>| Value { number: layout::number(leaf, &bits), bits };
        Some(Difference {
            vertex: Some((vertex, instance)),
            varying: Some(leaf.title()),
            component: Some((word / width) as u32),
            expected: Some(value(right)),
            found: Some(value(found)),
            ..Difference::new(self.part, message)
        })
    }

    /// A not-a-number that was computed may have any bits. One that the shader was given keeps its own.
    fn is_same_not_a_number(&self, leaf: &Leaf, right: &[u32], found: &[u32]) -> bool {
        is_not_a_number(leaf, right) && is_not_a_number(leaf, found) && {
            right.len() > 1 || !self.inputs.gives(right[0])
        }
    }

    /// The first difference between what the original and a variant record.
    pub(crate) fn recordings(&self, right: &Recording, found: &Recording) -> Option<Difference> {
        let words = right.words.iter().zip(&found.words);
        words.enumerate().filter(|(_, (right, found))| right != found).find_map(|(index, _)| {
            let (slot, offset) = (index / self.shape.stride, index % self.shape.stride);
            let number = self.shape.first.partition_point(|first| *first <= offset) - 1;
            let leaf = &self.shape.leaves[number];
            let width = leaf.bits.div_ceil(32) as usize;
            let word = offset - self.shape.first[number];
            let start = index - word % width;
            let (right_bits, found_bits) = (
                right.words[start..start + width].to_vec(),
                found.words[start..start + width].to_vec(),
            );
            if self.is_same_not_a_number(leaf, &right_bits, &found_bits) {
                return None;
            }
            let placement = right.placement;
            let (instance, vertex) =
                (slot as u32 / placement.vertices, slot as u32 % placement.vertices);
            let value = |bits: Vec<u32>| Value { number: layout::number(leaf, &bits), bits };
            Some(Difference {
                vertex: Some((
                    placement.first_vertex + vertex,
                    placement.first_instance + instance,
                )),
                varying: Some(leaf.title()),
                component: Some((word / width) as u32),
                expected: Some(value(right_bits)),
                found: Some(value(found_bits)),
                ..Difference::new(self.part, "an output has another value")
            })
        })
    }
}

fn plain(bytes: &[u8]) -> Value {
    let bits = bits(bytes);
    Value { number: bits[0].to_string(), bits }
}

fn bits(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

fn is_not_a_number(leaf: &Leaf, bits: &[u32]) -> bool {
    match (leaf.kind, bits) {
        (Kind::Float, [word]) if leaf.bits == 32 => f32::from_bits(*word).is_nan(),
        (Kind::Float, [low, high]) => {
            f64::from_bits(u64::from(*high) << 32 | u64::from(*low)).is_nan()
        }
        _ => false,
    }
}
