//! The host parameters of variants, as a plan describes their values.

use crate::failure::{Failure, c_text};
use crate::ffi::first;
use crate::place::polyshade_param_source;
use polyshade_planner::{self as planner, Counter, ParamValue};
use std::ffi::{CString, c_char};

/// The value is `number`.
pub const POLYSHADE_PARAM_CONSTANT: u32 = 0;
/// `firstVertex`, or `firstIndex`
pub const POLYSHADE_PARAM_FIRST_VERTEX: u32 = 1;
/// `vertexCount`, or `indexCount`
pub const POLYSHADE_PARAM_VERTEX_COUNT: u32 = 2;
/// `firstInstance`
pub const POLYSHADE_PARAM_FIRST_INSTANCE: u32 = 3;
/// The vertices of all primitives of an instance, where each primitive counts its own.
pub const POLYSHADE_PARAM_SLOTS: u32 = 4;
/// The vertices, counted in the same way, of all primitives that fit into every range.
pub const POLYSHADE_PARAM_LIMIT: u32 = 5;
/// The byte at which the draw begins in feedback buffer `number`: the offset of its range plus the filled bytes.
pub const POLYSHADE_PARAM_START: u32 = 6;
/// The lower and upper half of the address of byte `offset` of the memory to which feedback buffer `number` is bound.
pub const POLYSHADE_PARAM_ADDRESS_LOW: u32 = 7;
pub const POLYSHADE_PARAM_ADDRESS_HIGH: u32 = 8;
/// The host's copy of the counter at byte `offset` of buffer `number`.
pub const POLYSHADE_PARAM_COUNTER: u32 = 9;
/// The counter of feedback buffer `number` after the previous draw.
pub const POLYSHADE_PARAM_RUNNING: u32 = 10;
/// The filled bytes of feedback buffer `number`, which only the device knows.
pub const POLYSHADE_PARAM_DEVICE_COUNTER: u32 = 11;
/// The index type: 0, 1 or 2 for 8, 16 or 32 bits.
pub const POLYSHADE_PARAM_INDEX_TYPE: u32 = 12;
/// `vertexOffset`
pub const POLYSHADE_PARAM_VERTEX_OFFSET: u32 = 13;
/// The number of the draw in a multi-draw.
pub const POLYSHADE_PARAM_DRAW_INDEX: u32 = 14;
/// The bytes from the start of the binding to index 0.
pub const POLYSHADE_PARAM_INDEX_OFFSET: u32 = 15;
/// The bytes of the index buffer from index 0 on.
pub const POLYSHADE_PARAM_INDEX_SIZE: u32 = 16;
/// The lower and the upper half of the address of index 0.
pub const POLYSHADE_PARAM_INDEX_ADDRESS_LOW: u32 = 17;
pub const POLYSHADE_PARAM_INDEX_ADDRESS_HIGH: u32 = 18;
/// The lower and the upper half of the address of the segment table.
pub const POLYSHADE_PARAM_TABLE_ADDRESS_LOW: u32 = 19;
pub const POLYSHADE_PARAM_TABLE_ADDRESS_HIGH: u32 = 20;
/// The bytes of the segment table.
pub const POLYSHADE_PARAM_TABLE_SIZE: u32 = 21;
/// The draw's `instanceCount`.
pub const POLYSHADE_PARAM_INSTANCE_COUNT: u32 = 22;
/// The input primitives of one instance of the draw.
pub const POLYSHADE_PARAM_PRIMITIVE_COUNT: u32 = 23;

/// The values that have neither a number nor an offset.
const PLAIN: [(u32, ParamValue); 17] = [
    (POLYSHADE_PARAM_FIRST_VERTEX, ParamValue::FirstVertex),
    (POLYSHADE_PARAM_VERTEX_COUNT, ParamValue::VertexCount),
    (POLYSHADE_PARAM_FIRST_INSTANCE, ParamValue::FirstInstance),
    (POLYSHADE_PARAM_SLOTS, ParamValue::Slots),
    (POLYSHADE_PARAM_LIMIT, ParamValue::Limit),
    (POLYSHADE_PARAM_INDEX_TYPE, ParamValue::IndexType),
    (POLYSHADE_PARAM_VERTEX_OFFSET, ParamValue::VertexOffset),
    (POLYSHADE_PARAM_DRAW_INDEX, ParamValue::DrawIndex),
    (POLYSHADE_PARAM_INDEX_OFFSET, ParamValue::IndexOffset),
    (POLYSHADE_PARAM_INDEX_SIZE, ParamValue::IndexSize),
    (POLYSHADE_PARAM_INDEX_ADDRESS_LOW, ParamValue::IndexAddressLow),
    (POLYSHADE_PARAM_INDEX_ADDRESS_HIGH, ParamValue::IndexAddressHigh),
    (POLYSHADE_PARAM_TABLE_ADDRESS_LOW, ParamValue::TableAddressLow),
    (POLYSHADE_PARAM_TABLE_ADDRESS_HIGH, ParamValue::TableAddressHigh),
    (POLYSHADE_PARAM_TABLE_SIZE, ParamValue::TableSize),
    (POLYSHADE_PARAM_INSTANCE_COUNT, ParamValue::InstanceCount),
    (POLYSHADE_PARAM_PRIMITIVE_COUNT, ParamValue::PrimitiveCount),
];

/// The value of one host parameter. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_param_value {
    /// `POLYSHADE_PARAM_…`
    pub kind: u32,
    /// The number that the kind describes.
    pub number: u32,
    /// The offset that the kind describes.
    pub offset: u64,
    /// The name of the parameter in the lowering's report; NULL in `polyshade_param_range.counter`.
    pub name: *const c_char,
}

/// A feedback range in bytes, from the start of the binding, or from its own start if the shader finds the range by
/// address. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_param_range {
    pub offset: u32,
    /// 0 if the buffer captures nothing.
    pub length: u32,
    /// Whether the buffer is not bound; the other members are then 0.
    pub is_unbound: u32,
    /// 0
    pub reserved: u32,
    /// The filled bytes of the range.
    pub counter: polyshade_param_value,
}

/// The host parameters of a variant, in their order, and the feedback ranges from which they are computed, indexed by
/// feedback buffer: the input of `polyshade_layout_host_params`. The struct never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_param_values {
    /// Where the shader reads the parameters.
    pub source: polyshade_param_source,
    pub value_count: u32,
    pub range_count: u32,
    pub values: *const polyshade_param_value,
    pub ranges: *const polyshade_param_range,
}

/// The host parameters, with the lists to which their pointers point.
pub(super) struct Words(Box<Lists>);

struct Lists {
    words: polyshade_param_values,
    /// The lists that the pointers of `words` point to.
    _all: Vec<polyshade_param_value>,
    _ranges: Vec<polyshade_param_range>,
    _names: Vec<CString>,
}

impl Words {
    pub(super) fn new(of: &planner::ParamValues) -> Self {
        let names: Vec<CString> = of.names.iter().map(|name| c_text(name)).collect();
        let named = of.values.iter().zip(&names);
        let all = named.map(|(word, name)| plan_word(word, name.as_ptr())).collect::<Vec<_>>();
        let ranges = of.ranges.iter().map(|range| polyshade_param_range {
            offset: range.offset,
            length: range.size,
            is_unbound: range.unbound.into(),
            reserved: 0,
            counter: plan_word(&range.counter, std::ptr::null()),
        });
        let ranges = ranges.collect::<Vec<_>>();
        let words = polyshade_param_values {
            source: polyshade_param_source::of(of.source),
            value_count: all.len() as u32,
            range_count: ranges.len() as u32,
            values: first(&all),
            ranges: first(&ranges),
        };
        Self(Box::new(Lists { words, _all: all, _ranges: ranges, _names: names }))
    }

    pub(super) fn as_ptr(&self) -> *const polyshade_param_values {
        &raw const self.0.words
    }
}

fn plan_word(of: &ParamValue, name: *const c_char) -> polyshade_param_value {
    let (kind, number, offset) = match *of {
        ParamValue::Constant(value) => (POLYSHADE_PARAM_CONSTANT, value, 0),
        ParamValue::Start(buffer) => (POLYSHADE_PARAM_START, buffer, 0),
        ParamValue::AddressLow { buffer, offset } => (POLYSHADE_PARAM_ADDRESS_LOW, buffer, offset),
        ParamValue::AddressHigh { buffer, offset } => {
            (POLYSHADE_PARAM_ADDRESS_HIGH, buffer, offset)
        }
        ParamValue::Counter(Counter { buffer, offset }) => {
            (POLYSHADE_PARAM_COUNTER, buffer, offset)
        }
        ParamValue::Running(buffer) => (POLYSHADE_PARAM_RUNNING, buffer, 0),
        ParamValue::DeviceCounter(buffer) => (POLYSHADE_PARAM_DEVICE_COUNTER, buffer, 0),
        plain => {
            let kind = PLAIN.iter().find(|(_, word)| *word == plain).map(|(kind, _)| *kind);
            (kind.expect("the table lists all other values"), 0, 0)
        }
    };
    polyshade_param_value { kind, number, offset, name }
}

impl polyshade_param_value {
    /// Reads a value from the caller's struct.
    pub(crate) fn read(&self) -> Result<ParamValue, Failure> {
        let Self { kind, number, offset, .. } = *self;
        Ok(match kind {
            POLYSHADE_PARAM_CONSTANT => ParamValue::Constant(number),
            POLYSHADE_PARAM_START => ParamValue::Start(number),
            POLYSHADE_PARAM_ADDRESS_LOW => ParamValue::AddressLow { buffer: number, offset },
            POLYSHADE_PARAM_ADDRESS_HIGH => ParamValue::AddressHigh { buffer: number, offset },
            POLYSHADE_PARAM_COUNTER => ParamValue::Counter(Counter { buffer: number, offset }),
            POLYSHADE_PARAM_RUNNING => ParamValue::Running(number),
            POLYSHADE_PARAM_DEVICE_COUNTER => ParamValue::DeviceCounter(number),
            _ => {
                let found = PLAIN.iter().find(|(plain, _)| *plain == kind);
                let none = || Failure::argument(format!("unknown kind {kind} of parameter value"));
                found.map(|(_, word)| *word).ok_or_else(none)?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_went() {
        for kind in 0..24 {
            let word = polyshade_param_value { kind, number: 5, offset: 9, name: std::ptr::null() };
            let read = word.read().expect("there are so many");
            let back = plan_word(&read, std::ptr::null());
            assert_eq!((back.kind, back.read().ok()), (kind, Some(read)));
        }
        let none = polyshade_param_value { kind: 24, number: 0, offset: 0, name: std::ptr::null() };
        assert!(none.read().is_err());
    }
}
