//! The indices of a draw, and where they restart primitives.

use super::topology::Topology;
use crate::code;
use polyshade_spv::Error;

/// How wide an index is. The numbers are those of the word `index_type`: an index has two to that power bytes.
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
    /// Bytes of an index.
    pub fn bytes(self) -> u32 {
        1 << self as u32
    }

    /// The index that restarts primitives, where restart is on: all bits are set.
    pub fn restart(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }
}

/// The indices of a draw. Offsets and sizes are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Indices {
    /// How wide an index is.
    pub index_type: IndexType,
    /// The address of the index buffer (`VkDeviceAddress`), where the variants find it by that; else it is not looked
    /// at.
    #[cfg_attr(feature = "serde", serde(default))]
    pub address: u64,
    /// Where index 0 is in what the descriptor binds, or from `address` on: a multiple of the size of an index.
    pub offset: u32,
    /// How long the buffer is from there on. Indices behind are 0, as `robustBufferAccess2` has it.
    pub size: u32,
    /// `vertexOffset`.
    pub vertex_offset: i32,
    /// The [primitives](Segments::primitives) of an instance, where indices may restart them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub restarted: Option<u32>,
    /// The address of the [table](Segments::table) of segments, a multiple of 4, where the variants find it by that;
    /// else it is not looked at.
    #[cfg_attr(feature = "serde", serde(default))]
    pub table_address: u64,
    /// Bytes of the table, where there is one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub table_size: u32,
}

/// What lies between restarts in the indices of a draw (`primitiveRestartEnable`): primitives are assembled from each
/// segment anew.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Segments {
    table: Vec<u32>,
}

/// The words of the table before the segments.
const HEAD: usize = 2;

impl Segments {
    /// The segments of `count` indices from number `first` on of `bytes`, little-endian and from index 0 on. Those that
    /// are not there are 0.
    ///
    /// # Errors
    ///
    /// `Options`: as many indices as 2³² - 1.
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
            // Of `count` indices there are fewer primitives.
            primitives += topology.primitives(restart - begin);
            begin = restart + 1;
        }
        let segments = (table.len() - HEAD) as u32 / 2;
        table[..HEAD].copy_from_slice(&[segments, primitives]);
        table.extend([end, primitives]);
        Ok(Self { table })
    }

    /// The primitives of an instance.
    pub fn primitives(&self) -> u32 {
        self.table[1]
    }

    /// The words of the table that the shader reads: how many segments there are, [`primitives`](Self::primitives), and
    /// for each segment the position in the draw's indices where it begins and how many primitives an instance has
    /// before it; behind the last the same, as if a restart followed the indices.
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
