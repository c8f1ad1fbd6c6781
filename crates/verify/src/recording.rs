//! What a shader computed for every vertex, and where the words of an output are in it.

use crate::leaves::Leaf;
use crate::record::Placement;
use std::ops::Range;

/// What a shader computed for every vertex of a placement.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    pub(crate) placement: Placement,
    /// The words of all leaves, one behind the other, vertex by vertex.
    pub(crate) words: Vec<u32>,
    /// Which of them the shader leaves to the driver.
    pub(crate) undefined: Vec<bool>,
}

impl Recording {
    /// One of which all is defined.
    pub(crate) fn new(placement: Placement, words: Vec<u32>) -> Self {
        let undefined = vec![false; words.len()];
        Recording { placement, words, undefined }
    }

    /// How many words a vertex has.
    pub(crate) fn stride(&self) -> usize {
        self.words.len() / self.placement.slots() as usize
    }

    /// The words of a vertex.
    pub(crate) fn vertex(&self, slot: usize) -> &[u32] {
        &self.words[slot * self.stride()..][..self.stride()]
    }
}

/// The outputs and where their words are in a recording.
#[derive(Debug)]
pub(crate) struct Shape<'s> {
    pub(crate) leaves: &'s [Leaf],
    /// The first word of each leaf.
    pub(crate) first: Vec<usize>,
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
        &recording.words[self.range(recording, vertex, instance, leaf)]
    }

    /// Where they are.
    pub(crate) fn range(
        &self,
        recording: &Recording,
        vertex: u32,
        instance: u32,
        leaf: usize,
    ) -> Range<usize> {
        let slot = recording.placement.slot(vertex, instance) as usize;
        let start = slot * self.stride + self.first[leaf];
        start..start + self.leaves[leaf].words() as usize
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
    let slots = (0..recording.placement.slots() as usize).flat_map(|slot| {
        let first = |leaf: &usize| slot * shape.stride + shape.first[*leaf];
        let words = |leaf: &usize| first(leaf)..first(leaf) + leaves[*leaf].words() as usize;
        found.iter().flat_map(words).collect::<Vec<usize>>()
    });
    let (words, undefined) =
        slots.map(|word| (recording.words[word], recording.undefined[word])).unzip();
    Ok(Recording { placement: recording.placement, words, undefined })
}

/// The words that bytes of a buffer hold.
pub(crate) fn u32s(bytes: &[u8]) -> Vec<u32> {
    let word = |word: &[u8]| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
    bytes.chunks_exact(4).map(word).collect()
}
