//! The files that a verb writes. Either all files are written completely, or none is written.

use crate::bound::Bound;
use crate::code;
use crate::failure::Failure;
use crate::format::{Format, Formats};
use crate::formats;
use crate::memory::{self, Files};
use crate::printable::printable;
use polyshade::Module;
use polyshade::spv::ExecutionModel;
use polyshade_formats::cross::EntryPoint;
use polyshade_formats::tools;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The files and the standard output of a verb, which are written after everything else has succeeded.
#[derive(Default)]
pub(crate) struct Outputs {
    modules: Modules,
    files: Files,
    stdout: Vec<u8>,
    /// The paths of the output files as the user wrote them.
    names: Vec<PathBuf>,
    /// The paths of the files that were read.
    read: Vec<PathBuf>,
    keep_unchanged: bool,
    bound: Bound,
}

/// The options for writing modules.
#[derive(Default)]
pub(crate) struct Modules {
    pub(crate) formats: Formats,
    /// The entry point to write to formats that hold only one.
    pub(crate) entry: Option<(String, ExecutionModel)>,
    /// Whether SPIRV-Tools validates the modules before they are written.
    pub(crate) validate: bool,
    pub(crate) target_env: Option<String>,
}

/// Returns the stage of the rewritten entry point. A capture in a compute stage changes it; otherwise it is `model`.
fn made_for(words: &[u32], name: &str, model: ExecutionModel) -> ExecutionModel {
    let Ok(module) = Module::parse(words) else { return model };
    let mut named = module.entry_points().filter(|one| one.name() == name);
    let first = named.next().map_or(model, |one| one.model());
    if module.entry_point(name, model).is_ok() { model } else { first }
}

impl Outputs {
    /// Creates an empty set of outputs with these options for writing modules.
    pub(crate) fn of(modules: Modules) -> Self {
        Self { modules, ..Self::default() }
    }

    pub(crate) fn set_entry(&mut self, entry: (String, ExecutionModel)) {
        self.modules.entry = Some(entry);
    }

    /// Adds a module in the format that the file's extension selects; `-` is standard output.
    pub(crate) fn add_module(&mut self, path: &Path, words: &[u32]) -> Result<(), Failure> {
        self.check_valid(path, words)?;
        let format = self.modules.formats.of(path)?;
        let place = path.display().to_string();
        let failed = |error| Failure::of_format(error, &place, format.writing());
        let bytes = match format {
            Format::Spv => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            Format::Spvasm => formats::assembly(words).map_err(failed)?.into_bytes(),
            Format::Wgsl => {
                let text = formats::wgsl(words, &self.modules.formats.wgsl());
                let text = text.map_err(|error| of_language(error, &place, format))?;
                self.bound.add_wgsl(path, text.bound);
                text.source.into_bytes()
            }
            Format::Msl | Format::Glsl | Format::Hlsl => {
                self.translate(path, words, format)?.into_bytes()
            }
        };
        if path == Path::new("-") && format == Format::Spv && std::io::stdout().is_terminal() {
            let failure = Failure::usage("SPIR-V is binary, and standard output is a terminal");
            let help = "name a file with -o, redirect the output, or choose a format with --format";
            return Err(failure.help(help));
        }
        self.add(path, bytes)
    }

    /// Validates a module before it is written. Its input was valid, so an invalid output is a bug in polyshade.
    fn check_valid(&self, path: &Path, words: &[u32]) -> Result<(), Failure> {
        if !self.modules.validate {
            return Ok(());
        }
        let valid = formats::validate(words, self.modules.target_env.as_deref());
        valid.map_err(|error| match error {
            polyshade_formats::Error::Faulty(fault) => {
                let message = format!(
                    "{}: polyshade wrote an invalid module, which is a bug in polyshade: {fault}",
                    path.display()
                );
                Failure::new(&code::CLI_INVALID_OUTPUT, message)
                    .help("please report it, with the shader")
            }
            other => Failure::of_format(other, &path.display().to_string(), "--validate"),
        })
    }

    fn translate(&mut self, path: &Path, words: &[u32], format: Format) -> Result<String, Failure> {
        let target = self.modules.formats.target(format).expect("SPIRV-Cross writes the format");
        let Some((name, model)) = &self.modules.entry else {
            let message = "the format takes one entry point, and the module has none or several";
            let failure = Failure::usage(message);
            return Err(failure.help("select it with --entry and --stage"));
        };
        let entry = EntryPoint { name, model: made_for(words, name, *model).0 };
        let text = formats::translate(words, entry, &target)
            .map_err(|error| of_language(error, &path.display().to_string(), format))?;
        if format == Format::Msl {
            self.bound.add_msl(path, &text);
        }
        Ok(text.source)
    }

    /// Returns the bindings of resources in MSL and WGSL, for reports.
    pub(crate) fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Adds the difference of two modules to standard output, as assembly with names.
    pub(crate) fn add_diff(&mut self, before: &[u32], after: &[u32]) -> Result<(), Failure> {
        let text = formats::listing(before).and_then(|before| {
            let after = formats::listing(after)?;
            Ok(tools::difference(&before, &after))
        });
        let text = text.map_err(|error| Failure::of_format(error, "the shader", "--diff"))?;
        self.add_stdout(format!("{}\n", printable(text.trim_end())).into_bytes())
    }

    /// Adds a file that is not a module; `-` is standard output.
    pub(crate) fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
        if path == Path::new("-") {
            return self.add_stdout(bytes);
        }
        self.names.push(path.to_owned());
        let path = match memory::is_held() {
            true => path.to_owned(),
            // Write to the target of a symbolic link, and keep the link.
            false => fs::canonicalize(path).unwrap_or_else(|_| in_real_folder(path)),
        };
        if self.files.iter().any(|(other, _)| *other == path) {
            let message = format!("{}: two outputs would be written to this file", path.display());
            return Err(Failure::usage(message));
        }
        self.files.push((path, bytes));
        Ok(())
    }

    /// Returns the paths of the output files as the user wrote them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Path> {
        self.names.iter().map(PathBuf::as_path)
    }

    /// Records the paths of files that were read. These files are not overwritten unless the user allows it.
    pub(crate) fn made_of(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        self.read.extend(files);
    }

    /// Fails if an output would overwrite a file that was read.
    fn check_read(&self) -> Result<(), Failure> {
        if self.modules.formats.in_place || memory::is_held() {
            return Ok(());
        }
        let read: Vec<PathBuf> =
            self.read.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        let mut files = self.names.iter().zip(&self.files);
        match files.find(|(_, (path, _))| read.contains(path)) {
            Some((name, _)) => {
                let message = "this file was read, and the output would take its place";
                let failure = Failure::at(&code::CLI_USAGE, name, message);
                Err(failure.help("name another file, or pass --in-place"))
            }
            None => Ok(()),
        }
    }

    /// Makes `write` skip files that already contain the same bytes.
    pub(crate) fn keep_unchanged(&mut self) {
        self.keep_unchanged = true;
    }

    fn add_stdout(&mut self, bytes: Vec<u8>) -> Result<(), Failure> {
        if !self.stdout.is_empty() {
            return Err(Failure::usage("two outputs would be written to standard output"));
        }
        self.stdout = bytes;
        Ok(())
    }

    /// Writes each file to a temporary file in the same folder, prints the standard output, and then renames the
    /// temporary files. If an error occurs before the renaming, no regular file changes.
    pub(crate) fn write(self) -> Result<(), Failure> {
        self.bound.check(&self.modules.formats)?;
        self.check_read()?;
        let mut written = Vec::new();
        for (path, bytes) in memory::write(self.files) {
            let failed = |error: std::io::Error| Failure::file(&path, cause(&error));
            if self.keep_unchanged && holds(&path, &bytes) {
                continue;
            }
            // Write directly to a device or a pipe, which must not be replaced by a file.
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
            file.persist(&path).map_err(|error| Failure::file(&path, cause(&error.error)))?;
        }
        Ok(())
    }
}

/// Returns the system's error message without the temporary path that `tempfile` appends, which differs each time.
fn cause(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at path ").map_or(text.as_str(), |(cause, _)| cause).to_owned()
}

/// Whether a file already has these contents.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let same_size =
        |metadata: fs::Metadata| metadata.is_file() && metadata.len() == bytes.len() as u64;
    fs::metadata(path).is_ok_and(same_size) && fs::read(path).is_ok_and(|old| old == bytes)
}

/// Returns the canonical path of a file that does not exist yet in an existing folder.
fn in_real_folder(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match (fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Returns a builder of temporary files that have the permissions of the replaced file, or of a new file.
fn with_permissions(replaced: Option<fs::Metadata>) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system applies the user's umask.
        let new = fs::Permissions::from_mode(0o666);
        builder.permissions(replaced.map_or(new, |metadata| metadata.permissions()));
    }
    #[cfg(not(unix))]
    drop(replaced);
    builder
}

/// Prints text to standard output. Escapes control characters, because names in a module must not control a terminal.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    print(format!("{}\n", printable(text.trim_end())).as_bytes())
}

/// Prints bytes to standard output. A closed pipe is not an error.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    if memory::print(bytes) {
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(&code::CLI_FILE, format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Converts an error of a text format. If point sizes are unsupported, adds the option that removes them.
fn of_language(error: polyshade_formats::Error, place: &str, format: Format) -> Failure {
    let option = match format {
        Format::Hlsl => Some("--hlsl-drop-point-size leaves it out"),
        Format::Wgsl => Some("--wgsl-drop-point-size leaves it out"),
        Format::Spv | Format::Spvasm | Format::Msl | Format::Glsl => None,
    };
    let option = option.filter(|_| matches!(error, polyshade_formats::Error::PointSize(_)));
    let failure = Failure::of_format(error, place, format.writing());
    match option {
        Some(option) => failure.help(option),
        None => failure,
    }
}

#[cfg(all(test, feature = "tools"))]
mod tests {
    use super::*;

    #[test]
    fn what_we_made_invalid_is_our_bug_and_is_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.spv");
        // This module has no memory model.
        let invalid = [0x0723_0203, 0x0001_0000, 0, 1, 0];
        let mut outputs = Outputs::of(Modules { validate: true, ..Modules::default() });
        let failure = outputs.add_module(&file, &invalid).expect_err("it is not valid");
        assert!(failure.to_string().contains("which is a bug in polyshade"), "{failure}");
        outputs.write().expect("nothing is left to write");
        assert!(!file.exists());

        // As a control, the module is written without validation.
        let mut outputs = Outputs::default();
        outputs.add_module(&file, &invalid).expect("it is not validated");
        outputs.write().expect("it is written");
        assert!(file.exists());
    }
}
