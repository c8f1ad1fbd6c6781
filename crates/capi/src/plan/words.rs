//! The words that variants read, as a plan says them.

use crate::border::first;
use crate::failure::{Failure, c_text};
use crate::place::polyshade_place;
use polyshade_planner::{self as planner, Counter, Word};
use std::ffi::{CString, c_char};

/// It is `number`.
pub const POLYSHADE_WORD_CONSTANT: u32 = 0;
/// `firstVertex`, or `firstIndex`
pub const POLYSHADE_WORD_FIRST_VERTEX: u32 = 1;
/// `vertexCount`, or `indexCount`
pub const POLYSHADE_WORD_VERTEX_COUNT: u32 = 2;
/// `firstInstance`
pub const POLYSHADE_WORD_FIRST_INSTANCE: u32 = 3;
/// The corners of all primitives of an instance.
pub const POLYSHADE_WORD_SLOTS: u32 = 4;
/// The corners of all primitives that fit into every range.
pub const POLYSHADE_WORD_LIMIT: u32 = 5;
/// Where the draw begins in feedback buffer `number`: its range's offset and what of it is filled.
pub const POLYSHADE_WORD_START: u32 = 6;
/// The lower half of the address of byte `offset` of the memory to which feedback buffer `number` is bound, and the
/// upper.
pub const POLYSHADE_WORD_ADDRESS_LOW: u32 = 7;
pub const POLYSHADE_WORD_ADDRESS_HIGH: u32 = 8;
/// What the host keeps of the counter at byte `offset` of buffer `number`.
pub const POLYSHADE_WORD_COUNTER: u32 = 9;
/// Where the draw before has left feedback buffer `number`.
pub const POLYSHADE_WORD_RUNNING: u32 = 10;
/// What of feedback buffer `number` is filled, which the device alone knows.
pub const POLYSHADE_WORD_DEVICE_COUNTER: u32 = 11;
/// How wide indices are: 0, 1 or 2 for 8, 16 or 32 bits.
pub const POLYSHADE_WORD_INDEX_TYPE: u32 = 12;
/// `vertexOffset`
pub const POLYSHADE_WORD_VERTEX_OFFSET: u32 = 13;
/// The number of the draw in a multi-draw.
pub const POLYSHADE_WORD_DRAW_INDEX: u32 = 14;
/// The distance from the start of what is bound to index 0.
pub const POLYSHADE_WORD_INDEX_OFFSET: u32 = 15;
/// The bytes of the index buffer from index 0 on.
pub const POLYSHADE_WORD_INDEX_SIZE: u32 = 16;
/// The lower half of the address of index 0, and the upper.
pub const POLYSHADE_WORD_INDEX_ADDRESS_LOW: u32 = 17;
pub const POLYSHADE_WORD_INDEX_ADDRESS_HIGH: u32 = 18;
/// The lower half of the address of the table of segments, and the upper.
pub const POLYSHADE_WORD_TABLE_ADDRESS_LOW: u32 = 19;
pub const POLYSHADE_WORD_TABLE_ADDRESS_HIGH: u32 = 20;
/// The bytes of the table.
pub const POLYSHADE_WORD_TABLE_SIZE: u32 = 21;
/// The draw's `instanceCount`.
pub const POLYSHADE_WORD_INSTANCE_COUNT: u32 = 22;

/// Those of which the kind says all.
const PLAIN: [(u32, Word); 16] = [
    (POLYSHADE_WORD_FIRST_VERTEX, Word::FirstVertex),
    (POLYSHADE_WORD_VERTEX_COUNT, Word::VertexCount),
    (POLYSHADE_WORD_FIRST_INSTANCE, Word::FirstInstance),
    (POLYSHADE_WORD_SLOTS, Word::Slots),
    (POLYSHADE_WORD_LIMIT, Word::Limit),
    (POLYSHADE_WORD_INDEX_TYPE, Word::IndexType),
    (POLYSHADE_WORD_VERTEX_OFFSET, Word::VertexOffset),
    (POLYSHADE_WORD_DRAW_INDEX, Word::DrawIndex),
    (POLYSHADE_WORD_INDEX_OFFSET, Word::IndexOffset),
    (POLYSHADE_WORD_INDEX_SIZE, Word::IndexSize),
    (POLYSHADE_WORD_INDEX_ADDRESS_LOW, Word::IndexAddressLow),
    (POLYSHADE_WORD_INDEX_ADDRESS_HIGH, Word::IndexAddressHigh),
    (POLYSHADE_WORD_TABLE_ADDRESS_LOW, Word::TableAddressLow),
    (POLYSHADE_WORD_TABLE_ADDRESS_HIGH, Word::TableAddressHigh),
    (POLYSHADE_WORD_TABLE_SIZE, Word::TableSize),
    (POLYSHADE_WORD_INSTANCE_COUNT, Word::InstanceCount),
];

/// What one word is. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_plan_word {
    /// `POLYSHADE_WORD_…`
    pub kind: u32,
    /// What the kind says.
    pub number: u32,
    /// What the kind says.
    pub offset: u64,
    /// Its name, as a lowering's report has it. NULL where it is what of a range is filled.
    pub name: *const c_char,
}

/// A feedback range, from the start of what is bound, or from its own start where it is found by its address. It never
/// grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_word_range {
    pub offset: u32,
    /// 0 for a buffer that captures nothing.
    pub length: u32,
    /// Whether nothing is bound there; the others are 0.
    pub is_unbound: u32,
    /// 0
    pub reserved: u32,
    /// What of it is filled.
    pub reached: polyshade_plan_word,
}

/// The words of a variant, in their order, and the ranges that they come of, by the numbers of the feedback buffers:
/// what `polyshade_layout_host_words` is given. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct polyshade_plan_words {
    /// Where they go.
    pub place: polyshade_place,
    pub word_count: u32,
    pub range_count: u32,
    pub words: *const polyshade_plan_word,
    pub ranges: *const polyshade_word_range,
}

/// Words with what they lead to.
pub(super) struct Words(Box<Lists>);

struct Lists {
    words: polyshade_plan_words,
    /// These are read through its pointers, and those of the words.
    _all: Vec<polyshade_plan_word>,
    _ranges: Vec<polyshade_word_range>,
    _names: Vec<CString>,
}

impl Words {
    pub(super) fn new(of: &planner::Words) -> Self {
        let names: Vec<CString> = of.names.iter().map(|name| c_text(name)).collect();
        let named = of.words.iter().zip(&names);
        let all = named.map(|(word, name)| plan_word(word, name.as_ptr())).collect::<Vec<_>>();
        let ranges = of.ranges.iter().map(|range| polyshade_word_range {
            offset: range.offset,
            length: range.size,
            is_unbound: range.unbound.into(),
            reserved: 0,
            reached: plan_word(&range.reached, std::ptr::null()),
        });
        let ranges = ranges.collect::<Vec<_>>();
        let words = polyshade_plan_words {
            place: polyshade_place::of(of.place),
            word_count: all.len() as u32,
            range_count: ranges.len() as u32,
            words: first(&all),
            ranges: first(&ranges),
        };
        Self(Box::new(Lists { words, _all: all, _ranges: ranges, _names: names }))
    }

    pub(super) fn as_ptr(&self) -> *const polyshade_plan_words {
        &raw const self.0.words
    }
}

fn plan_word(of: &Word, name: *const c_char) -> polyshade_plan_word {
    let (kind, number, offset) = match *of {
        Word::Constant(value) => (POLYSHADE_WORD_CONSTANT, value, 0),
        Word::Start(buffer) => (POLYSHADE_WORD_START, buffer, 0),
        Word::AddressLow { buffer, offset } => (POLYSHADE_WORD_ADDRESS_LOW, buffer, offset),
        Word::AddressHigh { buffer, offset } => (POLYSHADE_WORD_ADDRESS_HIGH, buffer, offset),
        Word::Counter(Counter { buffer, offset }) => (POLYSHADE_WORD_COUNTER, buffer, offset),
        Word::Running(buffer) => (POLYSHADE_WORD_RUNNING, buffer, 0),
        Word::DeviceCounter(buffer) => (POLYSHADE_WORD_DEVICE_COUNTER, buffer, 0),
        plain => {
            let kind = PLAIN.iter().find(|(_, word)| *word == plain).map(|(kind, _)| *kind);
            (kind.expect("all others are listed"), 0, 0)
        }
    };
    polyshade_plan_word { kind, number, offset, name }
}

impl polyshade_plan_word {
    /// The word that the caller means.
    pub(crate) fn read(&self) -> Result<Word, Failure> {
        let Self { kind, number, offset, .. } = *self;
        Ok(match kind {
            POLYSHADE_WORD_CONSTANT => Word::Constant(number),
            POLYSHADE_WORD_START => Word::Start(number),
            POLYSHADE_WORD_ADDRESS_LOW => Word::AddressLow { buffer: number, offset },
            POLYSHADE_WORD_ADDRESS_HIGH => Word::AddressHigh { buffer: number, offset },
            POLYSHADE_WORD_COUNTER => Word::Counter(Counter { buffer: number, offset }),
            POLYSHADE_WORD_RUNNING => Word::Running(number),
            POLYSHADE_WORD_DEVICE_COUNTER => Word::DeviceCounter(number),
            _ => {
                let found = PLAIN.iter().find(|(plain, _)| *plain == kind);
                let none = || Failure::argument(format!("there is no word of kind {kind}"));
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
        for kind in 0..23 {
            let word = polyshade_plan_word { kind, number: 5, offset: 9, name: std::ptr::null() };
            let read = word.read().expect("there are so many");
            let back = plan_word(&read, std::ptr::null());
            assert_eq!((back.kind, back.read().ok()), (kind, Some(read)));
        }
        let none = polyshade_plan_word { kind: 23, number: 0, offset: 0, name: std::ptr::null() };
        assert!(none.read().is_err());
    }
}
