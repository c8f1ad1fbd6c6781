//! What the host fills in for each draw, and what the draw comes to.

use super::layout::Layout;
use crate::host::{Place, Word, Words};
use polyshade_spv::{Error, ErrorKind};

/// The primitives that vertices are assembled to. The numbers are `VkPrimitiveTopology`'s but for the line loop, which
/// only OpenGL has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Topology {
    PointList = 0,
    LineList = 1,
    LineStrip = 2,
    TriangleList = 3,
    TriangleStrip = 4,
    TriangleFan = 5,
    LineLoop = 16,
}

impl Topology {
    /// Vertices of a primitive.
    pub fn vertices_per_primitive(self) -> u32 {
        match self {
            Self::PointList => 1,
            Self::LineList | Self::LineStrip | Self::LineLoop => 2,
            Self::TriangleList | Self::TriangleStrip | Self::TriangleFan => 3,
        }
    }

    /// The primitives that `vertices` make; what is left over makes none.
    pub fn primitives(self, vertices: u32) -> u32 {
        match self {
            Self::PointList => vertices,
            Self::LineList => vertices / 2,
            Self::LineStrip => vertices.saturating_sub(1),
            Self::LineLoop if vertices < 2 => 0,
            Self::LineLoop => vertices,
            Self::TriangleList => vertices / 3,
            Self::TriangleStrip | Self::TriangleFan => vertices.saturating_sub(2),
        }
    }
}

/// Which vertex of a primitive is the provoking one: Vulkan's default is the first, OpenGL's the last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ProvokingVertex {
    #[default]
    First,
    Last,
}

/// A draw without indices, as the application asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Draw {
    /// Of the application: the capture pass is a point list whatever it is.
    pub topology: Topology,
    /// Decides which vertex of a primitive is stored first.
    pub provoking_vertex: ProvokingVertex,
    /// `firstVertex`.
    pub first_vertex: u32,
    /// `vertexCount`, of each instance.
    pub vertex_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// `instanceCount`.
    pub instance_count: u32,
}

impl Draw {
    /// The primitives of all instances.
    pub fn primitives(&self) -> u64 {
        u64::from(self.topology.primitives(self.vertex_count)) * u64::from(self.instance_count)
    }
}

/// The range of a buffer that is captured into. All in bytes, multiples of 4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferRange {
    /// Where the range begins in what the descriptor binds.
    pub offset: u32,
    /// How long it is.
    pub size: u32,
    /// How much of it draws before have filled: the counter.
    pub reached: u32,
}

/// The words of a draw, before those of the buffers.
const DRAW_WORDS: [(&str, &str); 5] = [
    (
        "topology",
        "0 point list, 1 line list, 2 line strip, 3 triangle list, 4 triangle strip, 5 triangle fan, 16 line loop",
    ),
    ("flags", "bit 0: the provoking vertex is the last one"),
    ("first_vertex", "firstVertex of the draw"),
    ("vertex_count", "vertexCount of the draw: the vertices of each instance"),
    ("first_instance", "firstInstance of the draw"),
];

/// The words of each buffer.
const BUFFER_WORDS: [(&str, &str); 3] = [
    ("offset", "bytes from the start of the bound range to the start of the feedback range"),
    ("size", "bytes of the feedback range"),
    ("reached", "bytes of the feedback range that earlier draws have filled"),
];

/// The words of a draw that captures into so many buffers.
pub(super) fn words(place: Place, buffers: usize) -> Words {
    let mut words: Vec<Word> =
        DRAW_WORDS.iter().map(|(name, meaning)| Word::new(*name, *meaning)).collect();
    for buffer in 0..buffers {
        let of_buffer = |(name, meaning): &(&str, &'static str)| {
            Word::new(format!("{name}_{buffer}"), *meaning)
        };
        words.extend(BUFFER_WORDS.iter().map(of_buffer));
    }
    Words { place, words }
}

/// Number of the word of the draw that is called `name`.
pub(super) fn draw_word(name: &str) -> u32 {
    let found = DRAW_WORDS.iter().position(|(other, _)| *other == name);
    found.expect("the words of a draw are named in one place") as u32
}

/// Number of the first word of a buffer: offset, size and reached follow each other.
pub(super) fn buffer_words(buffer: u32) -> u32 {
    DRAW_WORDS.len() as u32 + buffer * BUFFER_WORDS.len() as u32
}

impl Layout {
    /// The words to fill in for `draw`, which captures into `ranges`, one for each buffer of the layout.
    ///
    /// # Errors
    ///
    /// `Options` where the number of ranges is another, or a range is no multiple of 4 bytes.
    pub fn host_words(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<Vec<u32>, Error> {
        self.check(ranges)?;
        let mut words = vec![
            draw.topology as u32,
            u32::from(draw.provoking_vertex == ProvokingVertex::Last),
            draw.first_vertex,
            draw.vertex_count,
            draw.first_instance,
        ];
        words.extend(ranges.iter().flat_map(|range| [range.offset, range.size, range.reached]));
        Ok(words)
    }

    /// The ranges that [host words](Self::host_words) say.
    pub fn ranges(&self, words: &[u32]) -> Vec<BufferRange> {
        let of_buffers = words.get(DRAW_WORDS.len()..).unwrap_or_default();
        let of_buffers = of_buffers.chunks_exact(BUFFER_WORDS.len());
        let range = |word: &[u32]| BufferRange { offset: word[0], size: word[1], reached: word[2] };
        of_buffers.take(self.buffers.len()).map(range).collect()
    }

    /// The primitives of `draw` that fit into every one of `ranges`, one for each buffer of the layout, and are stored:
    /// what queries report as written. Needed are all that the [draw has](Draw::primitives).
    ///
    /// # Errors
    ///
    /// Those of [`host_words`](Self::host_words).
    pub fn primitives_written(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<u64, Error> {
        self.check(ranges)?;
        let needed = draw.primitives();
        let vertices = draw.topology.vertices_per_primitive();
        let fits = |(range, stride): (&BufferRange, u32)| {
            let room = u64::from(range.size.saturating_sub(range.reached));
            room / (u64::from(stride) * u64::from(vertices))
        };
        // A buffer that takes nothing does not limit the others.
        let capturing =
            self.buffers.iter().map(|buffer| (buffer.stride, !buffer.captured.is_empty()));
        let fitting = ranges
            .iter()
            .zip(capturing)
            .filter(|(_, (_, captures))| *captures)
            .map(|(range, (stride, _))| fits((range, stride)))
            .min();
        Ok(fitting.map_or(needed, |fitting| fitting.min(needed)))
    }

    /// The ranges as `draw` leaves them: each counter moved on by what was written.
    ///
    /// # Errors
    ///
    /// Those of [`host_words`](Self::host_words).
    pub fn advance(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<Vec<BufferRange>, Error> {
        let vertices = u64::from(draw.topology.vertices_per_primitive());
        let written = self.primitives_written(draw, ranges)? * vertices;
        let advanced = ranges.iter().zip(&self.buffers).map(|(range, buffer)| {
            let bytes =
                written.saturating_mul(u64::from(buffer.stride)).min(u64::from(u32::MAX)) as u32;
            BufferRange { reached: range.reached.saturating_add(bytes), ..*range }
        });
        Ok(advanced.collect())
    }

    fn check(&self, ranges: &[BufferRange]) -> Result<(), Error> {
        let buffers = self.buffers.len();
        if ranges.len() != buffers {
            let message =
                format!("there are {buffers} feedback buffers, but {} ranges", ranges.len());
            return Err(Error::new(ErrorKind::Options, message));
        }
        let odd =
            |range: &&BufferRange| !(range.offset | range.size | range.reached).is_multiple_of(4);
        match ranges.iter().find(odd) {
            Some(range) => Err(Error::new(
                ErrorKind::Options,
                format!("{range:?} is not in multiples of 4 bytes"),
            )),
            None => Ok(()),
        }
    }
}
