//! Plans the names of the outputs. Conflicting names are rejected before anything is written.

use super::command::Command;
use super::entry::{FOLDER, Job, Role};
use super::select::Shader;
use crate::failure::Failure;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder for the outputs
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,

    /// Extension of the outputs, which selects their format [default: spv; txt or json for verbs that print]
    #[arg(long, value_name = "ENDING")]
    extension: Option<String>,

    /// Pattern of the outputs' names: {path} is the shader's path, {stem} is the path without its extension, and
    /// {base} is the path without .spv
    ///
    /// [default: {base}.ENDING]
    #[arg(long, value_name = "PATTERN", conflicts_with = "extension")]
    name: Option<String>,

    /// Also write this variant, with this pattern of names [default: {base}.NAME.ENDING]. Variants: capture-only,
    /// raster-only, both; complement, full of `position-only`; geometry of `clip`
    #[arg(long = "variant", value_name = "NAME[=PATTERN]")]
    variants: Vec<String>,

    /// Also write the verb's report for each shader, as {base}.json
    #[arg(long)]
    reports: bool,

    /// Rank the shaders by the share of work that a position-only pass saves, and write the ranking to this file as
    /// JSON. The verb must be `position-only`. Implies --reports
    #[arg(long, value_name = "FILE")]
    pub(super) rank: Option<PathBuf>,
}

/// All shaders, sorted by name, and all outputs.
pub(super) struct Plan {
    pub(super) jobs: Vec<Job>,
    pub(super) roles: Vec<Role>,
    folder: PathBuf,
    out: PathBuf,
    /// The index of the job that writes each output.
    owners: BTreeMap<String, usize>,
}

impl Plan {
    pub(super) fn new(
        folder: &Path,
        options: &Options,
        command: &Command,
        shaders: Vec<Shader>,
    ) -> Result<Self, Failure> {
        let patterns = options.patterns(command)?;
        let jobs = shaders.into_iter().map(|shader| Job {
            outputs: patterns.iter().map(|(_, pattern)| fill(pattern, &shader.name)).collect(),
            shader: shader.name,
            path: shader.path,
            refused: shader.refused,
        });
        let jobs: Vec<Job> = jobs.collect();
        let owners = owners(&jobs)?;
        let roles = patterns.into_iter().map(|(role, _)| role).collect();
        let out = options.output.clone();
        Ok(Self { jobs, roles, folder: folder.to_owned(), out, owners })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether `path`, which need not exist yet, is an output of a shader or belongs to the batch's own folder.
    pub(super) fn writes(&self, path: &Path) -> bool {
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path = whole(path);
        let inside = path.strip_prefix(whole(&self.out)).ok().and_then(Path::to_str);
        inside.is_some_and(|name| self.has_output(name) || name.starts_with(FOLDER))
    }

    /// Whether an output of a shader has this name.
    pub(super) fn has_output(&self, name: &str) -> bool {
        self.owners.contains_key(name)
    }

    pub(super) fn has_shader(&self, shader: &str) -> bool {
        self.jobs.binary_search_by(|job| job.shader.as_str().cmp(shader)).is_ok()
    }
}

impl Options {
    pub(super) fn variants(&self) -> Vec<&str> {
        let names = self.variants.iter().map(|variant| variant.split('=').next());
        names.map(Option::unwrap_or_default).collect()
    }

    /// Returns the roles of the files that each shader yields, and the patterns of their names.
    fn patterns(&self, command: &Command) -> Result<Vec<(Role, String)>, Failure> {
        let verb = &command.verb;
        let usage = |message: String| Err(Failure::usage(message));
        if self.rank.is_some() && verb != "position-only" {
            return usage(format!("`{verb}` does not report the savings of a position-only pass"));
        }
        let reports = self.reports || self.rank.is_some();
        if reports && !command.reports {
            return usage(format!("`{verb}` writes no reports"));
        }
        // The order is: the output, the variants, the report.
        let printed = if command.json { "json" } else { "txt" };
        let ending = self.extension.as_deref().map(|ending| ending.trim_start_matches('.'));
        let ending = ending.unwrap_or(if command.writes { "spv" } else { printed });
        let role = if command.writes { Role::Output } else { Role::Printed };
        let name = self.name.clone().unwrap_or_else(|| format!("{{base}}.{ending}"));
        let mut patterns = vec![(role, name)];
        for variant in &self.variants {
            let (name, pattern) = match variant.split_once('=') {
                Some((name, pattern)) => (name, pattern.to_owned()),
                None => (variant.as_str(), format!("{{base}}.{variant}.{ending}")),
            };
            patterns.push((Role::Variant(name.to_owned()), pattern));
        }
        if reports {
            patterns.push((Role::Report, "{base}.json".to_owned()));
        }
        match patterns.iter().find_map(|(_, pattern)| fault(pattern)) {
            Some(message) => usage(message),
            None => Ok(patterns),
        }
    }
}

const PLACES: [&str; 3] = ["{path}", "{stem}", "{base}"];

fn fault(pattern: &str) -> Option<String> {
    let mut rest = pattern.to_owned();
    for place in PLACES {
        rest = rest.replace(place, "x");
    }
    if rest.contains(['{', '}']) {
        return Some(format!(
            "`{pattern}`: a pattern may contain {}, but no other braces",
            PLACES.join(", ")
        ));
    }
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_));
    let path = Path::new(&rest);
    // Reject `a/.` and `a//b`, which would be other names for an existing output path.
    let plain = path.components().collect::<PathBuf>().to_str() == Some(&rest);
    if rest.is_empty() || !plain || !path.components().all(inside) {
        return Some(format!("`{pattern}`: an output must have a plain path inside OUT"));
    }
    None
}

/// Returns the name that `pattern` gives to an output of `shader`. Braces in the shader's name are kept.
fn fill(pattern: &str, shader: &str) -> String {
    let file = shader.rfind('/').map_or(0, |slash| slash + 1);
    let dot = shader[file..].rfind('.').filter(|dot| *dot > 0).map(|dot| file + dot);
    let stem = &shader[..dot.unwrap_or(shader.len())];
    let base = shader.strip_suffix(".spv").filter(|base| base.len() > file).unwrap_or(shader);
    let mut filled = String::with_capacity(pattern.len() + shader.len());
    let mut rest = pattern;
    while let Some(brace) = rest.find('{') {
        filled.push_str(&rest[..brace]);
        let (place, behind) = rest[brace..].split_at("{path}".len());
        filled.push_str(match place {
            "{path}" => shader,
            "{stem}" => stem,
            _ => base,
        });
        rest = behind;
    }
    filled + rest
}

/// Maps each output to the index of its job.
fn owners(jobs: &[Job]) -> Result<BTreeMap<String, usize>, Failure> {
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    let clash = |message: String| {
        let failure = Failure::usage(message);
        Err(failure.help("name the outputs with --name and --variant, or --exclude some"))
    };
    // Two outputs must not have the same name.
    for (at, job) in jobs.iter().enumerate().filter(|(_, job)| job.refused.is_none()) {
        for output in &job.outputs {
            if Path::new(output).starts_with(FOLDER) {
                return clash(format!("{output}: this folder of OUT is reserved for the batch"));
            }
            if let Some(other) = owners.insert(output.clone(), at) {
                let message = if other == at {
                    format!("{output}: two outputs of {} would be written to this file", job.shader)
                } else {
                    let other = &jobs[other].shader;
                    format!(
                        "{output}: the outputs of {other} and {} would be written to this file",
                        job.shader
                    )
                };
                return clash(message);
            }
        }
    }
    // The path of an output must not be a folder that contains another output.
    for output in owners.keys() {
        let folders = Path::new(output).ancestors().skip(1).filter_map(Path::to_str);
        for folder in folders {
            if owners.contains_key(folder) {
                return clash(format!(
                    "{folder}: this would be both a file and a folder of outputs"
                ));
            }
        }
    }
    Ok(owners)
}

#[cfg(test)]
mod tests {
    use super::{fault, fill};

    #[test]
    fn names_follow_their_patterns() {
        assert_eq!(fill("{base}.spv", "a/b.vert"), "a/b.vert.spv");
        assert_eq!(fill("{base}.spv", "a/b.vert.spv"), "a/b.vert.spv");
        assert_eq!(fill("x/{stem}.y", "a.b/c"), "x/a.b/c.y");
        assert_eq!(fill("{stem}.{path}", "{base}.vert"), "{base}.{base}.vert");
        assert_eq!(fill("{base}", "a/.spv"), "a/.spv");
    }

    #[test]
    fn patterns_that_leave_the_folder_are_refused() {
        for pattern in
            ["", "/{path}", "../{path}", "a/../{path}", "{paths}", "{path}/.", "a//{path}"]
        {
            assert!(fault(pattern).is_some(), "{pattern}");
        }
        assert_eq!(fault("x/{base}.spv"), None);
    }
}
