//! How many instructions each operation takes, on five sizes of input. Controls tell how near the
//! numbers are to what merely touching the words costs, and how far from what others take.
//!
//! Results are returned, so that dropping them is not counted.

#![allow(missing_docs, reason = "gungraun's macros refuse doc comments and write public items")]

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use polyshade::host::Lowered;
use polyshade::position_only;
use polyshade::transform_feedback::Options;
use polyshade_benches::{captured, inputs};
use polyshade_spv::Module;
use rspirv::binary::Assemble;

fn words(name: &str) -> &'static [u32] {
    let words = inputs::words(name).expect("there is an input of this name").leak();
    // Making the large input leaves many small free blocks behind, which the C library merges at
    // the next large allocation: let it be this one, which is not counted.
    drop(black_box(vec![0_u8; 1 << 20]));
    words
}

fn module(name: &str) -> &'static Module<'static> {
    let module = Module::parse(words(name)).expect("the input is well-formed");
    Box::leak(Box::new(module))
}

// Parse: sections, and where each id is defined.
#[library_benchmark(setup = words)]
#[bench::small("small")]
#[bench::medium("medium")]
#[bench::kb100("kb100")]
#[bench::large("large")]
#[bench::mb10("mb10")]
fn parse(words: &'static [u32]) -> Module<'static> {
    Module::parse(black_box(words)).expect("the input is well-formed")
}

// Parse, and rewrite with an empty patch.
#[library_benchmark(setup = words)]
#[bench::small("small")]
#[bench::medium("medium")]
#[bench::kb100("kb100")]
#[bench::large("large")]
#[bench::mb10("mb10")]
fn identity(words: &'static [u32]) -> Vec<u32> {
    let module = Module::parse(black_box(words)).expect("the input is well-formed");
    let next = module.rewrite(|_, _| Ok(())).expect("nothing is edited");
    next.module.into_words()
}

// The uses of every id, of a module that is parsed already.
#[library_benchmark(setup = module)]
#[bench::small("small")]
#[bench::medium("medium")]
#[bench::large("large")]
fn uses(module: &'static Module<'static>) {
    black_box(black_box(module).uses());
}

fn module_and_options(name: &str) -> (&'static Module<'static>, Options) {
    let varyings = if name == "small" { "v_texcoord" } else { "v_position" };
    (module(name), Options::new().interleaved([varyings, "gl_Position"]))
}

// Capture two varyings: all three variants, of a module that is parsed already.
#[library_benchmark(setup = module_and_options)]
#[bench::small("small")]
#[bench::medium("medium")]
#[bench::kb100("kb100")]
#[bench::large("large")]
#[bench::mb10("mb10")]
fn capture((module, options): (&'static Module<'static>, Options)) -> [Module<'static>; 3] {
    captured(black_box(module), &options).expect("it can be captured")
}

fn after_another(name: &str) -> (&'static Module<'static>, Options) {
    let (module, options) = module_and_options(name);
    drop(black_box(captured(module, &options)));
    (module, options)
}

// The same, where the process has read our compiled GLSL already.
#[library_benchmark(setup = after_another)]
#[bench::small("small")]
#[bench::medium("medium")]
fn capture_again((module, options): (&'static Module<'static>, Options)) -> [Module<'static>; 3] {
    captured(black_box(module), &options).expect("it can be captured")
}

// What is dead when nothing but the position is needed is removed, of a module that is parsed already.
#[library_benchmark(setup = module)]
#[bench::small("small")]
#[bench::medium("medium")]
#[bench::large("large")]
fn position(module: &'static Module<'static>) -> Lowered<'static> {
    let options = position_only::Options::new();
    position_only::derive(black_box(module), "main", &options).expect("it can be reduced")
}

// The variant with the other outputs.
#[library_benchmark(setup = module)]
#[bench::small("small")]
#[bench::medium("medium")]
#[bench::large("large")]
fn complement(module: &'static Module<'static>) -> Lowered<'static> {
    let options = position_only::Options::new();
    position_only::complement(black_box(module), "main", &options).expect("it can be reduced")
}

// Control: visit every instruction's first word.
#[library_benchmark(setup = words)]
#[bench::medium("medium")]
#[bench::large("large")]
fn header_scan(words: &'static [u32]) -> usize {
    let mut at = 5;
    let mut count = 0;
    while let Some(first) = black_box(words).get(at) {
        at += (first >> 16).max(1) as usize;
        count += 1;
    }
    count
}

// Control: copy every instruction by itself.
#[library_benchmark(setup = words)]
#[bench::medium("medium")]
#[bench::large("large")]
fn streaming_copy(words: &'static [u32]) -> Vec<u32> {
    let words = black_box(words);
    let mut copy = Vec::with_capacity(words.len());
    copy.extend_from_slice(&words[..5]);
    let mut at = 5;
    while let Some(first) = words.get(at) {
        let end = at + (first >> 16).max(1) as usize;
        copy.extend_from_slice(&words[at..end]);
        at = end;
    }
    copy
}

// Control: what rspirv takes to load and assemble.
#[library_benchmark(setup = words)]
#[bench::medium("medium")]
#[bench::large("large")]
fn rspirv_load_assemble(words: &'static [u32]) -> (rspirv::dr::Module, Vec<u32>) {
    let module = rspirv::dr::load_words(black_box(words)).expect("rspirv reads the input");
    let words = module.assemble();
    (module, words)
}

library_benchmark_group!(
    name = operations,
    benchmarks = [parse, identity, uses, capture, capture_again, position, complement]
);
library_benchmark_group!(
    name = controls,
    benchmarks = [header_scan, streaming_copy, rspirv_load_assemble]
);
main!(library_benchmark_groups = [operations, controls]);
