//! Measures the time of operations relative to a mere pass over the words, all in one run.
//!
//! Each number is the minimum of many rounds. The rounds of all operations alternate, so a disturbance of the machine
//! affects all operations.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use polyshade::transform_feedback::Options;
use polyshade::{clip_space, position_only};
use polyshade_benches::{captured, header_scan, inputs, streaming_copy};
use polyshade_spv::{Module, Workspace};

const ROUNDS: usize = 300;

fn main() {
    println!("| Input | What | Time | ns a word | to a header scan | to a streaming copy |");
    println!("|---|---|---|---|---|---|");
    for name in ["small", "medium", "kb100", "large", "mb10"] {
        let words = inputs::words(name).expect("there is an input of this name");
        measure(name, &words);
    }
    let words = inputs::words("large").expect("there is an input of this name");
    two_threads(&words);
}

/// An operation and its name.
type Work<'w> = (&'static str, Box<dyn FnMut() + 'w>);

fn measure(name: &str, words: &[u32]) {
    let module = Module::parse(words).expect("the input is well-formed");
    let (mut workspace, mut copy, mut buffer) = (Workspace::default(), Vec::new(), Vec::new());
    let varying = if name == "small" { "v_texcoord" } else { "v_position" };
    let capture = Options::new().interleaved([varying, "gl_Position"]);
    let depth = clip_space::Options::new().depth(true);
    let position = position_only::Options::new();
    let mut all: Vec<Work<'_>> = vec![
        ("header scan", Box::new(|| _ = black_box(header_scan(words)))),
        ("streaming copy", Box::new(|| streaming_copy(words, &mut copy))),
        ("parse", Box::new(|| drop(black_box(Module::parse(words))))),
        ("identity, memory reused", Box::new(|| identity(words, &mut workspace, &mut buffer))),
        ("depth", Box::new(|| drop(black_box(clip_space::lower(&module, "main", &depth))))),
        (
            "position",
            Box::new(|| drop(black_box(position_only::lower(&module, "main", &position)))),
        ),
        ("capture, three variants", Box::new(|| drop(black_box(captured(&module, &capture))))),
    ];
    let mut least = vec![Duration::MAX; all.len()];
    let rounds = (ROUNDS * 20_000 / words.len()).clamp(ROUNDS / 30, ROUNDS);
    for _ in 0..rounds {
        for ((_, work), least) in all.iter_mut().zip(&mut least) {
            // Repeat the operation until a round takes some microseconds, which the clock can resolve.
            let times = (20_000 / words.len()).max(1) as u32;
            let before = Instant::now();
            (0..times).for_each(|_| work());
            *least = (*least).min(before.elapsed() / times);
        }
    }
    for ((what, _), time) in all.iter().zip(&least) {
        let to = |control: Duration| time.as_secs_f64() / control.as_secs_f64();
        let (scan, copy, count) = (to(least[0]), to(least[1]), words.len());
        let of_word = time.as_secs_f64() * 1e9 / count as f64;
        println!(
            "| {name}, {count} words | {what} | {time:.1?} | {of_word:.2} | {scan:.1} | {copy:.1} |"
        );
    }
}

fn identity(words: &[u32], workspace: &mut Workspace, buffer: &mut Vec<u32>) {
    let module = Module::parse_in(words, workspace).expect("the input is well-formed");
    let next = module.rewrite(|_, _| Ok(())).expect("nothing is edited");
    buffer.clear();
    buffer.extend_from_slice(next.module.words());
    drop(next);
    module.recycle(workspace);
    black_box(buffer);
}

/// Prints how much more work two threads do than one thread, for an operation and for a streaming copy.
fn two_threads(words: &[u32]) {
    let ratio = |work: &(dyn Fn(&[u32], &mut Worker) + Sync)| {
        let one = least_time(1, words, work);
        let two = least_time(2, words, work);
        one.as_secs_f64() / two.as_secs_f64()
    };
    let identity =
        ratio(&|words, worker| identity(words, &mut worker.workspace, &mut worker.buffer));
    let control = ratio(&|words, worker| streaming_copy(words, &mut worker.buffer));
    println!(
        "\nTwo threads, each as fast as one alone: identity {identity:.2}, streaming copy {control:.2}"
    );
    println!("identity to streaming copy: {:.2}", identity / control);
}

#[derive(Default)]
struct Worker {
    workspace: Workspace,
    buffer: Vec<u32>,
}

/// Returns the least time in which each of `threads` threads executes `work` once.
fn least_time(
    threads: usize,
    words: &[u32],
    work: &(dyn Fn(&[u32], &mut Worker) + Sync),
) -> Duration {
    let barrier = Barrier::new(threads);
    let run = || {
        let mut worker = Worker::default();
        let round = || {
            barrier.wait();
            let before = Instant::now();
            work(words, &mut worker);
            barrier.wait();
            before.elapsed()
        };
        std::iter::repeat_with(round).take(ROUNDS / 10).min().unwrap_or_default()
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let times = running.into_iter().map(|one| one.join().expect("it does not panic"));
        times.max().unwrap_or_default()
    })
}
