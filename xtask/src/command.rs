//! Runs other programs. Every command is printed before it runs, as a line that can be pasted into a shell.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder that contains the workspace's `Cargo.toml`. It belongs to the checkout in which xtask
/// was started. xtask may have been built in another checkout, because several checkouts may share a folder
/// of build outputs.
pub(crate) fn workspace() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    Path::new(&xtask).parent().expect("xtask is in a folder of the workspace").to_owned()
}

/// Returns the folder of cargo's build outputs, from the path `TARGET/release/xtask` of this program.
pub(crate) fn target() -> PathBuf {
    let xtask = std::env::current_exe().expect("the system knows which program runs");
    xtask.ancestors().nth(2).expect("cargo puts programs two folders deep").to_owned()
}

/// Returns the command `cargo ARGS…`, to run in the workspace.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = program("cargo", [""; 0]);
    for (position, argument) in args.into_iter().enumerate() {
        command.arg(&argument);
        // The option follows the verb, because cargo does not pass earlier options to clippy, which is
        // a separate program.
        let compiles = || COMPILING.iter().any(|verb| argument.as_ref() == *verb);
        if position == 0 && compiles() && prebuilt().exists() {
            command.arg("--config").arg(prebuilt());
        }
    }
    command
}

/// The cargo verbs that compile code and run build scripts.
const COMPILING: [&str; 6] = ["bench", "build", "clippy", "doc", "rustdoc", "test"];

/// Returns the path of the cargo configuration that links [the installed SPIRV-Tools](crate::spirv_tools).
pub(crate) fn prebuilt() -> PathBuf {
    target().join("spirv-tools/cargo.toml")
}

/// Selects the packages that are built and tested together, with every feature. Cargo combines the features that the
/// selected packages request, so a different selection would compile most dependencies again. `xtask` and the
/// generator are excluded because they request features that no other package needs. The fuzz targets and the
/// playground are excluded because they are built with other options.
pub(crate) const TESTED: [&str; 8] = [
    "--release",
    "--workspace",
    "--exclude=xtask",
    "--exclude=polyshade-codegen",
    FUZZ,
    PLAYGROUND,
    "--all-features",
    "--locked",
];

const FUZZ: &str = "--exclude=polyshade-fuzz";
const PLAYGROUND: &str = "--exclude=polyshade-playground";

/// Returns the same selection, but including the fuzz targets and the playground. Clippy needs no more
/// features for them.
pub(crate) fn with_fuzz_and_playground() -> Vec<&'static str> {
    TESTED.into_iter().filter(|one| ![FUZZ, PLAYGROUND].contains(one)).collect()
}

/// Whether cargo reuses the compiled parts of a crate that did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incremental {
    /// On, except in continuous integration, which compiles everything once. Builds take seconds, but the
    /// code is slower.
    ByHand,
    /// Off, for counting instructions: the code must not depend on earlier builds.
    Never,
}

impl Incremental {
    /// Sets the environment variable for cargo, unless the caller has set it.
    pub(crate) fn apply(self, command: &mut Command) -> &mut Command {
        let is_set = |name| std::env::var_os(name).is_some();
        match self {
            Self::Never => command.env("CARGO_INCREMENTAL", "0"),
            Self::ByHand if is_set("CI") || is_set("CARGO_INCREMENTAL") => command,
            Self::ByHand => command.env("CARGO_INCREMENTAL", "1"),
        }
    }
}

/// Builds a program of the tested packages, and returns a command that runs it.
pub(crate) fn built(name: &str, incremental: Incremental) -> Result<Command, String> {
    let mut build = cargo(["build", "--quiet", "--bin", name]);
    // Cargo only includes the features of dev-dependencies if it builds tests or examples. The example
    // takes a second.
    run(incremental.apply(build.args(TESTED).arg("--examples")))?;
    let path = target().join("release").join(name);
    Ok(program(&path.to_string_lossy(), [""; 0]))
}

/// Returns the command `name ARGS…`, to run in the workspace.
pub(crate) fn program<S: AsRef<OsStr>>(name: &str, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(name);
    command.args(args).current_dir(workspace());
    command
}

/// Returns the command `name ARGS…`, which runs as root: with `sudo`, unless the user is root.
pub(crate) fn as_root(name: &str, args: &[&str]) -> Result<Command, String> {
    let is_root = output(&mut program("id", ["-u"]))?.trim() == "0";
    let mut line = if is_root { vec![name] } else { vec!["sudo", name] };
    line.extend(args);
    Ok(program(line[0], &line[1..]))
}

/// Prints the command, runs it with this program's standard streams, and fails if the command fails.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let line = shell_line(command);
    println!("$ {line}");
    let status = command.status().map_err(|error| format!("`{line}` did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// Runs the command without printing it, and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let line = shell_line(command);
    let output = command.output().map_err(|error| format!("`{line}` did not start: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{line}` failed ({}): {}", output.status, stderr.trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{line}` printed text that is not UTF-8"))
}

/// Formats the command for a shell, with the variables that it sets, the program, and the arguments.
pub(crate) fn shell_line(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.display(), quoted(&value?.to_string_lossy())))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| quoted(&word.to_string_lossy()));
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

/// Quotes a word that a shell would split or interpret.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_command_can_be_pasted() {
        let mut command = program("echo", ["a b", "it's", "--x=1", "execution*", ""]);
        command.env("FLAGS", "-D warnings");
        assert_eq!(
            shell_line(&command),
            r"FLAGS='-D warnings' echo 'a b' 'it'\''s' --x=1 'execution*' ''"
        );
    }

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        assert_eq!(run(&mut program("true", [""])), Ok(()));
        let error = run(&mut program("false", ["now"])).unwrap_err();
        assert!(error.starts_with("`false now` failed"), "{error}");
        let error = output(&mut program("sh", ["-c", "echo why >&2; exit 4"])).unwrap_err();
        assert!(error.ends_with(": why"), "{error}");
    }
}
