//! The values of the parameters that variants read.

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
    /// Their values, in their order.
    pub values: Vec<ParamValue>,
    /// Their names, as the lowering's report has them.
    pub names: Vec<String>,
    /// The feedback ranges that they come of, by the numbers of the buffers.
    pub ranges: Vec<WordRange>,
}

/// A feedback range, from the start of what is bound, or from its own start where it is found by its address; all in
/// bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct WordRange {
    /// Where it begins.
    pub offset: u32,
    /// How long it is; 0 for a buffer that captures nothing.
    pub size: u32,
    /// How much of it is filled.
    pub reached: ParamValue,
    /// Whether nothing is bound there: the others are 0.
    pub unbound: bool,
}

/// Where the value of a host parameter comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ParamValue {
    /// It is known.
    Constant(u32),
    /// The draw's `firstVertex`, or `firstIndex`.
    FirstVertex,
    /// The draw's `vertexCount`, or `indexCount`.
    VertexCount,
    /// The draw's `instanceCount`.
    InstanceCount,
    /// The draw's `firstInstance`.
    FirstInstance,
    /// The corners of all primitives of an instance of the draw.
    Slots,
    /// The corners of all primitives of the draw that fit into every one of the ranges.
    Limit,
    /// Where the draw begins in the buffer with this number: its range's offset and what of it is filled.
    Start(u32),
    /// The lower 32 bits of an address.
    AddressLow {
        /// The number of the feedback buffer that is bound to the memory.
        buffer: u32,
        /// What is added to the address of the memory's first byte.
        offset: u64,
    },
    /// The upper 32 bits of the same address.
    AddressHigh {
        /// The number of the feedback buffer.
        buffer: u32,
        /// What is added.
        offset: u64,
    },
    /// The value that the host keeps of a counter.
    Counter(Counter),
    /// Where the draw before has left the feedback buffer with this number.
    Running(u32),
    /// What of the feedback buffer with this number is filled, which the device alone knows.
    DeviceCounter(u32),
    /// How wide the indices of the draw are.
    IndexType,
    /// The draw's `vertexOffset`.
    VertexOffset,
    /// The number of the draw in a multi-draw.
    DrawIndex,
    /// The distance from the start of what is bound to index 0, in bytes.
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
    /// The host parameter of this name, as far as it is one of the draw or of its indices
    /// (`polyshade::host::ParamValue::name`).
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
