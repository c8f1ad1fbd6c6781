//! The indices of a draw, and the table of segments between primitive restarts.

use super::topology::Topology;
use crate::code;
use polyshade_spv::Error;

/// The type of an index. The enum value is the value of the host parameter `index_type`: the binary logarithm of the
/// size in bytes.
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
    /// Returns the size of an index in bytes.
    pub fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// Returns the index that restarts primitives if primitive restart is enabled. All its bits are set.
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
    /// The address of the index buffer (`VkDeviceAddress`). Ignored if the variants use a descriptor for the buffer.
    #[cfg_attr(feature = "serde", serde(default))]
    pub address: u64,
    /// The offset of index 0 from the start of the bound range, or from `address`; a multiple of the index size.
    pub offset: u32,
    /// The size of the buffer from index 0 on. Indices beyond the end are read as 0, as with `robustBufferAccess2`.
    pub size: u32,
    /// The number that is added to each index (`vertexOffset`).
    pub vertex_offset: i32,
    /// The number of [primitives](Segments::primitives) per instance, if indices may restart primitives.
    #[cfg_attr(feature = "serde", serde(default))]
    pub restarted: Option<u32>,
    /// The address of the [table](Segments::table) of segments, a multiple of 4. Ignored if the variants use a
    /// descriptor for the table.
    #[cfg_attr(feature = "serde", serde(default))]
    pub table_address: u64,
    /// The size of the table, or 0 without a table.
    #[cfg_attr(feature = "serde", serde(default))]
    pub table_size: u32,
}

/// The segments of a draw's indices between primitive restarts (`primitiveRestartEnable`). Each segment is assembled
/// into primitives separately.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Segments {
    table: Vec<u32>,
}

/// The number of 32-bit values in the table before the first segment.
const HEAD: usize = 2;

impl Segments {
    /// Finds the segments in `count` indices, starting at index `first` of the buffer. `bytes` contains the index
    /// buffer from index 0 on, in little-endian order. Indices beyond its end are 0.
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
                "a draw must have fewer than 2^32 - 1 indices",
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

    /// Returns the number of primitives per instance.
    pub fn primitives(&self) -> u32 {
        self.table[1]
    }

    /// Returns the table that the shader reads. It starts with the number of segments and the number of
    /// [`primitives`](Self::primitives). Each segment has an entry with two values: its first position in the draw's
    /// indices, and the number of primitives before it. A final entry has the same values for the end of the indices,
    /// as if a restart followed.
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
