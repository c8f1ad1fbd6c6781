//! How many instructions all trials together take on modules that are large in one way, and on ones that are four times
//! as large: as many a word, or fewer.

#![allow(missing_docs, reason = "gungraun's macros refuse doc comments and write public items")]

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use polyshade_benches::inputs;
use polyshade_spv::Module;
use polyshade_trials::{Choices, LOWERINGS, MOVES, SHAPES};

fn numbers() -> std::ops::Range<usize> {
    0..2 * SHAPES.len()
}

fn words(number: usize) -> &'static [u32] {
    let words = inputs::words(&format!("shape_{number}")).expect("there are two of each").leak();
    drop(black_box(vec![0_u8; 1 << 20]));
    words
}

// Parse, and attempt everything.
#[library_benchmark]
#[benches::shape(iter = numbers(), setup = words)]
fn trials(words: &'static [u32]) -> usize {
    let module = Module::parse(black_box(words)).expect("a shape is well-formed");
    let entry = module.entry_points().next().expect("a shape has one");
    let taking = LOWERINGS.iter().chain(&MOVES).filter(|trial| trial.takes(entry.model()));
    taking.filter_map(|one| one.attempt(&module, entry, &mut Choices::plain()).ok()).count()
}

library_benchmark_group!(name = shapes, benchmarks = [trials]);
main!(library_benchmark_groups = [shapes]);
