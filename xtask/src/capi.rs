//! `cargo xtask capi`: installs the C library under a prefix, with headers and with files for pkg-config and CMake.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::command::{cargo, program, run, target, workspace};

/// The files that are copied from the crate's folder, each with its folder under the prefix.
const FILES: [(&str, &str); 5] = [
    ("include/polyshade.h", "include"),
    ("include/polyshade.hpp", "include"),
    ("install/polyshade.pc", "lib/pkgconfig"),
    ("install/polyshade-config.cmake", "lib/cmake/polyshade"),
    ("install/polyshade-config-version.cmake", "lib/cmake/polyshade"),
];

/// The file name of the shared library for the dynamic loader, and its name for the linker.
const SHARED: &str = "libpolyshade.so.0";
const BY_LINKER: &str = "libpolyshade.so";

/// Builds and installs the library. A C compiler is needed only for linking.
pub(crate) fn run_capi(prefix: Option<&Path>) -> Result<(), String> {
    run(&mut cargo(["build", "--release", "--package", "polyshade-capi"]))?;
    let prefix = prefix.map_or_else(|| target().join("capi"), Path::to_owned);
    install_into(&prefix, &target().join("release"))?;
    println!("installed under {}; docs/c-api.md says how it is used", prefix.display());
    Ok(())
}

/// Installs the libraries from the folder `built`, with headers and with files for pkg-config and CMake.
pub(crate) fn install_into(prefix: &Path, built: &Path) -> Result<(), String> {
    let lib = prefix.join("lib");
    for (file, folder) in FILES {
        copy(&workspace().join("crates/capi").join(file), &prefix.join(folder))?;
    }
    install(&built.join("libpolyshade_capi.so"), &lib.join(SHARED), "--strip-unneeded")?;
    install(&built.join("libpolyshade_capi.a"), &lib.join("libpolyshade.a"), "--strip-debug")?;
    let link = lib.join(BY_LINKER);
    // Remove the link of an earlier installation.
    let _ = fs::remove_file(&link);
    symlink(SHARED, &link).map_err(|error| format!("{}: {error}", link.display()))
}

/// Copies a file into a folder. Creates the folder if it is missing.
fn copy(file: &Path, folder: &Path) -> Result<(), String> {
    let name = file.file_name().ok_or("a file has a name")?;
    let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(file, folder.join(name)));
    copied.map(drop).map_err(|error| format!("{}: {error}", file.display()))
}

/// Copies a library or a program, without debug information.
pub(crate) fn install(from: &Path, to: &Path, strip: &str) -> Result<(), String> {
    let folder = to.parent().ok_or("a library is in a folder")?;
    let _ = fs::remove_file(to);
    let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(from, to));
    copied.map_err(|error| format!("{}: {error}", to.display()))?;
    run(program("strip", [strip]).arg(to))
}
