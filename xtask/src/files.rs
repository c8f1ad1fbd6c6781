//! Files and folders. Errors name the path.

use std::fs;
use std::io::Error;
use std::path::Path;

fn fault(path: &Path) -> impl Fn(Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Reads a file of text.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(fault(path))
}

/// Writes a file, and creates the folders that contain it.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    path.parent().map_or(Ok(()), make)?;
    fs::write(path, bytes).map_err(fault(path))
}

/// Copies a file, and creates the folders that contain the copy.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    to.parent().map_or(Ok(()), make)?;
    fs::copy(from, to).map(drop).map_err(fault(from))
}

/// Creates a folder and the folders that contain it, if they are missing.
pub(crate) fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(fault(folder))
}

/// Removes a folder with all that it contains.
pub(crate) fn remove(folder: &Path) -> Result<(), String> {
    fs::remove_dir_all(folder).map_err(fault(folder))
}

/// Creates an empty folder, and removes an existing folder of this name.
pub(crate) fn clear(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        remove(folder)?;
    }
    make(folder)
}
