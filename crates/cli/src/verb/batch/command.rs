//! The command line of each shader, and the two ways to run it: in this process or in a separate one.

use super::entry::{Job, Role, hex};
use crate::Arguments;
use crate::code;
use crate::command_line::verified_verb_first;
use crate::failure::{Exit, Failure};
use crate::input::reads_shader;
use crate::lowering::{self, Lowering};
use crate::memory;
use crate::printable::printable;
use clap::{ArgMatches, CommandFactory, Parser};
use polyshade::spv::Code;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::{fs, io, panic};

/// A verb with its options, without the shader and the outputs.
pub(crate) struct Command {
    pub(super) verb: String,
    pub(super) options: Vec<OsString>,
    /// Whether the verb writes files. If not, its standard output is the shader's output.
    pub(super) writes: bool,
    /// Whether the verb can write its own report.
    pub(super) reports: bool,
    pub(super) variants: bool,
    /// The variants that a separate option writes, such as `--complement`.
    beside: Vec<&'static str>,
    pub(super) json: bool,
    /// Whether this machine's devices or its load may be the reason why a shader is unsupported.
    pub(super) asks_device: bool,
    pub(super) lowerings: Vec<Lowering>,
    /// Whether every shader runs in its own process, which reads the shader again.
    pub(super) isolate: bool,
    files: Vec<PathBuf>,
    key: Sha256,
}

/// The options that name a second output of a verb.
const BESIDE: [&str; 3] = ["complement", "full", "geometry"];

/// The result of a verb for one shader.
pub(super) enum VerbResult {
    /// The contents of the outputs; `None` for an output that the verb did not write.
    Done(Vec<Option<Vec<u8>>>),
    Failed {
        exit: Exit,
        code: String,
        message: String,
        instruction: Option<String>,
    },
}

impl Command {
    /// Checks `verb` and `options` as the command line of a shader. If they are wrong, clap ends the program.
    pub(super) fn new(
        verb: &str,
        options: &[OsString],
        isolate: bool,
        variants: &[&str],
    ) -> Result<Self, Failure> {
        let usage = |message: &str| Err(Failure::usage(message));
        let mut clap = Arguments::command();
        clap.build();
        let Some(described) = clap.find_subcommand(verb).filter(|_| verb != "help") else {
            return usage(&format!("unknown verb `{}`", printable(verb)));
        };
        let verb = described.get_name();
        if verb == "batch" {
            return usage("a batch cannot run batches");
        }
        if ["pipeline", "tessellation"].contains(&verb) {
            return usage(&format!("`{verb}` takes all stages of a pipeline, not a single shader"));
        }
        let has = |name: &str| described.get_arguments().any(|one| one.get_long() == Some(name));
        let beside: Vec<&str> = BESIDE.into_iter().filter(|name| has(name)).collect();
        let mut command = Self {
            verb: verb.to_owned(),
            options: options.to_vec(),
            writes: has("output"),
            reports: has("report"),
            variants: has("variant") || !beside.is_empty(),
            beside,
            json: false,
            asks_device: verb == "verify",
            lowerings: Vec::new(),
            // A driver may end the process, and `verify` starts its child with this process's command line.
            isolate: isolate || verb == "verify",
            files: Vec::new(),
            key: Sha256::new(),
        };
        if !reads_shader(described) {
            return usage(&format!("`{verb}` reads no shader, so a batch cannot run it"));
        }

        command.check_variants(variants)?;
        let roles: Vec<Role> =
            variants.iter().map(|name| Role::Variant((*name).to_owned())).collect();
        // Use a folder in place of the outputs: a file would be hashed with the files that the options name.
        let outputs: Vec<_> = roles.iter().map(|role| (role, PathBuf::from("."))).collect();
        let words = command.words(Path::new("SHADER"), &outputs);
        let matches =
            Arguments::command().try_get_matches_from(words).unwrap_or_else(|error| error.exit());
        let (_, matches) = matches.subcommand().expect("the verb has been found");
        let named = |name: &&&str| matches.contains_id(name) && !variants.contains(*name);
        if let Some(name) = command.beside.iter().find(named) {
            let message = format!("--{name} names one file, but every shader needs its own");
            let help = format!("--variant {name} writes one for each shader");
            return Err(Failure::usage(message).help(help));
        }
        if !variants.is_empty() && lowering::by_extension(matches) {
            return usage("`capture --path extension` has no variants");
        }
        if has("rewritten") && matches.contains_id("rewritten") {
            return usage("--rewritten names one module, but every shader needs its own");
        }
        let flag = |long: &str, id: &str| has(long) && matches.get_flag(id);
        command.lowerings = lowering::of_verb(verb, matches);
        command.json = flag("json", "json");
        if flag("dry-run", "dry_run") {
            command.writes = false;
        }
        if command.json && command.writes {
            let message = "--json prints the report of one shader, but a batch has many".to_owned();
            let failure = Failure::usage(message);
            return Err(failure.help("--reports writes one for each shader"));
        }
        let flags = described.get_arguments().filter(|one| !one.is_positional());
        let flags: Vec<&str> = flags.map(|one| one.get_id().as_str()).collect();
        command.files = named_files(matches, &flags);
        command.key = command.fingerprint()?;
        Ok(command)
    }

    fn check_variants(&self, variants: &[&str]) -> Result<(), Failure> {
        let verb = &self.verb;
        let message = if !variants.is_empty() && !self.variants {
            format!("`{verb}` has no variants")
        } else if let Some(name) = variants.iter().find(|name| !self.beside.contains(name))
            && !self.beside.is_empty()
        {
            format!("`{verb}` has no variant `{name}`: its variants are {}", self.beside.join(", "))
        } else {
            return Ok(());
        };
        Err(Failure::usage(message))
    }

    /// Returns the files that the options name. The outputs depend on the contents of these files.
    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the index key of a shader with these contents. It also depends on the program, its features and the
    /// options.
    pub(super) fn key(&self, contents: &str) -> String {
        hex(self.key.clone().chain_update(contents))
    }

    fn fingerprint(&self) -> Result<Sha256, Failure> {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        add(env!("POLYSHADE_FEATURES").as_bytes());
        add(self.verb.as_bytes());
        for lowering in &self.lowerings {
            add(lowering.name.as_bytes());
            add(&lowering.version.to_le_bytes());
        }
        for option in &self.options {
            add(option.as_encoded_bytes());
        }
        for file in &self.files {
            add(&fs::read(file).map_err(|error| Failure::file(file, error))?);
        }
        if self.asks_device {
            add(&devices());
        }
        Ok(hash)
    }

    /// Returns the command line for one shader and its output files.
    fn words(&self, shader: &Path, outputs: &[(&Role, PathBuf)]) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["polyshade".into(), self.verb.clone().into()];
        words.push(argument(shader).into());
        let mut named: Vec<OsString> = Vec::new();
        for (role, path) in outputs {
            match role {
                Role::Output => named.extend(["--output".into(), path.into()]),
                Role::Report => named.extend(["--report".into(), path.into()]),
                Role::Variant(name) if self.beside.contains(&name.as_str()) => {
                    named.extend([format!("--{name}").into(), path.into()]);
                }
                Role::Variant(name) => {
                    let mut value = OsString::from(format!("{name}="));
                    value.push(path);
                    named.extend(["--variant".into(), value]);
                }
                Role::Printed => {}
            }
        }
        words.extend(named);
        words.extend(self.options.iter().cloned());
        match self.verb.as_str() {
            "verify" => verified_verb_first(words, 1),
            _ => words,
        }
    }

    /// Runs the verb for `job` on the shader `bytes`. A separate process first writes its outputs to `stage`, under
    /// their final names.
    pub(super) fn run(
        &self,
        job: &Job,
        bytes: Vec<u8>,
        roles: &[Role],
        stage: &Path,
    ) -> VerbResult {
        match self.say(job, bytes, roles, stage) {
            // All shaders run with the same options, which cannot name an entry point of this shader.
            VerbResult::Failed { code, message, instruction, .. }
                if code == code::CLI_AMBIGUOUS_ENTRY_POINT.name() =>
            {
                VerbResult::Failed { exit: Exit::Unsupported, code, message, instruction }
            }
            result => result,
        }
    }

    fn say(&self, job: &Job, bytes: Vec<u8>, roles: &[Role], stage: &Path) -> VerbResult {
        let paths = job.outputs.iter().map(|name| stage.join(name));
        let outputs: Vec<(&Role, PathBuf)> = roles.iter().zip(paths).collect();
        let words = self.words(&job.path, &outputs);
        if self.isolate {
            return process(&words, &outputs);
        }
        let run = || match Arguments::try_parse_from(words) {
            Ok(arguments) => match arguments.verb.run() {
                Ok(_) => VerbResult::Done(Vec::new()),
                Err(failure) => VerbResult::Failed {
                    exit: failure.exit(),
                    code: failure.code().name().to_owned(),
                    message: failure.message().to_owned(),
                    instruction: failure.instruction().map(str::to_owned),
                },
            },
            Err(error) => failed_with(&code::CLI_USAGE, error.to_string()),
        };
        let (result, made) = memory::hold(&argument(&job.path), bytes, || guarded(run));
        let mut files: BTreeMap<PathBuf, Vec<u8>> = made.files.into_iter().collect();
        let contents = |(role, path): &(&Role, PathBuf)| match role {
            Role::Printed => Some(made.printed.clone()),
            _ => files.remove(path),
        };
        match result {
            VerbResult::Done(_) => VerbResult::Done(outputs.iter().map(contents).collect()),
            result => result,
        }
    }
}

/// Returns the path of a shader as an argument that does not begin with a dash, which would make it an option.
fn argument(shader: &Path) -> PathBuf {
    match shader.as_os_str().as_encoded_bytes().first() {
        Some(b'-') => Path::new(".").join(shader),
        _ => shader.to_owned(),
    }
}

/// Returns the existing files that the options name. The batch names the outputs, so they are not among these files.
fn named_files(matches: &ArgMatches, flags: &[&str]) -> Vec<PathBuf> {
    let values = |flag: &&str| matches.try_get_many::<PathBuf>(flag).ok().flatten();
    let files = flags.iter().filter_map(values).flatten().filter(|path| path.is_file());
    let mut files: Vec<PathBuf> = files.cloned().collect();
    // The verb that `verify` verifies has further options.
    if let Some((_, inside)) = matches.subcommand() {
        let flags: Vec<&str> = inside.ids().map(|id| id.as_str()).collect();
        files.extend(named_files(inside, &flags));
    }
    files
}

fn failed_with(code: &Code, message: impl AsRef<str>) -> VerbResult {
    let message = printable(message.as_ref().trim());
    VerbResult::Failed {
        exit: Exit::of(code),
        code: code.name().to_owned(),
        message,
        instruction: None,
    }
}

/// Lists the devices and driver versions, in a separate process because a driver may crash.
fn devices() -> Vec<u8> {
    let list = |program| process::Command::new(program).args(["verify", "--list-devices"]).output();
    std::env::current_exe().and_then(list).map(|output| output.stdout).unwrap_or_default()
}

/// Turns a panic, which is always a bug, into a failure of this shader, so that the batch continues.
fn guarded(run: impl FnOnce() -> VerbResult) -> VerbResult {
    panic::catch_unwind(panic::AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "of an unknown kind".to_owned());
        failed_with(&code::CLI_PROCESS, format!("the program panicked: {text}"))
    })
}

fn process(words: &[OsString], outputs: &[(&Role, PathBuf)]) -> VerbResult {
    let failed = |error: io::Error| {
        failed_with(&code::CLI_PROCESS, format!("cannot run the process of the shader: {error}"))
    };
    // The verb writes to these folders, and expects them to exist.
    let mut folders = outputs.iter().filter_map(|(_, path)| path.parent());
    if let Err(error) = folders.try_for_each(fs::create_dir_all) {
        return failed(error);
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(error),
    };
    let mut command = process::Command::new(program);
    command.arg("--error-format=json").args(&words[1..]).stdin(Stdio::null());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return failed(error),
    };
    // Collect the outputs, or the error that the process printed.
    match output.status.code() {
        Some(0) => {
            let contents = outputs.iter().map(|(role, path)| match role {
                Role::Printed => Ok(Some(output.stdout.clone())),
                _ => taken(path),
            });
            contents.collect::<io::Result<_>>().map_or_else(failed, VerbResult::Done)
        }
        _ => refused(&output.stderr).unwrap_or_else(|| {
            let text = String::from_utf8_lossy(&output.stderr);
            failed_with(
                &code::CLI_PROCESS,
                format!("the process ended with {}: {text}", output.status),
            )
        }),
    }
}

/// Reads and removes a file; returns `None` if it does not exist.
fn taken(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => fs::remove_file(path).map(|()| Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Parses the error that a separate process printed as JSON; `None` if the process crashed and printed no error.
fn refused(text: &[u8]) -> Option<VerbResult> {
    let mut lines = text.split(|byte| *byte == b'\n').rev();
    let error = lines.find_map(|line| serde_json::from_slice::<Value>(line).ok())?;
    let text = |name: &str| error[name].as_str().map(str::to_owned);
    let exit = Exit::ALL.into_iter().find(|exit| error["exit_code"] == *exit as u8)?;
    let instruction = text("instruction");
    Some(VerbResult::Failed { exit, code: text("code")?, message: text("message")?, instruction })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_process_is_a_line_of_json() {
        let failure = Failure::new(&code::CLI_OTHER_STAGE, "a: it is not there");
        let text = format!("a note\n{}\na driver's note\n", failure.to_json());
        let Some(VerbResult::Failed { exit, code, message, .. }) = refused(text.as_bytes()) else {
            panic!("it is JSON");
        };
        assert_eq!(exit, Exit::OtherStage);
        assert_eq!((code.as_str(), message.as_str()), ("cli.other-stage", "a: it is not there"));
        assert!(refused(b"Segmentation fault\n").is_none());
    }

    #[test]
    fn a_panic_is_a_failure_of_one_shader() {
        let VerbResult::Failed { exit, message, .. } = guarded(|| panic!("index {} is out", 7))
        else {
            panic!("it was taken for success");
        };
        assert_eq!(
            (exit, message.as_str()),
            (Exit::Failed, "the program panicked: index 7 is out")
        );
        let done = || VerbResult::Done(Vec::new());
        assert!(matches!(guarded(done), VerbResult::Done(_)));
    }
}
