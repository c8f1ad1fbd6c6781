//! Computes the host parameters, the captured primitives and the new counters of a draw.

use super::draw::{BufferRange, Draw};
use super::draw_constraints::Draws;
use super::layout::Layout;
use super::topology::Topology;
use crate::code;
use polyshade_spv::Error;

impl Layout {
    /// Returns the values of the host parameters for `draw`. It captures into `ranges`, one range per buffer. For a
    /// [sparse](Self::sparse_primitives) layout, the range of the table of counts follows.
    ///
    /// # Errors
    ///
    /// `Options`: the number of ranges differs from the number of buffers; a range has an offset, size, counter or
    /// address that is not a multiple of 4; a range is unbound, but the options do not allow this; the draw violates
    /// the restrictions in the options.
    pub fn host_params(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<Vec<u32>, Error> {
        let counts = usize::from(self.sparse_primitives().is_some());
        check(self.buffers.len() + counts, &self.draws, ranges)?;
        if self.tessellation.is_some() {
            return Ok(vec![draw.vertex_count, draw.instance_count]);
        }
        if let Some(geometry) = &self.geometry {
            self.invocations(draw)?;
            let words = geometry.host_words(&self.draws, self.buffers.len() as u32);
            // Without instances there are no primitives, but `one_instance` has no parameter for their number.
            let vertex_count = if draw.instance_count == 0 { 0 } else { draw.vertex_count };
            let draw = &Draw { vertex_count, ..*draw };
            return Ok(words.into_iter().map(|word| word.value(draw, ranges, 0)).collect());
        }
        self.draws.check(draw)?;
        let fits = self.fitting(draw, ranges);
        let words = self.draws.host_params(self.buffers.len() as u32);
        Ok(words.into_iter().map(|word| word.value(draw, ranges, fits)).collect())
    }

    /// Whether feedback buffers may be [unbound](BufferRange::UNBOUND).
    pub fn takes_unbound_buffers(&self) -> bool {
        self.draws.unbound
    }

    /// Whether [`Both`](super::Variant::Both) can capture some of the draws, without a separate capture pass.
    pub fn is_captured_at_once(&self) -> bool {
        self.draws.are_captured_at_once()
    }

    /// Returns the topologies that draws may have.
    pub fn topologies(&self) -> &[Topology] {
        self.draws.topologies()
    }

    /// Returns the number of primitives that `draw` stores: those that fit into all `ranges`, one range per buffer.
    /// Queries report this number as primitives written, and [`Draw::primitives`] as primitives needed.
    ///
    /// # Errors
    ///
    /// Those of [`host_params`](Self::host_params).
    ///
    /// `Unsupported`: a [geometry stage](super::geometry), whose number of primitives is not that of the draw. Use
    /// [`primitives_emitted`](Self::primitives_emitted) and [`primitives_written_of`](Self::primitives_written_of).
    pub fn primitives_written(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<u64, Error> {
        if self.geometry.is_some() {
            let message = "the draw does not state how many primitives a geometry stage emits";
            return Err(Error::new(&code::GEOMETRY_UNKNOWN_COUNT, message));
        }
        check(self.buffers.len(), &self.draws, ranges)?;
        Ok(self.fitting(draw, ranges))
    }

    fn fitting(&self, draw: &Draw, ranges: &[BufferRange]) -> u64 {
        let capturing =
            self.buffers.iter().map(|buffer| (buffer.stride, !buffer.captured.is_empty()));
        fitting(capturing, draw.topology, draw.primitives(), ranges)
    }

    /// Returns `ranges` with the counters after `draw`.
    ///
    /// # Errors
    ///
    /// Those of [`host_params`](Self::host_params).
    pub fn advance(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<Vec<BufferRange>, Error> {
        let written = self.primitives_written(draw, ranges)?;
        let advanced = ranges.iter().zip(&self.buffers);
        Ok(advanced
            .map(|(range, buffer)| advanced_range(*range, draw.topology, written, buffer.stride))
            .collect())
    }
}

/// Returns how many of `needed` primitives fit into the ranges. `capturing` are the strides of the buffers, and whether
/// each captures the primitives; other buffers do not limit their number.
pub(super) fn fitting(
    capturing: impl Iterator<Item = (u32, bool)>,
    topology: Topology,
    needed: u64,
    ranges: &[BufferRange],
) -> u64 {
    let vertices = topology.vertices_per_primitive();
    let fits = |(range, stride): (&BufferRange, u32)| {
        let room = u64::from(range.size.saturating_sub(range.counter));
        room / (u64::from(stride) * u64::from(vertices))
    };
    let fitting = ranges
        .iter()
        .zip(capturing)
        .filter(|(range, (_, captures))| *captures && **range != BufferRange::UNBOUND)
        .map(|(range, (stride, _))| fits((range, stride)))
        .min();
    fitting.map_or(needed, |fitting| fitting.min(needed))
}

/// Returns `range` with the counter after `written` primitives.
pub(super) fn advanced_range(
    range: BufferRange,
    topology: Topology,
    written: u64,
    stride: u32,
) -> BufferRange {
    if range == BufferRange::UNBOUND {
        return range;
    }
    let vertices = written * u64::from(topology.vertices_per_primitive());
    let bytes = vertices.saturating_mul(u64::from(stride)).min(u64::from(u32::MAX)) as u32;
    BufferRange { counter: range.counter.saturating_add(bytes), ..range }
}

/// Refuses ranges that do not suit `buffers` feedback buffers.
pub(super) fn check(buffers: usize, draws: &Draws, ranges: &[BufferRange]) -> Result<(), Error> {
    if ranges.len() != buffers {
        let message = format!("there are {buffers} feedback buffers, but {} ranges", ranges.len());
        return Err(Error::new(&code::CAPTURE_RANGE_COUNT, message));
    }
    let mut bound = ranges.iter().filter(|range| **range != BufferRange::UNBOUND);
    if !draws.unbound && bound.clone().count() < ranges.len() {
        let message =
            "a feedback buffer is not bound, but the variants do not allow unbound buffers";
        return Err(Error::new(&code::CAPTURE_UNBOUND_BUFFER, message));
    }
    let odd = |range: &&BufferRange| {
        let in_bytes = range.offset | range.size | range.counter;
        !in_bytes.is_multiple_of(4) || draws.by_address && !range.address.is_multiple_of(4)
    };
    match bound.find(odd) {
        Some(range) => Err(Error::new(
            &code::CAPTURE_RANGE_MISALIGNED,
            format!("{range:?} is not in multiples of 4 bytes"),
        )),
        None => Ok(()),
    }
}
