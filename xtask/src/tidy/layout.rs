//! Checks rules about several files together: ARCHITECTURE.md lists the crates, and links in documents have targets.

use std::collections::BTreeSet;

use super::File;
use crate::command::workspace;
use crate::links;

pub(super) fn complaints(files: &[File]) -> Vec<String> {
    let mut complaints = architecture_complaints(files);
    complaints.extend(files.iter().flat_map(|file| link_complaints(file, files)));
    complaints
}

/// Complains about crates that ARCHITECTURE.md does not name, and about names in it that are not crates.
fn architecture_complaints(files: &[File]) -> Vec<String> {
    let Some(page) = files.iter().find(|file| file.path == "ARCHITECTURE.md") else {
        return vec!["ARCHITECTURE.md is missing".to_owned()];
    };
    let real: BTreeSet<&str> = files.iter().filter_map(|file| crate_name(&file.path)).collect();
    let named: BTreeSet<&str> = crates_named(&page.text).collect();

    let absent = named
        .difference(&real)
        .map(|name| format!("ARCHITECTURE.md names crates/{name}, which does not exist"));
    let silent =
        real.difference(&named).map(|name| format!("ARCHITECTURE.md does not name crates/{name}"));
    absent.chain(silent).collect()
}

/// Returns `spv` for `crates/spv/Cargo.toml`.
fn crate_name(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml").filter(|name| !name.contains('/'))
}

/// Returns the names that follow `crates/` in the text.
fn crates_named(text: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &'_ str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    text.split("crates/")
        .skip(1)
        .map(move |rest| &rest[..name(rest).unwrap_or(rest.len())])
        .filter(|name| !name.is_empty())
}

/// Complains about relative links that do not lead to a file, folder or heading of the project.
fn link_complaints(file: &File, files: &[File]) -> Vec<String> {
    if !file.path.ends_with(".md") {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    for (link, part) in links::links(&file.text).filter(|(link, _)| !link.contains("://")) {
        let target = match link {
            "" => file.path.clone(),
            link => links::resolve(&file.path, link),
        };
        if !is_there(&target, files) {
            complaints.push(format!("{}: the link to {link} leads nowhere", file.path));
            continue;
        }
        let page = files.iter().find(|file| file.path == target && target.ends_with(".md"));
        if let (Some(part), Some(page)) = (part, page)
            && !links::parts(&page.text).iter().any(|known| known == part)
        {
            complaints.push(format!("{}: {target} has no heading #{part}", file.path));
        }
    }
    complaints
}

/// Whether a path names a file or a folder of the project. Images are looked up on disk, because `files` has
/// only text files.
fn is_there(target: &str, files: &[File]) -> bool {
    let below = |path: &str| {
        path.strip_prefix(target).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    files.iter().any(|file| below(&file.path))
        || target.ends_with(".png") && workspace().join(target).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn architecture_and_tree_name_the_same_crates() {
        let tree = |text| [file("ARCHITECTURE.md", text), file("crates/spv/Cargo.toml", "")];
        assert_eq!(complaints(&tree("`crates/spv`: words")), [""; 0]);
        assert_eq!(complaints(&tree("`crates/spv` and crates/layer.")).len(), 1);
        assert_eq!(complaints(&tree("nothing")), ["ARCHITECTURE.md does not name crates/spv"]);
        assert_eq!(complaints(&[]), ["ARCHITECTURE.md is missing"]);
    }

    #[test]
    fn links_lead_to_files_and_folders() {
        let page = |text| {
            let other = file("docs/adr/1.md", "# Top\n");
            let files = [file("docs/a.md", text), other, file("README.md", "")];
            link_complaints(&files[0], &files)
        };
        let good =
            "[1](adr/1.md#top) [2](adr) [3](../README.md) [4](https://x.y/z) [5](#here)\n# Here\n";
        assert_eq!(page(good), [""; 0]);
        assert_eq!(page("[1](adr/1.md#to)"), ["docs/a.md: docs/adr/1.md has no heading #to"]);
        assert_eq!(page("[1](#here)\n"), ["docs/a.md: docs/a.md has no heading #here"]);
        assert_eq!(page("[1](README.md)"), ["docs/a.md: the link to README.md leads nowhere"]);
        assert_eq!(page("[1](ad)").len(), 1);
        assert_eq!(page("```rust\n//! [1](ad)\n```\n"), [""; 0]);
        assert_eq!(page("```rust\n```\n[1](ad)\n").len(), 1);
    }
}
