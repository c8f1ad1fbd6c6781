//! Selects the shaders of a batch, from a folder or from a list.

use super::entry::{FOLDER, Refused};
use crate::code;
use crate::failure::Failure;
use clap::Args;
use glob::{MatchOptions, Pattern};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

#[derive(Args)]
pub(crate) struct Options {
    /// Run only shaders that match; `*` does not match `/`, and a pattern without `/` matches file names
    /// in any folder
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,

    /// Skip shaders that match
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// A file that lists the shaders, one path per line, relative to the current folder or to DIR. All shaders must
    /// be in DIR, which is not searched; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "include")]
    list: Option<PathBuf>,

    /// Paths in the list end with a NUL byte, as `find -print0` writes them
    #[arg(long, requires = "list")]
    null: bool,
}

/// A shader, and the reason for rejecting it if one is known before it is read.
pub(super) struct Shader {
    /// The path relative to the folder, with `/` between its parts.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) refused: Option<Refused>,
}

/// Extensions of the files that the program can read.
const ENDINGS: [&str; 12] = [
    "spv", "spvasm", "hlsl", "wgsl", "vert", "tesc", "tese", "geom", "frag", "comp", "mesh", "task",
];

/// Returns the shaders in `folder`, sorted by name. `out` is not searched.
pub(super) fn shaders(
    folder: &Path,
    out: &Path,
    options: &Options,
) -> Result<Vec<Shader>, Failure> {
    let exclude = Globs::new(&options.exclude)?;
    let found = match &options.list {
        Some(file) => listed(folder, file, options.null)?,
        None => {
            let include = Globs::new(&options.include)?;
            let mut found = walked(folder, out);
            found.retain(|shader| {
                let name = Path::new(&shader.name);
                let ending = name.extension().and_then(|ending| ending.to_str());
                let known = ending.is_some_and(|ending| ENDINGS.contains(&ending));
                let unread = shader.refused.as_ref().is_some_and(|why| *why.code == code::CLI_FILE);
                let wanted =
                    if options.include.is_empty() { known } else { include.is_match(&shader.name) };
                unread || wanted
            });
            found
        }
    };
    let sorted: BTreeMap<(String, PathBuf), Shader> = found
        .into_iter()
        .filter(|shader| !exclude.is_match(&shader.name))
        .map(|shader| ((shader.name.clone(), shader.path.clone()), shader))
        .collect();
    Ok(sorted.into_values().collect())
}

struct Globs(Vec<Pattern>);

impl Globs {
    fn new(patterns: &[String]) -> Result<Self, Failure> {
        let glob = |pattern: &String| {
            if pattern.replace("[{]", "").contains('{') {
                let message = format!("{pattern}: a pattern must not contain braces");
                let help = "give the option once for each pattern; `[{]` matches a literal brace";
                return Err(Failure::usage(message).help(help));
            }
            let deep = if pattern.contains('/') { "" } else { "**/" };
            let failed = |error| Failure::usage(format!("{pattern}: {error}"));
            Pattern::new(&format!("{deep}{pattern}")).map_err(failed)
        };
        patterns.iter().map(glob).collect::<Result<_, _>>().map(Self)
    }

    fn is_match(&self, name: &str) -> bool {
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
        self.0.iter().any(|glob| glob.matches_with(name, options))
    }
}

/// Returns every file in the folder. Links to files are followed. Links to folders are not, because they
/// may form cycles.
fn walked(folder: &Path, out: &Path) -> Vec<Shader> {
    let out = fs::canonicalize(out).ok();
    let is_output = |entry: &DirEntry| {
        entry.depth() > 0
            && entry.file_type().is_dir()
            && (entry.path().join(FOLDER).is_dir()
                || out.is_some() && fs::canonicalize(entry.path()).ok() == out)
    };
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).into_iter().filter_entry(|entry| !is_output(entry)) {
        match entry {
            Ok(entry) if entry.path().is_dir() => {}
            Ok(entry) => found.push(shader(folder, entry.into_path())),
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_owned();
                let message =
                    error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                let refused = Some(Refused { code: &code::CLI_FILE, message });
                found.push(Shader { refused, ..shader(folder, path) });
            }
        }
    }
    found
}

fn shader(folder: &Path, path: PathBuf) -> Shader {
    let inside = path.strip_prefix(folder).unwrap_or(&path);
    let parts: Vec<_> =
        inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let name = parts.join("/");
    let refused = inside.to_str().is_none().then(|| Refused {
        code: &code::CLI_FILE_NAME,
        message: "the name is not UTF-8, so a report cannot identify the file".to_owned(),
    });
    Shader { name, path, refused }
}

fn listed(folder: &Path, file: &Path, null: bool) -> Result<Vec<Shader>, Failure> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes).map(drop)
    } else {
        fs::read(file).map(|read| bytes = read)
    };
    let failed = |message: String| Failure::at(&code::CLI_USAGE, file, message);
    read.map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("this list is not UTF-8".to_owned()))?;
    let paths = text.split(if null { '\0' } else { '\n' }).filter(|path| !path.is_empty());
    paths
        .map(|path| {
            let Some(inside) = inside(folder, Path::new(path)) else {
                return Err(failed(format!("{path} is not in {}", folder.display())));
            };
            Ok(shader(folder, folder.join(inside)))
        })
        .collect()
}

/// Returns the path of a file relative to `folder`. A relative `path` is resolved in the current folder, or in
/// `folder` if the first result is not in `folder` and the file exists in `folder`.
fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let whole = |path: &Path| std::path::absolute(path).ok().map(|path| plain(&path));
    let below = |path: &Path| Some(whole(path)?.strip_prefix(whole(folder)?).ok()?.to_owned());
    let is_plain = |inside: &PathBuf| {
        let mut parts = inside.components();
        inside != Path::new("") && parts.all(|part| matches!(part, Component::Normal(_)))
    };
    let from_folder = || below(&folder.join(path)).filter(|_| folder.join(path).exists());
    below(path).or_else(from_folder).filter(is_plain)
}

/// Returns the path without its `.` parts.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
