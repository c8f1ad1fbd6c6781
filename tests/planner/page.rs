//! The pages of rules in docs/lowerings name tests that are there.

use polyshade::planner::{CountedBy, Counter};
use std::fs;
use std::path::Path;

/// The pages, and how many rules each has at least.
const PAGES: [(&str, usize); 2] = [("transform-feedback-rules.md", 40), ("clip-cull-rules.md", 40)];

/// Whether `words`, as a test or a case is named, is one. `program::module::test` is in `tests/program/module.rs`.
fn is_there(words: &str) -> bool {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    match words.split("::").collect::<Vec<_>>().as_slice() {
        [case] => tests.join("cases").join(case).exists(),
        [program, modules @ .., test] => {
            let module = modules.iter().fold(tests.join(program), |path, name| path.join(name));
            let file = module.with_extension("rs");
            let text = fs::read_to_string(file).unwrap_or_default();
            text.contains(&format!("#[test]\nfn {test}()"))
        }
        _ => false,
    }
}

#[test]
fn every_rule_names_tests_that_are_there() {
    for (page, least) in PAGES {
        every_rule_of(page, least);
    }
    assert!(!is_there("execution::plan::no_such_test") && !is_there("capture/none.vert"));
}

#[track_caller]
fn every_rule_of(page: &str, least: usize) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lowerings").join(page);
    let page = fs::read_to_string(page).expect("the page is there");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows: Vec<(&str, &str)> = rows.filter(|(rule, _)| *rule != "Rule").collect();
    assert!(rows.len() > least, "only {} rules", rows.len());
    for (rule, tests) in rows {
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test holds: {rule}");
        for test in tests {
            assert!(is_there(test), "{test}, of: {rule}");
        }
    }
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
