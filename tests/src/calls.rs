//! The cost of library calls on shaders of a typical size, as a table that is compared with limits.

use std::fmt::Write as _;

use polyshade_testing::calls::{CALLS, MeasuredCall, Sizes, sizes};

use crate::cost::{self, Cost, measure};

/// The cost of a call on some modules. All values except `count` and `line` are medians.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// The number of measured calls.
    pub count: usize,
    /// The number of machine instructions.
    pub instructions: i64,
    /// The linear fit of the instructions: the number per call, and the number per word of the module.
    pub line: [f64; 2],
    /// The total size of the variants minus the size of the original for each variant, in words.
    pub added: i64,
    /// The number of allocations.
    pub allocations: i64,
}

/// Measures the cost of each call on the modules. Each row has the name of the call.
///
/// # Errors
///
/// The errors of [`measure`].
pub fn rows(modules: &[Vec<u32>]) -> Result<Vec<(&'static str, Row)>, String> {
    let costs = measure(modules, cost::CALLS)?;
    let sizes: Vec<_> = modules.iter().flat_map(|words| sizes(words)).collect();
    if !costs.iter().map(|cost| cost.verb.as_str()).eq(sizes.iter().map(|(name, _)| *name)) {
        return Err("the counted calls are not the calls that were made".to_owned());
    }
    let row = |call: &MeasuredCall| {
        let of_call = costs.iter().zip(&sizes).filter(|(_, (name, _))| *name == call.name);
        let (costs, sizes): (Vec<&Cost>, Vec<Sizes>) =
            of_call.map(|(cost, (_, sizes))| (cost, *sizes)).unzip();
        let instructions = costs.iter().map(|cost| cost.instructions as i64);
        let row = Row {
            count: costs.len(),
            instructions: median(instructions)?,
            line: line(costs.iter().map(|cost| [cost.words as f64, cost.instructions as f64])),
            added: median(sizes.iter().map(|one| one.added))?,
            allocations: median(sizes.iter().map(|one| one.allocations as i64))?,
        };
        Some((call.name, row))
    };
    Ok(CALLS.iter().filter_map(row).collect())
}

fn median(numbers: impl Iterator<Item = i64>) -> Option<i64> {
    let mut numbers: Vec<i64> = numbers.collect();
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied()
}

/// Returns the least-squares line through points: intercept and slope.
fn line(points: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
    let points: Vec<[f64; 2]> = points.collect();
    let count = points.len() as f64;
    let mean = |at: usize| points.iter().map(|point| point[at]).sum::<f64>() / count;
    let [x, y] = [mean(0), mean(1)];
    let products: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    let squares: f64 = points.iter().map(|point| (point[0] - x).powi(2)).sum();
    let rise = if squares == 0.0 { 0.0 } else { products / squares };
    [y - rise * x, rise]
}

/// Formats a Markdown table, and lists the rows that exceed the limits. Each line of `limits` has a call's name and
/// the maxima for the medians of instructions, added words and allocations.
pub fn report(rows: &[(&str, Row)], limits: &str) -> (String, Vec<String>) {
    let mut table =
        "| Call | Entry points | instructions | per call + per word | words added | allocations |\n\
                     |---|---|---|---|---|---|\n"
            .to_owned();
    let mut faults = Vec::new();
    for (name, row) in rows {
        let Row { count, instructions, line: [call, word], added, allocations } = row;
        let _ = writeln!(
            table,
            "| `{name}` | {count} | {instructions} | {call:.0} + {word:.0} | {added} | {allocations} |"
        );
        // Find the call's limits, and compare.
        let lines = limits.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut of_call = lines.filter(|line| line.first() == Some(name));
        let limit = of_call.next().and_then(|line| {
            let numbers = line[1..].iter().map(|number| number.parse::<i64>().ok());
            <[i64; 3]>::try_from(numbers.collect::<Option<Vec<_>>>()?).ok()
        });
        let Some(limit) = limit else {
            faults.push(format!("{name}: no line with three limits was found"));
            continue;
        };
        let found = [*instructions, *added, *allocations];
        if found.iter().zip(limit).any(|(found, limit)| *found > limit) {
            faults.push(format!("{name}: {found:?} exceeds the limits {limit:?}"));
        }
    }
    (table, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(instructions: i64, added: i64, allocations: i64) -> Row {
        Row { count: 3, instructions, line: [1000.0, 2.5], added, allocations }
    }

    #[test]
    fn calls_are_held_against_three_limits() {
        let limits = "# call\nclip-space 1000 50 9\nposition-only 7\n";
        let faults = |name, row| report(&[(name, row)], limits).1;
        assert!(faults("clip-space", row(1000, 50, 9)).is_empty());
        for over in [row(1001, 50, 9), row(1000, 51, 9), row(1000, 50, 10)] {
            assert_eq!(faults("clip-space", over).len(), 1);
        }
        for name in ["position-only", "rasterizer-discard"] {
            assert_eq!(
                faults(name, row(0, 0, 0)),
                [format!("{name}: no line with three limits was found")]
            );
        }
    }

    #[test]
    fn a_line_is_found_through_its_points() {
        assert_eq!(line([[200.0, 1500.0], [400.0, 2000.0]].into_iter()), [1000.0, 2.5]);
        assert_eq!(line([[200.0, 1500.0]].into_iter()), [1500.0, 0.0]);
        assert_eq!(median([3, 1, 2].into_iter()), Some(2));
    }
}
