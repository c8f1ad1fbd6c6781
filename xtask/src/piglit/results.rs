//! Reads piglit's results and test names.

use std::collections::{BTreeMap, BTreeSet};

/// The result of each test, by the test's name.
pub(super) struct Results(BTreeMap<String, String>);

/// Normalizes a test's name, which piglit writes in several forms: with `@` or `/`, and with blanks or `_`.
fn name(text: &str) -> String {
    text.trim().replace('/', "@").replace(' ', "_").to_lowercase()
}

pub(super) fn names(list: &str) -> BTreeSet<String> {
    list.lines().filter(|line| !line.trim().is_empty()).map(name).collect()
}

impl Results {
    /// Reads the results of the wanted tests from piglit's summary.
    pub(super) fn read(text: &str, wanted: &BTreeSet<String>) -> Self {
        let lines = text.lines().filter_map(|line| line.rsplit_once(": "));
        let mut results = BTreeMap::new();
        for (line, result) in lines {
            let (line, result) = (name(line), result.trim().to_owned());
            // A test with several parts has one line for each part, but no line for the whole test.
            let of_part = || {
                let ends = line.match_indices('@').map(|(end, _)| &line[..end]);
                ends.rev().find(|test| wanted.contains(*test))
            };
            let whole = wanted.contains(&line).then_some(line.as_str());
            let Some(test) = whole.or_else(of_part) else { continue };
            let all = results.entry(test.to_owned()).or_insert_with(|| result.clone());
            if *all == "skip" || *all == "pass" && result != "skip" {
                *all = result;
            }
        }
        Self(results)
    }

    pub(super) fn passed(&self) -> BTreeSet<String> {
        let passed = self.0.iter().filter(|(_, result)| *result == "pass");
        passed.map(|(name, _)| name.clone()).collect()
    }

    /// Formats the numbers of passed, failed, skipped and other tests in columns.
    pub(super) fn counts(&self) -> String {
        let count = |wanted: &str| self.0.values().filter(|result| *result == wanted).count();
        let known = ["pass", "fail", "skip"].map(count);
        let other = self.0.len() - known.iter().sum::<usize>();
        known
            .iter()
            .chain([&other])
            .map(|count| format!("{count:>5}"))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "spec/!opengl 3.1/restart-xfb flush: pass\nspec/a/b: fail\nspec/a/c: incomplete\n\
                           spec/a/other: pass\nspec/a/d/1: skip\nspec/a/d/2: pass\nspec/a/d/3: skip\n\
                           spec/a/e/1: pass\nspec/a/e/2: fail\nspec/a/e/3: pass\nsummary:\n       pass:         220\n";

    #[test]
    fn a_test_of_several_parts_passes_with_all_of_them() {
        let results = Results::read(SUMMARY, &names("spec@a@d\nspec@a@e\nspec@a@f"));
        assert_eq!(results.passed(), names("spec@a@d"));
        assert_eq!(results.counts(), "    1     1     0     0");
    }

    #[test]
    fn names_are_the_same_in_lists_and_summaries() {
        let wanted = names("spec@!opengl_3.1@restart-xfb_flush\nspec@a@b\n\nspec@A@c\n");
        let results = Results::read(SUMMARY, &wanted);
        assert_eq!(results.passed(), names("spec@!opengl 3.1@restart-xfb flush"));
        assert_eq!(results.counts(), "    1     1     0     1");
    }
}
