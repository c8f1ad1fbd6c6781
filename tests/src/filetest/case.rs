//! The directives in the comments of a case.

use super::check::Check;
use crate::shader::Rules;

/// The module that is compared with the input. The program writes this module for `-o %t.spv`.
pub(super) const OUTPUT: &str = "%t.spv";

/// The command at the start of a `RUN:` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// `polyshade`, with `%s`, `%f` and `%t` in its arguments.
    Program,
    /// `rewrite`, which applies rewrite tools to the case. The result is [`OUTPUT`].
    Rewrite,
}

/// One case, as its directives describe it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) runs: Runs,
    /// The arguments of the command.
    pub(super) arguments: Vec<String>,
    /// Whether the case is never run with unknown instructions in the input. The case states the reason.
    pub(super) known: bool,
    /// The exit code that the program must have.
    pub(super) exit: i32,
    /// The checks, in the order of their lines.
    pub(super) checks: Vec<Check>,
    /// The validation rules that the input must follow.
    pub(super) input: Rules,
    /// The validation rules that the output must follow.
    pub(super) output: Rules,
}

impl Case {
    /// Parses the directives. Unknown directives are errors, so that a misspelt `CHECK` is not taken for a comment.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut run = None;
        let mut exit = 0;
        let mut checks = Vec::new();
        let mut rules = [Rules::Vulkan; 2];
        let mut known = false;
        // Read the directives.
        for (number, line) in (1..).zip(text.lines()) {
            let Some((name, value)) = directive(line) else { continue };
            let fault = |fault: &str| Err(format!("line {number}: {name}: {fault}"));
            match name {
                _ if value.is_empty() => return fault("has no value"),
                "RUN" if run.is_some() => return fault("a case has only one RUN: line"),
                "RUN" => run = Some(value),
                "EXIT" => match value.parse() {
                    Ok(code) => exit = code,
                    Err(_) => return fault("not a number"),
                },
                "CHECK" => checks.push(Check::Contains(value.to_owned())),
                "CHECK-NOT" => checks.push(Check::Lacks(value.to_owned())),
                "INVALID" => rules = [Rules::None; 2],
                "LEGALIZED" => rules = [Rules::BeforeLegalization, Rules::Vulkan],
                "BEFORE-LEGALIZATION" => rules = [Rules::BeforeLegalization; 2],
                "KNOWN" => known = true,
                _ => return fault("no such directive"),
            }
        }
        // Split the command line.
        let mut words = run.ok_or("no RUN: line")?.split_whitespace().map(str::to_owned);
        let runs = match words.next().as_deref() {
            Some("polyshade") => Runs::Program,
            Some("rewrite") => Runs::Rewrite,
            _ => return Err("the RUN: line runs neither polyshade nor rewrite".to_owned()),
        };
        let (arguments, [input, output]) = (words.collect(), rules);
        let case = Self { runs, arguments, known, exit, checks, input, output };
        case.proves_something().then_some(case).ok_or_else(|| {
            format!("proves nothing: it must have a CHECK: line, or succeed and write {OUTPUT}")
        })
    }

    /// Returns the output files of the `RUN:` line, each `%t…`.
    pub(super) fn outputs(&self) -> Vec<&str> {
        let in_argument = |argument: &'_ str| argument.find("%t");
        let arguments = self.arguments.iter();
        arguments.filter_map(|argument| Some(&argument[in_argument(argument)?..])).collect()
    }

    /// Returns whether the case is run again with unknown instructions in the input module.
    pub(super) fn takes_unknown(&self) -> bool {
        let reads = || self.arguments.iter().any(|argument| argument.contains("%s"));
        !self.known && (self.runs == Runs::Rewrite || reads())
    }

    fn proves_something(&self) -> bool {
        let looks = self.checks.iter().any(|check| matches!(check, Check::Contains(_)));
        let writes = || self.runs == Runs::Rewrite || self.outputs().contains(&OUTPUT);
        looks || self.exit == 0 && writes()
    }
}

/// Splits a comment line `; NAME: value` or `// NAME: value` into `NAME` and `value`.
fn directive(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let comment = line.strip_prefix("//").or_else(|| line.strip_prefix(';'))?;
    let (name, value) = comment.trim_start().split_once(':')?;
    let capital = |c: char| c.is_ascii_uppercase() || c == '-';
    (name.len() > 1 && name.chars().all(capital)).then_some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_from_both_kinds_of_comment() {
        let text = "; A word on why: this.\n; RUN: polyshade info  %s\n  // CHECK: a: b\n\
                    // CHECK-NOT: c\n; EXIT: 3\n; INVALID: for a reason\nOpNop\n";
        let case = Case::parse(text).unwrap();
        assert_eq!(case.arguments, ["info", "%s"]);
        assert_eq!((case.exit, case.input, case.output), (3, Rules::None, Rules::None));
        assert_eq!(case.checks, [Check::Contains("a: b".into()), Check::Lacks("c".into())]);
        assert!(case.outputs().is_empty());
    }

    #[test]
    fn outputs_are_named_by_the_run_line() {
        let text = "; RUN: polyshade capture %s -o %t.spv --variant both=%t.both.spv";
        assert_eq!(Case::parse(text).unwrap().outputs(), ["%t.spv", "%t.both.spv"]);
    }

    #[test]
    fn unknown_instructions_are_tried_where_they_can_be() {
        let takes = |text: &str| Case::parse(text).unwrap().takes_unknown();
        assert!(takes("; RUN: polyshade info %s\n; CHECK: x\n"));
        assert!(!takes("; RUN: polyshade info %f\n; CHECK: x\n"));
        assert!(!takes("; RUN: polyshade info %s\n; CHECK: x\n; KNOWN: the tool has to\n"));
    }

    #[test]
    fn faulty_directives_are_refused() {
        let refused = |text: &str, why: &str| {
            let error = Case::parse(text).unwrap_err();
            assert!(error.contains(why), "{text:?}: {error}");
        };
        refused("OpNop\n", "no RUN: line");
        refused("; RUN: ls %s\n; CHECK: x\n", "runs neither polyshade nor rewrite");
        refused(
            "; RUN: polyshade a\n; RUN: polyshade b\n",
            "line 2: RUN: a case has only one RUN: line",
        );
        refused("; RUN: polyshade a\n; CHEKC: b\n", "line 2: CHEKC: no such directive");
        refused("; RUN: polyshade a\n; CHECK:\n", "CHECK: has no value");
        refused("; RUN: polyshade a\n; EXIT: one\n", "EXIT: not a number");
    }

    #[test]
    fn a_case_that_cannot_fail_is_refused() {
        for text in [
            "; RUN: polyshade info %s\n",
            "; RUN: polyshade info %s\n; CHECK-NOT: x\n",
            "; RUN: polyshade capture %s -o %t.spv\n; EXIT: 1\n",
            "; RUN: rewrite wrap\n; EXIT: 1\n",
        ] {
            assert!(Case::parse(text).unwrap_err().contains("proves nothing"), "{text:?}");
        }
    }
}
