//! The project's maintenance tasks: `cargo xtask VERB`. Each verb is a module, and needs only Rust
//! and Debian packages.

mod api;
mod bench;
mod book;
mod capi;
mod codegen;
mod command;
mod dist;
mod files;
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
mod sentences;
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

/// The project's maintenance tasks: set-up, tests, continuous integration, generated files.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Verb {
    /// Install the missing Debian packages that the tests need
    Setup,
    /// Install everything that the tests need, then run filetests, unit tests, and tests of every lowering, the layer
    /// and the C library on two software drivers
    Test {
        /// Run the slow tests instead: the playground, WebGPU, mutants, the corpus, xtask itself, and a sample of the
        /// execution tests under the older validation layer with the driver's optimizer on
        #[arg(long, conflicts_with_all = ["both", "filter"])]
        slow: bool,
        /// Run all execution tests instead, under the older validation layer with the optimizer on; this
        /// takes many minutes
        #[arg(long, conflicts_with = "filter")]
        both: bool,
        /// Write the times of the test programs and of the slowest tests to docs/testing.md
        #[arg(long)]
        times: bool,
        /// Run only the tests whose names contain this text, including slow tests
        filter: Option<String>,
    },
    /// Run the filetests and the tests of the rewrite tools, which is the first check after an edit of a lowering
    Cases {
        /// Run only the tests whose names contain this text
        filter: Option<String>,
    },
    /// Run the steps of continuous integration
    Ci,
    /// Run the tests that compare with committed files, and update the files to the current results
    Bless {
        /// Accept only the cases whose names contain this text
        filter: Option<String>,
    },
    /// Write the generated files
    Codegen {
        /// Write nothing, and fail if a committed file differs
        #[arg(long)]
        check: bool,
    },
    /// Write listings of the public API of the published crates, and count their types
    Api {
        /// Write nothing, and fail if a committed listing differs
        #[arg(long)]
        check: bool,
    },
    /// Build the C library, shared and static, and install it with its headers and with files for
    /// pkg-config and CMake
    Capi {
        /// The folder to install in [default: target/capi]
        #[arg(long)]
        prefix: Option<std::path::PathBuf>,
    },
    /// Pack every crate that is published, and build each crate from its package alone
    Package,
    /// Pack an archive and a Debian package with the program, the C library and the Vulkan layer
    Dist {
        /// Use the archive and the package in a bare Debian that has neither Rust nor a compiler
        #[arg(long)]
        check: bool,
    },
    /// Run README's two commands in a bare Debian with Rust, as a newcomer would, and print their times
    Fresh {
        /// Run only the first command, which builds the program and lowers a shader
        #[arg(long)]
        first: bool,
    },
    /// Build the documents as a book with mdBook
    Book,
    /// Build the playground: a page with the library and naga as WebAssembly, compiled by Debian's Rust
    Playground {
        /// Also test the page in Chromium
        #[arg(long)]
        check: bool,
    },
    /// Check format, lints, documentation, the public API and the project's style rules
    Tidy,
    /// Count the instructions of the benchmarks and compare them with the committed limits
    Bench,
    /// Print a table with the result of every lowering on every shader of the cases and of a corpus
    Corpus {
        /// Folders of shaders [default: the cases and `../shared/corpus`]
        folders: Vec<std::path::PathBuf>,
    },
    /// Run `polyshade verify` on shaders in random order until N runs are equal, and print the differences
    CorpusRuns {
        /// Folders of shaders [default: the cases, `../shared/corpus` and `../shared/findings`]
        folders: Vec<std::path::PathBuf>,
        /// Run the MSL of vertex and fragment stages, compiled by this machine's C++ compiler
        #[arg(long)]
        on_metal: bool,
        /// Compare the captures of each vertex stage in MSL once with the captures on lavapipe
        #[arg(long, requires = "on_metal")]
        against_lavapipe: bool,
        /// A verb with its options, such as `"capture --indexed"`, with which each shader is verified once [default:
        /// several verbs for each shader]
        #[arg(long, value_name = "OPTIONS", conflicts_with = "against_lavapipe")]
        with: Option<String>,
        /// The number of runs that must be equal
        #[arg(long, default_value_t = 10_000)]
        runs_wanted: u64,
        /// The seed of the order, the options and the inputs [default: the time]
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Break lowered modules in many places, run `polyshade verify` on them, and rewrite the lists in `tests/mutants`
    Mutants {
        /// Test only these lists: capture, extension, position, clip, blend
        lists: Vec<String>,
        /// The number of mutants for each list
        #[arg(long, default_value_t = 2000)]
        count: u32,
    },
    /// Shrink a shader for which a lowering panics, writes an invalid module or is slow, as long as the fault remains
    Reduce {
        /// The shader, in any format of the test cases
        case: std::path::PathBuf,
        /// The file of the smaller shader [default: in the folder of the shader, with the extension `.reduced.spv`]
        output: Option<std::path::PathBuf>,
    },
    /// Print sentences from documents, comments, messages and commits, selected by a seed, for a reader to grade
    Sentences {
        /// Seed of the selection
        #[arg(long)]
        seed: u64,
        /// Number of sentences
        #[arg(long, default_value_t = 150)]
        count: usize,
    },
    /// Run a Godot game whose particles need transform feedback with the layer, on a driver whose extension is hidden
    Demo,
    /// Run OpenGL's transform feedback tests through zink with the layer, and compare with the committed lists
    Piglit {
        /// Run only the configurations with names that contain this text: swiftshader-null, lavapipe, hidden, …
        filter: Option<String>,
        /// Write the lists instead of comparing with them
        #[arg(long)]
        bless: bool,
        /// Run only the tests that depend on captured data, with the emulation, as continuous integration does
        #[arg(long, conflicts_with_all = ["filter", "bless"])]
        gate: bool,
    },
    /// Run every fuzz target, on the same inputs each time or, with --seconds, on new inputs
    Fuzz {
        /// Number of seconds for each target, which gets new inputs each time
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
        Verb::Sentences { seed, count } => sentences::run_sentences(seed, count),
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

/// Runs a program that needs only lowerings and the validator but no driver.
fn with_shaders<'p>(
    program: &str,
    paths: impl IntoIterator<Item = &'p std::path::PathBuf>,
) -> Result<(), String> {
    command::run(built(program, Incremental::ByHand)?.args(paths))
}
