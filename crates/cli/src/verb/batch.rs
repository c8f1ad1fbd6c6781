//! `polyshade batch`: runs a verb for every shader of a folder.
//!
//! The outputs and the report depend only on the shaders and the options, not on the number of threads, the order of
//! the shaders, or interruptions of the run.

mod command;
mod entry;
mod index;
mod interrupt;
mod plan;
mod progress;
mod rank;
mod select;
mod shader;
mod summary;

use crate::Done;
use crate::code;
use crate::examples;
use crate::failure::Failure;
use crate::output::{Outputs, print_text};
use crate::printable::printable;
use crate::settings;
use clap::Args;
use command::Command;
use entry::{Entry, Status};
use index::Index;
use interrupt::Interrupt;
use plan::Plan;
use progress::Progress;
use rank::Ranking;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// Runs a verb for every shader of a folder, on all cores, and continues an earlier run that was interrupted.
///
/// The tree of outputs mirrors the tree of shaders: DIR/a/b.vert becomes OUT/a/b.vert.spv. A shader that fails does
/// not stop the batch. Options of `batch` may follow the verb.
#[derive(Args)]
#[command(
    override_usage = "polyshade batch DIR VERB [OPTIONS OF VERB]... -o OUT [OPTIONS]",
    after_help = examples::behind(EXIT_CODES, "batch")
)]
pub(crate) struct Arguments {
    /// The folder of the shaders; its subfolders are included
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The verb to run, with its options as for a single shader, but without the shader and the outputs
    #[arg(value_name = "VERB")]
    verb: String,

    #[arg(value_name = "OPTIONS", hide = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    options: Vec<OsString>,

    #[command(flatten)]
    select: select::Options,

    #[command(flatten)]
    names: plan::Options,

    /// Number of threads, 1 to 1024 [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// Run the verb again even for shaders whose outputs are up to date
    #[arg(long)]
    force: bool,

    /// Start no further shader after the first failure; report all later shaders as not run
    #[arg(long)]
    fail_fast: bool,

    /// Exit with 0 instead of 3 if no shader failed but some are unsupported
    #[arg(long)]
    allow_unsupported: bool,

    /// Run every shader in its own process, so that a crash fails only that shader
    #[arg(long)]
    isolate: bool,

    /// Write a report to this file, as JSON: the result of every shader. Equal inputs and options give equal reports
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Write the run times to this file, as JSON; they differ from run to run
    #[arg(long, value_name = "FILE")]
    timings: Option<PathBuf>,

    /// Write a Make rule to this file: the report depends on the files that were read
    #[arg(long, value_name = "FILE", requires = "report")]
    depfile: Option<PathBuf>,
}

const EXIT_CODES: &str = "\
Exit codes: 0 all are done, 1 one failed, 2 wrong usage, 3 none failed and one is unsupported,
130 interrupted by Ctrl-C: run again to continue.
A shader of a stage that the verb does not support is skipped, and counts as done.
OUT/.polyshade-batch records the finished shaders; folders that contain one are not searched for shaders.";

/// The largest number of threads that an option may request.
const MOST_THREADS: usize = 1024;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MOST_THREADS).contains(&number) => Ok(number),
        _ => Err(format!("1 to {MOST_THREADS} threads can work at once")),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Done {
    let began = Instant::now();
    // Check all options and names before the first file is written.
    let folder = &arguments.folder;
    let variants = arguments.names.variants();
    let command = Command::new(&arguments.verb, &arguments.options, arguments.isolate, &variants)?;
    let out = &arguments.names.output;
    refuse_folders(folder, out)?;
    let shaders = select::shaders(folder, out, &arguments.select)?;
    let plan = Plan::new(folder, &arguments.names, &command, shaders)?;
    let rank = &arguments.names.rank;
    let files = [&arguments.report, &arguments.timings, &arguments.depfile, rank];
    let mut files = files.into_iter().flatten();
    if let Some(file) = files.find(|file| plan.writes(file)) {
        let message = "an output of a shader would also be written to this file";
        return Err(Failure::at(&code::CLI_USAGE, file, message));
    }
    let rule = arguments.rule(&command, &plan)?;

    // Run the verb for the shaders.
    let index = Index::open(out)?;
    arguments.tell_where_the_last_ended(&index);
    // If no handler can be installed, the first signal ends the process.
    let interrupt = &Interrupt::listen().unwrap_or_default();
    let run = Run { arguments, command: &command, plan: &plan, index: &index, interrupt };
    let results = run.all();
    let entries: Vec<Entry> = results.iter().map(|(entry, _)| entry.clone()).collect();
    index
        .finish(&plan, &entries)
        .map_err(|error| Failure::file(&out.join(entry::FOLDER), error))?;
    arguments.refuse_interrupted(interrupt, &entries)?;

    // Write the reports after all results are known.
    let mut outputs = Outputs::default();
    if let Some(file) = &arguments.report {
        outputs.add(file, summary::report(&command, &entries))?;
    }
    if let Some(file) = &arguments.timings {
        outputs.add(file, summary::timings(&results, began.elapsed(), arguments.thread_count()))?;
    }
    if let (Some(file), Some(rule)) = (&arguments.depfile, rule) {
        outputs.add(file, rule.into_bytes())?;
    }
    let ranking = rank.as_ref().map(|_| Ranking::read(out, &plan, &entries)).transpose()?;
    if let (Some(file), Some(ranking)) = (rank, &ranking) {
        outputs.add(file, summary::pretty(&ranking.json()))?;
    }
    let table = ranking.map(|ranking| ranking.text() + "\n\n").unwrap_or_default();
    arguments.end(outputs, &table, &entries)
}

/// Rejects an output folder whose files would be read as shaders by this run or the next one.
fn refuse_folders(folder: &Path, out: &Path) -> Done {
    let failed = |message: &str| Err(Failure::at(&code::CLI_USAGE, folder, message));
    let Ok(real) = fs::canonicalize(folder) else {
        return failed("the folder does not exist");
    };
    if !real.is_dir() {
        return failed("this is not a folder");
    }
    match fs::canonicalize(out) {
        Ok(out) if real.starts_with(&out) => {
            failed("the outputs would be written among the shaders; name another folder with -o")
        }
        _ => Ok(()),
    }
}

/// Returns the result of the batch, which is the worst result of its shaders.
fn verdict(entries: &[Entry], allow_unsupported: bool) -> Done {
    let count =
        |wanted: &[Status]| entries.iter().filter(|entry| wanted.contains(&entry.status)).count();
    let all = entries.len();
    let failed = count(&[Status::Failed, Status::Usage]);
    let unsupported = count(&[Status::Unsupported]);
    if failed > 0 {
        return Err(Failure::new(
            &code::CLI_BATCH_FAILED,
            format!("{failed} of {all} shaders failed"),
        ));
    }
    if unsupported > 0 && !allow_unsupported {
        let message = format!("{unsupported} of {all} shaders are unsupported");
        return Err(Failure::new(&code::CLI_BATCH_UNSUPPORTED, message));
    }
    Ok(())
}

impl Arguments {
    /// Fails with the number of finished shaders if the user interrupted the run. An interrupted run writes no
    /// report.
    fn refuse_interrupted(&self, interrupt: &Interrupt, entries: &[Entry]) -> Done {
        let count = |is: fn(&Entry) -> bool| entries.iter().filter(|entry| is(entry)).count();
        let is_through = count(|entry| entry.status == Status::NotRun) == 0;
        if !interrupt.is_there() || is_through {
            return Ok(());
        }
        let done = count(|entry| !entry.status.is_failure() && entry.status != Status::NotRun);
        let message =
            format!("{done} of {} shaders are done; run again to continue", entries.len());
        Err(Failure::new(&code::CLI_INTERRUPTED, message))
    }

    /// Writes the files, prints the table, and returns the result of the batch.
    fn end(&self, outputs: Outputs, table: &str, entries: &[Entry]) -> Done {
        outputs.write()?;
        let printed = [&self.report, &self.timings, &self.names.rank].map(|file| file.as_deref());
        if !settings::is_quiet() && !printed.contains(&Some(Path::new("-"))) {
            print_text(&(table.to_owned() + &summary::text(entries)))?;
        }
        verdict(entries, self.allow_unsupported)
    }

    fn tell_where_the_last_ended(&self, index: &Index) {
        if !settings::is_quiet() && !index.ended_at().is_empty() {
            let shaders = printable(&index.ended_at().join(", "));
            eprintln!("polyshade: the previous run ended while processing {shaders}");
            eprintln!(
                "polyshade: if a shader crashed it, --isolate makes the crash a failure of that shader alone"
            );
        }
    }

    /// Returns the Make rule of the depfile: the report depends on every shader.
    fn rule(&self, command: &Command, plan: &Plan) -> Result<Option<String>, Failure> {
        let (Some(_), Some(report)) = (&self.depfile, &self.report) else { return Ok(None) };
        let shaders = plan.jobs.iter().map(|job| job.path.as_path());
        let inputs = shaders.chain(command.files().iter().map(PathBuf::as_path));
        crate::depfile::rule([report.as_path()], inputs).map(Some)
    }

    fn thread_count(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.unwrap_or_else(cores)
    }
}

/// The state that all threads share.
struct Run<'a> {
    arguments: &'a Arguments,
    command: &'a Command,
    plan: &'a Plan,
    index: &'a Index,
    interrupt: &'a Interrupt,
}

/// The stack size of a thread, in bytes. It equals the usual stack size of a main thread, so that deeply nested
/// shaders have the same result in a batch as alone.
const STACK_BYTES: usize = 16 << 20;

impl Run<'_> {
    /// Returns the results of the shaders, in the plan's order.
    ///
    /// Threads take the shaders in this order. With `--fail-fast`, every shader before the first failure is finished
    /// and all later shaders count as not run, so that the report does not depend on timing.
    fn all(&self) -> Vec<(Entry, Duration)> {
        let jobs = &self.plan.jobs;
        let next = AtomicUsize::new(0);
        let first_failed = AtomicUsize::new(usize::MAX);
        let results: Vec<Mutex<Option<(Entry, Duration)>>> =
            jobs.iter().map(|_| Mutex::new(None)).collect();
        let progress = Progress::new(jobs.len(), settings::is_quiet());
        // Each thread takes the next shader until none is left, the user interrupts, or a shader fails.
        let work = &|thread: usize| {
            let stage = self.index.stage(thread);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if self.interrupt.is_there()
                    || at >= jobs.len()
                    || at > first_failed.load(Ordering::Relaxed)
                {
                    return;
                }
                let began = Instant::now();
                let (entry, source) = shader::treat(self, at, &stage);
                if self.arguments.fail_fast && entry.status.is_failure() {
                    first_failed.fetch_min(at, Ordering::Relaxed);
                }
                progress.done(&entry, source);
                *results[at].lock().expect("no thread panics here") =
                    Some((entry, began.elapsed()));
            }
        };
        let started = thread::scope(|scope| {
            let threads = self.arguments.thread_count().min(jobs.len());
            let spawn = |number| {
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                builder.spawn_scoped(scope, move || work(number)).map(drop)
            };
            // If fewer threads start than requested, the started threads do all the work.
            (0..threads).map(spawn).filter(io::Result::is_ok).count()
        });
        if started == 0 {
            work(0);
        }
        // Finish the progress line, then drop the results after the first failure.
        progress.finish();
        let last = first_failed.into_inner();
        let result = |(at, result): (usize, Mutex<Option<_>>)| {
            let result = result.into_inner().expect("no thread panics here");
            let not_run = || (Entry::not_run(&jobs[at].shader), Duration::ZERO);
            if at <= last { result.unwrap_or_else(not_run) } else { not_run() }
        };
        results.into_iter().enumerate().map(result).collect()
    }
}
