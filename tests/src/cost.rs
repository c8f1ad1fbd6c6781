//! Counts the machine instructions that each lowering executes on given modules. The counts come from callgrind, so
//! they do not depend on the load of the machine. They vary by a few tenths of a percent, because hash tables are
//! seeded at random.
//!
//! One process under callgrind makes all attempts, each in a call of `counted`. The process prints the name of each
//! attempt and callgrind prints each count to the same stream, so their order shows which count belongs to which
//! attempt.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use polyshade::Module;
use polyshade_testing::calls;

use crate::corpus::attempts;
use crate::shader;

/// The cost of one lowering on one entry point of a module, parsing and emission included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The index of the module.
    pub module: usize,
    /// The size of the module, in words.
    pub words: usize,
    /// The verb of the lowering.
    pub verb: String,
    /// The number of machine instructions.
    pub instructions: u64,
}

/// The number of words that accounts for the constant cost of a call: the GLSL library, and the code for each output.
/// The largest library, the tessellator, has 10,600 words, whose first use costs 5 million instructions.
const WORDS_OF_A_CALL: usize = 8192;

/// The limit of instructions per word. A quadratic algorithm exceeds it on the corpus's modules of some 10,000 words.
const MOST_PER_WORD: f64 = 800.0;

impl Cost {
    /// Returns the machine instructions per word, where the words include those for the constant cost.
    pub fn per_word(&self) -> f64 {
        self.instructions as f64 / (self.words + WORDS_OF_A_CALL) as f64
    }

    /// Returns a message if the cost exceeds the limit for a module of this size.
    pub fn fault(&self) -> Option<String> {
        let Self { words, verb, instructions, .. } = self;
        let too_many = || format!("{verb}: takes {instructions} instructions for {words} words");
        (self.per_word() > MOST_PER_WORD).then(too_many)
    }
}

/// Formats a Markdown table with one row for each verb: the number of attempts and the maximum of instructions per
/// word.
pub fn table(costs: &[Cost]) -> String {
    let mut verbs: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for cost in costs {
        let (attempts, most) = verbs.entry(&cost.verb).or_default();
        *attempts += 1;
        *most = most.max(cost.per_word());
    }
    let mut table =
        "| Verb | Entry points | most instructions per word |\n|---|---|---|\n".to_owned();
    for (verb, (attempts, most)) in verbs {
        let _ = writeln!(table, "| `{verb}` | {attempts} | {most:.0} |");
    }
    table
}

/// A set of attempts to make on every module.
#[derive(Clone, Copy, Debug)]
pub struct Attempts {
    /// The first argument of the counted process; the second is the folder with the modules.
    pub argument: &'static str,
    /// Makes the attempts on a module, given its index and words, each through [`count`].
    pub make: fn(usize, &[u32]),
}

/// All lowerings, with parsing and the first use of the compiled GLSL library.
pub const LOWERINGS: Attempts = Attempts { argument: "--counted-lowerings", make: attempt_all };

/// The [calls](calls::CALLS), in a process that has made the same calls before.
pub const CALLS: Attempts = Attempts {
    argument: "--counted-calls",
    make: |number, words| calls::make_all(words, &mut |name, make| count(number, name, make)),
};

/// Returns whether [`measure`] started this process. If so, it has made all attempts, and `main` must return.
///
/// # Errors
///
/// If a module cannot be read.
pub fn is_counted(all: &[Attempts]) -> Result<bool, String> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let [_, counted, folder] = &arguments[..] else { return Ok(false) };
    let Some(attempts) = all.iter().find(|one| counted == one.argument) else {
        return Ok(false);
    };
    for number in 0.. {
        let path = Path::new(folder).join(file_name(number));
        if !path.exists() {
            break;
        }
        (attempts.make)(number, &shader::read(&path)?);
    }
    Ok(true)
}

fn file_name(number: usize) -> String {
    format!("{number}.spv")
}

/// The prefix of the line that announces an attempt. The module's index and the verb follow.
const ATTEMPT: &str = "attempt ";

fn attempt_all(number: usize, words: &[u32]) {
    let Ok(module) = Module::parse(words) else { return };
    for (at, entry) in module.entry_points().enumerate() {
        for (nth, (verb, _)) in attempts(&module, entry).into_iter().enumerate() {
            count(number, verb, &mut || {
                // Parse again for each attempt, so that no attempt can use data that an earlier one cached.
                let module =
                    Module::parse(black_box(words)).expect("the words have been parsed before");
                let entry =
                    module.entry_points().nth(at).expect("the entry point has been found before");
                drop(black_box(attempts(&module, entry)[nth].1()));
            });
        }
    }
}

/// Makes an attempt on the module with index `number`, and lets callgrind count its instructions.
pub fn count(number: usize, verb: &str, attempt: &mut dyn FnMut()) {
    // Callgrind writes to the same pipe, so the line is flushed before callgrind prints the count.
    let mut lines = std::io::stdout().lock();
    let written = writeln!(lines, "{ATTEMPT}{number} {verb}").and_then(|()| lines.flush());
    written.expect("the parent process reads the pipe");
    drop(lines);
    counted(attempt);
}

/// Runs an attempt. Callgrind counts the instructions in this function and prints the count when the function
/// returns.
#[inline(never)]
fn counted(attempt: &mut dyn FnMut()) {
    attempt();
}

/// The most processes that run at a time; each needs a few hundred megabytes.
const MOST_THREADS: usize = 8;

/// Measures the cost of each attempt on each module. The program's `main` must call [`is_counted`] first.
///
/// # Errors
///
/// If Valgrind is missing or fails, or if its counts do not match the attempts.
pub fn measure(modules: &[Vec<u32>], attempts: Attempts) -> Result<Vec<Cost>, String> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let chunk = modules.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let starts = (0..).step_by(chunk).zip(modules.chunks(chunk));
        let start =
            |(first, modules)| scope.spawn(move || measure_in_turn((first, modules), attempts));
        let counting: Vec<_> = starts.map(start).collect();
        let mut costs = Vec::new();
        for counts in counting {
            costs.extend(counts.join().map_err(|_| "a thread that counts panicked")??);
        }
        Ok(costs)
    })
}

/// Measures modules one after another; `first` is the index of the first module.
fn measure_in_turn(
    (first, modules): (usize, &[Vec<u32>]),
    attempts: Attempts,
) -> Result<Vec<Cost>, String> {
    let fault = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(fault)?;
    for (number, words) in modules.iter().enumerate() {
        let path = folder.path().join(file_name(number));
        fs::write(path, shader::bytes(words)).map_err(fault)?;
    }
    let program = std::env::current_exe().map_err(fault)?;
    let mut valgrind =
        callgrind(&program, [OsStr::new(attempts.argument), folder.path().as_os_str()]);
    let missing = |error| format!("valgrind: {error}; `cargo xtask setup` installs it");
    let mut valgrind = valgrind.spawn().map_err(missing)?;
    let lines = BufReader::new(valgrind.stdout.take().expect("the output is piped"));
    let costs = read(lines, first, modules);
    let status = valgrind.wait().map_err(fault)?;
    let costs = costs.map_err(|error| format!("{error} (valgrind: {status})"))?;
    if status.success() { Ok(costs) } else { Err(format!("valgrind failed ({status})")) }
}

fn callgrind<'a>(program: &Path, arguments: impl IntoIterator<Item = &'a OsStr>) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--combine-dumps=yes"]);
    valgrind.args(["--toggle-collect=*::counted", "--dump-after=*::counted"]);
    valgrind.arg("--callgrind-out-file=/dev/stdout").arg(program).args(arguments);
    valgrind.stdin(Stdio::null()).stdout(Stdio::piped());
    valgrind
}

/// Parses the attempts and their counts from the output of the process and of callgrind.
fn read(lines: impl BufRead, first: usize, modules: &[Vec<u32>]) -> Result<Vec<Cost>, String> {
    let (mut costs, mut attempted) = (Vec::new(), None);
    let not_counted = |(module, _, verb): (usize, usize, String)| {
        Err(format!("callgrind did not count {verb} of module {module}"))
    };
    // The last count belongs to the rest of the program.
    let mut is_done = false;
    // Callgrind prints names of functions and files, so lines may contain any bytes.
    for line in lines.split(b'\n') {
        let line = line.map_err(|error| format!("callgrind's output: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        if let Some(attempt) = line.strip_prefix(ATTEMPT) {
            let of = attempt.split_once(' ').and_then(|(module, verb)| {
                let module: usize = module.parse().ok()?;
                Some((first + module, modules.get(module)?.len(), verb.to_owned()))
            });
            let of = of.ok_or_else(|| format!("not an attempt: {attempt}"))?;
            if let Some(last) = attempted.replace(of) {
                return not_counted(last);
            }
        } else if let Some(count) = line.strip_prefix("summary: ") {
            if is_done {
                return Err("callgrind counted something other than an attempt".to_owned());
            }
            let Some((module, words, verb)) = attempted.take() else {
                is_done = true;
                continue;
            };
            let instructions = count.trim().parse();
            let instructions = instructions.map_err(|_| format!("not a count: {count}"))?;
            costs.push(Cost { module, words, verb, instructions });
        }
    }
    match attempted {
        Some(last) => not_counted(last),
        None => Ok(costs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(words: usize, instructions: u64) -> Cost {
        Cost { module: 0, words, verb: "clip-space".to_owned(), instructions }
    }

    #[test]
    fn what_is_linear_has_no_fault_and_what_is_quadratic_has() {
        let linear = |words: usize| cost(words, 600 * words as u64 + 2_000_000);
        assert!([100, 10_000, 1_000_000].iter().all(|words| linear(*words).fault().is_none()));
        // The cost of searching all ids for every id, if one in four words is an id.
        let quadratic = |words: usize| cost(words, (words as u64 / 4).pow(2));
        assert!(quadratic(1_000).fault().is_none());
        let fault = quadratic(20_000).fault().unwrap();
        assert_eq!(fault, "clip-space: takes 25000000 instructions for 20000 words");
    }

    #[test]
    fn each_attempt_has_the_count_that_follows() {
        let modules = [vec![0; 7], vec![0; 9]];
        let read = |lines: &str| read(lines.as_bytes(), 40, &modules);
        let lines =
            "attempt 0 clip-space\nfn=(1) x\nsummary: 12\nattempt 1 clip --exact\nsummary: 3\n";
        let costs = read(&format!("{lines}summary: 99\n")).unwrap();
        let depth = Cost { module: 40, ..cost(7, 12) };
        let clip = Cost { module: 41, words: 9, verb: "clip --exact".to_owned(), instructions: 3 };
        assert_eq!(costs, [depth, clip]);
        for (lines, error) in [
            (
                "attempt 0 clip-space\nattempt 1 clip\nsummary: 1\n",
                "callgrind did not count clip-space of module 40",
            ),
            ("attempt 1 clip-space\n", "callgrind did not count clip-space of module 41"),
            (
                "summary: 1\nattempt 1 clip-space\nsummary: 3\n",
                "callgrind counted something other than an attempt",
            ),
            ("attempt 2 clip-space\nsummary: 1\n", "not an attempt: 2 clip-space"),
            ("attempt 0 clip-space\nsummary: x\n", "not a count: x"),
        ] {
            assert_eq!(read(lines).unwrap_err(), error);
        }
    }

    #[test]
    fn a_verb_is_told_by_the_most_that_it_took() {
        let costs = |words: usize, per_word: usize| {
            cost(words, (per_word * (words + WORDS_OF_A_CALL)) as u64)
        };
        let table = table(&[costs(4, 1), costs(904, 200)]);
        assert!(table.ends_with("|\n| `clip-space` | 2 | 200 |\n"), "{table}");
    }
}
