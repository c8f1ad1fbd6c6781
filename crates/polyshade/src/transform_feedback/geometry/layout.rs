//! Computes sizes, dispatches and counters of a draw with a captured geometry stage.

use crate::code;
use crate::transform_feedback::draw::{BufferRange, Draw, MOST_VERTICES, WORK_GROUP_SIZE};
use crate::transform_feedback::{Layout, Topology, host};
use polyshade_spv::Error;

/// The number of bytes at the start of the table of counts: a `VkDrawIndirectCommand`, then the totals.
const HEAD: u64 = 32;

/// Layouts of [geometry stages](crate::transform_feedback::geometry).
impl Layout {
    /// The offset in bytes, in the table of counts, of the numbers of primitives that a geometry stage has emitted:
    /// four 32-bit integers, one for each vertex stream.
    pub const EMITTED_OFFSET: u32 = 16;

    /// Returns the number of invocations of the geometry shader.
    pub(in super::super) fn invocations(&self, draw: &Draw) -> Result<u64, Error> {
        // The vertex stage has read the indices. A compute stage needs to know where they restart primitives.
        let indices = draw.indices.filter(|_| self.draws.restart());
        let restarts = draw.indices.is_some_and(|indices| indices.restarted.is_some());
        if self.draws.compute && indices.is_none() && restarts {
            let message = "the geometry stage was not made for primitive restart";
            return Err(Error::new(&code::CAPTURE_DRAW_MISMATCH, message));
        }
        self.draws.check(&Draw { indices, ..*draw })?;
        let each = self.invocations_per_input();
        let invocations = draw.primitives().saturating_mul(each.into());
        if invocations > MOST_VERTICES {
            let message = format!(
                "cannot number {invocations} invocations of the geometry shader: the maximum is {MOST_VERTICES}"
            );
            return Err(Error::new(&code::CAPTURE_DRAW_TOO_LARGE, message));
        }
        Ok(invocations)
    }

    /// Returns the topology of the primitives that a geometry stage or [tessellation](super::super::tessellation)
    /// emits: a list. `None` for a vertex stage, and for a control stage that does not state the domain.
    pub fn emitted_topology(&self) -> Option<Topology> {
        let tessellated = self.tessellation.as_ref().and_then(|patches| patches.topology());
        self.geometry.as_ref().map(|geometry| geometry.topology).or(tessellated)
    }

    /// Whether a geometry stage needs the table of counts, because its invocations may emit different numbers of
    /// primitives.
    pub fn needs_counts(&self) -> bool {
        let Some(geometry) = &self.geometry else { return false };
        geometry.constant.is_none() && geometry.sparse.is_none()
    }

    /// Returns the maximum numbers of primitives that a geometry stage emits to the four vertex streams for each input
    /// primitive, by all its invocations together, if it stores its primitives sparsely. `None` otherwise.
    ///
    /// Invocations are ordered by instance, then by primitive, then by `InvocationId`. Each one stores its primitives
    /// from its own number times the maximum of one invocation on. It also stores the number of its primitives to the
    /// table of counts: 16 bytes for each invocation, a 32-bit integer for each vertex stream. Integers of streams that
    /// the shader does not emit to are not written.
    pub fn sparse_primitives(&self) -> Option<[u32; 4]> {
        let geometry = self.geometry.as_ref()?;
        Some(geometry.sparse?.map(|each| each.saturating_mul(geometry.invocations)))
    }

    /// Returns the number of invocations of a geometry shader for each input primitive. 1 for other stages.
    pub fn invocations_per_input(&self) -> u32 {
        self.geometry.as_ref().map_or(1, |geometry| geometry.invocations)
    }

    /// Returns the numbers of primitives that a geometry stage emits to the four vertex streams for each input
    /// primitive, by all its invocations together. `None` if they are not constants of the geometry shader.
    pub fn primitives_per_input(&self) -> Option<[u32; 4]> {
        let geometry = self.geometry.as_ref()?;
        Some(geometry.constant?.map(|each| each.saturating_mul(geometry.invocations)))
    }

    /// Returns the numbers of primitives that `draw` emits to the four vertex streams: multiples of constants of the
    /// geometry shader, 2^32-1 at most. `None` if only the device knows them: then the table of counts has
    /// them, or the numbers of each invocation if they are [sparse](Self::sparse_primitives).
    ///
    /// # Errors
    ///
    /// Those of [`host_params`](Self::host_params) for `draw`, except that the stage need not be dispatched.
    pub fn primitives_emitted(&self, draw: &Draw) -> Result<Option<[u32; 4]>, Error> {
        let Some(each) = self.geometry.as_ref().and_then(|geometry| geometry.constant) else {
            return Ok(None);
        };
        let invocations = self.invocations(draw)?;
        let emitted = each.map(|each| invocations.saturating_mul(each.into()));
        Ok(Some(emitted.map(|emitted| u32::try_from(emitted).unwrap_or(u32::MAX))))
    }

    /// Returns the vertex stream that feedback buffer `buffer` captures.
    pub fn stream(&self, buffer: usize) -> u32 {
        let streams = self.geometry.as_ref().map_or(&[][..], |geometry| &geometry.streams);
        streams.get(buffer).copied().unwrap_or(0)
    }

    /// Returns the size in bytes of a geometry stage's table of counts for `draw`: 32, and for each vertex stream that
    /// the shader emits to, 4 for each invocation and 260 more. The shaders do not access the buffer beyond the bound
    /// range; if that is smaller, the results are undefined. The size is 0 if there is no table, and 16 for each
    /// invocation if the primitives are [sparse](Self::sparse_primitives).
    ///
    /// # Errors
    ///
    /// Those of [`work_groups`](Self::work_groups).
    pub fn counts_size(&self, draw: &Draw) -> Result<u64, Error> {
        let invocations = self.invocations(draw)?;
        if self.sparse_primitives().is_some() {
            return Ok(16 * invocations);
        }
        let entries = invocations + 1 + u64::from(WORK_GROUP_SIZE);
        let counted = self.geometry.as_ref().filter(|_| self.needs_counts());
        let streams = counted.map_or(0, |geometry| geometry.emitted_streams);
        if streams == 0 {
            return Ok(0);
        }
        Ok(entries.saturating_mul(4 * u64::from(streams)).saturating_add(HEAD))
    }

    /// Returns the number of primitives that a draw with a geometry stage has stored, given the number that it has
    /// emitted to `stream`.
    ///
    /// # Errors
    ///
    /// Those of [`host_params`](Self::host_params) for `ranges`.
    pub fn primitives_written_of(
        &self,
        stream: u32,
        emitted: u32,
        ranges: &[BufferRange],
    ) -> Result<u64, Error> {
        host::check(self.buffers.len(), &self.draws, ranges)?;
        let topology = self.emitted_topology().unwrap_or(Topology::PointList);
        let capturing = self.buffers.iter().enumerate().map(|(number, buffer)| {
            let captures = self.stream(number) == stream && !buffer.captured.is_empty();
            (buffer.stride, captures)
        });
        Ok(host::fitting(capturing, topology, emitted.into(), ranges))
    }

    /// Returns `ranges` with the counters after a draw with a geometry stage, given the numbers of primitives that it
    /// has emitted to each vertex stream.
    ///
    /// # Errors
    ///
    /// Those of [`primitives_written_of`](Self::primitives_written_of).
    pub fn advance_by(
        &self,
        emitted: [u32; 4],
        ranges: &[BufferRange],
    ) -> Result<Vec<BufferRange>, Error> {
        host::check(self.buffers.len(), &self.draws, ranges)?;
        let topology = self.emitted_topology().unwrap_or(Topology::PointList);
        let mut advanced = ranges.to_vec();
        for (number, (buffer, range)) in self.buffers.iter().zip(&mut advanced).enumerate() {
            let stream = self.stream(number);
            let emitted = emitted.get(stream as usize).copied().unwrap_or(0);
            let written = self.primitives_written_of(stream, emitted, ranges)?;
            *range = host::advanced_range(*range, topology, written, buffer.stride);
        }
        Ok(advanced)
    }
}
