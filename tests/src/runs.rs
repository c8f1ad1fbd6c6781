//! Shaders of some folders, each verified with some options of a verb of its stage, until so many runs are equal. What
//! differs is a defect of a lowering or of `polyshade verify`.

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

/// What is verified of fragment shaders.
const OF_FRAGMENTS: [&str; 7] = [
    "blend --equations khr --select push-constant=0",
    "blend --equations screen --destination texture",
    "blend --equations all --select uniform=3:8",
    "blend --equations hsl-hue,plus-darker --select specialization=90 --overlap conjoint",
    "blend --equations multiply --source-alpha straight --destination-alpha straight",
    "clip --emulate 12 --signature 2,1",
    "clip --emulate 12 --signature 2,1 --native clip",
];

/// What is verified of those of other stages; most options of `capture` are for vertex shaders alone.
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

/// What is verified of vertex functions of Metal.
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

/// What is verified of them against lavapipe: the first of these that the shader has outputs for.
const OF_METAL_AGAINST: [&str; 3] = [
    "capture --varyings location=0-31,gl_Position",
    "capture --varyings location=0-31",
    "capture --varyings gl_Position",
];

/// What is verified of its fragment functions: all but the last, as no distances are handed on to them natively.
const OF_METAL_FRAGMENTS: &[&str] = OF_FRAGMENTS.split_at(OF_FRAGMENTS.len() - 1).0;

/// What is verified of its kernels that are tessellation control stages.
const OF_METAL_PATCHES: [&str; 3] =
    ["clip", "clip --to registers --location 12", "clip --emulate 12"];

/// How many runs there are of each comparison, and of one against another device, which finds how exact words are.
const RUNS: u64 = 8;
const RUNS_AGAINST: u64 = 2;
/// What the program says of outputs that a shader has not.
const NO_OUTPUTS: [&str; 2] = ["capture.output-not-found", "position-only.output-not-found"];
/// After these seconds a step of a comparison is stopped.
const SECONDS: &str = "60";
/// As many KiB of memory a comparison may have: a driver's compiler may want more than the machine has.
const MEMORY: &str = "8388608";

/// What runs the shaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// The driver that has most.
    Lavapipe,
    /// What reads the text for Metal: vertex, fragment and tessellation control stages.
    Metal,
    /// The same, of vertex stages, against what lavapipe captures: each of them once.
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

/// What came of the comparisons.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many runs were equal.
    pub runs: u64,
    /// How many comparisons.
    pub equal: u64,
    /// The comparisons in which something differs.
    pub different: u64,
    /// What was compared with another device, if it was.
    against: Against,
    /// Those that ended with their process, which may be the driver's fault or ours.
    ended: Vec<String>,
    /// Why others could not be made, and how many.
    refused: BTreeMap<String, u64>,
}

/// Words that another device has computed.
#[derive(Debug, Default)]
struct Against {
    words: u64,
    /// Those that may be rounded otherwise, and those of which nothing is said.
    rounded: u64,
    open: u64,
    /// Comparisons in which each captured word is the same, and in which all words have to be.
    same: u64,
    exact: u64,
}

/// One entry point of a shader, by the options that choose it.
struct Subject {
    path: PathBuf,
    chosen: Vec<String>,
    stage: Stage,
}

/// A stage, as far as options go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Vertex,
    Fragment,
    /// The tessellation control stage.
    Control,
    Other,
}

/// What `polyshade verify` is asked.
struct Question {
    /// Its arguments; where the shader has no such outputs, those that come next.
    alternatives: Vec<Vec<String>>,
}

/// What it says.
enum Answer {
    /// What was compared is equal.
    Equal(Value),
    Different(String),
    /// The driver crashed, or took longer or more memory than it may.
    Ended(String),
    /// Nothing was compared.
    Refused(String),
}

/// What is asked of each shader.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What runs them.
    pub on: On,
    /// A verb and its options, for each of them once; otherwise some that are listed here, until enough runs are equal.
    pub with: Option<String>,
}

impl Asked {
    /// Whether each shader is asked once, whatever comes of it.
    #[must_use]
    pub fn is_once(&self) -> bool {
        self.with.is_some() || self.on == On::MetalAgainstLavapipe
    }
}

/// Verifies with `program` until `wanted` runs are equal, in an order that comes of `seed`. Prints what differs.
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
            if all.lock().expect("nothing panics").runs < wanted {
                let (arguments, answer) = question.ask(program);
                all.lock().expect("nothing panics").add(arguments, answer);
            }
        });
        tally = all.into_inner().expect("nothing panics");
        // Where nothing can be compared, another round is no better.
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
                "{words} words of another device: {rounded} may be rounded otherwise, {open} may be \
                 any; in {exact} comparisons none may be another, and in {same} none is"
            )?;
        }
        write!(
            f,
            "{runs} runs equal, of {equal} comparisons; {different} different; {others} not compared"
        )
    }
}

impl Subject {
    /// A number that looks random.
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
                // In as many rounds as there are options, all are taken.
                let first = self.hash(seed, u64::MAX);
                let number = first.wrapping_add(round) % options.len() as u64;
                (options[number as usize], &[][..], RUNS)
            }
        };
        let seed = (self.hash(seed, round) % 1_000_000).to_string();
        let (runs, shader) = (runs.to_string(), self.path.display().to_string());
        let question = |options: &&str| -> Vec<String> {
            let words = ["verify", &shader, "--runs", &runs, "--seed", &seed, "--timeout", SECONDS];
            let words = words.iter().chain(runner).map(|word| (*word).to_owned());
            words
                .chain(self.chosen.iter().cloned())
                .chain(options.split(' ').map(str::to_owned))
                .collect()
        };
        Question { alternatives: iter::once(&first).chain(others).map(question).collect() }
    }
}

impl Question {
    /// What was asked at last, and the answer.
    fn ask(&self, program: &Path) -> (&[String], Answer) {
        let asked = |arguments: &'_ Vec<String>| Question::ask_so(program, arguments);
        let all = self.alternatives.iter();
        let mut answers = all.map(|arguments| (arguments.as_slice(), asked(arguments)));
        let lacks_outputs = |(_, answer): &(&[String], Answer)| match answer {
            Answer::Refused(why) => NO_OUTPUTS.contains(&why.as_str()),
            Answer::Equal(_) | Answer::Different(_) | Answer::Ended(_) => false,
        };
        let first = answers.next().expect("there is always one");
        match lacks_outputs(&first) {
            true => answers.find(|answer| !lacks_outputs(answer)).unwrap_or(first),
            false => first,
        }
    }

    fn ask_so(program: &Path, arguments: &[String]) -> Answer {
        let limited = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &limited]).arg(program).args(arguments).arg("--json");
        let output = command.output();
        let output = output.expect("the program was asked before");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
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
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                let code =
                    message.split_once("error[").and_then(|(_, text)| text.split_once("]: "));
                let first = message.lines().next().unwrap_or("it says nothing");
                Answer::Refused(code.map_or(first, |(code, _)| code).to_owned())
            }
        }
    }
}

/// The entry points of a shader of stages that are drawn; none of a file that is none.
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

/// Does something with each, on as many threads as there are cores, and gives what comes of it in order.
fn on_all_threads<T: Sync, R: Send>(all: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (left, done) = (Mutex::new(all.iter().enumerate()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("nothing panics").next();
                    let Some((number, one)) = next else { return };
                    let result = act(one);
                    done.lock().expect("nothing panics").push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("nothing panics");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A message without what only one shader has: names and numbers.
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
