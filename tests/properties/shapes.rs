//! Modules that are large in one way are parsed, and then lowered or refused, without panics and without recursion on
//! the input.

use polyshade::Module;
use polyshade_spv::Progress;
use polyshade_testing::{Choices, SHAPES, Shape, trials};
use std::thread;

/// The stack size of a thread that processes a module, in bytes. Recursion on the input would need a frame of at
/// least 16 bytes for each item.
const STACK: usize = 256 << 10;

/// Returns the outcome of each trial on the shape.
fn endure(shape: Shape, count: u32) -> Vec<(&'static str, Result<usize, String>)> {
    let work = move || {
        let words = shape.words(count);
        let module =
            Module::parse(&words).unwrap_or_else(|error| panic!("{}: {error}", shape.name));
        let same = module.rewrite(|_, _| Ok(())).expect("nothing is edited");
        assert!(same.progress == Progress::Unchanged && same.module.words() == words);
        let entry = module.entry_points().next().expect("there is one");
        let attempts = trials(entry.model()).map(|trial| {
            let made = trial.attempt(&module, entry, &mut Choices::plain());
            let read = |variants: polyshade_testing::Variants| {
                let read =
                    |words: &[u32]| drop(Module::parse(words).expect("it can be read again"));
                variants.iter().for_each(|(_, variant)| read(variant.words()));
                variants.len()
            };
            (trial.name, made.map(read).map_err(|error| error.message().to_owned()))
        });
        attempts.collect()
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread starts");
    thread.join().unwrap_or_else(|_| panic!("{} panics", shape.name))
}

#[test]
fn what_is_large_in_one_way_is_endured() {
    for shape in SHAPES {
        let outcomes = endure(*shape, shape.most);
        let lowered = outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count();
        println!("{}: {lowered} of {} succeed", shape.name, outcomes.len());
        for (name, outcome) in outcomes {
            if let Err(reason) = outcome {
                println!("    {name}: {reason}");
            }
        }
    }
}
