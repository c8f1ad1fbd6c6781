//! The tree of files to pack, which may be installed under any prefix.

use std::path::Path;

use crate::capi;
use crate::command::{output, program, workspace};
use crate::files::{copy, make, read, remove, write};

/// The library of the Vulkan layer, at the path where the program `polyshade` looks for it.
const LAYER: &str = "lib/polyshade/libpolyshade_layer.so";

/// The manifest of the layer. The loader reads this folder if it is under `/usr`. The manifest contains a relative
/// path to the library.
const MANIFEST: &str = "share/vulkan/implicit_layer.d/VkLayer_polyshade_polyfill.json";
const LAYER_FROM_MANIFEST: &str = "../../../lib/polyshade/libpolyshade_layer.so";

/// The paths at which shells look for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/polyshade"),
    ("zsh", "share/zsh/site-functions/_polyshade"),
    ("fish", "share/fish/vendor_completions.d/polyshade.fish"),
];

/// The documents that are packed in addition to the program's own help.
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Copies the files that cargo has built in the folder `built` into the tree.
pub(super) fn fill(tree: &Path, built: &Path) -> Result<(), String> {
    let polyshade = tree.join("bin/polyshade");
    capi::install(&built.join("polyshade"), &polyshade, "--strip-all")?;
    capi::install_into(tree, built)?;
    layer(tree, built, &polyshade)?;
    let polyshade = polyshade.to_string_lossy();
    output(program(&polyshade, ["man"]).arg(tree.join("share/man/man1")))?;
    for (shell, file) in COMPLETIONS {
        write(&tree.join(file), &output(&mut program(&polyshade, ["completions", shell]))?)?;
    }
    let documents = tree.join("share/doc/polyshade");
    make(&documents)?;
    DOCUMENTS.iter().try_for_each(|name| copy(&workspace().join(name), &documents.join(name)))
}

/// Adds the layer as a shared and a static library, and the manifest that `polyshade layer install` would write, but
/// with a different path to the library.
fn layer(tree: &Path, built: &Path, polyshade: &Path) -> Result<(), String> {
    capi::install(&built.join("libpolyshade_layer.so"), &tree.join(LAYER), "--strip-unneeded")?;
    let linked = "libpolyshade_layer.a";
    capi::install(&built.join(linked), &tree.join("lib").join(linked), "--strip-debug")?;
    let header = "include/polyshade_layer.h";
    copy(&workspace().join("crates/layer").join(header), &tree.join(header))?;
    let home = tree.join("installed");
    let mut install = program(&polyshade.to_string_lossy(), ["layer", "install"]);
    output(install.env("XDG_DATA_HOME", &home))?;
    let name = MANIFEST.rsplit('/').next().unwrap_or(MANIFEST);
    let manifest = home.join("vulkan/implicit_layer.d").join(name);
    let text = read(&manifest)?;
    let installed = home.join("polyshade/libpolyshade_layer.so");
    let moved = text.replace(&*installed.to_string_lossy(), LAYER_FROM_MANIFEST);
    if moved == text {
        return Err(format!("the manifest does not name {}: {text}", installed.display()));
    }
    write(&tree.join(MANIFEST), &moved)?;
    remove(&home)
}
