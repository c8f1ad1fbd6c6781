//! `cargo xtask book`: builds the documents as an mdBook, in the order of `docs/SUMMARY.md`.
//!
//! The documents link to each other and to files of the repository. The book is therefore built from a copy of all
//! pages and their link targets with the same relative paths.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::command::{output, program, run, target, workspace};
use crate::files::{self, copy, write};
use crate::{links, tools};

const MDBOOK: (&str, &str) = ("mdbook", "0.5.4");

/// The page that lists all other pages.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Builds the book in the folder of build outputs.
pub(crate) fn run_book() -> Result<(), String> {
    tools::ensure(MDBOOK.0, MDBOOK.1)?;
    let folder = target().join("book");
    let _ = fs::remove_dir_all(&folder);
    let source = folder.join("source");
    let listed = listed()?;
    for file in &listed {
        copy(&workspace().join(file), &source.join("src").join(file))?;
    }
    write(&source.join("src/SUMMARY.md"), from_root(&read(SUMMARY)?))?;
    write(&source.join("book.toml"), read("docs/book.toml")?)?;
    let html = folder.join("html");
    run(program("mdbook", ["build", "--dest-dir"]).arg(&html).arg(&source))?;
    let pages = listed.iter().filter(|file| file.ends_with(".md")).count();
    println!("{pages} pages: {}", html.join("index.html").display());
    Ok(())
}

/// Returns the pages, and the files to which the pages link.
fn listed() -> Result<BTreeSet<String>, String> {
    let tracked = output(&mut program("git", ["ls-files", "-z"]))?;
    let mut files = BTreeSet::new();
    for page in pages(&read(SUMMARY)?) {
        let linked: Vec<String> = links::links(&read(&page)?)
            .filter(|(link, _)| !link.is_empty() && !link.contains("://"))
            .map(|(link, _)| links::resolve(&page, link))
            .collect();
        for target in &linked {
            let is_below = |file: &&str| Path::new(file).starts_with(target);
            files.extend(tracked.split('\0').filter(is_below).map(str::to_owned));
        }
        files.insert(page);
    }
    files.remove(SUMMARY);
    Ok(files)
}

/// Returns the paths of the pages in the summary, relative to the workspace.
fn pages(summary: &str) -> BTreeSet<String> {
    links::links(summary).map(|(link, _)| links::resolve(SUMMARY, link)).collect()
}

/// Returns the summary with its links made relative to the workspace.
fn from_root(summary: &str) -> String {
    let mut text = String::new();
    let mut rest = summary;
    while let Some((before, behind)) = rest.split_once("](") {
        let (link, after) = behind.split_once(')').unwrap_or((behind, ""));
        text += &format!("{before}]({})", links::resolve(SUMMARY, link));
        rest = after;
    }
    text + rest
}

fn read(path: &str) -> Result<String, String> {
    files::read(&workspace().join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_moved_to_the_root() {
        let summary = "# S\n\n- [a](../README.md)\n    - [b](x/y.md)\n";
        assert_eq!(from_root(summary), "# S\n\n- [a](README.md)\n    - [b](docs/x/y.md)\n");
    }

    /// Users of the book would not find a document that is not one of its pages.
    #[test]
    fn every_document_is_a_page() {
        let tracked =
            output(&mut program("git", ["ls-files", "docs", "*.md"])).expect("git lists them");
        let documents = tracked.lines().filter(|path| path.ends_with(".md") && *path != SUMMARY);
        let is_document = |path: &&str| path.starts_with("docs/") || !path.contains('/');
        let documents: BTreeSet<String> =
            documents.filter(is_document).map(str::to_owned).collect();
        assert_eq!(documents, pages(&read(SUMMARY).expect("it is there")));
        assert!(listed().expect("they are read").contains("docs/plans/vulkan.svg"));
    }
}
