//! Tests the code blocks of documents: command lines succeed, and JSON is valid. `cargo xtask tidy` checks the links.

use crate::work::{Work, stderr};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

/// Returns the names and texts of the pages for users.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let in_folder = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).expect("it is there");
        let paths = entries.map(|entry| entry.expect("it is read").path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"))
    };
    let mut paths: Vec<PathBuf> = [root.join("README.md")].into();
    paths.extend(["docs", "docs/lowerings"].into_iter().flat_map(in_folder));
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it is text");
        (path.file_name().expect("it is a file").to_string_lossy().into_owned(), text)
    };
    paths.into_iter().map(read).collect()
}

/// Returns the code of a page: fenced blocks with the language of the opening fence, and indented blocks without one.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let is_indented = |line: &&str| line.starts_with("    ");
    let mut blocks = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            // This also takes the closing fence.
            let code = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
            blocks.push((language, joined(code)));
        } else if is_indented(&line) {
            let rest = iter::from_fn(|| lines.next_if(is_indented));
            blocks.push(("", joined(iter::once(line).chain(rest))));
        }
    }
    blocks
}

/// Returns a text of these lines.
fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns the command lines in a block of code.
fn lines(code: &str) -> Vec<String> {
    let whole = joined(code.lines().map(str::trim_start)).replace("\\\n", " ");
    let lines = whole.lines().filter(|line| line.starts_with("polyshade "));
    // An ellipsis stands for any shader or option.
    lines.filter(|line| !line.contains('…')).map(str::to_owned).collect()
}

/// Every page's commands are run unchanged and in order, in a folder that contains the repository's `examples`.
#[test]
fn command_lines_in_documents_succeed() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut tried = 0;
    for (page, text) in pages() {
        let work = Work::new();
        std::os::unix::fs::symlink(&examples, work.path("examples")).expect("there is room");
        let blocks = blocks(&text);
        let all = blocks.iter().flat_map(|(_, code)| lines(code));
        // Skip commands of the layer, because they need programs that use Vulkan.
        for line in all.filter(|line| !line.starts_with("polyshade layer")) {
            let output = work.shell(&line);
            assert!(output.status.success(), "{page}: {line}: {}", stderr(&output));
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn json_in_documents_is_json() {
    let mut read = 0;
    for (page, text) in pages() {
        for (_, code) in blocks(&text).iter().filter(|(language, _)| *language == "json") {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(code);
            assert!(parsed.is_ok(), "{page}: {parsed:?}: {code}");
            read += 1;
        }
    }
    assert!(read > 0);
}

/// Pages contain exact copies of files from `examples`.
#[test]
fn the_recipe_shown_is_the_one_that_runs() {
    let recipe = include_str!("../../../examples/recipes/pipeline.json");
    assert!(include_str!("../../../docs/recipe.md").contains(recipe));
}

/// The gallery contains files from `examples` and a part of the text that each command writes.
#[test]
fn the_gallery_shows_what_the_program_writes() {
    let pages = pages();
    let (_, gallery) = pages.iter().find(|(page, _)| page == "gallery.md").expect("it is there");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (work, mut written, mut shown) = (Work::new(), None, 0);
    std::os::unix::fs::symlink(root.join("examples"), work.path("examples"))
        .expect("there is room");
    for (language, code) in blocks(gallery) {
        match language {
            "sh" => {
                work.succeeds(code.strip_prefix("polyshade").expect("it is one of our commands"));
                written = Some(work.text("out.glsl"));
            }
            _ => match (code.strip_prefix("// "), written.take()) {
                (Some(file), None) => {
                    let (name, text) = file.split_once('\n').expect("a shader follows its name");
                    let shader = fs::read_to_string(root.join(name)).expect("it is an example");
                    assert_eq!(shader, text, "{name}");
                }
                (_, Some(written)) => {
                    assert!(written.contains(&code), "{written} has no\n{code}");
                    shown += 1;
                }
                (None, None) => panic!("this is neither a shader nor what one becomes: {code}"),
            },
        }
    }
    assert_eq!(shown, 7);
}

#[test]
fn blocks_and_lines_are_found() {
    let text = "a\n\n    polyshade info a \\\n      --json\n\n```sh\npolyshade man\npolyshade x …\n```\nb\n";
    let blocks = blocks(text);
    let languages: Vec<&str> = blocks.iter().map(|(language, _)| *language).collect();
    assert_eq!(languages, ["", "sh"]);
    assert_eq!(blocks[1].1, "polyshade man\npolyshade x …\n");
    assert_eq!(blocks.iter().flat_map(|(_, code)| lines(code)).count(), 2);
    assert_eq!(lines(&blocks[0].1), ["polyshade info a  --json"]);
}
