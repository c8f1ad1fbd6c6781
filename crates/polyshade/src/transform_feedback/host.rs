//! Computes the host parameters, the captured primitives and the new counters of a draw.

use super::draw::{BufferRange, Draw};
use super::layout::Layout;
use super::topology::Topology;
use crate::code;
use polyshade_spv::Error;

impl Layout {
    /// Returns the values of the host parameters for `draw`, which captures into `ranges`, one for each buffer.
    ///
    /// # Errors
    ///
    /// `Options`: the number of ranges is not that of the buffers; a range is not in multiples of 4 bytes, or is
    /// unbound although the options exclude this; the draw violates the restrictions in the options.
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

    /// Returns the number of primitives of `draw` that fit into all `ranges`, one for each buffer of the layout, and
    /// are stored: queries report it as written. The number of needed primitives is [`Draw::primitives`].
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
            let room = u64::from(range.size.saturating_sub(range.reached));
            room / (u64::from(stride) * u64::from(vertices))
        };
        // A buffer without captures does not limit the others.
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

    /// Returns the ranges after `draw`, with advanced counters.
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
            BufferRange { reached: range.reached.saturating_add(bytes), ..*range }
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
            let message = "a feedback buffer is not bound, for which the variants were not made";
            return Err(Error::new(&code::CAPTURE_UNBOUND_BUFFER, message));
        }
        let odd = |range: &&BufferRange| {
            let in_bytes = range.offset | range.size | range.reached;
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
