//! The indices of a draw, and the table of segments between primitive restarts.

use super::topology::Topology;
use crate::code;
use polyshade_spv::Error;

/// The type of an index. The values are those of the host parameter `index_type`: the binary logarithm of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[repr(u32)]
pub enum IndexType {
    /// `VK_INDEX_TYPE_UINT8`.
    Uint8 = 0,
    /// `VK_INDEX_TYPE_UINT16`.
    Uint16 = 1,
    /// `VK_INDEX_TYPE_UINT32`.
    Uint32 = 2,
}

impl IndexType {
    /// Returns the bytes of an index.
    pub fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// Returns the index that restarts primitives if restart is enabled: all bits are set.
    pub fn restart(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }
}

/// The indices of a draw. Offsets and sizes are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Indices {
    /// The type of the indices.
    pub index_type: IndexType,
    /// The address of the index buffer (`VkDeviceAddress`); ignored if the buffer is bound.
    #[cfg_attr(feature = "serde", serde(default))]
    pub address: u64,
    /// Bytes from the start of the bound range, or from `address`, to index 0: a multiple of the size of an index.
    pub offset: u32,
    /// Bytes of the buffer from index 0 on. Indices beyond are read as 0, as with `robustBufferAccess2`.
    pub size: u32,
    /// `vertexOffset`.
    pub vertex_offset: i32,
    /// The [primitives](Segments::primitives) of an instance, if indices may restart primitives.
    #[cfg_attr(feature = "serde", serde(default))]
    pub restarted: Option<u32>,
    /// The address of the [table](Segments::table) of segments, a multiple of 4; ignored if the table is bound.
    #[cfg_attr(feature = "serde", serde(default))]
    pub table_address: u64,
    /// Bytes of the table, if there is one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub table_size: u32,
}

/// The segments between restarts in the indices of a draw (`primitiveRestartEnable`). Primitives are assembled from
/// each segment separately.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Segments {
    table: Vec<u32>,
}

/// The number of 32-bit values before the segments in the table.
const HEAD: usize = 2;

impl Segments {
    /// Finds the segments in `count` indices from number `first` on. `bytes` is the index buffer from index 0 on, in
    /// little-endian order. Indices beyond its end are 0.
    ///
    /// # Errors
    ///
    /// `Options`: `count` is 2³² - 1.
    pub fn find(
        topology: Topology,
        index_type: IndexType,
        bytes: &[u8],
        first: u32,
        count: u32,
    ) -> Result<Self, Error> {
        let Some(end) = count.checked_add(1) else {
            return Err(Error::new(
                &code::CAPTURE_DRAW_TOO_LARGE,
                "a draw has less than 2^32 - 1 indices",
            ));
        };
        let size = index_type.bytes() as usize;
        let skipped = (first as usize).saturating_mul(size).min(bytes.len());
        let indices = bytes[skipped..].chunks_exact(size).take(count as usize);
        let is_restart = |index: &[u8]| index.iter().all(|byte| *byte == u8::MAX);
        let restarts = (0..).zip(indices).filter(|(_, index)| is_restart(index));

        let (mut table, mut begin, mut primitives) = (vec![0; HEAD], 0, 0_u32);
        for restart in restarts.map(|(position, _)| position).chain([count]) {
            table.extend([begin, primitives]);
            // This cannot overflow: `count` indices form at most `count` primitives.
            primitives += topology.primitives(restart - begin);
            begin = restart + 1;
        }
        let segments = (table.len() - HEAD) as u32 / 2;
        table[..HEAD].copy_from_slice(&[segments, primitives]);
        table.extend([end, primitives]);
        Ok(Self { table })
    }

    /// Returns the number of primitives of an instance.
    pub fn primitives(&self) -> u32 {
        self.table[1]
    }

    /// Returns the table that the shader reads. It starts with the number of segments and
    /// [`primitives`](Self::primitives). For each segment follow its first position in the draw's indices and the
    /// number of primitives before it. The last entry has these values for the end, as if a restart followed.
    pub fn table(&self) -> &[u32] {
        &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_what_lies_between_restarts() {
        let bytes = [7, 0xff, 1, 2, 3, 0xff, 0xff, 4, 5, 6, 7];
        let find = |first, count| {
            Segments::find(Topology::LineStrip, IndexType::Uint8, &bytes, first, count)
                .expect("there are few")
        };
        assert_eq!(find(1, 10).table(), [4, 5, 0, 0, 1, 0, 5, 2, 6, 2, 11, 5]);
        assert_eq!(find(2, 3).table(), [1, 2, 0, 0, 4, 2]);
        assert_eq!(find(9, 4).table(), [1, 3, 0, 0, 5, 3]);
        assert_eq!(find(20, 0).table(), [1, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn restarts_are_as_wide_as_indices() {
        let bytes = [0xff, 0xff, 0xff, 0xff, 0xff, 0];
        let count = |index_type: IndexType| {
            let count = bytes.len() as u32 / index_type.bytes();
            let segments = Segments::find(Topology::PointList, index_type, &bytes, 0, count);
            segments.expect("there are few").primitives()
        };
        assert_eq!([IndexType::Uint8, IndexType::Uint16, IndexType::Uint32].map(count), [1, 1, 0]);
        assert_eq!([IndexType::Uint8, IndexType::Uint32].map(IndexType::restart), [255, u32::MAX]);
    }
}
