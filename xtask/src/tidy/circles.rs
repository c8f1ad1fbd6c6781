//! Checks that the files of a folder do not import each other in cycles, so that each file can be read
//! and changed alone.
//!
//! A folder and the file with its name count as one node. Imports between a file and its own folder are not checked.

use std::collections::{BTreeMap, BTreeSet};

use super::File;

/// The accepted import cycles, each with its folder. A part of an accepted cycle is also accepted.
const KNOWN: &[(&str, &[&str])] = &[
    // The types `Module` and `Patch` are each defined in terms of the other.
    ("crates/spv/src", &["decorations", "inst", "module", "names", "patch", "types", "uses"]),
];

/// The number of re-exports that are followed to find the file that defines an item.
const MOST_EXPORTS: usize = 8;

/// The module names on the path from a crate's root to a module.
type Path = Vec<String>;

/// The modules of a crate. For each module, maps the names of imported items to their paths.
type Modules = BTreeMap<Path, BTreeMap<String, Path>>;

/// The files of a folder, each with the files that it imports.
type Imports<'p> = BTreeMap<&'p str, BTreeSet<&'p str>>;

pub(super) fn complaints(files: &[File]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(Path, String)>> = BTreeMap::new();
    for file in files {
        let Some((root, path)) = file.path.split_once("/src/") else { continue };
        let Some(path) = path.strip_suffix(".rs").filter(|_| root.starts_with("crates/")) else {
            continue;
        };
        let is_root = path == "lib" || path == "main";
        let path = if is_root { Path::new() } else { path.split('/').map(str::to_owned).collect() };
        crates.entry(root).or_default().push((path, code(&file.text)));
    }
    crates.iter().flat_map(|(root, sources)| of_crate(root, sources)).collect()
}

/// Returns the text without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn of_crate(root: &str, sources: &[(Path, String)]) -> Vec<String> {
    let mut modules: Modules =
        sources.iter().map(|(path, _)| (path.clone(), BTreeMap::new())).collect();
    // Collect the paths that each module imports, through `use` declarations or in the code.
    let mut taken: Vec<(&Path, Path)> = Vec::new();
    for (module, text) in sources {
        for (name, path) in imports(text) {
            let Some(path) = absolute(&modules, module, &path) else { continue };
            taken.push((module, path.clone()));
            modules.entry(module.clone()).or_default().insert(name, path);
        }
        let inline = inline(text).filter_map(|path| absolute(&modules, module, &path));
        taken.extend(inline.map(|path| (module, path)));
    }

    let taken: Vec<(&Path, Path)> =
        taken.into_iter().map(|(module, path)| (module, defining(&modules, path))).collect();
    // Each path is an import between two files of the folder at which the paths of the two modules diverge.
    let mut folders: BTreeMap<&[String], Imports<'_>> = BTreeMap::new();
    for (from, to) in &taken {
        let common = from.iter().zip(to).take_while(|(one, other)| one == other).count();
        if let (Some(one), Some(other)) = (from.get(common), to.get(common)) {
            let imports = folders.entry(&from[..common]).or_default();
            imports.entry(one).or_default().insert(other);
        }
    }
    let complaint = |(folder, imports): (&[String], Imports<'_>)| {
        let folder = [root, "src"].into_iter().chain(folder.iter().map(String::as_str));
        let folder = folder.collect::<Vec<_>>().join("/");
        let circle = circle(imports);
        let known =
            KNOWN.iter().find(|(other, _)| *other == folder).map_or(&[][..], |(_, all)| all);
        let is_known = circle.iter().all(|name| known.contains(name));
        (!is_known).then(|| format!("{folder}: these import each other: {}", circle.join(", ")))
    };
    folders.into_iter().filter_map(complaint).collect()
}

/// Returns the modules of import cycles, by repeatedly removing modules that import no remaining module or that no
/// remaining module imports.
fn circle(mut imports: Imports<'_>) -> Vec<&str> {
    loop {
        let before: usize = imports.values().map(BTreeSet::len).sum();
        let importers: BTreeSet<&str> = imports.keys().copied().collect();
        let imported: BTreeSet<&str> = imports.values().flatten().copied().collect();
        imports.retain(|name, _| imported.contains(name));
        imports.values_mut().for_each(|names| names.retain(|name| importers.contains(name)));
        imports.retain(|_, names| !names.is_empty());
        if imports.values().map(BTreeSet::len).sum::<usize>() == before {
            return imports.into_keys().collect();
        }
    }
}

/// Returns the imports of the `use` declarations, each with the name that it introduces.
fn imports(text: &str) -> Vec<(String, Path)> {
    let mut found = Vec::new();
    for declaration in text.split(';') {
        let start = declaration.lines().position(|line| {
            line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ")
        });
        let lines = declaration.lines().skip(start.unwrap_or(usize::MAX));
        let tree: Vec<&str> = lines.map(str::trim).collect();
        if let Some((_, tree)) = tree.join(" ").split_once("use ") {
            expand(&[], tree, &mut found);
        }
    }
    found
}

/// Adds the paths in a `use` tree such as `crate::{a, b::{self, C as D}}`.
fn expand(before: &[String], tree: &str, found: &mut Vec<(String, Path)>) {
    let (path, rest) = tree.split_once('{').map_or((tree, None), |(path, rest)| (path, Some(rest)));
    let (path, alias) =
        path.split_once(" as ").map_or((path, None), |(path, as_)| (path, Some(as_)));
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
    let mut all: Path = before.iter().cloned().chain(names.map(str::to_owned)).collect();
    let Some(rest) = rest else {
        if all.len() > 1 && all.last().is_some_and(|last| last == "self") {
            all.pop();
        }
        let name = alias.map(str::trim).or(all.last().map(String::as_str));
        found.extend(name.map(str::to_owned).map(|name| (name, all)));
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in rest.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                expand(&all, &rest[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the paths in the code that begin with `crate` or `super`.
fn inline(text: &str) -> impl Iterator<Item = Path> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    text.split(move |letter| !is_part(letter))
        .filter(|path| path.starts_with("crate::") || path.starts_with("super::"))
        .map(|path| path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Converts a path to start at the crate's root; `None` for paths into other crates.
fn absolute(modules: &Modules, module: &[String], path: &[String]) -> Option<Path> {
    let (mut from, mut rest) = (module.to_vec(), path);
    while let Some((first, others)) = rest.split_first() {
        match first.as_str() {
            "crate" => from.clear(),
            "self" => {}
            "super" => drop(from.pop()),
            _ => break,
        }
        rest = others;
    }
    let is_own = rest.len() < path.len() || {
        let child: Path = from.iter().chain(path.first()).cloned().collect();
        modules.contains_key(&child)
    };
    is_own.then(|| from.into_iter().chain(rest.iter().cloned()).collect())
}

/// Returns the module that defines the item at a path, after following re-exports.
fn defining(modules: &Modules, mut path: Path) -> Path {
    for _ in 0..MOST_EXPORTS {
        let inside = (0..=path.len()).rev().find(|end| modules.contains_key(&path[..*end]));
        let end = inside.unwrap_or(0);
        let exported = modules.get(&path[..end]).and_then(|names| names.get(path.get(end)?));
        let Some(exported) = exported else {
            path.truncate(end);
            return path;
        };
        path = exported.iter().chain(&path[end + 1..]).cloned().collect();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the complaints about a crate that consists of these files.
    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File {
            path: format!("crates/x/src/{path}.rs"),
            text: (*text).to_owned(),
        };
        complaints(&files.iter().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn files_that_import_each_other_are_named() {
        let circle = ["crates/x/src: these import each other: a, b"];
        let both =
            [("lib", "mod a;\nmod b;"), ("a", "use crate::b::B;"), ("b", "use crate::a::A;")];
        assert_eq!(of(&both), circle);
        assert_eq!(of(&both[..2]), [""; 0]);
        // Paths may have any form, and files may be nested to any depth.
        assert_eq!(
            of(&[("a", "use super::b::{self, C as D};"), ("b", "fn f(a: crate::a::A) {}")]),
            circle
        );
        assert_eq!(
            of(&[
                ("a", ""),
                ("a/c", "use crate::{\n    b::B,\n    d,\n};"),
                ("b", "use crate::a;")
            ]),
            circle
        );
        // An import through a re-export also counts.
        let root = "mod a;\nmod b;\npub use b::B;";
        assert_eq!(of(&[("lib", root), ("a", "use crate::B;"), ("b", "use crate::a::A;")]), circle);
    }

    #[test]
    fn what_hangs_on_a_circle_is_not_in_it() {
        let files =
            [("a", "use crate::b::B;"), ("b", "use crate::a::A;\nuse crate::c::C;"), ("c", "")];
        let more = [("d", "use crate::a::A;")];
        assert_eq!(of(&[&files[..], &more].concat()).len(), 1);
        assert!(!of(&files)[0].contains(", c"));
    }

    #[test]
    fn a_file_and_its_folder_are_one() {
        assert_eq!(of(&[("a", "use b::B;\nstruct A;"), ("a/b", "use super::A;")]), [""; 0]);
        let text = "//! use crate::b::B;\nuse std::fmt;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}";
        assert_eq!(of(&[("a", text), ("b", "use crate::a::A;")]), [""; 0]);
    }
}
