//! The files that a verb writes: all of them, whole, or none.

use crate::failure::{Exit, Failure};
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Files that are written when everything else is done.
#[derive(Default)]
pub(crate) struct Outputs(Vec<(PathBuf, Vec<u8>)>);

impl Outputs {
    /// Adds a SPIR-V module.
    pub(crate) fn add_module(&mut self, path: &Path, words: &[u32]) -> Result<(), Failure> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        if let Some(extension @ ("spvasm" | "metal" | "glsl" | "hlsl" | "wgsl")) =
            extension.as_deref()
        {
            let message = format!("{}: writing .{extension} is not supported", path.display());
            return Err(Failure::new(Exit::Unsupported, message).help("SPIR-V (.spv) is"));
        }
        self.add(path, words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    /// Adds any other file.
    pub(crate) fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
        if self.0.iter().any(|(other, _)| other == path) {
            let message = format!("{}: two outputs would go to this file", path.display());
            return Err(Failure::new(Exit::Usage, message));
        }
        self.0.push((path.to_owned(), bytes));
        Ok(())
    }

    /// Writes everything to temporary files beside their places, then renames them: an error leaves nothing behind.
    pub(crate) fn write(self) -> Result<(), Failure> {
        let mut written = Vec::new();
        for (path, bytes) in self.0 {
            let failed = |error: std::io::Error| {
                Failure::new(Exit::Failed, format!("{}: {error}", path.display()))
            };
            // A device or pipe is written to, not replaced.
            if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
                fs::write(&path, bytes).map_err(failed)?;
                continue;
            }
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
            file.write_all(&bytes).map_err(failed)?;
            written.push((file, path));
        }
        for (file, path) in written {
            allow_reading(&file);
            file.persist(&path).map_err(|error| {
                Failure::new(Exit::Failed, format!("{}: {}", path.display(), error.error))
            })?;
        }
        Ok(())
    }
}

/// A temporary file is its owner's alone; a result is as readable as other files are.
fn allow_reading(file: &NamedTempFile) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Where this fails the file is still there and whole.
        let _ = file.as_file().set_permissions(fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Writes a module to standard output, unless a person would see it.
pub(crate) fn print_module(words: &[u32]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        let failure =
            Failure::new(Exit::Usage, "SPIR-V is binary, and standard output is a terminal");
        return Err(failure.help("name a file with -o, or redirect the output"));
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    stdout
        .write_all(&bytes)
        .map_err(|error| Failure::new(Exit::Failed, format!("standard output: {error}")))
}

/// Prints text to standard output; a reader that has gone is no error.
pub(crate) fn print_text(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{}", text.trim_end());
}
