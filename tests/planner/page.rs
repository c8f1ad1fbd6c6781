//! The pages of rules in tests/rules refer only to existing tests.

use polyshade_planner::{CountedBy, Counter};
use std::fs;
use std::path::Path;

/// The pages, each with its minimum number of rules.
const PAGES: &[(&str, usize)] =
    &[("advanced-blend.md", 60), ("clip-cull.md", 40), ("transform-feedback.md", 40)];

/// Returns whether a test or case with this name exists. The test `program::module::test` is in
/// `tests/program/module.rs`, and `cli::program::test` is in `crates/cli/tests/program.rs`. Modules may be nested.
fn is_there(words: &str) -> bool {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parts: Vec<&str> = words.split("::").collect();
    let (folder, modules, test) = match parts.as_slice() {
        [case] => return tests.join("cases").join(case).exists(),
        ["cli", modules @ .., test] => (tests.join("../crates/cli/tests"), modules, test),
        [program, modules @ .., test] => (tests.join(program), modules, test),
        [] => return false,
    };
    let file = folder.join(modules.join("/")).with_extension("rs");
    let text = fs::read_to_string(file).unwrap_or_default();
    // `tests_in_webgpu` makes tests from functions, and a function that it does not list would be dead code.
    [format!("#[test]\nfn {test}()"), format!("\nfn {test}(by: WebGpu)")]
        .iter()
        .any(|function| text.contains(function))
}

#[test]
fn every_rule_names_tests_that_are_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    for (page, least) in PAGES {
        let text = fs::read_to_string(folder.join(page)).expect("the page is there");
        let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
        let rows: Vec<(&str, &str)> = rows.filter(|(rule, _)| *rule != "Rule").collect();
        assert!(rows.len() >= *least, "only {} rules in {page}", rows.len());
        for (rule, tests) in rows {
            let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
            assert!(!tests.is_empty(), "no test holds: {rule}");
            for test in tests {
                assert!(is_there(test), "{page}: {test}, of: {rule}");
            }
        }
    }
    for none in
        ["execution::plan::no_such_test", "capture/none.vert", "cli::plan::none", "a::b::c::d"]
    {
        assert!(!is_there(none), "{none}");
    }
}

/// The vertex count of a draw of captured data is the counter minus the offset, divided by the stride, rounded down.
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
