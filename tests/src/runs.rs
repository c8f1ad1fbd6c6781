//! Runs `polyshade verify` on the shaders of some folders until a given number of runs are equal. Each shader gets a
//! verb for its stage, with varying options. A difference is a defect of a lowering or of `polyshade verify`.

use crate::drivers::Driver;
use crate::tree;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// Verbs and options for fragment shaders.
const OF_FRAGMENTS: [&str; 7] = [
    "blend --equations khr --select push-constant=0",
    "blend --equations screen --destination texture",
    "blend --equations all --select uniform=3:8",
    "blend --equations hsl-hue,plus-darker --select specialization=90 --overlap conjoint",
    "blend --equations multiply --source-alpha straight --destination-alpha straight",
    "clip --emulate 12 --signature 2,1",
    "clip --emulate 12 --signature 2,1 --native clip",
];

/// Verbs and options for the other stages; most options of `capture` apply to vertex shaders only.
const OF_OTHERS: [&str; 17] = [
    "capture",
    "capture --topologies triangle-list --one-instance --limit-in-vertices",
    "capture --topologies triangle-strip --limit-in-vertices",
    "capture --topologies line-strip-with-adjacency,triangle-list-with-adjacency",
    "capture --indexed --restart",
    "capture --path compute",
    "capture --path compute --indexed --limit-in-vertices",
    "capture --path extension",
    "position-only",
    "clip --emulate 12",
    "clip --emulate 12 --native clip",
    "clip --planes 3 --planes-at uniform=3:0",
    "clip --planes 3 --planes-at uniform=3:0 --enable uniform=3:1",
    "clip --to registers --location 12",
    "clip --exact --location 12",
    "vertex-pulling",
    "vertex-pulling --params address:uniform=3:30 --robustness access",
];

/// Verbs and options for Metal vertex functions.
const OF_METAL: [&str; 9] = [
    "capture",
    "capture --topologies triangle-list --one-instance --limit-in-vertices",
    "capture --topologies triangle-strip --limit-in-vertices",
    "capture --path compute",
    "position-only",
    "clip --emulate 12",
    "clip --planes 3 --planes-at uniform=3:0",
    "clip --to registers --location 12",
    "vertex-pulling",
];

/// Verbs and options for the comparison of Metal with lavapipe. The first entry that names only outputs of the shader
/// is used.
const OF_METAL_AGAINST: [&str; 3] = [
    "capture --varyings location=0-31,gl_Position",
    "capture --varyings location=0-31",
    "capture --varyings gl_Position",
];

/// Verbs and options for Metal fragment functions: all of `OF_FRAGMENTS` but the last, because Metal passes no clip
/// distances to fragment functions.
const OF_METAL_FRAGMENTS: &[&str] = OF_FRAGMENTS.split_at(OF_FRAGMENTS.len() - 1).0;

/// Verbs and options for tessellation control stages, which are kernels in Metal.
const OF_METAL_PATCHES: [&str; 3] =
    ["clip", "clip --to registers --location 12", "clip --emulate 12"];

/// The number of runs of a comparison. Comparisons with another device take fewer, because each also determines the
/// precision of every value.
const RUNS: u64 = 8;
const RUNS_AGAINST: u64 = 2;
/// The error codes for outputs that a shader does not have.
const NO_OUTPUTS: [&str; 2] = ["capture.output-not-found", "position-only.output-not-found"];
/// The time limit of one step of a comparison, in seconds.
const SECONDS: &str = "60";
/// The memory limit of a comparison, in KiB: a driver's compiler may need more than the machine has.
const MEMORY: &str = "8388608";

/// The implementation that executes the shaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// lavapipe, the driver with the most features.
    Lavapipe,
    /// The interpreter of the generated MSL, for vertex, fragment and tessellation control stages.
    Metal,
    /// The interpreter compared with lavapipe's captures. Only vertex stages are compared, each once.
    MetalAgainstLavapipe,
}

impl On {
    fn takes(self, stage: Stage) -> bool {
        match self {
            On::Lavapipe => true,
            On::Metal => stage != Stage::Other,
            On::MetalAgainstLavapipe => stage == Stage::Vertex,
        }
    }
}

/// The results of the comparisons.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of equal runs.
    pub runs: u64,
    /// The number of equal comparisons; each has several runs.
    pub equal: u64,
    /// The number of comparisons with a difference.
    pub different: u64,
    /// The results of comparisons with another device; zero without such comparisons.
    against: Against,
    /// The comparisons whose process crashed, because of a fault in the driver or in polyshade.
    ended: Vec<String>,
    /// The number of refused comparisons, by reason.
    refused: BTreeMap<String, u64>,
}

/// Statistics of 32-bit words that another device computed.
#[derive(Debug, Default)]
struct Against {
    words: u64,
    /// The number of words that may be rounded differently, and of words with an unspecified value.
    rounded: u64,
    open: u64,
    /// The number of comparisons in which all captured words were equal, and of those in which all had to be.
    same: u64,
    exact: u64,
}

/// One entry point of a shader file, with the options that select it.
struct Subject {
    path: PathBuf,
    chosen: Vec<String>,
    stage: Stage,
}

/// A stage, as far as the options distinguish it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Vertex,
    Fragment,
    Control,
    Other,
}

/// A call of `polyshade verify`.
struct Question {
    /// Lists of arguments, tried in order: the next list is tried if the shader lacks an output that the previous
    /// list names.
    alternatives: Vec<Vec<String>>,
}

/// The result of a call of `polyshade verify`.
enum Answer {
    /// All compared values are equal. The value contains the statistics.
    Equal(Value),
    Different(String),
    /// The driver crashed or exceeded the time or memory limit.
    Ended(String),
    /// Nothing was compared, for this reason.
    Refused(String),
}

/// The comparisons to make for each shader.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The implementation that executes the shaders.
    pub on: On,
    /// A verb with options, for one run on each shader. If `None`, the options of this file are used until enough
    /// runs are equal.
    pub with: Option<String>,
}

impl Asked {
    /// Whether each shader is verified once, whatever the result.
    #[must_use]
    pub fn is_once(&self) -> bool {
        self.with.is_some() || self.on == On::MetalAgainstLavapipe
    }
}

/// Runs `program` until `wanted` runs are equal, in an order that depends on `seed`, and prints the differences.
pub fn run(
    program: &Path,
    folders: &[PathBuf],
    (wanted, seed): (u64, u64),
    asked: &Asked,
) -> Tally {
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| tree::files(folder)).collect();
    let mut subjects: Vec<Subject> =
        on_all_threads(&paths, |path| subjects(program, path)).into_iter().flatten().collect();
    subjects.retain(|subject| asked.on.takes(subject.stage));
    println!("{} entry points in {} files, seed {seed}", subjects.len(), paths.len());
    let mut tally = Tally::default();
    for round in 0.. {
        let before = tally.runs;
        subjects.sort_by_cached_key(|subject| subject.hash(seed, round));
        let questions: Vec<Question> =
            subjects.iter().map(|subject| subject.question((seed, round), asked)).collect();
        let all = Mutex::new(tally);
        on_all_threads(&questions, |question| {
            if all.lock().expect("no thread panics").runs < wanted {
                let (arguments, answer) = question.ask(program);
                all.lock().expect("no thread panics").add(arguments, answer);
            }
        });
        tally = all.into_inner().expect("no thread panics");
        // If no run of this round was equal, another round would not help.
        if tally.runs >= wanted || tally.runs == before || asked.is_once() {
            break;
        }
    }
    tally
}

impl Tally {
    fn add(&mut self, arguments: &[String], answer: Answer) {
        match answer {
            Answer::Equal(compared) => {
                let of = |field: &str| compared[field].as_u64().unwrap_or(0);
                self.runs += of("runs");
                self.equal += 1;
                self.against.words += of("words");
                self.against.rounded += of("rounded");
                self.against.open += of("open");
                self.against.same += u64::from(of("others") == 0);
                self.against.exact += u64::from(of("rounded") + of("open") == 0);
                if self.equal.is_multiple_of(100) {
                    println!("{} runs are equal", self.runs);
                }
            }
            Answer::Different(why) => {
                self.different += 1;
                println!("polyshade {}\n  different: {why}", arguments.join(" "));
            }
            Answer::Ended(why) => {
                self.ended.push(format!("{}: {why}", arguments.join(" ")));
            }
            Answer::Refused(why) => *self.refused.entry(general(&why)).or_default() += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { runs, equal, different, against, ended, refused } = self;
        let others = refused.values().sum::<u64>() + ended.len() as u64;
        for question in ended {
            writeln!(f, "not compared: polyshade {question}")?;
        }
        let mut refused: Vec<(&String, &u64)> = refused.iter().collect();
        refused.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (why, count) in refused {
            writeln!(f, "{count:6} not compared: {why}")?;
        }
        if against.rounded > 0 {
            let Against { words, rounded, open, same, exact } = against;
            writeln!(
                f,
                "{words} words compared with another device: {rounded} may be rounded differently, \
                 {open} may have any value; {exact} comparisons allow no difference, {same} have none"
            )?;
        }
        write!(
            f,
            "{runs} runs equal, of {equal} comparisons; {different} different; {others} not compared"
        )
    }
}

impl Subject {
    fn hash(&self, seed: u64, round: u64) -> u64 {
        let text = format!("{seed} {round} {} {}", self.path.display(), self.chosen.join(" "));
        let hash = Sha256::digest(text.as_bytes());
        hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn question(&self, (seed, round): (u64, u64), asked: &Asked) -> Question {
        let on = asked.on;
        let lavapipe = Driver::Lavapipe.name();
        let (on_lavapipe, on_metal) = (["--device", lavapipe], ["--on", "metal"]);
        let against = ["--on", "metal", "--against", lavapipe];
        let (options, runner): (&[&str], &[&str]) = match (on, self.stage) {
            (On::MetalAgainstLavapipe, _) => (&OF_METAL_AGAINST, &against),
            (On::Metal, Stage::Fragment) => (OF_METAL_FRAGMENTS, &on_metal),
            (On::Metal, Stage::Control) => (&OF_METAL_PATCHES, &on_metal),
            (On::Metal, _) => (&OF_METAL, &on_metal),
            (On::Lavapipe, Stage::Fragment) => (&OF_FRAGMENTS, &on_lavapipe),
            (On::Lavapipe, _) => (&OF_OTHERS, &on_lavapipe),
        };
        let with = asked.with.as_deref().map(|with| [with]);
        let options = with.as_ref().map_or(options, |with| &with[..]);
        let (first, others, runs) = match on {
            On::MetalAgainstLavapipe => (options[0], &options[1..], RUNS_AGAINST),
            On::Lavapipe | On::Metal => {
                // Each round uses the next entry of the options, so every entry is used once before any repeats.
                let first = self.hash(seed, u64::MAX);
                let number = first.wrapping_add(round) % options.len() as u64;
                (options[number as usize], &[][..], RUNS)
            }
        };
        let seed = (self.hash(seed, round) % 1_000_000).to_string();
        let (runs, shader) = (runs.to_string(), self.path.display().to_string());
        let question = |options: &&str| -> Vec<String> {
            let (verb, options) = options.split_once(' ').unwrap_or((options, ""));
            let words = ["verify", verb, &shader, "--runs", &runs, "--seed", &seed];
            let words = words.into_iter().chain(["--timeout", SECONDS]);
            let words = words.chain(runner.iter().copied()).map(str::to_owned);
            let options = options.split(' ').filter(|option| !option.is_empty());
            words.chain(self.chosen.iter().cloned()).chain(options.map(str::to_owned)).collect()
        };
        Question { alternatives: iter::once(&first).chain(others).map(question).collect() }
    }
}

impl Question {
    /// Returns the last argument list that was tried, and its result.
    fn ask(&self, program: &Path) -> (&[String], Answer) {
        let asked = |arguments: &'_ Vec<String>| Question::ask_so(program, arguments);
        let all = self.alternatives.iter();
        let mut answers = all.map(|arguments| (arguments.as_slice(), asked(arguments)));
        let lacks_outputs = |(_, answer): &(&[String], Answer)| match answer {
            Answer::Refused(why) => NO_OUTPUTS.contains(&why.as_str()),
            Answer::Equal(_) | Answer::Different(_) | Answer::Ended(_) => false,
        };
        let first = answers.next().expect("every shader has at least one question");
        match lacks_outputs(&first) {
            true => answers.find(|answer| !lacks_outputs(answer)).unwrap_or(first),
            false => first,
        }
    }

    fn ask_so(program: &Path, arguments: &[String]) -> Answer {
        // Run the program with limited memory.
        let limited = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).arg(program).args(arguments).arg("--json");
        let output = command.output();
        let output = output.expect("the program has run before");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        // The program printed JSON. A message about the process itself means that the driver crashed.
        match report["result"].as_str() {
            Some("equal") => Answer::Equal(report["compared"].clone()),
            Some("different") => {
                let why = text(&report["difference"]["text"]);
                match why.starts_with("the process ") {
                    true => Answer::Ended(why),
                    false => Answer::Different(why),
                }
            }
            Some(_) => Answer::Refused(text(&report["reason"])),
            None => {
                // No JSON: keep the error code, or the first line of the message.
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                let code =
                    message.split_once("error[").and_then(|(_, text)| text.split_once("]: "));
                let first = message.lines().next().unwrap_or("no message");
                Answer::Refused(code.map_or(first, |(code, _)| code).to_owned())
            }
        }
    }
}

/// Returns the graphics entry points in a file, or none if the file is not a shader.
fn subjects(program: &Path, path: &Path) -> Vec<Subject> {
    let info = Command::new(program).args(["info", "--json"]).arg(path).output();
    let info = info.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let info: Value = serde_json::from_slice(&info.stdout).unwrap_or_default();
    let Some(entries) = info["entry_points"].as_array() else { return Vec::new() };
    let subject = |entry: &Value| {
        let name = entry["name"].as_str()?;
        let (option, stage) = match entry["stage"].as_str()? {
            "vertex" => ("vert", Stage::Vertex),
            "tessellation control" => ("tesc", Stage::Control),
            "tessellation evaluation" => ("tese", Stage::Other),
            "geometry" => ("geom", Stage::Other),
            "fragment" => ("frag", Stage::Fragment),
            _ => return None,
        };
        let chosen = match entries.len() {
            1 => Vec::new(),
            _ => ["--entry", name, "--stage", option].map(str::to_owned).into(),
        };
        Some(Subject { path: path.to_owned(), chosen, stage })
    };
    entries.iter().filter_map(subject).collect()
}

/// Applies `act` to all elements, on as many threads as there are cores, and returns the results in order.
pub fn on_all_threads<T: Sync, R: Send>(all: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (left, done) = (Mutex::new(all.iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no thread panics").next();
                    let Some((number, one)) = next else { return };
                    let result = act(one);
                    done.lock().expect("no thread panics").push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Removes from a message the parts that are specific to one shader: names and numbers.
fn general(message: &str) -> String {
    let mut general = String::new();
    let (mut is_name, mut was_digit) = (false, false);
    for letter in message.chars() {
        let is_digit = letter.is_ascii_digit();
        match letter {
            '`' => {
                is_name = !is_name;
                general.extend(is_name.then_some('…'));
            }
            _ if is_name || is_digit && was_digit => {}
            _ => general.push(if is_digit { '…' } else { letter }),
        }
        was_digit = is_digit;
    }
    general
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn names_and_numbers_are_left_out_of_reasons() {
        assert_eq!(general("`v` and `w1` have 16 bits"), "… and … have … bits");
    }
}
