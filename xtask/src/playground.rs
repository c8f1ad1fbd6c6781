//! `cargo xtask playground`: builds a static page with the library and naga as WebAssembly.
//!
//! No Debian package contains Rust's standard library for WebAssembly at a version that compiles polyshade, but
//! Debian packages its sources together with a compiler of the same version. That compiler cannot be installed in
//! addition to another Rust, so its packages are unpacked into the folder of build outputs, where no other
//! program finds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, output, program, run, target, workspace};
use crate::files::{clear, copy, write};
use crate::licences;
use crate::setup::{self, Package};

const LINKER: &[Package] = &[("lld-22", "links WebAssembly")];

/// Debian packages of the same version: the compiler, its libraries (only a prefix, because the name contains the
/// version), the development package that depends on the libraries, and the sources of the standard library.
const COMPILER: [&str; 4] =
    ["rustc-web", "libstd-rust-web-", "libstd-rust-web-dev", "rust-web-src"];

/// The folders to unpack. The package of sources contains the whole compiler, most of which is not needed.
const PARTS: [&str; 3] = ["./usr/bin", "./usr/lib", "./usr/src/*/library"];

/// The npm package with glslang for browsers, and the hash of the package.
const GLSLANG: (&str, &str) =
    ("@webgpu/glslang@0.0.15", "7b193e085256435213b281d4782154ebbdf2c1ef1c8cb1d38cf75d8be82d97f8");

const MANIFEST: &str = "playground/Cargo.toml";
const TRIPLE: &str = "wasm32-unknown-unknown";

/// Builds the page, and returns its folder.
pub(crate) fn make() -> Result<PathBuf, String> {
    let folder = target().join("playground");
    setup::run_setup_of(LINKER)?;
    let compiler = compiler(&folder)?;
    let wasm = build(&folder, &compiler)?;
    let page = folder.join("page");
    clear(&page)?;
    copy_files(&workspace().join("playground/page"), &page)?;
    copy(&wasm, &page.join("polyshade.wasm"))?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&workspace().join(name), &page.join(name))?;
    }
    let licences = licences::of_packages(MANIFEST, &["polyshade-playground"])?;
    write(&page.join("THIRD-PARTY.txt"), &licences)?;
    if let Err(why) = add_glslang(&folder, &page) {
        println!("playground: it accepts only WGSL, because glslang is missing: {why}");
    }
    println!("playground: {} bytes of WebAssembly, {} gzipped", size(&wasm)?, gzipped(&wasm)?);
    println!("playground: python3 -m http.server --directory {}", page.display());
    Ok(page)
}

/// Unpacks Debian's compiler and returns its folder, which stays until the folder of build outputs is removed.
fn compiler(folder: &Path) -> Result<PathBuf, String> {
    let compiler = folder.join("rust");
    let done = compiler.join("complete");
    if done.exists() {
        return Ok(compiler);
    }
    clear(&compiler)?;
    let archives = folder.join("archives");
    clear(&archives)?;
    if download(&archives).is_err() {
        // The package lists may be missing or outdated.
        setup::apt_get(&["update", "-qq"])?;
        download(&archives)?;
    }
    let parts = PARTS.map(|part| format!("'{part}'")).join(" ");
    // Some archives do not contain every folder.
    let take_out = format!(
        "for archive in *.deb; do dpkg-deb --fsys-tarfile \"$archive\" \
         | tar --extract --directory ../rust --wildcards {parts} 2>/dev/null || true; done"
    );
    run(program("sh", ["-c", &take_out]).current_dir(&archives))?;
    output(&mut rustc(&compiler, &["--version"]))?;
    clear(&archives)?;
    write(&done, "")?;
    Ok(compiler)
}

fn download(archives: &Path) -> Result<(), String> {
    let [rustc, library, development, sources] = COMPILER;
    let needed = output(&mut program("apt-cache", ["depends", development]))?;
    let library = needed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|name| name.starts_with(library))
        .ok_or_else(|| format!("Debian's {development} is not available"))?;
    // By default, apt downloads as a separate user, who may not write to this folder.
    let as_us = ["-o", "APT::Sandbox::User=root", "-qq", "download"];
    run(program("apt-get", as_us)
        .args([rustc, library, development, sources])
        .current_dir(archives))
}

/// Returns a command that runs Debian's compiler with the path of its libraries, because they are not installed.
fn rustc(compiler: &Path, args: &[&str]) -> Command {
    let mut command = program(&compiler.join("usr/bin/rustc").to_string_lossy(), args);
    command.env("LD_LIBRARY_PATH", libraries(compiler));
    command
}

fn libraries(compiler: &Path) -> PathBuf {
    compiler.join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH))
}

/// Builds the standard library and the crate, and returns the path of the resulting WebAssembly module.
fn build(folder: &Path, compiler: &Path) -> Result<PathBuf, String> {
    let built = folder.join("build");
    let mut build =
        cargo(["build", "--locked", "--profile=playground", "--manifest-path", MANIFEST]);
    // Unwinding would make the module a third larger. Instead, the page creates a new instance after a panic.
    build.args(["--target", TRIPLE, "-Zbuild-std=std,panic_abort"]);
    build.arg("--target-dir").arg(&built);
    build.env("RUSTC", compiler.join("usr/bin/rustc"));
    build.env("LD_LIBRARY_PATH", libraries(compiler));
    // A stable compiler accepts `-Zbuild-std` only if this variable is set.
    build.env("RUSTC_BOOTSTRAP", "1");
    build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-22");
    run(&mut build)?;
    Ok(built.join(TRIPLE).join("playground/polyshade_playground.wasm"))
}

/// Adds glslang, which npm downloads, to the page.
fn add_glslang(folder: &Path, page: &Path) -> Result<(), String> {
    let (package, hash) = GLSLANG;
    let archives = folder.join("npm");
    let archive = archives.join("glslang.tgz");
    if !archive.exists() {
        clear(&archives)?;
        run(program("npm", ["pack", "--silent", package]).current_dir(&archives))?;
        let packed = archives.join("webgpu-glslang-0.0.15.tgz");
        let sum = output(program("sha256sum", ["--binary"]).arg(&packed))?;
        if !sum.starts_with(hash) {
            return Err(format!("{package} has another hash: {sum}"));
        }
        fs::rename(&packed, &archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    }
    let glslang = page.join("glslang");
    clear(&glslang)?;
    let files = ["package/dist/web-devel/glslang.js", "package/dist/web-devel/glslang.wasm"];
    run(program("tar", ["--extract", "--strip-components=3", "--no-same-owner", "--file"])
        .arg(&archive)
        .args(files)
        .current_dir(&glslang))
}

fn copy_files(from: &Path, to: &Path) -> Result<(), String> {
    let fault = |error| format!("{}: {error}", from.display());
    for entry in fs::read_dir(from).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn size(file: &Path) -> Result<u64, String> {
    fs::metadata(file)
        .map(|found| found.len())
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns the size of a file after compression, which is the size that a server would send.
fn gzipped(file: &Path) -> Result<u64, String> {
    run(program("gzip", ["--best", "--keep", "--force"]).arg(file))?;
    size(&file.with_extension("wasm.gz"))
}
