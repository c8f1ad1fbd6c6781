//! Runs one program with the layer.

use super::Run;
use super::places::{library, write};
use crate::failure::Failure;
use polyshade_layer::LAYER_NAME;
use polyshade_layer::manifest::{FILE_NAME, LayerKind, manifest};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The number that is added to a signal's number to form an exit code, as in shells.
#[cfg(unix)]
const SIGNALLED: i32 = 128;

/// Runs the program, and returns its exit code.
pub(super) fn run(run: &Run) -> Result<ExitCode, Failure> {
    let folder = manifest_folder(&library(&run.library)?)?;
    let (program, arguments) = run.command.split_first().expect("clap requires a command");
    let mut command = Command::new(program);
    command.args(arguments);
    // If `VK_LAYER_PATH` is set, the loader ignores `VK_ADD_LAYER_PATH`.
    let paths = match env::var_os("VK_LAYER_PATH") {
        Some(_) => "VK_LAYER_PATH",
        None => "VK_ADD_LAYER_PATH",
    };
    command.env(paths, in_front(folder.as_os_str(), env::var_os(paths)));
    let layer = OsString::from(LAYER_NAME.to_string_lossy().into_owned());
    command.env("VK_INSTANCE_LAYERS", in_front(&layer, env::var_os("VK_INSTANCE_LAYERS")));
    let on = |is: bool| is.then(|| "on".to_owned());
    let (portability, refuse) = (on(run.portability), on(run.refuse));
    let settings = [
        ("POLYSHADE_LAYER_MODE", &run.mode),
        ("POLYSHADE_LAYER_HIDE", &run.hide),
        ("POLYSHADE_LAYER_PROVIDE", &run.provide),
        ("POLYSHADE_LAYER_PORTABILITY", &portability),
        ("POLYSHADE_LAYER_LOG_LEVEL", &run.log_level),
        ("POLYSHADE_LAYER_DUMP", &run.dump),
        ("POLYSHADE_LAYER_PIPELINES", &run.pipelines),
        ("POLYSHADE_LAYER_REFUSE", &refuse),
    ];
    command.envs(settings.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
    let status = command.status();
    let status = status.map_err(|error| Failure::file(Path::new(program), error))?;
    Ok(code(status))
}

/// Returns the exit code for a program that has ended.
fn code(status: std::process::ExitStatus) -> ExitCode {
    #[cfg(unix)]
    let signal =
        std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| SIGNALLED + signal);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal);
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Returns the folder, beside the library, with the explicit manifest. Writes the manifest if it is
/// missing or differs.
fn manifest_folder(library: &Path) -> Result<PathBuf, Failure> {
    let folder = library.with_file_name("polyshade-layer");
    let path = folder.join(FILE_NAME);
    let text = manifest(library, LayerKind::Explicit);
    if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        write(&path, text.as_bytes(), 0o644)?;
    }
    Ok(folder)
}

/// Prepends an element to a list of paths.
fn in_front(first: &OsStr, list: Option<OsString>) -> OsString {
    let mut all = first.to_owned();
    if let Some(list) = list.filter(|list| !list.is_empty()) {
        all.push(if cfg!(windows) { ";" } else { ":" });
        all.push(list);
    }
    all
}
