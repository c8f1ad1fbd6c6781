//! Tests that no option is silently ignored: each has an effect in some command line, alone and with every other
//! option.
//!
//! A command line is a *witness* of an option if the option changes the result of the program: the words, the report
//! or the error. Each pair of options is tested on the witnesses of both. An option that has an effect alone must
//! also have one together with the other option, or the program must reject the pair. [`IGNORED`] lists exceptions
//! with their reasons.

use crate::Arguments;
use clap::{Command, CommandFactory, Parser};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::{env, fs};

const SHADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/options");

/// Options without a witness, and options that are ignored together with another (`*`: any), each with the reason.
const IGNORED: &str = "\
blend --reserve-location: no outputs are added to a fragment shader
position-only --reserve: the variants add nothing that could conflict
position-only --reserve-constant: the variants add nothing that could conflict
position-only --reserve-location: the variants add nothing that could conflict
position-only --reserve-push-constants: the variants add nothing that could conflict
position-only --reserve-ids-below: the variants add nothing that could conflict
position-only --no-names: the variants add nothing that could conflict
vertex-pulling --reserve-location: no output is added
tessellation --reserve-location: no output is added
capture --reserve beside --path: the module adds no bindings, so it avoids none
capture --reserve beside --set: the named set is a different one
capture --reserve-location beside --path: a decoration in place adds no output
capture --no-names beside --path: a decoration in place adds no output
capture --max-output-components beside --path: a decoration in place adds no output
capture --reserve-location beside --one-instance: then no vertex stage gets an output
capture --max-output-components beside --one-instance: then no vertex stage gets an output
clip * beside --no-semantics: then no output of this witness is a distance, so nothing changes
clip --signature beside --emulate: only the fragment stage reads it: the stage before emulates its own distances
clip --outputs beside --linked-outputs: linked outputs are marked, too
clip --semantics beside --linked-outputs: linked outputs are marked, too
convert --msl-version beside --msl-platform: the text is the same for all versions and platforms with this shader
convert --msl-version beside --input-attachments: the text is the same for all versions with this shader
convert --msl-platform beside --input-attachments: the text is the same for all platforms with this shader
convert --stage beside --entry: the name alone or the stage alone selects the entry point
clip-space * beside --range: no change remains
vertex-pulling --reserve beside --set: another set is free
";

/// The options that select where results are written, which other tests cover (`tests/files.rs`, `tests/formats.rs`).
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

/// One in this many pairs of options is tested at each commit; `POLYSHADE_WHOLE` makes the test cover all pairs.
const ONE_PAIR_IN: u64 = 8;

/// A command line, and the options that change its result.
struct Witness {
    verb: String,
    /// The shader's name, and the options that are always present.
    words: Vec<String>,
    options: Vec<String>,
}

fn witnesses() -> Vec<Witness> {
    let mut witnesses: Vec<Witness> = Vec::new();
    let lines = include_str!("../tests/options/witnesses.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = shlex::split(line).expect("the line is quoted correctly");
        if line.starts_with(' ') {
            witnesses
                .last_mut()
                .expect("the file begins with a command line")
                .options
                .append(&mut words);
        } else {
            witnesses.push(Witness { verb: words.remove(0), words, options: Vec::new() });
        }
    }
    witnesses
}

fn name(option: &str) -> &str {
    option.split_once('=').map_or(option, |(name, _)| name)
}

/// The written files by name, or the error that the program reports.
type Made = Result<BTreeMap<String, Vec<u8>>, String>;

/// Runs the program on a witness with additional options, with its outputs in `out`.
fn run(out: &Path, witness: &Witness, options: &[&str]) -> Made {
    let _ = fs::remove_dir_all(out);
    fs::create_dir(out).expect("the folder can be created");
    let has_output = witness.words.iter().any(|word| word == "-o");
    let output = (!has_output).then_some("--output=%d/out.spv");
    let report = (witness.verb != "convert").then_some("--report=%d/out.json");
    let shader = format!("%i/{}", witness.words[0]);
    let words = ["polyshade", &witness.verb].into_iter();
    let words = words.chain(witness.words[1..].iter().map(String::as_str)).chain([&*shader]);
    let words = words.chain(output).chain(report).chain(options.iter().copied());
    let put_in = |word: &str| word.replace("%d", &out.display().to_string()).replace("%i", SHADERS);
    // Remove the usage from the error, because it shows the given options.
    let refused = |error: clap::Error| {
        error.to_string().split("\nUsage").next().map(str::to_owned).unwrap_or_default()
    };
    let arguments = Arguments::try_parse_from(words.map(put_in)).map_err(refused)?;
    arguments.verb.run().map_err(|failure| failure.message().to_owned())?;
    let files = fs::read_dir(out).expect("the folder exists").map(|file| {
        let file = file.expect("it can be read");
        let bytes = fs::read(file.path()).expect("it can be read");
        (file.file_name().to_string_lossy().into_owned(), bytes)
    });
    Ok(files.collect())
}

/// Returns the source code of the tests of a verb that lowers nothing, from the files named after the verb.
fn tests_of(verb: &str) -> String {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = walkdir::WalkDir::new(&tests).into_iter().map(|file| file.expect("it is there"));
    let is_own = |path: &Path| {
        let path = path.strip_prefix(&tests).expect("it is in the folder").to_string_lossy();
        path.starts_with(verb) && path.ends_with(".rs")
    };
    let files = files.filter(|file| is_own(file.path()));
    files.map(|file| fs::read_to_string(file.path()).expect("it is text")).collect()
}

/// A new option fails this test until it has a witness or, if its verb lowers nothing, a test.
#[test]
fn every_option_has_a_witness_or_a_test() {
    let command = Arguments::command();
    let witnesses = witnesses();
    let options_of = |verb: &str| {
        let verb = command.find_subcommand(verb).expect("it is a verb");
        let options =
            verb.get_arguments().filter_map(|one| Some((one.get_long()?, one.get_short())));
        let options = options.filter(|(name, _)| !["help", "version"].contains(name));
        options.map(|(name, short)| (format!("--{name}"), short)).collect::<Vec<_>>()
    };
    let of_every_verb = options_of("convert");
    let mut unknown = Vec::new();
    for verb in command.get_subcommands().map(Command::get_name) {
        let own: Vec<_> = witnesses.iter().filter(|witness| witness.verb == verb).collect();
        let tests = if own.is_empty() { tests_of(verb) } else { String::new() };
        let options = options_of(verb);
        let acts = own.iter().flat_map(|witness| &witness.options).map(|acts| name(acts));
        let strangers = acts.filter(|acts| options.iter().all(|(option, _)| option != acts));
        unknown.extend(strangers.map(|acts| format!("{verb} has no {acts}")));
        for (option, short) in options {
            let shared = of_every_verb.iter().any(|(name, _)| *name == option);
            let acts = own.iter().flat_map(|witness| &witness.options);
            let acts = acts.filter(|acts| name(acts) == option).count() > 0;
            let idle = IGNORED.lines().any(|line| line.starts_with(&format!("{verb} {option}: ")));
            let short = short.map(|letter| format!("-{letter} "));
            let named = [Some(&option), short.as_ref()]
                .into_iter()
                .flatten()
                .any(|name| tests.contains(name));
            let is_known = if own.is_empty() {
                named || (shared && verb != "batch")
            } else if WRITING.contains(&option.as_str()) || (shared && verb != "convert") {
                !acts && !idle
            } else {
                acts != idle
            };
            if !is_known {
                unknown.push(format!("{verb} {option}"));
            }
        }
    }
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn every_option_acts_alone() {
    let folder = tempfile::tempdir().expect("the folder can be created");
    let out = folder.path().join("out");
    let mut ignored = Vec::new();
    for witness in witnesses() {
        let without = run(&out, &witness, &[]);
        let same =
            witness.options.iter().filter(|option| run(&out, &witness, &[option]) == without);
        let error = without.as_ref().err();
        ignored.extend(same.map(|option| format!("{} {option}: {error:?}", witness.verb)));
    }
    assert_eq!(ignored, [""; 0]);
}

#[test]
fn no_option_is_ignored_beside_another() {
    let folder = tempfile::tempdir().expect("the folder can be created");
    let out = folder.path().join("out");
    let whole = env::var_os("POLYSHADE_WHOLE").is_some();
    let seed = env::var("POLYSHADE_SAMPLE").unwrap_or_default();
    let is_of_today = |case: &(_, _, _)| {
        let mut hasher = DefaultHasher::new();
        (case, &seed).hash(&mut hasher);
        whole || hasher.finish().is_multiple_of(ONE_PAIR_IN)
    };
    let witnesses = witnesses();
    let acts = witnesses.iter().enumerate();
    let acts =
        acts.flat_map(|(on, witness)| witness.options.iter().map(move |option| (on, option)));
    let acts: Vec<(usize, &String)> = acts.collect();
    let (mut found, mut exceptions) = (Vec::new(), Vec::new());
    for (number, &(on, option)) in acts.iter().enumerate() {
        for &(other_on, other) in &acts[number + 1..] {
            let is_pair =
                witnesses[on].verb == witnesses[other_on].verb && name(option) != name(other);
            let mut all_on = vec![on, other_on];
            all_on.dedup();
            all_on.retain(|&on| is_pair && is_of_today(&(on, option, other)));
            for witness in all_on.into_iter().map(|on| &witnesses[on]) {
                let Some([own, beside]) = ignored(&out, witness, [option, other]) else { continue };
                let exception = IGNORED.lines().find(|line| {
                    [name(own), "*"].iter().any(|own| {
                        let start = format!("{} {own} beside {}: ", witness.verb, name(beside));
                        line.starts_with(&start)
                    })
                });
                match exception {
                    Some(line) => exceptions.push(line),
                    None => found.push(format!("{own} beside {beside}: {:?}", witness.words)),
                }
            }
        }
    }
    assert_eq!(found, [""; 0]);
    let pairs = IGNORED.lines().filter(|line| line.contains(" beside "));
    let needless: Vec<&str> = pairs.filter(|line| whole && !exceptions.contains(line)).collect();
    assert_eq!(needless, [""; 0]);
}

/// Returns the option of the pair that has an effect alone but not with the other option, followed by the other
/// option.
fn ignored<'o>(out: &Path, witness: &Witness, pair: [&'o str; 2]) -> Option<[&'o str; 2]> {
    let both = run(out, witness, &pair);
    if both.is_err() {
        return None;
    }
    let [first, second] = pair.map(|option| run(out, witness, &[option]));
    let base = run(out, witness, &[]);
    match () {
        () if first != base && both == second => Some(pair),
        () if second != base && both == first => Some([pair[1], pair[0]]),
        () => None,
    }
}
