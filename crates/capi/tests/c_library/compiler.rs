//! The compilers of C and C++, and programs that they make of sources here, linked with the library that was just
//! built.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A language, with the compiler's flags for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C99,
    Cpp17,
}

/// What the library is linked as.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    Shared,
    Static,
}

/// The compiler's own checks of what the program does.
#[derive(Clone, Copy)]
pub(crate) enum Sanitizers {
    None,
    AddressAndUndefined,
}

/// A path of this crate.
pub(crate) fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folder in which cargo has put the library: that of this test.
pub(crate) fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("the system knows which program runs");
    test.parent().expect("it lies in a folder").to_owned()
}

/// A compiler that takes warnings for errors and finds the header.
pub(crate) fn compiler(language: Language) -> Command {
    let (program, standard) = match language {
        Language::C99 => ("cc", "-std=c99"),
        Language::Cpp17 => ("c++", "-std=c++17"),
    };
    let mut command = Command::new(program);
    command.args([standard, "-g", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"]);
    command.arg(here("include"));
    command
}

/// Runs the command, which has to succeed.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it is installed");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}{stderr}");
    stdout.into_owned()
}

/// A program that lives as long as this.
pub(crate) struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    /// Compiles a source of this crate, and links it.
    #[track_caller]
    pub(crate) fn new(
        language: Language,
        source: &Path,
        library: Library,
        sanitizers: Sanitizers,
    ) -> Self {
        Self::linked(language, source, library, sanitizers, &[])
    }

    /// The same with more libraries.
    #[track_caller]
    pub(crate) fn linked(
        language: Language,
        source: &Path,
        library: Library,
        sanitizers: Sanitizers,
        others: &[&str],
    ) -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        let mut command = compiler(language);
        command.arg(source).arg("-o").arg(folder.path().join("program"));
        if let Sanitizers::AddressAndUndefined = sanitizers {
            command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        }
        match library {
            Library::Shared => {
                let shared = libraries().join("libpolyshade_capi.so");
                let by_name = folder.path().join("libpolyshade.so.0");
                std::os::unix::fs::symlink(&shared, by_name).expect("the folder is empty");
                command.arg(shared).arg(format!("-Wl,-rpath,{}", folder.path().display()));
            }
            Library::Static => {
                command.arg(libraries().join("libpolyshade_capi.a"));
                command.args(["-lpthread", "-ldl", "-lm"]);
            }
        }
        run(command.args(others));
        Self { folder }
    }

    /// A path beside the program.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with its arguments.
    pub(crate) fn command(&self) -> Command {
        Command::new(self.beside("program"))
    }

    /// The same under valgrind, which fails where memory is misused or left behind.
    pub(crate) fn under_valgrind(&self) -> Command {
        let mut command = Command::new("valgrind");
        // What the library keeps of itself for the next call can still be reached.
        command.args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,possible"]);
        command.arg("--error-exitcode=99");
        command.arg(self.beside("program"));
        command
    }
}
