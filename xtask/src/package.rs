//! `cargo xtask package`: packs every crate that is published, and builds each crate from its package alone.

use crate::command::{cargo, run};

/// The published crates, each after its dependencies. All other crates have `publish = false`.
pub(crate) const PUBLIC: [&str; 10] = [
    "polyshade-spv",
    "polyshade",
    "polyshade-planner",
    "polyshade-vulkan",
    "polyshade-verify",
    "polyshade-formats",
    "polyshade-metal",
    "polyshade-layer",
    "polyshade-capi",
    "polyshade-cli",
];

/// Packs the committed files of the crates, and builds each crate with the packages of the other crates.
pub(crate) fn run_package() -> Result<(), String> {
    let selected = PUBLIC.iter().flat_map(|name| ["--package", name]);
    run(cargo(["package", "--locked"]).args(selected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{output, workspace};
    use std::collections::BTreeSet;
    use std::fs;

    fn manifest(folder: &str) -> String {
        let path = workspace().join("crates").join(folder).join("Cargo.toml");
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn folder(package: &str) -> &str {
        package.strip_prefix("polyshade-").unwrap_or(package)
    }

    #[test]
    fn what_is_not_named_is_not_published() {
        let crates = fs::read_dir(workspace().join("crates")).expect("it is there");
        let names = crates.map(|one| one.expect("it is read").file_name());
        let names = names.map(|name| name.to_str().expect("it is text").to_owned());
        let private = "publish.workspace = true";
        let public = names.filter(|name| !manifest(name).contains(private));
        assert_eq!(
            public.collect::<BTreeSet<_>>(),
            PUBLIC.map(|name| folder(name).to_owned()).into()
        );
    }

    #[test]
    fn packages_have_what_a_registry_shows_and_licences_ask_for() {
        for package in PUBLIC {
            let manifest = manifest(folder(package));
            for key in ["description", "license", "readme", "keywords", "categories", "version"] {
                let is_key = |line: &str| line.split(['=', '.']).next().map(str::trim) == Some(key);
                assert!(manifest.lines().any(is_key), "{package} has no {key}");
            }
            assert!(manifest.contains("[package.metadata.docs.rs]\n"), "{package}");
            let listed = ["package", "--list", "--offline", "--allow-dirty", "--package", package];
            let files = output(&mut cargo(listed)).unwrap_or_else(|error| panic!("{error}"));
            for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.toml"] {
                assert!(files.lines().any(|line| line == file), "{package} has no {file}: {files}");
            }
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                let read = |path| fs::read(workspace().join(path)).expect("it is there");
                let own = read(format!("crates/{}/{licence}", folder(package)));
                assert_eq!(own, read(licence.to_owned()), "{package}: {licence}");
            }
        }
    }

    #[test]
    fn packages_ask_for_this_version_of_each_other() {
        let root = fs::read_to_string(workspace().join("Cargo.toml")).expect("it is there");
        let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
        for package in
            PUBLIC.iter().filter(|package| !["polyshade-capi", "polyshade-cli"].contains(package))
        {
            let line = root.lines().find(|line| line.starts_with(&format!("{package} = ")));
            let line =
                line.unwrap_or_else(|| panic!("{package} is no dependency of the workspace"));
            assert!(line.contains(&version), "{line}");
        }
    }
}
