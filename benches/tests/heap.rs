//! Tests the peak memory of dead code elimination, which must be a few bytes per word.

use std::hint::black_box;

use polyshade::position_only::{self, Options, Variant};
use polyshade_benches::inputs;
use polyshade_spv::Module;
use polyshade_testing::allocations::{Counting, count as allocations, peak};

/// The maximum number of bytes per word of the module that may be allocated at the same time, including the result.
const MOST: usize = 32;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn what_is_there_at_once_is_counted() {
    // Without `black_box`, the compiler would remove the unused allocations.
    let bytes = |size: usize| black_box(vec![0_u8; size]);
    assert_eq!(peak(|| drop((bytes(100), bytes(50)))), 150);
    assert_eq!(peak(|| [100, 60].map(|size| bytes(size).len())), 100);
}

#[test]
fn variants_take_a_few_bytes_a_word() {
    for name in ["medium", "large"] {
        let words = inputs::words(name).expect("there is an input of this name");
        let count = words.len();
        let m = Module::parse(&words).expect("the input is well-formed");
        let variants = [("position", Variant::PositionOnly), ("complement", Variant::Complement)];
        for (what, variant) in variants {
            let options = Options::new().variant(variant);
            let derive = || position_only::lower(&m, "main", &options).expect("it can be reduced");
            let bytes = peak(derive);
            let each = bytes as f64 / count as f64;
            println!("{name}, {what}: {each:.1} bytes a word");
            assert!(bytes <= MOST * count, "{name}, {what}: {each:.1} bytes a word");
        }
    }
}

/// The maximum number of allocations that a lowering makes per 1,000 words of a large module.
const MOST_ALLOCATIONS: usize = 2;

#[test]
fn variants_of_large_modules_allocate_seldom() {
    let words = inputs::words("mb10").expect("there is an input of this name");
    let m = Module::parse(&words).expect("the input is well-formed");
    let options = Options::new();
    let count = allocations(|| position_only::lower(&m, "main", &options));
    println!("{count} allocations for {} words", words.len());
    assert!(count * 1000 <= MOST_ALLOCATIONS * words.len(), "{count} allocations");
}
