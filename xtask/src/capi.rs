//! `cargo xtask capi`: installs the C library under a prefix, with headers and with files for pkg-config and CMake.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::command::{cargo, program, run, target, workspace};
use crate::files::copy;

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
        let file = workspace().join("crates/capi").join(file);
        copy(&file, &prefix.join(folder).join(file.file_name().unwrap_or_default()))?;
    }
    install(&built.join("libpolyshade_capi.so"), &lib.join(SHARED), "--strip-unneeded")?;
    install(&built.join("libpolyshade_capi.a"), &lib.join("libpolyshade.a"), "--strip-debug")?;
    let link = lib.join(BY_LINKER);
    // Remove the link of an earlier installation.
    let _ = fs::remove_file(&link);
    symlink(SHARED, &link).map_err(|error| format!("{}: {error}", link.display()))
}

/// Copies a library or a program, without debug information.
pub(crate) fn install(from: &Path, to: &Path, strip: &str) -> Result<(), String> {
    let _ = fs::remove_file(to);
    copy(from, to)?;
    run(program("strip", [strip]).arg(to))
}
