//! Installs SPIRV-Tools as a compiled library, because compiling it takes 13 of the 19 minutes of a first build.
//!
//! Cargo skips the build script of a package with a `links` key if its configuration names a library to link
//! instead. A Python package contains the static libraries. The few C++ functions that the Rust package adds
//! are compiled here.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{output, prebuilt, program, run, target};
use crate::files;
use crate::python;

const REQUIREMENTS: &str = "xtask/spirv-tools.txt";

/// The Rust package, which has the `links` key `spirv-tools`.
const PACKAGE: &str = "spirv-tools-sys";

/// Writes the configuration that [`crate::command::cargo`] uses. If this fails, cargo compiles the library.
pub(crate) fn install() {
    if prebuilt().exists() {
        return;
    }
    if let Err(why) = make() {
        println!(
            "setup: cannot install SPIRV-Tools, so it is compiled, which takes minutes: {why}"
        );
    }
}

fn make() -> Result<(), String> {
    let folder = target().join("spirv-tools");
    let prefix = python::packages(&folder.join("python"), REQUIREMENTS)?.join("cmeel.prefix");
    compile(&prefix.join("include"), &folder)?;

    let compiler = output(&mut program("rustc", ["--version", "--verbose"]))?;
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("rustc does not print its host")?;
    let text = format!(
        "[target.{host}.spirv-tools]\n\
         rustc-link-search = [{:?}, {:?}]\n\
         rustc-link-lib = [\"static=spirv-tools-functions\", \"static=SPIRV-Tools-opt\", \
         \"static=SPIRV-Tools\", \"stdc++\"]\n",
        format!("native={}", folder.display()),
        format!("native={}", prefix.join("lib").display()),
    );
    files::write(&prebuilt(), text)
}

/// Compiles the functions that the Rust package adds into a static library.
fn compile(include: &Path, folder: &Path) -> Result<(), String> {
    let object = folder.join("functions.o");
    let mut compiler = program("c++", ["-std=c++17", "-O1", "-fPIC", "-c", "-I"]);
    run(compiler.arg(include).arg(source()?).arg("-o").arg(&object))?;
    let library = folder.join("libspirv-tools-functions.a");
    run(program("ar", ["rcs"]).arg(library).arg(object))
}

/// Returns the path of the source file of these functions in cargo's package sources.
fn source() -> Result<PathBuf, String> {
    let metadata = output(&mut program("cargo", ["metadata", "--format-version=1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages
        .filter(|package| package["name"] == PACKAGE)
        .find_map(|package| package["manifest_path"].as_str())
        .ok_or_else(|| format!("{PACKAGE} is not a dependency"))?;
    Ok(Path::new(manifest).with_file_name("src").join("c/opt.cpp"))
}
