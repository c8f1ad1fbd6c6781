//! Counts the instructions of operations on inputs of five sizes, and of all trials on shapes of two sizes. Prints
//! the instructions per input word next to the committed limits, and fails if one exceeds its limit. As controls,
//! also measures a mere pass over the words and another library.

use std::hint::black_box;
use std::process::ExitCode;
use std::thread;

use polyshade::position_only;
use polyshade::transform_feedback::Options;
use polyshade_benches::limits::{Measured, report, report_shapes};
use polyshade_benches::{captured, header_scan, inputs, streaming_copy};
use polyshade_spv::Module;
use polyshade_testing::{Choices, LOWERINGS, SHAPES, TOOLS};
use polyshade_tests::cost::{Attempts, Cost, count, is_counted, measure};
use rspirv::binary::Assemble;

/// The operations that are measured on each of the [inputs].
const OPERATIONS: Attempts = Attempts { argument: "--counted-operations", make: operations };
/// The trials that are measured on shapes.
const TRIALS: Attempts = Attempts { argument: "--counted-trials", make: trials };

const INPUTS: [&str; 5] = ["small", "medium", "kb100", "large", "mb10"];

fn main() -> ExitCode {
    let counted = is_counted(&[OPERATIONS, TRIALS]);
    match counted.and_then(|counted| if counted { Ok(()) } else { run() }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    // Measure each input in its own process, because the first capture of a process parses the GLSL library.
    let on = |name: &'static str| {
        let words = inputs::words(name).expect("there is an input of this name");
        let costs = measure(&[words], OPERATIONS)?;
        let measured = |cost: Cost| Measured {
            benchmark: cost.verb,
            input: name,
            words: cost.words,
            instructions: cost.instructions,
        };
        Ok::<_, String>(costs.into_iter().map(measured).collect::<Vec<_>>())
    };
    let shapes: Vec<_> = SHAPES.iter().flat_map(inputs::shapes).collect();
    let (measured, costs) = thread::scope(|scope| {
        let counting = INPUTS.map(|name| scope.spawn(move || on(name)));
        let costs = measure(&shapes, TRIALS);
        let measured = counting.map(|one| one.join().expect("counting does not panic"));
        (measured.into_iter().collect::<Result<Vec<_>, _>>(), costs)
    });
    let (table, has_device_counters) =
        report(include_str!("../../limits.txt"), &measured?.concat())?;
    println!("{table}");
    let (table, is_linear) = report_shapes(&costs?);
    println!("{table}");
    if has_device_counters && is_linear {
        Ok(())
    } else {
        Err("more than benches/limits.txt allows".to_owned())
    }
}

/// Counts the instructions of `work`. Dropping the result of `work` is not counted.
fn count_once<R>(number: usize, name: &str, work: impl FnOnce() -> R) {
    let (mut work, mut result) = (Some(work), None);
    count(number, name, &mut || result = work.take().map(|work| black_box(work())));
}

fn operations(number: usize, words: &[u32]) {
    // Give each operation a fresh module without cached analyses.
    let parsed = || Module::parse(black_box(words)).expect("the input is well-formed");
    count_once(number, "parse", parsed);
    count_once(number, "identity", || {
        let module = parsed();
        let next = module.rewrite(|_, _| Ok(())).expect("nothing is edited");
        next.module.into_words()
    });
    let m = parsed();
    count_once(number, "uses", || _ = black_box(m.uses()));

    let m = parsed();
    let varying = if words.len() < MEDIUM { "v_texcoord" } else { "v_position" };
    let options = Options::new().interleaved([varying, "gl_Position"]);
    for name in ["capture", "capture_again"] {
        count_once(number, name, || captured(&m, &options).expect("it can be captured"));
    }
    let options = position_only::Options::new();
    let m = parsed();
    count_once(number, "position", || {
        position_only::lower(&m, "main", &options).expect("it can be reduced")
    });
    let m = parsed();
    count_once(number, "complement", || {
        position_only::lower(
            &m,
            "main",
            &options.clone().variant(position_only::Variant::Complement),
        )
        .expect("it can be reduced")
    });

    if (MEDIUM..MEGABYTES).contains(&words.len()) {
        count_once(number, "header_scan", || header_scan(words));
        count_once(number, "streaming_copy", || {
            let mut copy = Vec::with_capacity(words.len());
            streaming_copy(words, &mut copy);
            copy
        });
        count_once(number, "rspirv_load_assemble", || {
            let module = rspirv::dr::load_words(words).expect("rspirv reads the input");
            let words = module.assemble();
            (module, words)
        });
    }
}

/// The minimum number of words of the medium input, and of inputs on which the controls would take too long.
const MEDIUM: usize = 1_000;
const MEGABYTES: usize = 1_000_000;

/// Measures parsing together with all trials.
fn trials(number: usize, words: &[u32]) {
    let attempt = || {
        let module = Module::parse(black_box(words)).expect("a shape is well-formed");
        let entry = module.entry_points().next().expect("a shape has one");
        let taking = LOWERINGS.iter().chain(&TOOLS).filter(|trial| trial.takes(entry.model()));
        taking.filter_map(|one| one.attempt(&module, entry, &mut Choices::plain()).ok()).count()
    };
    // Do not measure the first attempt: it parses the GLSL library, and earlier shapes leave memory in the allocator.
    attempt();
    count_once(number, "trials", attempt);
}
