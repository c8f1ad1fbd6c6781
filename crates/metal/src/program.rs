//! C++ that is compiled, and run in a process of its own.

use polyshade_vulkan::Error;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Metal's types and functions, what a shader is called with, and what calls it.
const FILES: [(&str, &str); 6] = [
    ("types.h", include_str!("shim/types.h")),
    ("functions.h", include_str!("shim/functions.h")),
    ("invocation.h", include_str!("shim/invocation.h")),
    ("textures.h", include_str!("shim/textures.h")),
    ("stages.h", include_str!("shim/stages.h")),
    ("run.cpp", include_str!("shim/run.cpp")),
];

/// What every text is compiled with. Signed numbers wrap as SPIR-V's do.
const OPTIONS: [&str; 4] = ["-std=c++17", "-w", "-fwrapv", "-fno-strict-aliasing"];

/// What becomes of a product and a sum of it (1.6.3 of Metal's specification): Metal may round once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Contraction {
    /// Both are rounded, as they are written.
    #[default]
    Off,
    /// They are rounded once, wherever the compiler can, unless the position is `invariant`.
    Fast,
}

/// Vectors of ours have to become their components before a product is seen beside a sum.
const FAST: &[&str] = &[
    "-O3",
    "-fno-tree-vectorize",
    "-ffp-contract=fast",
    #[cfg(target_arch = "x86_64")]
    "-mfma",
];

impl Contraction {
    fn options(self) -> &'static [&'static str] {
        match self {
            Contraction::Off => &["-O0", "-ffp-contract=off"],
            Contraction::Fast => FAST,
        }
    }

    /// Fails where the processor cannot.
    pub(crate) fn check(self) -> Result<(), Error> {
        #[cfg(target_arch = "x86_64")]
        if self == Contraction::Fast && !std::is_x86_feature_detected!("fma") {
            return Err(Error::Unsupported(
                "contraction by this processor, without fma".to_owned(),
            ));
        }
        Ok(())
    }
}

/// A C++ compiler, and a folder for what it makes.
pub(crate) struct Compiler {
    program: OsString,
    /// The version that it prints.
    pub(crate) version: String,
    folder: TempDir,
}

/// A shader that was compiled.
pub(crate) struct Program(PathBuf);

impl Compiler {
    pub(crate) fn new() -> Result<Compiler, Error> {
        let program = env::var_os("CXX").unwrap_or_else(|| "c++".into());
        let version = Command::new(&program).arg("--version").output();
        let version = version.map_err(|error| {
            let name = program.to_string_lossy();
            Error::Unsupported(format!("Metal without a C++ compiler: `{name}`: {error}"))
        })?;
        let version = String::from_utf8_lossy(&version.stdout);
        let version = version.lines().next().unwrap_or_default().to_owned();
        let folder = tempfile::Builder::new().prefix("polyshade-metal-").tempdir();
        let folder = folder.map_err(|error| cannot("make a folder", &error))?;
        for (name, text) in FILES {
            let written = fs::write(folder.path().join(name), text);
            written.map_err(|error| cannot("write headers", &error))?;
        }
        let compiler = Compiler { program, version, folder };
        compiler.call(Contraction::Off, &["-c", "run.cpp", "-o", "run.o"])?;
        Ok(compiler)
    }

    /// Compiles a shader, and what calls it.
    ///
    /// # Errors
    ///
    /// It is no C++: what is wrong with it.
    pub(crate) fn compile(&self, source: &str, contraction: Contraction) -> Result<Program, Error> {
        let file = tempfile::Builder::new().suffix(".cpp").tempfile_in(self.folder.path());
        let (_, source_path) = file
            .and_then(|file| Ok(file.keep()?))
            .map_err(|error| cannot("write a shader", &error))?;
        let written = fs::write(&source_path, source);
        written.map_err(|error| cannot("write a shader", &error))?;
        let program = source_path.with_extension("");
        let path = |path: &Path| path.to_string_lossy().into_owned();
        self.call(contraction, &[&path(&source_path), "run.o", "-o", &path(&program)])?;
        Ok(Program(program))
    }

    fn call(&self, contraction: Contraction, arguments: &[&str]) -> Result<(), Error> {
        let mut command = Command::new(&self.program);
        command.current_dir(self.folder.path()).args(OPTIONS);
        command.args(contraction.options()).args(arguments);
        let output = command.output().map_err(|error| cannot("run the C++ compiler", &error))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let first = text.lines().find(|line| line.contains("error")).or(text.lines().next());
        let why = first.unwrap_or("the compiler says nothing").to_owned();
        Err(Error::Work(format!("the text is no C++: {why}")))
    }
}

impl Program {
    /// Runs it; returns what it prints.
    ///
    /// # Errors
    ///
    /// The shader did what it may not, or the time was up.
    pub(crate) fn run(&self, input: &[u8]) -> Result<Vec<u8>, Error> {
        let path = self.0.with_extension("input");
        let file = fs::write(&path, input).and_then(|()| File::open(&path));
        let file = file.map_err(|error| cannot("hand buffers on", &error))?;
        let output = Command::new(&self.0).stdin(file).output();
        let Output { status, stdout, stderr } =
            output.map_err(|error| cannot("run a shader", &error))?;
        if status.success() {
            return Ok(stdout);
        }
        let messages = String::from_utf8_lossy(&stderr);
        Err(Error::Work(match messages.lines().next_back() {
            Some(why) => why.to_owned(),
            None => format!("the shader was ended ({status})"),
        }))
    }
}

fn cannot(what: &str, error: &std::io::Error) -> Error {
    Error::Unsupported(format!("Metal on a machine that cannot {what}: {error}"))
}
