//! Compares a benchmark run with the committed limits.

use std::fmt::Write;

use polyshade_testing::SHAPES;
use polyshade_tests::cost::Cost;

/// A row of `limits.txt`.
#[derive(Debug, PartialEq)]
struct Limit {
    benchmark: String,
    /// The name of an input, or two names as in `larger/smaller`.
    input: String,
    /// The maximum number of instructions per input word. For two inputs, the maximum quotient of their
    /// numbers per word.
    most: f64,
    /// The number to aim for, if it is less than the limit.
    aim: String,
}

/// The measurement of one benchmark on one input.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The name of the benchmark.
    pub benchmark: String,
    /// The name of the input.
    pub input: &'static str,
    /// The number of words of the input.
    pub words: usize,
    /// The number of machine instructions that the benchmark executed.
    pub instructions: u64,
}

/// Returns a table of the measurements and limits, and whether all limits are kept.
///
/// # Errors
///
/// Fails if a line of the limits is malformed, a benchmark has no limit, or a limit has no benchmark.
pub fn report(limits: &str, measured: &[Measured]) -> Result<(String, bool), String> {
    let limits = parse_limits(limits)?;
    let mut table = format!(
        "{:<20} {:<10} {:>8} {:>13} {:>9} {:>7} {:>5}\n",
        "benchmark", "input", "words", "instructions", "per word", "limit", "aim"
    );
    let mut kept = true;
    // Write one row for each limit.
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
    // Check that every measurement has a limit.
    let limited = |row: &&Measured| {
        limits.iter().any(|limit| limit.benchmark == row.benchmark && limit.input == row.input)
    };
    match measured.iter().find(|row| !limited(row)) {
        Some(row) => Err(format!("limits.txt has no line `{} {}`", row.benchmark, row.input)),
        None => Ok((table, kept)),
    }
}

/// Returns the number of words of an input, and the instructions of a benchmark on that input.
fn sizes(measured: &[Measured], benchmark: &str, input: &str) -> Result<(usize, u64), String> {
    let row = measured.iter().find(|row| (row.benchmark.as_str(), row.input) == (benchmark, input));
    let row = row.ok_or_else(|| format!("{benchmark} was not measured on {input}"))?;
    Ok((row.words, row.instructions))
}

/// The maximum factor by which the instructions per word may grow from a smaller to a larger module of the same
/// shape. The allowance is for the varying load of hash tables.
const LINEAR: f64 = 1.2;

/// Returns a table of the costs on both sizes of each of the [shapes](SHAPES), and whether all costs grow linearly.
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

/// Parses lines of `benchmark input limit aim`; a `#` begins a comment.
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
