//! Writes the examples of docs/adding-a-lowering.md to files. The test program `guide` compiles and runs the files.

use std::path::{Path, PathBuf};
use std::{env, fs};

const GUIDE: &str = "../docs/adding-a-lowering.md";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={GUIDE}");
    // The example uses a Cargo feature of its crate that does not exist here.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\"))");
    let guide = fs::read_to_string(GUIDE).expect("the guide is there");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where"));
    let write = |name: &str, text: &str| write(&folder.join(name), text);

    write("point_size.rs", &example(&guide, "//! ").replace("crate::", "polyshade::"));
    // A file with inner doc comments cannot be included with `include!`, but it can be a module.
    let file = folder.join("point_size.rs");
    write("line.rs", &format!("#[path = {file:?}]\n{}", example(&guide, "pub mod ")));
    let test = example(&guide, "use polyshade::");
    write("test.rs", &test.replace("polyshade::point_size", "crate::point_size"));
    write("library.rs", example(&guide, "pub(crate) static POINTS"));
    write("link.rs", &format!("{{ {} new }}", example(&guide, "let whole")));
    // The test itself compiles the GLSL that the guide compiles with `cargo xtask codegen`.
    fs::create_dir_all(folder.join("library")).expect("it can be written to");
    write("library/points.spv", example(&guide, "#version 450"));
}

/// Returns the only fenced example that starts with `start`.
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
