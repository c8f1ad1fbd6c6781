//! Where in the buffers a vertex's outputs go.

use super::known::Draws;
use super::leaves::Leaf;
use super::outputs::Part;
use super::{MAX_BUFFERS, MAX_STRIDE};
use crate::code;
use foldhash::HashMap;
use polyshade_spv::Error;

/// What is captured where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layout {
    /// The feedback buffers, by number. One between others may capture nothing: it has no descriptor.
    pub buffers: Vec<BufferLayout>,
    /// Bytes of the outputs of one vertex, where they are [spilled](super::Options::spill_outputs).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_zero"))]
    pub(super) outputs_stride: u32,
    /// What is known of the draws, which decides what the host fills in.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Draws::are_unknown"))]
    pub(super) draws: Draws,
}

#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes it so
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What one buffer holds for each captured vertex.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferLayout {
    /// Bytes from one vertex to the next, gaps and trailing skips included.
    pub stride: u32,
    /// Bytes from the start of a vertex to the end of the last that is captured of it: the stride without what is
    /// skipped at the end. Devices limit it (`maxTransformFeedbackBufferDataSize`).
    pub data: u32,
    /// What is stored, in the order in which it was asked for.
    pub captured: Vec<Captured>,
}

/// One captured varying.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Captured {
    /// What it was asked for by; a decorated output goes by its name.
    pub name: String,
    /// In bytes from the start of the vertex.
    pub offset: u32,
    /// How many 32-bit components it has: one of 64 bits counts as two.
    pub components: u32,
}

/// Consecutive components of a leaf.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) leaf: Leaf,
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Piece {
    pub(super) fn whole(leaf: Leaf) -> Self {
        let count = leaf.count;
        Self { leaf, first: 0, count }
    }

    pub(super) fn words(&self) -> u32 {
        self.count * self.leaf.width
    }
}

/// What is stored, and the place of its first component, in words from the start of the vertex.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) piece: Piece,
    pub(super) word: u32,
}

/// The layout, and for each buffer what is stored.
pub(super) type LaidOut = (Layout, Vec<Vec<Stored>>);

/// A layout as it grows.
#[derive(Default)]
pub(super) struct Builder {
    buffers: Vec<Buffer>,
    /// Whether a component may be captured more than once.
    repeats: bool,
    /// The components that are captured already, a bit each: a vector has up to four.
    seen: HashMap<Part, u8>,
}

#[derive(Default)]
struct Buffer {
    captured: Vec<Captured>,
    stored: Vec<Stored>,
    /// How long a vertex is so far.
    words: u32,
}

impl Builder {
    /// Nothing yet; `repeats` says whether a component may be captured more than once.
    pub(super) fn new(repeats: bool) -> Self {
        Self { repeats, ..Self::default() }
    }

    /// How many buffers there are.
    pub(super) fn buffers(&self) -> usize {
        self.buffers.len()
    }

    /// Sees to it that there is a buffer `number`.
    pub(super) fn need_buffer(&mut self, number: usize) -> Result<(), Error> {
        if number >= MAX_BUFFERS {
            let message = format!(
                "there would be a feedback buffer {number}; the last one is {}",
                MAX_BUFFERS - 1
            );
            return Err(Error::new(&code::CAPTURE_TOO_MANY_BUFFERS, message));
        }
        while self.buffers.len() <= number {
            self.buffers.push(Buffer::default());
        }
        Ok(())
    }

    /// Leaves `words` words of buffer `number` as they are.
    pub(super) fn skip(&mut self, number: usize, words: u32) -> Result<(), Error> {
        self.grow(number, words)
    }

    /// Captures `pieces` behind what buffer `number` holds.
    pub(super) fn append(
        &mut self,
        number: usize,
        name: &str,
        pieces: Vec<Piece>,
    ) -> Result<(), Error> {
        let start = self.buffers[number].words;
        for piece in pieces {
            let word = self.buffers[number].words;
            self.grow(number, piece.words())?;
            self.store(number, name, piece, word)?;
        }
        let components = self.buffers[number].words - start;
        let captured = Captured { name: name.to_owned(), offset: start * 4, components };
        self.buffers[number].captured.push(captured);
        Ok(())
    }

    /// Captures `pieces` at places of their own, which [`set_stride`](Self::set_stride) checks. None of them is a gap.
    pub(super) fn put(
        &mut self,
        number: usize,
        name: &str,
        pieces: Vec<(Piece, u32)>,
    ) -> Result<(), Error> {
        let Some(offset) = pieces.first().map(|(_, word)| word * 4) else { return Ok(()) };
        let components = pieces.iter().map(|(piece, _)| piece.words()).sum();
        for (piece, word) in pieces {
            let buffer = &mut self.buffers[number];
            buffer.words = buffer.words.max(word.saturating_add(piece.words()));
            self.store(number, name, piece, word)?;
        }
        let captured = Captured { name: name.to_owned(), offset, components };
        self.buffers[number].captured.push(captured);
        Ok(())
    }

    /// Makes a vertex `bytes` long in buffer `number`.
    pub(super) fn set_stride(&mut self, number: usize, bytes: u32) -> Result<(), Error> {
        let needed = self.buffers[number].words;
        if !bytes.is_multiple_of(4) || bytes > MAX_STRIDE {
            let message = format!(
                "the stride of buffer {number}, {bytes} bytes, is not a multiple of 4 up to {MAX_STRIDE}"
            );
            return Err(Error::new(&code::CAPTURE_INVALID_STRIDE, message));
        }
        if bytes / 4 < needed {
            let message = format!(
                "a vertex takes {} bytes of feedback buffer {number}, whose stride is {bytes}",
                u64::from(needed) * 4
            );
            return Err(Error::new(&code::CAPTURE_STRIDE_TOO_SMALL, message));
        }
        self.buffers[number].words = bytes / 4;
        Ok(())
    }

    fn grow(&mut self, number: usize, words: u32) -> Result<(), Error> {
        let buffer = &mut self.buffers[number];
        buffer.words = buffer.words.saturating_add(words);
        if buffer.words > MAX_STRIDE / 4 {
            let message =
                format!("a vertex takes more than {MAX_STRIDE} bytes of feedback buffer {number}");
            return Err(Error::new(&code::CAPTURE_VERTEX_TOO_LARGE, message));
        }
        Ok(())
    }

    fn store(&mut self, number: usize, name: &str, piece: Piece, word: u32) -> Result<(), Error> {
        let part = &piece.leaf.part;
        if !self.repeats {
            let components = ((1 << piece.count) - 1) << piece.first;
            let seen = self.seen.entry(part.clone()).or_default();
            if *seen & components != 0 {
                let message = format!("`{name}` is captured twice");
                return Err(
                    Error::new(&code::CAPTURE_DUPLICATE_VARYING, message).about(part.variable)
                );
            }
            *seen |= components;
        }
        self.buffers[number].stored.push(Stored { piece, word });
        Ok(())
    }

    /// The layout, and for each buffer what is stored; `None` where nothing is.
    pub(super) fn finish(self) -> Result<Option<LaidOut>, Error> {
        if self.buffers.iter().all(|buffer| buffer.stored.is_empty()) {
            return Ok(None);
        }
        for (number, buffer) in self.buffers.iter().enumerate() {
            check_overlaps(number, buffer)?;
        }
        let (layouts, stores) = self
            .buffers
            .into_iter()
            .map(|buffer| {
                let ends = buffer.stored.iter().map(|stored| stored.word + stored.piece.words());
                let data = ends.max().unwrap_or(0) * 4;
                let (stride, captured) = (buffer.words * 4, buffer.captured);
                (BufferLayout { stride, data, captured }, buffer.stored)
            })
            .unzip();
        Ok(Some((Layout { buffers: layouts, outputs_stride: 0, draws: Draws::default() }, stores)))
    }
}

/// Two things in one place are invalid in Vulkan.
fn check_overlaps(number: usize, buffer: &Buffer) -> Result<(), Error> {
    if buffer.stored.is_sorted_by(|one, next| one.word + one.piece.words() <= next.word) {
        return Ok(());
    }
    let mut stored: Vec<&Stored> = buffer.stored.iter().collect();
    stored.sort_by_key(|stored| stored.word);
    let overlap =
        stored.windows(2).find(|pair| pair[0].word + pair[0].piece.words() > pair[1].word);
    match overlap {
        Some(pair) => {
            let message = format!(
                "two outputs are captured to byte {} of a vertex in buffer {number}",
                pair[1].word * 4
            );
            let variable = pair[1].piece.leaf.part.variable;
            Err(Error::new(&code::CAPTURE_OVERLAP, message).about(variable))
        }
        None => Ok(()),
    }
}
