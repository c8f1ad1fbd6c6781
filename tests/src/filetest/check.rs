//! `CHECK:` and `CHECK-NOT:`: ordered matches in the program's output.

/// One check of a case. Consecutive blanks count as one, in the check and in the output.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// A line after the previous match contains this text.
    Contains(String),
    /// No line between the previous and the next match contains this text.
    Lacks(String),
}

/// Returns the first check that the text fails.
pub(super) fn fault(checks: &[Check], text: &str) -> Option<String> {
    let lines: Vec<String> = text.lines().map(normal).collect();
    let mut at = 0;
    let mut forbidden: Vec<&str> = Vec::new();
    for check in checks {
        match check {
            Check::Lacks(part) => forbidden.push(part),
            Check::Contains(part) => {
                // Find the next match, and check the lines before it.
                let wanted = normal(part);
                let Some(skipped) = lines[at..].iter().position(|line| line.contains(&wanted))
                else {
                    return Some(format!(
                        "CHECK: {part}: not found in\n{}",
                        lines[at..].join("\n")
                    ));
                };
                if let Some(fault) = lacks_fault(&forbidden, &lines[at..at + skipped]) {
                    return Some(fault);
                }
                forbidden.clear();
                at += skipped + 1;
            }
        }
    }
    lacks_fault(&forbidden, &lines[at..])
}

fn lacks_fault(forbidden: &[&str], lines: &[String]) -> Option<String> {
    forbidden.iter().find_map(|part| {
        let line = lines.iter().find(|line| line.contains(&normal(part)))?;
        Some(format!("CHECK-NOT: {part}: found in\n{line}"))
    })
}

fn normal(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(checks: &[(bool, &str)], text: &str) -> bool {
        let check = |&(contains, part): &(bool, &str)| match contains {
            true => Check::Contains(part.to_owned()),
            false => Check::Lacks(part.to_owned()),
        };
        fault(&checks.iter().map(check).collect::<Vec<_>>(), text).is_some()
    }

    #[test]
    fn parts_are_found_in_order_one_line_each() {
        let text = "a  b\nc d\ne";
        assert!(!fails(&[(true, "a b"), (true, "c"), (true, "e")], text));
        assert!(fails(&[(true, "c"), (true, "a")], text));
        assert!(fails(&[(true, "c"), (true, "d")], text));
        assert!(fails(&[(true, "x")], text));
    }

    #[test]
    fn parts_are_missed_between_their_neighbours() {
        let text = "a\nb\nc\nb";
        assert!(fails(&[(false, "b")], text));
        assert!(fails(&[(true, "a"), (false, "b"), (true, "c")], text));
        assert!(fails(&[(true, "c"), (false, "b")], text));
        assert!(!fails(&[(true, "b"), (false, "b"), (true, "c")], text));
        assert!(!fails(&[(false, "x")], text));
    }
}
