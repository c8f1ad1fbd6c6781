//! docs/lowerings/transform-feedback-rules.md names tests that are there.

use polyshade::planner::{CountedBy, Counter};
use std::fs;
use std::path::Path;

/// Whether `words`, as a test or a case is named, is one. `program::module::test` is in `tests/program/module.rs`.
fn is_there(words: &str) -> bool {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    match words.split("::").collect::<Vec<_>>().as_slice() {
        [case] => tests.join("cases").join(case).exists(),
        [program, module, test] => {
            let file = tests.join(program).join(module).with_extension("rs");
            let text = fs::read_to_string(file).unwrap_or_default();
            text.contains(&format!("#[test]\nfn {test}()"))
        }
        _ => false,
    }
}

#[test]
fn every_rule_names_tests_that_are_there() {
    let page =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lowerings/transform-feedback-rules.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows: Vec<(&str, &str)> = rows.filter(|(rule, _)| *rule != "Rule").collect();
    assert!(rows.len() > 40, "only {} rules", rows.len());
    for (rule, tests) in rows {
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test holds: {rule}");
        for test in tests {
            assert!(is_there(test), "{test}, of: {rule}");
        }
    }
    assert!(!is_there("execution::plan::no_such_test") && !is_there("capture/none.vert"));
}

/// What a draw of captured data counts: by what the counter exceeds the offset, by the stride, rounded down.
#[test]
fn counters_count_vertices() {
    let counted = |counter, offset, stride| {
        let count = CountedBy { counter: Counter { buffer: 0, offset: 0 }, offset, stride };
        count.vertices(counter)
    };
    assert_eq!(counted(48, 0, 16), 3);
    assert_eq!(counted(63, 0, 16), 3);
    assert_eq!(counted(48, 20, 12), 2);
    assert_eq!(counted(16, 20, 12), 0);
    assert_eq!(counted(u32::MAX, 0, 4), u32::MAX / 4);
    assert_eq!(counted(48, 0, 0), 0);
}
