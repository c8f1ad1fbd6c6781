//! The project's chores, behind `cargo xtask`. Each verb is one module; none needs anything but
//! Rust and Debian's packages.

mod api;
mod bench;
mod book;
mod capi;
mod codegen;
mod command;
mod dist;
mod distributed;
mod fresh;
mod fuzz;
mod licences;
mod links;
mod opengl;
mod package;
mod parallel_jobs;
mod piglit;
mod playground;
mod python;
mod root;
mod setup;
mod spirv_tools;
mod test;
mod tidy;
mod tools;
mod vulkan;

use std::process::ExitCode;

use clap::Parser;
use command::{Incremental, built};
use test::Tests;

/// The project's chores: set-up, tests, continuous integration, generated files.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Verb {
    /// Install the Debian packages that the tests need and that are missing
    Setup,
    /// Install what the tests need and run them: filetests, unit tests, and every lowering, the layer and the C library
    /// on two software drivers
    Test {
        /// Instead, run the slow tests: the playground, WebGPU, mutants, the corpus, the chores themselves, and a
        /// sample of the execution tests under the older validation layer with the driver's optimizer on
        #[arg(long, conflicts_with_all = ["both", "filter"])]
        slow: bool,
        /// Instead, run all execution tests as that sample runs, which takes many minutes
        #[arg(long, conflicts_with = "filter")]
        both: bool,
        /// Write the times of programs and of the slowest tests to docs/testing.md
        #[arg(long)]
        times: bool,
        /// Only the tests whose names contain this, slow ones too
        filter: Option<String>,
    },
    /// Run the filetests and the tests of rewrites, which is what an edit of a lowering needs first
    Cases {
        /// Only the tests whose names contain this
        filter: Option<String>,
    },
    /// Run what continuous integration runs, step by step
    Ci,
    /// Run the filetests and write the diffs that they find
    Bless {
        /// Only the cases whose names contain this
        filter: Option<String>,
    },
    /// Write the generated files
    Codegen {
        /// Write nothing, fail where a committed file differs
        #[arg(long)]
        check: bool,
    },
    /// Write what the published crates offer as listings, and count their types
    Api {
        /// Write nothing, fail where a committed listing differs
        #[arg(long)]
        check: bool,
    },
    /// Build the C library, shared and static, and install it with its headers and its files for pkg-config and CMake
    Capi {
        /// The folder to install in; by default `target/capi`
        #[arg(long)]
        prefix: Option<std::path::PathBuf>,
    },
    /// Pack every crate that is to be published, and build each from its package alone
    Package,
    /// Pack an archive and a Debian package of the program, the C library and the Vulkan layer
    Dist {
        /// Use both in a bare Debian, where there is neither Rust nor a compiler
        #[arg(long)]
        check: bool,
    },
    /// Run README's two commands in a bare Debian with Rust, as a newcomer does, and say how long each took
    Fresh {
        /// Only the first, which builds the program and lowers a shader
        #[arg(long)]
        first: bool,
    },
    /// Lower shaders on several workers of Dask, kill one, and compare with what one machine makes
    Distributed,
    /// Make the documents a book, with mdBook
    Book,
    /// Make the playground: a page with the library and naga as WebAssembly, by Debian's compiler
    Playground {
        /// Test it in Chromium, too
        #[arg(long)]
        check: bool,
    },
    /// Check format, lints, documentation, the public API and the project's own rules of style
    Tidy,
    /// Count the benchmarks' instructions and compare them with the committed limits
    Bench,
    /// Print what every lowering makes of every shader of the cases and of a corpus, as a table
    Corpus {
        /// Folders of shaders, instead of the cases and of `../shared/corpus`
        folders: Vec<std::path::PathBuf>,
    },
    /// Have `polyshade verify` compare shaders in a random order until so many runs are equal, and print what differs
    CorpusRuns {
        /// Folders of shaders, instead of the cases, of `../shared/corpus` and of `../shared/findings`
        folders: Vec<std::path::PathBuf>,
        /// Have this machine's C++ compiler run what is printed for Metal: vertex and fragment stages
        #[arg(long)]
        on_metal: bool,
        /// Compare what vertex stages capture there with what lavapipe does, each of them once
        #[arg(long, requires = "on_metal")]
        against_lavapipe: bool,
        /// A verb and its options, as `"capture --indexed"`, for each shader once, in place of some for each
        #[arg(long, value_name = "OPTIONS", conflicts_with = "against_lavapipe")]
        with: Option<String>,
        /// How many runs are to be equal
        #[arg(long, default_value_t = 10_000)]
        runs_wanted: u64,
        /// The seed of the order, the options and the inputs; by default, the time
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Break lowered modules in many places, have `polyshade verify` judge them, and write `tests/mutants` anew
    Mutants {
        /// Only these lists: capture, extension, position, clip, blend
        lists: Vec<String>,
        /// How many mutants of each
        #[arg(long, default_value_t = 2000)]
        count: u32,
    },
    /// Shrink a shader on which a lowering panics, makes something invalid or is slow, while it still does
    Reduce {
        /// The shader, in any form that a test case may have
        case: std::path::PathBuf,
        /// The file of the smaller one; by default beside it, as `.reduced.spv`
        output: Option<std::path::PathBuf>,
    },
    /// Draw a game of Godot's, whose particles need transform feedback, over the layer on a driver that has it hidden
    Demo,
    /// Run OpenGL's tests of transform feedback through zink over the layer, and compare with committed lists
    Piglit {
        /// Only the cases whose names contain this: swiftshader-null, lavapipe, hidden, …
        filter: Option<String>,
        /// Write the lists anew
        #[arg(long)]
        bless: bool,
        /// Only the tests that depend on captured data, with the emulation: what continuous integration runs
        #[arg(long, conflicts_with_all = ["filter", "bless"])]
        gate: bool,
    },
    /// Run every fuzz target: over the same inputs each time, or for a while
    Fuzz {
        /// For how long, each target, with other inputs each time
        #[arg(long)]
        seconds: Option<u32>,
    },
}

fn main() -> ExitCode {
    let result = match Verb::parse() {
        Verb::Setup => setup::run_setup(),
        Verb::Test { slow, both, times, filter } => {
            let tests = match (slow, both, &filter) {
                (true, _, _) => Tests::Slow,
                (_, true, _) => Tests::Older,
                (_, _, Some(filter)) => Tests::Named(filter),
                (false, false, None) => Tests::Quick,
            };
            test::run_tests(tests, times)
        }
        Verb::Cases { filter } => test::run_cases(filter.as_deref()),
        Verb::Ci => command::run(&mut command::program("bash", [".ci/run"])),
        Verb::Bless { filter } => test::bless(filter.as_deref()),
        Verb::Codegen { check } => codegen::run_codegen(check),
        Verb::Api { check } => api::run_api(check),
        Verb::Capi { prefix } => capi::run_capi(prefix.as_deref()),
        Verb::Package => package::run_package(),
        Verb::Dist { check } => dist::run_dist(check),
        Verb::Fresh { first } => fresh::run_fresh(first),
        Verb::Distributed => distributed::run_distributed(),
        Verb::Book => book::run_book(),
        Verb::Playground { check } => test::run_playground(check),
        Verb::Tidy => tidy::run_tidy(),
        Verb::Bench => bench::run_benches(),
        Verb::Corpus { folders } => with_shaders("corpus", &folders),
        Verb::CorpusRuns { folders, on_metal, against_lavapipe, with, runs_wanted, seed } => {
            let on_metal = on_metal.then_some("--on-metal");
            let against_lavapipe = against_lavapipe.then_some("--against-lavapipe");
            let mut options: Vec<&str> = on_metal.into_iter().chain(against_lavapipe).collect();
            options.extend(with.iter().flat_map(|with| ["--with", with]));
            test::run_corpus(&folders, &options, runs_wanted, seed)
        }
        Verb::Mutants { lists, count } => test::run_mutants(&lists, count),
        Verb::Reduce { case, output } => with_shaders("reduce", [case].iter().chain(&output)),
        Verb::Demo => opengl::run_demo(),
        Verb::Piglit { gate: true, .. } => piglit::run_gate(),
        Verb::Piglit { filter, bless, .. } => piglit::run_piglit(filter.as_deref(), bless),
        Verb::Fuzz { seconds } => fuzz::run_fuzzers(seconds),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Nothing but lowerings and the validator is asked, so no driver is needed.
fn with_shaders<'p>(
    program: &str,
    paths: impl IntoIterator<Item = &'p std::path::PathBuf>,
) -> Result<(), String> {
    command::run(built(program, Incremental::ByHand)?.args(paths))
}
