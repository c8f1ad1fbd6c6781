//! The formats other than SPIR-V, by processes of their own: what ends glslang, naga, SPIRV-Cross or SPIRV-Tools, be it
//! an assertion, an exception that nobody catches or a stack that overflows, does not end the program.
//!
//! Each thread that reads or writes a format has one such process: the program itself, which is called by lines of JSON
//! and answers by such. One that ended is followed by another at the next call. What a call takes is limited, too.

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

/// As [`tools::assemble`].
pub(crate) fn assemble(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let call = Call::Assemble(text.into(), name.into(), version);
    ask(&call, || tools::assemble(text, name, version))
}

/// As [`tools::assembly`].
pub(crate) fn assembly(words: &[u32]) -> Result<String, Error> {
    ask(&Call::Assembly(words.into()), || tools::assembly(words))
}

/// As [`tools::listing`].
pub(crate) fn listing(words: &[u32]) -> Result<String, Error> {
    ask(&Call::Listing(words.into()), || tools::listing(words))
}

/// As [`tools::validate`].
pub(crate) fn validate(words: &[u32], environment: Option<&str>) -> Result<(), Error> {
    let call = Call::Validate(words.into(), environment.map(Cow::Borrowed));
    ask(&call, || tools::validate(words, environment))
}

/// As [`wgsl::read`].
pub(crate) fn read_wgsl(text: &str, name: &str, version: SpirvVersion) -> Result<Vec<u32>, Error> {
    let call = Call::ReadWgsl(text.into(), name.into(), version);
    ask(&call, || wgsl::read(text, name, version))
}

/// As [`wgsl::write`].
pub(crate) fn wgsl(words: &[u32], options: &Wgsl) -> Result<wgsl::Text, Error> {
    let call = Call::Wgsl(words.into(), Cow::Borrowed(options));
    ask(&call, || wgsl::write(words, options))
}

/// As [`cross::write`].
pub(crate) fn translate(
    words: &[u32],
    entry: EntryPoint<'_>,
    target: &Target,
) -> Result<Text, Error> {
    let call = Call::Translate(words.into(), entry.name.into(), entry.model, Cow::Borrowed(target));
    ask(&call, || cross::write(words, entry, target))
}

/// As [`SourceText::compile_with_files`].
pub(crate) fn compile(source: &SourceText<'_>) -> Result<(Vec<u32>, Vec<PathBuf>), Error> {
    ask(&Call::Compile(Cow::Borrowed(source)), || source.compile_with_files())
}

/// A call of a library.
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

    /// Calls the library here, and gives what it says as JSON.
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

/// Why a process of the formats ended in the middle of a call.
fn end(library: &str, how: impl ToString) -> Error {
    // Whether there is a core file is the machine's affair.
    let how = how.to_string().replace(" (core dumped)", "");
    Error::Crashed(format!("{library} crashed ({how})"))
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// What the process of this thread answers. A call that JSON has no form for, as of folders whose names are no text,
/// is made `here`; so is that of a unit test, whose program cannot answer.
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

/// Set for the process.
const VARIABLE: &str = "POLYSHADE_FORMATS";
/// The prefix of its answers: libraries may print, too.
const PREFIX: &str = "polyshade-formats ";

/// A process that calls the libraries. It ends when it is dropped, or when this one ends.
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
        let calls = child.stdin.take().expect("it was asked for");
        let answers = child.stdout.take().expect("it was asked for");
        Ok(Self { calls, answers: BufReader::new(answers), child })
    }

    /// The answer to a call, unless the process ends first.
    fn ask(&mut self, call: &str) -> Option<String> {
        writeln!(self.calls, "{call}").ok()?;
        let lines = self.answers.by_ref().lines().map_while(Result::ok);
        let mut answers = lines.filter_map(|line| line.strip_prefix(PREFIX).map(str::to_owned));
        answers.next()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself, and is idle if not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether this is a process that others call.
pub(crate) fn is_worker() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// Answers calls until nobody is left to call.
pub(crate) fn serve() -> ExitCode {
    limits::limit_memory();
    // A panic of naga's is an answer of one line.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !info.location().is_some_and(|place| place.file().contains("naga-")) {
            hook(info);
        }
    }));
    let (sender, calls) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        // A library may be at work still, which nobody waits for.
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
