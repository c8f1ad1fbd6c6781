//! Compiles C++ source, and runs the program in a separate process.

use polyshade_vulkan::Error;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The headers for Metal's types and functions, the interface of shaders, and the code that calls shaders.
const FILES: [(&str, &str); 6] = [
    ("types.h", include_str!("shim/types.h")),
    ("functions.h", include_str!("shim/functions.h")),
    ("invocation.h", include_str!("shim/invocation.h")),
    ("textures.h", include_str!("shim/textures.h")),
    ("stages.h", include_str!("shim/stages.h")),
    ("run.cpp", include_str!("shim/run.cpp")),
];

/// The compiler options. Signed integers wrap as in SPIR-V.
const OPTIONS: [&str; 4] = ["-std=c++17", "-w", "-fwrapv", "-fno-strict-aliasing"];

/// Whether a product and a sum are contracted to one operation (Metal Shading Language Specification, 1.6.3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Contraction {
    /// The product and the sum are rounded separately, as written.
    #[default]
    Off,
    /// The result is rounded only once, wherever the compiler can contract, unless the position is `invariant`.
    Fast,
}

/// The options for contraction. The optimizer must reduce this crate's vectors to scalars before it can contract.
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

    /// Fails if the processor does not support the contraction.
    pub(crate) fn check(self) -> Result<(), Error> {
        #[cfg(target_arch = "x86_64")]
        if self == Contraction::Fast && !std::is_x86_feature_detected!("fma") {
            return Err(Error::Unsupported(
                "contraction: this processor has no FMA instructions".to_owned(),
            ));
        }
        Ok(())
    }
}

/// A C++ compiler, with a folder for its output.
pub(crate) struct Compiler {
    program: OsString,
    /// The version that the compiler prints.
    pub(crate) version: String,
    folder: TempDir,
}

/// A compiled shader.
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
        let folder = folder.map_err(|error| cannot("create a folder", &error))?;
        for (name, text) in FILES {
            let written = fs::write(folder.path().join(name), text);
            written.map_err(|error| cannot("write headers", &error))?;
        }
        let compiler = Compiler { program, version, folder };
        compiler.call(Contraction::Off, &["-c", "run.cpp", "-o", "run.o"])?;
        Ok(compiler)
    }

    /// Compiles a shader with the code that calls it.
    ///
    /// # Errors
    ///
    /// The message of the compiler, if the source is not valid C++.
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
        let why = first.unwrap_or("the compiler printed no message").to_owned();
        Err(Error::Work(format!("the C++ compiler rejects the shader: {why}")))
    }
}

impl Program {
    /// Runs the program and returns its output.
    ///
    /// # Errors
    ///
    /// The shader made an invalid access, or exceeded the time limit.
    pub(crate) fn run(&self, input: &[u8]) -> Result<Vec<u8>, Error> {
        let path = self.0.with_extension("input");
        let file = fs::write(&path, input).and_then(|()| File::open(&path));
        let file = file.map_err(|error| cannot("write the buffers", &error))?;
        let output = Command::new(&self.0).stdin(file).output();
        let Output { status, stdout, stderr } =
            output.map_err(|error| cannot("run a shader", &error))?;
        if status.success() {
            return Ok(stdout);
        }
        let messages = String::from_utf8_lossy(&stderr);
        Err(Error::Work(match messages.lines().next_back() {
            Some(why) => why.to_owned(),
            None => format!("the shader's process was terminated ({status})"),
        }))
    }
}

fn cannot(what: &str, error: &std::io::Error) -> Error {
    Error::Unsupported(format!("Metal on a machine that cannot {what}: {error}"))
}
