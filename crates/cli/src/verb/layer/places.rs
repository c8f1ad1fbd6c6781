//! Finds and writes the layer's files.

use super::{Library, Place};
use crate::code;
use crate::failure::Failure;
use polyshade_layer::manifest::{FILE_NAME, library_name};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) struct Files {
    pub(super) library: PathBuf,
    pub(super) manifest: PathBuf,
}

/// Returns the files that `install` writes for all users.
pub(super) fn of_system() -> Files {
    Files {
        library: Path::new("/usr/local/lib/polyshade").join(library_name()),
        manifest: Path::new("/etc/vulkan/implicit_layer.d").join(FILE_NAME),
    }
}

/// Returns the files that `install` writes for this user, below `$XDG_DATA_HOME` or, by default, `~/.local/share`.
pub(super) fn of_user() -> Result<Files, Failure> {
    let folder =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")));
    let Some(data) = data else {
        let failure =
            Failure::new(&code::CLI_FILE, "neither XDG_DATA_HOME nor HOME names a folder");
        return Err(failure.help("set one, or install for all users with --system"));
    };
    Ok(Files {
        library: data.join("polyshade").join(library_name()),
        manifest: data.join("vulkan/implicit_layer.d").join(FILE_NAME),
    })
}

pub(super) fn files(place: &Place) -> Result<Files, Failure> {
    if place.system { Ok(of_system()) } else { of_user() }
}

/// Returns the library that the user named, or a library in a place where cargo or a package installs it.
pub(super) fn library(named: &Library) -> Result<PathBuf, Failure> {
    if let Some(path) = &named.library {
        return fs::canonicalize(path).map_err(|error| Failure::file(path, error));
    }
    let program = std::env::current_exe().and_then(fs::canonicalize);
    let program = program.map_err(|error| {
        Failure::new(&code::CLI_FILE, format!("cannot find the path of this program: {error}"))
    })?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = [".", "deps", "../lib/polyshade", "../lib"].map(|place| folder.join(place));
    let found = places.iter().find_map(|place| fs::canonicalize(place.join(library_name())).ok());
    found.ok_or_else(|| {
        let message = format!("{} is neither in {} nor near it", library_name(), folder.display());
        Failure::new(&code::CLI_FILE, message).help(
            "build it with `cargo build --release -p polyshade-layer`, or name it with --library",
        )
    })
}

/// Writes a file completely or not at all, and creates the folders that contain it.
pub(super) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error);
    let folder = path.parent().ok_or_else(|| failed(&"this is not a file"))?;
    fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    // Write to a temporary file and rename it, because the loader may read the folder at any time.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    file.write_all(bytes).map_err(|error| failed(&error))?;
    allow(file.path(), mode).map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(())
}

/// Sets the permissions of a file, because temporary files are accessible only to their owner.
#[cfg(unix)]
fn allow(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn allow(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}
