//! `cargo xtask api`: writes listings of the public API of the published crates.
//!
//! A committed listing is reviewed like a golden file: its diff shows how the public API grows. The listing is made
//! from rustdoc's JSON, which needs a nightly compiler, or a stable one that allows nightly features. The format of
//! this JSON changes between compilers. If the format is not supported, nothing is checked; only in continuous
//! integration, this is an error.

mod listing;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{cargo, run, target, workspace};
use crate::files;
use listing::{Item, Listing};

const PACKAGES: [&str; 3] = ["polyshade-spv", "polyshade", "polyshade-planner"];

/// The version of rustdoc's JSON format that the locked version of `public-api` reads.
const FORMAT: &str = "57";

/// The maximum number of types that a reader of certain modules has to know.
struct Limit {
    modules: &'static str,
    has: fn(&str) -> bool,
    most: usize,
}

/// The limits for `polyshade`: about ten types for each lowering, in addition to the types of the first limit.
const LIMITS: [Limit; 2] = [
    Limit { modules: "polyshade and polyshade::host", has: is_front_door, most: 30 },
    Limit { modules: "polyshade without polyshade::rewrite", has: is_for_users, most: 90 },
];

fn is_front_door(module: &str) -> bool {
    module == "polyshade" || is_in(module, "polyshade::host")
}

fn is_for_users(module: &str) -> bool {
    is_in(module, "polyshade") && !is_in(module, "polyshade::rewrite")
}

fn is_in(module: &str, outer: &str) -> bool {
    module.strip_prefix(outer).is_some_and(|inner| inner.is_empty() || inner.starts_with("::"))
}

/// Writes the listings, or with `check` compares them with the committed listings. Fails if there are more types than
/// the limits allow.
pub(crate) fn run_api(check: bool) -> Result<(), String> {
    let mut faults = Vec::new();
    let mut types = Vec::new();
    for package in PACKAGES {
        let json = describe(package)?;
        if let Some(other) = other_format(&json)? {
            return unchecked(&other);
        }
        let listing = list(package, &json)?;
        let path = workspace().join("docs/api").join(format!("{package}.txt"));
        faults.extend(settle(check, &path, &listing.text)?);
        types.extend(listing.types);
    }
    for Limit { modules, has, most } in LIMITS {
        let count = types.iter().filter(|name| has(module_of(name))).count();
        println!("api: {count} types in {modules}, at most {most}");
        if count > most {
            faults.push(format!("{count} types in {modules}, more than {most}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Runs rustdoc on the package, and returns the path of the JSON file.
fn describe(package: &str) -> Result<PathBuf, String> {
    // Use a separate folder: build scripts read this variable, so setting it in the usual folder
    // would recompile everything.
    let folder = target().join("api");
    let mut command = cargo(["rustdoc", "--quiet", "--lib", "--all-features"]);
    command.args(["--package", package, "--target-dir"]).arg(&folder);
    command.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    run(command.env("RUSTC_BOOTSTRAP", "1"))?;
    Ok(folder.join("doc").join(package.replace('-', "_")).with_extension("json"))
}

/// Returns the format version of the file if it is not supported.
fn other_format(json: &Path) -> Result<Option<String>, String> {
    let text = files::read(json)?;
    let format =
        format_of(&text).ok_or_else(|| format!("{}: no format version", json.display()))?;
    Ok((format != FORMAT).then(|| format.to_owned()))
}

/// Returns the number after the last key `format_version`. Inside strings, quotation marks are escaped, so they
/// do not match.
fn format_of(json: &str) -> Option<&str> {
    let (_, behind) = json.rsplit_once("\"format_version\":")?;
    let behind = behind.trim_start();
    Some(&behind[..behind.find(|c: char| !c.is_ascii_digit())?])
}

/// Reports that nothing was checked. In continuous integration, this is an error.
fn unchecked(format: &str) -> Result<(), String> {
    let why =
        format!("rustdoc writes format {format}, but `public-api` of Cargo.lock reads {FORMAT}");
    if std::env::var_os("CI").is_some() {
        let mend = "update `public-api` for this compiler, and the format in xtask/src/api.rs";
        return Err(format!("the public API was not checked: {why}; {mend}"));
    }
    println!("api: skipped, as {why}");
    Ok(())
}

fn list(package: &str, json: &Path) -> Result<Listing, String> {
    let builder = public_api::Builder::from_rustdoc_json(json).sorted(true);
    let api = builder.omit_blanket_impls(true).omit_auto_trait_impls(true).build();
    let api = api.map_err(|error| format!("{package}: {error}"))?;
    let items: Vec<Item> = api
        .items()
        .map(|item| Item {
            id: item.id().0,
            parent: item.parent_id().map(|parent| parent.0),
            text: item.to_string(),
        })
        .collect();
    Ok(Listing::new(&package.replace('-', "_"), &items))
}

/// Compares the text with the file, or writes it to the file.
fn settle(check: bool, path: &Path, text: &str) -> Result<Option<String>, String> {
    let name = path.strip_prefix(workspace()).unwrap_or(path).display();
    if !check {
        files::write(path, text)?;
        return Ok(None);
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    if committed == text {
        return Ok(None);
    }
    let (was, is): (BTreeSet<_>, BTreeSet<_>) =
        (committed.lines().collect(), text.lines().collect());
    let gone = was.difference(&is).map(|line| format!("\n- {line}"));
    let new = is.difference(&was).map(|line| format!("\n+ {line}"));
    let difference: String = gone.chain(new).collect();
    let mend = "if the new API is intended, run `cargo xtask api`, and read the diff";
    Ok(Some(format!("{name} differs from the public API:{difference}\n{mend}")))
}

fn module_of(name: &str) -> &str {
    name.rsplit_once("::").map_or("", |(module, _)| module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_of_the_modules_that_they_name() {
        let [front_door, for_users] = LIMITS.map(|limit| limit.has);
        let both = |module| (front_door(module), for_users(module));
        assert_eq!(both("polyshade"), (true, true));
        assert_eq!(both("polyshade::host::words"), (true, true));
        assert_eq!(both("polyshade::clip_cull"), (false, true));
        assert_eq!(both("polyshade::rewrite"), (false, false));
        assert_eq!(both("polyshade_spv"), (false, false));
        assert_eq!(both("polyshade_spv::host"), (false, false));
    }

    #[test]
    fn the_format_is_that_of_the_file_and_not_of_a_text_in_it() {
        let json = r#"{"docs":"\"format_version\":1","format_version":57}"#;
        assert_eq!(format_of(json), Some("57"));
        assert_eq!(format_of(r#"{"docs":"\"format_version\":1"}"#), None);
    }

    #[test]
    fn only_the_committed_listing_passes() {
        let path = target().join("api-of-a-test.txt");
        assert_eq!(settle(false, &path, "a\nb\n"), Ok(None));
        assert_eq!(settle(true, &path, "a\nb\n"), Ok(None));
        let fault = settle(true, &path, "a\nc\n").unwrap().unwrap();
        assert!(fault.contains("\n- b\n+ c\n"), "{fault}");
        assert!(settle(true, &path, "b\na\n").unwrap().is_some());
        fs::remove_file(&path).unwrap();
        assert!(settle(true, &path, "a\n").unwrap().is_some());
    }
}
