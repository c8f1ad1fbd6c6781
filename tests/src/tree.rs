//! The folders and files of the cases.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder `tests` of the workspace.
pub fn tests() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder with shaders that are not part of the project; it may not exist.
pub fn corpus() -> PathBuf {
    tests().join("../../shared/corpus")
}

/// Returns the folders of shaders on the command line, or without arguments the folders of the cases and the corpus.
pub fn named() -> Vec<PathBuf> {
    let mut named: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if named.is_empty() {
        named.push(tests().join("cases"));
        named.extend(folders(&corpus()));
    }
    named
}

/// Returns all files below a folder except the diffs of cases, sorted by name; empty if the folder does not exist.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let here: Vec<PathBuf> = entries(folder).into_iter().filter(|path| path.is_file()).collect();
    let is_diff = |path: &Path| path.extension().is_some_and(|extension| extension == "diff");
    let of_a_case = |path: &&PathBuf| is_diff(path) && here.contains(&path.with_extension(""));
    let mut files: Vec<PathBuf> = here.iter().filter(|path| !of_a_case(path)).cloned().collect();
    files.extend(folders(folder).iter().flat_map(|folder| self::files(folder)));
    files
}

/// Returns the folders in a folder, sorted by name.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let path = |entry: std::io::Result<fs::DirEntry>| entry.expect("a folder can be read").path();
    let mut paths: Vec<PathBuf> = entries.map(path).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_diffs_without_a_case_are_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.vert", "b.vert.diff", "gone.vert.diff"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/c.vert"), "").unwrap();

        let files = files(folder.path());
        let names = files.iter().map(|path| path.strip_prefix(folder.path()).unwrap());
        assert!(names.eq(["b.vert", "gone.vert.diff", "a/c.vert"].map(Path::new)));
    }
}
