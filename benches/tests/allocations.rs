//! Tests that parsing makes only a few allocations, regardless of the size of the module.

use polyshade_benches::inputs;
use polyshade_spv::{Module, Workspace};
use polyshade_testing::allocations::{Counting, count as allocations, peak};

/// The maximum number of allocations for parsing a module.
const MOST: usize = 16;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| [Box::new(1), Box::new(2)]), 2);
    let mut grown = Vec::with_capacity(1);
    assert_eq!(allocations(|| grown.extend([1, 2])), 1);
}

#[test]
fn parsing_allocates_a_few_times_whatever_the_size() {
    for name in ["small", "medium", "large"] {
        let words = inputs::words(name).expect("there is an input of this name");
        let count = allocations(|| Module::parse(&words).expect("the input is well-formed"));
        println!("{name}: {count} allocations");
        assert!(count <= MOST, "{name}: {count} allocations, more than {MOST}");
    }
}

#[test]
fn modules_that_share_a_workspace_and_a_buffer_allocate_nothing() {
    let mut workspace = Workspace::default();
    let mut copy = Vec::new();
    let mut identity = |words: &[u32]| {
        let module = Module::parse_in(words, &mut workspace).expect("the input is well-formed");
        let next = module.rewrite(|_, _| Ok(())).expect("nothing is edited");
        copy.clear();
        copy.extend_from_slice(next.module.words());
        drop(next);
        module.recycle(&mut workspace);
    };
    let inputs = ["large", "medium", "small", "medium"]
        .map(|name| inputs::words(name).expect("there is an input of this name"));
    identity(&inputs[0]);
    for words in &inputs {
        assert_eq!(allocations(|| identity(words)), 0);
    }
}

/// The maximum number of bytes per input word that parsing and an empty rewrite hold, in addition to
/// the returned words.
const MOST_BYTES: usize = 16;

#[test]
fn peaks_are_counted() {
    assert_eq!(peak(|| drop((vec![0_u8; 100], vec![0_u8; 50]))), 150);
    assert_eq!(peak(|| drop(vec![0_u8; 100])), 100);
}

#[test]
fn memory_follows_the_size() {
    for name in ["small", "medium", "large"] {
        let words = inputs::words(name).expect("there is an input of this name");
        let identity = peak(|| {
            let module = Module::parse(&words).expect("the input is well-formed");
            module.rewrite(|_, _| Ok(())).expect("nothing is edited").module.into_words()
        });
        // Do not count the returned copy of the words.
        let beyond = identity - words.len() * 4;
        println!("{name}: {:.1} bytes a word", beyond as f64 / words.len() as f64);
        assert!(beyond <= MOST_BYTES * words.len(), "{name}: {beyond} bytes");
    }
}
