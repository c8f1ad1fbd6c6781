//! The C and C++ compilers, and the programs that they build from this crate and link with the library of this build.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A language, for which the compiler has flags.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C99,
    Cpp17,
}

/// The form in which the library is linked.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    Shared,
    Static,
}

/// The run-time checks that the compiler adds to the program.
#[derive(Clone, Copy)]
pub(crate) enum Sanitizers {
    None,
    AddressAndUndefined,
}

/// Returns a path in this crate.
pub(crate) fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the folder in which cargo has put the library: that of this test.
pub(crate) fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("the system knows which program runs");
    test.parent().expect("it lies in a folder").to_owned()
}

/// Returns a compiler that treats warnings as errors and finds the header.
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

/// Runs a command, which must succeed, and returns its output.
#[track_caller]
pub(crate) fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it is installed");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}{stderr}");
    stdout.into_owned()
}

/// A program, which is deleted when this is dropped.
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

    /// Compiles a source of this crate, and links it with more libraries.
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

    /// Returns a path next to the program.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the command that runs the program.
    pub(crate) fn command(&self) -> Command {
        Command::new(self.beside("program"))
    }

    /// Returns the command that runs the program under valgrind, which fails on misuse of memory and leaks.
    pub(crate) fn under_valgrind(&self) -> Command {
        let mut command = Command::new("valgrind");
        // Data that the library caches for later calls is still reachable.
        command.args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,possible"]);
        command.arg("--error-exitcode=99");
        command.arg(self.beside("program"));
        command
    }
}
