//! The committed limits, and a benchmark run held against them.

use std::fmt::Write;

use polyshade_trials::SHAPES;
use serde_json::Value;

use crate::inputs;

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
#[derive(Debug, PartialEq)]
struct Measured {
    benchmark: String,
    input: String,
    instructions: u64,
}

/// The table of what was measured beside the limits, and whether everything keeps to them.
///
/// `summaries` is what gungraun prints with `--output-format=json`: one object a benchmark.
pub fn report(limits: &str, summaries: &str) -> Result<(String, bool), String> {
    let limits = parse_limits(limits)?;
    let measured = read(summaries)?;

    let mut table = format!(
        "{:<20} {:<10} {:>8} {:>13} {:>9} {:>7} {:>5}\n",
        "benchmark", "input", "words", "instructions", "per word", "limit", "aim"
    );
    let mut kept = true;
    for Limit { benchmark, input, most, aim } in &limits {
        let (numbers, value) = match input.split_once('/') {
            None => {
                let (words, instructions) = sizes(&measured, benchmark, input)?;
                let per_word = instructions as f64 / words as f64;
                (format!("{words:>8} {instructions:>13} {per_word:>9.1}"), per_word)
            }
            Some((larger, smaller)) => {
                let per_word = |input| {
                    let (words, instructions) = sizes(&measured, benchmark, input)?;
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
        limits.iter().any(|limit| (&limit.benchmark, &limit.input) == (&row.benchmark, &row.input))
    };
    match measured.iter().find(|row| !limited(row)) {
        Some(row) => Err(format!("limits.txt has no line `{} {}`", row.benchmark, row.input)),
        None => Ok((table, kept)),
    }
}

/// The words of an input, and the instructions that a benchmark took on it.
fn sizes(measured: &[Measured], benchmark: &str, input: &str) -> Result<(usize, u64), String> {
    let of = |row: &&Measured| (row.benchmark.as_str(), row.input.as_str()) == (benchmark, input);
    let row = measured.iter().find(of);
    let row = row.ok_or_else(|| format!("{benchmark} was not measured on {input}"))?;
    let words = inputs::words(input).ok_or_else(|| format!("no input {input}"))?.len();
    Ok((words, row.instructions))
}

/// How many times as many instructions a word a larger module of one shape may take: it takes no more but for how full
/// hash tables happen to be.
const LINEAR: f64 = 1.2;

/// The table of what was measured on [shapes](SHAPES) of two sizes, and whether it grows no faster than they do.
pub fn report_shapes(summaries: &str) -> Result<(String, bool), String> {
    let measured = read(summaries)?;
    let per_word = |number: usize| {
        let input = format!("shape_{number}");
        let row = measured.iter().find(|row| row.input == input);
        let row = row.ok_or_else(|| format!("nothing was measured on {input}"))?;
        let words = inputs::words(&input).expect("there are two of each shape").len();
        Ok::<_, String>((words, row.instructions as f64 / words as f64))
    };
    let mut table = format!(
        "{:<26} {:>8} {:>9} {:>8} {:>9} {:>6}\n",
        "shape", "words", "per word", "words", "per word", "times"
    );
    let mut kept = true;
    for (number, shape) in SHAPES.iter().enumerate() {
        let ((words, few), (more_words, many)) = (per_word(2 * number)?, per_word(2 * number + 1)?);
        let times = many / few;
        let verdict = if times > LINEAR { "  NOT LINEAR" } else { "" };
        kept &= verdict.is_empty();
        let numbers = format!("{words:>8} {few:>9.1} {more_words:>8} {many:>9.1} {times:>6.2}");
        writeln!(table, "{:<26} {numbers}{verdict}", shape.name).expect("writing to a string");
    }
    Ok((table, kept))
}

fn read(summaries: &str) -> Result<Vec<Measured>, String> {
    serde_json::Deserializer::from_str(summaries)
        .into_iter()
        .map(|summary| measured(&summary.map_err(|error| format!("gungraun's output: {error}"))?))
        .collect()
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

/// The instructions that one of gungraun's summaries counts.
fn measured(summary: &Value) -> Result<Measured, String> {
    let text = |name: &str| summary[name].as_str().map(str::to_owned);
    let row = || {
        let instructions = summary.pointer("/profiles/0/data/total/metrics/Ir/values/new")?;
        Some(Measured {
            benchmark: text("function_name")?,
            input: text("id")?,
            instructions: instructions.as_u64()?,
        })
    };
    row().ok_or_else(|| format!("gungraun's summary has an unknown form: {summary}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gungraun's summary of one benchmark on the small input, as far as it is read.
    fn summary(benchmark: &str, per_word: usize) -> String {
        summary_of(benchmark, "small", per_word)
    }

    fn summary_of(benchmark: &str, input: &str, per_word: usize) -> String {
        let words = inputs::words(input).expect("there is such an input").len();
        let metrics = format!(r#"{{"Ir":{{"values":{{"new":{},"old":1}}}}}}"#, words * per_word);
        let profiles = format!(r#"[{{"data":{{"total":{{"metrics":{metrics}}}}}}}]"#);
        format!(r#"{{"function_name":"{benchmark}","id":"{input}","profiles":{profiles}}}"#)
    }

    #[test]
    fn limits_are_kept_up_to_the_limit_itself() {
        let both = summary("a", 7) + "\n" + &summary("b", 3);
        let (table, kept) = report("a small 7 5 # as it was\n\nb small 3.5 -\n", &both).unwrap();
        assert!(kept, "{table}");
        let (table, kept) = report("a small 7 5\nb small 2.9 -\n", &both).unwrap();
        assert!(!kept && table.matches("OVER").count() == 1, "{table}");
    }

    #[test]
    fn growth_from_a_smaller_to_a_larger_input_has_a_limit() {
        let both = summary("a", 10) + "\n" + &summary_of("a", "medium", 11);
        let limits =
            |growth: &str| format!("a small 99 -\na medium 99 -\na medium/small {growth} -");
        let (table, kept) = report(&limits("1.1"), &both).unwrap();
        assert!(kept && table.contains("1.10"), "{table}");
        let (table, kept) = report(&limits("1.09"), &both).unwrap();
        assert!(!kept && table.matches("OVER").count() == 1, "{table}");
        assert!(report("a large/small 2 -", &both).unwrap_err().contains("not measured on large"));
    }

    #[test]
    fn everything_has_a_limit_and_every_limit_something() {
        let fails = |limits: &str, summaries: &str, why: &str| {
            let error = report(limits, summaries).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        fails("a small 7 -", "", "a was not measured on small");
        fails("", &summary("a", 7), "limits.txt has no line `a small`");
        fails("a small much -", "", "much is not a number");
        fails("a small 7", "", "not `benchmark input limit aim`: a small 7");
        fails("", "{}", "unknown form");
        fails("", "nothing", "gungraun's output");
    }
}
