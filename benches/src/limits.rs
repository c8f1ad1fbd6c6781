//! The committed limits, and a benchmark run held against them.

use std::fmt::Write;

use polyshade_tests::cost::Cost;
use polyshade_trials::SHAPES;

/// One line of `limits.txt`.
#[derive(Debug, PartialEq)]
struct Limit {
    benchmark: String,
    /// An input, or two of them: `larger/smaller`.
    input: String,
    /// The most instructions per input word that there may be; of two inputs, how many times as many in the larger.
    most: f64,
    /// How many there should be, where that is less.
    aim: String,
}

/// One benchmark on one input, as it was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name.
    pub benchmark: String,
    /// The input's name.
    pub input: &'static str,
    /// How many words the input has.
    pub words: usize,
    /// How many machine instructions it took.
    pub instructions: u64,
}

/// The table of what was measured beside the limits, and whether everything keeps to them.
///
/// # Errors
///
/// A line of the limits that is none; a benchmark without a limit, or a limit without a benchmark.
pub fn report(limits: &str, measured: &[Measured]) -> Result<(String, bool), String> {
    let limits = parse_limits(limits)?;
    let mut table = format!(
        "{:<20} {:<10} {:>8} {:>13} {:>9} {:>7} {:>5}\n",
        "benchmark", "input", "words", "instructions", "per word", "limit", "aim"
    );
    let mut kept = true;
    for Limit { benchmark, input, most, aim } in &limits {
        let (numbers, value) = match input.split_once('/') {
            None => {
                let (words, instructions) = sizes(measured, benchmark, input)?;
                let per_word = instructions as f64 / words as f64;
                (format!("{words:>8} {instructions:>13} {per_word:>9.1}"), per_word)
            }
            Some((larger, smaller)) => {
                let per_word = |input| {
                    let (words, instructions) = sizes(measured, benchmark, input)?;
                    Ok::<_, String>(instructions as f64 / words as f64)
                };
                let times = per_word(larger)? / per_word(smaller)?;
                (format!("{times:>32.2}"), times)
            }
        };
        let verdict = if value > *most { "  OVER THE LIMIT" } else { "" };
        kept &= verdict.is_empty();
        writeln!(table, "{benchmark:<20} {input:<10} {numbers} {most:>7} {aim:>5}{verdict}")
            .expect("writing to a string");
    }
    let limited = |row: &&Measured| {
        limits.iter().any(|limit| limit.benchmark == row.benchmark && limit.input == row.input)
    };
    match measured.iter().find(|row| !limited(row)) {
        Some(row) => Err(format!("limits.txt has no line `{} {}`", row.benchmark, row.input)),
        None => Ok((table, kept)),
    }
}

/// The words of an input, and the instructions that a benchmark took on it.
fn sizes(measured: &[Measured], benchmark: &str, input: &str) -> Result<(usize, u64), String> {
    let row = measured.iter().find(|row| (row.benchmark.as_str(), row.input) == (benchmark, input));
    let row = row.ok_or_else(|| format!("{benchmark} was not measured on {input}"))?;
    Ok((row.words, row.instructions))
}

/// How many times as many instructions a word a larger module of one shape may take: it takes no more but for how full
/// hash tables happen to be.
const LINEAR: f64 = 1.2;

/// The table of the costs on [shapes](SHAPES), a smaller and a larger one of each, and whether they grow no faster than
/// the shapes.
pub fn report_shapes(costs: &[Cost]) -> (String, bool) {
    let mut table = format!(
        "{:<26} {:>8} {:>9} {:>8} {:>9} {:>6}\n",
        "shape", "words", "per word", "words", "per word", "times"
    );
    let mut kept = costs.len() == 2 * SHAPES.len();
    for (shape, costs) in SHAPES.iter().zip(costs.as_chunks::<2>().0) {
        let [few, many] = costs.each_ref().map(|one| one.instructions as f64 / one.words as f64);
        let [words, more_words] = costs.each_ref().map(|one| one.words);
        let times = many / few;
        let verdict = if times > LINEAR { "  NOT LINEAR" } else { "" };
        kept &= verdict.is_empty();
        let numbers = format!("{words:>8} {few:>9.1} {more_words:>8} {many:>9.1} {times:>6.2}");
        writeln!(table, "{:<26} {numbers}{verdict}", shape.name).expect("writing to a string");
    }
    (table, kept)
}

/// Reads lines of `benchmark input limit aim`; what follows a `#` is a comment.
fn parse_limits(text: &str) -> Result<Vec<Limit>, String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let lines = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .filter(|words| !words.is_empty())
        .map(|words| match words[..] {
            [benchmark, input, most, aim] => Ok(Limit {
                benchmark: benchmark.to_owned(),
                input: input.to_owned(),
                most: most.parse().map_err(|_| format!("limits.txt: {most} is not a number"))?,
                aim: aim.to_owned(),
            }),
            _ => Err(format!("limits.txt: not `benchmark input limit aim`: {}", words.join(" "))),
        })
        .collect()
}
