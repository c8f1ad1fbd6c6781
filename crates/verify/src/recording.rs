//! The recorded outputs of a shader for every vertex, and the place of each output in a recording.

use crate::leaves::Leaf;
use crate::record::Placement;
use std::ops::Range;

/// The outputs that a shader computed for every vertex of a placement.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) placement: Placement,
    /// The words of all leaves, one after the other, vertex by vertex.
    pub(crate) words: Vec<u32>,
    /// Whether each word is undefined, or not captured by the driver.
    pub(crate) undefined: Vec<bool>,
    /// The tolerance of each word: 0 if the word must be equal, infinite if it is not compared.
    pub(crate) tolerance: Vec<f64>,
}

impl Recording {
    /// Makes a recording in which all words are defined.
    pub(crate) fn new(placement: Placement, words: Vec<u32>) -> Self {
        let (undefined, tolerance) = (vec![false; words.len()], vec![0.0; words.len()]);
        Recording { placement, words, undefined, tolerance }
    }

    /// The number of words of a vertex.
    pub(crate) fn stride(&self) -> usize {
        self.words.len() / self.placement.slots() as usize
    }

    pub(crate) fn vertex(&self, slot: usize) -> &[u32] {
        &self.words[slot * self.stride()..][..self.stride()]
    }
}

/// The outputs, and the places of their words in a recording.
#[derive(Debug, Clone)]
pub(crate) struct RecordShape<'s> {
    pub(crate) leaves: &'s [Leaf],
    /// The first word of each leaf.
    pub(crate) first: Vec<usize>,
    pub(crate) stride: usize,
}

impl<'s> RecordShape<'s> {
    pub(crate) fn of(leaves: &'s [Leaf]) -> Self {
        let mut stride = 0;
        let first = leaves.iter().map(|leaf| {
            let first = stride;
            stride += leaf.words() as usize;
            first
        });
        let first = first.collect();
        RecordShape { leaves, first, stride }
    }

    /// Returns the word range of a leaf for a vertex and an instance, in a recording of `placement`.
    pub(crate) fn range(
        &self,
        placement: Placement,
        (vertex, instance): (u32, u32),
        leaf: usize,
    ) -> Range<usize> {
        let slot = placement.slot(vertex, instance) as usize;
        let start = slot * self.stride + self.first[leaf];
        start..start + self.leaves[leaf].words() as usize
    }
}

/// Selects the `wanted` outputs from a recording with the outputs `leaves`, or returns the first missing output.
pub(crate) fn select<'w>(
    recording: &Recording,
    leaves: &[Leaf],
    wanted: &'w [Leaf],
) -> Result<Recording, &'w Leaf> {
    let shape = RecordShape::of(leaves);
    let mut found = Vec::new();
    for leaf in wanted {
        let at = leaves.iter().position(|one| one.is_same_output(leaf)).ok_or(leaf)?;
        found.extend(shape.first[at]..shape.first[at] + leaves[at].words() as usize);
    }
    let starts = (0..recording.placement.slots() as usize).map(|slot| slot * shape.stride);
    let all: Vec<usize> =
        starts.flat_map(|start| found.iter().map(move |word| start + word)).collect();
    Ok(Recording {
        placement: recording.placement,
        words: all.iter().map(|word| recording.words[*word]).collect(),
        undefined: all.iter().map(|word| recording.undefined[*word]).collect(),
        tolerance: all.iter().map(|word| recording.tolerance[*word]).collect(),
    })
}

/// Converts a buffer's bytes to words.
pub(crate) fn u32s(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}
