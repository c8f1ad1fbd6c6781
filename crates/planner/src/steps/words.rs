//! The values of the host parameters that variants read.

use super::super::state::Counter;
use polyshade::host::ParamSource;
#[cfg(feature = "serde")]
use serde::Serialize;

/// The parameters that the host fills in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct ParamValues {
    /// Where the shader reads them.
    pub source: ParamSource,
    /// The values, in the order of the parameters.
    pub values: Vec<ParamValue>,
    /// The names, as in the lowering's report.
    pub names: Vec<String>,
    /// The feedback ranges from which values are computed, by the number of the buffer.
    pub ranges: Vec<WordRange>,
}

/// A feedback range in bytes, from the start of its binding, or from its own start if the shader has its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct WordRange {
    /// The offset of the range.
    pub offset: u32,
    /// The size of the range; 0 for a buffer that captures nothing.
    pub size: u32,
    /// The filled bytes of the range.
    pub reached: ParamValue,
    /// Whether no buffer is bound; the other values are then 0.
    pub unbound: bool,
}

/// The source of the value of a host parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ParamValue {
    /// The planner knows the value.
    Constant(u32),
    /// The draw's `firstVertex` or `firstIndex`.
    FirstVertex,
    /// The draw's `vertexCount` or `indexCount`.
    VertexCount,
    /// The draw's `instanceCount`.
    InstanceCount,
    /// The draw's `firstInstance`.
    FirstInstance,
    /// The number of vertices of all primitives of one instance of the draw, repeated vertices counted each time.
    Slots,
    /// The number of vertices of those primitives of the draw that fit into all feedback ranges.
    Limit,
    /// Where the draw begins in the buffer with this number: the offset of its range plus the filled bytes.
    Start(u32),
    /// The lower 32 bits of an address.
    AddressLow {
        /// The number of the feedback buffer that is bound to the memory.
        buffer: u32,
        /// The byte offset from the start of the memory.
        offset: u64,
    },
    /// The upper 32 bits of the same address.
    AddressHigh {
        /// The number of the feedback buffer that is bound to the memory.
        buffer: u32,
        /// The byte offset from the start of the memory.
        offset: u64,
    },
    /// The host's value of a counter.
    Counter(Counter),
    /// The end of the previous draw's data in the feedback buffer with this number.
    Running(u32),
    /// The filled bytes of the feedback buffer with this number, which only the device knows.
    DeviceCounter(u32),
    /// The type of the indices of the draw.
    IndexType,
    /// The draw's `vertexOffset`.
    VertexOffset,
    /// The index of the draw in a multi-draw.
    DrawIndex,
    /// The distance from the start of the binding to index 0, in bytes.
    IndexOffset,
    /// The bytes of the index buffer from index 0 on.
    IndexSize,
    /// The lower 32 bits of the address of index 0.
    IndexAddressLow,
    /// The upper 32 bits of the same address.
    IndexAddressHigh,
    /// The lower 32 bits of the address of the draw's table of segments.
    TableAddressLow,
    /// The upper 32 bits of the same address.
    TableAddressHigh,
    /// The bytes of the table.
    TableSize,
}

impl ParamValue {
    /// The value of the host parameter with this name, if it is one of the draw or of its indices. The names are
    /// those of `polyshade::host::ParamValue::name`.
    pub fn of_draw(name: &str) -> Option<Self> {
        Some(match name {
            "first_vertex" | "first_index" => Self::FirstVertex,
            "vertex_count" | "index_count" => Self::VertexCount,
            "slots" => Self::Slots,
            "instance_count" => Self::InstanceCount,
            "first_instance" => Self::FirstInstance,
            "limit" => Self::Limit,
            "index_type" => Self::IndexType,
            "vertex_offset" => Self::VertexOffset,
            "draw_index" => Self::DrawIndex,
            "index_offset" => Self::IndexOffset,
            "index_size" => Self::IndexSize,
            "index_address_low" => Self::IndexAddressLow,
            "index_address_high" => Self::IndexAddressHigh,
            "table_address_low" => Self::TableAddressLow,
            "table_address_high" => Self::TableAddressHigh,
            "table_size" => Self::TableSize,
            _ => return None,
        })
    }
}
