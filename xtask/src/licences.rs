//! Collects the licences of the distributed code, which are those of all dependencies and of the C++ code in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command::{cargo, output};

/// The possible beginnings of the names of licence files.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "UNLICENSE", "NOTICE"];

/// The depth to which a dependency is searched for licence files: `glslang-sys/glslang/LICENSE.txt`.
const DEPTH: u32 = 3;

struct Dependency {
    name: String,
    licence: String,
    /// The texts of the dependency's licences.
    texts: Vec<String>,
}

/// Returns a single text that lists the dependencies of the packages with the names of their licences, and then the
/// text of each licence with the names of the dependencies that use it.
pub(crate) fn of_packages(manifest: &str, packages: &[&str]) -> Result<String, String> {
    let dependencies = dependencies(manifest, packages)?;
    let mut page = String::from("The libraries that polyshade contains, with their licences.\n\n");
    let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in &dependencies {
        page += &format!("{}: {}\n", one.name, one.licence);
        for text in &one.texts {
            texts.entry(text).or_default().push(&one.name);
        }
    }
    for (text, names) in texts {
        page += &format!("\n{}\n{}\n\n{text}\n", "=".repeat(78), names.join(", "));
    }
    Ok(page)
}

/// Returns the packages on which these packages depend on this machine, sorted by name.
fn dependencies(manifest: &str, packages: &[&str]) -> Result<Vec<Dependency>, String> {
    let all = ["--locked", "--all-features", "--manifest-path", manifest];
    let mut tree = cargo(["tree", "--edges", "normal"]);
    tree.args(all);
    tree.args(["--prefix", "none", "--format", "{p}"]);
    let listed = output(tree.args(packages.iter().flat_map(|name| ["--package", name])))?;
    // Procedural macros run during the build and are not distributed. Their lines look like `name
    // v1.2.3 (proc-macro)`.
    let linked = listed.lines().filter(|line| !line.contains("(proc-macro)"));
    let linked: BTreeSet<String> =
        linked.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    let metadata = output(cargo(["metadata", "--format-version", "1"]).args(all))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let known = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let mut dependencies = Vec::new();
    for package in known {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} v{}", field("name"), field("version"));
        // Packages without a source belong to this project.
        if package["source"].is_null() || !linked.contains(&name) {
            continue;
        }
        let folder =
            Path::new(field("manifest_path")).parent().ok_or("a manifest is in a folder")?;
        let mut texts = Vec::new();
        find(folder, DEPTH, &mut texts)?;
        let licence = match (field("license"), field("license_file")) {
            ("", "") => return Err(format!("{name} does not state its licence")),
            ("", file) => format!("see its {file}"),
            (licence, _) => licence.to_owned(),
        };
        dependencies.push(Dependency { name, licence, texts });
    }
    dependencies.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(dependencies)
}

/// Adds the texts of the licence files in a folder and its subfolders.
fn find(folder: &Path, depth: u32, texts: &mut Vec<String>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_licence = NAMES.iter().any(|begin| name.starts_with(begin));
        if path.is_dir() && depth > 0 {
            find(&path, depth - 1, texts)?;
        } else if is_licence && let Ok(text) = fs::read_to_string(&path) {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            texts.push(lines.join("\n").trim().to_owned());
        }
    }
    texts.sort();
    texts.dedup();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_of_dependencies_are_found_with_their_texts() {
        let page = of_packages("Cargo.toml", &["polyshade"]).expect("cargo knows them");
        assert!(page.contains("\nbytemuck v1."), "{page}");
        assert!(page.contains("\nfoldhash v0."), "{page}");
        assert!(!page.contains("polyshade v0") && !page.contains("clap"), "{page}");
        assert!(page.contains("THE SOFTWARE IS PROVIDED \"AS IS\""), "{page}");
    }
}
