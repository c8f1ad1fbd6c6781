//! No option is accepted and ignored: each has a shader and a command line where it acts, alone and beside every other.
//!
//! A shader is *witness* of an option if the program makes something else of it with the option than without: other
//! words, another report, or an error. On the witnesses of both options of a pair, an option that acts alone must act
//! beside the other too. What does not stands in [`Table::together`] with its reason.

mod blend;
mod capture;
mod clip;
mod convert;
mod position;
mod pull;
mod small;

use crate::Arguments;
use clap::{Command, CommandFactory, Parser};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, thread};
use tempfile::TempDir;

/// A shader, and the options that are there in any case; `%d` is a folder.
struct Witness {
    /// The name of the file, whose ending says what it is.
    file: &'static str,
    source: &'static str,
    line: &'static str,
}

/// An option that acts.
struct Acts {
    option: &'static str,
    /// Its value; empty where it takes none.
    value: &'static str,
    /// On which witness, by number.
    on: usize,
}

/// Options beside each other of which one is not to act, and why. `*` is any option.
struct Together {
    options: [&'static str; 2],
    why: &'static str,
}

/// All options of a verb.
struct Table {
    verb: &'static str,
    witnesses: &'static [Witness],
    acts: &'static [Acts],
    together: &'static [Together],
    /// Options that have no witness, and why.
    idle: &'static [(&'static str, &'static str)],
}

const TABLES: [&Table; 9] = [
    &blend::TABLE,
    &capture::TABLE,
    &clip::TABLE,
    &convert::TABLE,
    &small::DEPTH,
    &small::DISCARD,
    &small::LOWER,
    &position::TABLE,
    &pull::TABLE,
];

/// What results are written to, which the tests of files look at (`tests/files.rs`, `tests/formats.rs`).
const WRITING: [&str; 8] = [
    "--output",
    "--report",
    "--json",
    "--dry-run",
    "--depfile",
    "--keep-unchanged",
    "--diff",
    "--in-place",
];

/// The other verbs lower nothing. What their options do is looked at by tests of their own, which name them.
const OTHERS: [(&str, &[&str]); 7] = [
    (
        "batch",
        &[
            include_str!("../tests/batch.rs"),
            include_str!("../tests/batch/build.rs"),
            include_str!("../tests/batch/cache.rs"),
            include_str!("../tests/batch/names.rs"),
            include_str!("../tests/batch/result.rs"),
            include_str!("../tests/batch/resume.rs"),
            include_str!("../tests/batch/shards.rs"),
        ],
    ),
    ("completions", &[]),
    (
        "info",
        &[
            include_str!("../tests/info.rs"),
            include_str!("../tests/verify.rs"),
            include_str!("../tests/formats.rs"),
        ],
    ),
    ("man", &[]),
    ("layer", &[include_str!("../tests/layer.rs")]),
    ("plan", &[include_str!("../tests/plan.rs"), include_str!("../tests/plan_blending.rs")]),
    ("verify", &[include_str!("../tests/verify.rs")]),
];

/// What the program has made: files by name, or an error.
#[derive(PartialEq, Clone)]
enum Made {
    Files(BTreeMap<String, Vec<u8>>),
    Error(String),
}

/// The witnesses as files, and a folder for what is made of them.
struct Folder(TempDir);

impl Folder {
    fn new(table: &Table) -> Self {
        let folder = Self(tempfile::tempdir().expect("there is room"));
        for (number, witness) in table.witnesses.iter().enumerate() {
            let inputs = folder.path().join(number.to_string());
            fs::create_dir(&inputs).expect("there is room");
            fs::write(inputs.join(witness.file), witness.source).expect("there is room");
            let included = inputs.join("included");
            fs::create_dir(&included).expect("there is room");
            let number = "#define NUMBER 2.0\n";
            fs::write(included.join("number.glsl"), number).expect("there is room");
            let marks = r#"{"outputs": ["clip=1.x"]}"#;
            fs::write(inputs.join("marks.json"), marks).expect("there is room");
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a verb on a witness, with options beside those that are there in any case.
    fn run(&self, table: &Table, on: usize, options: &[(&str, &str)]) -> Made {
        let witness = &table.witnesses[on];
        let out = self.path().join("out");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).expect("there is room");
        let (inputs, out_name) = (self.path().join(on.to_string()), out.display().to_string());
        let put_in =
            |text: &str| text.replace("%d", &out_name).replace("%i", &inputs.display().to_string());
        let mut words = vec!["polyshade".to_owned(), table.verb.to_owned()];
        words.extend(shlex::split(&put_in(witness.line)).expect("it is quoted right"));
        words.push(inputs.join(witness.file).display().to_string());
        if !witness.line.contains("-o ") {
            words.push(put_in("--output=%d/out.spv"));
        }
        if table.verb != "convert" {
            words.push(put_in("--report=%d/out.json"));
        }
        for (option, value) in options {
            let value = put_in(value);
            words.push(if value.is_empty() {
                (*option).into()
            } else {
                format!("{option}={value}")
            });
        }
        match Arguments::try_parse_from(words) {
            Err(error) => {
                // What is behind shows the options that were given.
                let message = error.to_string();
                let message = message.split_once("\nUsage").map(|(message, _)| message.to_owned());
                return Made::Error(message.unwrap_or_else(|| error.to_string()));
            }
            Ok(arguments) => {
                if let Err(failure) = arguments.verb.run() {
                    return Made::Error(failure.message().to_owned());
                }
            }
        }
        let files = fs::read_dir(&out).expect("it is there").map(|file| {
            let file = file.expect("it can be read");
            let bytes = fs::read(file.path()).expect("it can be read");
            (file.file_name().to_string_lossy().into_owned(), bytes)
        });
        Made::Files(files.collect())
    }
}

fn long_options(command: &Command, verb: &str) -> Vec<String> {
    let command = command.find_subcommand(verb).expect("it is a verb");
    let options = command.get_arguments().filter_map(|argument| argument.get_long());
    options
        .filter(|name| !["help", "version"].contains(name))
        .map(|name| format!("--{name}"))
        .collect()
}

/// A new option fails here until it has a witness.
#[test]
fn every_option_has_a_witness() {
    let command = Arguments::command();
    let of_every_verb = long_options(&command, "convert");
    for table in TABLES {
        let known = |option: &String| {
            let shared = table.verb != "convert" && of_every_verb.contains(option);
            let acts = table.acts.iter().map(|acts| acts.option);
            let idle = table.idle.iter().map(|(name, _)| *name);
            shared || acts.chain(idle).chain(WRITING).any(|name| name == option)
        };
        let unknown: Vec<_> =
            long_options(&command, table.verb).into_iter().filter(|one| !known(one)).collect();
        assert_eq!(unknown, Vec::<String>::new(), "polyshade {} --help", table.verb);
        for acts in table.acts {
            assert!(table.verb == "convert" || !of_every_verb.iter().any(|one| one == acts.option));
        }
    }
}

#[test]
fn every_option_of_other_verbs_is_named_by_a_test() {
    let command = Arguments::command();
    let of_every_verb = long_options(&command, "convert");
    let verbs = command.get_subcommands().map(Command::get_name);
    let has_table = |verb: &str| TABLES.iter().any(|table| table.verb == verb);
    let mut unnamed = Vec::new();
    for verb in verbs.filter(|verb| !has_table(verb)) {
        let tests = OTHERS.iter().find(|(other, _)| *other == verb);
        let (_, tests) = tests.unwrap_or_else(|| panic!("{verb} has a table, or tests"));
        let arguments = command.find_subcommand(verb).expect("it is a verb").get_arguments();
        for argument in arguments {
            let Some(long) = argument.get_long().filter(|name| *name != "help") else { continue };
            let long = format!("--{long}");
            let short = argument.get_short().map(|letter| format!("-{letter} "));
            let names = |text: &&str| {
                text.contains(&long) || short.as_ref().is_some_and(|short| text.contains(short))
            };
            let shared = verb != "batch" && of_every_verb.contains(&long);
            if !shared && !tests.iter().any(names) {
                unnamed.push(format!("{verb} {long}"));
            }
        }
    }
    assert!(unnamed.is_empty(), "{unnamed:#?}");
}

#[test]
fn every_option_acts_alone() {
    let mut ignored = Vec::new();
    for table in TABLES {
        let folder = Folder::new(table);
        for Acts { option, value, on } in table.acts {
            let (without, with) =
                (folder.run(table, *on, &[]), folder.run(table, *on, &[(*option, *value)]));
            if without == with {
                let message = match with {
                    Made::Error(message) => message,
                    Made::Files(_) => "the same".to_owned(),
                };
                ignored.push(format!("{} {option}={value} on {on}: {message}", table.verb));
            }
        }
        for (option, _) in table.idle {
            let known = table.acts.iter().any(|acts| acts.option == *option);
            assert!(!known, "{option} has a witness");
        }
    }
    assert!(ignored.is_empty(), "{ignored:#?}");
}

/// What is ignored beside other options, and the exceptions that nothing needs.
fn ignored(table: &Table) -> Vec<String> {
    let folder = Folder::new(table);
    let mut found = Vec::new();
    let mut needed = vec![false; table.together.len()];
    for on in 0..table.witnesses.len() {
        let base = folder.run(table, on, &[]);
        let alone: Vec<Made> = table
            .acts
            .iter()
            .map(|acts| folder.run(table, on, &[(acts.option, acts.value)]))
            .collect();
        for (a, first) in table.acts.iter().enumerate() {
            for (b, second) in table.acts.iter().enumerate().skip(a + 1) {
                if ![first.on, second.on].contains(&on) || first.option == second.option {
                    continue;
                }
                let pair = [first, second].map(|acts| (acts.option, acts.value));
                let both = folder.run(table, on, &pair);
                if matches!(both, Made::Error(_)) {
                    continue;
                }
                for (own, other) in [(a, b), (b, a)] {
                    if alone[own] == base || both != alone[other] {
                        continue;
                    }
                    let names = [own, other].map(|number| table.acts[number].option);
                    let is_same = |together: &&Together| {
                        let of =
                            |index: usize| [names[index], "*"].contains(&together.options[index]);
                        of(0) && of(1)
                    };
                    match table.together.iter().position(|one| is_same(&one)) {
                        Some(number) => needed[number] = true,
                        None => found.push(format!(
                            "{}: {} is ignored beside {} on {on}",
                            table.verb, names[0], names[1]
                        )),
                    }
                }
            }
        }
    }
    let needless = table.together.iter().zip(needed).filter(|(_, needed)| !needed);
    found.extend(needless.map(|(one, _)| {
        format!("{}: {:?} is no exception ({})", table.verb, one.options, one.why)
    }));
    found
}

#[test]
fn no_option_is_ignored_beside_another() {
    let found: Vec<String> = thread::scope(|scope| {
        let tables = TABLES.map(|table| scope.spawn(move || ignored(table)));
        tables.into_iter().flat_map(|one| one.join().expect("it does not panic")).collect()
    });
    assert!(found.is_empty(), "{found:#?}");
}
