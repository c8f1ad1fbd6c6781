//! The inputs of the benchmarks, and the comparison of their results with the committed limits.

pub mod inputs;
pub mod limits;

use std::hint::black_box;

use polyshade::transform_feedback::{self, Options, Variant};
use polyshade::{Error, Module};

/// As a control, visits the first word of every instruction and counts the instructions.
pub fn header_scan(words: &[u32]) -> usize {
    let (mut at, mut count) = (5, 0);
    while let Some(first) = black_box(words).get(at) {
        at += (first >> 16).max(1) as usize;
        count += 1;
    }
    count
}

/// As a control, copies the words into `copy`, one instruction at a time, and reuses the memory of `copy`.
pub fn streaming_copy(words: &[u32], copy: &mut Vec<u32>) {
    copy.clear();
    copy.extend_from_slice(&words[..5]);
    let mut at = 5;
    while let Some(first) = words.get(at) {
        let end = at + (first >> 16).max(1) as usize;
        copy.extend_from_slice(&words[at..end]);
        at = end;
    }
    black_box(copy);
}

/// Returns the three variants that a capture makes from a vertex shader.
pub fn captured<'m>(module: &'m Module<'_>, options: &Options) -> Result<[Module<'m>; 3], Error> {
    let prepared = transform_feedback::prepare(module, "main", options)?;
    let make = |variant| Ok(prepared.variant(variant)?.module);
    Ok([make(Variant::CaptureOnly)?, make(Variant::Both)?, make(Variant::RasterOnly)?])
}
