//! The files that a verb writes: all of them, whole, or none.

use crate::failure::{Exit, Failure};
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Files that are written when everything else is done, and what goes to standard output.
#[derive(Default)]
pub(crate) struct Outputs {
    files: Vec<(PathBuf, Vec<u8>)>,
    stdout: Vec<u8>,
}

impl Outputs {
    /// Adds a SPIR-V module; `-` is standard output.
    pub(crate) fn add_module(&mut self, path: &Path, words: &[u32]) -> Result<(), Failure> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        if let Some(extension @ ("spvasm" | "metal" | "glsl" | "hlsl" | "wgsl")) =
            extension.as_deref()
        {
            let message = format!("{}: writing .{extension} is not supported", path.display());
            return Err(Failure::new(Exit::Unsupported, message).help("SPIR-V (.spv) is"));
        }
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        if path == Path::new("-") {
            if std::io::stdout().is_terminal() {
                let message = "SPIR-V is binary, and standard output is a terminal";
                let failure = Failure::new(Exit::Usage, message);
                return Err(failure.help("name a file with -o, or redirect the output"));
            }
            return self.add_stdout(bytes);
        }
        self.add(path, bytes)
    }

    /// Adds any other file; `-` is standard output.
    pub(crate) fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
        if path == Path::new("-") {
            return self.add_stdout(bytes);
        }
        // What a link points to is written, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| in_real_folder(path));
        if self.files.iter().any(|(other, _)| *other == path) {
            let message = format!("{}: two outputs would go to this file", path.display());
            return Err(Failure::new(Exit::Usage, message));
        }
        self.files.push((path, bytes));
        Ok(())
    }

    fn add_stdout(&mut self, bytes: Vec<u8>) -> Result<(), Failure> {
        if !self.stdout.is_empty() {
            return Err(Failure::new(Exit::Usage, "two outputs would go to standard output"));
        }
        self.stdout = bytes;
        Ok(())
    }

    /// Writes everything to temporary files beside their places and to standard output, then renames
    /// the files: an error leaves none behind.
    pub(crate) fn write(self) -> Result<(), Failure> {
        let mut written = Vec::new();
        for (path, bytes) in self.files {
            let failed = |error: std::io::Error| {
                Failure::new(Exit::Failed, format!("{}: {}", path.display(), error.kind()))
            };
            // A device or pipe is written to, not replaced.
            let metadata = fs::metadata(&path);
            if metadata.as_ref().is_ok_and(|metadata| !metadata.is_file()) {
                fs::write(&path, bytes).map_err(failed)?;
                continue;
            }
            let folder = path.parent().unwrap_or(Path::new("."));
            let mut file = with_permissions(metadata.ok()).tempfile_in(folder).map_err(failed)?;
            file.write_all(&bytes).map_err(failed)?;
            written.push((file, path));
        }
        print(&self.stdout)?;
        for (file, path) in written {
            file.persist(&path).map_err(|error| {
                Failure::new(Exit::Failed, format!("{}: {}", path.display(), error.error.kind()))
            })?;
        }
        Ok(())
    }
}

/// The path of a file that is not there yet, in the folder that is.
fn in_real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// A temporary file with the permissions of the file that it replaces, or of any new file.
fn with_permissions(replaced: Option<fs::Metadata>) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes away what the user's mask says.
        let new = fs::Permissions::from_mode(0o666);
        builder.permissions(replaced.map_or(new, |metadata| metadata.permissions()));
    }
    #[cfg(not(unix))]
    drop(replaced);
    builder
}

/// Prints text to standard output, with the control characters of names escaped: a module is not to steer a terminal.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    print(format!("{}\n", printable(text.trim_end())).as_bytes())
}

/// `text` with control characters but line feeds escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => printable.push(letter),
            _ if letter.is_control() => printable.extend(letter.escape_default()),
            _ => printable.push(letter),
        }
    }
    printable
}

/// A reader that has gone is no error.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("standard output: {}", error.kind())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn a_name_cannot_steer_a_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
    }
}
