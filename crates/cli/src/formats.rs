//! Reads and writes formats other than SPIR-V in separate processes, so that the program survives when an assertion,
//! an uncaught exception or a stack overflow ends glslang, naga, SPIRV-Cross or SPIRV-Tools.
//!
//! Each thread that reads or writes a format has one worker process. The worker is the program itself, which receives
//! calls as lines of JSON and answers in the same form. If a worker ends, the next call starts another one. The time
//! and the memory of a call are also limited.

#[cfg_attr(not(unix), path = "formats/no_limits.rs")]
mod limits;

use polyshade_formats::cross::{self, EntryPoint, Target, Text};
use polyshade_formats::glsl::SourceText;
use polyshade_formats::wgsl::{self, Wgsl};
use polyshade_formats::{Error, SpirvVersion, tools};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{self, Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::{env, panic, thread};

/// Calls [`tools::assemble`] in the worker process.
pub(crate) fn assemble(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let call = Call::Assemble(text.into(), name.into(), version);
    ask(&call, || tools::assemble(text, name, version))
}

/// Calls [`tools::assembly`] in the worker process.
pub(crate) fn assembly(words: &[u32]) -> Result<String, Error> {
    ask(&Call::Assembly(words.into()), || tools::assembly(words))
}

/// Calls [`tools::listing`] in the worker process.
pub(crate) fn listing(words: &[u32]) -> Result<String, Error> {
    ask(&Call::Listing(words.into()), || tools::listing(words))
}

/// Calls [`tools::validate`] in the worker process.
pub(crate) fn validate(words: &[u32], environment: Option<&str>) -> Result<(), Error> {
    let call = Call::Validate(words.into(), environment.map(Cow::Borrowed));
    ask(&call, || tools::validate(words, environment))
}

/// Calls [`wgsl::read`] in the worker process.
pub(crate) fn read_wgsl(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let call = Call::ReadWgsl(text.into(), name.into(), version);
    ask(&call, || wgsl::read(text, name, version))
}

/// Calls [`wgsl::write`] in the worker process.
pub(crate) fn wgsl(words: &[u32], options: &Wgsl) -> Result<wgsl::Text, Error> {
    let call = Call::Wgsl(words.into(), Cow::Borrowed(options));
    ask(&call, || wgsl::write(words, options))
}

/// Calls [`cross::write`] in the worker process.
pub(crate) fn translate(
    words: &[u32],
    entry: EntryPoint<'_>,
    target: &Target,
) -> Result<Text, Error> {
    let call = Call::Translate(words.into(), entry.name.into(), entry.model, Cow::Borrowed(target));
    ask(&call, || cross::write(words, entry, target))
}

/// Calls [`SourceText::compile_with_files`] in the worker process.
pub(crate) fn compile(source: &SourceText<'_>) -> Result<(Vec<u32>, Vec<PathBuf>), Error> {
    ask(&Call::Compile(Cow::Borrowed(source)), || source.compile_with_files())
}

#[derive(Serialize, Deserialize)]
enum Call<'a> {
    Assemble(Cow<'a, str>, Cow<'a, str>, SpirvVersion),
    Assembly(Cow<'a, [u32]>),
    Listing(Cow<'a, [u32]>),
    Validate(Cow<'a, [u32]>, Option<Cow<'a, str>>),
    ReadWgsl(Cow<'a, str>, Cow<'a, str>, SpirvVersion),
    Wgsl(Cow<'a, [u32]>, Cow<'a, Wgsl>),
    Translate(Cow<'a, [u32]>, Cow<'a, str>, u32, Cow<'a, Target>),
    Compile(Cow<'a, SourceText<'a>>),
}

impl Call<'_> {
    fn library(&self) -> &'static str {
        match self {
            Self::Assemble(..) | Self::Assembly(_) | Self::Listing(_) | Self::Validate(..) => {
                "SPIRV-Tools"
            }
            Self::ReadWgsl(..) | Self::Wgsl(..) => "naga",
            Self::Translate(..) => "SPIRV-Cross",
            Self::Compile(_) => "glslang",
        }
    }

    /// Calls the library in this process, and returns its result as JSON.
    fn answer(&self) -> serde_json::Result<String> {
        use serde_json::to_string;
        match self {
            Self::Assemble(text, name, version) => {
                to_string(&tools::assemble(text, name, *version))
            }
            Self::Assembly(words) => to_string(&tools::assembly(words)),
            Self::Listing(words) => to_string(&tools::listing(words)),
            Self::Validate(words, environment) => {
                to_string(&tools::validate(words, environment.as_deref()))
            }
            Self::ReadWgsl(text, name, version) => to_string(&wgsl::read(text, name, *version)),
            Self::Wgsl(words, options) => to_string(&wgsl::write(words, options)),
            Self::Translate(words, name, model, target) => {
                to_string(&cross::write(words, EntryPoint { name, model: *model }, target))
            }
            Self::Compile(source) => to_string(&source.compile_with_files()),
        }
    }
}

/// Returns the error for a worker process that ended during a call.
fn end(library: &str, how: impl ToString) -> Error {
    // Remove this note, because it depends on the machine whether a core file is written.
    let how = how.to_string().replace(" (core dumped)", "");
    Error::Crashed(format!("{library} crashed ({how})"))
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// Sends a call to the worker process of this thread, and returns the answer. Some calls have no JSON form, such as
/// calls with folder names that are not UTF-8. They run `here` in this process, like all calls of unit tests, because
/// a unit test program cannot serve calls.
fn ask<T: DeserializeOwned>(
    call: &Call<'_>,
    here: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let line = match serde_json::to_string(call) {
        Ok(line) if !cfg!(test) => line,
        _ => return here(),
    };
    WORKER.with_borrow_mut(|worker| {
        let running = worker.take().map_or_else(Worker::start, Ok);
        let mut running = running.map_err(|error| end(call.library(), error))?;
        match running.ask(&line) {
            Some(answer) => {
                *worker = Some(running);
                serde_json::from_str(&answer).map_err(|error| end(call.library(), error))?
            }
            None => Err(match running.child.wait() {
                Ok(status) if limits::ran_out_of_time(status) => {
                    let seconds = limits::seconds();
                    let why = format!("took more than {seconds} s of processor time");
                    Error::Crashed(format!("{} {why}", call.library()))
                }
                Ok(status) => end(call.library(), status),
                Err(error) => end(call.library(), error),
            }),
        }
    })
}

/// The environment variable that marks a worker process.
const VARIABLE: &str = "POLYSHADE_FORMATS";
/// The prefix of a worker's answers, which distinguishes them from text that the libraries print.
const PREFIX: &str = "polyshade-formats ";

/// A process that calls the libraries. It ends when this value is dropped, or when the parent process ends.
struct Worker {
    calls: ChildStdin,
    answers: BufReader<ChildStdout>,
    child: Child,
}

impl Worker {
    fn start() -> io::Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.env(VARIABLE, "1").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let calls = child.stdin.take().expect("stdin is piped");
        let answers = child.stdout.take().expect("stdout is piped");
        Ok(Self { calls, answers: BufReader::new(answers), child })
    }

    /// Returns the answer to a call, or `None` if the process ends before it answers.
    fn ask(&mut self, call: &str) -> Option<String> {
        writeln!(self.calls, "{call}").ok()?;
        let lines = self.answers.by_ref().lines().map_while(Result::ok);
        let mut answers = lines.filter_map(|line| line.strip_prefix(PREFIX).map(str::to_owned));
        answers.next()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Errors are ignored, because the process may have ended already; otherwise it is idle.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether this process is a worker that serves the calls of another process.
pub(crate) fn is_worker() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// Answers calls until standard input is closed.
pub(crate) fn serve() -> ExitCode {
    limits::limit_memory();
    // naga's panics become error messages of one line, so do not print them here.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|place| place.file().contains("naga-")) {
            hook(info);
        }
    }));
    // Read calls in a separate thread, which notices during a call that the parent has ended.
    let (sender, calls) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        // Exit even during a library call, because nobody waits for its answer.
        process::exit(0);
    });
    for line in calls {
        let call: serde_json::Result<Call<'static>> = serde_json::from_str(&line);
        limits::limit_time();
        let Ok(answer) = call.and_then(|call| call.answer()) else { return ExitCode::FAILURE };
        let mut stdout = io::stdout().lock();
        if writeln!(stdout, "{PREFIX}{answer}").and_then(|()| stdout.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
