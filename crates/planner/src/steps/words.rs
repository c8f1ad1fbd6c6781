//! The values of the host parameters that variants read.

use super::super::state::Counter;
use polyshade::host::ParamSource;
#[cfg(feature = "serde")]
use serde::Serialize;

/// The host parameters and their values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct ParamValues {
    /// Where the shader reads the parameters.
    pub source: ParamSource,
    /// The values, in the order of the parameters.
    pub values: Vec<ParamValue>,
    /// The names of the parameters, as in the lowering's report.
    pub names: Vec<String>,
    /// The feedback ranges from which values are computed, indexed by buffer.
    pub ranges: Vec<ParamRange>,
}

/// A feedback range in bytes, relative to the start of its binding, or to its own start if the shader reads its
/// address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct ParamRange {
    /// The offset of the range.
    pub offset: u32,
    /// The size of the range; 0 for a buffer that captures nothing.
    pub size: u32,
    /// The number of filled bytes in the range.
    pub counter: ParamValue,
    /// Whether no buffer is bound. If so, the other values are 0.
    pub unbound: bool,
}

/// The value of a host parameter, or how to compute it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "snake_case"))]
pub enum ParamValue {
    /// The planner knows the value.
    Constant(u32),
    /// The draw's `firstVertex` or `firstIndex`.
    FirstVertex,
    /// The draw's `vertexCount` or `indexCount`.
    VertexCount,
    /// The number of input primitives of one instance of the draw.
    PrimitiveCount,
    /// The draw's `instanceCount`.
    InstanceCount,
    /// The draw's `firstInstance`.
    FirstInstance,
    /// The number of vertices in all primitives of one instance of the draw. A vertex counts once per primitive.
    Slots,
    /// The number of vertices in the primitives of the draw that fit into all feedback ranges.
    Limit,
    /// Where the draw's data begins in the feedback buffer with this number: the offset of the range plus the filled
    /// bytes.
    Start(u32),
    /// The lower 32 bits of an address in a feedback buffer.
    AddressLow {
        /// The number of the feedback buffer.
        buffer: u32,
        /// The byte offset from the start of the buffer's memory.
        offset: u64,
    },
    /// The upper 32 bits of an address in a feedback buffer.
    AddressHigh {
        /// The number of the feedback buffer.
        buffer: u32,
        /// The byte offset from the start of the buffer's memory.
        offset: u64,
    },
    /// The value that the host keeps for a counter.
    Counter(Counter),
    /// The end of the previous draw's data in the feedback buffer with this number.
    Running(u32),
    /// The number of filled bytes in the feedback buffer with this number, which only the device knows.
    DeviceCounter(u32),
    /// The index type of the draw.
    IndexType,
    /// The draw's `vertexOffset`.
    VertexOffset,
    /// The index of the draw in a multi-draw.
    DrawIndex,
    /// The distance from the start of the index buffer's binding to index 0, in bytes.
    IndexOffset,
    /// The size of the index buffer from index 0 on, in bytes.
    IndexSize,
    /// The lower 32 bits of the address of index 0.
    IndexAddressLow,
    /// The upper 32 bits of the address of index 0.
    IndexAddressHigh,
    /// The lower 32 bits of the address of the draw's segment table.
    TableAddressLow,
    /// The upper 32 bits of the address of the segment table.
    TableAddressHigh,
    /// The size of the segment table in bytes.
    TableSize,
}

impl ParamValue {
    /// Returns the value of the host parameter with this name, if it describes the draw or its indices. The names are
    /// those that `polyshade::host::ParamValue::name` returns.
    pub fn of_draw(name: &str) -> Option<Self> {
        Some(match name {
            "first_vertex" | "first_index" => Self::FirstVertex,
            "vertex_count" | "index_count" => Self::VertexCount,
            "slots" => Self::Slots,
            "primitive_count" => Self::PrimitiveCount,
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
