//! Computes the host parameters, the captured primitives and the new counters of a draw.

use super::draw::{BufferRange, Draw};
use super::layout::Layout;
use super::topology::Topology;
use crate::code;
use polyshade_spv::Error;

impl Layout {
    /// Returns the values of the host parameters for `draw`. It captures into `ranges`, one range per buffer.
    ///
    /// # Errors
    ///
    /// `Options`: the number of ranges differs from the number of buffers; a range has an offset, size, counter or
    /// address that is not a multiple of 4; a range is unbound, but the options do not allow this; the draw violates
    /// the restrictions in the options.
    pub fn host_params(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<Vec<u32>, Error> {
        self.check(ranges)?;
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
    pub fn primitives_written(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<u64, Error> {
        self.check(ranges)?;
        Ok(self.fitting(draw, ranges))
    }

    fn fitting(&self, draw: &Draw, ranges: &[BufferRange]) -> u64 {
        let needed = draw.primitives();
        let vertices = draw.topology.vertices_per_primitive();
        let fits = |(range, stride): (&BufferRange, u32)| {
            let room = u64::from(range.size.saturating_sub(range.counter));
            room / (u64::from(stride) * u64::from(vertices))
        };
        // A buffer without captures does not limit the other buffers.
        let capturing =
            self.buffers.iter().map(|buffer| (buffer.stride, !buffer.captured.is_empty()));
        let fitting = ranges
            .iter()
            .zip(capturing)
            .filter(|(range, (_, captures))| *captures && **range != BufferRange::UNBOUND)
            .map(|(range, (stride, _))| fits((range, stride)))
            .min();
        fitting.map_or(needed, |fitting| fitting.min(needed))
    }

    /// Returns `ranges` with the counters after `draw`.
    ///
    /// # Errors
    ///
    /// Those of [`host_params`](Self::host_params).
    pub fn advance(&self, draw: &Draw, ranges: &[BufferRange]) -> Result<Vec<BufferRange>, Error> {
        let vertices = u64::from(draw.topology.vertices_per_primitive());
        let written = self.primitives_written(draw, ranges)? * vertices;
        let advanced = ranges.iter().zip(&self.buffers).map(|(range, buffer)| {
            if *range == BufferRange::UNBOUND {
                return *range;
            }
            let bytes =
                written.saturating_mul(u64::from(buffer.stride)).min(u64::from(u32::MAX)) as u32;
            BufferRange { counter: range.counter.saturating_add(bytes), ..*range }
        });
        Ok(advanced.collect())
    }

    fn check(&self, ranges: &[BufferRange]) -> Result<(), Error> {
        let buffers = self.buffers.len();
        if ranges.len() != buffers {
            let message =
                format!("there are {buffers} feedback buffers, but {} ranges", ranges.len());
            return Err(Error::new(&code::CAPTURE_RANGE_COUNT, message));
        }
        let mut bound = ranges.iter().filter(|range| **range != BufferRange::UNBOUND);
        if !self.draws.unbound && bound.clone().count() < ranges.len() {
            let message =
                "a feedback buffer is not bound, but the variants do not allow unbound buffers";
            return Err(Error::new(&code::CAPTURE_UNBOUND_BUFFER, message));
        }
        let odd = |range: &&BufferRange| {
            let in_bytes = range.offset | range.size | range.counter;
            !in_bytes.is_multiple_of(4) || self.draws.by_address && !range.address.is_multiple_of(4)
        };
        match bound.find(odd) {
            Some(range) => Err(Error::new(
                &code::CAPTURE_RANGE_MISALIGNED,
                format!("{range:?} is not in multiples of 4 bytes"),
            )),
            None => Ok(()),
        }
    }
}
