//! Tests the comparison of measured costs with limits.

use polyshade_benches::limits::{Measured, report, report_shapes};
use polyshade_testing::SHAPES;
use polyshade_tests::cost::Cost;

/// Returns a measurement with this many instructions per word on an input of 100 words.
fn took(benchmark: &str, input: &'static str, per_word: u64) -> Measured {
    let benchmark = benchmark.to_owned();
    Measured { benchmark, input, words: 100, instructions: 100 * per_word }
}

#[test]
fn limits_are_kept_up_to_the_limit_itself() {
    let both = [took("a", "small", 7), took("b", "small", 3)];
    let (table, kept) = report("a small 7 5 # as it was\n\nb small 3.5 -\n", &both).unwrap();
    assert!(kept, "{table}");
    let (table, kept) = report("a small 7 5\nb small 2.9 -\n", &both).unwrap();
    assert!(!kept && table.matches("OVER").count() == 1, "{table}");
}

#[test]
fn growth_from_a_smaller_to_a_larger_input_has_a_limit() {
    let both = [took("a", "small", 10), took("a", "medium", 11)];
    let limits = |growth: &str| format!("a small 99 -\na medium 99 -\na medium/small {growth} -");
    let (table, kept) = report(&limits("1.1"), &both).unwrap();
    assert!(kept && table.contains("1.10"), "{table}");
    let (table, kept) = report(&limits("1.09"), &both).unwrap();
    assert!(!kept && table.matches("OVER").count() == 1, "{table}");
    assert!(report("a large/small 2 -", &both).unwrap_err().contains("not measured on large"));
}

#[test]
fn everything_has_a_limit_and_every_limit_something() {
    let fails = |limits: &str, measured: &[Measured], why: &str| {
        let error = report(limits, measured).unwrap_err();
        assert!(error.contains(why), "{error}");
    };
    fails("a small 7 -", &[], "a was not measured on small");
    fails("", &[took("a", "small", 7)], "limits.txt has no line `a small`");
    fails("a small much -", &[], "much is not a number");
    fails("a small 7", &[], "not `benchmark input limit aim`: a small 7");
}

#[test]
fn what_grows_faster_than_its_shape_is_told() {
    let cost = |number: usize, instructions: u64| Cost {
        module: number,
        words: if number.is_multiple_of(2) { 100 } else { 400 },
        verb: "trials".to_owned(),
        instructions,
    };
    let costs = |many: u64| -> Vec<Cost> {
        let instructions = |number: usize| if number.is_multiple_of(2) { 1000 } else { many };
        (0..2 * SHAPES.len()).map(|number| cost(number, instructions(number))).collect()
    };
    assert!(report_shapes(&costs(4000)).1);
    let (table, kept) = report_shapes(&costs(5000));
    assert!(!kept && table.matches("NOT LINEAR").count() == SHAPES.len(), "{table}");
    assert!(!report_shapes(&costs(4000)[1..]).1);
}
