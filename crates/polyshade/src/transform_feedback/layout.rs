//! The layout of a vertex's captured outputs in the feedback buffers.

use super::draw_constraints::Draws;
use super::emitted::Geometry;
use super::leaves::Leaf;
use super::outputs::Part;
use super::patches::Patches;
use super::spilled_output::SpilledOutput;
use super::{MAX_BUFFERS, MAX_STRIDE};
use crate::code::{self, refuse};
use crate::host::Reserved;
use foldhash::HashMap;
use polyshade_spv::{Decoration, Error, Module};
use std::collections::BTreeSet;

/// The layout of the captured outputs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layout {
    /// The feedback buffers, in the order of their numbers. A buffer that captures nothing has no descriptor.
    pub buffers: Vec<BufferLayout>,
    /// The size in bytes of one vertex's [spilled outputs](super::Options::spill_outputs); 0 if outputs are not
    /// spilled.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_zero"))]
    pub(super) outputs_stride: u32,
    /// The spilled outputs, in the order of their offsets.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(super) spilled: Vec<SpilledOutput>,
    /// The properties of a [geometry stage](super::geometry).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) geometry: Option<Geometry>,
    /// The restrictions on draws, which determine the host parameters.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Draws::are_unknown"))]
    pub(super) draws: Draws,
    /// The resources of a vertex stage that is drawn before a [geometry stage](super::geometry).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) in_use: Option<Box<Reserved>>,
    /// The properties of [tessellation stages](super::tessellation).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) tessellation: Option<Box<Patches>>,
}

#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes it so
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Layout {
    pub(super) fn new(buffers: Vec<BufferLayout>) -> Self {
        Self {
            buffers,
            outputs_stride: 0,
            spilled: Vec::new(),
            geometry: None,
            draws: Draws::default(),
            in_use: None,
            tessellation: None,
        }
    }
}

/// The layout of one captured vertex in one buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferLayout {
    /// The number of bytes from one vertex to the next, including gaps and trailing skips.
    pub stride: u32,
    /// The number of bytes from the start of a vertex to the end of its last captured component: the stride without
    /// trailing skips. Devices limit this size (`maxTransformFeedbackBufferDataSize`).
    pub data: u32,
    /// The captured varyings, in the order of the options.
    pub captured: Vec<Captured>,
}

/// One captured varying.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Captured {
    /// The text that selects the varying in the options; for a decorated output, the name of the output.
    pub name: String,
    /// The offset in bytes from the start of the vertex.
    pub offset: u32,
    /// The number of 32-bit components; a 64-bit component counts as two.
    pub components: u32,
}

/// Consecutive components of one vector or scalar.
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

/// A captured piece and the offset of its first component from the start of the vertex, in 32-bit units.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) piece: Piece,
    pub(super) word: u32,
}

/// A layout, and the captured pieces of each buffer.
pub(super) type LaidOut = (Layout, Vec<Vec<Stored>>);

/// A layout under construction.
#[derive(Default)]
pub(super) struct Builder {
    buffers: Vec<Buffer>,
    /// Whether a component may be captured more than once.
    repeats: bool,
    /// The components captured so far, as a mask with one bit per component.
    seen: HashMap<Part, u8>,
}

#[derive(Default)]
struct Buffer {
    captured: Vec<Captured>,
    stored: Vec<Stored>,
    /// The size of a vertex so far, in 32-bit units.
    words: u32,
}

impl Builder {
    /// Returns an empty builder; `repeats` allows a component to be captured more than once.
    pub(super) fn new(repeats: bool) -> Self {
        Self { repeats, ..Self::default() }
    }

    pub(super) fn buffers(&self) -> usize {
        self.buffers.len()
    }

    /// Adds buffers until buffer `number` exists.
    pub(super) fn need_buffer(&mut self, number: usize) -> Result<(), Error> {
        if number >= MAX_BUFFERS {
            let message = format!(
                "cannot capture to feedback buffer {number}: the last buffer is {}",
                MAX_BUFFERS - 1
            );
            return Err(Error::new(&code::CAPTURE_TOO_MANY_BUFFERS, message));
        }
        while self.buffers.len() <= number {
            self.buffers.push(Buffer::default());
        }
        Ok(())
    }

    /// Leaves a gap of `words` 32-bit units in buffer `number`.
    pub(super) fn skip(&mut self, number: usize, words: u32) -> Result<(), Error> {
        self.grow(number, words)
    }

    /// Captures `pieces` after the pieces that buffer `number` already has.
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

    /// Captures `pieces` at explicit offsets, which [`set_stride`](Self::set_stride) checks later.
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

    /// Sets the stride of buffer `number`.
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
                return refuse(&code::CAPTURE_DUPLICATE_VARYING, message, part.variable);
            }
            *seen |= components;
        }
        self.buffers[number].stored.push(Stored { piece, word });
        Ok(())
    }

    /// Returns the layout and the captured pieces of each buffer, or `None` if nothing is captured.
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
        Ok(Some((Layout::new(layouts), stores)))
    }
}

/// Refuses overlapping captures, which are invalid in Vulkan.
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
            refuse(&code::CAPTURE_OVERLAP, message, variable)
        }
        None => Ok(()),
    }
}

/// Returns the vertex stream that one buffer captures.
pub(super) fn stream(m: &Module<'_>, stores: &[Stored]) -> Result<u32, Error> {
    let streams: BTreeSet<u32> = stores.iter().map(|stored| stream_of(m, stored)).collect();
    let mut streams = streams.into_iter();
    match (streams.next(), streams.next()) {
        (Some(one), Some(other)) => {
            let message = format!("one buffer would capture vertex streams {one} and {other}");
            let error = Error::new(&code::CAPTURE_STREAMS_SHARE_BUFFER, message);
            Err(error.help("put outputs of another stream after gl_NextBuffer"))
        }
        (only, _) => Ok(only.unwrap_or(0)),
    }
}

/// Returns the vertex stream of a captured piece.
pub(super) fn stream_of(m: &Module<'_>, stored: &Stored) -> u32 {
    let stream = stored.piece.leaf.part.decoration(m, Decoration::STREAM);
    stream.and_then(|words| words.first()).copied().unwrap_or(0)
}
