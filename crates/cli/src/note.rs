//! The note that is printed to standard error after shaders have been written. It names the files, the duties of the
//! host, and commands to try next.

use crate::Arguments;
use crate::command_line::option;
use crate::memory;
use crate::printable::printable;
use crate::report::Report;
use crate::settings;
use crate::target::PULL;
use clap::{Command, CommandFactory};
use std::ffi::OsString;
use std::path::Path;

/// Prints a note about the written `files` and their report.
pub(crate) fn tell(files: &[&Path], report: &Report) {
    if is_wanted() {
        let next = next(std::env::args_os().collect(), files);
        eprint!("{}", printable(&(wrote(files, report) + &next)));
    }
}

/// Prints a note about a written stage.
pub(crate) fn tell_of_stage(file: &Path, report: &Report) {
    if is_wanted() {
        eprint!("{}", printable(&wrote(&[file], report)));
    }
}

/// Whether notes are printed. A batch puts this information into its report.
fn is_wanted() -> bool {
    settings::is_for_people() && !memory::is_held()
}

fn wrote(files: &[&Path], report: &Report) -> String {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    format!("wrote {}: {}", files.join(", "), report.for_host())
}

/// Returns command lines to try next, derived from the given command line `words`.
fn next(words: Vec<OsString>, files: &[&Path]) -> String {
    let mut command = Arguments::command();
    // This adds the global options to each verb.
    command.build();
    let mut lines = Vec::new();
    if let Some(Again { program, verb, shader, options, verified }) = again(&command, words.clone())
    {
        // `verify` has neither `--pull` nor `--after`, so it would compare a different module.
        let has = |option: &str| options.iter().any(|word| word == option);
        let is_verified = polyshade_verify::RUNS && !has("--pull") && !has("--after");
        let dry = vec![program.clone(), verb.clone(), shader.clone()];
        let dry = [dry, options, vec!["--dry-run".into()]].concat();
        lines.push(("to list all bindings, parameters and requirements", dry));
        if is_verified {
            let verify = [vec![program, "verify".into(), verb, shader], verified].concat();
            lines.push(("to compare it with the original, on this machine's driver", verify));
        }
    }
    let can_be_read = |file: &&&Path| {
        file.extension().is_some_and(|ending| ending == "spv" || ending == "spvasm")
    };
    if let (Some(program), Some(file)) = (words.first(), files.iter().find(can_be_read)) {
        let words = vec![program.clone(), "info".into(), file.as_os_str().to_owned()];
        lines.push(("to list its contents", words));
    }
    lines.into_iter().map(|(what, words)| format!("{what}:\n  {}\n", quoted(&words))).collect()
}

/// The command line of a verb whose results `verify` can check, without the options that name outputs.
struct Again {
    program: OsString,
    verb: OsString,
    shader: OsString,
    /// The options that `verify` also has, and the options of `capture --pull`.
    options: Vec<OsString>,
    /// The options that `verify` accepts.
    verified: Vec<OsString>,
}

/// Options that `verify` rejects, because it generates the attributes itself.
const FED: [&str; 2] = ["attribute", "buffer"];

fn again(command: &Command, words: Vec<OsString>) -> Option<Again> {
    let verify = command.find_subcommand("verify")?;
    let mut words = words.into_iter();
    let program = words.next()?;
    let verb = words.find(|word| verify.find_subcommand(word).is_some())?;
    let (known, all) = (verify.find_subcommand(&verb)?, command.find_subcommand(&verb)?);
    let (mut shader, mut options, mut verified) = (None, Vec::new(), Vec::new());
    let fetches = |name: &str| {
        let own = all.get_arguments().find(|one| one.get_long() == Some(name));
        own.is_some_and(|one| one.get_help_heading() == Some(PULL))
    };
    while let Some(word) = words.next() {
        let found = option(all, &word);
        let is_known = option(known, &word).is_some();
        let value = found.as_ref().filter(|found| found.takes_next).and_then(|_| words.next());
        match found {
            // A response file may contain the shader's name, or arguments that cannot be repeated.
            None if word.to_string_lossy().starts_with('@') => return None,
            None if shader.is_none() && word != "-" => shader = Some(word),
            None => return None,
            Some(found) if is_known || fetches(&found.name) => {
                let words = [word].into_iter().chain(value);
                if is_known && !FED.contains(&&*found.name) {
                    verified.extend(words.clone());
                }
                options.extend(words);
            }
            Some(_) => {}
        }
    }
    Some(Again { program, verb, shader: shader?, options, verified })
}

fn quoted(words: &[OsString]) -> String {
    let quoted = words.iter().map(|word| {
        let word = word.to_string_lossy();
        shlex::try_quote(&word).map_or_else(|_| word.to_string(), |word| word.into_owned())
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        next(words, &[Path::new("o.spv")])
    }

    #[test]
    fn command_lines_are_those_that_were_given_without_where_things_go() {
        let printed = of("./polyshade --color never capture -o o.spv a.vert --variant both=b.spv \
                       --varyings a,b -D X=1 --set=2 --msl-version 2.1");
        let options = "--varyings 'a,b' -D 'X=1' '--set=2'";
        let dry = format!("\n  ./polyshade capture a.vert {options} --dry-run\n");
        let verify = format!("\n  ./polyshade verify capture a.vert {options}\n");
        assert!(printed.contains(&dry) && printed.contains(&verify), "{printed}");
        assert!(printed.ends_with("\n  ./polyshade info o.spv\n"), "{printed}");
    }

    #[test]
    fn attributes_are_made_by_verify() {
        let printed = of("p vertex-pulling a.vert --attribute x --set 1");
        assert!(
            printed.contains("\n  p vertex-pulling a.vert --attribute x --set 1 --dry-run\n"),
            "{printed}"
        );
        assert!(printed.contains("\n  p verify vertex-pulling a.vert --set 1\n"), "{printed}");
    }

    #[test]
    fn a_capture_that_pulls_is_not_verified_as_one_that_does_not() {
        let printed = of("p capture a.vert -o o.spv --pull --attribute x --pull-set 1");
        let dry = "\n  p capture a.vert --pull --attribute x --pull-set 1 --dry-run\n";
        assert!(printed.contains(dry) && !printed.contains("verify"), "{printed}");
    }

    #[test]
    fn what_cannot_be_given_again_is_left_out() {
        for line in
            ["p capture - --varyings a", "p capture @a.vert", "p clip-space a.vert -o o.spv"]
        {
            assert_eq!(of(line), "to list its contents:\n  p info o.spv\n");
        }
    }
}
