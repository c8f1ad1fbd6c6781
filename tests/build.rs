//! Writes the examples of docs/adding-a-lowering.md into files, which the test program `guide` compiles and runs. The
//! file and the line are added to a copy of the crate, as the page says, for they use what the crate keeps to itself.

use std::path::{Path, PathBuf};
use std::{env, fs};

const GUIDE: &str = "../docs/adding-a-lowering.md";
const CRATE: &str = "../crates/polyshade/src";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={GUIDE}");
    println!("cargo::rerun-if-changed={CRATE}");
    // A feature of the crate, which its copy goes without.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\"))");
    let guide = fs::read_to_string(GUIDE).expect("the guide is there");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let write = |name: &str, text: &str| write(&folder.join(name), text);

    copy(Path::new(CRATE), &folder.join("copied"));
    // A module of the test, there is no root.
    let root = fs::read_to_string(folder.join("copied/lib.rs")).expect("it has just been written");
    write("copied/mod.rs", &format!("{root}\n{}", example(&guide, "pub mod ")));
    write("copied/half_brightness.rs", &in_copy(example(&guide, "//! ")));
    // Inner comments cannot be included: a module of a file can.
    let module = folder.join("copied/mod.rs");
    write("copied.rs", &format!("#[path = {module:?}]\n#[allow(warnings)]\nmod copied;"));
    let test = example(&guide, "use polyshade::");
    write("test.rs", &test.replace("polyshade::", "crate::copied::"));
    write("library.rs", example(&guide, "pub(crate) static DIM"));
    write("link.rs", &format!("{{ {} new }}", example(&guide, "let dim")));
    // What the guide has `cargo xtask codegen` compile, the test compiles.
    fs::create_dir_all(folder.join("library")).expect("it can be written to");
    write("library/dim.spv", example(&guide, "#version 450"));
}

/// Copies a folder of the crate.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it can be written to");
    for entry in fs::read_dir(from).expect("the crate is there") {
        let path = entry.expect("it is listed").path();
        let to = to.join(path.file_name().expect("it is no root"));
        if path.is_dir() {
            copy(&path, &to);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            write(&to, &in_copy(&fs::read_to_string(&path).expect("it is text")));
        } else {
            fs::copy(&path, &to).expect("it can be written");
        }
    }
}

/// Code of the crate, whose root is a module, and without its tests.
fn in_copy(code: &str) -> String {
    code.replace("crate::", "crate::copied::").replace("#[cfg(test)]", "#[cfg(any())]")
}

/// The one fenced example that starts with `start`.
fn example<'g>(guide: &'g str, start: &str) -> &'g str {
    let fenced = guide.split("\n```").skip(1).step_by(2);
    let code = fenced.filter_map(|block| Some(block.split_once('\n')?.1));
    let mut found = code.filter(|code| code.starts_with(start));
    let example = found.next().unwrap_or_else(|| panic!("{GUIDE} has no example `{start}…`"));
    assert!(found.next().is_none(), "{GUIDE} has two examples `{start}…`");
    example
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
